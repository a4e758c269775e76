"""Rhode Island hold'em: the folded product against its plain tree, and sizes from the papers."""

from dataclasses import replace

import numpy as np
import pytest

from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import CHANCE, DECISION, FOLD, SHOWDOWN, BettingTree
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, GameError, RulesError
from endspiel.game import Game, Profile, exploitability
from endspiel.games.product import BettingLines, ProductBoard, product
from endspiel.games.registry import load_game
from endspiel.games.rhode_island_holdem import (
    _boards,
    _deal,
    rhode_island,
    rhode_island_rules,
    unfolded_size,
)
from endspiel.games.tree import Chance, Decision, Leaf, build
from endspiel.rules.ranking import three_card
from endspiel.solvers import lp
from endspiel.solvers.firstorder.cfr import CFR

SMALL = [(3, 2, 1), (2, 3, 1), (4, 2, 1), (3, 3, 1), (3, 2, 2)]  # ranks, suits, raises a round


def explicit(tree: BettingTree, deck: tuple[int, ...]) -> Game:
    """The game history by history: every card told apart, nothing shared."""

    def deal(cards, node):
        left = [card for card in deck if card not in cards]
        return Chance([(1 / len(left), ((*cards, card), node)) for card in left])

    def expand(state):
        cards, node = state
        if len(cards) < 2:
            return deal(cards, node)
        kind, player = tree.kind[node], int(tree.player[node])
        if kind == CHANCE:
            return deal(cards, int(tree.first_child[node]))
        if kind == DECISION:
            infoset = (cards[player], cards[2:], node)
            moves = zip(tree.words(node), tree.children(node), strict=True)
            return Decision(player, infoset, [(word, (cards, child)) for word, child in moves])
        if kind == FOLD:
            return Leaf(float((-1, 1)[player] * tree.spent[node, player]))
        ranks = [three_card((card, *cards[2:])) for card in cards[:2]]
        return Leaf(float(np.sign(ranks[0] - ranks[1]) * tree.spent[node, 0]))

    return build(((), 0), expand, "explicit")


@pytest.fixture(scope="module", params=SMALL, ids=str)
def pair(request) -> tuple[tuple[int, int, int], Game]:
    rules = rhode_island_rules(*request.param)
    return request.param, explicit(limit_tree(rules), rules.deck)


@pytest.mark.parametrize("symmetry", [False, True])
def test_same_value_of_uniform_play_and_of_best_responses_to_it(pair, symmetry):
    size, plain = pair
    game = rhode_island(*size, symmetry=symmetry)
    found = exploitability(game, Profile.uniform(game))
    wanted = exploitability(plain, Profile.uniform(plain))
    assert found.value == pytest.approx(wanted.value, abs=1e-10)
    assert found.best == pytest.approx(wanted.best, abs=1e-10)


def test_without_symmetry_the_infosets_are_those_of_the_plain_tree(pair):
    size, plain = pair
    game = rhode_island(*size, symmetry=False)
    assert game.num_infosets == plain.num_infosets
    assert game.num_infosets == unfolded_size(rhode_island_rules(*size)).infosets
    assert rhode_island(*size).num_infosets < game.num_infosets
    assert game.payoff_range == plain.span


@pytest.mark.parametrize("size", [(3, 2, 1), (2, 3, 1)], ids=str)
def test_folding_keeps_the_value_of_the_game(size):
    rules = rhode_island_rules(*size)
    plain = lp.solve(explicit(limit_tree(rules), rules.deck))
    assert lp.solve(rhode_island(*size)).value == pytest.approx(plain.value, abs=1e-7)


def test_a_folded_solution_is_one_of_the_unfolded_game():
    """Lift the equilibrium of the folded game to every card and measure it there."""
    folded, whole = (rhode_island(4, 3, 1, symmetry=s) for s in (True, False))
    solver = CFR(folded, SCHEMES["dcfr"])
    for _ in range(200):
        solver.step()
    profile = solver.average()
    behavior = [lift(folded, whole, player, profile) for player in (0, 1)]
    found, wanted = exploitability(whole, Profile(tuple(behavior))), exploitability(folded, profile)
    assert found.best == pytest.approx(wanted.best, abs=1e-9)
    assert found.value == pytest.approx(wanted.value, abs=1e-9)


def lift(folded: Game, whole: Game, player: int, profile: Profile) -> np.ndarray:
    """Behavior for single cards from that of classes, by relabeling the suits of each infoset."""
    known = {}
    for infoset, action, s in folded.labels[player].walk(folded.plexes[player]):
        holding, board, line = parts(infoset)
        for suit in holding[1:]:
            known[canonical([*board, holding[0] + suit]), line, action] = s
    behavior = np.ones(whole.plexes[player].num_sequences)
    for infoset, action, s in whole.labels[player].walk(whole.plexes[player]):
        holding, board, line = parts(infoset)
        source = known[canonical([*board, holding]), line, action]
        behavior[s] = profile.behavior[player][source]
    return behavior


def parts(infoset: str) -> tuple[str, list[str], str]:
    cards, line = infoset.split(":")
    holding, _, board = cards.partition("|")
    return holding, [board[i : i + 2] for i in range(0, len(board), 2)], line


def canonical(cards: list[str]) -> str:
    """Board and private card with suits named in the order they come."""
    names: dict[str, str] = {}
    return " ".join(card[0] + names.setdefault(card[1], str(len(names))) for card in cards)


def test_all_in_lines_are_dealt_out():
    """Stacks of two bets leave streets without decisions; the plain tree has none of them."""
    rules = replace(rhode_island_rules(3, 2, 2), stacks=(25, 25))
    tree, streets = limit_tree(rules), _deal(rules, symmetry=True)
    assert (tree.street[tree.kind == SHOWDOWN] == 2).all()
    root = np.full(3, 1 / 3)
    game = product(BettingLines(tree), _boards(rules, streets, root), root, "short", 5.0)
    plain = explicit(tree, rules.deck)
    found = exploitability(game, Profile.uniform(game))
    wanted = exploitability(plain, Profile.uniform(plain))
    assert found.best == pytest.approx(wanted.best, abs=1e-10)
    assert game.payoff_range == plain.span == 50


def test_the_size_that_gilpin_and_sandholm_report():
    """Their linear program of the whole game has 91,224,226 rows: sequences and constraints."""
    size = unfolded_size(rhode_island_rules())
    sequences = size.sequences // 2 - 52 + 1  # one empty sequence in place of 52 roots
    assert sequences + size.infosets // 2 + 1 == 91_224_226


def test_boards_of_the_full_deck():
    streets = _deal(rhode_island_rules(), symmetry=True)
    assert [len(street) for street in streets] == [1, 13, 325]
    assert [sum(board.orbit for board in street) for street in streets] == [1, 52, 52 * 51]
    assert [sum(b.num_states for b in street) for street in streets] == [13, 13 * 25, 7969]


def test_full_deck():
    game = load_game("rhode-island")
    assert game.num_infosets == 2 * (4 * 13 + 28 * 325 + 196 * 7969)
    assert game.labels is None
    assert game.unit == 5
    chance = sum(board.chance.sum() for board in game.nodes.streets[0]) / 13**2
    assert chance == pytest.approx(1)


def test_chances_of_each_street_sum_to_one():
    rules = rhode_island_rules(4, 3)
    streets = _deal(rules, symmetry=True)
    root = np.full(4, 1 / 4)
    boards = _boards(rules, streets, root)
    for street in boards:
        assert sum(board.chance.sum() / 16 for board in street) == pytest.approx(1)


def test_states_are_found_by_betting_node():
    game = rhode_island(3, 2)
    where = game.nodes
    node = where.lines.tree.find("c c / b20")
    sequences = where.sequences(1, 1, 0, node)
    board = where.streets[1][0]
    named = {s: (i, a) for i, a, s in game.labels[1].walk(game.plexes[1])}
    assert sequences.shape == (3, len(board.states))
    assert named[sequences[2, 1]] == (f"{board.states[1]}|{board.name}:c c / b20", "r40")
    with pytest.raises(GameError, match="does not decide"):
        where.sequences(0, 1, 0, node)


def test_what_is_refused():
    with pytest.raises(GameError, match=r"takes 9\.38 GB, and the limit is 8 GB"):
        rhode_island(symmetry=False)
    for size in [(14, 4), (13, 5), (1, 3), (0, 4)]:
        with pytest.raises(GameError, match="will not do"):
            rhode_island(*size)
    with pytest.raises(RulesError, match="max raises"):
        rhode_island(3, 2, -1)
    with pytest.raises(EndspielError, match="must be a whole number"):
        load_game("rhode-island:ranks=x")


def test_a_last_board_must_say_who_wins():
    lines = BettingLines(limit_tree(rhode_island_rules(3, 2, 0)))
    one = np.ones((1, 1))
    boards = [
        [ProductBoard("", parent, np.zeros(1, np.int64), ("x",), one)] for parent in (-1, 0, 0)
    ]
    with pytest.raises(GameError, match="who wins"):
        product(lines, boards, np.ones(1), "mute", 1.0)
    with pytest.raises(GameError, match="3 streets, boards of 2"):
        product(lines, boards[:2], np.ones(1), "short", 1.0)
