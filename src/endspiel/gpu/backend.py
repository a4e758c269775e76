"""Many endgames at once, each with its strategies: the engine's backend, batched.

An iteration is two halves. In p's, the stream brings down q's reaches, which are just what q's
average wants: so q's average is added to there, without reading its regrets again. Player 1's are
then those of this iteration; player 0's, in player 1's half, are already those of the next. So
player 0's average runs one ahead: it is begun with a pass of its own and not added to in the last
half. What comes out is the average of iterations 1 to T for both.

Averages are sums with growing weights, not discounted, so that adding needs no more than that.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS
from endspiel.engine.schemes import CURRENT, LONGEST_AVERAGE, Scheme
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.gpu.layout import grouped, lay_out
from endspiel.gpu.machine import Kind, Machine, Mode, Pass
from endspiel.gpu.table_kernels import fill_averages
from endspiel.gpu.tables import rows_by_hand
from endspiel.gpu.twin import Twin
from endspiel.kernels.arrays import Discounts, Float32s, Float64s, Floats, Ints
from endspiel.solvers.boards.locks import Lock
from endspiel.solvers.boards.store import street_rows
from endspiel.solvers.boards.strategy import BoardStrategy


class BoardAverages(NamedTuple):
    """Averages of some boards of one street as they lay in the batch: a copy."""

    kept: Float32s  # [B, rows of both players, W]
    hand: NDArray[np.int16]  # [2, B, W] the hand in each place
    rows: tuple[int, int]  # of each player
    weights: tuple[float, float]  # of each player's newest iteration

    def fill(self, game: CardGame, average: Float32s, street: int, first: int = 0) -> None:
        """Put them among averages from a board on, discounted to a newest weight of one."""
        for player in (0, 1):
            side = game.cards[street].sides[player]
            out = street_rows(game, average, street, player)
            start = side.start[first : first + len(self.kept) + 1]
            how = self.rows[0] if player else 0, 1 / self.weights[player]
            fill_averages(self.kept, self.hand[player], (start, side.hand), how, out)


class GameAverages(NamedTuple):
    """A game's averages: a copy."""

    streets: list[BoardAverages]

    def strategy(self, game: CardGame) -> BoardStrategy:
        """What they are in the game that they are of; in any thread."""
        found = BoardStrategy.made(game)
        for s, street in enumerate(self.streets):
            street.fill(game, found.average, s)
        return found


START = 2.0**-24  # weight of the first iteration in an average
HEAVY = 2.0**60  # a weight from which averages are scaled down
SLOTS = 13  # rows of a board in fast memory
COPIED = 1024  # boards whose averages are copied at a time
Maker = Callable[[Sequence[CardGame]], Machine]
Where = tuple[int, int, int, int]  # game, street, board, player


def numpy_machine(games: Sequence[CardGame], dtype: Any = np.float32) -> Twin:
    """A machine for games of one shape that runs anywhere."""
    return Twin(lay_out(games, lambda shape, street: SLOTS), dtype)


class StreamBatch:
    """Endgames on real cards, told apart by number, with their strategies.

    Games of different shapes run one shape after another. What `Backend` gives of its one game
    [K], this gives of each: a list by game.
    """

    longest_average = LONGEST_AVERAGE

    def __init__(self, games: Sequence[CardGame], maker: Maker = numpy_machine) -> None:
        self.games = tuple(games)
        self.machines: list[Machine] = []
        where: dict[int, tuple[Machine, int]] = {}
        for numbers in grouped(games):
            machine = maker([games[number] for number in numbers])
            self.machines.append(machine)
            for i, number in enumerate(numbers):
                where[number] = machine, i
        self._where = [where[number] for number in range(len(games))]
        self.weights = [START, START]  # of each player's newest iteration in its average
        self.is_current = False  # whether current strategies are the solution
        boards = [game.tree.streets[0][0] for game in games]
        self._roots = [
            [game.tree.ranges[p][board.hands[p]].astype(np.float64) for p in (0, 1)]
            for game, board in zip(games, boards, strict=True)
        ]

    def accept(self, scheme: Scheme) -> None:
        """Refuse a scheme that the streams do not know."""
        if scheme.predictive or not scheme.alternating:
            raise GameError("a batch knows alternating schemes without prediction")
        if scheme.solution == CURRENT and not self.is_current:
            self.is_current, self.weights = True, [1.0, 1.0]
            for machine in self.machines:
                machine.drop_averages()

    # Learning.

    def learn(self, player: int, discounts: Discounts) -> list[Float64s]:
        """One player's half of an iteration; its values [K] at the root of each game."""
        half = Pass(player, Mode.LEARN, discounts.positive, discounts.negative)
        if not self.is_current:
            self.weights[player] = self._weight(player, discounts)
            own = Pass(1 - player, Mode.FORWARD, weight=self.weights[player])
            for machine in self.machines:
                machine.run(own)
        found = self._run(half)
        self._lighten()
        return found

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        """Iterations of both players, player 0 first."""
        if self.is_current:
            halves = [(player, by) for by in schedule for player in (0, 1)]
            self._run_all([Pass(p, Mode.LEARN, by.positive, by.negative) for p, by in halves])
            return
        # Where nothing of the past counts, averages are emptied: what comes before is run first.
        cuts = [i for i, by in enumerate(schedule) if i and by.average <= 0]
        for start, stop in pairwise([0, *cuts, len(schedule)]):
            self._add_iterations(schedule[start:stop])

    def _run_all(self, passes: Sequence[Pass]) -> None:
        for machine in self.machines:
            machine.run_all(passes)

    def _add_iterations(self, schedule: Sequence[Discounts]) -> None:
        """Iterations and their averages, of which the first alone may forget all before it."""
        passes: list[Pass] = []
        for i, by in enumerate(schedule):
            if i == 0:
                self.weights[0] = self._weight(0, by)
                passes.append(Pass(1, Mode.FORWARD, weight=self.weights[0]))
            self.weights[1] = self._weight(1, by)
            passes.append(Pass(0, Mode.LEARN, by.positive, by.negative, self.weights[1]))
            ahead = 0.0
            if i + 1 < len(schedule):
                ahead = self.weights[0] = self._weight(0, schedule[i + 1])
            passes.append(Pass(1, Mode.LEARN, by.positive, by.negative, ahead))
        self._run_all(passes)
        self._lighten()

    def _weight(self, player: int, by: Discounts) -> float:
        """The weight of an iteration, from that of the one before it."""
        if by.average > 0:
            return self.weights[player] / by.average
        for machine in self.machines:  # nothing of the past counts
            machine.scale_averages(player, 0.0)
        return START

    def _lighten(self) -> None:
        """Scale averages down where weights have grown: by a power of two, which loses no bit."""
        for player in (0, 1):
            if self.weights[player] > HEAVY:
                for machine in self.machines:
                    machine.scale_averages(player, START / HEAVY)
                self.weights[player] *= START / HEAVY

    # Values at the roots, as shares of the pots.

    def _run(self, one: Pass) -> list[Float64s]:
        found = {id(machine): machine.run(one) for machine in self.machines}
        values = []
        for number, (machine, g) in enumerate(self._where):
            row = found[id(machine)][g][self.places((number, 0, 0, one.player))]
            values.append(row.astype(np.float64) / self.games[number].pairs)
        return values

    @contextmanager
    def by_current(self) -> Iterator[None]:
        """Meanwhile values are those of current strategies, though averages are kept."""
        for machine in self.machines:
            machine.measure_current(True)
        try:
            yield
        finally:
            for machine in self.machines:
                machine.measure_current(False)

    def best_values(self, player: int) -> list[Float64s]:
        """What each hand is worth by best play against the other's average."""
        return self._run(Pass(player, Mode.BEST))

    def average_values(self, player: int) -> list[Float64s]:
        """What each hand is worth when both follow their averages."""
        return self._run(Pass(player, Mode.EXPECTED))

    def line_values(self, game: int, street: int, player: int) -> Floats:
        """What lines into a street were worth to a player's hands on each board [B, L, 1326].

        In the newest values asked for, which were this player's: by chance of the board, the
        other's reach and the pot.
        """
        machine, g = self._where[game]
        layout = machine.layout.streets[street]
        boards = slice(int(layout.start[g]), int(layout.start[g + 1]))
        return rows_by_hand(machine.line_values(street)[boards], layout.tables.hand[player, boards])

    def exploitability(self) -> Float64s:
        """Mean of both players' best-response gains [G]."""
        first, second = (self._totals(p, self.best_values(p)) for p in (0, 1))
        return (first + second) / 2

    def value(self) -> Float64s:
        """Player 0's payoffs [G] when both follow their averages."""
        return self._totals(0, self.average_values(0))

    def _totals(self, player: int, values: list[Float64s]) -> Float64s:
        return np.array([r[player] @ v for r, v in zip(self._roots, values, strict=True)])

    # Roots, and what is kept: in the order of each board's own hands.

    def root(self, game: int, player: int) -> Float64s:
        """Mass [K] of each of a player's hands where a game begins."""
        return self._roots[game][player]

    def set_root(self, game: int, player: int, reach: Floats) -> None:
        """Let a player begin a game with these masses [K]; what was learned stays."""
        machine, g = self._where[game]
        self._roots[game][player] = np.asarray(reach, dtype=np.float64)
        row = np.zeros(machine.layout.streets[0].width)
        row[self.places((game, 0, 0, player))] = reach
        machine.set_root(player, g, row)

    def read(self, kind: Kind, where: Where) -> Float64s:
        """A board's regrets, or its average as sums discounted to a newest weight of one [R, K]."""
        game, street, _, player = where
        rows = self._machine(game).kept(kind, street, player, self._board(where))
        found = rows[:, self.places(where)].astype(np.float64)
        return found / self.weights[player] if kind == Kind.AVERAGE else found

    def write(self, kind: Kind, where: Where, rows: Floats, first: int = 0) -> None:
        """Put rows [R, K] in place of a board's, from row `first` on."""
        game, street, _, player = where
        machine, board = self._machine(game), self._board(where)
        scale = self.weights[player] if kind == Kind.AVERAGE else 1.0
        kept = machine.kept(kind, street, player, board)
        kept[first : first + len(rows), self.places(where)] = scale * rows
        machine.set_kept(kind, street, player, board, kept)

    def lock(self, where: Where, decision: int) -> None:
        """Let a decision of a board never learn."""
        game, street, _, player = where
        self._machine(game).lock(street, player, self._board(where), decision)

    def apply_locks(self, game: int, locks: Sequence[Lock]) -> None:
        """Hold decisions fixed: to be done before the first step, and again after the last."""
        for lock in locks:
            boards = self.games[game].tree.streets[lock.street]
            nodes = self._machine(game).layout.streets[lock.street].shape.nodes
            first = next(
                n.first for n in nodes if (n.player, n.number) == (lock.player, lock.decision)
            )
            for b in range(len(boards)) if lock.board is None else [lock.board]:
                where = (game, lock.street, b, lock.player)
                self.lock(where, lock.decision)
                for kind in Kind:
                    self.write(kind, where, lock.shares[:, boards[b].hands[lock.player]], first)

    def averages(self, game: int) -> GameAverages:
        """A copy of a game's averages, as they lie here."""
        machine, g = self._where[game]
        spans = [(int(one.start[g]), int(one.start[g + 1])) for one in machine.layout.streets]
        return GameAverages([self._averages(machine, s, span) for s, span in enumerate(spans)])

    def _averages(self, machine: Machine, s: int, span: tuple[int, int]) -> BoardAverages:
        street, boards = machine.layout.streets[s], slice(*span)
        kept = machine.kept_boards(Kind.AVERAGE, s, boards).astype(np.float32, copy=False)
        weights = self.weights[0], self.weights[1]
        return BoardAverages(kept, street.tables.hand[:, boards], street.shape.rows, weights)

    def copy_averages(self, number: int, game: CardGame, average: Float32s) -> None:
        """Put a game's averages in the order of the board kernels, some boards at a time."""
        machine, g = self._where[number]
        for s, street in enumerate(machine.layout.streets):
            begin, end = int(street.start[g]), int(street.start[g + 1])
            for first in range(begin, end, COPIED):
                part = self._averages(machine, s, (first, min(first + COPIED, end)))
                part.fill(game, average, s, first - begin)

    def retire(self, game: int) -> None:
        """Leave a game alone from now on, once all that is wanted of it has been taken."""
        machine, g = self._where[game]
        machine.retire(g)

    def close(self) -> None:
        """Give the machines' memory back."""
        for machine in self.machines:
            machine.close()

    def _machine(self, game: int) -> Machine:
        return self._where[game][0]

    def _board(self, where: Where) -> int:
        machine, g = self._where[where[0]]
        return int(machine.layout.streets[where[1]].start[g]) + where[2]

    def places(self, where: Where) -> Ints:
        """Where the hands of a board lie in a row [K], in the board's order."""
        game, street, b, player = where
        hand = self._machine(game).layout.streets[street].tables.hand[player, self._board(where)]
        place = np.zeros(NUM_HANDS, dtype=np.int64)
        place[hand[hand >= 0]] = np.flatnonzero(hand >= 0)
        found: Ints = place[self.games[game].tree.streets[street][b].hands[player]]
        return found

    def state(self) -> dict[str, Any]:
        """Everything that learning changed, as arrays."""
        found: dict[str, Any] = {"weights": np.array(self.weights)}
        for i, machine in enumerate(self.machines):
            found.update({f"{name}_{i}": array for name, array in machine.state().items()})
        return found

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.weights = arrays["weights"].tolist()
        for i, machine in enumerate(self.machines):
            machine.restore({name: arrays[f"{name}_{i}"] for name in machine.state()})


class StreamBackend:
    """One endgame by a batch's machine: a backend like any other."""

    longest_average = LONGEST_AVERAGE
    zero_sum = True

    def __init__(self, game: CardGame, maker: Maker = numpy_machine) -> None:
        self.game, self.batch = game, StreamBatch([game], maker)
        self.accept, self.iterate = self.batch.accept, self.batch.iterate
        self.state, self.restore = self.batch.state, self.batch.restore
        self.by_current = self.batch.by_current

    def root(self, player: int) -> Float64s:
        """See `Backend`."""
        return self.batch.root(0, player)

    def set_root(self, player: int, reach: Floats) -> None:
        """See `Backend`."""
        self.batch.set_root(0, player, reach)

    def learn(self, player: int, discounts: Discounts) -> Float64s:
        """See `Backend`."""
        return self.batch.learn(player, discounts)[0]

    def best_values(self, player: int) -> Float64s:
        """See `Backend`."""
        return self.batch.best_values(player)[0]

    def average_values(self, player: int) -> Float64s:
        """See `Backend`."""
        return self.batch.average_values(player)[0]
