"""The one representation: a two-player zero-sum game is max over x, min over y of x'Ay.

Words used throughout:

private state   what one player alone knows at a public point: a card, a hand, a bucket
block           decision points of one player laid side by side: K states x A actions
sequence        one (state, action) of a block, or a root; S of them per player
plan            a vector [S]: the root masses times the probabilities of the player's own actions
behavior        a vector [S]: the probability of each action at its own state (1 at the roots)
row             where a state's regrets and strategy are stored; shared rows are card abstraction
payoff          a bilinear form over the two players' states, chance included
terminal group  all terminals that share one payoff, evaluated as one matrix
"""

from endspiel.game.game import Game, GeneralGame, Labels, Profile, TerminalGroup
from endspiel.game.payoffs import Matrix, Payoff, Sparse, showdown_form
from endspiel.game.response import (
    Exploitability,
    best_response,
    counterfactual_values,
    expected_value,
    exploitability,
)
from endspiel.game.treeplex import Block, Rows, Treeplex

__all__ = [
    "Block",
    "Exploitability",
    "Game",
    "GeneralGame",
    "Labels",
    "Matrix",
    "Payoff",
    "Profile",
    "Rows",
    "Sparse",
    "TerminalGroup",
    "Treeplex",
    "best_response",
    "counterfactual_values",
    "expected_value",
    "exploitability",
    "showdown_form",
]
