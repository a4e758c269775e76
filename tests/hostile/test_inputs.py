"""Inputs that once crashed, hung or left a traceback, each refused in one sentence."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endspiel import files
from endspiel.arena.protocol.appending import whole_hands
from endspiel.betting.tree import CHANCE, DECISION, NOBODY, SHOWDOWN
from endspiel.blueprint import blueprint as strategy_file
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.blueprint.checked_file import read_tree
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, RunTask, run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, FileError
from endspiel.games.registry import load_game
from endspiel.games.toy import kuhn
from endspiel.reading import MOST
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.lp import task as lp_task
from endspiel.solvers.solution import Solution
from endspiel.solvers.solve import solve
from tests.cli.commands import Outcome, runner
from tests.hostile.containers import save_tiny, use_blueprint

posix = pytest.mark.skipif(sys.platform == "win32", reason="devices and pipes of POSIX")
TASK = RunTask("hostile", "none", "none")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a whole command line."""
    return lambda name, *given: runner(name, monkeypatch, capsys)(*given)


def refused(outcome: Outcome, words: str) -> None:
    """Exit status 2 and one sentence, on one line, that says what is wrong."""
    assert outcome.status == 2, outcome.err
    assert outcome.err.startswith("endspiel: ")
    assert outcome.err.count("\n") == 1
    assert words in outcome.err
    assert outcome.out == ""


@pytest.fixture(scope="module")
def strategy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("strategy") / "tiny.blueprint"
    save_tiny(path)
    return path


@posix
@pytest.mark.parametrize("name", ["solve", "game", "replay", "inspect"])
@pytest.mark.parametrize("ending", [".toml", ".json", ".txt", ".efg", ""])
def test_pipes_are_not_waited_for(command: Any, tmp_path: Path, name: str, ending: str) -> None:
    pipe = tmp_path / f"pipe{ending}"
    os.mkfifo(pipe)
    outcome = command(name, pipe)
    if name == "game" and ending != ".efg":
        refused(outcome, "there is no game")
    else:
        refused(outcome, "it is no ordinary file")


@posix
@pytest.mark.parametrize("name", ["solve", "replay", "inspect"])
def test_devices_are_not_read(command: Any, tmp_path: Path, name: str) -> None:
    link = tmp_path / "endless.toml"
    link.symlink_to("/dev/zero")
    refused(command(name, link), "it is no ordinary file")
    with pytest.raises(FileError, match="no ordinary file"):
        whole_hands(link, "# name", resume=True)


@pytest.mark.parametrize("ending", [".toml", ".json", ".txt"])
def test_files_that_are_too_large_are_not_read(command: Any, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"huge{ending}"
    with path.open("wb") as file:
        file.truncate(MOST + 1)
    refused(command("solve", path), f"more than {MOST:,}")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kuhn:cards=100000", "has 89,999,100,001 histories"),
        ("leduc:ranks=100000", "histories or more"),
        ("openspiel:chess", "by random plays, and at most 10,000,000 can be walked"),
        ("openspiel:go", "histories by random plays"),
        ("openspiel:phantom_ttt", "about 10^10 histories by random plays"),
        ("openspiel:pig(winscore=5)", "can be walked unless --histories allows more"),
    ],
)
def test_games_tell_their_size_before_they_start(command: Any, name: str, words: str) -> None:
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    refused(command("game", name), words)


def test_an_option_raises_the_limit_of_histories(command: Any) -> None:
    refused(command("game", "kuhn", "--histories", 58), "for games of OpenSpiel, not for 'kuhn'")
    pytest.importorskip("pyspiel")
    refused(command("game", "openspiel:kuhn_poker", "--histories", 57), "more than 57 histories")


def test_a_walk_ends_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endspiel.games.tree.MOST_HISTORIES", 30)
    with pytest.raises(EndspielError, match="more than 30 histories, how many is unknown"):
        load_game("coin-toss") and load_game("choose-endgame") and load_game(
            str(Path(__file__).parents[1] / "data" / "efg" / "kuhn-rational.efg")
        )


def test_a_linear_program_tells_its_size(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lp_task, "MOST_NONZEROS", 5000)
    refused(command("game", "leduc", "--method", "lp"), "1,562 rows, 1,562 columns and 8,642")
    assert command("game", "kuhn", "--method", "lp").status == 0


def test_a_log_may_name_a_game_that_no_file_can_be(command: Any, tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    log.write_text(f"# name/game/hands/seed match {'g' * 5000}.game 100 42\n")
    refused(command("replay", log), "which is neither built in nor a file beside the log")


def test_a_nul_byte_in_a_file_name_is_refused(command: Any, tmp_path: Path) -> None:
    spot = tmp_path / "spot.toml"
    spot.write_text('ranges_file = "a\\u0000b"\n[river]\nbet = "50%"\n')
    refused(command("solve", spot), "ranges_file has a NUL byte")
    for write in (files.check_place, files.check_folder, files.make_folder):
        with pytest.raises(FileError):
            write(Path("a\0b"))
    with pytest.raises(FileError, match="no file has such a name"):
        files.save("a\0b", "test", {}, {})


def test_a_set_of_flops_has_no_endless_name(command: Any) -> None:
    flop = Path(__file__).parents[1] / "data" / "spots" / "flop.toml"
    refused(command("report", flop, "--flops", "9" * 5000), "there is no set of 9999")


def test_no_message_grows_with_what_it_quotes(command: Any, tmp_path: Path) -> None:
    spot = tmp_path / "spot.toml"
    spot.write_text(f'board = "{"A" * 50_000}"\nranges = ["AA", "KK"]\npot = 1\nstack = 1\n')
    outcome = command("solve", spot)
    refused(outcome, "no card 'AA' at position 1")
    assert len(outcome.err) < 1000


@pytest.mark.parametrize(
    "given",
    [
        ("solve", "n" * 5000),
        ("inspect", "n" * 5000),
        ("replay", "n" * 5000),
        ("game", "n" * 5000 + ".efg"),
        ("game", "kuhn", "--json", "n" * 5000),
        ("play", "--opponent", f"blueprint:{'n' * 5000}"),
        ("match", f"blueprint:{'n' * 5000}", "random"),
    ],
    ids=lambda given: given[0],
)
def test_names_that_no_file_can_have(command: Any, given: tuple[str, ...]) -> None:
    outcome = command(*given)
    assert outcome.status == 2
    assert "Traceback" not in outcome.err


def test_every_flipped_bit_of_a_strategy_is_seen_on_opening(strategy: Path, tmp_path: Path) -> None:
    sound, rng = strategy.read_bytes(), np.random.default_rng(1)
    path = tmp_path / "flipped.blueprint"
    for at in rng.integers(0, len(sound), 200).tolist():
        flipped = bytearray(sound)
        flipped[at] ^= 1 << int(rng.integers(8))
        path.write_bytes(flipped)
        strategy_file._open.cache_clear()
        with pytest.raises(FileError):
            load_blueprint(path)


LIES: dict[str, tuple[str, Any]] = {  # an array, and what stands in all its places
    "turn map outside": ("abstraction.turn.family_number", 60_000),
    "turn map to one bucket": ("abstraction.turn.family_number", 0),
    "turn map beyond its nodes": ("abstraction.turn.family_first", 1 << 40),
    "turn map before them": ("abstraction.turn.family_first", -1),
    "river outside": ("abstraction.river.first", 1 << 40),
    "flop bucket": ("abstraction.flop.buckets", 77),
    "preflop bucket": ("abstraction.preflop.buckets", 200),
    "card": ("abstraction.boards.flops", 52),
    "not a number": ("abstraction.turn.family_sums", np.nan),
    "infinite center": ("abstraction.turn.family_centers", np.inf),
    "codes": ("codes", 255),
    "fine rows": ("fine", 65_535),
    "fineness": ("levels", 200),
    "fineness of no grid": ("levels", 1),
    "player": ("tree.player", 5),
    "street": ("tree.street", 4),
    "kind": ("tree.kind", 9),
    "children": ("tree.num_children", 3),
    "no children": ("tree.num_children", 0),
    "chips": ("tree.spent", -5),
    "stack": ("tree.table", -1),
}


@pytest.mark.parametrize("lie", LIES)
def test_strategies_that_lie(strategy: Path, tmp_path: Path, lie: str) -> None:
    kind, _, record, arrays = files.verify(strategy)
    name, value = LIES[lie]
    wrong = arrays[name].copy()
    wrong[...] = value
    path = tmp_path / "lying.blueprint"
    files.save(path, kind, record, {**arrays, name: wrong})
    with pytest.raises(FileError, match="is no whole blueprint"):
        use_blueprint(path)


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie != "codes"])  # see test_codes_fit
def test_a_lie_in_one_place_is_seen(strategy: Path, tmp_path: Path, lie: str) -> None:
    kind, _, record, arrays = files.verify(strategy)
    name, value = LIES[lie]
    wrong = arrays[name].copy()
    wrong.reshape(-1)[wrong.size // 2] = value
    path = tmp_path / "lying.blueprint"
    files.save(path, kind, record, {**arrays, name: wrong})
    with pytest.raises(FileError, match="is no whole blueprint"):
        use_blueprint(path)


def _nobody_decides(tree: dict[str, Any]) -> None:
    tree["player"][np.argmax(tree["kind"] == DECISION)] = NOBODY


def _skip_a_street(tree: dict[str, Any]) -> None:
    tree["street"][-1] -= 1


def _deal_without_cards(tree: dict[str, Any]) -> None:
    tree["kind"][np.argmax(tree["kind"] == SHOWDOWN)] = CHANCE


def _follow_itself(tree: dict[str, Any]) -> None:
    """As many children as there are nodes, but of nodes that come after them."""
    for name in ("num_children", "kind", "player"):
        tree[name][1:] = tree[name][:0:-1]


def _take_chips_back(tree: dict[str, Any]) -> None:
    tree["spent"][-1] = 0


def _repeat_an_action(tree: dict[str, Any]) -> None:
    tree["action"][2] = tree["action"][1]


@pytest.mark.parametrize(
    "spoil",
    [
        _nobody_decides,
        _skip_a_street,
        _deal_without_cards,
        _follow_itself,
        _take_chips_back,
        _repeat_an_action,
    ],
)
def test_trees_that_lie(strategy: Path, spoil: Callable[[dict[str, Any]], None]) -> None:
    arrays = files.verify(strategy).arrays
    tree = {name[5:]: array.copy() for name, array in arrays.items() if name.startswith("tree.")}
    read_tree(tree)
    spoil(tree)
    with pytest.raises(FileError, match="its tree is none"):
        read_tree(tree)


@pytest.mark.parametrize(
    "lie",
    [
        {"value": None},
        {"exploitability": "small"},
        {"iterations": -1},
        {"iterations": 1.5},
        {"trace": [[1, None, 2.0]]},
        {"trace": 7},
        {"parameters": None},
        {"warnings": "none"},
        {"fingerprint": 3},
    ],
    ids=str,
)
def test_solutions_that_lie(tmp_path: Path, lie: dict[str, Any]) -> None:
    path, game = tmp_path / "solution", kuhn()
    solve(game, iterations=10).save(path)
    kind, _, record, arrays = files.verify(path)
    files.save(path, kind, record | lie, arrays)
    with pytest.raises(FileError, match="is no whole solution"):
        Solution.load(path, game)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1.0, 2.0])
def test_strategies_of_a_solution_are_probabilities(tmp_path: Path, value: float) -> None:
    path, game = tmp_path / "solution", kuhn()
    solve(game, iterations=10).save(path)
    kind, _, record, arrays = files.verify(path)
    wrong = arrays["behavior1"].copy()
    wrong[-1] = value
    files.save(path, kind, record, {**arrays, "behavior1": wrong})
    with pytest.raises(FileError, match="its array behavior1 holds"):
        Solution.load(path)
    files.save(path, kind, record, {**arrays, "behavior1": arrays["behavior1"][:-1]})
    with pytest.raises(FileError, match="its strategies are not of kuhn"):
        Solution.load(path, game)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("iteration", np.zeros(0, np.int64)),
        ("iteration", np.array([-5])),
        ("iteration", np.array([1 << 60])),
        ("iteration", np.array([3.0])),
        ("regret0", np.nan),
        ("regret1", -np.inf),
        ("average0", np.nan),
        ("average1", -1.0),
    ],
    ids=str,
)
def test_checkpoints_that_lie(tmp_path: Path, name: str, array: Any) -> None:
    checkpoint = Checkpoint(tmp_path / "run", TASK)
    solver = CFR(kuhn(), SCHEMES["cfr+"])
    run(solver, lambda: 1.0, Limits(iterations=25), checkpoint=checkpoint)
    kind, _, record, arrays = files.verify(checkpoint.path)
    wrong = np.full_like(arrays[name], array) if isinstance(array, float) else array
    files.save(checkpoint.path, kind, record, {**arrays, name: wrong})
    with pytest.raises(FileError, match="is no checkpoint of this solver"):
        checkpoint.load(CFR(kuhn(), SCHEMES["cfr+"]))


@pytest.mark.parametrize(
    "lie",
    [{"trace": None}, {"trace": [[30, 1.0, 1.0]]}, {"trace": [[20, 0.1, 1.0], [10, 0.2, 1.0]]},
     {"seconds": -1}, {"seconds": "long"}],
    ids=str,
)  # fmt: skip
def test_records_of_checkpoints_that_lie(tmp_path: Path, lie: dict[str, Any]) -> None:
    checkpoint = Checkpoint(tmp_path / "run", TASK)
    solver = CFR(kuhn(), SCHEMES["cfr+"])
    run(solver, lambda: 1.0, Limits(iterations=25), checkpoint=checkpoint)
    kind, _, record, arrays = files.verify(checkpoint.path)
    files.save(checkpoint.path, kind, record | lie, arrays)
    with pytest.raises(FileError, match="is no checkpoint of this solver"):
        checkpoint.load(CFR(kuhn(), SCHEMES["cfr+"]))
