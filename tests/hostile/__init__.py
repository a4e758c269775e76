"""Hostile surroundings: no memory, no disk, rough users, broken agents."""
