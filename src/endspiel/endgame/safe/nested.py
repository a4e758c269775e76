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

import numpy as np

from endspiel.endgame.safe.cut import Bools, Cut, Past, at_or_below, cut
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import Refinement, Refiner, refine
from endspiel.endgame.safe.subgame import Endgame, all_moves, infoset_name, no_moves
from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Ints


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
        those that nature or the player tells apart can each use up the same earlier slack.
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
        """Refuse actions that nobody moves after, and infosets with no action left to the base."""
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
        """The same, and all that follows them, the player's moves included."""
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

        What the base strategy does after the off-tree actions is never looked at.
        """
        before = {i: self.before(i) for i in range(len(self.actions))}
        known: dict[int, Profile] = {}  # the strategy once an action and those before are answered
        found: dict[int, Refinement] = {}
        final = base.behavior[self.player].copy()
        for i in sorted(before, key=lambda i: len(before[i])):
            start = known[before[i][-1]] if before[i] else base
            found[i] = refiner(self.problem(i, start, before[i], expensive))
            answered = self.after(i).inside[self.player]
            known[i] = self._with_answer(start, found[i].profile, answered)
            final[answered] = known[i].behavior[self.player][answered]
        theirs = base.behavior[self.opponent]
        profile = Profile((final, theirs) if self.player == 0 else (theirs, final))
        return Answers(profile, tuple(found[i] for i in range(len(self.actions))))

    def problem(
        self, i: int, start: Profile, before: Sequence[int] = (), expensive: bool = False
    ) -> Problem:
        """The endgame to solve when action i is taken after those before it."""
        missing, dropped = self.missing(before), self.left_out((*before, i))
        endgame = self.around(i) if expensive else self.after(i)
        return Problem(endgame, self.player, start, (), missing, dropped)

    def _with_answer(self, start: Profile, solved: Profile, answered: Bools) -> Profile:
        """The player's answer [S]; of the opponent all that was found, which is what to believe."""
        mine = start.behavior[self.player].copy()
        mine[answered] = solved.behavior[self.player][answered]
        theirs = solved.behavior[self.opponent]
        return Profile((mine, theirs) if self.player == 0 else (theirs, mine))


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
