"""Learning by kernels that load what they need once, for street solvers on a graphics processor."""

from importlib import import_module
from typing import TYPE_CHECKING

from endspiel.kernels.arrays import Discounts
from endspiel.kernels.regrets import discount
from endspiel.solvers.boards.array_libraries import Tensor, load_torch

if TYPE_CHECKING:
    from endspiel.solvers.boards.street import DecisionRows, StreetSolver


class Fused:
    """A street solver's learning; see its methods of the same names.

    Showdowns keep the first 16 bits of reaches, which errs by less than a millionth in all.
    """

    def __init__(self, solver: "StreetSolver") -> None:
        self.kernels = import_module("endspiel.kernels.board_triton")
        self.solver, boards = solver, solver.boards
        self.count = boards.num_boards * boards.num_hands  # N
        self.weight = boards.weight.repeat_interleave(boards.num_hands)  # [N]
        self.reach: list[Tensor] = [None, None]  # [S, B, K]
        self.grid = self.kernels.lanes(self.count)

    def _rows(self, player: int, block: "DecisionRows") -> tuple[int, int, tuple[int, int]]:
        """A block's first row among all and among those of decisions; the programs for it."""
        return block.first, block.first - self.solver.lines, (self.grid, block.decisions)

    def down(self, player: int) -> Tensor:
        """Reaches [S, B, K] by regret matching."""
        torch, solver = load_torch(), self.solver
        boards, regret = solver.boards, solver.regret[player]
        size = solver.sides[player].size
        reach = self.reach[player]
        if reach is None:
            shape = (size, boards.num_boards, boards.num_hands)
            reach = self.reach[player] = torch.empty(shape, device=regret.device)
        reach[: solver.lines] = solver.entering(player)
        shared = solver.bucket is not None
        bucket = solver.bucket if shared else boards.hand
        stride = regret.shape[1] if shared else self.count
        width = self.kernels.WIDTH
        for block in solver.blocks[player]:
            first, row, grid = self._rows(player, block)
            self.kernels.down[grid](
                regret, reach, block.parent, bucket, first, row, self.count, stride,
                ACTIONS=block.actions, SHARED=shared, WIDTH=width,
            )  # fmt: skip
        return reach

    def _reach(self, player: int) -> Tensor:
        """Reaches as of now; regrets or ranges may have changed since they were found."""
        if self.solver.choice[player] is None:
            self.solver.choice[player] = (None, self.down(player))
        return self.solver.choice[player][1]

    def learn_boards(self, player: int, discounts: Discounts) -> Tensor:
        """One player's half of an iteration; what each hand is worth at each line [L, B, K]."""
        torch, solver, width = load_torch(), self.solver, self.kernels.WIDTH
        reach, theirs = self._reach(player), self._reach(1 - player)
        values = self._ends(player, theirs)
        regret, average = solver.regret[player], solver.average[player]
        if solver.bucket is None:
            factors = torch.tensor(discounts[:3], device=values.device, dtype=torch.float32)
        else:
            before = regret.clone()
            discount(regret, discounts)
            average *= discounts.average
        for block in reversed(solver.blocks[player]):
            first, row, grid = self._rows(player, block)
            if solver.bucket is None:
                self.kernels.up[grid](
                    values, regret, average, reach, block.parent, first, row, self.count,
                    factors, ACTIONS=block.actions, WIDTH=width,
                )  # fmt: skip
            else:
                self.kernels.up_shared[grid](
                    values, before, average, regret, reach, block.parent, solver.bucket,
                    self.weight, first, row, self.count, regret.shape[1],
                    ACTIONS=block.actions, WIDTH=width,
                )  # fmt: skip
        solver.choice[player] = None
        return values[: solver.lines]

    def _ends(self, player: int, reach: Tensor) -> Tensor:
        """See `StreetSolver._ends`."""
        torch, solver, boards = load_torch(), self.solver, self.solver.boards
        size, width = solver.sides[player].size, self.kernels.WIDTH
        values = torch.zeros((size, boards.num_boards, boards.num_hands), device=reach.device)
        shows, folds = solver.shows[player], solver.folds[player]
        ends = len(shows.own)
        if ends:
            pieces = torch.empty(
                (2 * ends, *values.shape[1:]), dtype=boards.beats.dtype, device=values.device
            )
            grid = (self.grid, ends)
            self.kernels.split[grid](
                reach, shows.other, shows.stake, pieces, ends, self.count, WIDTH=width
            )
            products = multiplied(pieces.transpose(0, 1), boards.beats)
            self.kernels.collect[(boards.num_boards, ends)](
                products, shows.own, values, ends, boards.num_hands, self.count, WIDTH=width
            )
            del pieces, products
        if len(folds.own):
            values.index_add_(0, folds.own, boards.folds(reach[folds.other] * folds.stake))
        return values


def multiplied(pieces: Tensor, beats: Tensor) -> Tensor:
    """Products [B, T, K] in 32 bits of 16-bit matrices (or of any, where there is no such unit)."""
    torch = load_torch()
    if pieces.device.type == "cuda":
        return torch.bmm(pieces, beats, out_dtype=torch.float32)
    return torch.bmm(pieces.float(), beats.float())
