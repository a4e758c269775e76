"""Endgames of a game: which moves belong to one, where it is entered, how likely it is.

An endgame is a set of histories closed under successors and under infosets (Definition 1 of the
2017 paper). It is given by infosets, or by the moves it follows, and both conditions are checked
on the histories that a game's nodes remember.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from endspiel.endgame.safe.cut import Cut, Past, at_or_below, cut
from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.game.histories import Histories, Visits
from endspiel.kernels.arrays import Bools, Floats, Ints


@dataclass(frozen=True)
class Endgame:
    """A set of histories closed under successors and infosets, by the moves made inside.

    Examples:
        >>> import endspiel as es
        >>> game = es.games.coin_toss()
        >>> endgame = es.Endgame.where(game, lambda player, infoset: player == 1)
        >>> endgame.head(0), round(endgame.probability(es.Profile.uniform(game)), 6)
        (('Heads', 'Tails'), 0.5)
    """

    game: Game
    inside: tuple[Bools, Bools]  # [S0], [S1] sequences whose last action is taken inside

    @classmethod
    def where(cls, game: Game, chosen: Callable[[int, str], bool]) -> "Endgame":
        """The endgame whose infosets are those that chosen(player, name) picks.

        Refused, by name, is an infoset that can follow a chosen one without being chosen.
        """
        inside = no_moves(game)
        for player, infoset, _, sequence in all_moves(game):
            inside[player][sequence] = chosen(player, infoset)
        for player in (0, 1):
            left_out = np.flatnonzero(_reached(game, player, inside) & ~inside[player])
            if len(left_out):
                name = infoset_name(game, player, int(left_out[0]))
                raise GameError(
                    f"player {player}'s infoset {name!r} can follow the endgame's infosets and "
                    "is not among them: an endgame is closed under successors"
                )
        return cls(game, inside)._checked()

    @classmethod
    def after(cls, game: Game, player: int, sequences: Iterable[int]) -> "Endgame":
        """Everything that follows a player's sequences.

        Refused, by name, is an infoset that is reached after these sequences and after others.
        """
        start = no_moves(game)[player]
        start[list(sequences)] = True
        follows = at_or_below(game.plexes[player], start)
        inside = no_moves(game)
        inside[player][:] = follows & ~start
        seen = visits(game, 1 - player)
        state = Past.of(game.plexes[1 - player]).state
        within, without = (seen.state[m] for m in (follows[seen.other], ~follows[seen.other]))
        split = np.intersect1d(within, without)
        if len(split):
            name = infoset_name(game, 1 - player, int(split[0]))
            raise GameError(
                f"player {1 - player}'s infoset {name!r} has histories inside and outside the "
                "endgame: an endgame is closed under infosets"
            )
        inside[1 - player][:] = np.isin(state, within)
        return cls(game, inside)._checked()

    @classmethod
    def around(cls, game: Game, player: int, infosets: Iterable[str]) -> "Endgame":
        """The smallest endgame that contains some of a player's infosets."""
        wanted = set(infosets)
        inside = no_moves(game)
        for owner, infoset, _, sequence in all_moves(game):
            inside[owner][sequence] = owner == player and infoset in wanted
        size = -1
        while size != (size := int(inside[0].sum() + inside[1].sum())):
            for i in (0, 1):
                inside[i][:] |= _reached(game, i, inside)
        return cls(game, inside)._checked()

    def _checked(self) -> "Endgame":
        self.game.require_perfect_recall("endgame solving")
        if not (self.inside[0].any() or self.inside[1].any()):
            raise GameError(f"this endgame of {self.game.name} has no infosets")
        return self

    def cut(self, dropped: tuple[Bools, Bools] | None = None) -> Cut:
        """The endgame as a game of its own, some moves [S0], [S1] left out where told."""
        return cut(self.game, self.inside, dropped or no_moves(self.game))

    def head(self, player: int) -> tuple[str, ...]:
        """The player's infosets whose actions lead into the endgame (their part of S_r)."""
        entries = set(self.cut().entries(player).tolist())
        moves = all_moves(self.game)
        names = [infoset for i, infoset, _, s in moves if i == player and s in entries]
        return tuple(dict.fromkeys(names))

    def entering(self) -> tuple[Ints, Ints, Floats]:
        """The histories at which the endgame is entered (the paper's R), up to its decisions.

        Player 0's and player 1's last sequences [V], and nature's part in the probability [V].
        """
        found = []
        for player in (0, 1):
            seen = visits(self.game, player)
            own = Past.of(self.game.plexes[player]).parent[seen.state]
            first = self.inside[player][seen.state] & ~self.inside[player][own]
            first &= ~self.inside[1 - player][seen.other]
            pair = (own, seen.other) if player == 0 else (seen.other, own)
            found.append((pair[0][first], pair[1][first], seen.chance[first]))
        one, two, chance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return one, two, chance

    def probability(self, profile: Profile) -> float:
        """How often play comes to a decision of the endgame."""
        one, two, chance = self.entering()
        plans = profile.plan(self.game, 0), profile.plan(self.game, 1)
        return float((chance * plans[0][one] * plans[1][two]).sum())

    def require_apart(self, others: Iterable["Endgame"]) -> None:
        """Refuse other endgames that share an infoset with this one."""
        for other in others:
            for player in (0, 1):
                both = np.flatnonzero(self.inside[player] & other.inside[player])
                if len(both):
                    name = infoset_name(self.game, player, int(both[0]))
                    raise GameError(f"two endgames share player {player}'s infoset {name!r}")


def no_moves(game: Game) -> tuple[Bools, Bools]:
    """Marks [S0], [S1] of no sequence at all."""
    one, two = (np.zeros(plex.num_sequences, dtype=bool) for plex in game.plexes)
    return one, two


def all_moves(game: Game) -> list[tuple[int, str, str, int]]:
    """Every (player, infoset, action, sequence) of a game with names."""
    if game.labels is None:
        raise GameError(f"the infosets of {game.name} have no names to tell an endgame by")
    return [
        (player, *move)
        for player, labels in enumerate(game.labels)
        for move in labels.walk(game.plexes[player])
    ]


def infoset_name(game: Game, player: int, sequence: int) -> str:
    """The name of the infoset that a sequence's last action belongs to."""
    for owner, infoset, _, s in all_moves(game):
        if owner == player and s == sequence:
            return infoset
    return f"sequence {sequence}"


def move_names(game: Game, player: int, sequences: Ints) -> tuple[str, ...]:
    """Infoset and action of each of a player's sequences; "start" at a root."""
    names = {s: f"{infoset}: {action}" for i, infoset, action, s in all_moves(game) if i == player}
    return tuple(names.get(int(s), "start") for s in sequences)


def visits(game: Game, player: int) -> Visits:
    """The histories at which a player moves, where the game remembers them."""
    if not isinstance(game.nodes, Histories):
        raise GameError(f"{game.name} does not remember its histories, so no endgame can be cut")
    return game.nodes.visits(player)


def counterfactual_reach(game: Game, player: int, profile: Profile) -> Floats:
    """Nature's and the other player's part in reaching the state of each sequence [S].

    1 at the roots. Times the player's own plan it is the probability that the sequence is played.
    """
    seen = visits(game, player)
    other = profile.plan(game, 1 - player)[seen.other]
    state = Past.of(game.plexes[player]).state
    reach = np.bincount(seen.state, seen.chance * other, len(state))[np.maximum(state, 0)]
    result: Floats = np.where(state < 0, 1.0, reach)
    return result


def _reached(game: Game, player: int, inside: tuple[Bools, Bools]) -> Bools:
    """The player's sequences [S] at states with a history right after a move marked inside."""
    past = Past.of(game.plexes[player])
    seen = visits(game, player)
    follows: Bools = (past.parent >= 0) & inside[player][past.parent]
    return follows | np.isin(past.state, seen.state[inside[1 - player][seen.other]])
