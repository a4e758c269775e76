"""The end of a flop, valued over all turns by the turn's net: what a flop's net is taught.

A turn card comes for 45 of the 49 cards left, given two hands. What a hand is worth at the flop's
end, by the weight w it may meet there, is the mean over turns of its value there times the weight
w' that it may still meet, by w:  v = sum over turns of v' w' / (45 w).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.live import live_mask
from endspiel.cards.removal import unblocked_weights
from endspiel.values.nets import NetRows, ValueNet, make_rows
from endspiel.values.situations import Situation

Float32s = NDArray[np.float32]
TURNS: Final = 45  # that two given hands leave


def over_turns(net: ValueNet, flop: tuple[int, ...], depth: float, ranges: Float32s) -> Float32s:
    """What hands are worth in pots where a flop ends, by unblocked weight: [2, 1326]."""
    left = np.array([card for card in range(NUM_CARDS) if card not in flop])
    ranges = ranges * live_mask(flop)
    boards = np.column_stack([np.tile(flop, (len(left), 1)), left])
    held = (hand_cards()[None] == left[:, None, None]).any(axis=2)  # [49, 1326]
    there = np.where(held[:, None], np.float32(0), ranges)  # [49, 2, 1326]
    values = net(boards, np.full(len(left), depth), there)
    met, meets = unblocked_weights(ranges)[::-1], unblocked_weights(there)[:, ::-1]
    total = (values * meets * ~held[:, None]).sum(axis=0) / TURNS
    found: Float32s = np.where(met > 1e-9, total / np.maximum(met, 1e-9), 0).astype(np.float32)
    return found


def flop_rows(
    net: ValueNet, situations: list[Situation], rng: np.random.Generator
) -> tuple[NetRows, Float32s]:
    """Rows of flops' ends from situations, one card of each board left out; and their values."""
    count = len(situations)
    out = rng.integers(0, 4, count)
    boards = np.array(
        [[*one.board[:at], *one.board[at + 1 :]] for one, at in zip(situations, out, strict=True)]
    )
    depths = np.array([one.depth for one in situations])
    ranges = np.stack([one.ranges for one in situations]).astype(np.float32)
    rows, places = make_rows(boards, depths, ranges)
    targets = np.zeros((count, 2, NUM_HANDS), dtype=np.float32)
    for number, (board, depth) in enumerate(zip(boards, depths, strict=True)):
        found = over_turns(net, tuple(map(int, board)), float(depth), ranges[number])
        targets[number] = found[:, places[number]]
    return rows, targets.reshape(count, -1) * rows.live
