"""One line on many flops at once, solved to the flop's end with a value net behind, in 32 bits.

It is `depth.DepthLimited` for flops side by side: a row has the hands of every flop one after the
other, so that one product of matrices asks the net about all of them. Ranges of hands are read into
the four buckets that each stands in, which is a hundredth of the work of the whole matrix.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.arrays import Float32s
from endspiel.betting.streets import cut_streets
from endspiel.betting.tree import BettingTree
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weights
from endspiel.cards.run_outs import run_out_shares
from endspiel.errors import GameError
from endspiel.kernels.arrays import Discounts
from endspiel.solvers.boards.plans import BOTH, StreetBackend
from endspiel.values.flop_kernels import RUN_OUTS, NearBuckets, read_ranges, run_out, spread_values
from endspiel.values.nets import OUTPUTS, NetRows, ValueNet
from endspiel.values.standing import BUCKETS, FACTS, stand

NEAR = 4  # buckets that a hand stands in


class FlopPlace(NamedTuple):
    """A flop as the solve needs it."""

    board: tuple[int, ...]
    buckets: NDArray[np.int16]  # [1326, NEAR]
    shares: Float32s  # [1326, NEAR] of each hand in these buckets
    facts: Float32s  # [FACTS]
    live: Float32s  # [1326] 1 for hands that the board leaves
    equity: Float32s  # [1326] against a random hand; 0 for dead hands


@lru_cache(maxsize=2048)
def flop_place(board: tuple[int, ...]) -> FlopPlace:
    """Where the hands of a flop stand."""
    standing = stand(board)
    near = np.argpartition(standing.shares, -NEAR, axis=1)[:, -NEAR:]
    shares = np.take_along_axis(standing.shares, near, axis=1)
    live, equity = live_hands(board).astype(np.float32), standing.equity
    return FlopPlace(board, near.astype(np.int16), shares, standing.facts, live, equity)


class _Lines(NamedTuple):
    """Lines that go on after the flop, by number."""

    open: list[int]  # chips are behind: a net values them
    over: list[int]  # players are all in
    pots: list[float]  # of all lines, in units of the pot on the flop


class ManyFlops(StreetBackend):
    """A line's flops and what was learned on them; payoffs are in pots."""

    def __init__(self, tree: BettingTree, flops: Sequence[FlopPlace], net: ValueNet) -> None:
        street, *later = cut_streets(tree)
        unit = float(tree.pot + tree.spent[0].sum())
        self.flops, self.net = flops, net
        width = len(flops) * NUM_HANDS
        super().__init__(street, np.arange(width), [np.zeros(1)] * len(BOTH), unit)
        # The backend's arithmetic keeps the precision of its arrays: here it is that of the net.
        sizes = [(size - 1, width) for size in street.size]
        narrow: Any = [[np.zeros(size, np.float32) for size in sizes] for _ in BOTH]
        self.regret, self.average = narrow
        if any(end.folder < 0 for end in street.terminals):
            raise GameError("a street with showdowns is the last: solve it to the end")
        starts = later[0].starts if later else []
        pots = [float(tree.pot + tree.spent[node].sum()) for node in starts]
        behind = [float(tree.stack - tree.spent[node].max()) for node in starts]
        self.lines = _Lines(
            [n for n, chips in enumerate(behind) if chips > 0],
            [n for n, chips in enumerate(behind) if chips <= 0],
            [pot / unit for pot in pots],
        )
        depths = np.array([behind[n] / pots[n] for n in self.lines.open], dtype=np.float32)
        self._inputs = np.zeros((len(flops), len(depths), 2 * BUCKETS + FACTS + 2), np.float32)
        self._inputs[:, :, -2], self._inputs[:, :, -1] = np.log1p(depths), 1 / (1 + depths)
        for at, flop in enumerate(flops):
            self._inputs[at, :, OUTPUTS:-2] = flop.facts
        self._near = NearBuckets(
            np.stack([flop.buckets for flop in flops]),
            np.stack([flop.shares for flop in flops]),
            NEAR,
        )
        self._live = np.stack([flop.live for flop in flops])
        self._wins = [run_outs(flop.board) for flop in flops if self.lines.over]

    def set_ranges(self, ranges: Sequence[NDArray[np.floating]]) -> None:
        """Let both players come with ranges [1326] of hands."""
        for player in BOTH:
            held: Any = self._live * ranges[player].astype(np.float32)
            self.ranges[player] = held.reshape(-1)

    def line_values(
        self, player: int, mode: int, reaches: list[Any], discounts: Discounts | None
    ) -> Any:
        count = len(self.flops)
        found = np.zeros(reaches[0].shape, dtype=np.float32)
        if self.lines.open:
            coming = [
                np.ascontiguousarray(
                    rows[self.lines.open].reshape(-1, count, NUM_HANDS).transpose(1, 0, 2)
                )
                for rows in reaches
            ]  # [F, L, 1326]
            left = [unblocked_weights(coming[1 - each]) for each in BOTH]
            inputs = self._inputs
            lines = inputs.shape[1]
            pairs = np.zeros((count, lines, OUTPUTS), np.float32)
            for each in BOTH:
                span = slice(each * BUCKETS, (each + 1) * BUCKETS)
                read_ranges(self._near, coming[each], left[each], span, inputs, pairs)
            rows = NetRows(
                inputs.reshape(count * lines, -1), pairs.reshape(count * lines, -1), pairs
            )
            of_bucket = self.net.outputs(rows).reshape(count, lines, 2, BUCKETS)[:, :, player]
            spread_values(self._near, np.ascontiguousarray(of_bucket), left[player])
            worth = left[player].transpose(1, 0, 2).reshape(lines, -1)
            for row, number in enumerate(self.lines.open):
                found[number] = worth[row] * np.float32(self.lines.pots[number])
        for at, wins in enumerate(self._wins):
            span = slice(at * NUM_HANDS, (at + 1) * NUM_HANDS)
            theirs = np.ascontiguousarray(reaches[1 - player][self.lines.over, span])
            won = run_out(theirs, wins)
            for row, number in enumerate(self.lines.over):
                found[number, span] = won[row] * np.float32(self.lines.pots[number] / 2)
        return found

    def _ends(self, player: int, theirs: Any, lines: Any) -> Any:
        """See `StreetBackend`; hands of other flops never meet."""
        values = np.zeros((self.street.size[player], len(self.hands)), np.float32)
        for end in self.street.terminals:
            met = unblocked_weights(theirs[end.seqs[1 - player]].reshape(-1, NUM_HANDS))
            values[end.seqs[player]] += np.float32(end.gain(player) / self.unit) * met.reshape(-1)
        for sequence, value in zip(self._lines[player], lines, strict=True):
            values[sequence] += value
        return values


@lru_cache(maxsize=256)
def run_outs(board: tuple[int, ...]) -> NDArray[np.int16]:
    """On how many run-outs the column's hand wins against the row's, less those that it loses."""
    found: NDArray[np.int16] = np.rint(RUN_OUTS * run_out_shares(board).T).astype(np.int16, "C")
    return found
