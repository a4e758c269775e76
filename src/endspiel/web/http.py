"""How handlers speak HTTP: bodies read within limits, answers as JSON, refusals with a reason."""

import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response

from endspiel.cards.hand_filter import HandFilter
from endspiel.errors import EndspielError
from endspiel.web.messages import Fields, Refused, decode
from endspiel.web.security import refusal

BODY_BYTES: Final = 2_000_000  # of a message
UPLOAD_BYTES: Final = 4_000_000_000  # of a solution's file
LONGEST_LENGTH: Final = 18  # digits of a content length
Message = TypeVar("Message")
Handler = Callable[[Request], Awaitable[Response]]


def answered(handler: Handler) -> Handler:
    """A handler whose errors of the user become answers that say why."""

    async def safe(request: Request) -> Response:
        try:
            return await handler(request)
        except Refused as error:
            return refusal(error)
        except EndspielError as error:
            field = "line" if "line" in request.query_params else ""
            return refusal(Refused(str(error), field))
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:  # a fault of ours: told, and the server goes on
            traceback.print_exc()
            return refusal(Refused(f"the server failed: {type(error).__name__}", "", 500))

    safe.__name__ = handler.__name__
    return safe


async def receive(request: Request, kind: type[Message]) -> Message:
    """The message of a request."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    body = await read_body(request, BODY_BYTES)
    if body and media != "application/json":
        raise Refused(f"the body must be application/json, not {media[:40] or 'unnamed'}", "", 415)
    return decode(body, kind)


async def read_body(request: Request, most: int) -> bytes:
    """Read a body of limited bytes."""
    _check_length(request, most)
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise _too_large(most)
        parts.append(part)
    return b"".join(parts)


async def receive_file(request: Request, path: Path, most: int = UPLOAD_BYTES) -> None:
    """Write a body to a file while it arrives."""
    _check_length(request, most)
    size = 0
    with path.open("wb") as file:
        async for part in request.stream():
            size += len(part)
            if size > most:
                raise _too_large(most)
            await run_in_threadpool(file.write, part)


def _check_length(request: Request, most: int) -> None:
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > LONGEST_LENGTH or int(length) > most:
        raise _too_large(most)


def _too_large(most: int) -> Refused:
    return Refused(f"the body is over {most / 1e6:g} MB", "", 413)


async def aside(work: Callable[..., Any], *arguments: Any) -> Any:
    """Do something that takes time in a thread, while others are served."""
    return await run_in_threadpool(work, *arguments)


def json_answer(content: Any, status: int = 200) -> Response:
    """An answer as JSON; bytes are JSON already."""
    body = content if isinstance(content, bytes) else msgspec.json.encode(content)
    return Response(body, status, media_type="application/json")


def file_answer(path: Path, name: str, media: str, passing: bool = False) -> Response:
    """A file to be saved under a name; one made for this answer is deleted after it."""
    after = BackgroundTask(path.unlink, missing_ok=True) if passing else None
    return FileResponse(path, media_type=media, filename=name, background=after)


def text_answer(text: bytes, name: str, media: str) -> Response:
    """A small file to be saved under a name."""
    return Response(
        text, media_type=media, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )


def query(request: Request, name: str, default: str | None = None) -> str:
    """A parameter of the address."""
    value = request.query_params.get(name, default)
    if value is None:
        raise Refused(f"the parameter {name} is missing", name)
    if len(value) > 10_000:
        raise Refused(f"the parameter {name} is too long", name)
    return value


def player_asked(request: Request) -> int | None:
    """The parameter ``player``: 0, 1, or None where it is left out."""
    side = query(request, "player", "")
    if side not in ("", "0", "1"):
        raise Refused(f"player is 0 or 1, not {side[:20]!r}", "player")
    return int(side) if side else None


def hand_filter(request: Request) -> HandFilter:
    """The filter of the parameters ``made``, ``draws``, ``suits`` and ``holds``."""
    made, drawn = (
        tuple(filter(None, query(request, name, "").split(","))) for name in ("made", "draws")
    )
    suits, holds = query(request, "suits", ""), query(request, "holds", "")
    fields = Fields()
    fields.make("made", lambda: HandFilter(made=made))
    fields.make("draws", lambda: HandFilter(drawn=drawn))
    fields.make("suits", lambda: HandFilter(suits=suits))
    fields.make("holds", lambda: HandFilter(holds=holds))
    fields.check()
    return HandFilter(made, drawn, suits, holds)
