"""No-limit flop hold'em, whole and cut into endgames, for the board kernels.

An endgame begins when the preflop betting ends and before the flop is dealt: one per preflop line,
every flop inside it, entered with every hand. Its betting nodes are the whole game's, so that
strategies move between the two by rows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from endspiel.betting import BettingTree, Sizing, StreetMenu, game_tree
from endspiel.cards.deck import NUM_CARDS, NUM_RANKS, hand_cards
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.card_tree import CardTree, flop_tree
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board_arrays import Float32s, Ints, Meta
from endspiel.kernels.simd import LANES
from endspiel.rules.builtin import load_game
from endspiel.solvers.board_cfr import BoardCFR

PREFLOP: Final = 0
FLOP: Final = 1
UNIT: Final = 100.0  # chips of a big blind


def _sizing(preflop: str, flop: str, add_allin: float = 0.0, force_allin: float = 0.0) -> Sizing:
    before, after = StreetMenu.parse(preflop, preflop), StreetMenu.parse(flop, flop)
    return Sizing((before, after, None, None), 3, add_allin, force_allin)


# The paper gives no menus, only how many sequences are not terminal: 9 and 48, 30 and 172. The
# large menu has exactly those; no plain menu has nine preflop, as raises follow a limp as they
# follow the blinds.
SIZINGS: Final = {
    "small": _sizing("150%", "100%", add_allin=1.5, force_allin=0.15),  # 8 and 48
    "large": _sizing("100%, 300%", "100%"),  # 30 and 172
}


@dataclass(frozen=True)
class Endgame:
    """What follows one preflop line: its node, and where it leaves the preflop street."""

    node: int  # of the betting tree: the chance node that deals the flop
    line: str
    spent: int  # chips of each player
    sequences: tuple[int, int]  # each player's last preflop sequence


@dataclass(frozen=True, eq=False)
class FlopGame:
    """Flop hold'em on a deck of so many ranks, with one of the menus."""

    size: str
    ranks: int = NUM_RANKS

    def __post_init__(self) -> None:
        if self.size not in SIZINGS:
            raise GameError(f"there is no size {self.size!r}: sizes are {', '.join(SIZINGS)}")

    @cached_property
    def betting(self) -> BettingTree:
        return game_tree(load_game("flop-holdem"), SIZINGS[self.size])

    @cached_property
    def cards(self) -> CardTree:
        return flop_tree(self.ranks)

    @cached_property
    def whole(self) -> CardGame:
        """The game without card abstraction."""
        return CardGame(self.betting, self.cards, unit=UNIT)

    @cached_property
    def endgames(self) -> tuple[Endgame, ...]:
        """Every preflop line that is followed by a decision on the flop."""
        betting, found = self.betting, []
        preflop, flop = self.whole.streets
        for start, sequences in zip(flop.starts, preflop.out, strict=True):
            if betting.num_children[start]:  # nothing is left to decide after an all-in
                node = int(betting.parent[start])
                spent = int(betting.spent[node].max())
                found.append(Endgame(node, betting.line(node), spent, sequences))
        return tuple(found)

    def counts(self) -> tuple[int, int]:
        """Betting sequences, preflop and on the flop, that are not terminal."""
        decisions = self.betting.street_counts()[0]
        return int(decisions[PREFLOP]), int(decisions[FLOP])

    def bucketed(self, buckets: Buckets) -> CardGame:
        """The game in which hands of one bucket play alike on the flop."""
        return CardGame(self.betting, self.cards, unit=UNIT, buckets=buckets)

    def cut(self, endgame: Endgame) -> CardGame:
        """The endgame's game; its root's ranges are everybody's hands until they are set."""
        return CardGame(self.betting, self.cards, node=endgame.node, unit=UNIT)


def street_rows(
    solver: BoardCFR, street: int, player: int, kept: Float32s | None = None
) -> Float32s:
    """A view of the averages (or regrets) of a street's unabstracted rows: [tiles, rows, 16]."""
    kept = solver.kept.average if kept is None else kept
    meta, game = solver.game.tables.meta[street, player], solver.game
    rows = game.streets[street].size[player] - len(game.streets[street].starts)
    start = int(meta[Meta.KEPT] + meta[Meta.LINES] * LANES)
    tiles = game.num_tiles(street, player)
    return kept[start : start + tiles * rows * LANES].reshape(tiles, rows, LANES)


def shared_rows(game: CardGame, part: CardGame, player: int) -> tuple[Ints, Ints]:
    """Rows of a whole game's flop that an endgame has too: there, and in the endgame."""
    flop, own = game.streets[FLOP], part.streets[FLOP]
    first = dict(zip(flop.decisions[player], flop.first[player], strict=True))
    there: list[int] = []
    here: list[int] = []
    decisions = zip(own.decisions[player], own.first[player], own.actions[player], strict=True)
    for node, begin, actions in decisions:
        there += range(first[node] - len(flop.starts), first[node] - len(flop.starts) + actions)
        here += range(begin - len(own.starts), begin - len(own.starts) + actions)
    return np.array(there, dtype=np.int64), np.array(here, dtype=np.int64)


def put_back(whole: BoardCFR, part: BoardCFR, player: int) -> None:
    """Give a player the endgame's strategy in the whole game."""
    there, here = shared_rows(whole.game, part.game, player)
    street_rows(whole, FLOP, player)[:, there] = street_rows(part, FLOP, player)[:, here]


def take_out(whole: BoardCFR, part: BoardCFR, player: int) -> None:
    """Give a player the whole game's strategy in the endgame."""
    there, here = shared_rows(whole.game, part.game, player)
    street_rows(part, FLOP, player)[:, here] = street_rows(whole, FLOP, player)[:, there]


def spread_buckets(base: BoardCFR, whole: BoardCFR) -> None:
    """Give both players of an unabstracted game the strategies of an abstract one."""
    buckets = base.game.buckets
    if buckets is None:
        raise GameError("the base strategy has no buckets to spread")
    for player in (0, 1):
        street_rows(whole, PREFLOP, player)[:] = street_rows(base, PREFLOP, player)
        meta = base.game.tables.meta[FLOP, player]
        width = base.game.kept_part(FLOP, player) // (buckets.count + 1)
        shared = base.kept.average[int(meta[Meta.KEPT]) :][: (buckets.count + 1) * width]
        rows = street_rows(whole, FLOP, player)
        by_bucket = shared.reshape(-1, width)[:, : rows.shape[1]]
        side = base.game.cards[FLOP].sides[player]
        for b, (start, stop) in enumerate(zip(side.start[:-1], side.start[1:], strict=True)):
            hands = side.hand[start * LANES : stop * LANES]
            bucket = np.where(hands < 0, buckets.count, buckets.of[b, hands])
            rows[start:stop] = by_bucket[bucket].reshape(-1, LANES, rows.shape[1]).swapaxes(1, 2)


def set_root(game: CardGame, player: int, reaches: Floats) -> None:
    """Let a player come into an endgame with these reaches [K] of its hands."""
    start = int(game.tables.meta[0, player, Meta.ROOT])
    game.tables.root[start : start + len(reaches)] = reaches


def root_range(game: CardGame, player: int) -> Floats:
    """The reaches [K] with which a player comes into an endgame."""
    start, hands = int(game.tables.meta[0, player, Meta.ROOT]), game.cards[0].sides[player].hands[0]
    return game.tables.root[start : start + hands].astype(np.float64)


def reaches(solver: BoardCFR, player: int) -> Floats:
    """A player's probability [S, K] of each preflop sequence, when the deal and the other allow."""
    preflop = solver.game.streets[PREFLOP]
    lines, behavior = len(preflop.starts), solver.behavior(PREFLOP, 0, player)
    found = np.ones((preflop.size[player], behavior.shape[1]))
    decisions = zip(
        preflop.first[player], preflop.actions[player], preflop.parent[player], strict=True
    )
    for first, actions, parent in decisions:
        span = slice(first - lines, first - lines + actions)
        found[first : first + actions] = found[parent] * behavior[span]
    return found


def disjoint_mass(hands: Ints, weights: Floats) -> Floats:
    """The weight [K] of all hands that share no card with each hand."""
    cards = hand_cards()[hands]
    by_card = np.bincount(cards.ravel(), np.repeat(weights, 2), NUM_CARDS)
    mass: Floats = weights.sum() - by_card[cards].sum(axis=1) + weights
    return mass
