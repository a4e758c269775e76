"""A server and a browser for the tests of the page."""

import contextlib
import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.browser.needs import CHROMIUM, PATIENCE, RIVER, TARGET

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SERVE = """
import sys
from pathlib import Path
from endspiel.cli.serve import serve
serve(int(sys.argv[1]), "127.0.0.1", Path(sys.argv[2]), None, False)
"""


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker of these tests."""
    config.addinivalue_line("markers", "browser: drives the study page with Chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # A browser, a server and the tests share few cores: what fails once may be lateness.
            item.add_marker(pytest.mark.flaky(reruns=2))


class Running:
    """A server in a process of its own, on a free port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process: subprocess.Popen[str] | None = None
        self.address = ""  # with the token

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        command = [sys.executable, "-c", SERVE, str(self.port), str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:  # the address is printed just before it listens
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.05)
        raise TimeoutError(f"nothing listens on port {self.port}")

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server answers to a program that has its token."""
        headers = {
            "Authorization": f"Bearer {self.address.rpartition('=')[2]}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.home + path[1:], data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return dict(json.load(answer))

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.communicate(timeout=30)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("served"))
    running.start()
    yield running
    running.stop()


@pytest.fixture(scope="session")
def solved(server: Running) -> str:
    """Number of a job that has solved, or is solving, the river; pages wait for its result."""
    body = {"spot": RIVER, "target_percent": float(TARGET)}
    return str(server.ask("/api/jobs", body)["id"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(browser: Any, server: Running) -> Iterator[Callable[..., Any]]:
    """Opens tabs of one browser profile; any script error or refused policy fails the test."""
    contexts, troubles = [], []

    def note(message: Any) -> None:
        if message.type == "error" and "status of 4" not in message.text:  # refusals are tested
            troubles.append(message.text)

    def open_one(width: int = 1440, height: int = 900, **options: Any) -> Any:
        if not contexts:
            contexts.append(
                browser.new_context(viewport={"width": width, "height": height}, **options)
            )
            contexts[0].set_default_timeout(PATIENCE)
        page = contexts[0].new_page()
        page.on("console", note)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(server.address)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not troubles


@pytest.fixture
def page(open_tab: Callable[..., Any]) -> Any:
    return open_tab()
