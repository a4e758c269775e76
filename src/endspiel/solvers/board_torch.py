"""The last street of a game on real cards, all its boards at once, on a graphics processor.

A twin of the board kernels for games whose last street has many boards with as many hands each,
such as every flop of flop hold'em. A board's showdowns are one matrix of -1, 0 and 1, so that all
showdowns of a street are one batched matrix product; betting is walked level by level, every board
and hand in one array. Several lines come into the street; each has its own ranges.
"""

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets
from endspiel.games.card_tree import CardTree
from endspiel.games.street_plans import Street
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.board import BEST

Tensor = Any  # torch is an optional extra, and not there to be checked against
BOARDS_AT_ONCE = 128  # of those whose showdown matrices are widened to 32 bits


def load_torch() -> Any:
    """The torch module; an error says how to get it."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise GameError("solving on a graphics processor needs torch: endspiel[gpu]") from error


class BoardTensors:
    """The boards of a card tree's last street and the hands on them, on a torch device."""

    def __init__(self, tree: CardTree, device: str) -> None:
        torch = load_torch()
        torch.backends.cuda.matmul.allow_tf32 = False
        boards = tree.streets[-1]
        hands = np.stack([board.hands[0] for board in boards])
        self.device, self.tree = torch.device(device), tree
        self.num_boards, self.num_hands = hands.shape
        self.dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.hand = self._on(hands)  # [B, K] hand numbers
        self.weight = self._on(np.array([float(b.weight) for b in boards], dtype=np.float32))
        self.incidence = self._incidence(hands, tree.deck)  # [B, K, deck] cards of each hand
        self.beats = self._beats(boards)  # [B, K, K] 1 where the row's hand beats the column's
        place = np.full((self.num_boards, NUM_HANDS), self.num_hands)
        np.put_along_axis(place, hands, np.arange(self.num_hands)[None], axis=1)
        held = tree.streets[0][0].hands[0]
        self.place = self._on(place[:, held])  # [B, H] where each hand lies; K where it is dead
        _, self.classes = np.unique(hand_classes()[held], return_inverse=True)  # [H]

    def _on(self, array: Any) -> Tensor:
        return load_torch().as_tensor(array).to(self.device)

    def _incidence(self, hands: Any, deck: int) -> Tensor:
        cards = hand_cards()[hands]  # [B, K, 2]
        marks = load_torch().zeros((*hands.shape, deck), device=self.device)
        return marks.scatter_(2, self._on(cards.astype(np.int64)), 1.0)

    def _beats(self, boards: Any) -> Tensor:
        torch = load_torch()
        strength = np.stack([board_strengths(b.cards)[b.hands[0]] for b in boards])
        ranks = self._on(strength.astype(np.int32))
        size = self.num_hands
        found = torch.empty((self.num_boards, size, size), dtype=self.dtype, device=self.device)
        for at in range(0, self.num_boards, BOARDS_AT_ONCE):
            part = slice(at, at + BOARDS_AT_ONCE)
            marks = self.incidence[part]
            apart = torch.bmm(marks, marks.transpose(1, 2)) == 0
            order = torch.sign(ranks[part, :, None] - ranks[part, None, :])
            found[part] = (order * apart).to(self.dtype)
        return found

    def showdowns(self, reach: Tensor) -> Tensor:
        """What each hand wins [T, B, K] at stakes of 1 against reaches [T, B, K] of the other."""
        torch = load_torch()
        by_board = reach.transpose(0, 1)  # [B, T, K]; rows lose where columns win, hence the sign
        if self.dtype == torch.float32:
            return -torch.bmm(by_board, self.beats).transpose(0, 1)
        found = torch.empty_like(reach)
        for at in range(0, self.num_boards, BOARDS_AT_ONCE):
            part = slice(at, at + BOARDS_AT_ONCE)
            wide = self.beats[part].float()
            found[:, part] = -torch.bmm(by_board[part], wide).transpose(0, 1)
        return found

    def folds(self, reach: Tensor) -> Tensor:
        """The reach [T, B, K] of the other's hands that share no card with each hand."""
        torch = load_torch()
        by_board = reach.transpose(0, 1)
        by_card = torch.bmm(by_board, self.incidence)
        shared = torch.bmm(by_card, self.incidence.transpose(1, 2))
        found = by_board.sum(dim=2, keepdim=True) - shared + by_board
        return found.transpose(0, 1)

    def spread(self, ranges: Tensor) -> Tensor:
        """Reaches of hands [L, 1326] on every board: [L, B, K]."""
        return ranges[:, self.hand]

    def gather(self, values: Tensor) -> Floats:
        """Values [L, B, K] of all boards as means over each suit class: [L, H]."""
        torch = load_torch()
        padded = torch.nn.functional.pad(values, (0, 1))
        index = self.place[None].expand(len(values), -1, -1)
        by_hand = torch.gather(padded, 2, index)  # [L, B, H]
        weighed = torch.einsum("lbh,b->lh", by_hand.double(), self.weight.double())
        found: Floats = weighed.cpu().numpy()
        sizes = np.bincount(self.classes)
        for row in found:
            row[:] = (np.bincount(self.classes, row) / sizes)[self.classes]
        return found


class Block(NamedTuple):
    """Decisions of one player that are as deep and have as many actions, in rows side by side."""

    first: int  # row
    decisions: int  # D
    actions: int  # A
    parent: Tensor  # [D] rows

    @property
    def rows(self) -> slice:
        return slice(self.first, self.first + self.decisions * self.actions)


class Terminals(NamedTuple):
    """Ends of lines of one kind: rows of the player's and of the other's last sequences."""

    own: Tensor  # [T]
    other: Tensor  # [T]
    stake: Tensor  # [T, 1, 1] the player's, in units, negative where it folds


class Side:
    """One player's betting on the street: its sequences in rows, incoming lines first."""

    def __init__(self, street: Street, player: int) -> None:
        self.lines, self.size = len(street.starts), street.size[player]
        self.row = np.arange(self.size)  # [S] row of each local sequence
        firsts, counts, parents = (
            getattr(street, name)[player] for name in ("first", "actions", "parent")
        )
        level = np.zeros(self.size, dtype=np.int64)
        kinds: dict[tuple[int, int], list[int]] = {}
        for d, (first, count, parent) in enumerate(zip(firsts, counts, parents, strict=True)):
            level[first : first + count] = level[parent] + 1
            kinds.setdefault((int(level[first]), count), []).append(d)
        self.blocks: list[tuple[int, list[int], int]] = []  # first row, parents, actions
        at = self.lines
        for (_, count), decisions in sorted(kinds.items()):
            self.blocks.append((at, [int(self.row[parents[d]]) for d in decisions], count))
            for d in decisions:
                self.row[firsts[d] : firsts[d] + count] = range(at, at + count)
                at += count


class StreetSolver:
    """A running solve of the last street by discounted regrets, for given ranges of each line."""

    def __init__(
        self, boards: BoardTensors, street: Street, unit: float, buckets: Buckets | None = None
    ) -> None:
        torch = load_torch()
        self.boards, self.street = boards, street
        self.sides = Side(street, 0), Side(street, 1)
        self.lines = len(street.starts)
        self._blocks = [[self._block(*block) for block in side.blocks] for side in self.sides]
        scale = boards.tree.chance[-1] / unit
        self._shows = [self._terminals(player, True, scale) for player in (0, 1)]
        self._folds = [self._terminals(player, False, scale) for player in (0, 1)]
        self.bucket = None  # [B * K]
        shape: tuple[int, ...] = (boards.num_boards, boards.num_hands)
        if buckets is not None:
            hands = boards.hand.cpu().numpy()
            of = np.take_along_axis(buckets.of, hands, axis=1).ravel()
            self.bucket = boards._on(of.astype(np.int64))
            shape = (buckets.count,)
        sizes = [side.size - self.lines for side in self.sides]
        device = boards.device
        self.regret = [torch.zeros((size, *shape), device=device) for size in sizes]
        self.average = [torch.zeros((size, *shape), device=device) for size in sizes]
        self.ranges = [torch.zeros((self.lines, NUM_HANDS), device=device) for _ in (0, 1)]
        self._choice: list[Tensor] = [None, None]  # sigma [S - L, B, K] and reach [S, B, K]
        self.fused = Fused(self) if device.type == "cuda" else None

    def _block(self, first: int, parents: list[int], actions: int) -> Block:
        return Block(first, len(parents), actions, self.boards._on(np.array(parents)))

    def _terminals(self, player: int, shown: bool, scale: float) -> Terminals:
        own, other, stakes = [], [], []
        for end in self.street.terminals:
            if (end.folder < 0) == shown:
                own.append(int(self.sides[player].row[end.seqs[player]]))
                other.append(int(self.sides[1 - player].row[end.seqs[1 - player]]))
                stakes.append(scale * (-end.stake if end.folder == player else end.stake))
        stake = np.array(stakes, dtype=np.float32)[:, None, None]
        rows = [self.boards._on(np.array(x, dtype=np.int64)) for x in (own, other)]
        if len(set(own)) < len(own):
            raise GameError("two showdowns (or folds) follow one sequence of a player")
        return Terminals(rows[0], rows[1], self.boards._on(stake))

    def set_range(self, player: int, ranges: Floats) -> None:
        """Let a player come into each line with these reaches [L, H] of its hands."""
        held = self.boards.tree.streets[0][0].hands[player]
        wide = np.zeros((self.lines, NUM_HANDS), dtype=np.float32)
        wide[:, held] = ranges
        self.ranges[player] = self.boards._on(wide)
        self._choice[player] = None

    def _down(self, player: int, kept: Tensor) -> tuple[Tensor, Tensor]:
        """Behavior [S - L, B, K] in proportion to what is kept, where positive; and reaches."""
        torch, lines = load_torch(), self.lines
        boards = self.boards
        shape = (boards.num_boards, boards.num_hands)
        sigma = torch.empty((self.sides[player].size - lines, *shape), device=boards.device)
        reach = torch.empty((self.sides[player].size, *shape), device=boards.device)
        reach[:lines] = boards.spread(self.ranges[player])
        for block in self._blocks[player]:
            rows = slice(block.first - lines, block.rows.stop - lines)
            weights = kept[rows].reshape(block.decisions, block.actions, -1).clamp(min=0)
            total = weights.sum(dim=1, keepdim=True)
            share = torch.where(total > 0, weights / total, 1 / block.actions)
            if self.bucket is not None:
                share = share[:, :, self.bucket]
            share = share.reshape(block.decisions, block.actions, *shape)
            sigma[rows].reshape(share.shape)[:] = share
            torch.mul(share, reach[block.parent][:, None], out=reach[block.rows].view(share.shape))
        return sigma, reach

    def _current(self, player: int) -> tuple[Tensor, Tensor]:
        if self._choice[player] is None:
            self._choice[player] = self._down(player, self.regret[player])
        found: tuple[Tensor, Tensor] = self._choice[player]
        return found

    def _ends(self, player: int, reach: Tensor) -> Tensor:
        """What terminals add to each of the player's sequences [S, B, K]."""
        torch, boards = load_torch(), self.boards
        shape = (self.sides[player].size, boards.num_boards, boards.num_hands)
        values = torch.zeros(shape, device=boards.device)
        shows, folds = self._shows[player], self._folds[player]
        if len(shows.own):
            values.index_add_(0, shows.own, boards.showdowns(reach[shows.other] * shows.stake))
        if len(folds.own):
            values.index_add_(0, folds.own, boards.folds(reach[folds.other] * folds.stake))
        return values

    def learn(self, player: int, by: Discounts) -> Floats:
        """One player's half of an iteration; what each hand is worth at each line [L, H]."""
        if self.fused is not None:
            return self.fused.learn(player, by)
        sigma, reach = self._current(player)
        values = self._ends(player, self._current(1 - player)[1])
        lines = self.lines
        self._remember(player, reach[lines:], by)
        for block in reversed(self._blocks[player]):
            shape = (block.decisions, block.actions, *values.shape[1:])
            rows = slice(block.first - lines, block.rows.stop - lines)
            gains = values[block.rows].view(shape)
            worth = (gains * sigma[rows].view(shape)).sum(dim=1)
            values.index_add_(0, block.parent, worth)
            self._regret(player, rows, (gains - worth[:, None]).flatten(0, 1), by)
        self._choice[player] = None
        return self.boards.gather(values[:lines])

    def _remember(self, player: int, reach: Tensor, by: Discounts) -> None:
        average = self.average[player].mul_(by.average)
        average += reach if self.bucket is None else self._pooled(reach)

    def _regret(self, player: int, rows: slice, news: Tensor, by: Discounts) -> None:
        torch = load_torch()
        regret = self.regret[player][rows]
        regret *= torch.where(regret > 0, by[0], by[1])
        regret += news if self.bucket is None else self._pooled(news)

    def _pooled(self, news: Tensor) -> Tensor:
        """Sums [n, buckets] over all hands of each bucket, boards with their multiplicity."""
        torch = load_torch()
        weighed = (news * self.boards.weight[:, None]).flatten(1)
        pooled = torch.zeros((len(news), self.regret[0].shape[1]), device=news.device)
        return pooled.index_add_(1, self.bucket, weighed)

    def values(self, player: int, mode: int) -> Floats:
        """What each hand is worth at each line [L, H] against the other's average strategy."""
        lines = self.lines
        values = self._ends(player, self._down(1 - player, self.average[1 - player])[1])
        sigma = None if mode == BEST else self._down(player, self.average[player])[0]
        for block in reversed(self._blocks[player]):
            gains = values[block.rows].view(block.decisions, block.actions, *values.shape[1:])
            if sigma is None:
                worth = gains.max(dim=1).values
            else:
                rows = slice(block.first - lines, block.rows.stop - lines)
                worth = (gains * sigma[rows].view(gains.shape)).sum(dim=1)
            values.index_add_(0, block.parent, worth)
        return self.boards.gather(values[:lines])

    def spread_average(self, player: int) -> Tensor:
        """The average's behavior [S - L, B, K] hand by hand, also where hands share buckets."""
        return self._down(player, self.average[player])[0]

    def start_from(self, player: int, behavior: Tensor, size: Floats) -> None:
        """Regrets as after one iteration of a behavior [S - L, B, K], so large [L]; no average."""
        line = np.arange(self.sides[player].size)
        for first, parents, actions in self.sides[player].blocks:
            line[first : first + len(parents) * actions] = np.repeat(line[parents], actions)
        sizes = self.boards._on(size[line[self.lines :]].astype(np.float32))
        self.regret[player] = behavior * sizes[:, None, None]
        self.average[player].zero_()
        self._choice[player] = None

    def load(self, player: int, regret: Any, average: Any) -> None:
        """Take over arrays that another solver of the same street kept."""
        self.regret[player] = self.boards._on(regret)
        self.average[player] = self.boards._on(average)
        self._choice[player] = None


class Fused:
    """Learning by kernels that load what they need once, for a solver on a graphics processor.

    Showdowns keep the first 16 bits of reaches, which errs by less than a millionth in all.
    """

    def __init__(self, solver: StreetSolver) -> None:
        self.kernels = import_module("endspiel.kernels.board_triton")
        self.solver, boards = solver, solver.boards
        self.count = boards.num_boards * boards.num_hands  # N
        self.weight = boards.weight.repeat_interleave(boards.num_hands)  # [N]
        self.reach: list[Tensor] = [None, None]  # [S, B, K]
        self.grid = self.kernels.lanes(self.count)

    def _rows(self, player: int, block: Block) -> tuple[int, int, tuple[int, int]]:
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
            reach = self.reach[player] = torch.empty(shape, device=boards.device)
        reach[: solver.lines] = boards.spread(solver.ranges[player])
        shared = solver.bucket is not None
        bucket = solver.bucket if shared else boards.hand
        stride = regret.shape[1] if shared else self.count
        width = self.kernels.WIDTH
        for block in solver._blocks[player]:
            first, row, grid = self._rows(player, block)
            self.kernels.down[grid](
                regret, reach, block.parent, bucket, first, row, self.count, stride,
                ACTIONS=block.actions, SHARED=shared, WIDTH=width,
            )  # fmt: skip
        return reach

    def _reach(self, player: int) -> Tensor:
        """Reaches as of now; regrets or ranges may have changed since they were found."""
        if self.solver._choice[player] is None:
            self.solver._choice[player] = (None, self.down(player))
        return self.solver._choice[player][1]

    def learn(self, player: int, by: Discounts) -> Floats:
        """See `StreetSolver.learn`."""
        torch, solver, width = load_torch(), self.solver, self.kernels.WIDTH
        reach, theirs = self._reach(player), self._reach(1 - player)
        values = self._ends(player, theirs)
        regret, average = solver.regret[player], solver.average[player]
        if solver.bucket is None:
            discounts = torch.tensor(by[:3], device=values.device, dtype=torch.float32)
        else:
            before = regret.clone()
            regret *= torch.where(regret > 0, by[0], by[1])
            average *= by.average
        for block in reversed(solver._blocks[player]):
            first, row, grid = self._rows(player, block)
            if solver.bucket is None:
                self.kernels.up[grid](
                    values, regret, average, reach, block.parent, first, row, self.count,
                    discounts, ACTIONS=block.actions, WIDTH=width,
                )  # fmt: skip
            else:
                self.kernels.up_shared[grid](
                    values, before, average, regret, reach, block.parent, solver.bucket,
                    self.weight, first, row, self.count, regret.shape[1],
                    ACTIONS=block.actions, WIDTH=width,
                )  # fmt: skip
        solver._choice[player] = None
        return solver.boards.gather(values[: solver.lines])

    def _ends(self, player: int, reach: Tensor) -> Tensor:
        """See `StreetSolver._ends`."""
        torch, solver, boards = load_torch(), self.solver, self.solver.boards
        size, width = solver.sides[player].size, self.kernels.WIDTH
        values = torch.zeros((size, boards.num_boards, boards.num_hands), device=boards.device)
        shows, folds = solver._shows[player], solver._folds[player]
        ends = len(shows.own)
        if ends:
            pieces = torch.empty(
                (2 * ends, *values.shape[1:]), dtype=boards.dtype, device=values.device
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
