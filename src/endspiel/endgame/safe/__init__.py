"""Endgames cut out of a game, solved again, and put back.

subgame        which histories make an endgame, where it is entered, how likely it is
cut            an endgame (or an abstraction) as a `Game` of its own, and the way back
problem        what the base strategy is worth around an endgame
alternatives   what the opponent may get there before it gains; reach has the paper's targets
techniques     Unsafe, Re-solve, Maxmargin, Reach-Maxmargin: the terms of each
gadgets        `Game -> Game`: games whose equilibria are safe endgame strategies
refine         an endgame of a `Game` constructed, solved and put back
nested_solve   off-tree actions in play, each answered by a subgame within, over any backend
nested         answers to actions that the base strategy does not have
live           an endgame of the hand in play, on all hands; baseline is the blueprint's values
"""
