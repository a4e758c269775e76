"""``endspiel abstract``: make a card abstraction."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.abstract import AbstractJob

abstract = command_of(AbstractJob)
