"""What the opponent may get at the entries of an endgame of a `Game` before it gains.

`endgame.safe.reach` says what targets are. A path starts at the earliest infoset from which no
other entry can be reached; an entry whose own infoset reaches a second one (where the paper leaves
I' undefined) keeps Maxmargin's target. By induction up the tree, v(q) <= target(q) at all entries
leaves no infoset of the opponent worth more than before, and the opponent's best response x loses
at least x(q) margin(q) at each entry, which is Theorem 1 (margins here have its factor, the others'
reach, in them).

When other endgames change too, actions that lead away are worth only a lower bound, and what
others' leaving pays is bounded by the base strategy's value, which the added constraint
CBV'(I) <= CBV(I) makes an upper bound. The constraint is a limit on v(q): CBV(I) less what else
follows q. Where another endgame may also follow q (nature or the player decides which), both
could use up the same slack, so there the limit is CBV(I, a_S). Without that, three endgames that
each keep their own view of the constraint double the exploitability of a base (tests/endgame).
"""

from collections.abc import Iterator

import numpy as np

from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.reach import Alternatives, Parting, reach_target
from endspiel.kernels.arrays import Bools, Floats, Ints


def plain(problem: Problem) -> Alternatives:
    """CBV(I, a_S) itself: for Re-solve and Maxmargin."""
    return Alternatives.plain(problem.entry_values)


def with_reach(problem: Problem) -> Alternatives:
    """CBV(I') less what leaving the path pays: for Reach-Maxmargin."""
    base, away = problem.entry_values, _values_away(problem)
    entries = zip(base, problem.beside, paths(problem), strict=True)
    target = np.array(
        [
            reach_target(entry, beside, _partings(problem, away, path))
            for entry, beside, path in entries
        ]
    )
    limit = target if not problem.others else np.minimum(target, _limits(problem))
    return Alternatives(base, target, limit)


def paths(problem: Problem) -> list[list[int]]:
    """For each entry the sequences that lead to it, the entry first, as far as its path goes."""
    past, plex = problem.past, problem.game.plexes[problem.opponent]
    count = np.zeros(plex.num_sequences, dtype=np.int64)
    count[problem.entries] = 1
    by_state = np.zeros_like(count)  # entries at or below any action of a state
    for sequence in range(plex.num_sequences - 1, -1, -1):
        # A state's actions and all that follows them have higher numbers than its parent.
        if past.state[sequence] >= 0:
            by_state[past.state[sequence]] += count[sequence]
            count[past.parent[sequence]] += count[sequence]
    found = []
    for entry in problem.entries:
        path, sequence = [], int(entry)
        while past.state[sequence] >= 0 and by_state[past.state[sequence]] == 1:
            path.append(sequence)
            sequence = int(past.parent[sequence])
        found.append(path)
    return found


def _partings(problem: Problem, away: Floats, path: list[int]) -> Iterator[Parting]:
    """The infosets of a path, the last first, with what leaving it at each is worth."""
    past = problem.past
    for sequence in path:
        siblings = np.flatnonzero(past.state == past.state[sequence])
        leaving = away[siblings[siblings != sequence]].max(initial=-np.inf)
        before = problem.sequence_values[past.parent[sequence]]
        yield Parting(leaving, before - problem.state_values[past.state[sequence]])


def _values_away(problem: Problem) -> Floats:
    """What each of the opponent's sequences is surely worth [S] once all endgames are solved.

    This endgame counts as in the base strategy: margins compare with that.
    """
    if not problem.others:
        return problem.sequence_values
    gradient = problem.gradient_outside((problem.endgame, *problem.others))
    np.add.at(gradient, problem.entries, problem.entry_values)
    for other in problem.others:
        entered = problem.entered_at(other)
        np.add.at(gradient, entered.cut.entries(problem.opponent), problem.floors(entered))
    return problem.walk_up(gradient)


def _limits(problem: Problem) -> Floats:
    """The most that each entry may be worth [Q] so that no infoset is worth more than before."""
    state = problem.past.state[problem.entries]
    alone = (state >= 0) & ~_shared(problem)[problem.entries]
    return np.where(alone, problem.state_values[state] - problem.beside, problem.entry_values)


def _shared(problem: Problem) -> Bools:
    """The opponent's sequences [S] that others' choices may take into another endgame."""
    form = problem.game.matrix.tocoo()
    sides: tuple[Ints, Ints] = (form.row, form.col)
    reached = np.zeros(problem.game.plexes[problem.opponent].num_sequences, dtype=bool)
    for other in problem.others:
        within = other.inside[0][form.row] | other.inside[1][form.col]
        reached[sides[problem.opponent][within]] = True
    for sequence in range(len(reached) - 1, -1, -1):
        if reached[sequence] and problem.past.parent[sequence] >= 0:
            reached[problem.past.parent[sequence]] = True
    return reached
