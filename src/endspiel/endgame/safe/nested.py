"""Answers to actions that the base strategy does not have, found when they are taken.

A base strategy is made in an abstraction that lacks some of the opponent's actions. An *off-tree
action* is a set of the opponent's sequences: one public action, whatever the opponent holds.
When it is taken, an endgame is solved again:

- inexpensive: the endgame right after the action, CBV(I) standing in for the CBV(I, a) that the
  base cannot know. No entry's probability is known either, so Unsafe is out.
- expensive: the smallest endgame around the infosets at which the action is taken, with the
  action added. Every technique will do. Only the answer to the action is used: what the player
  does after other actions is settled, since they are not what happened.

An off-tree action that follows another is answered against the strategy and values found for
that one. Endgames leave out the off-tree actions inside them, which are answered in their turn.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from endspiel.endgame.safe.cut import Cut, Past, at_or_below, cut
from endspiel.endgame.safe.nested_solve import NestedSolve, Unsolved
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import Refinement, Refiner, refine
from endspiel.endgame.safe.subgame import Endgame, all_moves, infoset_name, no_moves
from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Bools, Ints


@dataclass(frozen=True)
class Answers:
    """A strategy that answers every off-tree action, and how each answer was found."""

    profile: Profile
    refinements: tuple[Refinement, ...]  # one for each off-tree action, as they were given

    @property
    def shortfall(self) -> float:
        """The most that inexpensively answered actions can gain, over what CBV(I) was.

        Counted from the infosets at which they are taken. Reach margins, counted from earlier
        infosets, bound the gain of a single off-tree action more closely, but not of several:
        those that nature or the player distinguishes can each use up the same earlier slack.
        """
        gains = [np.maximum(r.values - r.alternatives.base, 0.0).sum() for r in self.refinements]
        return float(np.sum(gains))


@dataclass(frozen=True)
class OffTree:
    """Actions of the opponent that the player's base strategy does not have.

    Examples:
        >>> import endspiel as es
        >>> game = es.load_game("choose-endgame")
        >>> missing = es.moves(game, 0, "G2", [""])  # the base strategy has an answer to G1 alone
        >>> off_tree = es.OffTree(game, 1, (missing,))
        >>> found = off_tree.answer(es.Profile.uniform(game))
        >>> len(found.refinements), found.shortfall >= 0
        (1, True)
    """

    game: Game
    player: int
    actions: tuple[Ints, ...]  # each [n]: the opponent's sequences that take it

    def __post_init__(self) -> None:
        """Refuse actions that end the game, and infosets with no action left to the base."""
        for i in range(len(self.actions)):
            self.after(i)
        plex, missing = self.game.plexes[self.opponent], self.missing()[self.opponent]
        past = Past.of(plex)
        in_base = ~at_or_below(plex, missing)
        for sequence in np.unique(past.state[missing]):
            if not in_base[past.state == sequence].any() and in_base[past.parent[sequence]]:
                name = infoset_name(self.game, self.opponent, int(sequence))
                raise GameError(f"every action at infoset {name!r} is off-tree: one must stay")

    @property
    def opponent(self) -> int:
        return 1 - self.player

    def missing(self, known: Collection[int] = ()) -> tuple[Bools, Bools]:
        """Marks [S0], [S1] of all off-tree sequences but those of the known actions."""
        marks = no_moves(self.game)
        for i, action in enumerate(self.actions):
            marks[self.opponent][action] = i not in known
        return marks

    def left_out(self, known: Collection[int] = ()) -> tuple[Bools, Bools]:
        """The moves and all that follows them, the player's moves included."""
        marks = self.missing(known)
        for i in range(len(self.actions)):
            if i not in known:
                for mark, inside in zip(marks, self.after(i).inside, strict=True):
                    mark |= inside
        return marks

    def abstraction(self) -> Cut:
        """The game without the actions, to find a base strategy in; `embed` puts it back."""
        everything = no_moves(self.game)
        for marks, plex in zip(everything, self.game.plexes, strict=True):
            marks[plex.num_roots :] = True
        part = cut(self.game, everything, self.left_out())
        one, two = (plex.root[part.entries(i)] for i, plex in enumerate(self.game.plexes))
        return Cut(self.game, part.ranged((one, two)), part.sequences)

    def after(self, i: int) -> Endgame:
        """The endgame right after action i."""
        return Endgame.after(self.game, self.opponent, self.actions[i].tolist())

    def around(self, i: int) -> Endgame:
        """The smallest endgame that has the infosets at which action i is taken."""
        taken = set(self.actions[i].tolist())
        names = [
            n for owner, n, _, s in all_moves(self.game) if owner == self.opponent and s in taken
        ]
        return Endgame.around(self.game, self.opponent, names)

    def before(self, i: int) -> list[int]:
        """The off-tree actions that come before action i, the first one first."""
        plex = self.game.plexes[self.opponent]
        found = []
        for j, action in enumerate(self.actions):
            start = no_moves(self.game)[self.opponent]
            start[action] = True
            follows = at_or_below(plex, start) & ~start
            if follows[self.actions[i]].any():
                found.append(j)
        return sorted(found, key=lambda j: int(plex.depth[self.actions[j]].min()))

    def answer(self, base: Profile, refiner: Refiner = refine, expensive: bool = False) -> Answers:
        """Answer every action, those that come first first.

        What the base strategy does after the off-tree actions is never used.
        """
        before = {i: self.before(i) for i in range(len(self.actions))}
        backend, found = OffTreeBackend(self, refiner, expensive), dict[int, Answered]()
        final = base.behavior[self.player].copy()
        for i in sorted(before, key=lambda i: len(before[i])):
            start = found[before[i][-1]] if before[i] else Answered(base)
            nested = NestedSolve(backend, start).observe([i])
            if isinstance(nested, Unsolved):
                raise AssertionError("an off-tree action of a game can always be answered")
            found[i], inside = nested, self.after(i).inside[self.player]
            final[inside] = nested.profile.behavior[self.player][inside]
        theirs = base.behavior[self.opponent]
        profile = Profile((final, theirs) if self.player == 0 else (theirs, final))
        return Answers(profile, tuple(found[i].refinements[-1] for i in range(len(self.actions))))

    def problem(
        self, i: int, start: Profile, before: Sequence[int] = (), expensive: bool = False
    ) -> Problem:
        """The endgame to solve when action i is taken after those before it."""
        missing, dropped = self.missing(before), self.left_out((*before, i))
        endgame = self.around(i) if expensive else self.after(i)
        return Problem(endgame, self.player, start, (), missing, dropped)


class Answered(NamedTuple):
    """The strategy once some off-tree actions, one after the other, are answered."""

    profile: Profile
    actions: tuple[int, ...] = ()  # as `OffTree` numbers them
    refinements: tuple[Refinement, ...] = ()  # one for each of these


class OffTreeBackend(NamedTuple):
    """Nested solving in a `Game`: places are strategies, entries are problems to refine."""

    off_tree: OffTree
    refiner: Refiner = refine
    expensive: bool = False

    def follow(self, place: Answered, action: int) -> Answered | None:
        return place if action in place.actions else None

    def carry(self, place: Answered, action: int) -> tuple[Answered, int, Problem]:
        """The problem knows CBV(I), and the gifts on the way, by the strategy found last."""
        problem = self.off_tree.problem(action, place.profile, place.actions, self.expensive)
        return place, action, problem

    def enter(self, entry: tuple[Answered, int, Problem]) -> Answered:
        place, action, problem = entry
        solved, player = self.refiner(problem), self.off_tree.player
        answered = self.off_tree.after(action).inside[player]
        # The player's answer; of the opponent all that was found, which is what to believe.
        both = list(solved.profile.behavior)
        both[player] = np.where(answered, both[player], place.profile.behavior[player])
        profile = Profile((both[0], both[1]))
        return Answered(profile, (*place.actions, action), (*place.refinements, solved))


def moves(game: Game, player: int, action: str, infosets: Iterable[str]) -> Ints:
    """A player's sequences that take an action of this name at these infosets.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> es.moves(game, 0, "Right", ["Heads", "Tails"]).tolist()
        [3, 4]
    """
    wanted = set(infosets)
    found = [
        sequence
        for owner, infoset, name, sequence in all_moves(game)
        if owner == player and name == action and infoset in wanted
    ]
    if not found:
        raise GameError(f"player {player} has no action {action!r} at the infosets given")
    return np.array(found, dtype=np.int64)
