"""Endgames cut out of a game, solved again, and put back.

subgame        which histories make an endgame, where it is entered, how likely it is
cut            an endgame (or an abstraction) as a `Game` of its own, and the way back
problem        what the base strategy is worth around an endgame
reach          what the opponent may get before it gains; alternatives finds it in a `Game`
techniques     Unsafe, Re-solve, Maxmargin, Reach-Maxmargin: on what terms the opponent may enter
gadgets        `Game -> Game`: games whose equilibria are safe endgame strategies
gadget_root    the same gadgets' root above any backend
refine         endgames of a `Game` constructed by a technique, solved, put back
worst_case     how exploitable endgame solving may be: the (epsilon, delta)-endgame property
nested         answers to actions that the base strategy does not have
river          a river as it is met; river_buckets, river_game and exact solve it as one program
river_spots    the same for a user's own river; solve is the front door of everything
live           an endgame of the hand in play on all hands
"""
