"""Routes of reviewed hand histories."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.web.hand_review_runs import HandReviewRuns
from endspiel.web.hand_reviews import (
    HANDS_BYTES,
    PASTED,
    HandReviewAsked,
    HandReviews,
    ReviewStudyAnswer,
    StudyAsked,
)
from endspiel.web.http import answered, aside, json_answer, query, read_body, receive
from endspiel.web.job_service import JobService
from endspiel.web.messages import JobAsked, Refused
from endspiel.web.store import ServerFolder

STUDY_PERCENT = 0.25  # of the pot: what a decision's study is solved to


class HandReviewRoutes:
    """What is answered about histories and their reviews."""

    def __init__(self, store: ServerFolder, service: JobService) -> None:
        self.service = service
        self.reviews = HandReviews(store)
        self.runs = HandReviewRuns(self.reviews, service.hub)

    def close(self) -> None:
        """Stop what runs, and keep what it found."""
        self.runs.close()

    def routes(self) -> list[Route]:
        """All of them."""
        one = "/api/reviews/{id}"
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("GET", "/api/reviews", self.list),
            ("POST", "/api/reviews", self.add),
            ("GET", "/api/reviews/run", self.state),
            ("DELETE", "/api/reviews/run", self.stop),
            ("GET", one, self.show),
            ("DELETE", one, self.forget),
            ("POST", f"{one}/run", self.start),
            ("POST", f"{one}/study", self.study),
        ]
        return [Route(path, answered(handler), methods=[method]) for method, path, handler in table]

    async def list(self, request: Request) -> Response:
        return json_answer(self.reviews.entries())

    async def add(self, request: Request) -> Response:
        body = await read_body(request, HANDS_BYTES)
        found = await aside(self.reviews.add, query(request, "name", PASTED), body)
        return json_answer(found, 201)

    async def state(self, request: Request) -> Response:
        return json_answer(self.runs.state())

    async def stop(self, request: Request) -> Response:
        return json_answer(self.runs.stop())

    async def show(self, request: Request) -> Response:
        return json_answer(self.reviews.shelf.get(request.path_params["id"]).shown)

    async def forget(self, request: Request) -> Response:
        name = request.path_params["id"]
        running = self.runs.state()
        if running.state == "running" and running.review == name:
            raise Refused(f"{running.name} is being reviewed: stop it, or wait", "", 409)
        await aside(self.reviews.forget, name)
        return json_answer({})

    async def start(self, request: Request) -> Response:
        asked = await receive(request, HandReviewAsked)
        return json_answer(await aside(self.runs.review, request.path_params["id"], asked), 201)

    async def study(self, request: Request) -> Response:
        asked = await receive(request, StudyAsked)
        return json_answer(await aside(self._study, request.path_params["id"], asked.decision))

    def _study(self, name: str, decision: int) -> ReviewStudyAnswer:
        """The job of a decision's spot: one that has solved it, or a new one."""
        spot, line, address = self.reviews.spot_of(name, decision)
        if spot is None:
            return ReviewStudyAnswer(None, "", address)
        job = self.service.solved(spot)
        if job is None:
            result = self.reviews.shelf.get(name).shown.result
            hand = "" if result is None else result.decisions[decision].hand
            asked = JobAsked(spot, target_percent=STUDY_PERCENT, name=f"Hand {hand}"[:120])
            job = self.service.create(asked).id
        return ReviewStudyAnswer(job, line, "")
