"""Endgames inside spots on real cards, solved safely on any backend and put back into the spot."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from endspiel.cards.live import live_numbers
from endspiel.cards.text import parse_board
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import Refinement, Refiner, construct, refine
from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.techniques import named
from endspiel.engine.backend import Backend
from endspiel.engine.gadget import GadgetSolve, Terms
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.game import Game, Profile, Sparse, TerminalGroup
from endspiel.games.card_game import CardGame
from endspiel.games.dense import dense_game, spread
from endspiel.gpu.backend import StreamBackend
from endspiel.gpu.machine import Kind
from endspiel.kernels.arrays import Floats
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.firstorder.cfr import PlexBackend
from endspiel.solvers.solve import solve
from tests.games.spots import menu_sizing, small_game

SCHEME = SPOT_SCHEMES["dcfr"]
STEPS, MOST = 500, 20_000  # iterations between two measurements of a gadget, and in all
Behavior = Callable[[int, int, int], Floats]  # by street, board and player: [S - L, K]


def boards(game: CardGame, threads: int = 1) -> tuple[Backend, Behavior]:
    backend = BoardBackend(game, threads)
    return backend, backend.store.behavior


def treeplex(game: CardGame) -> tuple[Backend, Behavior]:
    dense, zero = dense_game(game), np.zeros(1, dtype=np.int64)
    group = TerminalGroup(Sparse(dense.matrix), np.ones(1), zero, zero)
    backend = PlexBackend(replace(dense, groups=[group]))

    def behavior(street: int, b: int, player: int) -> Floats:
        rows = game.streets[street].size[player] - len(game.streets[street].starts)
        shape = rows, len(game.tree.streets[street][b].hands[player])
        start = spread(game, player).base[street][b]
        found = backend.learners[player].average_behavior()
        return found[start : start + shape[0] * shape[1]].reshape(shape)

    return backend, behavior


def streams(game: CardGame) -> tuple[Backend, Behavior]:
    backend = StreamBackend(game)

    def behavior(street: int, b: int, player: int) -> Floats:
        sums, own = backend.batch.read(Kind.AVERAGE, (0, street, b, player)), game.streets[street]
        found = np.empty_like(sums)
        for at, actions in zip(own.first[player], own.actions[player], strict=True):
            rows = slice(at - len(own.starts), at - len(own.starts) + actions)
            total = sums[rows].sum(axis=0)
            share = sums[rows] / np.where(total > 0, total, 1)
            found[rows] = np.where(total > 0, share, 1 / actions)
        return found

    return backend, behavior


BACKENDS: dict[str, Callable[[CardGame], tuple[Backend, Behavior]]] = {
    "treeplex": treeplex,
    "boards": boards,
    "boards on threads": partial(boards, threads=2),
    "streams": streams,
}


def entry_values(problem: Problem, profile: Profile) -> Floats:
    """What the opponent can get at each entry [Q] against the spot's strategy."""
    entered, behavior = problem.entered, profile.behavior[problem.player]
    return entered.values(entered.cut.behavior(problem.player, behavior))


@dataclass(frozen=True, eq=False)
class CardEndgame:
    """What follows a line of a spot, as a part of the spot's dense game and as a game on boards."""

    whole: CardGame
    line: str

    @classmethod
    def random(cls, board: str, line: str, hands: int, bets: str = "100%") -> "CardEndgame":
        """On a board, with some hands of random weights for each player."""
        rng = np.random.default_rng(hands)
        live, ranges = live_numbers(parse_board(board)), np.zeros((2, 1326))
        for weights in ranges:
            weights[rng.choice(live, hands, replace=False)] = rng.random(hands) + 0.1
        return cls(small_game(board, (ranges[0], ranges[1]), menu_sizing(bets, "100%")), line)

    @cached_property
    def dense(self) -> Game:
        return dense_game(self.whole, named=True)

    @cached_property
    def part(self) -> CardGame:
        """The endgame on boards, in the spot's units."""
        betting = self.whole.betting
        return CardGame(betting, self.whole.tree, betting.find(self.line), float(betting.pot))

    @cached_property
    def base(self) -> Profile:
        """A crude strategy of the spot."""
        return solve(self.dense, "cfr+", iterations=5).profile

    def problem(self, player: int) -> Problem:
        def inside(_: int, name: str) -> bool:
            return f"{name.split(':')[1]} ".startswith(f"{self.line} ")

        return Problem(Endgame.where(self.dense, inside), player, self.base)

    def terms(self, player: int, technique: str) -> Terms:
        found = construct(self.problem(player), named(technique)).terms
        assert found is not None
        return found

    def solve(
        self, kind: str, problem: Problem, terms: Terms, gap: float
    ) -> tuple[GadgetSolve, Profile]:
        """The gadget solved on a backend to a gap, and the spot's strategies with its solution."""
        backend, behavior = BACKENDS[kind](self.part)
        backend.set_root(problem.player, problem.entered.mass)
        gadget = GadgetSolve(backend, SCHEME, problem.player, terms)
        while gadget.iteration == 0 or gadget.gap() > gap:
            gadget.advance(STEPS)
            assert gadget.iteration < MOST
        return gadget, self._put_back(problem, behavior)

    def refiner(self, kind: str, technique: str, gap: float) -> Refiner:
        """Problems of this line solved on a backend; the `Game`'s own solution is one iteration."""

        def refined(problem: Problem) -> Refinement:
            terms = construct(problem, named(technique)).terms
            assert terms is not None
            _, profile = self.solve(kind, problem, terms, gap)
            plain = refine(problem, technique, "cfr+", Limits(iterations=1))
            return replace(plain, profile=profile, values=entry_values(problem, profile))

        return refined

    def _put_back(self, problem: Problem, behavior: Behavior) -> Profile:
        whole, part, player = self.whole, self.part, problem.player
        full = [found.copy() for found in problem.base.behavior]
        for s, (street, own) in enumerate(zip(whole.streets, part.streets, strict=True)):
            first = dict(zip(street.decisions[player], street.first[player], strict=True))
            for b, board in enumerate(whole.tree.streets[s]):
                rows, K = behavior(s, b, player), len(board.hands[player])
                start = spread(whole, player).base[s][b]
                for node, at, actions in zip(
                    own.decisions[player], own.first[player], own.actions[player], strict=True
                ):
                    found = rows[at - len(own.starts) : at - len(own.starts) + actions]
                    to = start + (first[node] - len(street.starts)) * K
                    full[player][to : to + found.size] = found.ravel()
        return Profile((full[0], full[1]))
