"""Who may ask, and what a request may reach: hosts, origins, the token, sizes, paths, files."""

import pickle
import socket
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from endspiel import files
from endspiel.engine.record import SolveRecord
from endspiel.errors import FileError
from endspiel.web.security import allowed_hosts
from endspiel.web.server import warm_up
from endspiel.web.store import ServerFolder
from tests.web.conftest import BASE, Page

ROOT = Path(__file__).parents[2]


@pytest.fixture
def stranger(page: Page) -> TestClient:
    """A client without the token."""
    return TestClient(page.client.app, base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("host", ["evil.com", "evil.com:8733", "127.0.0.1:1", "127.0.0.1.evil.com"])
def test_a_foreign_host_is_refused(page: Page, host: str) -> None:
    answer = page.client.get("/api/about", headers={"Host": host})
    assert answer.status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1:8733", "localhost:8733", "[::1]:8733"])
def test_loopback_has_several_names(page: Page, host: str) -> None:
    assert page.client.get("/api/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.com", "null", "https://127.0.0.1:8733", ""])
def test_a_foreign_page_is_refused(page: Page, origin: str) -> None:
    for path in ("/api/about", "/api/events"):
        assert page.client.get(path, headers={"Origin": origin}).status_code == 403
    own = page.client.get("/api/about", headers={"Origin": BASE})
    assert own.status_code == 200


def test_a_foreign_page_without_origin_is_refused(page: Page) -> None:
    headers = {"Sec-Fetch-Site": "cross-site"}
    assert page.client.get("/api/about", headers=headers).status_code == 403


def test_the_token_is_needed_and_becomes_a_cookie(page: Page, stranger: TestClient) -> None:
    token = page.site.service.store.token()
    assert stranger.get("/api/about").status_code == 401
    assert stranger.get("/").status_code == 401
    assert stranger.get("/?token=wrong").status_code == 401
    assert stranger.get(f"/api/about?token={token}").status_code == 401
    entered = stranger.get(f"/?token={token}", headers={"Sec-Fetch-Site": "none"})
    assert entered.status_code == 303
    assert entered.headers["location"] == "/"
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert stranger.get("/api/about").status_code == 200


def test_who_was_led_here_goes_on_from_a_page_of_ours(page: Page, stranger: TestClient) -> None:
    """A strict cookie does not follow a redirect that another page began."""
    token = page.site.service.store.token()
    headers = {"Sec-Fetch-Site": "cross-site"}
    entered = stranger.get(f"/?token={token}", headers=headers)
    assert entered.status_code == 200
    assert 'http-equiv=refresh content="0; url=/"' in entered.text
    assert token not in entered.text
    assert stranger.get("/api/about").status_code == 200


def test_every_answer_carries_the_policy(page: Page, stranger: TestClient) -> None:
    for answer in (page.client.get("/api/about"), stranger.get("/"), page.client.get("/nothing")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_bodies_are_limited(page: Page) -> None:
    assert page.client.post("/api/range", content=b" " * 2_000_001).status_code == 413
    chunks = iter([b" " * 1_000_000] * 3)
    answer = page.client.post(
        "/api/range", content=chunks, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 413


def test_forms_of_foreign_pages_are_not_json(page: Page) -> None:
    answer = page.client.post(
        "/api/range", content=b'{"text": "AA"}', headers={"Content-Type": "text/plain"}
    )
    assert answer.status_code == 415
    broken = page.client.post(
        "/api/range", content=b"{", headers={"Content-Type": "application/json"}
    )
    assert broken.status_code == 400


@pytest.mark.parametrize(
    "path",
    [
        "/api/jobs/..%2f..%2fetc%2fpasswd",
        "/api/jobs/%2e%2e",
        "/api/jobs/aaaaaaaaaaaa/solution.es",
        "/api/papers/figures/..%2f..%2fserver.py",
        "/api/papers/figures/nlfh-table1.md",
        "/static/..%2fserver.py",
        "/static/%2e%2e/server.py",
        "/static//etc/passwd",
        "/api/play/..%2ftoken/history.phhs",
    ],
)
def test_no_path_leaves_the_folder(page: Page, path: str) -> None:
    assert page.client.get(path).status_code == 404


def test_names_of_others_make_no_paths(tmp_path: Path) -> None:
    store = ServerFolder(tmp_path)
    for name in ("../x", "", "a" * 11, "a" * 13, "AAAAAAAAAAAA", "aaaaaaaaaaa/"):
        with pytest.raises(FileError):
            store.solution(name)


class Trap:
    """Would leave a file behind if anybody unpickled it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return (open, (str(self.path), "w"))


def test_nothing_in_a_file_is_executed(page: Page, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    for data in (pickle.dumps(Trap(mark)), b"", b"\0" * 1000, b"PK\x03\x04"):
        answer = page.client.post("/api/solutions?name=x.es", content=data)
        assert answer.status_code == 422
        assert answer.json()["field"] == "file"
        assert str(page.site.service.store.folder) not in answer.text
    assert not mark.exists()


def test_a_file_of_another_kind_or_size_is_refused(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "other.es"
    files.save(path, "blueprint", {}, {})
    answer = page.client.post("/api/solutions", content=path.read_bytes())
    assert "holds a blueprint" in answer.json()["error"]
    many = ", ".join(f"{share}%" for share in range(1, 60))
    menu = f'[flop]\nbet = "{many}"\n[turn]\nbet = "{many}"\n[river]\nbet = "{many}"\n'
    head = 'board = "Qs Jh 2h"\npot = 10\nstack = 100000\nranges = ["random", "random"]\n'
    made = SolveRecord(
        method="dcfr", value=0.0, exploitability=0.0, iterations=1, seconds=0.0
    ).as_dict()
    solve = {"threads": 1, "memory_bytes": 1, "symmetry": True, "locks": []}
    few = {"average": np.zeros(16, np.float32)}
    files.save(path, "spot-solution", {**made, **solve, "spot": head + menu}, few)
    answer = page.client.post("/api/solutions", content=path.read_bytes())
    assert answer.status_code == 422
    assert "nodes" in answer.json()["error"] or "needs" in answer.json()["error"]
    left = [p.name for p in (page.site.service.store.folder / "jobs").iterdir()]
    assert not any(name.endswith(".es.part") for name in left)  # of uploads


def test_the_token_is_kept_and_private(tmp_path: Path) -> None:
    token = ServerFolder(tmp_path).token()
    assert ServerFolder(tmp_path).token() == token
    assert (tmp_path / "token").stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot use the folder"):
        ServerFolder(tmp_path / "file")


def test_hosts_of_another_address() -> None:
    assert "10.0.0.5:80" in allowed_hosts("10.0.0.5", 80)
    assert "[fe80::1]:99" in allowed_hosts("fe80::1", 99)
    everywhere = allowed_hosts("0.0.0.0", 99)
    assert f"{socket.gethostname().lower()}:99" in everywhere
    assert "0.0.0.0:99" not in everywhere


def test_wrong_ways_are_told(page: Page) -> None:
    answer = page.client.put("/api/about")
    assert answer.status_code == 405
    assert answer.json()["error"]


def test_no_page_file_needs_foreign_hosts() -> None:
    static = ROOT / "src" / "endspiel" / "web" / "static"
    for path in static.rglob("*.html"):
        text = path.read_text()
        assert "https://" not in text
        assert "<script>" not in text


def test_what_the_first_solve_needs_can_be_loaded() -> None:
    warm_up()
