"""A policy that OpenSpiel trained on its universal_poker, as a bot: here of Leduc hold'em.

endspiel lbr examples/bots/openspiel_policy.py:Trained --game leduc --setting fcpa --boards 20
"""

import pyspiel
from open_spiel.python.algorithms.cfr import CFRPlusSolver

import endspiel as es
from endspiel.arena.protocol.openspiel_bot import OpenSpielPolicy

GAME = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 4,"
    "firstPlayer=1 1,maxRaises=2 2,numSuits=2,numRanks=3,numHoleCards=1,numBoardCards=0 1)"
)


class Trained(OpenSpielPolicy):
    """CFR+ of a few iterations."""

    def __init__(self, rules: es.GameDef) -> None:
        game = pyspiel.load_game(GAME)
        solver = CFRPlusSolver(game)
        for _ in range(20):
            solver.evaluate_and_update_policy()
        super().__init__(game, solver.average_policy())
