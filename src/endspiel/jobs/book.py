"""Flops of a limit strategy solved to the end, hand by hand."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED, POTS
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about
from endspiel.progress import Progress


class BookJob(Job, frozen=True, kw_only=True):
    """Solve flops of limit hold'em to the end, for agents at the table.

    A strategy in buckets plays alike on many flops. This command solves each flop alone, over all
    hands, turns and rivers, with the ranges of the strategy, and stores the play of every hand on
    the flop: 0.2 MB a flop. Agents read it (blueprint+unsafe,turn=yes,book=FOLDER), and endspiel
    exploit --book measures the loss with it.

    On 52 cards a line takes up to 43 GB and a few seconds of a GPU, with seven lines a flop. Flops
    in the folder are not solved again, so a stopped run continues.
    """

    uses: ClassVar = ("device",)
    device: ClassVar = "cuda"

    out: Annotated[
        str,
        about(
            "Folder of solved flops; continue from it when it exists.",
            metavar="FOLDER",
            option="--out --resume",
        ),
    ]
    file: Annotated[
        str,
        about("A limit strategy file; by default the shipped one.", metavar="FILE", argument=True),
    ] = "limit-holdem"
    boards: (
        Annotated[
            int,
            about(
                "Flops drawn by how often they are dealt, as endspiel exploit draws them; all "
                "1,755 by default.",
                2,
                MOST_DRAWN,
            ),
        ]
        | None
    ) = None
    seed: Annotated[int, about("Seed of the draw.", 0, MOST_SEED)] = DEFAULT_SEED
    target: Annotated[
        float, about("Solve each line to this exploitability", units=POTS, usual="0.3%")
    ] = 0.003
    iterations: Annotated[int, about("The most iterations of each line.", 1, MOST_ITERATIONS)] = 200
    turns: Annotated[
        bool,
        about(
            "Store responders' values on every turn, too (24 MB a flop): endspiel exploit "
            "--resolve-turns then needs fewer turns."
        ),
    ] = False

    def read(self) -> Files:
        return {"the strategy file": self.file, "--out": self.out}

    def stopped(self, last: Progress | None, context: Context) -> str:
        return f"stopped: what is solved is in {self.out}"

    def run(self, context: Context = ALONE) -> "BookResult":
        from endspiel.abstraction.boards import NUM_CANONICAL
        from endspiel.arena.estimators.book_solves import BatchedBookSolver, BookSolver
        from endspiel.arena.estimators.real_exploit import draw_flops, flop_cards
        from endspiel.blueprint.blueprint import load_blueprint
        from endspiel.blueprint.flop_book import FlopBook
        from endspiel.engine.limits import Limits
        from endspiel.gpu.cuda.machine import cuda_machine
        from endspiel.processors import processors
        from endspiel.solving.devices import gpu_room

        free, blueprint = gpu_room(context.device), load_blueprint(self.file)
        limits = Limits(self.target, self.iterations)
        if free is None:
            solver = BookSolver(blueprint, limits, self.turns, processors())
        else:
            solver = BatchedBookSolver(blueprint, limits, self.turns, maker=cuda_machine, free=free)
        book = FlopBook(Path(self.out), blueprint.verify(), blueprint.tree)
        drawn = NUM_CANONICAL if self.boards is None else self.boards
        numbers, _ = draw_flops(drawn, self.seed)
        flops = [flop_cards(at) for at in sorted(set(numbers.tolist()))]
        left = [flop for flop in flops if not book.has(flop)]
        before, gaps = len(flops) - len(left), list[float]()
        context.observe(Progress("flops", before, len(flops), before))
        for done, flop in enumerate(left, start=before + 1):
            solved = solver.solve(flop)
            book.add(flop, solved)
            gaps += [line["exploitability"] for line in solved.record["lines"]]
            context.observe(Progress("flops", done, len(flops), before))
            if context.halted():
                break
        return BookResult(self, len(flops), len(left), max(gaps, default=None))


class BookResult(Result):
    """Which flops a book has now."""

    def __init__(self, job: BookJob, flops: int, solved: int, worst: float | None) -> None:
        self.job, self.flops, self.solved = job, flops, solved
        self.worst = worst  # exploitability of a line, in pots

    def record(self) -> dict[str, Any]:
        return {"flops": self.flops, "solved": self.solved, "exploitability": self.worst}

    def lines(self) -> Iterator[str]:
        worst = self.worst
        how = "" if worst is None else f", each line to {100 * worst:.2f}% of its pot or nearer"
        now = f"{self.solved} of them were solved now"
        yield f"{self.flops} flops are in {self.job.out}; {now}{how}"
