"""Routes of spots, solves and results."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError
from endspiel.solving.node_files import write_csv, write_nodes
from endspiel.solving.solution import SpotSolution
from endspiel.web.following import answer_next
from endspiel.web.hands import answer_hands
from endspiel.web.http import (
    BODY_BYTES,
    answered,
    aside,
    file_answer,
    hand_filter,
    json_answer,
    player_asked,
    query,
    read_body,
    receive,
    receive_file,
    text_answer,
)
from endspiel.web.job_service import OVER, JobService
from endspiel.web.jobs import SolveJob
from endspiel.web.locks import compose_lock
from endspiel.web.messages import (
    CheckAsked,
    JobAsked,
    LockAsked,
    RangeAsked,
    Refused,
    RenameAsked,
    ResumeAsked,
    WriteAsked,
)
from endspiel.web.ranges import answer_range, class_combos
from endspiel.web.runouts import answer_runouts
from endspiel.web.spots import file_of, file_spot, read_spot, spot_json
from endspiel.web.tree_editor import TreeAsked, answer_tree
from endspiel.web.views import answer_node

MOST_ROWS: Final = 500_000  # decisions times hands of a file with every node: a minute's work
KEEP_SECONDS: Final = 60.0  # how long a file may still be written once its solve is over


class SolveRoutes:
    """What is answered about spots, jobs and their solutions."""

    def __init__(self, service: JobService) -> None:
        self.service = service

    def routes(self) -> list[Route]:
        """All of them."""
        job, made = "/api/jobs/{id}", []
        table: list[tuple[str, str, Callable[[Request], Any]]] = [
            ("POST", "/api/range", self.range),
            ("GET", "/api/range/combos", self.combos),
            ("POST", "/api/spot/check", self.check),
            ("POST", "/api/spot/fit", self.fit),
            ("POST", "/api/spot/tree", self.tree),
            ("POST", "/api/spot/read", self.read),
            ("POST", "/api/spot/write", self.write),
            ("GET", "/api/jobs", self.list),
            ("POST", "/api/jobs", self.create),
            ("GET", job, self.show),
            ("DELETE", job, self.delete),
            ("POST", f"{job}/stop", self.stop),
            ("POST", f"{job}/resume", self.resume),
            ("POST", f"{job}/rename", self.rename),
            ("GET", f"{job}/node", self.node),
            ("GET", f"{job}/hands", self.hands),
            ("GET", f"{job}/next", self.next),
            ("GET", f"{job}/runouts", self.runouts),
            ("POST", f"{job}/lock", self.lock),
            ("GET", f"{job}/solution.es", self.solution),
            ("GET", f"{job}/spot.toml", self.spot_toml),
            ("GET", f"{job}/spot.json", self.spot_json),
            ("GET", f"{job}/node.csv", self.node_csv),
            ("GET", f"{job}/node.json", self.node_json),
            ("POST", "/api/solutions", self.upload),
        ]
        for method, path, handler in table:
            made.append(Route(path, answered(handler), methods=[method]))
        return made

    def _job(self, request: Request) -> SolveJob:
        return self.service.job(request.path_params["id"])

    # Spots

    async def range(self, request: Request) -> Response:
        return json_answer(await aside(answer_range, await receive(request, RangeAsked)))

    async def combos(self, request: Request) -> Response:
        try:
            hands = class_combos(query(request, "text", ""), query(request, "class"))
        except Refused:
            raise
        except EndspielError as error:
            raise Refused(str(error), "text") from error
        return json_answer({"hands": hands})

    async def check(self, request: Request) -> Response:
        return json_answer(await aside(self.service.check, await receive(request, CheckAsked)))

    async def fit(self, request: Request) -> Response:
        return json_answer(await aside(self.service.fit, await receive(request, CheckAsked)))

    async def tree(self, request: Request) -> Response:
        return json_answer(await aside(answer_tree, await receive(request, TreeAsked)))

    async def read(self, request: Request) -> Response:
        body = await read_body(request, BODY_BYTES)
        return json_answer({"spot": await aside(file_spot, query(request, "name"), body)})

    async def write(self, request: Request) -> Response:
        return json_answer(await aside(file_of, (await receive(request, WriteAsked)).spot))

    # Jobs

    async def list(self, request: Request) -> Response:
        return json_answer(self.service.list_jobs())

    async def create(self, request: Request) -> Response:
        job = await aside(self.service.create, await receive(request, JobAsked))
        return json_answer(self.service.answer(job), 201)

    async def show(self, request: Request) -> Response:
        return json_answer(self.service.full(self._job(request)))

    async def delete(self, request: Request) -> Response:
        await aside(self.service.delete, self._job(request))
        return json_answer({})

    async def stop(self, request: Request) -> Response:
        job = self._job(request)
        await aside(self.service.stop, job)
        return json_answer(self.service.answer(job))

    async def resume(self, request: Request) -> Response:
        job = self._job(request)
        await aside(self.service.resume, job, await receive(request, ResumeAsked))
        return json_answer(self.service.answer(job))

    async def rename(self, request: Request) -> Response:
        job = self._job(request)
        self.service.rename(job, (await receive(request, RenameAsked)).name)
        return json_answer(self.service.answer(job))

    # Results

    async def node(self, request: Request) -> Response:
        job, line, passing = self._job(request), query(request, "line", ""), hand_filter(request)

        def question(solution: SpotSolution) -> Any:
            return answer_node(solution, line, job.id, job.record.state != "running", passing)

        return json_answer(await aside(self.service.ask, job, ("node", line, passing), question))

    async def hands(self, request: Request) -> Response:
        job, line = self._job(request), query(request, "line", "")
        named, player = query(request, "class", "random"), player_asked(request)
        passing = hand_filter(request)

        def question(solution: SpotSolution) -> Any:
            return answer_hands(solution, line, named, player, passing)

        return json_answer(
            await aside(self.service.ask, job, ("hands", line, named, player, passing), question)
        )

    async def next(self, request: Request) -> Response:
        job, line = self._job(request), query(request, "line", "")

        def question(solution: SpotSolution) -> Any:
            return answer_next(solution, line)

        return json_answer(await aside(self.service.ask, job, ("next", line), question))

    async def runouts(self, request: Request) -> Response:
        job, line = self._job(request), query(request, "line", "")

        def question(solution: SpotSolution) -> Any:
            return answer_runouts(solution, line)

        return json_answer(await aside(self.service.ask, job, ("runouts", line), question))

    async def lock(self, request: Request) -> Response:
        job, asked = self._job(request), await receive(request, LockAsked)

        def question(solution: SpotSolution) -> Any:
            return compose_lock(solution, asked)

        try:
            return json_answer(await aside(self.service.use, job, question))
        except Refused:
            raise
        except EndspielError as error:
            raise Refused(str(error), "line") from error

    # Files

    def _kept(self, job: SolveJob) -> Path:
        """The file of a job's solution; one that is still being written is waited for."""
        if job.record.state in OVER:
            self.service.runner.wait(job, KEEP_SECONDS)
        path = self.service.store.solution(job.id)
        if not path.exists():
            raise Refused(f"{job.record.name} has no saved solution yet", "", 409)
        return path

    async def solution(self, request: Request) -> Response:
        job = self._job(request)
        path = await aside(self._kept, job)
        return file_answer(path, f"{_plain(job)}.es", "application/octet-stream")

    async def spot_toml(self, request: Request) -> Response:
        job = self._job(request)
        text = read_spot(job.record.spot).dump().encode()
        return text_answer(text, f"{_plain(job)}.toml", "application/toml")

    async def spot_json(self, request: Request) -> Response:
        job = self._job(request)
        return text_answer(spot_json(job.record.spot), f"{_plain(job)}.json", "application/json")

    async def node_csv(self, request: Request) -> Response:
        return await self._nodes(request, "csv", "text/csv", write_csv)

    async def node_json(self, request: Request) -> Response:
        return await self._nodes(request, "json", "application/json", write_nodes)

    async def _nodes(
        self, request: Request, ending: str, media: str, writer: Callable[..., None]
    ) -> Response:
        """One node, or every one, as a file."""
        job, line = self._job(request), query(request, "line", "")
        every = query(request, "all", "") == "1"
        path = self.service.store.passing(ending)

        def work(solution: SpotSolution) -> None:
            writer(path, solution.views() if every else [solution.view(line)], every)

        def work_alone() -> None:
            self._kept(job)
            self.service.use(job, _check_rows)
            work(self.service.solutions.copy(job.record))  # others may look at it meanwhile

        try:
            await (aside(work_alone) if every else aside(self.service.use, job, work))
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return file_answer(path, f"{_plain(job)}.{ending}", media, passing=True)

    async def upload(self, request: Request) -> Response:
        name = query(request, "name", "").removesuffix(".es")
        path = self.service.store.passing("es")
        try:
            await receive_file(request, path)
            job = await aside(self.service.adopt, path, name)
        finally:
            path.unlink(missing_ok=True)
        return json_answer(self.service.answer(job), 201)


def _check_rows(solution: SpotSolution) -> None:
    """Refuse a file of more rows than anybody opens."""
    game = solution.game
    if game.num_infosets > MOST_ROWS:
        raise Refused(
            f"every node has {game.num_infosets:,} rows of hands; a file here has at most "
            f"{MOST_ROWS:,}: download the solution and export it with endspiel solve",
            "all",
            409,
        )


def _plain(job: SolveJob) -> str:
    """A file's name for a job, of letters that no system minds."""
    kept = "".join(
        c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in job.record.name
    )
    return kept.strip("-")[:60] or format_cards(read_spot(job.record.spot).board)
