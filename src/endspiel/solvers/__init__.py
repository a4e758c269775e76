"""Solvers: lp (exact), firstorder (treeplexes), boards (real cards), spots (as players write)."""
