"""A value net: a board, the depth and both ranges in, what every hand is worth out; NumPy alone.

Ranges are read and values written by buckets of hands (`standing`), the same on every
board and for every name of suits. What players win is what the other loses: the last layer takes
half of what is left over from both, weighed by their pairs of hands. Values are in pots, by
unblocked weight: of a hand that leaves half of the other's range, as of one that leaves all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.removal import unblocked_weights
from endspiel.errors import FileError
from endspiel.files import load, save
from endspiel.values.standing import BUCKETS, FACTS, stand

Float32s = NDArray[np.float32]
KIND: Final = "value net"
TURN_NET: Final = "turn.net"
FLOP_NET: Final = "flop.net"
INPUTS: Final = 2 * BUCKETS + FACTS + 2
OUTPUTS: Final = 2 * BUCKETS


class NetLayer(NamedTuple):
    """An affine map; between two of them what is negative becomes zero."""

    weight: Float32s  # [in, out]
    bias: Float32s  # [out]


class NetRows(NamedTuple):
    """Situations as a net reads them: N rows."""

    inputs: Float32s  # [N, INPUTS] ranges by bucket, facts of the board, depth in two scales
    pairs: Float32s  # [N, OUTPUTS] weight of each bucket's pairs, as a share of all pairs
    weights: Float32s  # [N, OUTPUTS] of an error: half by hands, half by pairs; 1 a player

    def take(self, chosen: NDArray[np.integer] | slice) -> "NetRows":
        """Some of the rows."""
        return NetRows(*(part[chosen] for part in self))


def make_rows(
    boards: NDArray[np.integer],  # [N, cards]
    depths: NDArray[np.floating],  # [N]
    ranges: NDArray[np.floating],  # [N, 2, 1326]
) -> NetRows:
    """Situations for a net; those of one board best follow each other."""
    count = len(boards)
    inputs = np.zeros((count, INPUTS), dtype=np.float32)
    pairs = np.zeros((count, 2, BUCKETS), dtype=np.float32)
    weights = np.zeros((count, 2, BUCKETS), dtype=np.float32)
    inputs[:, -2], inputs[:, -1] = np.log1p(depths), 1 / (1 + depths)
    for rows, board in _runs(boards):
        shares, facts, _ = stand(board)
        dealt = ranges[rows].astype(np.float32) * shares.any(axis=1)
        dealt /= np.maximum(dealt.sum(axis=2, keepdims=True), np.float32(1e-30))
        met = dealt * unblocked_weights(dealt)[:, ::-1]
        met /= np.maximum(met.sum(axis=2, keepdims=True), np.float32(1e-30))
        read = (dealt.reshape(-1, NUM_HANDS) @ shares).reshape(len(dealt), -1)
        inputs[rows, :OUTPUTS] = BUCKETS * read
        inputs[rows, OUTPUTS : OUTPUTS + FACTS] = facts
        pairs[rows] = (met.reshape(-1, NUM_HANDS) @ shares).reshape(len(dealt), 2, BUCKETS)
        hands = shares.sum(axis=0)
        weights[rows] = (pairs[rows] + hands / hands.sum()) / 2
    return NetRows(inputs, pairs.reshape(count, -1), weights.reshape(count, -1))


@dataclass(frozen=True, eq=False)
class BoardAsker:
    """A net that is asked again and again about lines of one board, for one player at a time."""

    net: "ValueNet"
    shares: Float32s  # [1326, BUCKETS]
    inputs: Float32s  # [L, INPUTS]: facts and depths stay, ranges are written over

    def __call__(self, player: int, reaches: Float32s) -> Float32s:
        """Counterfactual values [L, 1326] in pots, from reaches [L, 2, 1326] of hands not dead.

        Sums over hands of a range are those over its buckets, of which each hand has 1 in all.
        """
        lines, left = len(reaches), unblocked_weights(reaches)[:, ::-1]
        read = np.concatenate([reaches, reaches * left]).reshape(-1, NUM_HANDS) @ self.shares
        read /= np.maximum(read.sum(axis=1, keepdims=True), np.float32(1e-30))
        dealt, pairs = read.reshape(2, lines, OUTPUTS)
        np.multiply(dealt, np.float32(BUCKETS), out=self.inputs[:, :OUTPUTS])
        told = self.net.outputs(NetRows(self.inputs, pairs, pairs))
        values: Float32s = told.reshape(lines, 2, BUCKETS)[:, player] @ self.shares.T
        values *= left[:, player]
        return values


def _runs(boards: NDArray[np.integer]) -> list[tuple[slice, tuple[int, ...]]]:
    """Rows of one board that follow each other, and the board."""
    changes = np.flatnonzero((boards[1:] != boards[:-1]).any(axis=1)) + 1
    bounds = [0, *changes.tolist(), len(boards)]
    return [
        (slice(begin, end), tuple(map(int, boards[begin])))
        for begin, end in pairwise(bounds)
        if end > begin
    ]


def by_bucket(boards: NDArray[np.integer], values: Float32s) -> Float32s:
    """Values of hands [N, 2, 1326] as a net should tell them: means by bucket [N, OUTPUTS]."""
    found = np.zeros((len(boards), 2, BUCKETS), dtype=np.float32)
    for rows, board in _runs(boards):
        shares = stand(board).shares
        hands = np.maximum(shares.sum(axis=0), np.float32(1e-30))
        told = values[rows].reshape(-1, NUM_HANDS) @ shares / hands
        found[rows] = told.reshape(-1, 2, BUCKETS)
    return found.reshape(len(boards), -1)


def by_hand(boards: NDArray[np.integer], told: Float32s) -> Float32s:
    """What buckets are worth [N, OUTPUTS], as values of hands [N, 2, 1326]; 0 for dead hands."""
    found = np.zeros((len(told), 2, NUM_HANDS), dtype=np.float32)
    for rows, board in _runs(boards):
        values = told[rows].reshape(-1, BUCKETS) @ stand(board).shares.T
        found[rows] = values.reshape(-1, 2, NUM_HANDS)
    return found


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
        return by_hand(boards, self.outputs(make_rows(boards, depths, ranges)))

    def on_board(
        self, board: tuple[int, ...], depths: NDArray[np.floating]
    ) -> Callable[[int, Float32s], Float32s]:
        """Ask for lines of one board [L], whose ranges change: see `BoardAsker`."""
        nothing = np.zeros((len(depths), 2, NUM_HANDS), dtype=np.float32)
        boards = np.tile(np.array(board), (len(depths), 1))
        inputs = make_rows(boards, depths, nothing).inputs
        return BoardAsker(self, stand(board).shares, inputs)

    def outputs(self, rows: NetRows) -> Float32s:
        """What buckets are worth: [N, OUTPUTS]."""
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
    """Outputs that add up to nothing over all pairs of hands."""
    over = (raw * rows.pairs).sum(axis=1, keepdims=True)
    found: Float32s = raw - over / 2
    return found


def new_net(cards: int, width: int, depth: int, rng: np.random.Generator) -> ValueNet:
    """An untrained net with a number of hidden layers."""
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


def shipped_net() -> ValueNet:
    """The net of flops' ends that comes with the package."""
    place = resources.files("endspiel.values") / "data" / FLOP_NET
    with resources.as_file(place) as path:
        if not path.exists():
            raise FileError(
                "no value net comes with this package: endspiel train-values makes one, "
                "to be given as net=FILE"
            )
        return load_net(path)[0]
