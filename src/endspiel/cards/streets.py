"""The streets of hold'em by number, and the cards that lie open on each."""

STREETS = ("preflop", "flop", "turn", "river")
PREFLOP, FLOP, TURN, RIVER = range(len(STREETS))
BOARD_CARDS = (0, 3, 4, 5)  # by street
FLOP_CARDS, TURN_CARDS, RIVER_CARDS = BOARD_CARDS[FLOP:]
NUM_FLOPS = 22_100  # C(52, 3)
