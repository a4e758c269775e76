"""Every backend, each over a small game that it lays out, beside a treeplex of that game."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from endspiel.betting.limit import limit_tree
from endspiel.betting.no_limit import no_limit_tree
from endspiel.blueprint.train import BucketBackend
from endspiel.blueprint.train_gpu import GpuBucketBackend
from endspiel.blueprint.training import Setting
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.engine.backend import Backend
from endspiel.game import Game
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.card_tree import Board, CardTree, holdem_tree
from endspiel.games.dense import dense_game
from endspiel.gpu.backend import StreamBackend
from endspiel.reproduce.last_street.batched import BatchedBackend
from endspiel.reproduce.last_street.boards import BoardStreet, LastStreet, street_game
from endspiel.reproduce.last_street.streams import StreamStreet
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.trunk import Decomposition, TrunkBackend
from endspiel.solvers.firstorder.cfr import PlexBackend
from endspiel.values.depth import DepthLimited
from tests.blueprint.small import made_up_joint, model
from tests.games.spots import menu_sizing, small_game
from tests.gpu.cpu_device import CpuDevice
from tests.values.run_outs import RunOuts

CLOSE = 2e-6  # of the pot: what 32-bit floats may differ by
SHORT_DECK = tuple(range(0, 52, 2))  # two suits
SOME_FLOPS, SOME_CARDS = 2, 3


@dataclass(frozen=True)
class Made:
    """A game as a backend takes it, and how closely two backends of it agree."""

    own: Any  # a CardGame, or a Game
    dense: Callable[[], Game]  # the same in 64-bit floats
    unit: float = 1.0  # what CLOSE is a share of
    few: int = 5  # iterations: in the end rounding decides between actions worth the same
    more: int = 250  # iterations that bring exploitability below 0.002 units

    @property
    def close(self) -> float:
        """How far values may be apart."""
        return CLOSE * self.unit


def spot(board: str, ranges: tuple[str, str], menus: tuple[str, str], more: int = 250) -> Made:
    """An endgame on real cards."""
    game = small_game(board, ranges, menu_sizing(*menus))
    return Made(game, partial(dense_game, game), more=more)


def one_hand_list() -> Made:
    """A turn of a short deck and some of its rivers, every one of which leaves as many hands.

    Both players may hold the same hands.
    """
    cards = SHORT_DECK[2::6][:4]
    left = [card for card in SHORT_DECK if card not in cards]
    root = Board(tuple(cards), _held(left), -1, (0,), (0,))
    rivers = []
    for card in left[::SOME_CARDS]:
        board, (hands, _) = (*root.cards, card), _held([c for c in left if c != card])
        ranked = hands[np.argsort(board_strengths(board)[hands], kind="stable")]
        rivers.append(Board(board, (ranked, ranked), 0, (0,), (0,)))
    tree = CardTree(((root,), tuple(rivers)), _weights(root.hands[0]), len(SHORT_DECK))
    game = CardGame(no_limit_tree(20, 30, 2, menu_sizing("50%", "")), tree)
    return Made(game, partial(dense_game, game), few=3, more=60)


def _held(cards: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Hands made of some cards, for either player."""
    hands = np.flatnonzero(np.isin(hand_cards(), cards).all(axis=1))
    assert len(hands) == len(list(combinations(cards, 2)))
    return hands, hands


def _weights(hands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Random weights of both players' hands, so that no two actions are worth the same."""
    rng, found = np.random.default_rng(5), np.zeros((2, NUM_HANDS))
    found[:, hands] = rng.uniform(0.2, 1, (2, len(hands)))
    return found[0], found[1]


def run_out() -> Made:
    """A turn after which nobody bets."""
    sizing = menu_sizing("50%", "")
    streets = (*sizing.streets[:-1], menu_sizing("", "").streets[-1])
    ranges = ("AKs:0.9,QQ:0.5,T8s:0.7,55", "JJ,KTs:0.25,A9o:0.3")
    game = small_game("Qs Jh 2h 4c", ranges, replace(sizing, streets=streets))
    return Made(game, partial(dense_game, game))


def whole() -> Made:
    """Some flops, turns and rivers of hold'em with nine cards, a bet on the flop."""
    full, boards = holdem_tree(3, 3, symmetry=False), [[0]]
    streets = [full.streets[0]]
    for after in full.streets[1:]:
        most = SOME_CARDS if len(boards) > 1 else SOME_FLOPS
        kept = [
            number
            for above in boards[-1]
            for number in [n for n, board in enumerate(after) if board.parent == above][:most]
        ]
        parents = {above: place for place, above in enumerate(boards[-1])}
        streets.append(
            tuple(replace(after[number], parent=parents[after[number].parent]) for number in kept)
        )
        boards.append(kept)
    tree = CardTree(tuple(streets), _weights(full.streets[0][0].hands[0]), full.deck)
    betting = limit_tree(replace(load_rules("limit-holdem"), max_raises=(0, 1, 0, 0)))
    game = CardGame(betting, tree, unit=10)
    return Made(game, partial(dense_game, game), few=3, more=20)


def abstract() -> Made:
    """A few buckets that no cards have."""
    setting = Setting(load_rules("nolimit-holdem"), model(), made_up_joint(3, 2, 2, 2), "made up")
    exact = setting.abstract_game()
    return Made(setting.abstract_game(np.float32), lambda: exact, exact.payoff_range, more=60)


def buckets_apart(game: CardGame) -> CardGame:
    """The same game through a card abstraction in which no two hands share a bucket."""
    boards, count = game.tree.streets[-1], 0
    of = np.zeros((len(boards), NUM_HANDS), dtype=np.int32)
    for row, board in zip(of, boards, strict=True):
        held = np.union1d(*board.hands)
        row[held] = count + np.arange(len(held))
        count += len(held)
    return CardGame(game.betting, game.tree, buckets=Buckets(count, of))


def one_street(last: Callable[[CardGame], LastStreet], game: CardGame) -> Backend:
    """The first street in NumPy, all boards of the second by another solver."""
    unit = float(game.betting.pot)
    alone = street_game(game.betting, game.tree, game.streets[1], unit)
    return BatchedBackend(game.streets[0], last(alone), game.pairs, unit)


class Held:
    """A backend of all 1,326 hands as one of those that players may hold."""

    def __init__(self, backend: DepthLimited, hands: Sequence[np.ndarray]) -> None:
        self.backend, self.hands = backend, hands

    def __getattr__(self, name: str) -> Any:
        return getattr(self.backend, name)

    def root(self, player: int) -> np.ndarray:
        return self.backend.root(player)[self.hands[player]]

    def set_root(self, player: int, reach: np.ndarray) -> None:
        everything = np.zeros(NUM_HANDS)
        everything[self.hands[player]] = reach
        self.backend.set_root(player, everything)

    def learn(self, player: int, discounts: Any) -> np.ndarray:
        return self.backend.learn(player, discounts)[self.hands[player]]

    def best_values(self, player: int) -> np.ndarray:
        return self.backend.best_values(player)[self.hands[player]]

    def average_values(self, player: int) -> np.ndarray:
        return self.backend.average_values(player)[self.hands[player]]


def by_run_outs(game: CardGame) -> Backend:
    """The turn in NumPy, what follows it valued as it is dealt out."""
    (root,), ranges = game.tree.streets[0], game.tree.ranges
    backend = DepthLimited(game.betting, ranges, root.cards, partial(RunOuts, root.cards, ranges))
    return Held(backend, root.hands)


SPOTS = ("river", "turn")
GAMES: dict[str, Callable[[], Made]] = {
    "river": partial(
        spot,
        "Qs Jh 2h 4c 9d",
        ("AKs,QQ:0.5,T8s,55", "JJ,KTs:0.25,A9o"),
        ("50%, a", "a"),
    ),
    "turn": partial(
        spot,
        "Qs Jh 2h 4c",
        ("AKs:0.9,QQ:0.5,T8s:0.7,55", "JJ,KTs:0.25,A9o:0.3"),
        ("50%", ""),
        100,
    ),
    "short turn": one_hand_list,
    "run-out": run_out,
    "whole": whole,
    "abstract": abstract,
}
# Each backend, and the games that it is tried on.
BACKENDS: dict[str, tuple[Callable[[Any], Backend], Sequence[str]]] = {
    "treeplex": (lambda game: PlexBackend(dense_game(game)), SPOTS),
    "boards": (BoardBackend, SPOTS),
    "boards on threads": (lambda game: BoardBackend(game, threads=2), SPOTS),
    "buckets": (lambda game: BoardBackend(buckets_apart(game)), SPOTS),
    "streams": (StreamBackend, SPOTS),
    "one street, boards": (partial(one_street, BoardStreet), ["short turn"]),
    "one street, streams": (partial(one_street, StreamStreet), ["short turn"]),
    "one street, values": (by_run_outs, ["run-out"]),
    "trunk": (lambda game: TrunkBackend(game, Decomposition(1)), ["whole"]),
    "abstract": (BucketBackend, ["abstract"]),
    "abstract, CUDA": (lambda game: GpuBucketBackend(game, CpuDevice()), ["abstract"]),
}
AVERAGING = {  # backends whose solution is always an average
    *("one street, boards", "one street, streams", "one street, values", "abstract, CUDA"),
}
NEEDS_COMPILER = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
CASES = [
    pytest.param(backend, game, marks=[NEEDS_COMPILER] if "CUDA" in backend else [])
    for backend, (_, games) in BACKENDS.items()
    for game in games
]
