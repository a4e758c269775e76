"""How exploitable endgame solving may be: the (epsilon, delta)-endgame property of the 2015 paper.

Both players' trunk strategies are fixed. The endgames have the property if a strategy that loses
more than epsilon in the full game (its exploitability: the game's value less what it gets against
its nemesis) always loses more than delta within some endgame, as the trunk leads there. A solver
that finds delta-equilibria of the endgames then makes an epsilon-equilibrium (Proposition 2), and
epsilon*(delta), the smallest such epsilon, is

    the most that a strategy loses in the full game that loses no more than delta in any endgame.

What is maximized is itself a maximum, over the answers of an opponent who may deviate anywhere. So
the opponent's answer is a vector of yes and no, and both are found together by an integer program:

    maximize f'v   where   v_I <= (what action a of state I gets) + M (1 - z_Ia),   sum_a z_Ia = 1,

v is what the opponent's states are worth, and z which actions are best there. Within an endgame the
limit on the player's loss is linear: what the opponent's states there are worth, by any action,
adds up to no more than the endgame's value and delta. Linear programs then make the strategy exact.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from endspiel.endgame.safe.cut import Cut, Past
from endspiel.endgame.safe.problem import NEVER
from endspiel.endgame.safe.subgame import Endgame, no_moves
from endspiel.errors import GameError
from endspiel.game import Game, Profile, Treeplex, best_response
from endspiel.kernels.arrays import Bools, Floats, Ints
from endspiel.reproduce.integer import solve_integer
from endspiel.solvers.lp import solve as solve_lp
from endspiel.solvers.lp.highs import INFINITE, LinearProgram, Solver

SLACK = 1e-11  # of the largest payoff: by how much the limit within an endgame may be passed
SHARP = 1e-12  # what linear programs may miss their bounds by
BETTER = 1e-10  # of the largest payoff: a gain that is worth another round


@dataclass(frozen=True)
class WorstCase:
    """The most exploitable strategy that loses no more than delta within any endgame."""

    player: int
    delta: float
    epsilon: float  # what it loses in the full game
    bound: float  # what no other such strategy loses more than, as the integer program proves
    profile: Profile  # the base with it in the player's endgames


def epsilon_star(endgames: Sequence[Endgame], base: Profile, delta: float) -> float:
    """The smallest epsilon with which the endgames of a base's trunk have the property."""
    return max(worst_case(endgames, player, base, delta).epsilon for player in (0, 1))


def worst_case(endgames: Sequence[Endgame], player: int, base: Profile, delta: float) -> WorstCase:
    """The player's most exploitable endgame strategies that lose no more than delta in each.

    Losses within an endgame are counted per time that it is reached. Of an opponent who never
    reaches it, Bayes' rule says nothing, and every way there counts the same, as in Unsafe solving.
    An endgame that the player never reaches costs nothing.
    """
    if not delta >= 0:
        raise GameError(f"delta is what may be lost within an endgame, 0 or more, not {delta}")
    if not endgames:
        raise GameError("there is no endgame to lose in")
    for i, endgame in enumerate(endgames):
        endgame.require_apart(endgames[:i])
    trunk = _Trunk(tuple(endgames), player, base)
    value = solve_lp(trunk.game).value * (1 if player == 0 else -1)
    limits = _limits(trunk)
    allowed = _allowed(trunk, limits, delta)
    answer, bound = _answer(trunk, limits, allowed)
    best, most = base, -np.inf
    while True:  # each round is at least as good, and there are finitely many answers
        found = trunk.put_back(_plan(trunk, allowed, answer))
        lost, behavior = best_response(trunk.game, trunk.opponent, found)
        if lost <= most + BETTER * trunk.scale:
            break
        best, most = found, lost
        answer = trunk.game.plexes[trunk.opponent].walk_down(behavior)
    return WorstCase(player, delta, most + value, max(bound, most) + value, best)


@dataclass(frozen=True)
class _Trunk:
    """A player's fixed part of the game, and endgames to fill in."""

    endgames: tuple[Endgame, ...]
    player: int
    base: Profile

    @property
    def game(self) -> Game:
        return self.endgames[0].game

    @property
    def opponent(self) -> int:
        return 1 - self.player

    @cached_property
    def plan(self) -> Floats:
        """The player's base plan [S]."""
        return self.base.plan(self.game, self.player)

    @cached_property
    def free(self) -> Bools:
        """The player's sequences [S] whose last action is taken in an endgame."""
        marks = no_moves(self.game)[self.player]
        for endgame in self.endgames:
            marks |= endgame.inside[self.player]
        return marks

    @cached_property
    def most(self) -> Floats:
        """The largest plans there are [S]: the base's in the trunk."""
        behavior = np.where(self.free, 1.0, self.base.behavior[self.player])
        return self.game.plexes[self.player].walk_down(behavior)

    @cached_property
    def losses(self) -> sparse.csr_matrix:
        """What the opponent gets [player's S, opponent's S]."""
        return to_opponent(self.game, self.player)

    @cached_property
    def scale(self) -> float:
        """The largest entry of the payoff matrix."""
        return float(np.abs(self.losses.data).max(initial=0.0)) or 1.0

    def put_back(self, plan: Floats) -> Profile:
        """The base with a plan [S] in the endgames; where it never comes the base stays."""
        state = Past.of(self.game.plexes[self.player]).state
        reached = np.bincount(state[self.free], plan[self.free], len(state)) > NEVER
        new = self.free & reached[np.maximum(state, 0)]
        behavior = list(self.base.behavior)
        found = self.game.plexes[self.player].behavior(plan)
        behavior[self.player] = np.where(new, found, behavior[self.player])
        return Profile((behavior[0], behavior[1]))


@dataclass(frozen=True)
class _Limit:
    """An endgame's share of the linear program: what the opponent may get there."""

    cut: Cut
    masses: Floats  # [R] what the opponent brings to its entries
    weight: float  # how often the endgame is reached
    value: float  # what the opponent gets there in equilibrium


def to_opponent(game: Game, player: int) -> sparse.csr_matrix:
    """The payoffs [player's S, opponent's S] of a player's opponent."""
    return sparse.csr_matrix(-game.matrix if player == 0 else game.matrix.T)


def _limits(trunk: _Trunk) -> list[_Limit]:
    """The endgames that the player reaches, as the trunk leads there."""
    found = []
    for endgame in trunk.endgames:
        part = endgame.cut()
        plans = [trunk.base.plan(trunk.game, i) for i in (0, 1)]
        if plans[trunk.player][part.entries(trunk.player)].sum() <= NEVER:
            continue
        entries = part.entries(trunk.opponent)
        if plans[trunk.opponent][entries].sum() <= NEVER:
            plans[trunk.opponent][entries] = 1.0
        one, two, chance = endgame.entering()
        weight = float((chance * plans[0][one] * plans[1][two]).sum())
        if weight <= NEVER:
            continue
        masses = plans[0][part.entries(0)], plans[1][part.entries(1)]
        value = solve_lp(part.ranged(masses)).value * (1 if trunk.opponent == 0 else -1)
        found.append(_Limit(part, masses[trunk.opponent], weight, value))
    return found


def _allowed(trunk: _Trunk, limits: list[_Limit], delta: float) -> LinearProgram:
    """The player's plans [S] that lose no more than delta in each endgame, and proof of it.

    Columns are the plan and, by endgame, what the opponent's states there are worth per time that
    it is reached; rows the plan's states inside, and by endgame the opponent's sequences and the
    limit on their worth.
    """
    plex = trunk.game.plexes[trunk.player]
    E, e = plex.constraints()
    inside = np.flatnonzero((E[:, trunk.free] > 0).sum(axis=1))
    S = plex.num_sequences
    rows: list[list[sparse.csr_matrix | None]] = [[E[inside]]]
    low, high = [e[inside]], [e[inside]]
    columns = [S]
    for at, limit in enumerate(limits, 1):
        part = limit.cut.game.plexes[trunk.opponent]
        F, _ = part.constraints()
        pick = _picks(limit.cut.sequences[trunk.player], S)
        gets = to_opponent(limit.cut.game, trunk.player).T @ pick / limit.weight
        total = np.zeros((1, F.shape[0]))
        total[0, : part.num_roots] = limit.masses
        blank: list[sparse.csr_matrix | None] = [None] * (at - 1)
        rows += [[-gets, *blank, F.T], [None, *blank, sparse.csr_matrix(total)]]
        low += [np.zeros(F.shape[1]), np.array([-INFINITE])]
        most = limit.value / limit.weight + delta + SLACK * trunk.scale / limit.weight
        high += [np.full(F.shape[1], INFINITE), np.array([most])]
        columns.append(F.shape[0])
    width = len(columns)
    worth = sum(columns[1:])
    return LinearProgram(
        matrix=sparse.bmat([row + [None] * (width - len(row)) for row in rows], format="csr"),
        cost=np.zeros(S + worth),
        lower=np.concatenate([np.where(trunk.free, 0.0, trunk.plan), np.full(worth, -INFINITE)]),
        upper=np.concatenate([trunk.most, np.full(worth, INFINITE)]),
        row_lower=np.concatenate(low),
        row_upper=np.concatenate(high),
    )


def _picks(sequences: Ints, size: int) -> sparse.csr_matrix:
    """Which of a vector [S] an endgame's sequences [S'] are."""
    count = len(sequences)
    return sparse.csr_matrix((np.ones(count), (np.arange(count), sequences)), shape=(count, size))


def _plan(trunk: _Trunk, allowed: LinearProgram, answer: Floats) -> Floats:
    """The allowed plan [S] that gives an opponent's plan [S] the most."""
    cost = np.zeros(len(allowed.cost))
    S = len(trunk.plan)
    cost[:S] = np.where(trunk.free, trunk.losses @ answer, 0.0)
    solver = Solver(replace(allowed, cost=cost), "simplex")
    found = solver.refine(solver.solve(), SHARP)
    plan: Floats = np.maximum(found.z[:S].astype(np.float64), 0.0)
    return plan


def _answer(trunk: _Trunk, limits: list[_Limit], allowed: LinearProgram) -> tuple[Floats, float]:
    """The opponent's plan [S] in the worst case, and what it gets at most, by integer programming.

    Columns are those of the allowed plans, then the worth of the opponent's states, then which of
    its actions are best. That states in an endgame are worth no more than the proof of the limit
    there says follows from the rest; told, it saves nearly all of the branching.
    """
    plex = trunk.game.plexes[trunk.opponent]
    F, f = plex.constraints()
    states, S = F.shape
    choices = _choices(trunk)
    gap = choices.gap
    own = len(allowed.cost)
    gets = sparse.hstack([trunk.losses.T, sparse.csr_matrix((S, own - len(trunk.plan)))])
    proof, worth = _linked(trunk, limits, own)
    matrix = sparse.bmat(
        [
            [allowed.matrix, None, None],
            [-gets, F.T, sparse.diags_array(gap)],
            [None, None, F > 0],
            [-proof, worth, None],
        ],
        format="csr",
    )
    links = np.zeros(proof.shape[0])
    program = LinearProgram(
        matrix=matrix,
        cost=np.concatenate([np.zeros(own), f, np.zeros(S)]),
        lower=np.concatenate([allowed.lower, choices.least, np.zeros(S)]),
        upper=np.concatenate([allowed.upper, choices.most, ~choices.never]),
        row_lower=np.concatenate(
            [allowed.row_lower, np.full(S, -INFINITE), np.ones(states), links - INFINITE]
        ),
        row_upper=np.concatenate([allowed.row_upper, gap, np.ones(states), links]),
    )
    best, bound = solve_integer(program, np.arange(len(program.cost)) >= own + states)
    return plex.walk_down(plex.behavior(best[-S:].round())), bound


def _linked(
    trunk: _Trunk, limits: list[_Limit], own: int
) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
    """What the opponent's states in endgames are worth, twice: as proof of a limit, and in full.

    Rows are these states; columns the allowed plans, and the opponent's states.
    """
    plex = trunk.game.plexes[trunk.opponent]
    full = _states(plex)
    proof, worth, weights = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    before = len(trunk.plan)
    for limit in limits:
        part = limit.cut.game.plexes[trunk.opponent]
        here, first = np.unique(_states(part)[part.num_roots :], return_index=True)
        proof.append(before + here)
        worth.append(full[limit.cut.sequences[trunk.opponent][part.num_roots :][first]])
        weights.append(np.full(len(here), limit.weight))
        before += part.num_roots + int(part.arrays.states.sum())
    columns, states, weight = (np.concatenate(parts) for parts in (proof, worth, weights))
    rows = np.arange(len(columns))
    return (
        sparse.csr_matrix((weight, (rows, columns)), shape=(len(rows), own)),
        sparse.csr_matrix(
            (np.ones(len(rows)), (rows, states)), shape=(len(rows), full.max(initial=-1) + 1)
        ),
    )


def _states(plex: Treeplex) -> Ints:
    """The row of each sequence's root or state [S] among a treeplex's constraints."""
    E, _ = plex.constraints()
    found: Ints = np.asarray((E > 0).argmax(axis=0)).ravel()
    return found


class _Choices(NamedTuple):
    """What can be said of the opponent's choices whatever the player does in the endgames."""

    gap: Floats  # [S] how much less than its state's worth an action may get
    never: Bools  # [S] whether an action is never best
    least: Floats  # [states] what roots and states are worth at least, and at most
    most: Floats


def _choices(trunk: _Trunk) -> _Choices:
    """Bounds on what the opponent's actions get, by those on the player's plan."""
    plex = trunk.game.plexes[trunk.opponent]
    least = np.where(trunk.free, 0.0, trunk.plan)
    gain, loss = trunk.losses.maximum(0).T, (-trunk.losses).maximum(0).T
    high, _ = plex.best_response(gain @ trunk.most - loss @ least)
    low, _ = plex.best_response(gain @ least - loss @ trunk.most)
    state = _states(plex)
    least, most = (np.full(state.max() + 1, -np.inf) for _ in range(2))
    np.maximum.at(least, state, low)
    np.maximum.at(most, state, high)
    return _Choices(most[state] - low, high < least[state], least, most)
