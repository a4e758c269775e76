"""The best response to a blueprint on real cards: one flop, all its turns and rivers.

The responder bets within the blueprint's own tree but distinguishes all hands, on every
board. What a hand is worth after a line of preflop betting depends on the blueprint's reach there
alone, so each flop is a piece of work of its own; `real_exploit` puts them together.
"""

from collections.abc import Iterable
from functools import cached_property
from threading import Event

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.features import DEAD
from endspiel.arena.estimators.real_strategy import RealStrategy, bucketing
from endspiel.betting.tree import BY_CHANCE, CHANCE, DECISION, FOLD, SHOWDOWN, BettingTree
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.live import live_mask, live_numbers
from endspiel.cards.strength import board_strengths
from endspiel.errors import GameError, Stopped
from endspiel.kernels.response import BoardHands, StreetLines, reach_down, values_up

Float32s = NDArray[np.float32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Cards = tuple[int, ...]
NUM_STREETS = 4
TURN_CARDS, RIVER_CARDS = 45, 44  # that can come once both hands and the board are known


class RealResponse:
    """One player's best response to the other's part of a strategy."""

    def __init__(self, blueprint: RealStrategy, player: int) -> None:
        if len(blueprint.game.board_sizes) != NUM_STREETS:
            raise GameError("a best response on real cards is to hold'em with four streets")
        self.blueprint, self.player, self.tree = blueprint, player, blueprint.tree
        self._buckets = bucketing(blueprint)
        self._rows, self._table, self._never = _strategy_table(blueprint, 1 - player)
        self._all_in = _all_in(self.tree)
        self._stopped = Event()

    @cached_property
    def nodes(self) -> list[Ints]:
        """Nodes of each street that are walked.

        None that follow an all-in before the flop, nor after the flop those that follow an action
        which the other never takes: nothing is won or lost there.
        """
        tree, gone = self.tree, np.zeros(self.tree.num_nodes, bool)
        for node in range(1, tree.num_nodes):
            parent = int(tree.parent[node])
            early = tree.street[parent] == 0 and tree.kind[parent] == CHANCE
            gone[node] = gone[parent] or (early and self._all_in[parent]) or self._never[node]
        return [
            np.flatnonzero((tree.street == s) & ~(gone if s else np.zeros_like(gone)))
            for s in range(NUM_STREETS)
        ]

    @cached_property
    def exits(self) -> list[Ints]:
        """Chance nodes of each street by which lines go on to the next."""
        found = [nodes[self.tree.kind[nodes] == CHANCE] for nodes in self.nodes]
        found[0] = found[0][~self._all_in[found[0]]]
        return found

    @cached_property
    def lines(self) -> list[StreetLines]:
        """The lines of each street as the kernels want them."""
        return [self._street_lines(street) for street in range(NUM_STREETS)]

    def _street_lines(self, street: int) -> StreetLines:
        tree, nodes = self.tree, self.nodes[street]
        local = {int(node): at for at, node in enumerate(nodes)}
        parents = tree.parent[nodes]
        begins = (tree.action[nodes] == BY_CHANCE) | (nodes == 0)
        enters = {int(tree.first_child[node]): i for i, node in enumerate(self.exits[street - 1])}
        leaves = {int(node): i for i, node in enumerate(self.exits[street])}
        kind, who = tree.kind[nodes], tree.player[nodes]
        pot, spent = tree.pot / 2, tree.spent[nodes]
        won = np.where(who == self.player, -spent[:, self.player], spent[:, 1 - self.player])
        sign = np.where(who == self.player, -1, 1)
        stake = np.where(kind == FOLD, won + sign * pot, spent.min(axis=1) + pot)
        return StreetLines(
            kind=kind.astype(np.int32),
            parent=_int32s(
                -1 if start else local[int(p)] for start, p in zip(begins, parents, strict=True)
            ),
            entry=_int32s(
                (enters[int(n)] if street else 0) if start else -1
                for start, n in zip(begins, nodes, strict=True)
            ),
            leaving=_int32s(leaves.get(int(node), -1) for node in nodes),
            mine=((kind == DECISION) & (who == self.player)).astype(np.int32),
            row=self._rows[nodes],
            stake=stake.astype(np.float32),
        )

    @cached_property
    def preflop_reach(self) -> Float32s:
        """The other's reach [N, 1326] at the nodes before the flop."""
        hands = self._hands((), np.arange(NUM_HANDS))
        start = np.ones((1, NUM_HANDS), np.float32)
        return self._down(0, hands, start)

    def flop_values(self, flop: Cards) -> Float32s:
        """Each hand's best value [X, 1326] after the lines that see a flop, this one dealt.

        In chips, weighed by the other's reach; 0 for hands that the flop makes impossible.
        """
        lines = self.exits[0]
        at = np.searchsorted(self.nodes[0], lines)
        return self._street(1, flop, self.preflop_reach[at])

    def stop(self) -> None:
        """End the walks under way, in whichever thread: they raise `Stopped`."""
        self._stopped.set()

    @property
    def work_bytes(self) -> int:
        """Bytes that one walk takes: reaches and values of a board of each street."""
        return sum(8 * len(nodes) * NUM_HANDS for nodes in self.nodes)

    def _street(self, street: int, board: Cards, entering: Float32s) -> Float32s:
        """Values [L, 1326] of the lines into a street on a board, from the other's reach there."""
        if self._stopped.is_set():
            raise Stopped
        if street == NUM_STREETS - 1:
            return self._river(board, entering)
        live = live_mask(board)
        hands = self._hands(board, np.arange(NUM_HANDS))
        reach = self._down(street, hands, entering * live)
        at = np.searchsorted(self.nodes[street], self.exits[street])
        leaving = np.zeros((len(at), NUM_HANDS))
        going = reach[at]
        for card, images in next_cards(board):
            found = self._street(street + 1, (*board, card), going * live_mask((*board, card)))
            for image in images:
                leaving[:, hand_permutations()[image]] += found
        leaving /= TURN_CARDS if street == 1 else RIVER_CARDS
        return self._up(street, hands, reach, leaving.astype(np.float32)) * live

    def _river(self, board: Cards, entering: Float32s) -> Float32s:
        live = live_numbers(board)
        strengths = board_strengths(board)[live]
        order = live[np.argsort(strengths, kind="stable")]
        hands = self._hands(board, order, np.sort(strengths))
        reach = self._down(3, hands, np.ascontiguousarray(entering[:, order]))
        out = np.zeros((len(entering), NUM_HANDS), np.float32)
        out[:, order] = self._up(3, hands, reach, np.zeros((0, len(order)), np.float32))
        return out

    def _hands(self, board: Cards, hands: Ints, strengths: Ints | None = None) -> BoardHands:
        buckets = np.asarray(self._buckets(board))[hands]
        low, high = np.ascontiguousarray(hand_cards()[hands].T)
        last = np.zeros(0, np.int64)
        if strengths is not None:
            last = np.flatnonzero(np.diff(strengths.astype(np.int64), append=-1)) + 1
        alive = np.where(buckets == DEAD, 0, buckets).astype(np.uint16)
        return BoardHands(low, high, alive, last.astype(np.int32))

    def _down(self, street: int, hands: BoardHands, entering: Float32s) -> Float32s:
        lines = self.lines[street]
        reach = np.empty((len(lines.kind), len(hands.low)), np.float32)
        reach_down(lines, hands, self._table, entering, reach)
        return reach

    def _up(self, street: int, hands: BoardHands, reach: Float32s, leaving: Float32s) -> Float32s:
        lines = self.lines[street]
        count = len(self.exits[street - 1]) if street else 1
        entering = np.zeros((count, reach.shape[1]), np.float32)  # lines without reach stay zero
        values_up(lines, hands, reach, leaving, np.empty_like(reach), entering)
        return entering


def _int32s(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32)


def _strategy_table(
    blueprint: RealStrategy, other: int
) -> tuple[Ints, Float32s, NDArray[np.bool_]]:
    """Where the probabilities of the action to each node begin [N], and all of them, by bucket.

    -1 where the action is not the other player's. And which actions [N] it never takes.
    """
    tree = blueprint.tree
    rows, parts, size = np.full(tree.num_nodes, -1, np.int64), [np.zeros(0, np.float32)], 0
    never = np.zeros(tree.num_nodes, bool)
    for node in np.flatnonzero((tree.kind == DECISION) & (tree.player == other)):
        shares = blueprint.rows(int(node)).astype(np.float32)  # [A, K]
        for action, child in enumerate(tree.children(int(node))):
            rows[child] = size + action * shares.shape[1]
            never[child] = not shares[action].any()
        parts.append(shares.ravel())
        size += shares.size
    return rows, np.concatenate(parts), never


def _all_in(tree: BettingTree) -> NDArray[np.bool_]:
    """Which nodes [N] have no decision at or after them."""
    quiet = tree.kind != DECISION
    for node in range(tree.num_nodes - 1, 0, -1):
        quiet[tree.parent[node]] &= quiet[node]
    all_in: NDArray[np.bool_] = quiet & ((tree.kind == CHANCE) | (tree.kind == SHOWDOWN))
    return all_in


def next_cards(board: Cards) -> list[tuple[int, list[int]]]:
    """Cards after a flop or turn, one of those alike up to suits, with relabelings to the others.

    Alike are cards that some relabeling which leaves the flop and the turn as they are exchanges.
    """
    suits = suit_permutations().astype(np.int64)

    def moved(number: int, cards: Cards) -> set[int]:
        return {4 * (c >> 2) + int(suits[number][c & 3]) for c in cards}

    parts = board[:3], board[3:]
    fixing = [p for p in range(len(suits)) if all(moved(p, part) == set(part) for part in parts)]
    found: dict[int, dict[int, int]] = {}  # by first card: relabeling to each image
    seen: set[int] = set(board)
    for card in range(NUM_CARDS):
        if card not in seen:
            images = {moved(p, (card,)).pop(): p for p in reversed(fixing)}
            found[card] = images
            seen |= images.keys()
    return [(card, list(images.values())) for card, images in found.items()]
