"""The study page's server: what streaming costs a solve, how fast nodes come, whether memory grows.

A server in a process of its own is asked over loopback. Its solves are timed in turn with and
without a page that listens, best of several each, in seconds of the processor: all that serving the
page takes counts against the solve, and other work on the machine does not. Memory is the server's
resident set while thousands of requests pass.
"""

import argparse
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

MENU = {"bet": "50%, 100%", "raise": "60%"}
SMALL = {"bet": "50%"}
RIVER = {
    "board": "Qs Jh 2h 4c 8d", "pot": 200, "stack": 900, "ranges": ["random", "random"],
    "river": MENU,
}  # fmt: skip
TURN = {
    "board": "Qs Jh 2h 4c", "pot": 200, "stack": 900, "ranges": ["random", "random"],
    "turn": MENU, "river": MENU,
}  # fmt: skip
FLOP = {
    "board": "Qs Jh 2h", "pot": 200, "stack": 900,
    "ranges": ["22+,A2s+,KTs+,QTs+,JTs,ATo+", "22+,A2s+,K9s+,Q9s+,J9s+,T9s,A9o+,KTo+"],
    "flop": MENU, "turn": SMALL, "river": SMALL,
}  # fmt: skip
SERVE = """
import sys
from pathlib import Path
from endspiel.cli.serve import serve
serve(int(sys.argv[1]), "127.0.0.1", Path(sys.argv[2]), None, False)
"""
EIGHT_HOURS = 8 * 3600


class Server:
    """A server in a process of its own, and a connection to it."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        command = [sys.executable, "-c", SERVE, str(self.port), str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.process.stdout.readline()
        self.headers = {
            "Authorization": f"Bearer {(folder / 'token').read_text().strip()}",
            "Content-Type": "application/json",
        }
        time.sleep(1)
        self.connection = self.connect()

    def connect(self) -> http.client.HTTPConnection:
        """Another connection."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """An answer, read to its end."""
        text = None if body is None else json.dumps(body)
        try:
            self.connection.request(method, path, text, self.headers)
            answer = self.connection.getresponse()
        except (BrokenPipeError, http.client.RemoteDisconnected):  # idle for too long
            self.connection.close()
            self.connection.request(method, path, text, self.headers)
            answer = self.connection.getresponse()
        data = answer.read()
        assert answer.status < 300, data[:300]
        return json.loads(data)

    def solve(self, spot: dict[str, Any], **limits: Any) -> dict[str, Any]:
        """A job, waited for without keeping the server busy."""
        job = self.ask("POST", "/api/jobs", {"spot": spot, **limits})
        while job["state"] in ("queued", "running"):
            time.sleep(0.3)
            job = self.ask("GET", f"/api/jobs/{job['id']}")
        assert job["state"] == "done", job
        return dict(job)

    def processor(self) -> float:
        """Seconds of the processor that the server has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """The server's resident set, in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(status.split("VmRSS:")[1].split()[0])

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)


class Listener(threading.Thread):
    """An open page: reads the stream of events and counts them."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.connection, self.counts = server.connect(), dict[str, int]()
        self.connection.request("GET", "/api/events", headers=server.headers)
        self.stream = self.connection.getresponse()
        self.start()

    def run(self) -> None:
        while line := self._read():
            if line.startswith(b"event: "):
                name = line[7:].decode().strip()
                self.counts[name] = self.counts.get(name, 0) + 1

    def _read(self) -> bytes:
        try:
            return self.stream.readline()
        except (AttributeError, OSError):  # closed meanwhile
            return b""


def measure_streaming(server: Server, rounds: int) -> None:
    """Processor seconds of the same iterations, with nobody watching and with a page open."""
    print("processor seconds of a solve (turn, 1,128 hands each, best of the rounds)")
    for threads in (1, 2):
        alone, watched, rates = [], [], []
        limits = {"iterations": 120, "threads": threads}
        for _ in range(rounds):
            alone.append(_timed(server, limits)[0])
            listener = Listener(server)
            seconds, job = _timed(server, limits)
            watched.append(seconds)
            rates.append(listener.counts.get("progress", 0) / job["solve_seconds"])
            listener.connection.close()
        loss = 100 * (min(watched) / min(alone) - 1)
        print(
            f"  {threads} thread(s): {min(alone):.2f} alone, {min(watched):.2f} with a page "
            f"({loss:+.1f}%); {statistics.median(rates):.1f} events a second"
        )


def _timed(server: Server, limits: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Processor seconds that the server takes for a job, and the job, deleted afterwards."""
    before = server.processor()
    job = server.solve(TURN, **limits)
    seconds = server.processor() - before
    server.ask("DELETE", f"/api/jobs/{job['id']}")
    return seconds, job


def measure_nodes(server: Server) -> None:
    """Milliseconds of node answers, the first time and again."""
    print("milliseconds of a node (first time: median, worst; again: median)")
    lines = {
        "river": (RIVER, ["", "c", "b100", "b200", "c b100", "c b200", "b100 r340"]),
        "turn": (TURN, ["", "c", "b100", "c b200", "c c / 8h", "c c / 8h b100", "b100 c / 3c"]),
        "flop": (FLOP, ["", "c", "b100", "c b200", "c c / 8h", "c c / 8h c", "c c / 3d b100",
                        "c c / 8h c c / 2c", "b100 c / 4c c c / 5d"]),
    }  # fmt: skip
    for name, (spot, nodes) in lines.items():
        job = server.solve(spot, iterations=30)
        first, again = ([_node_time(server, job["id"], line) for line in nodes] for _ in range(2))
        begin = time.perf_counter()
        line = quote("c c")
        if name != "river":
            server.ask("GET", f"/api/jobs/{job['id']}/runouts?line={line}")
        report = f", run-outs {1e3 * (time.perf_counter() - begin):.0f}" if name != "river" else ""
        print(
            f"  {name}: {statistics.median(first):.1f}, {max(first):.1f}; "
            f"{statistics.median(again):.1f}{report}"
        )


def _node_time(server: Server, job: str, line: str) -> float:
    begin = time.perf_counter()
    server.ask("GET", f"/api/jobs/{job}/node?line={quote(line)}")
    return 1e3 * (time.perf_counter() - begin)


def measure_memory(server: Server, requests: int) -> None:
    """The server's memory as requests pass, and what its slope makes of eight hours."""
    print("server memory, MB, as requests pass")
    job = server.solve(TURN, iterations=10)
    lines = ["", "c", "b100", "b200", "c b100", "c c / 8h", "b100 c / 3c", "c c / 2d b100"]
    cards = [rank + suit for rank in "23456789TAK" for suit in "cdhs"]
    seen = []
    for number in range(requests):
        if number % (requests // 8) == 0:
            seen.append((number, server.memory()))
            print(f"  {number:7d}: {seen[-1][1] / 1e6:.1f}")
        kind = number % 4
        if kind == 0:
            text = "22+,A2s+," + cards[number % len(cards)] + "Qd:0.5"
            server.ask("POST", "/api/range", {"text": text})
        elif kind == 1 and number % 40 == 1:
            server.ask("POST", "/api/spot/check", {"spot": RIVER})
        else:
            line = lines[number // 4 % len(lines)]
            card = cards[number % len(cards)]
            if kind == 2 and card not in ("2h", "4c"):
                line = f"c c / {card}"
            server.ask("GET", f"/api/jobs/{job['id']}/node?line={quote(line)}")
    late = [point for point in seen if point[0] >= requests // 2]
    slope = (late[-1][1] - late[0][1]) / (late[-1][0] - late[0][0])
    print(f"  {slope:.0f} bytes a request over the second half of {requests} requests")
    print(f"  at a request a second, eight hours would add {slope * EIGHT_HOURS / 1e6:+.1f} MB")


def main() -> None:
    """Everything, or shorter."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--requests", type=int, default=8000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            measure_streaming(server, asked.rounds)
            measure_nodes(server)
            measure_memory(server, asked.requests)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
