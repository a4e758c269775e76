"""`endspiel review`: played hands against solved strategies."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.review import ReviewJob

review = command_of(ReviewJob)
