"""Poker rules as data."""
