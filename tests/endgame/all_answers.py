"""Worst cases of endgame solving by trying every pure answer of the opponent in turn."""

from itertools import product

import numpy as np
from scipy.optimize import linprog

from endspiel.endgame.safe.subgame import Endgame
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Floats
from endspiel.solvers.lp import solve


def plans(game: Game, player: int, behavior: Floats, free: np.ndarray) -> Floats:
    """All plans [N, S] that are pure in the free sequences [S] and follow a behavior elsewhere."""
    plex = game.plexes[player]
    states = [
        block.first + k + block.num_states * np.arange(block.num_actions)
        for block in plex
        for k in range(block.num_states)
    ]
    open_states = [actions for actions in states if free[actions[0]]]
    found = []
    for choice in product(*open_states):
        tried = np.where(free, 0.0, behavior)
        tried[list(choice)] = 1.0
        found.append(plex.walk_down(tried))
    return np.unique(found, axis=0)


def by_trying(endgames: list[Endgame], player: int, base: Profile, delta: float) -> float:
    """Epsilon by a linear program for every pure answer, limits by every answer inside."""
    game, other = endgames[0].game, 1 - player
    gets = -game.matrix.toarray() if player == 0 else game.matrix.toarray().T
    free = np.logical_or.reduce([endgame.inside[player] for endgame in endgames])
    E, e = game.plexes[player].constraints()
    fixed = base.plan(game, player)
    limits = [(0, None) if mark else (x, x) for mark, x in zip(free, fixed, strict=True)]
    rows, tops = [], []
    for endgame in endgames:
        inside = endgame.inside[player][:, None] | endgame.inside[other][None, :]
        answers = plans(game, other, base.behavior[other], endgame.inside[other])
        here = (np.where(inside, gets, 0) @ answers.T).T / endgame.probability(base)  # [N, S]
        least = linprog(
            np.append(np.zeros(len(fixed)), 1.0),
            np.column_stack([here, -np.ones(len(here))]),
            np.zeros(len(here)),
            np.column_stack([E.toarray(), np.zeros(len(e))]),
            e,
            [*limits, (None, None)],
        )
        rows.append(here)
        tops.append(np.full(len(here), least.fun + delta))
    worst = -np.inf
    everywhere = np.ones(game.plexes[other].num_sequences, dtype=bool)
    for answer in plans(game, other, base.behavior[other], everywhere):
        found = linprog(
            -gets @ answer, np.vstack(rows), np.concatenate(tops) + 1e-9, E.toarray(), e, limits
        )
        worst = max(worst, -found.fun)
    return worst + solve(game).value * (1 if player == 0 else -1)
