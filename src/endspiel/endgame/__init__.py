"""Endgames cut out of a game, solved again, and put back."""
