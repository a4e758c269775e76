"""Sums of 16 bits in a mapped file: each piece is checked when it is first read."""

import hashlib
from pathlib import Path

import numpy as np

from endspiel.errors import FileError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Int16s, UInt8s
from endspiel.kernels.board_arrays import Meta
from endspiel.kernels.lanes import LANES

PIECE = 1 << 21  # numbers
DIGEST = 16  # bytes of a piece's checksum


def piece_digests(numbers: Int16s) -> UInt8s:
    """Checksums [P, 16] of all pieces."""
    count = -(-len(numbers) // PIECE)
    found = b"".join(_digest(numbers, piece) for piece in range(count))
    return np.frombuffer(found, dtype=np.uint8).reshape(count, DIGEST)


def _digest(numbers: Int16s, piece: int) -> bytes:
    part = np.ascontiguousarray(numbers[piece * PIECE : (piece + 1) * PIECE])
    return hashlib.blake2b(part.data, digest_size=DIGEST).digest()


class Pieces:
    """A file's numbers with the checksums that they must have."""

    def __init__(self, path: str | Path, numbers: Int16s, digests: UInt8s) -> None:
        self.path, self.numbers, self.digests = path, numbers, digests
        self._seen = np.zeros(len(digests), dtype=bool)

    def check(self, first: int = 0, stop: int | None = None) -> None:
        """See that numbers first .. stop - 1 are as they were written."""
        last = len(self.numbers) if stop is None else stop
        for piece in range(first // PIECE, -(-last // PIECE)):
            if self._seen[piece]:
                continue
            if _digest(self.numbers, piece) != self.digests[piece].tobytes():
                raise FileError(f"{self.path} is damaged: its averages do not match a checksum")
            self._seen[piece] = True

    def check_boards(self, game: CardGame, street: int, first: int, stop: int) -> None:
        """See that boards first .. stop - 1 of a street are as they were written."""
        for player in (0, 1):
            meta, start = game.tables.meta[street, player], game.cards[street].sides[player].start
            rows, begin = int(meta[Meta.ROWS]), int(meta[Meta.STORED] + meta[Meta.LINES] * LANES)
            low, high = (begin + int(start[b]) * rows * LANES for b in (first, stop))
            if low < high:
                self.check(low, high)
