"""The CFR family on real cards, by the board kernels: alternating, in 32-bit floats.

The loop is that of `cfr`; what differs is that nothing but regrets and averages is kept, and that
a player's whole half of an iteration is one walk over the boards.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.game import Profile
from endspiel.games.card_game import CardGame
from endspiel.games.dense import spread
from endspiel.kernels.arrays import Discounts
from endspiel.kernels.board import BEST, EXPECTED, UPDATE
from endspiel.kernels.board_arrays import Float32s, Kept, Meta
from endspiel.kernels.board_walk import bring_down, take_up, visit, visit_last
from endspiel.kernels.simd import LANES, zeros
from endspiel.solvers.cfr import SCHEMES, Scheme

Floats = NDArray[np.float64]
_KEEP = np.array([[1.0, 1.0, 1.0, 0.0, 0.0, 0.0]])  # discounts of a walk that does not learn
_ROOT = np.array([0])


SPOT_SCHEMES = {**SCHEMES, "dcfr": Scheme(1.25, 0.375, 4)}  # chosen by benchmarks/schemes.py
del SPOT_SCHEMES["pcfr+"]  # needs the newest regrets too, which the board kernels do not keep
# For rivers whose stakes grow to thousands of pots. Regrets of the first iterations are as large as
# the stakes, and discounted CFR keeps a hundredth of them for ever: later ones, as large as the
# pot, take that many iterations to outweigh them. These weights have forgotten them by then.
CUBIC = "cubic"
SPOT_SCHEMES[CUBIC] = Scheme(1, 1, 4, power=3)
# The newest iteration weighs at least one in so many in an average. Less, and what 32-bit sums
# round away each time is no longer small beside it: averages would drift from the equilibrium.
LONGEST_AVERAGE = 25_000


class BoardCFR:
    """A running solve of an endgame on real cards."""

    def __init__(self, game: CardGame, scheme: Scheme, threads: int = 1) -> None:
        if scheme.predictive or not scheme.alternating:
            raise GameError("the board kernels know alternating schemes without prediction")
        self.game = game
        self.scheme = scheme
        self.iteration = 0
        crew = threads if len(game.streets) > 1 else 1
        shared = game.kept_size if game.buckets is not None else 0
        news = [(zeros(shared), zeros(shared)) for _ in range(crew)]
        regret, average = zeros(game.kept_size), zeros(game.kept_size)
        locked = np.zeros(game.num_nodes, dtype=np.uint8)
        self._team = [Kept(regret, average, locked, *new) for new in news]
        self.kept = self._team[0]
        self._room = zeros(len(game.tables.root))
        self._crew = _Crew(game, crew) if crew > 1 else None
        self._work = self._crew.work[0] if self._crew else zeros(game.work_size)

    @property
    def threads(self) -> int:
        """Threads that walk the boards; a single board has only one."""
        return len(self._team)

    def _discounts(self, t: int) -> Discounts:
        """What iteration t does to the sums before it."""
        scheme, by = self.scheme, self.scheme.at(t)
        if scheme.gamma == 0 or scheme.beta >= scheme.alpha:
            return by  # their strategies circle for ever: only the average of all of them settles
        return by._replace(average=min(by.average, 1 - 1 / LONGEST_AVERAGE))

    def step(self, count: int = 1) -> None:
        """So many iterations: each player learns in turn."""
        first = self.iteration + 1
        schedule = np.zeros((count, 6))  # two more, always zero, for rows that are summed up
        schedule[:, :4] = [self._discounts(first + i) for i in range(count)] or np.zeros((0, 4))
        if self._crew is None and self.game.buckets is None:
            tables = self.game.tables
            visit(tables, 0, _ROOT, 0, 2, UPDATE, schedule, self.kept, self._work, self._room)
        else:
            for by in schedule:
                for player in (0, 1):
                    self.walk(player, UPDATE, by[None])
                    self._absorb(player, by)
        self.iteration += count

    def learn(self, player: int) -> None:
        """One player's half of the next iteration; the ranges at the root may change in between.

        The caller counts the iteration once both players have learned.
        """
        by = np.zeros(6)
        by[:4] = self._discounts(self.iteration + 1)
        self.walk(player, UPDATE, by[None])
        self._absorb(player, by)

    def advance(self, steps: int) -> None:
        """So many iterations: many at once save the way into the kernels."""
        self.step(steps)

    def walk(self, player: int, mode: int, by: Floats) -> None:
        """One player's walk over all boards; the values of the hands at the root are in room.

        Discounts come as one row of a schedule: [1, 6].
        """
        if self._crew is None:
            tables, stop = self.game.tables, player + 1
            visit(tables, 0, _ROOT, player, stop, mode, by, self.kept, self._work, self._room)
        else:
            self._crew.walk(player, mode, by, self._team, self._room)

    def _absorb(self, player: int, by: Floats) -> None:
        """Let shared rows learn what an iteration summed up for them."""
        if self.game.buckets is None:
            return
        last = len(self.game.streets) - 1
        start = int(self.game.tables.meta[last, player, Meta.KEPT])
        span = slice(start, start + self.game.kept_part(last, player))
        regret, average = self.kept.regret[span], self.kept.average[span]
        regret *= np.where(regret > 0, np.float32(by[0]), np.float32(by[1]))
        average *= np.float32(by[2])
        for kept in self._team:
            regret += kept.new_regret[span]
            average += kept.new_average[span]
            kept.new_regret[span] = 0
            kept.new_average[span] = 0

    def hand_values(self, player: int, mode: int) -> Floats:
        """Each hand's value [K] against the other's average: by best play, or by the average's."""
        self.walk(player, mode, _KEEP)
        return self.root_values(player)

    def root_values(self, player: int) -> Floats:
        """What the last walk, this player's, found each hand to be worth [K]."""
        held = self.game.cards[0].sides[player].hand >= 0
        return self._room[: len(held)][held].astype(np.float64) / self.game.pairs

    def _total(self, player: int, mode: int) -> float:
        board = self.game.tree.streets[0][0]
        weights = self.game.tree.ranges[player][board.hands[player]]
        return float(weights @ self.hand_values(player, mode))

    def board_path(self, street: int, b: int) -> list[int]:
        """Numbers of the boards that lead to a board, itself last."""
        path = [b]
        for s in range(street, 0, -1):
            path.append(self.game.tree.streets[s][path[-1]].parent)
        return path[::-1]

    def action_values(self, street: int, b: int, player: int, mode: int = EXPECTED) -> Floats:
        """Counterfactual value [S, K] of each local sequence on a board, as a share of the pot.

        Weighed by the other player's reach and by chance, over all pairs of hands: divide by the
        mass of hands that the other may hold (and the chance of the board) for a value a hand.
        """
        side = self.game.cards[street].sides[player]
        tiles, size = int(side.start[b + 1] - side.start[b]), self.game.streets[street].size[player]
        trace = zeros(tiles * size * LANES)
        self._fill_values(self.board_path(street, b), player, mode, trace)
        values = _untile(trace, tiles, size)[:, : side.hands[b]]
        return values.astype(np.float64) / self.game.pairs

    def _fill_values(self, path: list[int], player: int, mode: int, trace: Float32s) -> None:
        """Every sequence's value [tiles, S, 16] on the board at the end of a path."""
        tables, work, room, by = self.game.tables, self._work, self._room, _KEEP[0]
        kept, street, b = self.kept, len(path) - 1, path[-1]
        for above in range(street):
            bring_down(tables, above, player, mode, by, path[above], kept, work)
        if street == len(self.game.streets) - 1:
            visit_last(tables, street, player, mode, by, b, kept, work, room, trace)
            return
        bring_down(tables, street, player, mode, by, b, kept, work)
        child = self.game.cards[street].child
        boards = np.arange(child[b], child[b + 1])
        visit(tables, street + 1, boards, player, player + 1, mode, _KEEP, kept, work, room)
        take_up(tables, street, player, mode, by, b, kept, work, room)
        start = int(tables.meta[street, player, Meta.GAIN])
        trace[:] = work[start : start + len(trace)]

    def behavior(self, street: int, b: int, player: int) -> Floats:
        """Average probability [S - L, K] of each action on a board, decision after decision.

        Row s - L belongs to local sequence s; a decision's rows sum to one.
        """
        plan, side = self.game.streets[street], self.game.cards[street].sides[player]
        rows, tiles = self.kept_rows(self.kept.average, street, b, player)
        lines = len(plan.starts)
        kept = _untile(rows, tiles, plan.size[player] - lines)
        weights = kept[:, : side.hands[b]].astype(np.float64)
        for first, actions in zip(plan.first[player], plan.actions[player], strict=True):
            span = weights[first - lines : first - lines + actions]
            total = span.sum(axis=0)
            span[:] = np.divide(span, total, out=np.full(span.shape, 1 / actions), where=total > 0)
        return weights

    def kept_rows(self, kept: Float32s, street: int, b: int, player: int) -> tuple[Float32s, int]:
        """A board's part of the regrets or averages, [tiles, S - L, 16] flat, and its tiles."""
        meta, side = self.game.tables.meta[street, player], self.game.cards[street].sides[player]
        tiles = int(side.start[b + 1] - side.start[b])
        width = int(meta[Meta.ROWS]) * LANES
        start = int(meta[Meta.KEPT] + meta[Meta.LINES] * LANES) + int(side.start[b]) * width
        return kept[start : start + tiles * width], tiles

    def exploitability(self) -> float:
        """Mean of both players' best-response gains, as a share of the pot."""
        return (self._total(0, BEST) + self._total(1, BEST)) / 2

    def value(self) -> float:
        """Player 0's share of the pot beyond half of it, when both follow the average."""
        return self._total(0, EXPECTED)

    def profile(self) -> Profile:
        """The average strategies as a profile of the dense game."""
        if any(len(b.images) > 1 or b.weight > 1 for bs in self.game.tree.streets for b in bs):
            raise GameError("a profile needs every board apart: build the cards without symmetry")
        sides = []
        for player in (0, 1):
            where = spread(self.game, player)
            behavior = np.ones(where.size)
            for street, boards in enumerate(self.game.tree.streets):
                for b in range(len(boards)):
                    part = self.behavior(street, b, player).ravel()
                    behavior[where.base[street][b] : where.base[street][b] + len(part)] = part
            sides.append(behavior)
        return Profile((sides[0], sides[1]))

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        return {
            "iteration": np.array([self.iteration]),
            "regret": self.kept.regret,
            "average": self.kept.average,
            "locked": self.kept.locked,
        }

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        self.kept.regret[:] = arrays["regret"]
        self.kept.average[:] = arrays["average"]
        self.kept.locked[:] = arrays["locked"]


class KeepingBoardCFR(BoardCFR):
    """The same, ending with the best average that was measured.

    On large stakes a strategy may become far worse again: an infoset that is hardly reached, and
    hardly learned, may cost a thousand pots.
    """

    _best: Float32s | None = None

    def keep(self) -> None:
        """Remember the average as it is."""
        self._best = self.kept.average.copy()

    def fall_back(self) -> None:
        """Take the average that was remembered, if any."""
        if self._best is not None:
            self.kept.average[:] = self._best


def _untile(rows: Float32s, tiles: int, size: int) -> Float32s:
    """Rows [tiles, size, 16] as [size, tiles * 16]."""
    return rows.reshape(tiles, size, LANES).transpose(1, 0, 2).reshape(size, tiles * LANES)


class _Crew:
    """Threads that share the boards below the root; each has its own boards in flight."""

    def __init__(self, game: CardGame, threads: int) -> None:
        self.tables = game.tables
        self.work = [zeros(game.work_size) for _ in range(threads)]
        boards = np.arange(len(game.tree.streets[1]))
        self.shares = [boards[i::threads] for i in range(threads)]
        self.pool = ThreadPoolExecutor(threads - 1)

    def walk(self, player: int, mode: int, by: Floats, team: list[Kept], room: Float32s) -> None:
        """One player's walk over all boards; the root's own work is the first thread's."""
        tables, first, kept = self.tables, self.work[0], team[0]
        meta = tables.meta[0, player]
        reaches, gains = slice(0, meta[Meta.SIGMA]), slice(meta[Meta.GAIN], meta[Meta.LANES_IN])
        bring_down(tables, 0, player, mode, by[0], 0, kept, first)
        for work in self.work[1:]:
            work[reaches] = first[reaches]
            work[gains] = 0
        stop, parts = player + 1, list(zip(self.shares, team, self.work, strict=True))
        walks = [
            self.pool.submit(visit, tables, 1, share, player, stop, mode, by, own, work, room)
            for share, own, work in parts[1:]
        ]
        share, own, work = parts[0]  # the calling thread's
        visit(tables, 1, share, player, stop, mode, by, own, work, room)
        for walk in walks:
            walk.result()
        for work in self.work[1:]:
            first[gains] += work[gains]
        take_up(tables, 0, player, mode, by[0], 0, kept, first, room)
