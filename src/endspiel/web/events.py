"""News for open pages: server-sent events, from any thread to every tab."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

import msgspec

WAITING: Final = 256  # events a slow page may be behind by before it starts afresh
HEARTBEAT: Final = 15.0  # seconds of silence before a sign of life


class Hub:
    """Hands events to the pages that listen."""

    def __init__(self, welcome: Callable[[], Any]) -> None:
        self._welcome = welcome  # the first message of a page: all jobs
        self._listeners: set[asyncio.Queue[bytes | None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    @property
    def listeners(self) -> int:
        """How many pages listen."""
        return len(self._listeners)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Deliver through this loop from now on."""
        self._loop, self._closed = loop, False

    def publish(self, event: str, data: Any) -> None:
        """Tell every page; may be called from any thread."""
        if self._loop is None or self._loop.is_closed() or not self._listeners:
            return
        self._loop.call_soon_threadsafe(self._spread, encode_event(event, data))

    def _spread(self, text: bytes) -> None:
        for queue in self._listeners:
            if queue.full():  # too slow: drop what is old and say where things stand now
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(encode_event("jobs", self._welcome()))
            queue.put_nowait(text)

    def close(self) -> None:
        """End every stream; may be called from a signal handler."""
        self._closed = True
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        for queue in self._listeners:
            while queue.full():
                queue.get_nowait()
            queue.put_nowait(None)

    async def listen(self) -> AsyncIterator[bytes]:
        """The events of one page, as bytes of the stream."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(WAITING)
        self._listeners.add(queue)
        try:
            yield encode_event("jobs", self._welcome())
            while not self._closed:
                try:
                    text = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if text is None:
                    break
                yield text
            yield encode_event("bye", {})
        finally:
            self._listeners.discard(queue)


def encode_event(event: str, data: Any) -> bytes:
    """One event as the stream carries it."""
    return f"event: {event}\ndata: ".encode() + msgspec.json.encode(data) + b"\n\n"
