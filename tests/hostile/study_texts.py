"""Readers of what players write: histories, scripts, trees before the flop, reports, rakes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel.batch.preflop_solve import Preflop
from endspiel.betting.menu import StreetMenu
from endspiel.betting.rake import parse_rake
from endspiel.errors import EndspielError
from endspiel.game import Profile
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.preflop.whole import SolvedPreflop
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.sources import read_hands
from endspiel.web.messages import PreflopAsked, decode
from endspiel.web.preflops import read_preflop
from endspiel.web.reports import read_report, spot_on
from tests.review.test_phh_hands import HEADS_UP, SIX
from tests.upi.talk import Talk
from tests.web.reported import FLOPS, report_json

EVERY = np.ones(1326)
HOW = ReviewSettings((EVERY, EVERY), StreetMenu.parse("66%", ""), first_street=0)
TREES = (
    {"stack": 40, "opens": "2.5x", "reraises": "3x, a", "ante": 0.1, "rake": "5%", "rake_cap": 3},
    {"stack": 15, "straddle": 2, "max_raises": 2, "limp": False, "small_blind": 0.4},
    {"stack": 8, "prizes": [50, 30, 20], "others": [20, 12], "stacks": [15, 8]},
)
SCRIPT = """set_board Qs Jh 2h 4c 7d
set_range OOP AA-TT,AJs-A9s,KQo:0.5
set_range IP AQs+,JJ-77,KTs
set_pot 0 0 200
set_eff_stack 300
set_rake 0.05 30
add_line 0 150 300
set_accuracy 0.2 chips
build_tree
go 2 steps
wait_for_solver
show_node r:0:c
show_strategy r:0
calc_ev OOP r:0
calc_eq_node IP r:0:c
show_range OOP r:0
calc_results
free_tree"""


def _not_solved(*given: Any, **more: Any) -> Any:
    raise EndspielError("spots are not solved here")


def _any_charts(preflop: Preflop) -> SolvedPreflop:
    """Charts of uniform play, which need no solve."""
    game = preflop.game()
    built = game.game()
    charts = PreflopCharts(game, built, Profile.uniform(built))
    return SolvedPreflop(preflop, charts, None, {}, None)


def use_hands(path: Path) -> None:
    """Read hands and judge them before the flop; the first that is not whole is told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("endspiel.review.judge.solve", _not_solved)
        patch.setattr("endspiel.review.before_flop.solve_whole", _any_charts)
        review = Reviewer(HOW).review(read_hands(path))
    told = [one.reason for one in review.broken if "not solved here" not in one.reason]
    if told and "others played" not in told[0]:
        raise EndspielError(told[0])


def use_script(text: str) -> None:
    """A session of commands; what they refuse is refused in their own words."""
    talk = Talk()
    for line in text.split("\n"):
        if not line.startswith(("dump", "load_script")):
            talk.ask(line)
    written = tuple(talk.written)
    talk.ask("stop")  # a solve without end
    talk.ask("free_tree")
    for said in written:
        assert "Error " not in said.partition(": ")[2][:40], said  # ZeroDivisionError and the like
    refused = [said for said in written if said.startswith("ERROR")]
    if refused:
        raise EndspielError(refused[0])


def use_report(text: str) -> object:
    """A report and a spot of it."""
    return spot_on(read_report("report", text.encode()), FLOPS[0])


STUDY_TEXTS: dict[str, tuple[tuple[str, ...], Callable[[str], object]]] = {
    "rake": (("5%", "2.5%", "0%"), lambda text: parse_rake(text, 300)),
    "preflop message": (
        tuple(map(json.dumps, TREES)),
        lambda text: read_preflop(decode(text.encode(), PreflopAsked)),
    ),
    "script": ((SCRIPT,), use_script),
    "report": ((report_json().decode(),), use_report),
}
PHH_HANDS = (SIX, HEADS_UP)
