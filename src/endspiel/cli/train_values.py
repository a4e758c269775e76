"""`endspiel train-values`: nets that value the end of a flop, from exact solves of turns."""

from endspiel.cli.jobs import command_of
from endspiel.jobs.train_values import TrainValuesJob

train_values = command_of(TrainValuesJob)
