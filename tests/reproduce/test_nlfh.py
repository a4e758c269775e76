"""Flop hold'em's endgames on a short deck: the same code that fills Table 1 at full size."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.cards.deck import hand_masks
from endspiel.cards.isomorphism import hand_permutations, suit_permutations
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.strength import board_strengths
from endspiel.errors import FileError, GameError
from endspiel.reproduce import nlfh_table1
from endspiel.reproduce.last_street.boards import AVERAGE
from endspiel.reproduce.nlfh_alternatives import BaseStrategy, with_reach
from endspiel.reproduce.nlfh_buckets import (
    GROUPS,
    bucket_count,
    equities,
    flop_buckets,
    hand_groups,
    nested_cells,
)
from endspiel.reproduce.nlfh_endgames import refine
from endspiel.reproduce.nlfh_game import FlopGame
from endspiel.reproduce.nlfh_outlook import BINS, outlooks
from endspiel.reproduce.nlfh_solvers import Flops, LineSolver, WholeSolver
from tests.native.each_build import same_on_each_build

RANKS = 4
EFFORT = nlfh_table1.Table1Effort(base=60, endgame=60, threads=1)
FLOPS = Flops()


@pytest.fixture(scope="module")
def game() -> FlopGame:
    return FlopGame("small", RANKS)


@pytest.fixture(scope="module")
def abstract(game: FlopGame) -> WholeSolver:
    return solved(game, EFFORT.base)


@pytest.fixture(scope="module")
def base(game: FlopGame, abstract: WholeSolver) -> BaseStrategy:
    whole = WholeSolver(game, FLOPS)
    whole.spread(abstract)
    return BaseStrategy(game, whole, FLOPS)


@pytest.fixture(scope="module")
def wider() -> BaseStrategy:
    """With six ranks some hands are better folded before the flop."""
    game = FlopGame("small", 6)
    whole = WholeSolver(game, FLOPS)
    whole.spread(solved(game, 40))
    return BaseStrategy(game, whole, FLOPS)


def solved(game: FlopGame, iterations: int) -> WholeSolver:
    solver = WholeSolver(
        game, FLOPS, flop_buckets(game.cards, bucket_count(game.cards), "strength")
    )
    solver.advance(iterations)
    return solver


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table")


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, Any]:
    return nlfh_table1.run("small", RANKS, EFFORT, folder, lambda text: None)


@pytest.mark.parametrize(
    ("size", "counts", "endgames"), [("small", (8, 48), 7), ("large", (30, 172), 27)]
)
def test_menus_are_about_as_large_as_the_papers(
    size: str, counts: tuple[int, int], endgames: int
) -> None:
    game = FlopGame(size, RANKS)
    assert game.counts() == counts
    assert len(game.endgames) == endgames


def test_unknown_size_is_refused() -> None:
    with pytest.raises(GameError, match="no size 'huge': sizes are small, large"):
        FlopGame("huge")


def test_equities_by_brute_force(game: FlopGame) -> None:
    board = game.cards.streets[1][7]
    hands = board.hands[0]
    groups = hand_groups(game.cards.streets[1], game.cards.streets[0][0].hands[0])
    assert set(groups[hands]) <= set(range(GROUPS))
    found, strength, masks = equities(board, groups), board_strengths(board.cards), hand_masks()
    for k in (0, 13, len(hands) - 1):
        for column in range(1 + GROUPS):
            results = [
                np.sign(int(strength[hands[k]]) - int(strength[other]))
                for other in hands
                if not masks[other] & masks[hands[k]] and (column in (0, groups[other] + 1))
            ]
            if results:
                assert found[k, column] == pytest.approx(np.mean(results), abs=1e-5)


def test_outlooks_by_brute_force(game: FlopGame) -> None:
    board = game.cards.streets[1][11]
    one = replace(game.cards, streets=(game.cards.streets[0], (board,)))
    found, deck = same_on_each_build(lambda: outlooks(one)[0]), game.cards.deck
    for k in (0, 30, len(board.hands[0]) - 1):
        counts = np.zeros(BINS)
        for turn in range(deck):
            for river in range(turn):
                cards = (*board.cards, river, turn)
                strength = (
                    board_strengths(cards)[: deck * (deck - 1) // 2]
                    if len(set(cards)) == 5
                    else None
                )
                if strength is not None and (own := strength[board.hands[0][k]]):
                    others = strength[strength > 0]
                    halves = 2 * (others < own).sum() + (others == own).sum() - 1
                    counts[halves * BINS // (2 * len(others))] += 1
        assert found[k] == pytest.approx(np.cumsum(counts)[:-1] / counts.sum(), abs=1e-6)


def test_unknown_kind_of_buckets_is_refused(game: FlopGame) -> None:
    with pytest.raises(GameError, match="no buckets by 'color': there are outlook, strength"):
        flop_buckets(game.cards, 3, "color")


@pytest.mark.parametrize("kind", ["outlook", "strength"])
def test_hands_alike_by_suits_share_a_bucket(game: FlopGame, kind: str) -> None:
    buckets = flop_buckets(game.cards, bucket_count(game.cards), kind)
    assert buckets.count == bucket_count(game.cards)
    for b, board in enumerate(game.cards.streets[1]):
        for number, suits in enumerate(suit_permutations()):
            if {4 * (card >> 2) + int(suits[card & 3]) for card in board.cards} == set(board.cards):
                images = hand_permutations()[number][board.hands[0]]
                assert np.array_equal(buckets.of[b, board.hands[0]], buckets.of[b, images])


def test_cells_keep_equal_points_together() -> None:
    points = np.repeat(np.arange(5, dtype=np.float32)[:, None], 3, axis=0)
    cells = nested_cells(points, np.ones(len(points)), 20)
    assert len(set(cells.tolist())) == 5
    assert all(len(set(cells[3 * i : 3 * i + 3].tolist())) == 1 for i in range(5))


def test_unblocked_weight_counts_hands_without_common_cards() -> None:
    hands = np.arange(28)
    weights = np.random.default_rng(1).random(28)
    masks = hand_masks()[hands]
    apart = (masks[:, None] & masks) == 0
    assert unblocked_weight(weights, hands) == pytest.approx(apart @ weights)


def test_spread_base_is_as_exploitable_as_the_abstract_one(
    abstract: WholeSolver, base: BaseStrategy
) -> None:
    assert base.solver.exploitability() == pytest.approx(abstract.exploitability(), rel=1e-5)


def test_putting_the_base_back_changes_nothing(base: BaseStrategy, game: FlopGame) -> None:
    whole = WholeSolver(game, FLOPS)
    whole.spread(base.solver)
    before = [base.solver.flop.read(AVERAGE, player) for player in (0, 1)]
    for player in (0, 1):
        whole.flop.write(AVERAGE, player, np.zeros_like(before[player]))
    for endgames in FLOPS.groups(game.endgames):
        part = LineSolver(game, endgames, FLOPS)
        for player in (0, 1):
            part.take_out(base.solver, player)
            part.put_back(whole, player)
    for player in (0, 1):
        assert before[player].any()
        assert np.array_equal(whole.flop.read(AVERAGE, player), before[player])


def test_calls_that_end_the_betting_are_worth_their_endgame(base: BaseStrategy) -> None:
    betting, called = base.game.betting, 0
    for endgame in base.game.endgames:
        caller = int(betting.player[betting.parent[endgame.node]])
        value = base.values[caller][endgame.sequences[caller]]
        assert base.entries[endgame][caller] == pytest.approx(value, rel=1e-3, abs=1e-6)
        assert (base.floor(endgame, caller) <= base.entries[endgame][caller] + 1e-7).all()
        called += 1
    assert called == 7


def test_reach_raises_targets_and_keeps_limits_between(base: BaseStrategy) -> None:
    for endgame in base.game.endgames:
        for opponent in (0, 1):
            found = with_reach(base, endgame, opponent)
            assert (found.target >= found.base).all()
            assert (found.limit <= found.target).all()
            assert (found.limit >= found.base - 1e-6).all()


def test_folding_is_the_alternative_where_it_is_best(wider: BaseStrategy) -> None:
    """Against a raise player 0 may fold, call into the endgame, or raise again."""
    endgame = next(e for e in wider.game.endgames if e.line == "r400 c")
    call = endgame.sequences[0]
    values, found = wider.values[0], with_reach(wider, endgame, 0)
    best = values[call - 1 : call + 2].max(axis=0)
    folds = best == values[call - 1]
    assert 0 < folds.sum() < len(folds)
    assert found.target[folds] == pytest.approx(best[folds], rel=1e-6)
    # Nothing else follows the call, so it may become as good as the fold.
    assert found.limit == pytest.approx(np.minimum(found.target, best), rel=1e-3, abs=1e-7)


def test_gifts_let_margins_elsewhere_grow_without_harm(wider: BaseStrategy) -> None:
    endgame = next(e for e in wider.game.endgames if e.line == "r400 c")
    before = wider.solver.best(0).sum()
    whole = WholeSolver(wider.game, FLOPS)
    whole.spread(wider.solver)
    refined = refine(wider, (endgame,), 1, "reach-maxmargin-improved", 60)
    refined.solver.put_back(whole, 1)
    assert refined.passed[0] <= refined.gap[0]
    assert whole.best(0).sum() < before


@pytest.mark.parametrize("technique", ["resolve", "maxmargin", "reach-maxmargin"])
def test_gadget_is_solved_to_a_small_gap(base: BaseStrategy, technique: str) -> None:
    endgames = base.game.endgames[1:3]
    early, late = (refine(base, endgames, 1, technique, count) for count in (10, 200))
    assert (late.gap >= -1e-2).all()
    assert (late.gap < early.gap / 4).all()
    assert late.passed.max() < 2.0  # of a pot of 8,000 milli big blinds


def test_unknown_technique_is_refused(base: BaseStrategy) -> None:
    with pytest.raises(GameError, match="no technique 'hope'"):
        refine(base, base.game.endgames[:1], 0, "hope", 1)


def test_table_has_the_papers_order(table: dict[str, Any]) -> None:
    found = table["exploitability"]
    assert found["base"] > found["resolve"] > found["maxmargin"]
    assert found["reach-maxmargin-improved"] < 1.05 * found["maxmargin"]
    assert found["maxmargin"] < 0.4 * found["base"]


def test_safe_techniques_exploit_neither_player_more_than_the_base(table: dict[str, Any]) -> None:
    before = table["rows"]["base"]["best responses"]
    for technique in ("resolve", "maxmargin", "reach-maxmargin-improved"):
        after = table["rows"][technique]["best responses"]
        assert all(new <= 1.01 * old for new, old in zip(after, before, strict=True))


def test_nothing_gets_below_the_optimal_flop(table: dict[str, Any]) -> None:
    found = table["exploitability"]
    assert 0 < found[nlfh_table1.FLOOR] == min(found.values())


def test_table_goes_on_from_its_folder(table: dict[str, Any], folder: Path) -> None:
    said: list[str] = []
    again = nlfh_table1.run("small", RANKS, EFFORT, folder, said.append)
    assert again == table
    assert len(said) == 1
    assert said[0].startswith("base")
    with pytest.raises(FileError, match="was made with ranks 4, not 5"):
        nlfh_table1.run("small", 5, EFFORT, folder, said.append)


def test_report_puts_the_paper_beside_ours(table: dict[str, Any]) -> None:
    text = nlfh_table1.report(table)
    assert "8 preflop and 48 on the flop (paper: 9 and 48)" in text
    for name in ("base", *nlfh_table1.ROWS):
        assert f"{table['exploitability'][name]:.4f}" in text
