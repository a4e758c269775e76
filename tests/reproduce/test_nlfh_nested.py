"""Answers to bets outside the abstraction, on a very short deck: the code that fills Table 2."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import IMPROVED, Entries
from endspiel.engine.gadget import GadgetRoot, Terms
from endspiel.errors import GameError
from endspiel.reproduce import nlfh_solvers, nlfh_table2
from endspiel.reproduce.last_street.boards import AVERAGE, board_behavior
from endspiel.reproduce.nlfh_nested import MissingBetAnswers
from endspiel.reproduce.nlfh_nested_game import MISSING, NestedGame
from endspiel.reproduce.nlfh_solvers import Flops, StreamFlops, WholeSolver, discounts
from tests.reproduce.test_last_street import by_hand

GAME = NestedGame(3)  # with two ranks nearly all hands tie, and no answer matters
EFFORT = nlfh_table2.Table2Effort(base=100, endgame=60)


def test_tree_is_the_papers() -> None:
    tree = GAME.betting
    decisions = tree.street_counts()[0]
    assert decisions[:2].tolist() == [8, 560]
    assert tree.spent.max() < tree.stack  # stacks never matter
    assert sum(bet == MISSING for bet in GAME.bet) == sum(bet == 0 for bet in GAME.bet)


def test_parts_leave_out_the_missing_bet() -> None:
    for players, lines in (((0, 1), 5), ((0,), 6), ((1,), 6), ((), 7)):
        preflop, flop = GAME.part(*players).streets
        assert len(flop.starts) == len(preflop.out) == lines
        for player in (0, 1):
            missing = [GAME.missing_bet(node) for node in flop.decisions[player]]
            found = GAME.sequences(flop, player, GAME.without(*players))
            assert all((node in found) != (player in players) for node in missing if node >= 0)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("table")


@pytest.fixture(scope="module")
def table(folder: Path) -> dict[str, Any]:
    return nlfh_table2.run(GAME.ranks, EFFORT, folder, lambda text: None)


@pytest.fixture(scope="module")
def base(table: dict[str, Any], folder: Path) -> WholeSolver:
    records = nlfh_table2.Records(folder)
    return nlfh_table2.Table2Draft(GAME, EFFORT, records, lambda text: None)._base()


def test_every_row_is_filled(table: dict[str, Any]) -> None:
    found = table["exploitability"]
    assert list(found) == list(nlfh_table2.ROWS)
    # The opponent has all of the base game's actions and more.
    assert all(gap >= table["base"] - 1e-3 for gap in found.values())
    for technique in ("maxmargin", "reach-maxmargin", *nlfh_table2.EXPENSIVE):
        assert found[technique] < found[nlfh_table2.TRANSLATION]
    assert found[nlfh_table2.REMEMBERED] < found[nlfh_table2.TRANSLATION]


def test_translation_mixes_as_the_mapping_says() -> None:
    nodes = GAME.taken_for(0)
    tree = GAME.betting
    for node, choice in nodes.items():
        assert sum(chance for _, chance in choice) == pytest.approx(1)
        assert all(tree.kind[taken] == tree.kind[node] for taken, _ in choice)
        words = tree.line(node).split()
        if not any(GAME.bet[n] == MISSING for n in _path(node)):
            assert choice == [(node, 1.0)], words
    first = tree.find("r250")
    (small, low), (large, high) = nodes[first]
    assert (tree.line(small), tree.line(large)) == ("r200", "r300")
    assert low == pytest.approx(0.25 * 1.5 / (0.5 * 1.75))
    assert high == pytest.approx(1 - low)


def _path(node: int) -> list[int]:
    return [node, *_path(int(GAME.betting.parent[node]))] if node > 0 else []


@pytest.mark.parametrize("remember", [True, False])
def test_translation_of_known_bets_is_the_base(base: WholeSolver, remember: bool) -> None:
    whole = WholeSolver(GAME.part(0), base.flops)
    nlfh_table2.translate(GAME, base, whole, 0, remember)
    known, allowed = GAME.without(0, 1), GAME.without(0)
    ours, theirs = (
        board_behavior(each.flop.street, 0, each.flop.read(AVERAGE, 0)) for each in (whole, base)
    )
    lines = [len(each.flop.street.starts) for each in (whole, base)]
    rows = GAME.sequences(whole.flop.street, 0, allowed)
    for node, sequence in GAME.sequences(base.flop.street, 0, known).items():
        # Where the base never comes, sums are zero and behavior is even in both.
        one, two = ours[:, rows[node] - lines[0]], theirs[:, sequence - lines[1]]
        assert np.allclose(one, two, atol=1e-5)


def test_missing_bets_are_answered_to_the_end(base: WholeSolver) -> None:
    answers = MissingBetAnswers(GAME, base, 0, 2)
    before, found = answers.solve("maxmargin")
    assert [GAME.betting.line(node) for node in before] == ["r250"]
    assert len(found) == 3  # the flop, a missing bet on it, and one after it
    for solved in found[1:]:
        assert all(GAME.bet[start] == MISSING for start in solved.street.starts)


def test_unknown_technique_is_refused(base: WholeSolver) -> None:
    with pytest.raises(GameError, match="no technique 'luck'"):
        MissingBetAnswers(GAME, base, 0, 1).solve("luck")


def test_table_goes_on_from_its_folder(table: dict[str, Any], folder: Path) -> None:
    said: list[str] = []
    assert nlfh_table2.run(GAME.ranks, EFFORT, folder, said.append) == table
    assert said == []


def test_what_does_not_fit_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nlfh_solvers, "available_memory", lambda: 10**10)
    with pytest.raises(GameError, match=r"needs 43.4 GB on device cpu, which has 10 GB"):
        nlfh_table2.run()


def test_report_puts_the_paper_beside_ours(table: dict[str, Any]) -> None:
    text = nlfh_table2.report(table)
    found = table["exploitability"]
    rows = {line[:28].rstrip(): line[28:].split() for line in text.splitlines()}
    for name, gap in found.items():
        shares = [f"{gap / found[of]:.1%}" for of in nlfh_table2.ROWS[:2]]
        assert rows[name][-3:] == [f"{gap:.4f}", *shares]
    assert rows["pseudo-harmonic"][:2] == ["146.5", "100.0%"]
    assert rows["pseudo-harmonic"][3] == rows["pseudo-harmonic, remembered"][2] == "100.0%"
    assert rows["reach-maxmargin"][:2] == ["11.91", "8.1%"]


def test_hands_that_gave_something_away_are_held_only() -> None:
    """Line by line and board by board, with 32-bit floats as with 64."""
    rng, shape = np.random.default_rng(2), (2, 3, 8)
    target, mass = rng.normal(size=shape), 0.5 + rng.random(shape)
    gave = rng.random(shape) < 0.4
    gave[0, 0] = True  # nobody is left to choose from
    limit = target - np.where(gave, 0.7, 0.0)
    asked = Alternatives(*(x.astype(np.float32) for x in (limit, target, limit)))
    everywhere = np.ones(shape, dtype=bool)
    entries = Entries(asked, mass.astype(np.float32), everywhere, 1.0, 1e-3, np.inf)
    ours = GadgetRoot(IMPROVED.terms(entries))
    held = gave & ~gave.all(axis=2, keepdims=True)
    theirs = GadgetRoot(Terms(~held, target, mass, held, limit, 1 / mass))
    for t in range(1, 30):
        assert ours.reach().dtype == np.float32
        assert ours.reach() == pytest.approx(theirs.reach(), rel=1e-3, abs=1e-5)
        values = rng.normal(size=shape)
        ours.learn(values.astype(np.float32), discounts(t))
        theirs.learn(values, discounts(t))


def test_the_improvement_changes_answers(base: WholeSolver) -> None:
    plain, improved = (
        MissingBetAnswers(GAME, base, 0, 5).solve(name)[1][1].solver.read(AVERAGE, 0)
        for name in ("reach-maxmargin", "reach-maxmargin-improved")
    )
    assert not np.allclose(plain, improved, rtol=1e-2)


def test_streams_find_the_same(base: WholeSolver) -> None:
    """After an iteration from one base: later, what ties are rounded to decides."""
    gains = []
    for flops in (Flops(), StreamFlops()):
        effort = nlfh_table2.Table2Effort(base=EFFORT.base, endgame=1)
        other = nlfh_table2.Table2Draft(GAME, effort, nlfh_table2.Records(None), lambda text: None)
        other.flops = flops
        source = WholeSolver(GAME.part(0, 1), flops)
        for player in (0, 1):
            source.average[player][:] = base.average[player]
            rows = by_hand(base.flop, base.flop.read(AVERAGE, player))
            at = np.maximum(source.flop.hand, 0)[:, None]
            source.flop.write(AVERAGE, player, np.take_along_axis(rows, at, axis=2))
        names = (nlfh_table2.TRANSLATION, "reach-maxmargin-improved", *nlfh_table2.EXPENSIVE)
        gains.append([other._gain(source, 1, name) for name in names])
    assert gains[1] == pytest.approx(gains[0], rel=1e-4)
