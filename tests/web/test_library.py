"""The library: reports that store their solutions, names and tags, copied folders, the command."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from endspiel.games.spot import load_spot
from endspiel.web.messages import SpotText
from endspiel.web.starter import starter_spots
from tests.cli.commands import Run, runner
from tests.solving.spots import RIVER
from tests.web.conftest import Page, open_page
from tests.web.reported import SPOT

FLOPS = ["Ks 7h 2d", "9s 8s 7s"]
QUIET = SPOT | {"turn": {"bet": ""}, "river": {"bet": ""}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("library")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Page]:
    yield from open_page(folder)


@pytest.fixture(scope="module")
def report(served: Page) -> str:
    """A report of two flops that stores their solutions."""
    asked = {
        "spot": QUIET,
        "flops": ", ".join(FLOPS),
        "target_percent": 50,
        "name": "two flops",
        "solutions": True,
    }
    served.post("/api/reports/run", asked, 201)
    served.wait(lambda: served.get("/api/reports/run")["state"] != "running")
    run = served.get("/api/reports/run")
    assert (run["state"], run["error"]) == ("done", "")
    return str(run["report"])


def item(page: Page, name: str) -> Any:
    return next(one for one in page.get("/api/library")["items"] if one["id"] == name)


def test_a_flop_of_a_report_opens_solved(served: Page, report: str) -> None:
    rows = served.get(f"/api/reports/{report}")["rows"]
    for row in rows:
        found = served.get(f"/api/reports/{report}/spot", board=row["board"])
        node = served.get(f"/api/jobs/{found['job']}/node", line="")
        shares = {action["word"]: action["frequency"] for action in node["actions"]}
        assert shares == pytest.approx(row["frequencies"])
        job = served.get(f"/api/jobs/{found['job']}")
        assert (job["report"], job["state"]) == (report, "done")
        assert job["name"] == f"two flops, {row['board']}"
        asked = QUIET | {"board": row["board"]}
        again = msgspec.convert(asked, SpotText)
        assert served.site.service.solved(again) == job["id"]  # as the trainer asks


def test_the_library_lists_names_dates_tags_and_sizes(served: Page, report: str) -> None:
    solve = served.solve(RIVER, iterations=2, name="a river")["id"]
    one, other = item(served, report), item(served, solve)
    assert (one["kind"], one["boards"], one["solved"]) == ("report", 2, 2)
    assert (other["kind"], other["board"], other["name"]) == ("solve", RIVER["board"], "a river")
    assert one["file_bytes"] > other["file_bytes"] > 0
    whole = served.get("/api/library")
    assert whole["file_bytes"] == sum(one["file_bytes"] for one in whole["items"])
    assert len(whole["items"]) == len({one["id"] for one in whole["items"]})
    for kind, name in (("report", report), ("solve", solve)):
        asked = {"kind": kind, "id": name, "name": f"my {kind}", "tags": ["SRP", "100bb", "SRP"]}
        served.post("/api/library", asked)
        assert item(served, name)["name"] == f"my {kind}"
        assert item(served, name)["tags"] == ["SRP", "100bb"]


@pytest.mark.parametrize(
    ("asked", "status", "words"),
    [
        ({"kind": "report", "id": "nothing"}, 404, "there is no report"),
        ({"kind": "solve", "id": "nothing"}, 404, "there is no job"),
        ({"kind": "book", "id": "nothing"}, 422, "kind"),
        ({"kind": "report", "name": " "}, 422, "a name has a letter"),
        ({"kind": "report", "tags": ["x" * 41]}, 422, "at most 40"),
    ],
)
def test_labels_that_make_no_sense_are_refused(
    served: Page, report: str, asked: dict[str, Any], status: int, words: str
) -> None:
    answer = served.client.post("/api/library", json={"id": report} | asked)
    assert (answer.status_code, words in answer.json()["error"]) == (status, True), answer.text


def test_folders_are_copied_between_machines(
    served: Page, report: str, folder: Path, tmp_path: Path
) -> None:
    for page in open_page(tmp_path):
        assert page.get("/api/library")["items"] == []
        for name in ("jobs", "reports"):  # while the other server runs
            shutil.copytree(folder / name, tmp_path / name, dirs_exist_ok=True)
        assert item(page, report) == item(served, report)
        job = page.get(f"/api/reports/{report}/spot", board=FLOPS[0])["job"]
        assert page.get(f"/api/jobs/{job}/node", line="")["kind"] == "decision"
        assert page.client.delete(f"/api/reports/{report}").status_code == 200
        assert not [one for one in page.get("/api/jobs")["jobs"] if one["report"]]
        assert not (tmp_path / "jobs" / f"{job}.es").exists()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("library", monkeypatch, capsys)


def test_the_command_builds_a_library_and_goes_on_with_it(run: Run, tmp_path: Path) -> None:
    spot, flops = tmp_path / "small.json", tmp_path / "flops.txt"
    spot.write_text(json.dumps(QUIET))
    flops.write_text("\n".join(FLOPS))
    place = tmp_path / "served"
    asked = [str(spot), "--flops", str(flops), "--target", "50", "--folder", str(place)]
    first = run(*asked, "--json", "-").json
    assert (first["solved"], first["failed"]) == (2, [])
    stored = sorted((place / "jobs").glob("*.es"))
    assert len(stored) == 2
    before = {path: path.stat().st_mtime_ns for path in stored}
    stored[0].unlink()
    again = run(*asked, "--json", "-").json
    assert again["reports"] == first["reports"]
    assert stored[0].is_file()  # solved again: it was missing
    assert stored[1].stat().st_mtime_ns == before[stored[1]]
    for page in open_page(place):
        one = item(page, first["reports"][0]["id"])
        assert (one["name"], one["boards"], one["solved"]) == ("small", 2, 2)


def test_the_starter_spots_are_of_a_hundred_blinds() -> None:
    names = [path.stem for path in starter_spots()]
    assert names == ["single-raised", "3-bet"]
    for path in starter_spots():
        spot = load_spot(path)
        assert spot.pot + 2 * spot.stack == 20000 == 200 * (spot.big_blind or 0)
