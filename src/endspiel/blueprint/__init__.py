"""Blueprints: the abstract game of cards and bets, its trainers, and the strategy file."""
