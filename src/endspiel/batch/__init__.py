"""Many spots at once, and reports over many boards."""

from endspiel.batch.many import SpotResult, solve_many

__all__ = ["SpotResult", "solve_many"]
