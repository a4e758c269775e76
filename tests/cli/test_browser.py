"""The page opened by the command: no process's arguments show the token."""

import os
import signal
import sys
import threading
from pathlib import Path

import pytest

from endspiel.cli import browser
from tests.children import PATIENCE, ended, first_line, started, wait_until

ADDRESS = "http://127.0.0.1:8733/?token=SECRET"
SERVE = """
import sys
from pathlib import Path
from endspiel.cli.serve import serve
serve(port=0, folder=Path(sys.argv[1]), browser=True)
"""
# Stands for a browser: writes down its own arguments, then what the file says that they name.
READER = """#!{python}
import pathlib, sys, urllib.parse, urllib.request
page = pathlib.Path(urllib.request.url2pathname(urllib.parse.urlparse(sys.argv[1]).path))
told = "\\n".join([*sys.argv[1:], oct(page.stat().st_mode & 0o777), page.read_text()])
mark = pathlib.Path("{mark}")
mark.with_suffix(".part").write_text(told)
mark.with_suffix(".part").replace(mark)
"""


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_browser_is_given_a_private_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    opened = threading.Event()

    def open_address(address: str) -> None:
        asked.append(address)
        opened.set()

    monkeypatch.setattr(browser.webbrowser, "open", open_address)
    monkeypatch.setattr(browser, "OPEN_SECONDS", 0.0)
    browser.show_page(ADDRESS)
    assert opened.wait(PATIENCE)
    (path,) = home.iterdir()
    assert asked == [path.as_uri()]
    assert path.stat().st_mode & 0o077 == 0
    assert f"url={ADDRESS}" in path.read_text()


def test_the_file_is_deleted_once_it_was_read(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    actions = {}
    monkeypatch.setattr(browser, "_later", actions.__setitem__)
    browser.show_page(ADDRESS)
    assert list(home.iterdir())
    actions[browser.FORGET_SECONDS]()
    assert not list(home.iterdir())
    actions[browser.FORGET_SECONDS]()  # at the end of the program it is gone already


@pytest.mark.skipif(sys.platform != "linux", reason="BROWSER is a program's name there")
def test_serve_shows_the_token_to_no_process(tmp_path: Path) -> None:
    mark, program = tmp_path / "mark", tmp_path / "browser"
    program.write_text(READER.format(python=sys.executable, mark=mark))
    program.chmod(0o700)
    environment = {**os.environ, "HOME": str(tmp_path), "BROWSER": str(program)}
    command = [sys.executable, "-c", SERVE, str(tmp_path / "served")]
    server = started(command, env=environment)
    try:
        address = first_line(server).split()[-1]
        wait_until(mark.exists, server)
    finally:
        server.terminate()
        ended(server, -signal.SIGTERM)
    arguments, mode, page = mark.read_text().split("\n", 2)
    token = address.rpartition("=")[2]
    assert token not in arguments
    assert mode == "0o600"
    assert address in page
