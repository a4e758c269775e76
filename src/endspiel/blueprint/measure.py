"""What a strategy is exploitable for inside its abstraction once it is in a file, rounded."""

import numpy as np

from endspiel.betting.tree import DECISION
from endspiel.blueprint.training import Setting, Strategy, place
from endspiel.game import Exploitability, Profile, exploitability


def measure_strategy(setting: Setting, strategy: Strategy) -> Exploitability:
    """Both best responses to a strategy, node to probabilities [A, K], in chips.

    With ``Blueprint.rows`` it is the strategy as it is stored, and as its post-processing plays it.
    """
    game, tree = setting.abstract_game(), setting.betting.whole
    behavior = np.ones(game.plexes[0].num_sequences), np.ones(game.plexes[1].num_sequences)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        player, first, num_actions, states = place(setting, game, node)
        behavior[player][first : first + num_actions * states] = strategy(node).ravel()
    return exploitability(game, Profile(behavior))
