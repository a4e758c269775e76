"""``--workers ray`` starts a Ray; ``ray://HOST:PORT`` is a client of another, by its token."""

import os
import secrets
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import which

import pytest

from tests.children import Finished, ended, finished, started, wait_until

ENDSPIEL = str(Path(sys.executable).with_name("endspiel"))
MATCH = ["match", "random", "always-call", "--game", "leduc", "--hands", "600", "--log"]
SUBGAMES = [
    "game",
    "limit-holdem:ranks=3,suits=3,max_raises=0",
    "--iterations",
    "2",
    "--resume",
]
pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class Head:
    """A head with its client server, and the environment of those who may come."""

    def __init__(self, folder: Path) -> None:
        own = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        # A busy machine takes long to start the process that serves a client.
        patient = {"RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "300", "RAY_worker_niceness": "0"}
        self.environment = os.environ | own | patient
        port, client = free_port(), free_port()
        self.address = f"ray://127.0.0.1:{client}"
        ray = which("ray", path=str(Path(sys.executable).parent)) or "ray"
        asked = f"start --head --block --num-cpus=2 --port={port} --ray-client-server-port={client}"
        more = ["--include-dashboard=false", "--disable-usage-stats", f"--temp-dir={folder}"]
        self.process = started(
            [ray, *asked.split(), *more], env=self.environment, start_new_session=True
        )
        self._wait_for(client)

    def _wait_for(self, port: int) -> None:
        def answers() -> bool:
            with socket.socket() as asked:
                return asked.connect_ex(("127.0.0.1", port)) == 0

        wait_until(answers, self.process)

    def run(self, *command: object, status: int = 0, **environment: str) -> Finished:
        words = [ENDSPIEL, *command, "--workers", self.address]
        return finished(words, status, env=self.environment | environment)

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        # 1: its parts end at the same time, and it misses them.
        ended(self.process, (0, 1, -signal.SIGTERM))


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Head]:
    made = Head(tmp_path_factory.mktemp("r"))
    yield made
    made.close()


def test_a_client_of_a_cluster_writes_the_same(head: Head, tmp_path: Path) -> None:
    """Tasks and blocks; a cluster's token is asked for."""
    for name, command in {"match.log": MATCH, "blocks": SUBGAMES}.items():
        there, here = tmp_path / f"there-{name}", tmp_path / f"here-{name}"
        head.run(*command, there)
        finished([ENDSPIEL, *command, here, "--workers", "1"])
        pairs = [(there, here)]
        if there.is_dir():
            pairs = [(there / each.name, each) for each in here.iterdir() if "flop" in each.name]
        assert all(one.read_bytes() == two.read_bytes() for one, two in pairs)


def test_a_ray_of_its_own_writes_the_same(tmp_path: Path) -> None:
    """Started for the command and ended with it, whatever other cluster is named."""
    there, here = tmp_path / "there.log", tmp_path / "here.log"
    nobody = os.environ | {"RAY_ADDRESS": "127.0.0.1:1"}
    finished([ENDSPIEL, *MATCH, there, "--workers", "ray"], env=nobody)
    finished([ENDSPIEL, *MATCH, here, "--workers", "1"])
    assert there.read_bytes() == here.read_bytes()


def test_another_token_is_refused_in_a_sentence(head: Head, tmp_path: Path) -> None:
    log = tmp_path / "match.log"
    done = head.run(*MATCH, log, status=2, RAY_AUTH_TOKEN=secrets.token_hex(32))
    assert f"endspiel: no Ray at {head.address}: " in done.stderr
