"""Flops of limit hold'em solved to the end, all hands, turns and rivers, for a book.

Every line into a flop is solved with the ranges that a blueprint leads to, each hand with a little
weight at least, so that one solve says how both seats play. On 52 cards a line has up to 5.4
billion actions of hands on boards: 43 GB, which a GPU has.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arena.estimators.real_response import Cards, next_cards
from endspiel.arena.estimators.resolved_streams import weighed_values
from endspiel.arena.estimators.resolved_turns import Floats, TurnLine, lines_into, street_exits
from endspiel.betting.streets import cut_lines
from endspiel.blueprint.blueprint import Blueprint
from endspiel.blueprint.flop_book import SolvedFlop
from endspiel.cards.deck import NUM_HANDS
from endspiel.endgame.safe.live import LOOK, SCHEME, LiveEndgame
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.errors import GameError
from endspiel.games.board_memory import solve_bytes
from endspiel.gpu.backend import Maker, StreamBatch, numpy_machine
from endspiel.gpu.layout import game_bytes
from endspiel.gpu.machine import Kind
from endspiel.solvers.boards.plans import behavior_of
from endspiel.solvers.memory import check_memory

Float32s = NDArray[np.float32]
PREFLOP = 0


class SolvedLine(NamedTuple):
    """A line into a flop as it was solved; by player."""

    behavior: list[Floats]  # [S - 1, K] what hands do on the flop
    values: list[Floats]  # [1326] what best responders get, in chips, weighed by the other's reach
    turns: list[Floats]  # [T, L, 1326] the same on every turn; nothing where it was not asked for
    iterations: int
    gap: float  # exploitability, a share of the pot


@dataclass(frozen=True)
class BookSolver:
    """Solves flops after the lines of a limit blueprint."""

    blueprint: Blueprint
    limits: Limits
    turns: bool = False  # keep what responders get on every turn, too
    threads: int = 1

    def __post_init__(self) -> None:
        if self.blueprint.game.no_limit:
            raise GameError(
                f"a book has flops of games with fixed limits; {self.blueprint.game.name} has none"
            )

    def solve(self, flop: Cards) -> SolvedFlop:
        """Every line into a flop, one after another."""
        strategy: dict[int, Floats] = {}
        solved, about = [], []
        turns_told = [card for card, _ in next_cards(flop)]
        for node, line in self.lines(flop):
            if [board.cards[-1] for board in line.endgame.game.tree.streets[1]] != turns_told:
                raise GameError("turns are folded otherwise than by the flop's own suits")
            found = self.solve_line(line)
            strategy |= self._strategy(node, line, found)
            text = self.blueprint.tree.line(node)
            about.append(
                {"line": text, "iterations": found.iterations, "exploitability": found.gap}
            )
            solved.append(found)
        values = np.array([line.values for line in solved], np.float32).swapaxes(0, 1)
        turns = self._in_order([line.turns for line in solved]) if self.turns else None
        return SolvedFlop(strategy, values, {"lines": about}, turns)

    def solve_line(self, line: TurnLine) -> SolvedLine:
        """One line, by the board kernels."""
        endgame, solver = line.endgame, line.endgame.solver
        trace, _ = run(solver, solver.exploitability, self.limits, every=LOOK)
        return SolvedLine(
            [solver.store.behavior(0, 0, player) for player in (0, 1)],
            [endgame.weighed_values(player, line.reaches[1 - player]) for player in (0, 1)],
            [endgame.turn_values(player, line.reaches[1 - player]) for player in (0, 1)]
            if self.turns
            else [],
            solver.iteration,
            trace[-1].exploitability,
        )

    def check_room(self, endgame: LiveEndgame) -> None:
        """Refuse a line that does not fit into memory."""
        needed = solve_bytes(endgame.game, self.threads)
        check_memory(needed, None, "solving a line of a flop", "use a GPU: --device cuda")

    @property
    def starts(self) -> list[int]:
        """The node where each line into a flop begins."""
        tree = self.blueprint.tree
        found: list[int] = tree.first_child[street_exits(tree, PREFLOP)].tolist()
        return found

    def lines(self, flop: Cards) -> Iterator[tuple[int, TurnLine]]:
        """The node where each line into a flop begins, and the endgame that it is."""
        made = lines_into(self.blueprint, self.starts, flop, threads=self.threads, symmetry=True)
        for node, line in zip(self.starts, made, strict=True):
            self.check_room(line.endgame)
            yield node, line

    def _strategy(self, node: int, line: TurnLine, solved: SolvedLine) -> dict[int, Floats]:
        """What hands do on the flop [A, 1326], by decision of the blueprint's tree."""
        street, game = cut_lines(self.blueprint.tree, [node])[0], line.endgame.game
        found = {}
        for player, behavior in enumerate(solved.behavior):
            ours, theirs = street.own(player), game.streets[0].own(player)
            if [d._replace(node=0) for d in ours] != [d._replace(node=0) for d in theirs]:
                raise GameError("the betting of a flop is not that of the strategy's tree")
            hands = game.tree.streets[0][0].hands[player]
            for own in ours:
                found[own.node] = np.zeros((own.actions, NUM_HANDS))
                found[own.node][:, hands] = behavior[own.rows]
        return found

    def _in_order(self, by_line: list[list[Floats]]) -> Float32s:
        """Values on turns [2, T, L, 1326], lines into them by the tree's nodes."""
        tree = self.blueprint.tree
        nodes = [start for node in self.starts for start in cut_lines(tree, [node])[1].starts]
        turns = np.concatenate(np.array(by_line, np.float32), axis=2)
        found: Float32s = turns[:, :, np.argsort(tree.parent[nodes])]
        return found


@dataclass(frozen=True)
class BatchedBookSolver(BookSolver):
    """Solve flops by op streams, on a GPU for example."""

    maker: Maker = numpy_machine
    free: int | None = None  # bytes that the machine has, where it is not this one

    def check_room(self, endgame: LiveEndgame) -> None:
        """See `BookSolver`."""
        needed = game_bytes(endgame.game)
        check_memory(needed, self.free, "solving a line of a flop", "use a GPU that has more")

    def solve_line(self, line: TurnLine) -> SolvedLine:
        """See `BookSolver`."""
        with closing(StreamBatch([line.endgame.game], self.maker)) as batch:
            driver = Driver(batch, SCHEME)
            trace, _ = run(
                driver, lambda: float(batch.exploitability()[0]), self.limits, every=LOOK
            )
            street = batch.games[0].streets[0]
            behavior = [
                behavior_of(street, player, batch.read(Kind.AVERAGE, (0, 0, 0, player)))
                for player in (0, 1)
            ]
            values, turns = list[Floats](), list[Floats]()
            for player in (0, 1):
                values += weighed_values(batch, player, [line])
                if self.turns:  # of the same pass
                    turns.append(self._turns(batch, player, line))
        return SolvedLine(behavior, values, turns, driver.iteration, trace[-1].exploitability)

    def _turns(self, batch: StreamBatch, player: int, line: TurnLine) -> Floats:
        """What best responders get on every turn [T, L, 1326], after values by the reaches."""
        most = float(line.reaches[1 - player].max())
        scale = most * line.endgame.pot / batch.games[0].tree.chance[1]
        found: Floats = batch.line_values(0, 1, player).astype(np.float64) * scale
        return found
