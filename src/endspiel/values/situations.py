"""Where a flop ends and a turn begins, drawn at random: a board, the stacks in pots, both ranges.

Half of the ranges come from hands that a blueprint plays against itself, a quarter from the same
with every hand's weight disturbed, a quarter from DeepStack's draw: probability is split at random
between the weaker and the stronger half of the hands, and so on down to single hands. Half of the
played hands keep their stacks; the others have any, as where a flop's bets made the pot larger.
"""

from typing import Final, NamedTuple

import numpy as np

from endspiel.arrays import Float64s
from endspiel.betting.tree import CHANCE, DECISION
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_index
from endspiel.cards.equity import equities
from endspiel.cards.live import live_hands
from endspiel.cards.removal import can_meet
from endspiel.cards.streets import BOARD_CARDS, TURN
from endspiel.ranges.line import ranges_along, tree_line

KINDS: Final = ("played", "disturbed", "drawn")
SHARES: Final = (0.5, 0.25, 0.25)  # of each kind
DEPTHS: Final = (
    0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.5, 6.0, 9.0, 13.0, 20.0, 33.0, 50.0, 99.5,
)  # fmt: skip
# Stacks behind, in pots: few, so that many turns share one tree; a net reads the depths between.
_KEPT_DEPTHS: Final = 0.5  # share of played hands whose stacks are those that were played
_DISTURBANCE: Final = 1.5  # standard deviation of a weight's logarithm


class Situation(NamedTuple):
    """The end of a flop, with the turn's card or without it."""

    board: tuple[int, ...]
    depth: float  # stacks behind, in pots
    ranges: Float64s  # [2, 1326] each adds up to one; out of position first
    kind: str = "drawn"


def draw_board(cards: int, rng: np.random.Generator) -> tuple[int, ...]:
    """So many cards of the deck."""
    return tuple(int(card) for card in rng.permutation(NUM_CARDS)[:cards])


def draw_situation(
    blueprint: Blueprint,
    rng: np.random.Generator,
    flop: tuple[int, ...] | None = None,
    street: int = TURN,
) -> Situation:
    """One situation of any kind where a street begins; of a flop's end, without the turn's card."""
    kind = KINDS[rng.choice(len(KINDS), p=SHARES)]
    while True:
        board = flop or draw_board(BOARD_CARDS[street], rng)
        if kind == "drawn":
            found = float(rng.choice(DEPTHS)), drawn_ranges(board, rng)
        else:
            played = played_ranges(blueprint, board, rng, street)
            if played is None:
                continue
            kept = rng.random() < _KEPT_DEPTHS
            found = nearest_depth(played[0]) if kept else float(rng.choice(DEPTHS)), played[1]
            if kind == "disturbed":
                noise = np.exp(_DISTURBANCE * rng.standard_normal((2, NUM_HANDS)))
                found = found[0], found[1] * noise
        ranges = found[1] / found[1].sum(axis=1, keepdims=True)
        if can_meet(ranges[0], ranges[1]):
            return Situation(board, found[0], ranges, kind)


def nearest_depth(depth: float) -> float:
    """The depth of the table that is nearest, by their ratio."""
    return min(DEPTHS, key=lambda known: abs(np.log(known / max(depth, 1e-6))))


def drawn_ranges(board: tuple[int, ...], rng: np.random.Generator) -> Float64s:
    """Two of DeepStack's random ranges: [2, 1326]."""
    equity = equities(live_hands(board), board)
    order = np.argsort(equity, kind="stable")[: np.count_nonzero(~np.isnan(equity))]
    ranges = np.zeros((2, NUM_HANDS))
    for weights in ranges:
        weights[order] = _split(len(order), rng)
    return ranges


def _split(count: int, rng: np.random.Generator) -> Float64s:
    """Shares [count] of one, by halving: neighbors are alike, and no share is typical."""
    shares, starts = np.ones(1), np.array([0, count])
    while len(shares) < count:
        sizes = np.diff(starts)
        middles = starts[:-1] + sizes // 2
        lower = shares * np.where(sizes > 1, rng.random(len(shares)), 0.0)
        bounds = np.stack([starts[:-1], middles], axis=1).ravel()
        parts = np.stack([lower, shares - lower], axis=1).ravel()
        some = np.diff(np.append(bounds, count)) > 0
        shares, starts = parts[some], np.append(bounds[some], count)
    return shares


def played_ranges(
    blueprint: Blueprint, board: tuple[int, ...], rng: np.random.Generator, street: int = TURN
) -> tuple[float, Float64s] | None:
    """Stacks in pots and ranges [2, 1326] where a street begins in one hand that a blueprint plays.

    None if the hand ended before.

    Hands are dealt, so lines come as often as they are played.
    """
    tree = blueprint.tree
    cards = rng.choice([c for c in range(NUM_CARDS) if c not in board], 4, replace=False)
    hands = [hand_index(*sorted(map(int, cards[2 * p : 2 * p + 2]))) for p in (0, 1)]
    node = 0
    while tree.street[node] < street:
        if tree.kind[node] == CHANCE:
            node = int(tree.first_child[node])
        elif tree.kind[node] == DECISION:
            shares = _chances(blueprint, node, board)[:, hands[tree.player[node]]]
            taken = rng.choice(len(shares), p=shares / shares.sum())
            node = int(tree.first_child[node]) + int(taken)
        else:
            return None
    if tree.kind[node] != DECISION:
        return None  # all in
    line = tree_line(tree, node, lambda at: _chances(blueprint, at, board))
    ranges = np.stack([one.weights for one in ranges_along(board, line)])
    spent = int(tree.spent[node].max())
    return (tree.stack - spent) / (tree.pot + 2 * spent), ranges


def _chances(blueprint: Blueprint, node: int, board: tuple[int, ...]) -> Float64s:
    """How often each action is taken with each hand: [A, 1326]."""
    seen = board[: BOARD_CARDS[blueprint.tree.street[node]]]
    return np.asarray(blueprint.hands(node, seen), dtype=np.float64)
