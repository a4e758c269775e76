"""Regret matching and gradients over treeplexes: the CFR family, EGT and its smoothing."""
