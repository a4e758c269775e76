"""What a walk up a board's betting does with a decision, and sizes of the kernels' buffers.

The kernels themselves are C++, `native/core/board.h`, called through `board_walk`; their readable
twins are in `tests/kernels/board_reference.py`.
"""

UPDATE, BEST, EXPECTED = 0, 1, 2  # what the walk up does with a decision
CARD_ROWS = 54  # mass by card: 52 cards, padding's, and the total
TINY = 2.0**-126  # totals no larger count as zero: their reciprocals may overflow
