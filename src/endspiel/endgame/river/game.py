"""A river endgame in buckets of hands as a plain `Game`, its payoffs exact over all pairs of hands.

A state of a player is a bucket. What two buckets pay each other is summed over the pairs of hands
in them that share no card, so the joint distribution of the hands is kept whole whatever the
buckets. Sequence s of a player's betting with bucket k is ``s * K + k``; s = 0 is the empty one.
"""

from ctypes import byref, c_int64
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.menu import Sizing
from endspiel.betting.no_limit import no_limit_tree
from endspiel.betting.streets import Street, cut_streets, last_sequences
from endspiel.betting.tree import BY_CHANCE, NOBODY, SHOWDOWN, BettingTree
from endspiel.cards.deck import hand_masks
from endspiel.cards.removal import conflicts
from endspiel.endgame.river.buckets import RiverBuckets
from endspiel.endgame.river.river import River
from endspiel.game import Game, Labels, Matrix, TerminalGroup, Treeplex
from endspiel.game.histories import Visits
from endspiel.kernels.arrays import Float64s, Floats, Ints
from endspiel.native.boundary import packed, pointer
from endspiel.native.library import function
from endspiel.solvers.lp.sparse_showdown import Showdown

RIVER_STREET = 3
TREE_LIMIT = 100_000  # betting nodes; a linear program has hundreds


def river_tree(river: River, menu: Sizing) -> BettingTree:
    """The betting of an endgame with its real pot and stacks; nothing but a showdown without."""
    if river.stack:
        return no_limit_tree(river.pot, river.stack, RIVER_STREET, menu, TREE_LIMIT)
    return BettingTree(
        pot=river.pot,
        stack=0,
        kind=np.array([SHOWDOWN], np.int8),
        player=np.array([NOBODY], np.int8),
        street=np.array([RIVER_STREET], np.int8),
        spent=np.zeros((1, 2), np.int64),
        parent=np.array([NOBODY], np.int32),
        first_child=np.ones(1, np.int32),
        num_children=np.zeros(1, np.int32),
        action=np.array([BY_CHANCE], np.int64),
    )


def num_sequences(street: Street) -> tuple[int, int]:
    """Each player's betting sequences, the empty one not counted: the paper's b."""
    return street.size[0] - 1, street.size[1] - 1


@dataclass(frozen=True, eq=False)
class RiverGame:
    """The betting of an endgame times both players' buckets."""

    river: River
    tree: BettingTree
    buckets: tuple[RiverBuckets, RiverBuckets]

    @cached_property
    def street(self) -> Street:
        """The betting by players: decisions, sequences and terminals."""
        return cut_streets(self.tree)[0]

    @cached_property
    def joint(self) -> Floats:
        """Probability that the players hold hands of two buckets: [K0, K1]."""
        met = self._masses[0]
        probability: Floats = met / met.sum()
        return probability

    @cached_property
    def advantage(self) -> Floats:
        """Probability that player 0's bucket meets player 1's and wins, less that it loses."""
        met, won = self._masses
        difference: Floats = won / met.sum()
        return difference

    @cached_property
    def showdown(self) -> Showdown | None:
        """The hands by strength, where every hand is a bucket; None where buckets are wider."""
        held = [np.flatnonzero(weights > 0) for weights in self.river.ranges]
        if any(
            len(hands) != buckets.count for hands, buckets in zip(held, self.buckets, strict=True)
        ):
            return None
        one, two = (
            hands[np.argsort(b.of[hands])] for hands, b in zip(held, self.buckets, strict=True)
        )
        strengths = self.river.strengths.astype(np.int64)
        return Showdown(
            (strengths[one], strengths[two]),
            (self.river.ranges[0][one], self.river.ranges[1][two]),
            conflicts()[np.ix_(one, two)],
        )

    @cached_property
    def _masses(self) -> tuple[Floats, Floats]:
        one, two = (HeldHands.of(self.river, self.buckets[player], player) for player in (0, 1))
        met, won = np.zeros((2, self.buckets[0].count, self.buckets[1].count))
        _meet(one, two, met, won)
        return met, won

    @cached_property
    def game(self) -> Game:
        """The endgame; payoffs are shares of the pot beyond the half that each player owns."""
        plexes = self._plex(0), self._plex(1)
        mass = np.outer(plexes[0].root, plexes[1].root)
        folded, shown = self.joint / mass, self.advantage / mass
        groups = []
        for form, at_showdown in ((folded, False), (shown, True)):
            ends = [t for t in self.street.terminals if (t.folder < 0) == at_showdown]
            if not ends:
                continue
            stakes = np.array([t.gain(0) for t in ends]) / self.river.pot
            seqs = np.array([t.seqs for t in ends], dtype=np.int64).T
            first = (np.ascontiguousarray(seqs[p] * self.buckets[p].count) for p in (0, 1))
            groups.append(TerminalGroup(Matrix(form), stakes, *first))
        largest = 0.5 + self.river.stack / self.river.pot
        return Game(plexes, groups, "river endgame", span=2 * largest, nodes=self)

    def named(self) -> Game:
        """A copy with names of its infosets, by which endgames are cut out of it."""
        return replace(self.game, labels=(self._labels(0), self._labels(1)))

    def _labels(self, player: int) -> Labels:
        """Infosets as bucket and line, such as ``7:c b100``."""
        nodes, count = self.street.decisions[player], self.buckets[player].count
        lines = [self.tree.line(node) for node in nodes]
        infosets = tuple(tuple(f"{k}:{line}" for k in range(count)) for line in lines)
        return Labels(infosets, tuple((tuple(self.tree.words(node)),) * count for node in nodes))

    def visits(self, player: int) -> Visits:
        """The histories at which a player moves: every pair of buckets that may meet."""
        joint = self.joint / np.outer(self.game.plexes[0].root, self.game.plexes[1].root)
        joint = joint if player == 0 else joint.T
        (own, other), last = np.nonzero(joint), last_sequences(self.tree, self.street)
        counts, found = (self.buckets[player].count, self.buckets[1 - player].count), []
        for at in self.street.own(player):
            before = last[at.node][1 - player] * counts[1]
            found.append((at.first * counts[0] + own, before + other, joint[own, other]))
        state, others, chance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Visits(state, others, chance)

    def _plex(self, player: int) -> Treeplex:
        buckets, states = self.buckets[player], np.arange(self.buckets[player].count)
        # A bucket without a hand of the range pays nothing whatever it does: any mass will do.
        mass = np.where(buckets.mass > 0, buckets.mass, 1.0)
        blocks = [
            (own.parent * buckets.count + states, own.actions) for own in self.street.own(player)
        ]
        return Treeplex.from_blocks(mass, blocks)


class HeldHands(NamedTuple):
    """The hands of one range, weakest first, as the pair kernel wants them. H hands."""

    strength: Ints  # [H]
    mask: NDArray[np.uint64]  # [H] cards as bits
    weight: Float64s  # [H]
    bucket: Ints  # [H]

    @classmethod
    def of(cls, river: River, buckets: RiverBuckets, player: int) -> "HeldHands":
        """Those of a player."""
        held = np.flatnonzero(river.ranges[player] > 0)
        held = held[np.argsort(river.strengths[held], kind="stable")]
        strength = river.strengths[held].astype(np.int64)
        return cls(strength, hand_masks()[held], river.ranges[player][held], buckets.of[held])


def _meet(one: HeldHands, two: HeldHands, met: Float64s, won: Float64s) -> None:
    """Weight of all pairs that share no card, and wins less losses, by buckets: [K0, K1]."""
    count = met.shape[1]
    function("meet_hands")(
        byref(packed(one)),
        byref(packed(two)),
        c_int64(count),
        pointer(np.empty((2, count)), np.float64),
        pointer(met, np.float64, written=True),
        pointer(won, np.float64, shape=met.shape, written=True),
    )
