"""``endspiel lbr``: what a local best response wins from an agent."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.lbr import LbrJob

lbr = command_of(LbrJob)
