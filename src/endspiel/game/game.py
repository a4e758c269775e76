"""The game: two treeplexes, and groups of terminals that pay."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from endspiel.errors import GameError
from endspiel.game.payoffs import Payoff, Sparse
from endspiel.game.treeplex import Treeplex
from endspiel.kernels import cpu
from endspiel.kernels.arrays import Floats, Ints

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True)
class Labels:
    """One player's infoset and action names, block by block."""

    infosets: tuple[tuple[str, ...], ...]  # [B][K]
    actions: tuple[tuple[tuple[str, ...], ...], ...]  # [B][K][A]

    def walk(self, plex: Treeplex) -> Iterator[tuple[str, str, int]]:
        """Every (infoset, action, sequence) of the player, infoset by infoset."""
        for b, (names, actions) in enumerate(zip(self.infosets, self.actions, strict=True)):
            first, K = int(plex.arrays.first[b]), int(plex.arrays.states[b])
            for k in range(K):
                for a, action in enumerate(actions[k]):
                    yield names[k], action, first + a * K + k


@dataclass(frozen=True)
class TerminalGroup:
    """Terminals that share one payoff: terminal t pays stakes[t] times it.

    The states of terminal t are the sequences from seqs0[t] and from seqs1[t] on.
    """

    payoff: Payoff
    stakes: Floats  # [T]
    seqs0: Ints  # [T]
    seqs1: Ints  # [T]

    def add_gradient(self, player: int, plan: Floats, out: Floats) -> None:
        """Add what each of the player's sequences gets (in player 0's payoff) to out [S]."""
        own, other = (self.seqs0, self.seqs1) if player == 0 else (self.seqs1, self.seqs0)
        if isinstance(self.payoff, Sparse) and len(own) == 1 and self.stakes[0] == 1:
            K, L = self.payoff.shape[player], self.payoff.shape[1 - player]
            reach, values = plan[other[0] : other[0] + L], out[own[0] : own[0] + K]
            cpu.multiply(self.payoff.rows[player], reach, values)
            return
        reach = np.empty((len(own), self.payoff.shape[1 - player]), dtype=plan.dtype)
        cpu.gather(plan, other, self.stakes, reach)
        cpu.scatter(np.ascontiguousarray(self.payoff.values(player, reach)), own, out)


@dataclass(frozen=True)
class Game:
    """A two-player zero-sum game; payoffs are player 0's.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> game.name, [plex.num_sequences for plex in game.plexes]
        ('kuhn', [13, 13])
    """

    plexes: tuple[Treeplex, Treeplex]
    groups: Sequence[TerminalGroup]
    name: str = "game"
    labels: tuple[Labels, Labels] | None = None
    unit: float | None = None  # one big blind (or ante) in payoff units, where the game has one
    span: float | None = None  # largest minus smallest payoff, where the builder knows it
    nodes: Any = None  # the public tree, or the order of moves; never read by solvers

    @property
    def zero_sum(self) -> bool:
        """Whether what one player wins, the other loses."""
        return True

    def require_zero_sum(self, algorithm: str) -> None:
        """Refuse a game that is not zero-sum where an algorithm needs it to be."""

    @property
    def num_infosets(self) -> int:
        return self.plexes[0].num_infosets + self.plexes[1].num_infosets

    def gradient(self, player: int, plan: Floats) -> Floats:
        """What each of the player's sequences earns the player against the other's plan."""
        plan = plan.astype(np.float64, copy=False)  # of training, it may have 32 bits
        out = np.zeros(self.plexes[player].num_sequences)
        for group in self.groups:
            group.add_gradient(player, plan, out)
        return out if player == 0 else np.negative(out, out=out)

    def terminal_groups(self) -> Sequence[TerminalGroup]:
        """All groups, of both players."""
        return self.groups

    @cached_property
    def matrix(self) -> "sparse.csr_matrix":
        """The payoff matrix A [S0, S1] of the sequence form."""
        from scipy import sparse

        shape = (self.plexes[0].num_sequences, self.plexes[1].num_sequences)
        rows, columns, data = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
        for group in self.groups:
            if isinstance(group.payoff, Sparse):
                form = group.payoff.matrix.tocoo()
            else:
                form = sparse.coo_matrix(group.payoff.dense())
            for stake, s0, s1 in zip(group.stakes, group.seqs0, group.seqs1, strict=True):
                rows.append(form.row + s0)
                columns.append(form.col + s1)
                data.append(form.data * stake)
        entries = (np.concatenate(rows), np.concatenate(columns))
        return sparse.csr_matrix((np.concatenate(data), entries), shape=shape)

    @cached_property
    def payoff_range(self) -> float:
        """Largest minus smallest payoff: the builder's figure, or else an upper bound of it."""
        if self.span is not None:
            return self.span
        bound = 0.0
        for player in (0, 1):
            plex = self.plexes[player]
            mass = self.plexes[1 - player].mass
            worth = np.abs(self.matrix if player == 0 else self.matrix.T) @ mass
            values, _ = plex.best_response(worth)
            bound = max(bound, float(values[: plex.num_roots] @ plex.root))
        return 2.0 * bound

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of everything that decides the game; names do not count."""
        digest = hashlib.blake2b(digest_size=12)
        for plex in self.plexes:
            rows = () if plex.rows is None else (plex.rows.of,)
            for array in (plex.root, *plex.arrays, *rows):
                digest.update(np.ascontiguousarray(array).tobytes())
        for group in self.terminal_groups():
            for array in (group.stakes, group.seqs0, group.seqs1, *group.payoff.arrays()):
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def require_perfect_recall(self, algorithm: str) -> None:
        """Refuse shared rows, which make players forget, where an algorithm needs recall."""
        for player, plex in enumerate(self.plexes):
            if plex.rows is None:
                continue
            used, counts = np.unique(plex.rows.of[plex.num_roots :], return_counts=True)
            if (counts > 1).any():
                shared = int(used[counts > 1][0])
                pair = np.flatnonzero(plex.rows.of == shared)[:2]
                raise GameError(
                    f"{algorithm} needs perfect recall, but player {player}'s sequences "
                    f"{pair[0]} and {pair[1]} share a row ({self.describe(player, pair[0])})"
                )

    def describe(self, player: int, sequence: int) -> str:
        """A sequence's infoset and action, for messages."""
        if self.labels is not None:
            for infoset, action, s in self.labels[player].walk(self.plexes[player]):
                if s == sequence:
                    return f"{infoset or 'start'}: {action}"
        return f"sequence {sequence}"

    def validate(self) -> "Game":
        """Return the game, checked: its parts fit together."""
        for player, plex in enumerate(self.plexes):
            plex.validate(player)
        for i, group in enumerate(self.groups):
            for player, seqs in enumerate((group.seqs0, group.seqs1)):
                top = self.plexes[player].num_sequences - group.payoff.shape[player]
                if len(seqs) != len(group.stakes) or (seqs < 0).any() or (seqs > top).any():
                    raise GameError(
                        f"terminal group {i} points outside player {player}'s sequences"
                    )
            if not np.isfinite(group.stakes).all():
                raise GameError(f"terminal group {i} has a stake that is not a finite number")
        return self


@dataclass(frozen=True)
class Profile:
    """Both players' behavior: the probability of each action at its own state.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.kuhn()
        >>> round(es.expected_value(game, es.Profile.uniform(game)), 3)
        0.125
    """

    behavior: tuple[Floats, Floats]  # [S0], [S1]; 1 at the roots

    @classmethod
    def uniform(cls, game: Game) -> "Profile":
        """Every action with the same probability."""
        return cls((game.plexes[0].uniform(), game.plexes[1].uniform()))

    @classmethod
    def from_plans(cls, game: Game, x: Floats, y: Floats) -> "Profile":
        """The behavior of two plans; uniform where a plan never comes."""
        return cls((game.plexes[0].behavior(x), game.plexes[1].behavior(y)))

    def plan(self, game: Game, player: int) -> Floats:
        """One player's plan [S]."""
        return game.plexes[player].walk_down(self.behavior[player])


@dataclass(frozen=True)
class GeneralGame(Game):
    """A two-player game of which `groups` are what player 0 gets, `second` what player 1 gets."""

    second: Sequence[TerminalGroup] = ()

    @property
    def zero_sum(self) -> bool:
        return False

    def gradient(self, player: int, plan: Floats) -> Floats:
        """What each of the player's sequences earns the player against the other's plan."""
        plan = plan.astype(np.float64, copy=False)  # of training, it may have 32 bits
        out = np.zeros(self.plexes[player].num_sequences)
        for group in self.groups if player == 0 else self.second:
            group.add_gradient(player, plan, out)
        return out

    def terminal_groups(self) -> Sequence[TerminalGroup]:
        """All groups, of both players."""
        return [*self.groups, *self.second]

    def require_zero_sum(self, algorithm: str) -> None:
        raise GameError(f"{algorithm} solves zero-sum games, and this is none")
