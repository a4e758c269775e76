"""Flops solved hand by hand: the book keeps what was solved, agents and responders play by it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.agent import make_agent
from endspiel.arena.estimators.book_solves import BatchedBookSolver, BookSolver
from endspiel.arena.estimators.real_exploit import class_values
from endspiel.arena.estimators.real_lanes import LimitResponse
from endspiel.arena.estimators.real_response import next_cards
from endspiel.arena.estimators.real_strategy import OnFlop
from endspiel.arena.estimators.resolved_turns import ResolvedFlop, TurnSolver
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.blueprint.flop_book import FlopBook, SolvedFlop, flop_decisions
from endspiel.cards.deck import hand_cards, hand_index
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.live import live_hands, live_mask
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.ranges.line import reach_along, tree_line
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from tests.blueprint_fixture import save_small
from tests.cli.commands import Run, runner
from tests.hostile.surroundings import only_sentence

LIMIT = load_rules("limit-holdem")
CHECKED = replace(LIMIT, max_raises=(0, 1, 0, 0))  # one line to the flop, nothing is bet after it
FLOP = next(  # of one suit: few turns differ
    tuple(flop) for flop in canonical_flops()[0].tolist() if len({card % 4 for card in flop}) == 1
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    path = tmp_path_factory.mktemp("book") / "checked.blueprint"
    return load_blueprint(save_small(path, limit=CHECKED))


@pytest.fixture(scope="module")
def solved(checked: Blueprint) -> SolvedFlop:
    return BookSolver(checked, Limits(iterations=30), turns=True).solve(FLOP)


def test_streams_solve_as_board_kernels(checked: Blueprint) -> None:
    """Iterations are few, since ties part in 32 bits; strategies, values and turns agree."""
    few = Limits(iterations=1)
    one = BookSolver(checked, few, turns=True).solve(FLOP)
    two = BatchedBookSolver(checked, few, turns=True).solve(FLOP)
    assert one.turns is not None
    assert two.turns is not None
    assert one.turns.shape == two.turns.shape == (2, len(next_cards(FLOP)), 3, 1326)
    for found, wanted in ((two.values, one.values), (two.turns, one.turns)):
        assert np.abs(found - wanted).max() < 1e-3 * np.abs(wanted).max()
    for node, rows in one.strategy.items():
        assert np.abs(two.strategy[node] - rows).max() < 1e-2


@pytest.fixture(scope="module")
def booked(
    checked: Blueprint, solved: SolvedFlop, tmp_path_factory: pytest.TempPathFactory
) -> Blueprint:
    folder = tmp_path_factory.mktemp("folder") / "flops"
    FlopBook(folder, checked.verify(), checked.tree).add(FLOP, solved)
    return checked.with_book(folder)


def test_a_book_keeps_what_was_solved(booked: Blueprint, solved: SolvedFlop) -> None:
    assert booked.book is not None
    kept, live = booked.book.solved(FLOP), live_mask(FLOP)
    assert [*kept.strategy] == flop_decisions(booked.tree)
    for node, rows in solved.strategy.items():
        assert np.abs(kept.strategy[node] - rows).max() < 3e-3
        assert kept.strategy[node][:, live].sum(axis=0) == pytest.approx(1)
        assert booked.hands(node, FLOP) == pytest.approx(kept.strategy[node], abs=5e-3)
    assert (kept.values == solved.values).all()
    assert len(kept.record["lines"]) == solved.values.shape[1] == 1
    assert max(line["exploitability"] for line in kept.record["lines"]) < 0.01


def test_flops_alike_but_for_suits_are_the_same_flop(booked: Blueprint) -> None:
    """A hand does what the same hand in other suits does there."""
    node = flop_decisions(booked.tree)[0]
    moved = tuple(4 * (card // 4) + (card + 1) % 4 for card in FLOP)
    one, two = booked.hands(node, FLOP), booked.hands(node, moved)
    for hand in np.random.default_rng(1).choice(np.flatnonzero(live_mask(FLOP)), 40):
        cards = [4 * (card // 4) + (card + 1) % 4 for card in hand_cards()[hand].tolist()]
        assert two[:, hand_index(*cards)] == pytest.approx(one[:, hand], abs=5e-3)
    assert np.ptp(one[0][live_mask(FLOP)]) > 0.5


def test_other_flops_and_streets_are_the_blueprints(booked: Blueprint, checked: Blueprint) -> None:
    other, node = (0, 17, 35), flop_decisions(booked.tree)[0]
    assert booked.in_book(node, other) is None
    assert (booked.hands(node, other) == checked.hands(node, other)).all()
    assert (booked.hands(0, ()) == checked.hands(0, ())).all()
    assert not (booked.hands(node, FLOP) == checked.hands(node, FLOP)).all()


def test_values_are_what_responders_get_of_the_kept_strategy(
    booked: Blueprint, checked: Blueprint, solved: SolvedFlop
) -> None:
    """Nothing is bet later, so that only the flop is played: by other code, hand by hand."""
    strategy = OnFlop(booked, FLOP)
    for player in (0, 1):
        found = LimitResponse(strategy, player).flop_values(FLOP)
        wanted = solved.values[player]
        assert np.abs(found - wanted).max() < 5e-3 * np.abs(wanted).max()
        by_buckets = LimitResponse(checked, player).flop_values(FLOP)
        assert class_values(found).sum() < 0.8 * class_values(by_buckets).sum()


def test_turns_solved_again_change_nothing_where_nothing_is_bet(booked: Blueprint) -> None:
    """What turns are worth is read from the book; by another walk it is the same."""
    strategy = OnFlop(booked, FLOP)
    responses = LimitResponse(strategy, 0), LimitResponse(strategy, 1)
    flop = ResolvedFlop(responses, TurnSolver(booked, Limits(iterations=3)), FLOP)
    card = flop.cards[4][0]
    for player, response in enumerate(responses):
        found, wanted = flop._by_blueprint[card][player], response.turn_values((*FLOP, card))
        assert found.shape == (3, 1326)
        assert np.abs(found - wanted).max() < 5e-3 * np.abs(wanted).max()
    for player, tables in enumerate(flop.tables((1, 2))):
        right = class_values(responses[player].flop_values(FLOP))
        assert tables.fitted == pytest.approx(right, abs=1e-3 * float(np.abs(right).max()))


def at_the_flop() -> State:
    """Limped; the big blind is first to act on the flop."""
    return start(CHECKED).apply(CALL).apply(CALL)


@pytest.mark.parametrize(
    "spec",
    [
        "blueprint:{file},",
        "blueprint+unsafe,turn=yes,file={file},",
        "blueprint+nested,file={file},",
    ],
)
def test_agents_play_flops_by_the_book(spec: str, booked: Blueprint) -> None:
    assert booked.book is not None
    options = f"book={booked.book.folder},post=none"
    agent = make_agent(spec.format(file=booked.path) + options, CHECKED)
    state, node = at_the_flop(), flop_decisions(booked.tree)[0]
    actions, strategy = agent.strategy(state, FLOP)
    assert strategy == pytest.approx(booked.hands(node, FLOP))
    sure = [int(np.argmax(np.where(live_mask(FLOP), row, 0))) for row in strategy]
    assert min(strategy[i, hand] for i, hand in enumerate(sure)) > 0.99
    for action, hand in zip(actions, sure, strict=True):
        agent.begin(3)
        assert agent.act(state, tuple(hand_cards()[hand].tolist()), FLOP) == action
        assert agent.thoughts[-1].source == "book"
    agent.begin(3)
    agent.act(state, (3, 7), (0, 17, 35))
    assert agent.thoughts[-1].source == "blueprint"


def test_ranges_on_the_turn_are_the_books(booked: Blueprint, checked: Blueprint) -> None:
    """What is solved again begins with what hands did on the flop by the book."""
    node = int(booked.tree.first_child[LimitResponse(checked, 0).exits[1][0]])
    board = (*FLOP, next_cards(FLOP)[3][0])
    limits = Limits(iterations=1)
    one, two = (next(TurnSolver(each, limits).lines([node], board)) for each in (booked, checked))
    assert np.abs(one.reaches[0] - two.reaches[0]).max() > 0.3
    line = tree_line(booked.tree, node, lambda at: booked.hands(at, board))
    for player in (0, 1):
        assert one.reaches[player] == pytest.approx(reach_along(live_hands(board), line, player))


def test_books_that_are_none(booked: Blueprint, tmp_path: Path, solved: SolvedFlop) -> None:
    assert booked.book is not None
    other = FlopBook(booked.book.folder, "another", booked.tree)
    with pytest.raises(FileError, match="was solved for another strategy file"):
        other.solved(FLOP)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is no folder"):
        FlopBook(tmp_path / "file", "any", booked.tree)
    with pytest.raises(GameError, match="fixed limits"):
        BookSolver(load_blueprint(), Limits(iterations=1))


def test_flops_of_the_strategy_are_solved_with_its_ranges(checked: Blueprint) -> None:
    lines = list(BookSolver(checked, Limits(iterations=1)).lines(FLOP))
    assert len(lines) == 1
    for node, line in lines:
        assert checked.tree.street[node] == 1
        for player in (0, 1):
            reach = line.reaches[player]
            assert 0 < reach.max() <= 1
            assert (line.endgame.ranges[player][live_mask(FLOP)] > 0).all()
            ratio = line.endgame.ranges[player] / np.maximum(reach, 1e-9)
            likely = reach > 0.1 * reach.max()
            assert np.ptp(ratio[likely]) < 1e-3 * ratio[likely].mean()


DRAW = ("--boards", "2", "--seed", "488")  # two flops of one suit: few turns differ


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Run]:
    return {name: runner(name, monkeypatch, capsys) for name in ("book", "exploit")}


def test_commands_make_a_book_and_tell_what_is_lost_with_it(
    checked: Blueprint, tmp_path: Path, commands: dict[str, Run]
) -> None:
    folder, file = tmp_path / "flops", checked.path
    words = (file, "--device", "cpu", *DRAW, "--iterations", 3, "--turns", "--out", folder)
    made = commands["book"](*words, "--json", "-").json
    assert made["flops"] == made["solved"] == 2
    assert 0 < made["exploitability"] < 0.5
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(kept) == 2
    told = commands["book"](*words, "--json", "-").json
    assert (told["flops"], told["solved"], told["exploitability"]) == (2, 0, None)
    assert f"2 flops are in {folder}; 0 of them were solved now" in commands["book"](*words).out
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == kept

    def exploit(*more: object) -> dict[str, Any]:
        return commands["exploit"](file, *DRAW, *more, "--workers", 1, "--json", "-").json

    plain, booked = exploit(), exploit("--book", folder)
    resolved = exploit("--book", folder, "--resolve-turns", 2, "--iterations", 2)
    assert booked["fitted_mbb_per_hand"] < 0.7 * plain["fitted_mbb_per_hand"]
    for name in ("mbb_per_hand", "fitted_mbb_per_hand"):  # nothing is bet on turn and river
        assert resolved[name] == pytest.approx(booked[name], abs=3)
    assert resolved["book"] == booked["book"] == str(folder)
    # Without what turns are worth in the book, they are valued by the walk of processors.
    bare, words = tmp_path / "bare", [word for word in words[:-1] if word != "--turns"]
    commands["book"](*words, bare)
    assert exploit("--book", bare)["mbb_per_hand"] == pytest.approx(booked["mbb_per_hand"])
    walked = exploit("--book", bare, "--resolve-turns", 2, "--iterations", 2)
    assert walked["fitted_mbb_per_hand"] == pytest.approx(booked["fitted_mbb_per_hand"], abs=3)


def test_what_a_book_lacks_is_told(
    checked: Blueprint, tmp_path: Path, commands: dict[str, Run]
) -> None:
    file, folder = checked.path, tmp_path / "none"
    for asked in ((), ("--resolve-turns", 2)):
        refused = commands["exploit"](file, "--book", folder, *DRAW, *asked)
        assert refused.status == 2
        assert "lacks 2 of the flops drawn" in only_sentence(refused.err)
    refused = commands["exploit"](file, "--book", folder, *DRAW, "--resume", tmp_path / "state")
    assert "what a book has is read" in only_sentence(refused.err)
    refused = commands["exploit"]("limit-holdem:uniform", "--book", folder)
    assert "a book has flops of a strategy file: name one" in only_sentence(refused.err)
    refused = commands["book"](file, "--out", file, "--device", "cpu")
    assert refused.status == 2
    with pytest.raises(FileError, match=r"there is no folder .* endspiel book makes one"):
        make_agent(f"blueprint:{file},book={folder}", CHECKED)


def test_a_flop_that_does_not_fit_is_refused_with_the_figure() -> None:
    shipped = load_blueprint("limit-holdem")
    solver = BatchedBookSolver(shipped, Limits(iterations=1), free=10**9)
    with pytest.raises(EndspielError, match=r"solving a line of a flop needs [1-4][0-9]\.. GB"):
        solver.solve(FLOP)


def test_a_flop_cut_short_is_no_flop(booked: Blueprint, tmp_path: Path) -> None:
    assert booked.book is not None
    torn = FlopBook(tmp_path, booked.book.strategy, booked.tree)
    whole = booked.book.path(FLOP).read_bytes()
    torn.path(FLOP).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="damaged"):
        torn.solved(FLOP)
