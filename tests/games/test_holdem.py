"""Whole hold'em: its boards, what suit symmetry folds, and its value by a linear program."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from math import comb

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import BettingTree
from endspiel.cards.isomorphism import Indexer, suit_permutations
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import CardError, EndspielError, GameError
from endspiel.game import Game, exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import CardTree, holdem_deck, holdem_tree
from endspiel.games.dense import dense_game
from endspiel.games.holdem import Holdem, count_boards, limit_holdem, no_limit_holdem
from endspiel.games.registry import load_game
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.holdem import prepare_holdem
from endspiel.solvers.firstorder.cfr import PlexBackend

CFR_PLUS = SCHEMES["cfr+"]


def thin_betting(*max_raises: int, turn_bet: int = 20) -> BettingTree:
    """Limit betting with at most `max_raises` raises on each street."""
    sizes = (10, 10, turn_bet, 20)
    return limit_tree(replace(load_rules("limit-holdem"), max_raises=max_raises, raise_sizes=sizes))


def moved(cards: tuple[int, ...], permutation: int) -> tuple[int, ...]:
    suits = suit_permutations()[permutation]
    return tuple(4 * (card // 4) + int(suits[card % 4]) for card in cards)


def dealt_boards(tree: CardTree, street: int, suits: int) -> Iterator[tuple[frozenset[int], ...]]:
    """Every board that the folded ones of a street stand for: the flop as a set, then cards."""
    group = [
        p
        for p, row in enumerate(suit_permutations().tolist())
        if row[suits:] == list(range(suits, 4))
    ]
    for board in tree.streets[street]:
        paths, line = [board.cards], board
        for above in range(street, 1, -1):
            paths = [moved(path, p) for path in paths for p in line.images]
            line = tree.streets[above - 1][line.parent]
        flops = {frozenset(moved(line.cards, p)): p for p in group}
        assert len(flops) == line.weight
        for path in paths:
            for p in flops.values():
                cards = moved(path, p)
                yield frozenset(cards[:3]), *(frozenset([card]) for card in cards[3:])


@pytest.mark.parametrize(("ranks", "suits"), [(3, 3), (5, 2)])
def test_every_board_is_dealt_once(ranks: int, suits: int) -> None:
    tree, deck = holdem_tree(ranks, suits), holdem_deck(ranks, suits)
    for street, more in ((1, 0), (2, 1), (3, 2)):
        found = Counter(dealt_boards(tree, street, suits))
        assert max(found.values()) == 1
        assert len(found) == comb(len(deck), 3) * len(
            list(permutations(range(len(deck) - 3), more))
        )
    assert {card for board in tree.streets[3] for card in board.cards} == set(deck)
    assert tree.num_boards == count_boards(ranks, suits)


def test_boards_are_counted_without_dealing_them() -> None:
    deals = Indexer((3, 1, 1))
    assert count_boards(13, 4) == (1, *(deals.size(street) for street in range(3)))
    assert count_boards(3, 4) == (1, 20, 123, 786)
    apart = limit_holdem(3, 3, symmetry=False)
    assert apart.num_boards == (1, 84, 84 * 6, 84 * 6 * 5)


@pytest.mark.parametrize(("ranks", "suits"), [(2, 4), (4, 2), (14, 4), (3, 5), (0, 4)])
def test_a_deck_that_will_not_do_is_refused(ranks: int, suits: int) -> None:
    with pytest.raises(CardError, match="will not do"):
        limit_holdem(ranks, suits)


TURN_BETS = thin_betting(0, 0, 1, 0, turn_bet=17)  # a bet of 20 makes calls worth folds


@pytest.fixture(scope="module")
def folded() -> CardGame:
    return CardGame(TURN_BETS, holdem_tree(3, 3), unit=10)


@pytest.fixture(scope="module")
def apart() -> CardGame:
    return CardGame(TURN_BETS, holdem_tree(3, 3, symmetry=False), unit=10)


@pytest.fixture(scope="module")
def dense(apart: CardGame) -> Game:
    return dense_game(apart, named=True)


def test_folded_and_unfolded_are_one_game(folded: CardGame, apart: CardGame, dense: Game) -> None:
    """Every half iteration's values and best responses, beside the dense treeplex.

    A few: where hands are worth the same by two actions, rounding decides in the end.
    """
    backends = (
        BoardBackend(folded),
        BoardBackend(folded, 2),
        BoardBackend(apart),
        PlexBackend(dense),
    )
    assert folded.store_size < apart.store_size / 4
    for t in range(1, 3):
        for player in (0, 1):
            values = [each.learn(player, CFR_PLUS.at(t)) for each in backends]
            for one in values[1:]:
                np.testing.assert_allclose(one, values[0], rtol=0, atol=2e-7)
    for player in (0, 1):
        values = [each.best_values(player) for each in backends]
        for one in values[1:]:
            np.testing.assert_allclose(one, values[0], rtol=0, atol=2e-7)


def test_the_unfolded_profile_is_as_exploitable_as_measured(apart: CardGame, dense: Game) -> None:
    solver = BoardCFR(apart, CFR_PLUS)
    solver.advance(10)
    measured = exploitability(dense, solver.backend.strategy().profile())
    assert solver.exploitability() == pytest.approx(measured.mean, abs=1e-6)
    assert solver.value() == pytest.approx(measured.value, abs=1e-6)


def orbits(game: Game, player: int) -> np.ndarray:
    """Number [S] of each sequence's class under relabelings of suits."""
    labels = game.labels[player]
    group = [p for p, row in enumerate(suit_permutations()) if row[3] == 3]
    words = [
        str.maketrans("cdhs", "".join("cdhs"[s] for s in suit_permutations()[p])) for p in group
    ]

    def least(state: str) -> str:
        hand, place = state.split("|")
        board, line = place.split(":")
        images = []
        for table in words:
            one, two = hand.translate(table), board.translate(table)
            cards = [two[i : i + 2] for i in range(0, len(two), 2)]
            hands = sorted([one[:2], one[2:]])
            images.append("".join(hands) + "|" + "".join(sorted(cards[:3]) + cards[3:]))
        return min(images) + ":" + line

    plex, number, found = game.plexes[player], {}, np.zeros(game.plexes[player].num_sequences, int)
    held = labels.infosets[0]
    roots = [least(name.split("|")[0] + "|:") for name in held]
    for sequence, name in enumerate(roots):
        found[sequence] = number.setdefault(name, len(number))
    for block, names in zip(plex, labels.infosets, strict=True):
        for k, name in enumerate(names):
            orbit = least(name)
            for a in range(block.num_actions):
                place = block.first + a * block.num_states + k
                found[place] = number.setdefault(f"{orbit} {a}", len(number))
    return found


def value_by_program(game: Game) -> float:
    """The value for player 0 by a linear program over plans that suits leave as they are."""
    fold = []
    for player in (0, 1):
        of = orbits(game, player)
        fold.append(sparse.csr_matrix((np.ones(len(of)), (np.arange(len(of)), of))))
    payoff = fold[0].T @ sparse.csr_matrix(game.matrix) @ fold[1]
    (own, own_right), (other, other_right) = (plex.constraints() for plex in game.plexes)
    own, other = sparse.csr_matrix(own) @ fold[0], sparse.csr_matrix(other) @ fold[1]
    # max f'q over plans x and q with F'q <= A'x: q are what the other's infosets are worth.
    objective = np.concatenate([np.zeros(own.shape[1]), -other_right])
    found = linprog(
        objective,
        A_ub=sparse.hstack([-payoff.T, other.T]).tocsr(),
        b_ub=np.zeros(other.shape[1]),
        A_eq=sparse.hstack([own, sparse.csr_matrix((own.shape[0], other.shape[0]))]).tocsr(),
        b_eq=own_right,
        bounds=[(0, None)] * own.shape[1] + [(None, None)] * other.shape[0],
        method="highs",
    )
    assert found.status == 0
    return float(-found.fun)


@pytest.mark.slow
def test_the_value_is_what_a_linear_program_finds(folded: CardGame, dense: Game) -> None:
    solver = BoardCFR(folded, CFR_PLUS)
    solver.advance(150)
    gap = solver.exploitability()
    assert gap < 1e-3
    assert abs(solver.value() - value_by_program(dense)) <= 2 * gap + 1e-6


def test_no_limit_with_a_menu_folds_too() -> None:
    games = [no_limit_holdem(3, 3, stack=2, max_raises=1, symmetry=s) for s in (True, False)]
    one, two = (BoardBackend(game.cards) for game in games)
    for t in range(1, 4):
        for player in (0, 1):
            values = [each.learn(player, CFR_PLUS.at(t)) for each in (one, two)]
            np.testing.assert_allclose(*values, rtol=0, atol=2e-7)


def test_games_by_name() -> None:
    game = load_game("limit-holdem:ranks=3,suits=3,max_raises=0")
    assert isinstance(game, Holdem)
    assert (game.ranks, game.suits, game.unit) == (3, 3, 10)
    assert game.strategy_bytes() == 8 * game.cards.store_size
    assert game.num_infosets == game.cards.num_infosets
    deep = load_game("nolimit-holdem(ranks=3, suits=4, stack=5, bet=50)")
    assert isinstance(deep, Holdem)
    assert deep.betting.spent.max() == 500
    with pytest.raises(GameError, match="max_raises"):
        load_game("limit-holdem:max_raises=-1")
    with pytest.raises(GameError, match="1 big blind or more"):
        no_limit_holdem(stack=0)


def test_what_does_not_fit_is_refused_before_any_card_is_dealt() -> None:
    whole = limit_holdem()
    with pytest.raises(EndspielError, match=r"needs 328.7 TB .*takes half"):
        prepare_holdem(whole, memory=10**9)
    with pytest.raises(EndspielError, match=r"needs 164.4 TB"):
        prepare_holdem(whole, answer=Answer("current"), memory=10**9)
    assert "cards" not in vars(whole)
    with pytest.raises(EndspielError, match="does not solve whole hold'em"):
        prepare_holdem(whole, "lp")


def test_a_solution_tells_the_strategy_of_every_hand() -> None:
    game = Holdem("thin", TURN_BETS, 10.0, 3, 3)
    solution = prepare_holdem(game).run()
    assert solution.stopped == "target"
    assert solution.milli_big_blinds < 1
    line = "c c / 4c2c3d c c / 2h"
    shares = solution.strategy(line, "4d4h")
    assert sum(shares.values()) == pytest.approx(1)
    assert shares == solution.strategy("c c / 4h2h3c c c / 2d", "4c4d")  # suits exchanged
    with pytest.raises(EndspielError, match="cannot be held"):
        solution.strategy(line, "4c4d")
    with pytest.raises(EndspielError, match="three cards of the deck"):
        solution.strategy("c c / 4s2c3d", "4d4h")
