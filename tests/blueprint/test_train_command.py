"""``endspiel train``: from files to a strategy file, killed at any moment, and bad input."""

import os
import random
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from endspiel import files
from endspiel.betting.tree import DECISION
from endspiel.blueprint import training, training_sampled
from endspiel.blueprint.blueprint import load_blueprint
from endspiel.blueprint.joint import count_joint
from endspiel.blueprint.training import CHECKPOINT_NAME
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import format_game
from tests.blueprint.small import MODEL, cards
from tests.children import Child, ended, killed, started, wait_until
from tests.cli.commands import Run, runner

KILLS = 3
ENDLESS = 10**9  # iterations: none ends by itself


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An abstraction, its pairs of buckets and a betting model, as files."""
    place = tmp_path_factory.mktemp("training")
    cards().save(place / "cards.es")
    count_joint(cards(), place / "cards.es.joint")
    (place / "model.toml").write_text(MODEL)
    return place


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("train", monkeypatch, capsys)


def options(folder: Path, *more: object) -> list[str]:
    given = "--abstraction", folder / "cards.es", "--model", folder / "model.toml"
    return [str(word) for word in (*given, "--threads", 1, *more)]


def test_a_strategy_file_comes_out(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "made.blueprint"
    done = run(*options(folder, "--target", 0.5, "--out", out, "--json", "-"))
    assert done.status == 0, done.err
    assert done.json["method"] == "dcfr4"
    assert done.json["stopped"] == "target"
    assert done.json["exploitability"] <= 0.5
    assert done.json["nodes"] > done.json["iterations"] > 0
    assert done.json["file_bytes"] == out.stat().st_size
    blueprint = load_blueprint(out)
    assert blueprint.exploitability == done.json["exploitability"]
    assert blueprint.trace[-1].iteration == done.json["iterations"]
    assert blueprint.rows(0).sum(axis=0) == pytest.approx(1, abs=1e-3)


def test_matrix_products_keep_to_the_threads_given(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was loaded before: NumPy is, here."""

    def blas() -> list[int]:
        return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]

    seen: list[int] = []
    train = training.train
    monkeypatch.setattr(training, "train", lambda *words: seen.extend(blas()) or train(*words))
    with threadpool_limits(2, "blas"):
        before = blas()
        done = run(*options(folder, "--iterations", 1))
        assert done.status == 0, done.err
        assert blas() == before
    assert set(seen) == {1}


def test_limit_games_need_no_model(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "limit.blueprint"
    words = ("--game", "limit-holdem", "--iterations", 3, "--solution", "current", "--out", out)
    done = run(*options(folder, *words))
    assert done.status == 0, done.err
    assert "limit" in load_blueprint(out).game.name
    assert "after 3 iterations" in done.out


def test_sampled_boards_train_too(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("WATCHED", "FINAL"):
        monkeypatch.setattr(training_sampled, name, 5)
    out = tmp_path / "sampled.blueprint"
    words = "--method", "pcs", "--iterations", 4, "--boards", 3, "--out", out, "--json", "-"
    done = run(*options(folder, *words, "--resume", tmp_path))
    assert done.status == 0, done.err
    assert done.json["exploitability"] is None
    assert done.json["gain"]["boards"] == 5
    assert np.isnan(load_blueprint(out).exploitability)
    done = run(*options(folder, *words, "--resume", tmp_path, "--target", 1))
    assert done.status == 2
    assert "no target to stop at" in done.err


def test_best_responders_teach_too(run: Run, folder: Path, tmp_path: Path) -> None:
    """In a game of one bet a street; stopped after an iteration, and gone on with."""
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))
    (tmp_path / "one.game").write_text(format_game(rules))
    out = tmp_path / "responded.blueprint"
    words = "--method", "cfr-br", "--game", tmp_path / "one.game", "--resume", tmp_path
    assert run(*options(folder, *words, "--iterations", 1)).status == 0
    words = *words, "--responder", folder / "cards.es", "--iterations", 2, "--out", out
    done = run(*options(folder, *words, "--json", "-"))
    assert done.status == 0, done.err
    assert done.json["responders"] > 0
    assert done.json["iterations"] == 2
    assert done.json["parameters"]["rivers"] == 48
    done = run(*options(folder, *words, "--rivers", 4))
    assert done.status == 2  # what learned from all rivers is not gone on with
    assert "was made with rivers" in done.err
    strategy = load_blueprint(out)
    assert strategy.rows(0).sum(axis=0) == pytest.approx(1, abs=1e-3)
    done = run(*options(folder, *words, "--average-from", 2))
    assert done.status == 2  # nor what averaged others
    fine = tmp_path / "fine.blueprint"
    assert run(*options(folder, *words[:-1], fine, "--bits", 10)).status == 0
    river = [load_blueprint(file).record["loss"]["river"][0] for file in (fine, out)]
    assert 0 < river[0] < river[1] / 4  # what rounding moved
    assert fine.stat().st_size > out.stat().st_size
    done = run(*options(folder, "--method", "cfr-br", "--iterations", 1))
    assert done.status == 2
    assert "CFR-BR trains games with fixed limits" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "give a --target"),
        (("--iterations", 1, "--responder", "x"), "a --responder is of cfr-br, not of dcfr4"),
        (("--iterations", 1, "--rivers", 4), "--rivers are of cfr-br, not of dcfr4"),
        (("--iterations", 1, "--average-from", 1), "--average-from is of cfr-br, not of dcfr4"),
        (
            ("--iterations", 1, "--average-from", 2, "--method", "cfr-br"),
            "the average begins with iteration 2, and the training ends with 1",
        ),
        (
            (*("--iterations", 1, "--average-from", 0, "--method", "cfr-br"), "--game", "none"),
            "--average-from takes a whole number from 1 to",
        ),
        (("--iterations", 1, "--method", "magic"), "there is no method 'magic'"),
        (("--iterations", 1, "--device", "abacus"), "there is no device 'abacus'"),
        (("--iterations", 1, "--out", "/nowhere/x"), "there is no folder"),
        (("--iterations", 1, "--threads", 0), "--threads takes a whole number from 1 to"),
        (("--iterations", 1, "--game", "flop-holdem"), "four streets"),
        (("--iterations", 1, "--method", "pcs", "--device", "cuda"), "pcs runs on the cpu"),
        (("--iterations", 1, "--method", "pcs", "--delay", 2), "pcs has one solution"),
        (("--iterations", 1, "--solution", "newest"), "average or the current"),
        (("--target", -1), "--target takes a number from 0 to"),
        (("--minutes", "nan"), "--minutes takes a number from 0 to"),
        (("--iterations", 1, "--bits", 13), "--bits takes a number from 3 to 12, not 13"),
    ],
)
def test_bad_input_is_one_sentence(
    run: Run, folder: Path, words: tuple[object, ...], sentence: str
) -> None:
    done = run(*options(folder, *words))
    assert done.status == 2
    assert sentence in done.err
    assert "Traceback" not in done.err


def test_no_file_takes_anothers_place(run: Run, folder: Path, tmp_path: Path) -> None:
    both, before = tmp_path / "both", (folder / "cards.es").read_bytes()
    for words, sentence in (
        (("--out", folder / "cards.es"), "--abstraction and --out are the same file"),
        (("--out", folder / "cards.es.joint"), "are the same file"),
        (("--out", both, "--json", both), "--out and --json are the same file"),
    ):
        done = run(*options(folder, "--iterations", 1, *words))
        assert done.status == 2
        assert sentence in done.err
    assert (folder / "cards.es").read_bytes() == before
    assert not both.exists()


def test_pairs_are_counted_where_they_cannot_be_kept(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cards().save(tmp_path / "cards.es")
    (tmp_path / "model.toml").write_text(MODEL)
    monkeypatch.setattr(os, "access", lambda _, mode: mode == os.R_OK)
    done = run(*options(tmp_path, "--iterations", 1))
    assert done.status == 0, done.err
    assert "pairs of buckets are not kept" in done.err
    assert not (tmp_path / "cards.es.joint").exists()


def start(folder: Path, checkpoint: Path, out: Path, last: int) -> Child:
    words = options(folder, "--iterations", last, "--resume", checkpoint, "--out", out)
    program = "from endspiel.cli import main; main()"
    return started([sys.executable, "-c", program, "train", *words, "--checkpoint-every", "0"])


def kill_at_random(folder: Path, checkpoint: Path, out: Path, rng: random.Random) -> None:
    """Start an endless training and kill it once it has written something, or a moment later."""
    state = checkpoint / CHECKPOINT_NAME
    before = state.stat().st_mtime_ns if state.exists() else 0
    process = start(folder, checkpoint, out, ENDLESS)
    wait_until(lambda: state.exists() and state.stat().st_mtime_ns != before, process)
    time.sleep(rng.uniform(0, 0.1))
    killed(process)


def test_killed_trainings_end_in_the_same_place(folder: Path, tmp_path: Path) -> None:
    rng = random.Random(2)
    checkpoint, out = tmp_path / "checkpoint", tmp_path / "resumed.blueprint"
    for _ in range(KILLS):
        kill_at_random(folder, checkpoint, out, rng)
    assert not out.exists()
    _, arrays = files.load(checkpoint / CHECKPOINT_NAME, "checkpoint")
    last = int(arrays["iteration"][0]) + 20
    ended(start(folder, checkpoint, out, last))
    assert [path.name for path in checkpoint.iterdir()] == [CHECKPOINT_NAME]
    straight = tmp_path / "straight.blueprint"
    ended(start(folder, tmp_path / "other", straight, last))
    one, other = load_blueprint(out), load_blueprint(straight)
    assert one.exploitability == other.exploitability
    for node in np.flatnonzero(one.tree.kind == DECISION).tolist():
        assert np.array_equal(one.rows(node), other.rows(node))
