"""A part of a game as a game of its own, and the way back.

The players' own sequences at which the part is entered become roots: a root's mass is what its
player brings along, so one cut serves every range. Payoffs keep nature's probabilities and the
units of the full game, so that a root's value is a counterfactual value there, unnormalized.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from endspiel.game import Game, Profile, Sparse, TerminalGroup, Treeplex
from endspiel.kernels.arrays import Bools, Floats, Ints

Blocks = list[tuple[Ints, int]]  # (parents [K], number of actions) of each


@dataclass(frozen=True)
class Past:
    """What lies behind each of a player's sequences."""

    parent: Ints  # [S] the player's own sequence before it; -1 at the roots
    state: Ints  # [S] its state, as the sequence of the state's first action; -1 at the roots

    @classmethod
    def of(cls, plex: Treeplex) -> "Past":
        """Read off a treeplex's blocks."""
        parent, state = (np.full(plex.num_sequences, -1, dtype=np.int64) for _ in range(2))
        for block in plex:
            block.of(parent)[:] = block.parent
            block.of(state)[:] = block.first + np.arange(block.num_states)
        return cls(parent, state)


def at_or_below(plex: Treeplex, marked: Bools) -> Bools:
    """Which sequences [S] are marked or follow a marked one of the same player."""
    found = marked.copy()
    for block in plex:
        block.of(found)[:] |= found[block.parent]
    return found


@dataclass(frozen=True)
class Cut:
    """A part of a game as a `Game`, and where its sequences are in the full one."""

    source: Game
    game: Game  # roots are the entries, of mass 1 until `ranged`
    sequences: tuple[Ints, Ints]  # [S'] of each player: sequence in the full game

    def entries(self, player: int) -> Ints:
        """The player's sequences in the full game at which the part is entered [R]."""
        return self.sequences[player][: self.game.plexes[player].num_roots]

    def ranged(self, masses: tuple[Floats, Floats]) -> Game:
        """The part as a game in which the players come with these masses [R0], [R1]."""
        one, two = (
            replace(plex, root=np.asarray(mass, dtype=np.float64))
            for plex, mass in zip(self.game.plexes, masses, strict=True)
        )
        return replace(self.game, plexes=(one, two))

    def behavior(self, player: int, full: Floats) -> Floats:
        """A full behavior [S] in the part [S'], what is left out made up for by the rest."""
        plex = self.game.plexes[player]
        here = full[self.sequences[player]]
        here[: plex.num_roots] = 1.0
        return plex.behavior(here)

    def put_back(self, player: int, here: Floats, full: Floats, keep: Bools) -> Floats:
        """A full behavior [S] with the part's [S'] in it; sequences marked in keep [S'] stay.

        Actions that the part leaves out are not played at its states.
        """
        new = ~keep
        new[: self.game.plexes[player].num_roots] = False
        state = Past.of(self.source.plexes[player]).state
        to = self.sequences[player][new]
        result = full.copy()
        result[np.isin(state, state[to])] = 0.0
        result[to] = here[new]
        return result

    def embed(self, here: Profile, full: Profile) -> Profile:
        """Both players' full strategies with the part's in them."""
        one, two = (
            self.put_back(i, b, full.behavior[i], np.zeros(len(b), dtype=bool))
            for i, b in enumerate(here.behavior)
        )
        return Profile((one, two))


def cut(game: Game, inside: tuple[Bools, Bools], dropped: tuple[Bools, Bools]) -> Cut:
    """The part of a game whose moves are marked inside, without those at or below dropped ones.

    Both are marks of sequences [S0], [S1]. A terminal belongs to the part when the last move of
    either player does.
    """
    one, two = (
        mark & ~at_or_below(plex, drop & mark)
        for plex, mark, drop in zip(game.plexes, inside, dropped, strict=True)
    )
    matrix = game.matrix.tocoo()
    paid = one[matrix.row] & (two | ~inside[1])[matrix.col]
    paid |= two[matrix.col] & (one | ~inside[0])[matrix.row]
    sides = []
    for plex, kept, ends in ((game.plexes[0], one, matrix.row), (game.plexes[1], two, matrix.col)):
        enters = np.zeros(plex.num_sequences, dtype=bool)
        enters[ends[paid]] = True
        parents = Past.of(plex).parent[kept]
        enters[parents] = True
        sides.append(_select(plex, kept, np.flatnonzero(enters & ~kept)))
    (plex0, old0), (plex1, old1) = sides
    payoffs = game.matrix[old0][:, old1].tolil()
    payoffs[: plex0.num_roots, : plex1.num_roots] = 0  # paid before the part is entered
    zero = np.zeros(1, dtype=np.int64)
    group = TerminalGroup(Sparse(sparse.csr_matrix(payoffs)), np.ones(1), zero, zero)
    part = Game((plex0, plex1), [group], f"part of {game.name}", unit=game.unit)
    return Cut(game, part.validate(), (old0, old1))


def _select(plex: Treeplex, kept: Bools, entries: Ints) -> tuple[Treeplex, Ints]:
    """The treeplex of the kept sequences below the entries, and their old numbers [S']."""
    new = np.full(plex.num_sequences, -1, dtype=np.int64)
    new[entries] = np.arange(len(entries))
    blocks: Blocks = []
    old = [entries]
    end = len(entries)
    for block in plex:
        K, here = block.num_states, block.of(kept)
        # States of one block that keep different actions part ways.
        for pattern in np.unique(here, axis=1).T:
            if not pattern.any():
                continue
            states = np.flatnonzero((here == pattern[:, None]).all(axis=0))
            actions = np.flatnonzero(pattern)
            numbers = (block.first + actions[:, None] * K + states).ravel()
            blocks.append((new[block.parent[states]], len(actions)))
            new[numbers] = end + np.arange(len(numbers))
            old.append(numbers)
            end += len(numbers)
    return Treeplex.from_blocks(np.ones(len(entries)), blocks), np.concatenate(old)
