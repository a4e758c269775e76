"""Solvers: each written once, over `Game`."""
