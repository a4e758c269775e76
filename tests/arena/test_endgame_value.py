"""Endgame values: equal to sums over all pairs of hands, and to the mean of many hands played."""

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.arena.deals import DealSource
from endspiel.arena.estimators.endgame_value import EndgameValue, last_round_root
from endspiel.arena.estimators.estimates import estimate
from endspiel.arena.estimators.shares import all_holes
from endspiel.arena.play import HandBlock, MatchTable
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.text import parse_cards
from endspiel.errors import EndspielError
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from tests.arena.leduc import RULES, Exact, agent_of, random_profile

HOLDEM = load_rules("nolimit-holdem")
A, B = agent_of(random_profile(1)), agent_of(random_profile(2))
VALUES = EndgameValue(RULES)


def test_every_pair_of_hands_counts_in_leduc() -> None:
    exact = Exact((A, B))
    for line in ("cc/", "rc/", "crrc/"):
        root = last_round_root(RULES, line + "cc")
        assert root is not None
        for board in ((RULES.deck[0],), (RULES.deck[3],)):
            ranges = VALUES.ranges((A, B), root, board)
            total = mass = 0.0
            for a, one in enumerate(all_holes(RULES)):
                for b, two in enumerate(all_holes(RULES)):
                    if a != b and one != board and two != board:
                        weight = ranges[0][a] * ranges[1][b]
                        total += weight * exact.value(root, (one, two), board)
                        mass += weight
            found = VALUES.value((A, B), root, board, ranges)
            assert found == pytest.approx(total / mass, abs=1e-12)


def test_the_mean_over_hands_is_that_of_the_play_with_less_noise() -> None:
    hands = MatchTable(RULES, (A, B)).play(HandBlock(3, 0, 0, DealSource(RULES, 3).words(6000)))[
        ::2
    ]
    actual, valued = [], []
    known: dict[tuple[str, int], float] = {}
    for hand in hands:
        root = last_round_root(RULES, hand.state.line)
        if root is None:
            continue
        board = hand.deal.board
        key = root.line, board[0]
        if key not in known:
            known[key] = VALUES.value((A, B), root, board, VALUES.ranges((A, B), root, board))
        actual.append(hand.payoffs[0])
        valued.append(known[key])
    noise = estimate("noise", np.array(actual) - np.array(valued))
    assert noise.error is not None
    assert abs(noise.mean) < 4 * noise.error
    assert np.var(valued) < 0.5 * np.var(actual)


def test_faint_branches_by_chance_keep_the_mean() -> None:
    root = last_round_root(RULES, "rc/cc")
    assert root is not None
    board = (RULES.deck[0],)
    ranges = VALUES.ranges((A, B), root, board)
    exact = VALUES.value((A, B), root, board, ranges)
    rough = EndgameValue(RULES, faint=0.5)
    found = estimate("seeds", [rough.value((A, B), root, board, ranges, s) for s in range(300)])
    assert found.error
    assert abs(found.mean - exact) < 4 * found.error


def test_holdem_by_brute_force() -> None:
    """A river between two callers: the mean over all pairs that the board allows."""
    callers = [make_agent("always-call", HOLDEM)] * 2
    board = tuple(parse_cards("AhKhQh3c4c"))
    root = last_round_root(HOLDEM, "r300c/cc/cc/cc")
    assert root is not None
    values = EndgameValue(HOLDEM)
    rng = np.random.default_rng(1)
    few = [np.zeros(1326), np.zeros(1326)]
    live = [at for at, hole in enumerate(all_holes(HOLDEM)) if not {*hole} & {*board}]
    for weights in few:
        weights[rng.choice(live, 30, replace=False)] = rng.random(30)
    total = mass = 0.0
    end = parse_betting(HOLDEM, "r300c/cc/cc/cc")
    for a in np.flatnonzero(few[0]):
        for b in np.flatnonzero(few[1]):
            one, two = all_holes(HOLDEM)[a], all_holes(HOLDEM)[b]
            if not {*one} & {*two}:
                weight = few[0][a] * few[1][b]
                total += weight * end.payoffs(Deal((one, two), board))[0]
                mass += weight
    found = values.value(callers, root, board, (few[0], few[1]))
    assert found == pytest.approx(total / mass, abs=1e-9)


def test_roots_and_refusals() -> None:
    assert last_round_root(HOLDEM, "r300c/cc/cf") is None
    assert last_round_root(HOLDEM, "r300c/cc/r20000c/") is None
    root = last_round_root(HOLDEM, "r300c/cc/cc/r600f")
    assert root == parse_betting(HOLDEM, "r300c/cc/cc/")
    board = tuple(parse_cards("AhKhQh3c4c"))
    pair = [make_agent("random", HOLDEM), make_agent("always-call", HOLDEM)]
    values = EndgameValue(HOLDEM, ("random", "always-call"))
    assert root is not None
    with pytest.raises(EndspielError, match="always-call never plays 300"):
        values.ranges(pair, root, board)
    with pytest.raises(EndspielError, match="the second agent cannot tell"):
        EndgameValue(HOLDEM).ranges(pair[::-1], root, board)


def test_ranges_that_cannot_meet_are_worth_nothing() -> None:
    """Sums leave a little where all hands share a card, which no equity can be told of."""
    values, board = EndgameValue(HOLDEM), parse_cards("2c 3d 7h 9s Kc")
    one, two = np.zeros((2, NUM_HANDS))
    held = [hand_index(*sorted(parse_cards(text))) for text in ("Ah Ad", "Ah Qd", "Ah 5s", "Ah Jd")]
    one[held[:1]], two[held[1:]] = 0.7, (0.1, 0.2, 0.3)
    assert values._ahead((one, two), tuple(board)) == 0
    assert values._meet(one, two) == 0
