"""Nets that value the end of a flop, from exact solves of turns."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED
from endspiel.errors import EndspielError
from endspiel.jobs.job import ALONE, Context, Job, Result, about
from endspiel.progress import Progress

if TYPE_CHECKING:
    from endspiel.values.errors import NetError


class TrainValuesJob(Job, frozen=True):
    """Train value nets on turns solved exactly.

    Ranges come from a blueprint's own play, from the same disturbed, and from random draws. The
    report is on turns that the net has not seen. Finished files in the folder are reused, so the
    same command continues after a stop.
    """

    uses: ClassVar = ("workers", "device")
    ledger: ClassVar = "Folder of solved turns and nets"
    older: ClassVar = ()

    folder: (
        Annotated[
            str,
            about("Folder of solved turns and nets, as --resume.", metavar="FOLDER", argument=True),
        ]
        | None
    ) = None
    shards: Annotated[int, about("Files of solved turns to make.", 2, MOST_DRAWN)] = 20
    turns: Annotated[int, about("Turns in each file.", 1, MOST_DRAWN)] = 256
    iterations: Annotated[
        int, about("Iterations of discounted CFR on each turn.", 1, MOST_ITERATIONS)
    ] = 150
    steps: Annotated[int, about("Training steps of each of the two nets.", 1, MOST_ITERATIONS)] = (
        4000
    )
    batch: Annotated[int, about("Rows of a training step.", 1, MOST_DRAWN)] = 512
    width: Annotated[int, about("Width of the nets' five hidden layers.", 1, 65_536)] = 512
    seed: Annotated[int, about("Seed of all random choices.", 0, MOST_SEED)] = DEFAULT_SEED
    blueprint: (
        Annotated[
            str,
            about(
                "Strategy file that plays half of the ranges' hands; by default the shipped one.",
                metavar="FILE",
            ),
        ]
        | None
    ) = None

    def place(self, context: Context) -> Path:
        """The folder."""
        folder = context.resume if self.folder is None else self.folder
        if folder is None:
            raise EndspielError("nets need a folder: name one, as in endspiel train-values nets")
        return Path(folder)

    def stopped(self, last: Progress | None, context: Context) -> str:
        return f"stopped: what is done is in {self.place(context)}, and --resume continues from it"

    def run(self, context: Context = ALONE) -> "ValuesResult":
        from endspiel.solving.devices import check_device
        from endspiel.values.making import (
            ValuesPlan,
            make_flops,
            make_turns,
            report_distilled,
            report_errors,
            teach_flops,
            teach_turns,
            teaching_arrays,
        )
        from endspiel.values.shards import ShardPlan

        folder, workers, observe = self.place(context), context.workers, context.observe
        check_device(context.device)
        teaching_arrays(context.device)  # says what is missing
        plan = ValuesPlan(
            *(folder, ShardPlan(self.seed, self.turns, self.iterations), self.shards),
            *(self.steps, self.batch, self.width),
            blueprint=self.blueprint,
            device=context.device,
        )
        make_turns(plan, workers, observe)
        errors = report_errors(plan, teach_turns(plan, workers, observe))
        make_flops(plan, workers, observe)
        distilled = report_distilled(plan, teach_flops(plan, observe))
        return ValuesResult(self, folder, errors, distilled)


class ValuesResult(Result):
    """Two nets, and how far they are off on turns that they have not seen."""

    def __init__(
        self, job: TrainValuesJob, folder: Path, errors: "list[NetError]", distilled: float
    ) -> None:
        self.job, self.folder, self.errors = job, folder, errors
        self.distilled = distilled  # pots that the flop's net is off the turn's

    def record(self) -> dict[str, Any]:
        from endspiel.values.nets import FLOP_NET, TURN_NET

        return {
            "turn_net": str(self.folder / TURN_NET),
            "flop_net": str(self.folder / FLOP_NET),
            "turns": self.job.shards * self.job.turns,
            "distilled": self.distilled,
            "errors": [error.record() for error in self.errors],
        }

    def lines(self) -> Iterator[str]:
        columns = ("huber", "off by", "of", "coarse", "in play")
        head = f"{'turns not seen before':22} {'number':>7} "
        yield head + " ".join(f"{column:>8}" for column in columns)
        for name, number, *numbers in self.errors:
            yield f"{name:22} {number:7} " + " ".join(f"{one:8.4f}" for one in numbers)
        yield (
            "Means over hands, in pots; of: the mean size of a value; coarse: off by buckets "
            "alone; in play: hands as often as they meet."
        )
        yield f"The flop's net is {self.distilled:.4f} off the turn's over all turn cards."
