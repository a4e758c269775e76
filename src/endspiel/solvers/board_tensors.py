"""Every board of a card tree's last street and the hands on them, as arrays on a torch device.

A board's showdowns are one matrix of -1, 0 and 1, so that all showdowns of a street are one batched
matrix product.
"""

import gc
from importlib import import_module
from typing import Any

import numpy as np

from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError
from endspiel.games.card_tree import CardTree
from endspiel.kernels.arrays import Floats
from endspiel.solvers.memory import available_memory, format_bytes

Tensor = Any  # torch is an optional extra, and not there to be checked against
BOARDS_AT_ONCE = 128  # of those whose showdown matrices are widened to 32 bits


def load_torch() -> Any:
    """The torch module; an error says how to get it."""
    try:
        return import_module("torch")
    except ImportError as error:
        raise GameError("solving on a graphics processor needs torch: endspiel[gpu]") from error


def named_device(name: str) -> Any:
    """The torch device of a name, where there is one."""
    torch = load_torch()
    try:
        device = torch.device(name)
    except RuntimeError as error:
        raise GameError(f"there is no torch device {name!r}") from error
    if device.type == "cuda" and not torch.cuda.is_available():
        raise GameError(f"device {name!r}: torch finds no graphics processor here")
    return device


class BoardTensors:
    """The boards of a card tree's last street and the hands on them, on a torch device."""

    def __init__(self, tree: CardTree, device: str) -> None:
        torch = load_torch()
        torch.backends.cuda.matmul.allow_tf32 = False
        boards = tree.streets[-1]
        hands = np.stack([board.hands[0] for board in boards])
        self.device, self.tree = named_device(device), tree
        self.num_boards, self.num_hands = hands.shape
        self.dtype = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.require(self.num_boards * self.num_hands * (self.num_hands + tree.deck) * 4)
        self.hand = self.put(hands)  # [B, K] hand numbers
        self.weight = self.put(np.array([float(b.weight) for b in boards], dtype=np.float32))
        self.incidence = self._incidence(hands, tree.deck)  # [B, K, deck] cards of each hand
        self.beats = self._beats(boards)  # [B, K, K] 1 where the row's hand beats the column's
        place = np.full((self.num_boards, NUM_HANDS), self.num_hands)
        np.put_along_axis(place, hands, np.arange(self.num_hands)[None], axis=1)
        held = tree.streets[0][0].hands[0]
        self.place = self.put(place[:, held])  # [B, H] where each hand lies; K where it is dead
        _, self.classes = np.unique(hand_classes()[held], return_inverse=True)  # [H]

    def require(self, size: int) -> None:
        """Refuse to start on what needs so many bytes more than the device has left."""
        torch = load_torch()
        if self.device.type == "cuda":
            gc.collect()  # solvers and their kernels hold each other
            free, _ = torch.cuda.mem_get_info(self.device)
            unused = torch.cuda.memory_reserved(self.device)
            unused -= torch.cuda.memory_allocated(self.device)
            left: int | None = free + unused
        else:
            left = available_memory()
        if left is not None and size > left:
            need, have = format_bytes(size), format_bytes(left)
            raise GameError(f"this solve needs {need} on device {self.device}, which has {have}")

    def put(self, array: Any) -> Tensor:
        """An array on the device."""
        return load_torch().as_tensor(array).to(self.device)

    def _incidence(self, hands: Any, deck: int) -> Tensor:
        cards = hand_cards()[hands]  # [B, K, 2]
        marks = load_torch().zeros((*hands.shape, deck), device=self.device)
        return marks.scatter_(2, self.put(cards.astype(np.int64)), 1.0)

    def _beats(self, boards: Any) -> Tensor:
        torch = load_torch()
        strength = np.stack([board_strengths(b.cards)[b.hands[0]] for b in boards])
        ranks = self.put(strength.astype(np.int32))
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
