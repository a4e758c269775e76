"""Endspiel solves imperfect-information endgames and plays heads-up hold'em with them."""

__version__ = "0.1.0"
