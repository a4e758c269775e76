"""``endspiel tournament``: a match of each pair of agents."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.match import TournamentJob

tournament = command_of(TournamentJob)
