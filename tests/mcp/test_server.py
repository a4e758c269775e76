"""The server with the SDK's own client: in memory, and as a child process."""

import json
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, MCPError, StdioServerParameters, stdio_client

from endspiel.mcp.queue import CANCELLED
from endspiel.mcp.server import make_server
from endspiel.mcp.tools import TOOLS, Toolbox, ToolLimits
from tests.batch.rivers import river_content
from tests.children import PIPE, ended, first_line, started


def run(part: Callable[[], Awaitable[None]]) -> None:
    """Run a client in a thread of its own: a browser's test may have left a loop in this one."""
    with ThreadPoolExecutor(1) as threads:
        threads.submit(anyio.run, part).result()


def talk(part: Callable[[Any, Toolbox], Awaitable[None]], mode: str = "legacy") -> None:
    """Let a client in this process talk with a server."""
    box = Toolbox(ToolLimits(threads=1))

    async def both() -> None:
        async with Client(make_server(box), mode=mode) as client:
            await part(client, box)

    try:
        run(both)
    finally:
        box.close()


def test_a_client_solves_and_looks_at_a_node() -> None:
    async def part(client: Any, box: Toolbox) -> None:
        listed = await client.list_tools()
        assert [tool.name for tool in listed.tools] == list(TOOLS)
        assert all(tool.input_schema["type"] == "object" for tool in listed.tools)
        solved = await client.call_tool("solve", {"spot": river_content(), "target_percent": 1})
        assert not solved.is_error
        assert solved.structured_content["measured"]["exploitability"] <= 1
        asked = {"solution": solved.structured_content["solution"], "line": "c"}
        node = await client.call_tool("node", asked)
        assert node.structured_content["player"] == "IP"
        assert '"measured":{"exploitability":' in node.content[0].text

    talk(part)
    talk(part, "auto")


def test_what_is_wrong_is_an_answer() -> None:
    async def part(client: Any, box: Toolbox) -> None:
        wrong = {"spot": river_content() | {"pot": -1, "board": "Qs Qs 2h"}}
        answer = await client.call_tool("solve", wrong)
        assert answer.is_error
        assert "board: " in answer.content[0].text
        assert "pot: pot is -1" in answer.content[0].text

    talk(part)


def test_progress_is_told_and_a_long_solve_becomes_a_job() -> None:
    notes: list[str | None] = []

    async def note(done: float, total: float | None, message: str | None) -> None:
        notes.append(message)

    async def part(client: Any, box: Toolbox) -> None:
        asked = {"spot": river_content(), "target_percent": 1e-9, "wait_seconds": 1}
        answer = await client.call_tool("solve", asked, progress_callback=note)
        assert answer.structured_content["state"] == "running"
        job = answer.structured_content["job"]
        still = await client.call_tool("job", {"job": job, "wait_seconds": 0})
        assert still.structured_content["job"] == job
        await client.call_tool("cancel", {"job": job})
        over = await client.call_tool("job", {"job": job})
        assert over.is_error

    talk(part)
    assert any("% of the pot, target 1e-09%" in (one or "") for one in notes)


def test_a_cancelled_call_ends_its_job() -> None:
    async def part(client: Any, box: Toolbox) -> None:
        asked = {"spot": river_content(), "target_percent": 1e-9}
        try:
            await client.call_tool("solve", asked, read_timeout_seconds=0.5)
        except MCPError:
            pass
        else:
            raise AssertionError("the call did not time out")
        (job,) = box.queue.jobs.values()
        with anyio.fail_after(300):
            while not job.ended.is_set():
                await anyio.sleep(0.02)
        assert job.state == CANCELLED

    talk(part)


def test_a_signal_ends_the_server() -> None:
    client = {"name": "test", "version": "1"}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
    process = started([sys.executable, "-m", "endspiel", "mcp"], stdin=PIPE)
    assert process.stdin is not None
    process.stdin.write(json.dumps(hello) + "\n")
    process.stdin.flush()
    assert json.loads(first_line(process))["result"]["serverInfo"]["name"] == "endspiel"
    process.terminate()
    _, err = ended(process, 143)
    assert err == ""


def test_the_command_serves_a_client_on_its_streams(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    program = str(Path(sys.executable).with_name("endspiel"))
    server = StdioServerParameters(command=program, args=["mcp", "--threads", "1"])

    async def both() -> None:
        with errors.open("w") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                asked = {"spot": river_content(), "target_percent": 1}
                solved = await client.call_tool("solve", asked)
                assert solved.structured_content["measured"]["exploitability"] <= 1
                asked = {"agent": "always-fold", "setting": "fcpa", "boards": 4, "game": "kuhn"}
                lbr = await client.call_tool("lbr", asked)
                assert lbr.structured_content["mbb_per_hand"] == 1000

    run(both)
    assert errors.read_text() == ""
