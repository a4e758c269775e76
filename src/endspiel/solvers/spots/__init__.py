"""Spots as players write them: what to solve, nodes by name, locks, the time ahead."""
