"""Card abstractions."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from endspiel.bounds import DEFAULT_SEED, MOST_ITERATIONS, MOST_SEED, MOST_THREADS
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about
from endspiel.processors import peak_memory, processors
from endspiel.progress import Progress

if TYPE_CHECKING:
    from endspiel.abstraction.abstraction import Abstraction


class AbstractJob(Job, frozen=True, kw_only=True):
    """Make a card abstraction with perfect recall.

    A stopped run continues if it is started again with the same options.
    """

    uses: ClassVar = ()
    ledger: ClassVar = "Folder of finished stages, by default beside FILE"
    older: ClassVar = ("--work",)

    out: Annotated[str, about("The file to write.", metavar="FILE")]
    branching: Annotated[
        str,
        about(
            "Children of each bucket, from preflop to river; with --imperfect-recall the "
            "buckets of each street."
        ),
    ] = "8-12-4-4"
    imperfect_recall: Annotated[
        bool,
        about("Each street has as many buckets as --branching says, and forgets the one before."),
    ] = False
    textures: Annotated[
        str,
        about(
            "With --imperfect-recall, buckets once for each kind of flop, turn and river: 0 "
            "one kind, 1 by suits and pairs, 2 (flop) by ranks too.",
            metavar="F-T-R",
        ),
    ] = "0-0-0"
    compact: Annotated[bool, about("Leave out the turn's table: a small file, 1 ms a lookup.")] = (
        False
    )
    turn_clusters: Annotated[int, about("Turn clusters that describe flop hands.", 2, 1000)] = 200
    flop_clusters: Annotated[int, about("Flop clusters that describe starting hands.", 2, 1000)] = (
        200
    )
    sample: Annotated[
        int, about("Hands sampled of each node, to make its clusters.", 1, MOST_ITERATIONS)
    ] = 20_000
    restarts: Annotated[int, about("Restarts of each clustering.", 1, 1000)] = 2
    seed: Annotated[int, about("Seed of all random choices.", 0, MOST_SEED)] = DEFAULT_SEED
    threads: (
        Annotated[int, about("Threads; by default one for each processor.", 1, MOST_THREADS)] | None
    ) = None
    keep_work: Annotated[
        bool, about("Keep the folder of stages (2 GB), for further abstractions.")
    ] = False
    flops: (
        Annotated[int, about("Use this number of random flops only: to try things out.", 1, 1755)]
        | None
    ) = None

    def written(self) -> Files:
        return {"--out": self.out}

    def place(self, context: Context) -> Path:
        """The folder of stages: the command's own, unless it is named."""
        out = Path(self.out)
        return context.resume or out.with_name(out.name + ".work")

    def stopped(self, last: Progress | None, context: Context) -> str:
        return (
            f"stopped; the stages that were finished are kept in {self.place(context)}, and the "
            "same command goes on after them"
        )

    def run(self, context: Context = ALONE) -> "AbstractResult":
        from endspiel import files
        from endspiel.abstraction.boards import all_boards, some_boards
        from endspiel.abstraction.pipeline import make_abstraction
        from endspiel.abstraction.plan import Detail, Plan, parse_branching, parse_textures
        from endspiel.abstraction.streets import ClusteringEffort
        from endspiel.abstraction.work import Store, Workers

        plan = Plan(
            parse_branching(self.branching),
            not self.imperfect_recall,
            Detail(turn_clusters=self.turn_clusters, flop_clusters=self.flop_clusters),
            ClusteringEffort(self.sample, self.restarts, self.seed),
            parse_textures(self.textures),
        )
        folder, out = self.place(context), Path(self.out)
        files.check_place(out)
        files.make_folder(folder)
        files.check_place(folder / "stage")
        began, began_cpu = time.monotonic(), time.process_time()
        boards = all_boards() if self.flops is None else some_boards(self.flops, self.seed)
        store = Store(folder, shared=context.resume is not None)
        threads = self.threads or processors()
        made = make_abstraction(plan, boards, store, Workers(threads, context.observe))
        if self.compact:
            made = made.compact()
        made.save(out)
        if not self.keep_work:
            store.clear()
        about = {
            "seconds": time.monotonic() - began,
            "cpu_seconds": time.process_time() - began_cpu,
            "threads": threads,
            "memory_bytes": peak_memory(),
            "file": str(out),
            "file_bytes": out.stat().st_size,
        }
        return AbstractResult(self, made, about)


class AbstractResult(Result):
    """An abstraction, and what it took to make."""

    def __init__(self, job: AbstractJob, made: "Abstraction", about: dict[str, Any]) -> None:
        self.job, self.made, self.about = job, made, about

    def record(self) -> dict[str, Any]:
        from endspiel.abstraction.report import quality

        return quality(self.made) | self.about

    def lines(self) -> Iterator[str]:
        from endspiel.abstraction.report import format_report

        about = self.about
        yield format_report(self.made, self.job.seed)
        yield (
            f"\nwrote {about['file']}, {about['file_bytes']:,} bytes, in {about['seconds']:.0f} s "
            f"({about['cpu_seconds']:.0f} s of processors, {about['memory_bytes'] / 1e9:.1f} GB)"
        )
