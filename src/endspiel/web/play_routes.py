"""Routes of the tables: sit down, act, look back; agents think in threads of their own."""

import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.rules.deal import MAX_SEED
from endspiel.web.events import Hub
from endspiel.web.http import (
    answered,
    aside,
    file_answer,
    json_answer,
    query,
    receive,
    text_answer,
)
from endspiel.web.judging import HandJudge, JudgedHand, JudgedNews
from endspiel.web.messages import ActAsked, PlayAsked, Refused
from endspiel.web.opponents import Opponents
from endspiel.web.play import make_game
from endspiel.web.store import ServerFolder, new_id
from endspiel.web.table import PlayTable

MOST_TABLES: Final = 8
THINKERS: Final = 2  # agents that think at once


class TableService:
    """Every table, and the threads in which agents think."""

    def __init__(self, store: ServerFolder, hub: Hub, opponents: Opponents) -> None:
        self.store, self.hub, self.opponents = store, hub, opponents
        self.tables: dict[str, PlayTable] = {}
        self._thinkers = ThreadPoolExecutor(THINKERS, "endspiel-agent")
        self._judge = HandJudge()

    def open(self, asked: PlayAsked) -> PlayTable:
        """A new table, its first hand dealt; the longest unused one goes where there are many."""
        seed = secrets.randbelow(MAX_SEED + 1) if asked.seed is None else asked.seed
        if not 0 <= seed <= MAX_SEED:
            raise Refused(f"a seed is 0 to {MAX_SEED}, not {seed}", "seed")
        game = make_game(asked.game, asked.stack, asked.blinds)
        agent = self.opponents.seat(asked, game)
        while len(self.tables) >= MOST_TABLES:
            self.leave(min(self.tables.values(), key=lambda table: table.used))
        table = PlayTable(new_id(), asked, game, agent, self.store, seed)
        self.tables[table.id] = table
        self.follow(table)
        return table

    def table(self, name: str) -> PlayTable:
        """The table of a name."""
        found = self.tables.get(name)
        if found is None:
            raise Refused(f"there is no table {name[:20]!r}", "id", 404)
        return found

    def leave(self, table: PlayTable) -> None:
        """Close a table; its hands stay in the folder."""
        self.tables.pop(table.id, None)
        table.close()

    def follow(self, table: PlayTable) -> None:
        """Let the agent act where it is its turn, and tell the pages."""
        if table.agents_turn:
            self._thinkers.submit(self._think, table)

    def _think(self, table: PlayTable) -> None:
        try:
            table.think()
        finally:
            self.hub.publish("play", table.answer())

    def judge(self, table: PlayTable, number: int) -> JudgedHand:
        """Have a finished hand judged, unless it has been; how far that is."""
        record = table.ask_judged(number)
        if record is not None:
            self._judge.submit(record, partial(self._judged, table, number))
        return table.judged[number]

    def _judged(self, table: PlayTable, number: int, found: JudgedHand) -> None:
        table.note_judged(number, found)
        self.hub.publish("judged", JudgedNews(table.id, number, found))
        self.hub.publish("play", table.answer())

    def thinking(self) -> list[dict[str, Any]]:
        """The record of busy agents that pages get."""
        now, news = time.perf_counter(), []
        for table in list(self.tables.values()):
            since = table.thinking_since
            if since is not None:
                doing = table.doing()
                news.append({"id": table.id, "seconds": round(now - since, 2), **doing})
        return news

    def close(self) -> None:
        """Stop all agents' solves."""
        self._judge.close()
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        for table in list(self.tables.values()):
            self.leave(table)


class PlayRoutes:
    """What is answered about tables."""

    def __init__(self, tables: TableService) -> None:
        self.tables = tables

    def routes(self) -> list[Route]:
        """All of them."""
        one = "/api/play/{id}"
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/play", self.list),
            ("POST", "/api/play", self.open),
            ("GET", one, self.show),
            ("DELETE", one, self.leave),
            ("POST", f"{one}/act", self.act),
            ("POST", f"{one}/deal", self.deal),
            ("GET", f"{one}/review", self.review),
            ("GET", f"{one}/study", self.study),
            ("GET", f"{one}/hands", self.hands),
            ("GET", f"{one}/hands/{{hand}}", self.replay),
            ("POST", f"{one}/hands/{{hand}}/judge", self.judge),
            ("GET", f"{one}/history.phhs", self.history),
            ("GET", f"{one}/history.txt", self.text),
        ]
        return [Route(path, answered(handler), methods=[way]) for way, path, handler in table]

    def _table(self, request: Request) -> PlayTable:
        return self.tables.table(request.path_params["id"])

    async def list(self, request: Request) -> Response:
        tables = sorted(self.tables.tables.values(), key=lambda table: -table.created)
        return json_answer(
            {
                "sessions": [
                    {
                        "id": table.id,
                        "agent": table.asked.agent,
                        "technique": table.asked.technique,
                        "hands": len(table.records),
                        "total": table.total,
                        "created": table.created,
                    }
                    for table in tables
                ]
            }
        )

    async def open(self, request: Request) -> Response:
        table = await aside(self.tables.open, await receive(request, PlayAsked))
        return json_answer(table.answer(), 201)

    async def show(self, request: Request) -> Response:
        return json_answer(await aside(self._table(request).answer))

    async def leave(self, request: Request) -> Response:
        await aside(self.tables.leave, self._table(request))
        return json_answer({})

    async def act(self, request: Request) -> Response:
        table, asked = self._table(request), await receive(request, ActAsked)
        await aside(table.act, asked.action, asked.to)
        return await self._go_on(table)

    async def deal(self, request: Request) -> Response:
        table = self._table(request)
        await aside(table.deal)
        return await self._go_on(table)

    async def _go_on(self, table: PlayTable) -> Response:
        answer = await aside(table.answer)
        self.tables.hub.publish("play", answer)
        self.tables.follow(table)
        return json_answer(answer)

    async def review(self, request: Request) -> Response:
        table, hand = self._table(request), query(request, "hand", "")
        number = _number(hand) if hand else None
        return json_answer(await aside(table.review, number))

    async def study(self, request: Request) -> Response:
        table, number = self._table(request), _number(query(request, "hand"))
        spot = await aside(table.study, number, query(request, "line"))
        return json_answer({"spot": spot})

    async def hands(self, request: Request) -> Response:
        return json_answer(await aside(self._table(request).hands))

    async def replay(self, request: Request) -> Response:
        table, number = self._table(request), _number(request.path_params["hand"])
        return json_answer(await aside(table.replay, number))

    async def judge(self, request: Request) -> Response:
        table, number = self._table(request), _number(request.path_params["hand"])
        return json_answer(await aside(self.tables.judge, table, number))

    async def text(self, request: Request) -> Response:
        table = self._table(request)
        text = await aside(table.text)
        if not text.strip():
            raise Refused("no hand is over yet", "", 409)
        return text_answer(text.encode(), f"endspiel-{table.id}.txt", "text/plain")

    async def history(self, request: Request) -> Response:
        table = self._table(request)
        path = self.tables.store.history(table.id)
        if not path.exists():
            raise Refused("no hand is over yet", "", 409)
        return file_answer(path, f"endspiel-{table.id}.phhs", "application/toml")


def _number(text: str) -> int:
    """The number of a hand."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Refused(f"hand is a number, not {text[:20]!r}", "hand")
    return int(text)
