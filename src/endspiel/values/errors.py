"""How far a net is off: by depth, board and kind of ranges, beside two plain guesses."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_SUITS
from endspiel.cards.live import live_mask
from endspiel.cards.removal import unblocked_weights
from endspiel.values.nets import ValueNet, by_bucket, by_hand
from endspiel.values.shards import SolvedTurns
from endspiel.values.situations import KINDS
from endspiel.values.training import huber


class NetError(NamedTuple):
    """Errors of one group of turns, in pots: means over all hands that their boards leave."""

    name: str
    turns: int
    huber: float
    absolute: float
    nothing: float  # the mean of the values' own size: what guessing 0 is off
    coarse: float  # what the best values by bucket are off: the rest is the net's
    weighted: float  # hands counted by how often they meet: what play sees

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._asdict()


def net_errors(net: ValueNet, solved: Iterable[SolvedTurns]) -> list[NetError]:
    """All turns, then by depth, by suits of the board, by kind of ranges."""
    found: list[NDArray[np.floating]] = []  # [N, 5] of each part
    names = []
    for part in solved:
        live = np.repeat(live_mask(part.boards)[:, None], 2, axis=1)
        errors = (net(part.boards, part.depths, part.ranges) - part.values) * live
        buckets = (by_hand(part.boards, by_bucket(part.boards, part.values)) - part.values) * live
        met = part.ranges * unblocked_weights(part.ranges)[:, ::-1] * live
        sizes = [huber(errors), np.abs(errors), np.abs(part.values), np.abs(buckets)]
        means = [size.sum(axis=(1, 2)) / live.sum(axis=(1, 2)) for size in sizes]
        seen = (np.abs(errors) * met).sum(axis=(1, 2)) / met.sum(axis=(1, 2))
        found.append(np.stack([*means, seen], axis=1))
        suits = [len({int(card) % NUM_SUITS for card in board}) for board in part.boards]
        names += [
            ("all", f"depth {depth:g}", f"{count} suits", KINDS[kind])
            for depth, count, kind in zip(part.depths, suits, part.kinds, strict=True)
        ]
    table = np.concatenate(found)
    groups: dict[str, list[int]] = {}
    for group in range(4):
        for at in sorted(range(len(names)), key=lambda at: _order(names[at][group])):
            groups.setdefault(names[at][group], []).append(at)
    return [
        NetError(name, len(at), *table[at].mean(axis=0).tolist()) for name, at in groups.items()
    ]


def _order(name: str) -> tuple[float, str]:
    """Depths by size, all else by name."""
    return (float(name.split()[1]) if name.startswith("depth") else 0.0), name
