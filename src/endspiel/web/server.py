"""The server of the study page: its routes, put together behind the guard."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from endspiel import __version__
from endspiel.cards.classes import class_names
from endspiel.cards.made_hands import DRAWS, MADE, NO_DRAW
from endspiel.processors import processors
from endspiel.solvers.methods import EXACT, METHODS, SPOT
from endspiel.solving.door import solve
from endspiel.solving.spots import DEFAULT_METHOD, TREE_LIMIT
from endspiel.web.hand_review_routes import HandReviewRoutes
from endspiel.web.http import BODY_BYTES, UPLOAD_BYTES, answered, aside, json_answer
from endspiel.web.job_service import DEFAULT_PERCENT, MOST_JOBS, JobService
from endspiel.web.messages import RangeAsked, Refused, SpotText, StreetText
from endspiel.web.openapi import document
from endspiel.web.opponents import Opponents
from endspiel.web.papers import figure, list_papers
from endspiel.web.play_routes import PlayRoutes, TableService
from endspiel.web.presets import PRESETS
from endspiel.web.ranges import answer_range
from endspiel.web.security import Guard, allowed_hosts, bracketed, own_names, refusal
from endspiel.web.solve_routes import SolveRoutes
from endspiel.web.spots import memory_limit, read_spot
from endspiel.web.store import ServerFolder
from endspiel.web.study_routes import StudyRoutes
from endspiel.web.train_routes import TrainRoutes
from endspiel.web.views import answer_node

PROGRESS_SECONDS: Final = 0.1  # between two events of a running solve
WARM_UP_SECONDS: Final = 2.0  # after the start, when the browser has its page
TITLES: Final = {
    "dcfr": "discounted CFR",
    "dcfr+": "discounted CFR+",
    "cfr": "CFR",
    "cfr+": "CFR+",
    "linear": "linear CFR",
    "pcfr+": "predictive CFR+",
    "sapcfr+": "predictive CFR+, by a third",
    "egt": "excessive gap technique",
    "lp": "linear program",
    "undominated": "linear program, undominated",
    "quasi-perfect": "linear program, quasi-perfect",
}


@cache
def static_folder() -> Path:
    """Where the page's files are, in the package."""
    return Path(str(resources.files("endspiel.web"))) / "static"


class Site:
    """Everything the server answers, and what it does between requests."""

    def __init__(
        self, store: ServerFolder, memory: int | None = None, strategies: Sequence[Path] = ()
    ) -> None:
        self.service = JobService(store, memory)
        self.tables = TableService(store, self.service.hub, Opponents(strategies))
        self.studies = StudyRoutes(store, self.service)
        self.reviews = HandReviewRoutes(store, self.service)
        self.training = TrainRoutes(store, self.service, self.studies.reports)

    def about(self) -> dict[str, Any]:
        """What the page needs to know before anything is asked."""
        return {
            "version": __version__,
            "classes": class_names(),
            "methods": [
                {
                    "name": name,
                    "title": TITLES.get(name, name),
                    "locks": name in SPOT.methods("locks"),
                    "exact": name in EXACT,
                }
                for name in sorted(METHODS, key=list(TITLES).index)
            ],
            "default_method": DEFAULT_METHOD,
            "default_target_percent": DEFAULT_PERCENT,
            "threads": processors(),
            "presets": PRESETS,
            "made": MADE,
            "draws": [*DRAWS, NO_DRAW],
            "agents": self.tables.opponents.offered(),
            "limits": {
                "body_bytes": BODY_BYTES,
                "upload_bytes": UPLOAD_BYTES,
                "memory_bytes": memory_limit(self.service.memory),
                "tree_nodes": TREE_LIMIT,
                "jobs": MOST_JOBS,
            },
        }

    async def _about(self, request: Request) -> Response:
        return json_answer(self.about())

    async def _openapi(self, request: Request) -> Response:
        return json_answer(await aside(document))

    async def _papers(self, request: Request) -> Response:
        return json_answer({"papers": await aside(list_papers)})

    async def _figure(self, request: Request) -> Response:
        data = await aside(figure, request.path_params["name"])
        return Response(data, media_type="image/png")

    async def _events(self, request: Request) -> Response:
        return StreamingResponse(self.service.hub.listen(), media_type="text/event-stream")

    async def _page(self, request: Request) -> Response:
        page = static_folder() / "index.html"
        if not page.exists():
            raise Refused("this installation lacks the page's files", "", 404)
        return FileResponse(page, headers={"Cache-Control": "no-cache"})

    async def _beat(self) -> None:
        """Tell pages of the solve that runs, ten times a second."""
        while True:
            await asyncio.sleep(PROGRESS_SECONDS)
            if self.service.hub.listeners:
                self.service.tell_progress()
                for news in self.tables.thinking():
                    self.service.hub.publish("thinking", news)

    @asynccontextmanager
    async def _alive(self, app: Starlette) -> AsyncIterator[None]:
        self.service.hub.start(asyncio.get_running_loop())
        beat = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            beat.cancel()
            self.tables.close()
            await asyncio.to_thread(self.studies.close)
            await asyncio.to_thread(self.reviews.close)
            await asyncio.to_thread(self.service.close)

    def app(self, hosts: frozenset[str], token: str) -> Guard:
        """The application, behind the guard."""
        routes = [
            Route("/", answered(self._page)),
            Route("/openapi.json", answered(self._openapi)),
            Route("/api/about", answered(self._about)),
            Route("/api/events", self._events),
            Route("/api/papers", answered(self._papers)),
            Route("/api/papers/figures/{name}", answered(self._figure)),
            *SolveRoutes(self.service).routes(),
            *PlayRoutes(self.tables).routes(),
            *self.studies.routes(),
            *self.reviews.routes(),
            *self.training.routes(),
        ]
        if static_folder().is_dir():
            routes.append(Mount("/static", _Files(directory=static_folder())))  # type: ignore[arg-type]
        inner = Starlette(
            routes=routes, lifespan=self._alive, exception_handlers={HTTPException: _http_error}
        )
        return Guard(inner, hosts, token)


class _Files(StaticFiles):
    """The page's files; the browser asks each time whether they have changed."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        answer = super().file_response(*args, **kwargs)
        answer.headers["Cache-Control"] = "no-cache"
        return answer


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    words = {404: "there is nothing at this address", 405: "this address is not asked that way"}
    return refusal(Refused(words.get(status, "the request is not understood"), "", status))


class Server(uvicorn.Server):
    """A server that ends its streams at shutdown; otherwise it could not stop."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self.site = site
        # Waited for at the end: it may be within a kernel.
        self._warm = threading.Timer(WARM_UP_SECONDS, warm_up)

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self._warm.start()

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._warm.cancel()
        self.site.service.hub.close()
        super().handle_exit(sig, frame)


def warm_up() -> None:
    """Load what the first solve needs, so that it starts at once; the page is painted before."""
    small = SpotText("2c 2d 7h 8s Kd", 100, 100, ["KhKc,4c3c", "AsAh"], river=StreetText("100%"))
    solution = solve(read_spot(small), iterations=1)
    answer_node(solution, "", "", True)
    answer_range(RangeAsked("22+,A2s+"))


def make_server(
    folder: Path,
    host: str,
    port: int,
    memory: int | None = None,
    strategies: Sequence[Path] = (),
) -> tuple[Server, str]:
    """A server ready to run, and the address to open."""
    store = ServerFolder(folder)
    token = store.token()
    site = Site(store, memory, strategies)
    config = uvicorn.Config(
        site.app(allowed_hosts(host, port), token),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
        h11_max_incomplete_event_size=65_536,
        limit_concurrency=200,
    )
    shown = bracketed(own_names(host)[0])
    return Server(config, site), f"http://{shown}:{port}/?token={token}"
