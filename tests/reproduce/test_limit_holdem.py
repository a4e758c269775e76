"""Limit hold'em by the supplement's CFR+: what is told of a solved deck."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import endspiel.reproduce.limit_holdem as limit_module
from endspiel.betting.limit import limit_tree
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SCHEMES, Answer
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.holdem import Holdem, limit_holdem
from endspiel.gpu.backend import numpy_machine
from endspiel.gpu.holdem import stream_game
from endspiel.gpu.layout import game_bytes
from endspiel.gpu.machine import Machine
from endspiel.reproduce.limit_holdem import examine, examine_streams, report
from endspiel.rules.builtin import load_rules
from endspiel.solvers.boards.cfr import BoardCFR

CURRENT = SCHEMES["cfr+"].answering(Answer("current"))


def test_a_small_deck_is_examined_and_goes_on(tmp_path: Path) -> None:
    game = limit_holdem(3, 3, max_raises=0)
    examine(game, Limits(iterations=7), tmp_path)
    found = examine(game, Limits(iterations=20), tmp_path)
    assert found["iterations"] == 20
    assert set(found["exploitability"]) == {"current", "average"}
    alone = BoardCFR(game.cards, CURRENT)
    alone.advance(20)
    assert found["exploitability"]["current"] == pytest.approx(
        1000 * alone.exploitability(), abs=0.1
    )
    assert found["exploitability"]["average"] != found["exploitability"]["current"]
    both = BoardCFR(game.cards, SCHEMES["cfr+"])
    both.advance(20)
    assert found["exploitability"]["average"] == pytest.approx(
        1000 * both.exploitability(), abs=0.1
    )
    assert found["dealer_value"] == pytest.approx(-1000 * both.value(), abs=0.1)
    assert found["first_in"]["fold"] + found["first_in"]["limp"] == pytest.approx(1)
    assert 1 < found["compression"]["bits_a_value"]["preflop"] < 32
    assert found["compression"]["ratio"] > 2
    assert "mbb/g" in report(found)


def test_workers_find_the_same_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the average and of the current strategy, to the last digit; gone on from its blocks."""
    monkeypatch.setattr(limit_module, "processors", lambda: 1)  # threads add in an order of theirs
    game = limit_holdem(3, 3, max_raises=1)
    whole = examine(game, Limits(iterations=5))
    examine(game, Limits(iterations=2), tmp_path, workers=1)
    found = examine(game, Limits(iterations=5), tmp_path, workers=1)
    assert (tmp_path / "limit-holdem.blocks" / "manifest.es").exists()
    facts = ("iterations", "exploitability", "dealer_value", "first_in", "never_taken")
    assert [found[name] for name in facts] == [whole[name] for name in facts]
    assert found["compression"]["bits_a_value"] == whole["compression"]["bits_a_value"]
    assert " s by workers, ended by iterations" in report(found)


def test_packed_strategies_are_told_of_as_they_are(tmp_path: Path) -> None:
    """Rounded ones, gone on from their blocks with the same bits alone, and never unpacked."""
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 0, 0, 0))
    game = Holdem("thin", limit_tree(rules), 10.0, 3, 3)
    floats = examine(game, Limits(iterations=3), workers=1)
    examine(game, Limits(iterations=2), tmp_path, workers=1, bits=-4)
    found = examine(game, Limits(iterations=3), tmp_path, workers=1, bits=-4)
    assert (floats["bits"], found["bits"], found["iterations"]) == (None, -4, 3)
    assert found["exploitability"]["average"] != floats["exploitability"]["average"]
    assert found["first_in"] == pytest.approx(floats["first_in"], abs=0.1)
    assert found["compression"] is None
    with pytest.raises(EndspielError, match="bits"):
        examine(game, Limits(iterations=4), tmp_path, workers=1, bits=6)


def test_memory_is_checked_before_a_deck_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endspiel.solvers.memory.available_memory", lambda: 10**9)
    for workers in (None, 1):
        with pytest.raises(EndspielError, match=r"needs .* free memory may be used: .*--bits 12"):
            examine(limit_holdem(4), Limits(iterations=1), workers=workers)


@pytest.mark.parametrize("solution", ["average", "current"])
def test_a_machine_of_streams_finds_the_same_figures(solution: str) -> None:
    """As the board kernels do; where there is no room for averages, current strategies alone.

    After one iteration: later ones depend on how ties are rounded.
    """
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 0, 0, 1))
    game, limits = Holdem("thin", limit_tree(rules), 10.0, 3, 3), Limits(iterations=1)
    wanted = examine(game, limits, answer=Answer(solution))
    room = game_bytes(stream_game(game), 2 if solution == "average" else 1)
    found = examine_streams(game, limits, (streams, room))
    assert (found["solution"], found["iterations"]) == (solution, 1)
    for name in ("current", "average"):
        right = wanted["exploitability"][name]
        assert found["exploitability"][name] == (right and pytest.approx(right, abs=0.05))
    assert found["dealer_value"] == pytest.approx(wanted["dealer_value"], abs=0.05)
    assert found["first_in"] == pytest.approx(wanted["first_in"], abs=1e-4)
    assert found["points"][-1] == tuple(found["best"].values())
    assert "on a GPU" in report(found)
    coarse = examine_streams(game, limits, (streams, room), bits=-4)
    assert coarse["exploitability"] != found["exploitability"]


def streams(games: Sequence[CardGame], *, averages: bool) -> Machine:
    return numpy_machine(games)


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EndspielError, match="give --workers or --device"):
        limit_module.run(3, bits=12)
    with pytest.raises(EndspielError, match="does not solve whole"):
        limit_module.run(3, method="pcfr+")
    with pytest.raises(EndspielError, match="on the GPU needs"):
        examine_streams(limit_holdem(5), Limits(iterations=1), (streams, 10**9))
    with pytest.raises(EndspielError, match="average or the current"):
        examine(limit_holdem(3, 3, max_raises=0), Limits(iterations=1), answer=Answer("both"))


def test_raises_and_caps_are_told_of_the_dealer() -> None:
    rules = replace(load_rules("limit-holdem"), max_raises=(3, 0, 0, 0))
    found = examine(Holdem("thin", limit_tree(rules), 10.0, 3, 3), Limits(iterations=1))
    first_in = found["first_in"]
    assert first_in["fold"] + first_in["limp"] + first_in["raise"] == pytest.approx(1, abs=1e-6)
    assert first_in["cap"] == pytest.approx(1 / 3)  # the first iteration plays at random
