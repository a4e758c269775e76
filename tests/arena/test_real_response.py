"""Best responses on real cards against plain code: dense matrices, every card by itself."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from endspiel.arena.estimators import real_response
from endspiel.arena.estimators.real_exploit import PreflopResponse, class_values, draw_flops
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.betting.tree import CHANCE, DECISION, FOLD, SHOWDOWN
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import canonical_flops, hand_permutations, suit_permutations
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from tests.blueprint_fixture import small_blueprint

Floats = NDArray[np.float64]
CARDS = hand_cards().astype(np.int64)
APART = (CARDS[:, None, :, None] != CARDS[None, :, None, :]).all(axis=(2, 3)).astype(np.float64)


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.mktemp("blueprint"))


@pytest.fixture(scope="module", params=[0, 1])
def response(blueprint: Blueprint, request: pytest.FixtureRequest) -> RealResponse:
    return RealResponse(blueprint, request.param)


@cache
def signs(board: tuple[int, ...]) -> Floats:
    """1 where a hand beats another that can be held against it, -1 where it loses: [1326, 1326]."""
    strength = board_strengths(board).astype(np.int64)
    return np.sign(strength[:, None] - strength) * APART


def plain(
    response: RealResponse, node: int, board: tuple[int, ...], reach: Floats, coming: list[int]
) -> Floats:
    """The responder's best values [1326] at a node: the definition, with some cards to come."""
    tree, player, blueprint = response.tree, response.player, response.blueprint
    live = ~np.isin(CARDS, board).any(axis=1)
    reach = reach * live
    if tree.kind[node] == DECISION:
        shares = blueprint.hands(node, board)
        own = tree.player[node] == player
        values = [
            plain(response, child, board, reach if own else reach * shares[action], coming)
            for action, child in enumerate(tree.children(node))
        ]
        return np.max(values, axis=0) if own else np.sum(values, axis=0)
    spent = tree.spent[node]
    if tree.kind[node] == FOLD:
        won = -spent[player] if tree.player[node] == player else spent[1 - player]
        return live * won * (APART @ reach)
    if tree.kind[node] == SHOWDOWN:
        return live * spent[0] * (signs(board) @ reach)
    assert tree.kind[node] == CHANCE
    child = int(tree.first_child[node])
    total = sum(
        plain(response, child, (*board, card), reach, coming)
        for card in coming
        if card not in board
    )
    return live * np.asarray(total) / (52 - 4 - len(board))


def test_a_flop_is_that_of_plain_code(
    response: RealResponse, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two cards to come of 49, which is as good as all and much sooner done."""
    board, coming = (0, 18, 37), [7, 45]
    monkeypatch.setattr(
        real_response,
        "next_cards",
        lambda board: [(card, [0]) for card in coming if card not in board],
    )
    lines = response.exits[0]
    rng = np.random.default_rng(4)
    entering = rng.random((len(lines), NUM_HANDS)).astype(np.float32)
    found = response._street(1, board, entering)
    starts = response.tree.first_child[lines]
    ends = np.append(starts[1:], response.tree.num_nodes)
    at = int(np.argmin(ends - starts))  # the line with the fewest nodes after it
    wanted = plain(response, int(starts[at]), board, entering[at].astype(np.float64), coming)
    assert found[at] == pytest.approx(wanted, rel=2e-4, abs=2e-4 * float(np.abs(wanted).max()))


@pytest.mark.parametrize("flop", ["9s 8s 7s", "Ks Kh 2d", "Qs Jh 2h", "Ac 7d 2h"])
def test_turns_alike_up_to_suits_are_walked_once(
    flop: str, blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With values of the turn that suits alone do not change: the same sum, card by card."""
    response = RealResponse(blueprint, 0)
    cards = tuple(sorted(parse_cards(flop)))
    inner = RealResponse._street

    def street(
        self: RealResponse, number: int, board: tuple[int, ...], entering: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        if number == 1:
            return inner(self, number, board, entering)
        strength = board_strengths([*board]).astype(np.float32) % 977
        return np.asarray(entering * strength, np.float32)

    monkeypatch.setattr(RealResponse, "_street", street)
    folded = response.flop_values(cards)
    plainly = [(card, [0]) for card in range(52) if card not in cards]
    monkeypatch.setattr(real_response, "next_cards", lambda board: plainly)
    assert folded == pytest.approx(response.flop_values(cards), rel=1e-4, abs=1e-2)


def test_next_cards_are_all_there() -> None:
    for board in ((0, 4, 8), (0, 1, 20), (3, 17, 30), (0, 4, 8, 9), (0, 1, 20, 3), (0, 4, 8, 12)):
        found = real_response.next_cards(board)
        seen = [
            4 * (card >> 2) + int(suit_permutations()[image][card & 3])
            for card, images in found
            for image in images
        ]
        assert sorted(seen) == [card for card in range(52) if card not in board]
        folded = {(0, 4, 8): 23, (0, 1, 20): 36, (3, 17, 30): 49, (0, 4, 8, 12): 22}
        assert len(found) == folded.get(board, len(found))


def test_rivers_alike_up_to_suits_are_walked_once(
    blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With values of the river that suits alone do not change: the same sum, card by card."""
    response, board = RealResponse(blueprint, 0), tuple(parse_cards("Ks Kh 2d 7d"))

    def river(
        self: RealResponse, board: tuple[int, ...], entering: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        strength = board_strengths([*board]).astype(np.float32) % 977
        return np.asarray(entering * strength, np.float32)

    monkeypatch.setattr(RealResponse, "_river", river)
    entering = np.ones((len(response.exits[1]), NUM_HANDS), np.float32)
    assert len(real_response.next_cards(board)) < 40
    folded = response._street(2, board, entering)
    plainly = [(card, [0]) for card in range(52) if card not in board]
    monkeypatch.setattr(real_response, "next_cards", lambda board: plainly)
    assert folded == pytest.approx(response._street(2, board, entering), rel=1e-4, abs=1e-2)


def test_a_flop_stands_for_its_suits() -> None:
    """Values of a hand summed over all flops, and by classes over those that differ."""
    rng = np.random.default_rng(8)
    ranks = rng.random(13)

    def values(flop: tuple[int, ...]) -> Floats:
        """Something that a relabeling of suits does not change, 0 for hands the flop hits."""
        suited = (CARDS[:, :, None] % 4 == np.array(flop) % 4).sum(axis=(1, 2))
        near = ranks[CARDS // 4].sum(axis=1) * ranks[np.array(flop) // 4].prod()
        return np.where(np.isin(CARDS, flop).any(axis=1), 0.0, near * (1 + suited))

    small = list(combinations(range(20), 3))  # a deck of five ranks
    direct = sum(values(flop) for flop in small) / 17_296
    flops, weights = canonical_flops()
    total = np.zeros(169)
    for flop, weight in zip(flops.tolist(), weights.tolist(), strict=True):
        if max(flop) < 20:
            total += weight * class_values(values(tuple(flop))[None])[0]
    assert total[hand_classes()] / 22_100 == pytest.approx(direct)


def test_preflop_play_is_the_best_of_all(blueprint: Blueprint) -> None:
    """Against every change of one class's action at one decision."""
    response = RealResponse(blueprint, 1)
    preflop = PreflopResponse(response)
    rng = np.random.default_rng(5)
    lines = rng.normal(0, 3e4, (len(response.exits[0]), 169))
    best = preflop.best(lines)
    value = preflop.value(lines, best)
    tried = 0
    for node, actions in best.items():
        for group in (0, 40, 168):
            for action in range(int(response.tree.num_children[node])):
                other = dict(best)
                other[node] = np.where(hand_classes() == group, action, actions)
                assert preflop.value(lines, other) <= value + 1e-9
                tried += preflop.value(lines, other) < value - 1e-6
    assert tried > 0


def test_without_flops_the_blinds_are_fought_over(blueprint: Blueprint) -> None:
    """Lines that are worth nothing: folds and all-ins are paid by plain sums over pairs."""
    response = RealResponse(blueprint, 0)
    preflop = PreflopResponse(response)
    tree, lines = response.tree, np.zeros((len(response.exits[0]), 169))
    always_fold = {
        int(node): np.zeros(NUM_HANDS, np.int64)
        for node in response.nodes[0]
        if tree.kind[node] == DECISION and tree.player[node] == 0
    }
    # A fold wherever it is the first action; where it is not (a check is), lines worth nothing.
    found = preflop.value(lines, always_fold)
    reach = dict(zip(response.nodes[0].tolist(), response.preflop_reach, strict=True))

    def plainly(node: int, own: Floats) -> float:
        if tree.kind[node] == FOLD:
            won = -tree.spent[node, 0] if tree.player[node] == 0 else tree.spent[node, 1]
            return float(won) * float(own @ (APART @ reach[node].astype(np.float64)))
        if tree.kind[node] != DECISION:
            assert node in response.exits[0] or not own.any()
            return 0.0
        if tree.player[node] == 0:
            first, *others = tree.children(node)
            nothing = np.zeros(NUM_HANDS)
            return plainly(first, own) + sum(plainly(other, nothing) for other in others)
        return sum(plainly(child, own) for child in tree.children(node))

    assert found == pytest.approx(plainly(0, np.ones(NUM_HANDS)) / (1326 * 1225), rel=1e-5)


def test_flops_are_drawn_by_their_number() -> None:
    drawn, every = draw_flops(1000, 3)
    assert not every
    assert np.array_equal(drawn, draw_flops(1000, 3)[0])
    assert not np.array_equal(drawn, draw_flops(1000, 4)[0])
    _, weights = canonical_flops()
    often = np.bincount(drawn, minlength=1755)
    by_weight = [often[weights == weight].sum() / 1000 for weight in (4, 12, 24)]
    shares = [weights[weights == weight].sum() / 22_100 for weight in (4, 12, 24)]
    assert by_weight == pytest.approx(shares, abs=0.05)
    numbers, every = draw_flops(1755, 3)
    assert every
    assert len(numbers) == 1755
    with pytest.raises(EndspielError, match="two flops or more, not 1"):
        draw_flops(1, 3)


def test_suits_relabeled_give_relabeled_values(blueprint: Blueprint) -> None:
    """A river under a relabeling of suits: each hand's value goes with it."""
    response = RealResponse(blueprint, 0)
    board = tuple(parse_cards("Qs Jh 2h 4c 7d"))
    number = 11
    suits = suit_permutations()[number]
    moved = tuple(4 * (card >> 2) + int(suits[card & 3]) for card in board)
    lines = len(response.exits[2])
    rng = np.random.default_rng(6)
    entering = rng.random((lines, NUM_HANDS)).astype(np.float32)
    image = hand_permutations()[number]
    there = np.empty_like(entering)
    there[:, image] = entering
    found, other = response._street(3, board, entering), response._street(3, moved, there)
    assert other[:, image] == pytest.approx(found, rel=1e-3, abs=1e-3 * float(np.abs(found).max()))
