"""`endspiel report`: one set of ranges and menus over many flops, turns or rivers."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.report import ReportJob

report = command_of(ReportJob)
