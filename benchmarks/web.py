"""The study page's server: what streaming costs a solve, how fast nodes come, whether memory grows.

A server in a process of its own is asked over loopback. The solver's thread does nothing for pages
but count its iterations, so a page costs a solve what the serving thread takes of the processor,
and that only where no core is free for it. Memory is the server's resident set while thousands of
requests pass, and this process's while eight hours' events pass through the hub.
"""

import argparse
import asyncio
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from endspiel.web.events import Hub

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
serve(port=0, folder=Path(sys.argv[1]), browser=False)
"""
EIGHT_HOURS = 8 * 3600


class Server:
    """A server in a process of its own, and a connection to it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-c", SERVE, str(folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said:
            sys.exit(f"the server ended with status {self.process.wait()}")
        self.port = urlsplit(said.split()[-1]).port
        self.headers = {
            "Authorization": f"Bearer {(folder / 'token').read_text().strip()}",
            "Content-Type": "application/json",
        }
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

    def processor(self, serving: bool = False) -> float:
        """Seconds of the processor that the server has used, or its thread that serves alone."""
        place = f"task/{self.process.pid}/" if serving else ""
        text = Path(f"/proc/{self.process.pid}/{place}stat").read_text()
        fields = text.rpartition(")")[2].split()
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


def measure_streaming(server: Server) -> None:
    """What a page that listens costs a solve: the processor's time of the thread that serves it."""
    print("a solve with a page that listens (turn, 1,128 hands each)")
    listener = Listener(server)
    solving, serving = server.processor(), server.processor(serving=True)
    job = server.solve(TURN, iterations=300, threads=1)
    solving, serving = server.processor() - solving, server.processor(serving=True) - serving
    listener.connection.close()
    events = listener.counts.get("progress", 0)
    each = 1e3 * serving / events
    print(
        f"  {events} events in {job['solve_seconds']:.1f} s, {events / job['solve_seconds']:.1f} a "
        f"second; processor seconds: {solving:.2f} in all, {serving:.2f} of the serving thread, "
        f"{each:.2f} ms an event: {each:.2f}% of one core at ten events a second"
    )


def measure_nodes(server: Server) -> None:
    """Milliseconds of node answers, the first time and again, by the wall and the processor."""
    print("milliseconds of a node, the mean (in brackets: of the server's processor)")
    lines = {
        "river": (RIVER, ["", "c", "b100", "b200", "c b100", "c b200", "b100 r340"]),
        "turn": (TURN, ["", "c", "b100", "c b200", "c c / 8h", "c c / 8h b100", "b100 c / 3c"]),
        "flop": (FLOP, ["", "c", "b100", "c b200", "c c / 8h", "c c / 8h c", "c c / 3d b100",
                        "c c / 8h c c / 2c", "b100 c / 4c c c / 5d"]),
    }  # fmt: skip
    for name, (spot, nodes) in lines.items():
        job = server.solve(spot, iterations=30)
        paths = [f"/api/jobs/{job['id']}/node?line={quote(line)}" for line in nodes]
        report = [f"first {_costs(server, paths)}", f"again {_costs(server, 20 * paths)}"]
        if name != "river":
            runouts = f"/api/jobs/{job['id']}/runouts?line={quote('c c')}"
            report.append(f"all run-outs {_costs(server, [runouts])}")
        print(f"  {name}: {', '.join(report)}")


def _costs(server: Server, paths: list[str]) -> str:
    """Milliseconds that answers take, and of the server's processor."""
    used, begin = server.processor(), time.perf_counter()
    for path in paths:
        server.ask("GET", path)
    wall, used = time.perf_counter() - begin, server.processor() - used
    return f"{1e3 * wall / len(paths):.1f} ({1e3 * used / len(paths):.1f})"


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


def measure_events() -> None:
    """Memory before and after the events of eight hours of solving, ten a second."""
    count = 10 * EIGHT_HOURS
    hub = Hub(lambda: {"jobs": []})
    news = {"id": "x", "iteration": 1, "seconds": 1.0, "points": [[1, 1.0, 1.0]]}

    async def pass_through() -> int:
        hub.start(asyncio.get_running_loop())
        stream, heard = hub.listen(), 0
        await anext(stream)
        for _ in range(count):
            hub.publish("progress", news)
            await anext(stream)
            heard += 1
        return heard

    before = _own_memory()
    heard = asyncio.run(pass_through())
    grown = (_own_memory() - before) / 1e6
    print(f"{heard:,} events, eight hours' worth, through the hub: {grown:+.1f} MB")


def _own_memory() -> int:
    return 1024 * int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])


def main() -> None:
    """Everything, or shorter."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=8000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        try:
            measure_streaming(server)
            measure_nodes(server)
            measure_memory(server, asked.requests)
            measure_events()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
