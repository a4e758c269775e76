"""One player's endgame to solve again, and what the base strategy is worth around it.

Words: the *player* solves, the *opponent* is who might exploit it. An *entry* q is an opponent's
sequence that leads into the endgame S: an infoset I of the head S_r and its action a_S. All
values are the opponent's and counterfactual: weighed by the chances that nature and the player
bring the state about, not divided by them. So they add up: a sequence is worth its value in S
plus whatever else may follow it. Only where entries compete for the smallest margin is a margin
divided by its entry's *weight*, the chance that nature and the player bring S about after q: or
else an entry that the player hardly ever makes possible could have no margin to speak of, and
would leave none to the others.

The appendix of the 2017 paper divides by the same chance for Maxmargin, where the infoset I leads
directly into S. For Reach-Maxmargin its gadget lets the opponent choose the first infoset I' of a
path, and so divides by the chance of I': smaller margins where the player or nature may leave the
path after I'. The margins themselves and the theorems are the same (Theorem 1 has the chance of I
as its factor, which is the weight here), but the smallest is another one, and by the reason above
not the better: on 116 random endgames the best response gained less in two by these weights, in
none by the appendix's (tests/endgame/test_appendix.py has both programs).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from endspiel.endgame.safe.cut import Cut, Past
from endspiel.endgame.safe.subgame import Endgame, no_moves
from endspiel.game import Game, Profile
from endspiel.kernels.arrays import Bools, Floats, Ints

NEVER = 1e-13  # a player's reach below which a sequence counts as not played


@dataclass(frozen=True)
class EnteredEndgame:
    """An endgame into which the player comes as the base strategy has it, the opponent at will."""

    cut: Cut
    player: int
    mass: Floats  # [R] what the player brings to its own entries

    @cached_property
    def game(self) -> Game:
        """The endgame with the player's masses, and 1 at each of the opponent's entries."""
        ones = np.ones(len(self.cut.entries(1 - self.player)))
        return self.cut.ranged((self.mass, ones) if self.player == 0 else (ones, self.mass))

    def values(self, behavior: Floats, missing: Bools | None = None) -> Floats:
        """What the opponent can get at each entry [Q] against behavior [S'] in the endgame.

        The opponent's moves that are marked missing [S] in the full game are not made.
        """
        player, opponent = self.player, 1 - self.player
        plex = self.game.plexes[opponent]
        plan = self.game.plexes[player].walk_down(behavior)
        gradient = self.game.gradient(opponent, plan)
        if missing is not None:
            gradient[plex.num_roots :][
                missing[self.cut.sequences[opponent][plex.num_roots :]]
            ] = -np.inf
        values, _ = plex.best_response(gradient)
        return values[: plex.num_roots]

    def floors(self, opposing: Floats) -> Floats:
        """What the opponent gets at each entry [Q] at least, whatever the player does inside.

        Bounded by an opponent who follows a behavior [S'], and a player who knows both that and
        the entry. (The 2017 paper's bound is the smallest payoff there is.)
        """
        player, opponent = self.player, 1 - self.player
        own, plex = self.game.plexes[player], self.game.plexes[opponent]
        floors = np.empty(plex.num_roots)
        for entry in range(plex.num_roots):
            root = np.zeros(plex.num_roots)
            root[entry] = 1.0
            pair = (self.mass, root) if player == 0 else (root, self.mass)
            plan = self.cut.ranged(pair).plexes[opponent].walk_down(opposing)
            values, _ = own.best_response(self.game.gradient(player, plan))
            floors[entry] = -float(values[: own.num_roots] @ own.root)
        return floors


@dataclass(frozen=True)
class Problem:
    """A player's endgame, the base strategy outside it, and what else is going to change.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> endgame = es.Endgame.where(game, lambda player, infoset: player == 1)
        >>> problem = es.Problem(endgame, 1, es.Profile.uniform(game))
        >>> problem.opponent, problem.entry_values.round(3).tolist()
        (0, [0.167, 0.167])
    """

    endgame: Endgame
    player: int
    base: Profile
    others: tuple[Endgame, ...] = ()  # endgames that are solved again too, independently
    missing: tuple[Bools, Bools] | None = None  # [S0], [S1] moves that the base does not have
    dropped: tuple[Bools, Bools] | None = None  # [S0], [S1] moves left out of the new strategy

    def __post_init__(self) -> None:
        self.endgame.require_apart(self.others)

    @property
    def game(self) -> Game:
        return self.endgame.game

    @property
    def opponent(self) -> int:
        return 1 - self.player

    @cached_property
    def entered(self) -> EnteredEndgame:
        """The endgame itself."""
        return self.entered_at(self.endgame)

    def entered_at(self, endgame: Endgame) -> EnteredEndgame:
        """Any endgame, as the player comes to it by the base strategy."""
        part = endgame.cut(self.dropped)
        return EnteredEndgame(part, self.player, self._plan[part.entries(self.player)])

    @property
    def entries(self) -> Ints:
        """The opponent's sequences [Q] that lead into the endgame."""
        return self.entered.cut.entries(self.opponent)

    @cached_property
    def weights(self) -> Floats:
        """Nature's and the player's part in entering the endgame after each entry [Q]."""
        *sequences, chance = self.endgame.entering()
        reach = chance * self._plan[sequences[self.player]]
        weights = np.zeros(self.game.plexes[self.opponent].num_sequences)
        np.add.at(weights, sequences[self.opponent], reach)
        return weights[self.entries]

    def floors(self, entered: EnteredEndgame) -> Floats:
        """The least that the opponent's base strategy gets it at each entry [Q] of an endgame."""
        opposing = entered.cut.behavior(self.opponent, self.base.behavior[self.opponent])
        return entered.floors(opposing)

    @cached_property
    def past(self) -> Past:
        """What lies behind the opponent's sequences."""
        return Past.of(self.game.plexes[self.opponent])

    @cached_property
    def sequence_values(self) -> Floats:
        """CBV of each of the opponent's sequences [S] in the full game; -inf where missing."""
        return self.walk_up(self.game.gradient(self.opponent, self._plan))

    @cached_property
    def state_values(self) -> Floats:
        """CBV of each of the opponent's states, at the sequence of its first action [S]."""
        best = np.full(len(self.sequence_values), -np.inf)
        moved = self.past.state >= 0
        np.maximum.at(best, self.past.state[moved], self.sequence_values[moved])
        return best

    @cached_property
    def entry_values(self) -> Floats:
        """CBV(I, a_S) of the base strategy at each entry [Q]: the part of it inside the endgame.

        An entry that the base lacks has CBV(I) less what else follows it instead, as in
        inexpensive nested solving.
        """
        entered = self.entered
        behavior = entered.cut.behavior(self.player, self.base.behavior[self.player])
        values = entered.values(behavior, self._missing)
        lacks = self._missing[self.entries]
        if lacks.any():
            states = self.past.state[self.entries[lacks]]
            values[lacks] = self.state_values[states] - self.beside[lacks]
        return values

    @cached_property
    def beside(self) -> Floats:
        """What else than the endgame's decisions follows each entry, against the base [Q]."""
        values = self.walk_up(self.gradient_outside((self.endgame,)), self.entries)
        return values[self.entries]

    def walk_up(self, gradient: Floats, made: Ints | None = None) -> Floats:
        """The opponent's values [S] of a gradient [S]; missing moves are not made, but for some."""
        missing = self._missing.copy()
        missing[made if made is not None else []] = False
        gradient[missing] = -np.inf
        values, _ = self.game.plexes[self.opponent].best_response(gradient)
        return values

    def gradient_outside(self, endgames: tuple[Endgame, ...]) -> Floats:
        """What the opponent's sequences earn [S] against the base outside all these endgames."""
        form = self.game.matrix.tocoo()
        within = np.zeros(form.nnz, dtype=bool)
        for endgame in endgames:
            within |= endgame.inside[0][form.row] | endgame.inside[1][form.col]
        matrix = sparse.csr_matrix((form.data * ~within, (form.row, form.col)), shape=form.shape)
        earned: Floats = matrix @ self._plan if self.opponent == 0 else -(matrix.T @ self._plan)
        return earned

    @property
    def _missing(self) -> Bools:
        return (self.missing or no_moves(self.game))[self.opponent]

    @property
    def lacking(self) -> Ints:
        """The entries that the base strategy does not have."""
        return self.entries[self._missing[self.entries]]

    @cached_property
    def _plan(self) -> Floats:
        plan = self.base.plan(self.game, self.player)
        # An endgame that is reached by rounding only has no payoffs worth a solver's precision.
        plan[plan < NEVER] = 0.0
        return plan
