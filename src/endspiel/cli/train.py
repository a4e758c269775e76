"""``endspiel train``: train a blueprint over an abstraction."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from endspiel.bounds import (
    BIG_BLINDS,
    DEFAULT_SEED,
    MOST_DRAWN,
    MOST_ITERATIONS,
    MOST_SECONDS,
    MOST_SEED,
    MOST_THREADS,
)
from endspiel.cli.output import (
    DelayOption,
    JsonOption,
    SolutionOption,
    WeightsOption,
    check_apart,
    quiet,
    resume_option,
    saving,
    write_json,
)
from endspiel.cli.progress import Reporter
from endspiel.cli.targets import target_option
from endspiel.errors import EndspielError
from endspiel.processors import processors
from endspiel.progress import unobserved

if TYPE_CHECKING:
    from endspiel.abstraction.abstraction import Abstraction
    from endspiel.betting.model import BettingModel
    from endspiel.blueprint.sampled import Sampling
    from endspiel.blueprint.training import Hardware, Training
    from endspiel.blueprint.training_cfr_br import ResponseTraining
    from endspiel.blueprint.training_sampled import SampledTraining
    from endspiel.engine.limits import Limits
    from endspiel.engine.schemes import Answer
    from endspiel.rules.game_def import GameDef
    from endspiel.solving.forecast import SolveWatch

    AnyTraining = Training | SampledTraining | ResponseTraining

SAMPLED, RESPONDED = "pcs", "cfr-br"


def train(
    abstraction: Annotated[
        Path, typer.Option(metavar="FILE", help="The card abstraction, from endspiel abstract.")
    ],
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The strategy file to write.")
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME-or-FILE",
            help="Betting model of no-limit games.",
        ),
    ] = "tartanian5",
    game: Annotated[
        str, typer.Option(help="nolimit-holdem, limit-holdem, or a game definition file.")
    ] = "nolimit-holdem",
    method: Annotated[
        str,
        typer.Option(
            help="dcfr4, dcfr, dcfr+, cfr+, pcfr+, sapcfr+, linear, cfr, egt, pcs (public chance "
            "sampling), or cfr-br: against best responders on real cards."
        ),
    ] = "dcfr4",
    solution: SolutionOption = "average",
    delay: DelayOption = 0,
    weights: WeightsOption = None,
    target: Annotated[
        float | None,
        target_option(BIG_BLINDS, "Stop at this exploitability inside the abstraction"),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option(min=0, max=MOST_ITERATIONS, help="The most iterations.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.0, max=MOST_SECONDS / 60, help="Time limit, in seconds.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads; by default one for each processor."),
    ] = None,
    resume: Annotated[Path | None, resume_option("Folder of progress", "--checkpoint")] = None,
    checkpoint_every: Annotated[
        float, typer.Option(min=0.0, max=MOST_SECONDS, help="Seconds between checkpoints.")
    ] = 120.0,
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    gifts: Annotated[
        bool, typer.Option(help="Store the gifts of actions, for reach-maxmargin (2 MB).")
    ] = True,
    bits: Annotated[
        float | None,
        typer.Option(
            min=3.0,
            max=12.0,
            help="Mean bits of a stored probability on turn and river; by default 6.",
        ),
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_DRAWN, help="pcs, cfr-br: boards an iteration; by default 20 and 1."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="pcs, cfr-br: seed of the random boards.")
    ] = DEFAULT_SEED,
    rivers: Annotated[
        int | None,
        typer.Option(min=1, max=48, help="cfr-br: rivers drawn of each turn; by default all."),
    ] = None,
    average_from: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_ITERATIONS,
            help="cfr-br: the iteration with which the average begins; by default 1.",
        ),
    ] = None,
    responder: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="cfr-br: abstraction of the responders before the turn; by default the same one.",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Train a blueprint to a measured exploitability in its abstraction.

    The command first counts pairs of buckets over all boards and stores them in a file beside the
    abstraction. Public chance sampling (pcs) needs no such file and allows imperfect recall; it
    measures the gains of responders on samples of boards. CFR-BR, for limit games, trains each
    player against a best responder on real cards, on random turns.

    Ctrl-C ends the training and keeps the strategy so far. A run with --resume continues
    if it is started again with the same options.
    """
    threads = processors() if threads is None else threads
    from threadpoolctl import threadpool_limits

    from endspiel import files
    from endspiel.abstraction.abstraction import load_abstraction
    from endspiel.betting.model import load_model
    from endspiel.blueprint.file_layout import DEFAULT_BITS
    from endspiel.blueprint.sampled import Sampling
    from endspiel.blueprint.training import CHECKPOINT_NAME, Hardware, check_method
    from endspiel.engine.limits import Limits
    from endspiel.engine.schemes import USUAL, Answer
    from endspiel.rules.builtin import load_rules
    from endspiel.solving.forecast import SolveWatch

    answer = Answer(solution, delay, weights)
    if method not in (SAMPLED, RESPONDED):
        check_method(method, device, answer)
    elif device != "cpu":
        raise EndspielError(f"{method} runs on the cpu, not on {device}")
    elif answer != USUAL:
        raise EndspielError(f"{method} has one solution, its linear average")
    only = {
        "a --responder is": responder,
        "--rivers are": rivers,
        "--average-from is": average_from,
    }
    for name, given in only.items():
        if given is not None and method != RESPONDED:
            raise EndspielError(f"{name} of {RESPONDED}, not of {method}")
    _check_average(average_from, iterations)
    bits = DEFAULT_BITS if bits is None else bits
    if target is None and iterations is None and minutes is None:
        raise EndspielError("give a --target, a number of --iterations or --minutes to train")
    if out is not None:
        files.check_place(out)
    written = {
        "--out": out,
        "its pairs of buckets": _counts_of(abstraction),
        "the checkpoint": None if resume is None else resume / CHECKPOINT_NAME,
    }
    read = {"--abstraction": abstraction, "--responder": responder}
    check_apart(written, json, {**read, "--model": model, "--game": game})
    rules = load_rules(game)
    bets = load_model(model) if rules.no_limit else None
    cards = load_abstraction(abstraction)
    seconds = None if minutes is None else 60 * minutes
    watch = SolveWatch(unobserved, unit=" bb")
    limits = Limits(
        None if target is None else target * rules.big_blind,
        iterations,
        seconds,
        watch,
        resume,
        checkpoint_every,
        keep_on_interrupt=True,
    )
    hardware = Hardware(threads, device)
    table = TrainingGame(rules, bets, cards)
    with threadpool_limits(threads, "blas"):  # matrix products too
        if method == SAMPLED:
            sampling = Sampling(20 if boards is None else boards, seed, threads)
            trained = _train_sampled(table, limits, watch, sampling)
        elif method == RESPONDED:
            sampling = Sampling(1 if boards is None else boards, seed, threads)
            first = 1 if average_from is None else average_from
            learning = ResponseLearning(responder, sampling, rivers, first)
            trained = _train_responded(table, limits, watch, learning)
        else:
            task = CountedTraining(method, answer, hardware, abstraction, saved=out is not None)
            trained = _train_counted(table, limits, watch, task)
        result = trained.record() | {"threads": threads, "device": device}
        if out is not None:
            typer.echo("saving the strategy", err=True)
            with saving("the strategy"):
                result = _save(out, table, trained, result, FileDetail(bits, gifts))
    _show(result, json)


def _check_average(average_from: int | None, iterations: int | None) -> None:
    """Refuse an average that begins after the last iteration."""
    if average_from is not None and iterations is not None and average_from > iterations:
        raise EndspielError(
            f"the average begins with iteration {average_from}, and the training ends with "
            f"{iterations}"
        )


class FileDetail(NamedTuple):
    """How finely a strategy is kept in a file, and with what beside it."""

    bits: float  # of a probability on turn and river, on the average
    gifts: bool  # what actions give away


def _save(
    out: Path,
    table: "TrainingGame",
    trained: "AnyTraining",
    result: dict[str, Any],
    detail: FileDetail,
) -> dict[str, Any]:
    """Write the strategy file, measured as it is stored where that can be done exactly."""
    from endspiel.blueprint.blueprint import save_blueprint
    from endspiel.blueprint.gifts import strategy_gifts
    from endspiel.blueprint.measure import save_measured
    from endspiel.blueprint.training import Training

    bits = detail.bits
    if isinstance(trained, Training):
        gifts = None
        if detail.gifts:
            gifts = strategy_gifts(trained.setting, trained.strategy, result["threads"])
        setting, strategy = trained.setting, trained.strategy
        result = save_measured(out, setting, table.cards, strategy, result, gifts, bits)
    else:
        save_blueprint(out, table.rules, table.bets, table.cards, trained.strategy, result, bits)
    return result | {"file": str(out), "file_bytes": out.stat().st_size}


class CountedTraining(NamedTuple):
    """How a training over pairs of buckets is done."""

    method: str
    answer: "Answer"
    hardware: "Hardware"
    abstraction: Path
    saved: bool  # afterwards: the strategy is then measured as it is stored


class ResponseLearning(NamedTuple):
    """How a training against best responders is done."""

    responder: Path | None  # its abstraction before the turn; the trained one's by default
    sampling: "Sampling"
    rivers: int | None  # drawn of each turn
    average_from: int  # an iteration


class TrainingGame(NamedTuple):
    """What is played, with which bets and which buckets."""

    rules: "GameDef"
    bets: "BettingModel | None"
    cards: "Abstraction"


def _counts_of(abstraction: Path) -> Path:
    """The file of an abstraction's pairs of buckets, beside it."""
    return abstraction.with_name(abstraction.name + ".joint")


def _train_counted(
    table: TrainingGame, limits: "Limits", watch: "SolveWatch", task: CountedTraining
) -> "AnyTraining":
    """Train over pairs of buckets, which are counted once and kept beside the abstraction.

    A strategy that is saved afterwards is measured as it is stored, by a second trainer.
    """
    from endspiel.blueprint.joint import count_joint, fingerprint
    from endspiel.blueprint.training import Setting
    from endspiel.blueprint.training import train as run_training
    from endspiel.solvers.memory import check_memory

    method, answer, hardware, place, saved = task
    counts: Path | None = _counts_of(place)
    if not _counts_of(place).exists() and not os.access(place.parent, os.W_OK):
        typer.echo(f"pairs of buckets are not kept: {place.parent} is not writable", err=True)
        counts = None
    with Reporter().live() as progress:
        joint = count_joint(table.cards, counts, hardware.threads, progress)
    setting = Setting(table.rules, table.bets, joint, fingerprint(table.cards))
    if saved:
        needed = setting.bytes(method, hardware.device) + setting.bytes("dcfr")
        what = f"training by {method} and saving the strategy"
        check_memory(needed, None, what, "take fewer buckets or fewer bets, or leave out --out")
    watch.scale = 1 / table.rules.big_blind
    watch.limits = limits
    with Reporter().live() as watch.observe:
        return run_training(setting, method, limits, hardware, answer)


def _train_sampled(
    table: TrainingGame, limits: "Limits", watch: "SolveWatch", sampling: "Sampling"
) -> "AnyTraining":
    """Train on boards drawn at random."""
    from endspiel.blueprint.training_sampled import train_sampled

    watch.limits = limits
    with Reporter().live() as watch.observe:
        return train_sampled(*table, limits, sampling)


def _train_responded(
    table: TrainingGame, limits: "Limits", watch: "SolveWatch", learning: ResponseLearning
) -> "AnyTraining":
    """Train against best responders."""
    from endspiel.abstraction.abstraction import load_abstraction
    from endspiel.blueprint.training_cfr_br import train_cfr_br

    responder, sampling, rivers, average_from = learning
    trunk = table.cards if responder is None else load_abstraction(responder)
    cards = table.cards, trunk
    watch.limits = limits
    with Reporter().live() as watch.observe:
        return train_cfr_br(table.rules, cards, limits, sampling, rivers, average_from)


def _show(result: dict[str, Any], json: str | None) -> None:
    from endspiel.processors import peak_memory

    result["memory_bytes"] = peak_memory()
    write_json(json, result)
    if quiet(json):
        return
    buckets = " / ".join(f"{size:,}" for size in result["buckets"])
    typer.echo(
        f"{result['nodes']:,} betting nodes over {buckets} buckets: "
        f"{result['infosets']:,} infosets, {result['sequences']:,} sequences"
    )
    if "responders" in result:
        quality = f"responders win {result['responders']:.4f} bb a hand of the newest strategies"
    elif result["exploitability"] is None:
        gain = result["gain"]
        quality = (
            f"responders gain {gain['fresh']:.4f} ± {gain['error']:.4f} bb a hand on "
            f"{gain['boards']} fresh boards, {gain['fitted']:.4f} on their own"
        )
    else:
        stored = result["exploitability"]
        trained = result.get("exploitability_before_rounding")
        rounded = "" if trained is None else f" ({stored:.5f} as stored)"
        quality = (
            f"exploitability {stored if trained is None else trained:.5f} bb a hand inside the "
            f"abstraction{rounded}, value {result['value']:.4f} bb"
        )
    best = result.get("best_iteration", result["iterations"])
    earlier = "" if best == result["iterations"] else f", the best after {best}"
    typer.echo(
        f"{result['method']}: {quality}, after {result['iterations']} iterations and "
        f"{result['seconds']:.0f} s ({result['stopped']}){earlier}, "
        f"{result['memory_bytes'] / 1e9:.1f} GB"
    )
    if "file" in result:
        typer.echo(f"wrote {result['file']}, {result['file_bytes']:,} bytes")
