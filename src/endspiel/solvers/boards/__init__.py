"""The backends of real cards, which own the board kernels and what they store.

store      regrets, averages and locks of all boards; backend walks them, cfr solves by them
"""
