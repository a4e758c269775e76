"""How far a net is off: by depth, board and kind of ranges, beside two plain guesses."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from endspiel.cards.deck import NUM_SUITS
from endspiel.values.nets import ValueNet
from endspiel.values.shards import SolvedTurns
from endspiel.values.situations import KINDS
from endspiel.values.training import huber


class NetError(NamedTuple):
    """Errors of one group of turns, over all hands that their boards leave."""

    name: str
    turns: int
    huber: float
    absolute: float  # mean, in pots
    nothing: float  # the mean of the values' own size: what guessing 0 is off
    weighted: float  # mean, hands counted by how often they meet: what play sees

    def record(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._asdict()


def net_errors(net: ValueNet, solved: Iterable[SolvedTurns]) -> list[NetError]:
    """All turns, then by depth, by suits of the board, by kind of ranges."""
    losses, sizes, guesses, weighed, names = [], [], [], [], []
    for part in solved:
        rows, targets = part.rows()
        errors = (net.outputs(rows) - targets) * rows.live
        hands = rows.live.sum(axis=1)
        losses.append(huber(errors).sum(axis=1) / hands)
        sizes.append(np.abs(errors).sum(axis=1) / hands)
        guesses.append(np.abs(targets).sum(axis=1) / hands)
        weighed.append((np.abs(errors) * rows.pairs).sum(axis=1) / 2)
        suits = [len({int(card) % NUM_SUITS for card in board}) for board in part.boards]
        names += [
            ("all", f"depth {depth:g}", f"{count} suits", KINDS[kind])
            for depth, count, kind in zip(part.depths, suits, part.kinds, strict=True)
        ]
    columns = [np.concatenate(column) for column in (losses, sizes, guesses, weighed)]
    groups: dict[str, list[int]] = {}
    for group in range(4):
        for at in sorted(range(len(names)), key=lambda at: _order(names[at][group])):
            groups.setdefault(names[at][group], []).append(at)
    return [
        NetError(name, len(at), *(float(column[at].mean()) for column in columns))
        for name, at in groups.items()
    ]


def _order(name: str) -> tuple[float, str]:
    """Depths by size, all else by name."""
    return (float(name.split()[1]) if name.startswith("depth") else 0.0), name
