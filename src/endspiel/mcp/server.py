"""The server: the tools over the official SDK, on standard input and output."""

import os
import signal
from typing import Any, Final

import anyio
import anyio.to_thread
import msgspec
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from endspiel import __version__
from endspiel.errors import EndspielError
from endspiel.interrupts import INTERRUPTED, TERMINATED
from endspiel.mcp.queue import QueuedJob, sentences
from endspiel.mcp.tools import TOOLS, Pending, Toolbox, ToolLimits

LOOK: Final = 0.02  # seconds between two looks at a job
NEWS: Final = 0.25  # seconds between two reports of its progress
INSTRUCTIONS: Final = (
    "Endspiel solves heads-up hold'em. solve gives a solution's name; node, lock and compare take "
    "it. Amounts are chips, lines are words like 'c b100 c / 8h', OOP acts first. Every answer has "
    "a field measured: how exploitable it is, and in which game. State it with what you conclude. "
    "What takes long comes as a job: ask the tool job for it, or cancel it."
)


def make_server(box: Toolbox) -> Any:
    """A server of the tools; transports and tests run it."""

    async def list_tools(context: Any, asked: Any) -> Any:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.help,
                    input_schema=tool.schema,
                    annotations=types.ToolAnnotations(
                        read_only_hint=tool.name != "cancel", open_world_hint=False
                    ),
                )
                for tool in TOOLS.values()
            ]
        )

    async def call_tool(context: Any, asked: Any) -> Any:
        try:
            answer = await _answer(box, context, asked.name, asked.arguments or {})
        except EndspielError as error:
            return _result({"error": sentences(error)}, sentences(error), failed=True)
        text = msgspec.json.encode(answer).decode()
        return _result(msgspec.json.decode(text), text)

    return Server(
        "endspiel",
        version=__version__,
        title="Endspiel",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(answer: dict[str, Any], text: str, failed: bool = False) -> Any:
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=answer,
        is_error=failed,
    )


async def _answer(
    box: Toolbox, context: Any, name: str, arguments: dict[str, Any]
) -> dict[str, Any]:
    """What a call comes to; one that is cancelled cancels a job that only it waits for."""
    found = await anyio.to_thread.run_sync(box.call, name, arguments)
    if not isinstance(found, Pending):
        return found
    job = found.job
    job.waiters += 1
    try:
        with anyio.move_on_after(found.seconds):
            await _watch(job, context)
    except BaseException:  # the client has cancelled the call, or is gone
        if job.waiters == 1:
            job.cancel()
        raise
    finally:
        job.waiters -= 1
    return box.outcome(job)


async def _watch(job: QueuedJob, context: Any) -> None:
    """Report a job's progress until it has ended."""
    told, news = "", 0.0
    while not job.ended.is_set():
        await anyio.sleep(LOOK)
        news += LOOK
        if news >= NEWS and job.note != told:
            told, news = job.note, 0.0
            await context.session.report_progress(job.done, job.total, job.note)


async def _end_on_signals(box: Toolbox) -> None:
    """End the process on Ctrl-C and SIGTERM; the thread that reads from a client cannot end."""
    statuses = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED}
    try:
        with anyio.open_signal_receiver(*statuses) as signals:
            async for number in signals:
                box.close()
                os._exit(statuses[number])
    except NotImplementedError:  # Windows
        return


def run_server(limits: ToolLimits) -> None:
    """Serve one client on standard input and output until it goes."""
    box = Toolbox(limits)

    async def serve() -> None:
        server = make_server(box)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_end_on_signals, box)
            async with stdio_server() as (read, write):
                await server.run(read, write, server.create_initialization_options())
            tasks.cancel_scope.cancel()

    try:
        anyio.run(serve)
    finally:
        box.close()
