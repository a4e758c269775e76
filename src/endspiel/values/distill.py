"""The end of a flop, valued over all turns by the turn's net: what a flop's net is taught.

A turn card comes for 45 of the 49 cards left, given two hands. What a hand is worth at the flop's
end, by the weight w it may meet there, is the mean over turns of its value there times the weight
w' that it may still meet, by w:  v = sum over turns of v' w' / (45 w).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float32s
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.cards.live import live_mask
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.streets import FLOP_CARDS
from endspiel.values.nets import NetRows, ValueNet, by_bucket, make_rows
from endspiel.values.situations import Situation, draw_board, draw_situation

TURNS: Final = 45  # that two given hands leave
ON_A_FLOP: Final = 32  # situations of one board, which share the work of its turns


class FlopEnds(NamedTuple):
    """Ends of flops and what the turn's net says of them, as a net reads them: N rows."""

    inputs: Float32s  # see `NetRows`
    pairs: Float32s
    weights: Float32s
    targets: Float32s  # [N, OUTPUTS]

    @property
    def rows(self) -> NetRows:
        """What a net reads."""
        return NetRows(self.inputs, self.pairs, self.weights)


def over_turns(
    net: ValueNet, flop: tuple[int, ...], depths: NDArray[np.floating], ranges: Float32s
) -> Float32s:
    """What hands are worth in pots where a flop ends, by unblocked weight: both [N, 2, 1326]."""
    ranges = ranges * live_mask(flop)
    met = unblocked_weights(ranges)[:, ::-1]
    total = np.zeros_like(ranges)
    for card in (card for card in range(NUM_CARDS) if card not in flop):
        left = ~(hand_cards() == card).any(axis=1)  # [1326]
        there = ranges * left
        boards = np.tile((*flop, card), (len(ranges), 1))
        meets = unblocked_weights(there)[:, ::-1] * left
        total += net(boards, depths, there) * meets
    found: Float32s = np.where(met > 1e-9, total / np.maximum(TURNS * met, 1e-9), 0)
    return found.astype(np.float32)


def flop_ends(net: ValueNet, flop: tuple[int, ...], situations: Sequence[Situation]) -> FlopEnds:
    """Situations of one flop, and what hands are worth in them."""
    boards = np.tile(flop, (len(situations), 1))
    depths = np.array([one.depth for one in situations])
    ranges = np.stack([one.ranges for one in situations]).astype(np.float32)
    values = over_turns(net, flop, depths, ranges)
    return FlopEnds(*make_rows(boards, depths, ranges), by_bucket(boards, values))


def draw_flop_ends(
    net: ValueNet, blueprint: Blueprint, rows: int, rng: np.random.Generator
) -> FlopEnds:
    """So many ends of flops drawn at random, some on each flop."""
    parts = []
    for begun in range(0, rows, ON_A_FLOP):
        flop, count = draw_board(FLOP_CARDS, rng), min(ON_A_FLOP, rows - begun)
        drawn = [draw_situation(blueprint, rng, flop) for _ in range(count)]
        parts.append(flop_ends(net, flop, drawn))
    return FlopEnds(*(np.concatenate(column) for column in zip(*parts, strict=True)))
