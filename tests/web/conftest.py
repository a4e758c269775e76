"""A server without a network: requests go straight to the application."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from endspiel.web.security import allowed_hosts
from endspiel.web.server import Site
from endspiel.web.store import ServerFolder
from tests.children import wait_until

BASE = "http://127.0.0.1:8733"
Job = dict[str, Any]


class Page:
    """A client that knows the token, and the words of the tests."""

    def __init__(self, client: TestClient, site: Site) -> None:
        self.client, self.site, self.wait = client, site, wait_until

    def get(self, path: str, **query: Any) -> Any:
        """The answer to a question, which must be a good one."""
        answer = self.client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None, status: int = 200) -> Any:
        """The answer to an order, with the status expected."""
        answer = self.client.post(path, json={} if body is None else body)
        assert answer.status_code == status, answer.text
        return answer.json()

    def solve(self, spot: dict[str, Any], **more: Any) -> Job:
        """A job, waited for."""
        job = self.post("/api/jobs", {"spot": spot, **more}, 201)
        return self.over(job["id"])

    def over(self, job: str) -> Job:
        """A job once it neither waits nor runs."""
        return self.until(job, lambda found: found["state"] not in ("queued", "running"))

    def until(self, job: str, met: Callable[[Job], bool]) -> Job:
        """A job once something is true of it."""
        found: list[Job] = []

        def answered() -> bool:
            found[:] = [self.get(f"/api/jobs/{job}")]
            return met(found[0])

        self.wait(answered)
        return found[0]


def open_page(folder: Path, strategies: Sequence[Path] = ()) -> Iterator[Page]:
    """A server on a folder, while the test uses it."""
    store = ServerFolder(folder)
    site = Site(store, strategies=strategies)
    app = site.app(allowed_hosts("127.0.0.1", 8733), store.token())
    token = {"Authorization": f"Bearer {store.token()}"}
    with TestClient(app, base_url=BASE, headers=token) as client:
        yield Page(client, site)


@pytest.fixture(scope="package")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    yield from open_page(tmp_path_factory.mktemp("server"))
