"""The arena's results: matches kept and resumed, differences with the right mean, the tables."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import endspiel.arena.match as match_module
import endspiel.executor.executor as executor_module
from endspiel.agent.base import Agent, Choice
from endspiel.errors import EndspielError, FileError
from endspiel.reproduce.arena_endgames import Endgames
from endspiel.reproduce.arena_play import Matches, Player, difference, same_endgames
from endspiel.reproduce.arena_results import PARTS, RunOptions, Study, report, run
from endspiel.reproduce.arena_tartanian5 import missing
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, State
from tests.blueprint_fixture import save_small
from tests.cli.commands import runner

Cards = tuple[int, ...]


class Bettor(Agent):
    """Limps or raises by its dice, checks to the river, and bets aces there so often."""

    def __init__(self, rivers: float) -> None:
        self.rivers = rivers

    def chance(self, state: State, hole: Cards) -> float:
        if state.raise_bounds() is None or state.raises:
            return 0.0
        return (0.3, 0.0, 0.0, self.rivers * (max(hole) >= 48))[state.round]

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        bounds, dice = state.raise_bounds(), self.draws.uniform()
        return bounds[0] if bounds and dice < self.chance(state, hole) else CALL

    def policy(self, state: State, holes: Sequence[Cards], board: Cards) -> Choice:
        bounds = state.raise_bounds()
        if bounds is None:
            return Choice((CALL,), np.ones((len(holes), 1)))
        bets = np.array([self.chance(state, hole) for hole in holes])
        return Choice((bounds[0], CALL), np.stack([bets, 1 - bets], axis=1))


def seldom(game: GameDef, options: str) -> Agent:
    return Bettor(0.1)


def often(game: GameDef, options: str) -> Agent:
    return Bettor(0.9)


SELDOM, OFTEN = Player("seldom", f"{__name__}:seldom"), Player("often", f"{__name__}:often")
CALLER = Player("caller", "always-call")


def test_matches_are_read_again_from_their_logs(tmp_path: Path) -> None:
    said: list[str] = []
    matches = Matches(tmp_path, workers=1, say=said.append)
    first = matches.play(SELDOM, CALLER, 200)
    log = next(tmp_path.glob("*.log"))
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    again = matches.play(SELDOM, CALLER, 200)
    assert 0 < again.result.resumed < 200
    assert np.array_equal(first.values, again.values)
    assert np.array_equal(first.reached, again.reached)
    matches.play(SELDOM, CALLER, 200)
    assert said[-1].endswith("read from its log")


def test_versions_with_one_trunk_come_to_the_same_endgames(tmp_path: Path) -> None:
    matches = Matches(tmp_path, workers=1, say=lambda text: None)
    base, other = (matches.play(player, CALLER, 400) for player in (SELDOM, OFTEN))
    assert same_endgames(base, other)
    found = difference(base, other)
    assert found.endgames == 400  # nobody folds
    assert found.per_hand.mean == pytest.approx(float((other.values - base.values).mean()))
    assert found.per_endgame.mean == pytest.approx(found.per_hand.mean)


def test_endgames_valued_by_all_hands_agree_with_those_played(tmp_path: Path) -> None:
    said: list[str] = []
    matches = Matches(tmp_path, workers=1, say=said.append)
    base, other = (matches.play(player, CALLER, 2000) for player in (SELDOM, OFTEN))
    endgames = Endgames(matches, SELDOM, CALLER, 2000, 40)
    found, gains = endgames.difference(OFTEN)
    assert len(gains) == 40
    played = difference(base, other).per_endgame
    assert found.error is not None
    assert played.error is not None
    assert found.error < played.error  # of 40 endgames against 2000
    assert found.mean > 4 * found.error  # aces bet are aces paid
    assert abs(found.mean - played.mean) < 4 * np.hypot(found.error, played.error)
    assert 0 < endgames.shares(gains).mean < 100
    path = next(tmp_path.glob("often*.jsonl"))
    text = path.read_text()
    path.write_text(text[: len(text) // 2])  # a killed run
    assert np.array_equal(endgames.difference(OFTEN)[1], gains)
    assert sorted(path.read_text().splitlines()) == sorted(text.splitlines())
    path.write_text("0-1 many\n")
    with pytest.raises(FileError, match="is no list of finished work"):
        endgames.difference(OFTEN)


def test_any_number_of_workers_values_endgames_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor_module, "PATIENCE", 0.0)
    found = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        Matches(folder, workers=1, say=lambda text: None).play(SELDOM, CALLER, 40)
        matches = Matches(folder, workers=workers)
        found.append(Endgames(matches, SELDOM, CALLER, 40, 9).values(OFTEN))
    assert found[0] == found[1]
    assert len(found[0]) == 9


def test_an_agent_that_never_comes_to_an_endgame_is_named(tmp_path: Path) -> None:
    matches = Matches(tmp_path, workers=1, say=lambda text: None)
    matches.play(SELDOM, CALLER, 40)
    folds = Player("folds", "always-fold")
    with pytest.raises(EndspielError, match="folds never plays"):
        Endgames(matches, SELDOM, CALLER, 40, 9).values(folds)


def test_the_base_plays_its_first_action_as_it_was_found() -> None:
    study = Study(Matches(Path()), 2, "b", RunOptions(1, (), ()))
    assert study.player("none").spec == "blueprint:b,post=purify-after-first"
    assert study.player("unsafe").spec == "blueprint+unsafe,file=b,post=purify-after-first"


def test_tartanian5s_experiments_stand_beside_the_papers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_module, "chosen_tables", lambda *plan: None)  # seconds of work
    base, coarse = (str(save_small(tmp_path / f"{seed}.blueprint", seed)) for seed in (1, 2))
    options = {"parts": ["tartanian5"], "workers": 1, "say": lambda text: None}
    result = run(4, tmp_path / "state", Path(base), coarse=coarse, **options)
    rows = result["parts"]["tartanian5"]
    assert [row["contest"] for row in rows] == ["coarse", "coarse", "post"]
    assert [row["specs"] for row in rows] == [
        [f"blueprint:{base},post=none", f"blueprint:{coarse},post=none"],
        [f"blueprint:{base},post=purify", f"blueprint:{coarse},post=purify"],
        [f"blueprint:{base},post=purify", f"blueprint:{base},post=threshold"],
    ]
    assert rows[0]["abstractions"] == ["4-3-2-2", "4-3-2-2"]
    assert rows[0]["exploitability"] == [1.25, 1.25]
    for row in rows:
        assert row["aivat"]["mbb_per_hand"] != row["result"]["mbb_per_hand"]
    again = run(4, tmp_path / "state", Path(base), coarse=coarse, **options)
    assert again["parts"] == result["parts"]
    text = report(result)
    assert "paper: 8-12-4-4 (exploitable by 0.55 bb inside its abstraction) beat 8-4-3-3" in text
    assert "paper: purified beat thresholded at 0.15" in text
    # No strategy of the finer abstraction was given: said with the commands that make one.
    (missing,) = result["missing"]
    assert (missing["contest"], missing["option"]) == ("fine", "--fine")
    assert "not played: 8-12-4-4 (exploitable by 0.55 bb inside its abstraction) beat 12-25" in text
    assert "there is no strategy of 12-25-6-6: name its file with --fine" in text
    for command in missing["commands"]:
        assert f"`{command}`" in text
    assert "4-3-2-2-purify against 4-3-2-2-purify: " in text


@pytest.mark.parametrize(
    ("given", "lacking"),
    [({}, ["coarse", "fine"]), ({"fine": "b"}, ["coarse"]), ({"coarse": "a", "fine": "b"}, [])],
)
def test_contests_without_a_strategy_are_named(
    given: dict[str, str], lacking: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PARTS, "tartanian5", lambda study: [])
    result = run(4, parts=["tartanian5"], workers=1, say=lambda text: None, **given)
    assert [row["contest"] for row in result["missing"]] == lacking
    assert report(result).count("not played: ") == len(lacking)


def test_the_commands_that_make_a_missing_strategy_are_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for row in missing(None, None):
        abstract, train = (command.split() for command in row["commands"])
        assert (abstract[:2], train[:2]) == (["endspiel", "abstract"], ["endspiel", "train"])
        assert abstract[2:4] == ["--branching", row["abstraction"]]
        for _, name, *arguments in (abstract, train):
            shown = runner(name, monkeypatch, capsys)("--help").out
            assert all(option in shown for option in arguments if option.startswith("--"))


def test_folding_loses_750_only_to_those_who_raise() -> None:
    quiet = {"workers": 1, "say": lambda text: None}
    result = run(200, parts=["always-fold"], opponents=["pot-odds"], **quiet)
    rows = {row["opponent"]: row["result"] for row in result["parts"]["always-fold"]}
    assert rows["always-raise"]["interval"] == (-750, -750)
    assert rows["always-call"]["mbb_per_hand"] > -750  # it limps, and the big blind checks
    text = report(result)
    assert "always-fold against always-raise: result -750.0 ± 0.0" in text


def test_the_papers_numbers_stand_beside_ours() -> None:
    shown = {"mbb_per_hand": 12.0, "interval": (2.0, 22.0), "units": 10}
    row = {
        "technique": "unsafe",
        "opponent": "somebody",
        "per_endgame": shown,
        "per_hand": shown,
        "endgames": 1234,
        "same_endgames": True,
    }
    paper = {"Hyperborean.iro": (87, 50), "Slumbot": (29, 25)}
    others = {"opponent-1": "blueprint:other"}
    parts = {"endgame": [row]}
    text = report({"hands": 10, "opponents": others, "paper": paper, "parts": parts})
    assert "opponent-1 is blueprint:other" in text
    assert "Hyperborean.iro +87 ± 50, Slumbot +29 ± 25" in text
    assert "+12.0 ± 10.0" in text
    assert "1,234" in text


def test_bad_wishes() -> None:
    with pytest.raises(EndspielError, match="no part 'all'"):
        run(parts=["all"])
    with pytest.raises(EndspielError, match="no technique 'magic'"):
        run(techniques=["magic"])
    assert set(PARTS) == {"always-fold", "endgame", "played", "post", "tartanian5", "lbr"}
