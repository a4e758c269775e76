"""``endspiel match``: agents against each other, with confidence intervals."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.match import MatchJob

match = command_of(MatchJob)
