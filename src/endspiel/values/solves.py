"""Turns solved to the end on all hands: what each hand is worth, for nets to learn."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.engine.schemes import SPOT_SCHEMES, Scheme
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.gpu.backend import Maker, StreamBatch
from endspiel.ranges.line import with_every_hand
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.values.situations import TURN, Situation

Float32s = NDArray[np.float32]
Floats = NDArray[np.float64]
POT: Final = 1000  # chips: stacks of a tenth of it still have whole bets
_POT_BETS: Final = StreetMenu.parse("100%", "100%")
# All-ins of many pots would take four times the iterations: they are in where they are near.
SIZING: Final = Sizing(
    (None, None, _POT_BETS, _POT_BETS),
    max_raises=3,
    add_allin_threshold=4.0,
    force_allin_threshold=0.15,
)
SIDE_BY_SIDE: Final = 64  # turns of one tree: enough to fill a GPU, 50 MB each at most
SCHEME: Final[Scheme] = SPOT_SCHEMES["dcfr"]


class TurnValues(NamedTuple):
    """What hands are worth where turns begin, in pots: N situations."""

    values: Float32s  # [N, 2, 1326] by unblocked weight of the other's range; 0 for dead hands
    exploitability: Floats  # [N] in pots


def turn_tree(depth: float) -> BettingTree:
    """The betting of turn and river with stacks in pots."""
    return no_limit_tree(POT, max(round(depth * POT), 1), TURN, SIZING)


def turn_game(situation: Situation, tree: BettingTree | None = None) -> CardGame:
    """A situation as a game; every hand that can be held is in it, if ever so lightly."""
    one, two = (with_every_hand(weights, situation.board) for weights in situation.ranges)
    cards = card_tree(situation.board, (one, two), symmetry=False)
    return CardGame(tree or turn_tree(situation.depth), cards)


def solve_turns(
    situations: Sequence[Situation], iterations: int, maker: Maker | None = None
) -> TurnValues:
    """Solve situations, by the board kernels or in batches of a machine's.

    Those of one depth have one tree, and run side by side on a GPU if they follow each other.
    """
    trees = {depth: turn_tree(depth) for depth in {one.depth for one in situations}}
    found: list[TurnValues] = []
    for _, alike in groupby(situations, key=lambda one: one.depth):
        turns = list(alike)
        for begin in range(0, len(turns), SIDE_BY_SIDE):
            some = turns[begin : begin + SIDE_BY_SIDE]
            games = [turn_game(one, trees[one.depth]) for one in some]
            if maker is None:
                found += [_solve_here(game, iterations) for game in games]
            else:
                found.append(_solve_together(games, iterations, maker))
    return TurnValues(*(np.concatenate(parts) for parts in zip(*found, strict=True)))


def _solve_here(game: CardGame, iterations: int) -> TurnValues:
    solver = BoardCFR(game, SCHEME)
    solver.advance(iterations)
    values = [by_weight(game, p, solver.backend.average_values(p)) for p in (0, 1)]
    return TurnValues(np.array([values], dtype=np.float32), np.array([solver.exploitability()]))


def _solve_together(games: list[CardGame], iterations: int, maker: Maker) -> TurnValues:
    batch = StreamBatch(games, maker)
    try:
        longest = batch.longest_average
        batch.iterate([SCHEME.at(t, longest) for t in range(1, iterations + 1)])
        rows = [batch.average_values(player) for player in (0, 1)]
        values = [
            [by_weight(game, p, rows[p][number]) for p in (0, 1)]
            for number, game in enumerate(games)
        ]
        return TurnValues(np.array(values, dtype=np.float32), batch.exploitability())
    finally:
        batch.close()


def by_weight(game: CardGame, player: int, values: Floats) -> Floats:
    """Counterfactual values [K] of the root's hands, by the weight they may meet: [1326]."""
    hands = game.tree.streets[0][0].hands
    other = np.zeros(NUM_HANDS)
    other[hands[1 - player]] = game.tree.ranges[1 - player][hands[1 - player]]
    met = exact_unblocked_weight(other)[hands[player]]
    found = np.zeros(NUM_HANDS)
    some = met > 0
    found[hands[player][some]] = values[some] * game.pairs / met[some]
    return found
