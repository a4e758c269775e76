"""AIVAT with a blueprint's values: what each hand may expect if both players go on by it.

The other player's hand is known, so a value is a row over agent A's buckets against one bucket
(see ``blueprint_values_tables``): chips V and chips S that meet at a showdown. A hand is worth its
bucket's V, and S times what its own chance to win against that very hand is better than its
bucket's. On the river nothing is left to buckets but how they are played: where both do play the
blueprint, values are exact there.

Bets that the tree has not are followed as agents follow them (``agent.follow``), and its chips are
scaled to the pot at the table. Where the tree or the sample of boards has nothing to say, hands
count as if both lay open.
"""

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.features import DEAD
from endspiel.agent.follow import NOWHERE, Follower
from endspiel.arena.estimators.blueprint_values_boards import BoardBuckets
from endspiel.arena.estimators.blueprint_values_tables import (
    Ends,
    EndValues,
    Float32s,
    Players,
    ends,
)
from endspiel.arena.estimators.shares import Floats, shares
from endspiel.arena.estimators.values import Seen, open_hands
from endspiel.betting.tree import CHANCE
from endspiel.cards.deck import hand_index

_CACHE: Final = 64 << 20  # bytes of each of the caches below, at most
_MANY: Final = 16  # ends of a street on the average
# Hands that hit the flop win more without a showdown too. Of 1, 1.3, 1.6 and 2 times the chips at
# a showdown, 1.3 and 1.6 took away the most noise.
_FLOP_FACTOR: Final = 1.5


class BucketValues:
    """What all buckets of a player may expect against one of the other's."""

    def __init__(self, players: Players, tables: EndValues) -> None:
        self.tree = players[0].tree
        self.pairs = tables.pairs
        self._tables = tables.dealt  # [2, K, K] each
        self._players = players
        kept = max(64, _CACHE // (8 * players[0].sizes[-1]))  # rows, the longest being the river's
        self._ends = lru_cache(kept // _MANY)(self._find_ends)
        self._dealt = lru_cache(kept)(self._find_dealt)
        self.at = lru_cache(kept)(self._find_at)
        self.before = lru_cache(kept)(self._find_before)

    def _find_at(self, node: int, player: int, other: int) -> Float32s:
        """Chips apart from showdowns', and chips that meet there, at a decision: [2, K]."""
        street = int(self.tree.street[node])
        if street == len(self.pairs.first):
            return np.concatenate(_meet(self._ends(node), player, np.array([other])))
        return self._apart(node, street, other, self._sum(node, player, other))

    def _find_before(self, start: int, player: int, other: int) -> Float32s:
        """Values before the cards of a street are dealt, on the buckets of the street before."""
        street = int(self.tree.street[start]) - 1
        return self._apart(start, street, other, self._dealt(start, player, other))

    def _apart(self, node: int, street: int, other: int, found: Float32s) -> Float32s:
        """What is left of J V and J S [2, K] when showdowns are taken out: [2, K]."""
        chance, showdown = self.pairs.chance[street][other], self.pairs.showdown[street][other]
        known = chance > 0
        likely = np.where(known, chance, 1)
        value, met = found / likely
        rest = value + met * showdown / likely  # the row's own showdown is minus the other's
        spent = float(self.tree.spent[node].max()) + self.tree.pot / 2
        return np.stack([np.where(known, rest, 0), np.where(known, met, spent)])

    def _find_ends(self, node: int) -> Ends:
        return ends(self._players, node)

    def _sum(self, node: int, player: int, other: int) -> Float32s:
        """J V and J S [2, K] at a decision."""
        street = int(self.tree.street[node])
        ended = self._ends(node)
        folded, met = _meet(ended, player, np.array([other]))
        found = self._weighed(street, np.array([other]), folded, met)[:, 0]
        begin = len(ended.paid) + len(ended.stakes)
        mine, theirs = ended.reach[player][begin:], ended.reach[1 - player][begin:, other]
        for deal, own, chance in zip(ended.deals, mine, theirs, strict=True):
            if chance:
                found += chance * own * self._dealt(deal, player, other)
        return found

    def _find_dealt(self, start: int, player: int, other: int) -> Float32s:
        """J V and J S [2, K] before the cards of a street are dealt."""
        table = self._tables.get(start)
        if table is not None:  # before flop and turn
            return table[:, :, other] if player == 0 else table[:, other] * _LOSER
        street = int(self.tree.street[start])
        first = self.pairs.first[street - 1]
        below = np.arange(first[other], first[other + 1])
        pairs = self._weighed(street, below, *_meet(self._ends(start), player, below))
        found: Float32s = np.add.reduceat(pairs.sum(axis=1), first[:-1], axis=1)
        return found

    def _weighed(
        self,
        street: int,
        others: NDArray[np.int64],  # [B]
        folded: Float32s,  # [B, K]
        met: Float32s,  # [B, K]
    ) -> Float32s:
        """J V and J S [2, B, K] of chips at folds and showdowns."""
        chance, showdown = self.pairs.chance[street][others], self.pairs.showdown[street][others]
        return np.stack([chance * folded - showdown * met, chance * met])


_LOSER: Final = np.array([[-1], [1]], np.float32)  # V and S from the other player's side


def _meet(
    ended: Ends,
    player: int,
    others: NDArray[np.int64],  # [B]
) -> tuple[Float32s, Float32s]:
    """Chips [B, K] of a player at folds, and those at stake in showdowns, against some buckets."""
    mine, theirs = ended.reach[player], ended.reach[1 - player][:, others]
    folds = len(ended.paid)
    shown = slice(folds, folds + len(ended.stakes))
    paid = ended.paid if player == 0 else -ended.paid
    folded = (theirs[:folds] * paid[:, None]).T @ mine[:folds]
    met = (theirs[shown] * ended.stakes[:, None]).T @ mine[shown]
    return np.asarray(folded, np.float32), np.asarray(met, np.float32)


class BlueprintValues:
    """Values for the estimates of one agent.

    Decisions, turn cards and river cards are corrected by the blueprint's values. The flop has too
    many boards for that: there a hand is worth its chance to win times chips that depend on what,
    before the flop, was to be expected at its showdown. The mean of that needs no dealing.
    """

    def __init__(
        self,
        rows: tuple[BucketValues, BucketValues],  # by the agent's position
        follower: Follower,
        buckets: BoardBuckets,
    ) -> None:
        """The follower is that of an agent at the table, which updates it each hand."""
        self.rows = rows
        self.follower = follower
        self.buckets = buckets

    def __call__(self, seen: Seen) -> Floats:
        """Chips of each hand against one: [1326]."""
        figures = self._figures(seen)
        if figures is None:
            return open_hands(seen)
        rest, met = figures
        game = seen.state.game
        most = min(game.stacks)  # off the tree its own stack may have been scaled beyond
        value: Floats = (rest + met * shares(game, seen.other, seen.board)).clip(-most, most)
        return value

    def before_deal(self, seen: Seen) -> Floats | None:
        """Mean of what ``after_deal`` gives on all flops: [1326]; None later on."""
        return None if seen.board else self.after_deal(seen)

    def after_deal(self, seen: Seen) -> Floats:
        """Values on one flop: [1326]."""
        return self._stake(seen) * shares(seen.state.game, seen.other, seen.board)

    def _stake(self, seen: Seen) -> Floats | float:
        """What a chance to win is worth to each hand, seen from before the flop: [1326] or all."""
        figures = self._figures(seen._replace(board=()))
        return float(seen.state.max_spent) if figures is None else _FLOP_FACTOR * figures[1]

    def _figures(self, seen: Seen) -> tuple[Floats, Floats] | None:
        """Chips of each hand apart from showdowns', and chips it meets them with: [1326] each."""
        state, position, other, board = seen
        node = self.follower.node(state)
        if node == NOWHERE:
            return None
        rows = self.rows[position]
        buckets = self.buckets(board)
        theirs = int(buckets[hand_index(*other)])
        if len(board) == state.game.board_sizes[state.round]:
            row = rows.at(node, position, theirs)
        elif rows.tree.kind[rows.tree.parent[node]] == CHANCE:
            row = rows.before(node, position, theirs)
        else:  # followed to a place that no deal leads to
            return None
        scale = state.pot / (rows.tree.pot + float(rows.tree.spent[node].sum()))
        rest, met = scale * row[:, np.where(buckets == DEAD, 0, buckets)]
        return rest, met
