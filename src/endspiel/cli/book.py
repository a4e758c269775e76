"""``endspiel book``: flops of a limit strategy solved to the end, hand by hand."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.book import BookJob

book = command_of(BookJob)
