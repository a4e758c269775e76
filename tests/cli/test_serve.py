"""``endspiel serve``: the address, the page, news while solving, Ctrl-C, refusals."""

import builtins
import http.client
import json
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from endspiel.cli.serve import default_folder, serve
from endspiel.errors import EndspielError
from tests.children import PATIENCE, ended, first_line, killed, started
from tests.solving.spots import TURN

COMMAND = """
import sys
from pathlib import Path
from endspiel.cli.serve import serve
serve(port=0, folder=Path(sys.argv[1]), browser=False, json=sys.argv[1] + "/json")
"""
WIDE = {**TURN, "ranges": ["22+,A2s+,KTs+", "22+,A2s+,K9s+"]}


class Served:
    """A server in a process of its own, on a port that it takes and tells."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", COMMAND, str(folder)]
        self.process = started(command)
        self.line = first_line(self.process)
        self.port = urlsplit(self.line.split()[-1]).port
        self.token = (folder / "token").read_text().strip()
        self.connections: list[http.client.HTTPConnection] = []

    def ask(self, method: str, path: str, body: Any = None) -> http.client.HTTPResponse:
        """A request with the token."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.connections.append(connection)
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body else None, headers)
        return connection.getresponse()

    def close(self) -> None:
        for connection in self.connections:
            connection.close()
        if self.process.returncode is None:
            killed(self.process)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    found = Served(tmp_path)
    yield found
    found.close()


def test_a_solve_is_watched_and_kept_by_ctrl_c(served: Served, tmp_path: Path) -> None:
    assert f"http://127.0.0.1:{served.port}/?token={served.token}" in served.line
    told = json.loads((tmp_path / "json").read_text())
    assert told["address"] in served.line
    assert told["folder"] == str(tmp_path)
    stream = served.ask("GET", "/api/events")
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert stream.readline() == b"event: jobs\n"
    made = served.ask("POST", "/api/jobs", {"spot": WIDE, "target_percent": 0})
    job = json.loads(made.read())["id"]
    progress: list[dict[str, Any]] = []
    while len(progress) < 5:
        if stream.readline() == b"event: progress\n":
            progress.append(json.loads(stream.readline().removeprefix(b"data: ")))
    assert {news["id"] for news in progress} == {job}
    served.process.send_signal(signal.SIGINT)
    assert b"event: bye\n" in stream.read()
    ended(served.process)
    record = json.loads((tmp_path / "jobs" / f"{job}.json").read_text())
    assert (record["state"], record["stopped"]) == ("stopped", "interrupted")
    assert (tmp_path / "jobs" / f"{job}.es").exists()


def test_sigterm_stops_it_as_ctrl_c_does(tmp_path: Path) -> None:
    words = ["serve", "--port", "0", "--folder", str(tmp_path), "--no-browser"]
    process = started([sys.executable, "-m", "endspiel", *words])
    assert "The study page is at" in first_line(process)
    process.send_signal(signal.SIGTERM)
    rest, _ = ended(process)
    assert rest.endswith(f"Stopped; what was solved is in {tmp_path}\n")


def test_a_port_in_use_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(EndspielError, match=f"cannot listen on 127.0.0.1, port {port}"):
            serve(port=port, folder=tmp_path, browser=False)
    with pytest.raises(EndspielError, match=r"cannot listen on 203\.0\.113\.1"):
        serve(port=8733, host="203.0.113.1", folder=tmp_path, browser=False)


def test_without_the_extra_the_way_to_it_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    imported = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("endspiel.web"):
            raise ModuleNotFoundError("No module named 'starlette'", name="starlette")
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EndspielError, match=r"pip install 'endspiel\[web\]'"):
        serve(port=8733, folder=tmp_path, browser=False)


def test_solves_are_kept_in_the_users_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_folder() == Path("/data/endspiel")
