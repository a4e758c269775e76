"""Cards: deck, text, ranges, hand strength, suit-isomorphic index, equities."""
