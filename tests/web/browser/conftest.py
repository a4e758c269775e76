"""A server and a browser for the tests of the page."""

import json
import signal
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.children import ended, first_line, started
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
serve(port=0, folder=Path(sys.argv[1]), browser=False)
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


class Running:
    """A server in a process of its own, on a port that it takes and tells."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", SERVE, str(folder)]
        self.process = started(command)
        self.address = first_line(self.process).split()[-1]  # with the token
        self.home = self.address.partition("?")[0]

    def ask(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the server answers to a program that has its token."""
        headers = {
            "Authorization": f"Bearer {self.address.rpartition('=')[2]}",
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.home + path[1:], data, headers)
        with urllib.request.urlopen(request, timeout=PATIENCE / 1000) as answer:
            return dict(json.load(answer))

    def forget(self, job: str) -> None:
        """Delete a job, whether it is over or not."""
        headers = {"Authorization": f"Bearer {self.address.rpartition('=')[2]}"}
        request = urllib.request.Request(
            f"{self.home}api/jobs/{job}", headers=headers, method="DELETE"
        )
        urllib.request.urlopen(request, timeout=PATIENCE / 1000).close()

    def stop(self) -> None:
        self.process.terminate()
        ended(self.process, -signal.SIGTERM)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("served"))
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
        browser = launch(playwright.chromium)
        yield browser
        browser.close()


def launch(chromium: Any) -> Any:
    """A browser; one that does not start is started once more, then that is what fails."""
    from playwright.sync_api import Error

    for _ in range(2):
        try:
            return chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE)
        except Error as error:
            why = error.message.splitlines()[0]
    raise pytest.fail.Exception(f"{CHROMIUM} did not start, twice: {why}", pytrace=False)


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
