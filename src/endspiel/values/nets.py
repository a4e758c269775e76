"""A value net: a board, the depth and both ranges in, what every hand is worth out; NumPy alone.

Suits are renamed so that a board is the first of its kind, and back. What players win is what the
other loses: the last layer takes half of what is left over from both, weighed by their pairs of
hands. Values are in pots, by unblocked weight: of a hand that leaves half of the other's range, as
of one that leaves all.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations, renamed_cards
from endspiel.cards.live import live_mask
from endspiel.cards.removal import unblocked_weights
from endspiel.errors import FileError
from endspiel.files import load, save

Float32s = NDArray[np.float32]
KIND: Final = "value net"
INPUTS: Final = 2 * NUM_HANDS + NUM_CARDS + 2
OUTPUTS: Final = 2 * NUM_HANDS


class NetLayer(NamedTuple):
    """An affine map; between two of them what is negative becomes zero."""

    weight: Float32s  # [in, out]
    bias: Float32s  # [out]


class NetRows(NamedTuple):
    """Situations as a net reads them: N rows, suits renamed."""

    inputs: Float32s  # [N, INPUTS] ranges times 1326, cards of the board, depth in two scales
    pairs: Float32s  # [N, OUTPUTS] weight of each hand's pairs, as a share of all pairs
    live: Float32s  # [N, OUTPUTS] 1 for hands that the board leaves

    def take(self, chosen: NDArray[np.integer] | slice) -> "NetRows":
        """Some of the rows."""
        return NetRows(*(part[chosen] for part in self))


def renaming(board: NDArray[np.integer]) -> int:
    """The renaming of suits after which a board's sorted cards come first."""
    images = np.sort(renamed_cards(board.astype(np.int64)), axis=1)
    return int(np.lexsort(images.T[::-1])[0])


def make_rows(
    boards: NDArray[np.integer],  # [N, cards]
    depths: NDArray[np.floating],  # [N]
    ranges: NDArray[np.floating],  # [N, 2, 1326]
) -> tuple[NetRows, NDArray[np.int64]]:
    """NetRows, and where each hand of a row is in the situation: [N, 1326]."""
    count = len(boards)
    boards = boards.astype(np.int64)
    names = np.array([renaming(board) for board in boards], dtype=np.int64)
    images = hand_permutations()[names].astype(np.int64)  # [N, 1326] what each hand becomes
    places = np.argsort(images, axis=1)
    inputs = np.zeros((count, INPUTS), dtype=np.float32)
    live = np.zeros((count, 2, NUM_HANDS), dtype=np.float32)
    seen = renamed_cards(boards)[names, np.arange(count)]
    for row, cards in enumerate(seen):
        live[row] = live_mask(tuple(map(int, cards)))
    renamed = np.take_along_axis(ranges, places[:, None], axis=2) * live
    renamed = renamed / np.maximum(renamed.sum(axis=2, keepdims=True), 1e-30)
    inputs[:, :OUTPUTS] = NUM_HANDS * renamed.reshape(count, -1)
    np.put_along_axis(inputs[:, OUTPUTS : OUTPUTS + NUM_CARDS], seen, 1.0, axis=1)
    inputs[:, -2], inputs[:, -1] = np.log1p(depths), 1 / (1 + depths)
    met = renamed * unblocked_weights(renamed)[:, ::-1]
    pairs = met / np.maximum(met.sum(axis=2, keepdims=True), 1e-30)
    flat = pairs.reshape(count, -1).astype(np.float32), live.reshape(count, -1)
    return NetRows(inputs, *flat), places


@dataclass(frozen=True)
class ValueNet:
    """Layers, and how many cards its boards have."""

    layers: tuple[NetLayer, ...]
    cards: int

    def __call__(
        self,
        boards: NDArray[np.integer],
        depths: NDArray[np.floating],
        ranges: NDArray[np.floating],
    ) -> Float32s:
        """What hands are worth in pots, by unblocked weight: [N, 2, 1326]; 0 for dead hands."""
        rows, places = make_rows(boards, depths, ranges)
        found = self.outputs(rows).reshape(len(rows.inputs), 2, NUM_HANDS)
        back = np.empty_like(found)
        np.put_along_axis(back, np.broadcast_to(places[:, None], found.shape), found, axis=2)
        return back

    def outputs(self, rows: NetRows) -> Float32s:
        """Outputs [N, OUTPUTS], suits as in the rows."""
        return zero_sum(self.passes(rows)[-1], rows)

    def passes(self, rows: NetRows) -> list[Float32s]:
        """What goes into each layer, and what comes out of the last."""
        found = [rows.inputs]
        for number, (weight, bias) in enumerate(self.layers):
            if number:
                found[-1] = np.maximum(found[-1], 0)
            found.append(found[-1] @ weight + bias)
        return found


def zero_sum(raw: Float32s, rows: NetRows) -> Float32s:
    """Outputs that add up to nothing over all pairs of hands, dead hands at 0."""
    over = (raw * rows.pairs).sum(axis=1, keepdims=True)
    found: Float32s = (raw - over / 2) * rows.live
    return found


def new_net(cards: int, width: int, depth: int, rng: np.random.Generator) -> ValueNet:
    """A net of so many hidden layers that has learned nothing."""
    sizes = [INPUTS, *[width] * depth, OUTPUTS]
    layers = []
    for fan, out in pairwise(sizes):
        scale = np.sqrt(2 / fan) if out != OUTPUTS else 0.01 / np.sqrt(fan)
        weight = (scale * rng.standard_normal((fan, out))).astype(np.float32)
        layers.append(NetLayer(weight, np.zeros(out, dtype=np.float32)))
    return ValueNet(tuple(layers), cards)


def save_net(path: str | Path, net: ValueNet, record: dict[str, object]) -> None:
    """Write a net, its numbers in 16 bits, with what is known of it."""
    arrays: dict[str, NDArray[np.floating]] = {}
    for number, (weight, bias) in enumerate(net.layers):
        arrays[f"weight{number}"] = weight.astype(np.float16)
        arrays[f"bias{number}"] = bias
    save(path, KIND, {**record, "cards": net.cards, "layers": len(net.layers)}, arrays)


def load_net(path: str | Path) -> tuple[ValueNet, dict[str, object]]:
    """Read a net and what is known of it."""
    record, arrays = load(path, KIND)
    layers, into = [], INPUTS
    for number in range(int(record.get("layers", 0))):
        weight, bias = (arrays.get(f"{part}{number}") for part in ("weight", "bias"))
        if weight is None or bias is None or weight.shape != (into, len(bias)):
            raise FileError(f"{path}: layer {number} of the net does not fit the one before it")
        into = len(bias)
        layers.append(NetLayer(weight.astype(np.float32), bias.astype(np.float32)))
    if into != OUTPUTS or not layers:
        raise FileError(f"{path}: the net does not end with a value for every hand")
    return ValueNet(tuple(layers), int(record["cards"])), record
