"""Endgames cut out of a game, solved again, and put back.

subgame        which histories make an endgame, where it is entered, how likely it is
cut            an endgame (or an abstraction) as a `Game` of its own, and the way back
problem        what the base strategy is worth around an endgame
alternatives   what the opponent may get there before it gains
gadgets        `Game -> Game`: games whose equilibria are safe endgame strategies
techniques     Unsafe, Re-solve, Maxmargin, Reach-Maxmargin: constructed, solved, put back
worst_case     how exploitable endgame solving may be: the (epsilon, delta)-endgame property
nested         answers to actions that the base strategy does not have
river          a river as it is met; river_buckets, river_game and exact solve it as one program
river_spots    the same for a user's own river; solve is the front door of everything
live           an endgame of the hand in play on all hands; entrance is its gadgets' root
"""
