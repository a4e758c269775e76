"""Poker rules as data: definitions, states, deals, ACPC text and log replay."""
