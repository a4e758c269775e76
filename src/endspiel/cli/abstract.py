"""``endspiel abstract``: make a card abstraction."""

import time
from pathlib import Path
from typing import Annotated

import typer

from endspiel.bounds import DEFAULT_SEED, MOST_ITERATIONS, MOST_SEED, MOST_THREADS
from endspiel.cli.output import JsonOption, check_apart, quiet, resume_option, write_json
from endspiel.cli.progress import Reporter, peak_memory
from endspiel.errors import Stopped
from endspiel.processors import processors


def abstract(
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    branching: Annotated[
        str,
        typer.Option(
            help="Children of each bucket, from preflop to river; with --imperfect-recall the "
            "buckets of each street."
        ),
    ] = "8-12-4-4",
    imperfect_recall: Annotated[
        bool,
        typer.Option(
            "--imperfect-recall",
            help="Each street has as many buckets as --branching says, and forgets the one before.",
        ),
    ] = False,
    textures: Annotated[
        str,
        typer.Option(
            metavar="F-T-R",
            help="With --imperfect-recall, buckets once for each kind of flop, turn and river: 0 "
            "one kind, 1 by suits and pairs, 2 (flop) by ranks too.",
        ),
    ] = "0-0-0",
    compact: Annotated[
        bool,
        typer.Option("--compact", help="Leave out the turn's table: a small file, 1 ms a lookup."),
    ] = False,
    turn_clusters: Annotated[
        int, typer.Option(min=2, max=1000, help="Turn clusters that describe flop hands.")
    ] = 200,
    flop_clusters: Annotated[
        int, typer.Option(min=2, max=1000, help="Flop clusters that describe starting hands.")
    ] = 200,
    sample: Annotated[
        int,
        typer.Option(
            min=1, max=MOST_ITERATIONS, help="Hands sampled of each node, to make its clusters."
        ),
    ] = 20_000,
    restarts: Annotated[
        int, typer.Option(min=1, max=1000, help="Restarts of each clustering.")
    ] = 2,
    seed: Annotated[
        int, typer.Option(min=0, max=MOST_SEED, help="Seed of all random choices.")
    ] = DEFAULT_SEED,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads; by default one for each processor."),
    ] = None,
    resume: Annotated[
        Path | None,
        resume_option("Folder of finished stages, by default beside FILE", "--work"),
    ] = None,
    keep_work: Annotated[
        bool,
        typer.Option(
            "--keep-work", help="Keep the folder of stages (2 GB), for further abstractions."
        ),
    ] = False,
    flops: Annotated[
        int | None,
        typer.Option(
            min=1, max=1755, help="Use this number of random flops only: to try things out."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Make a card abstraction with perfect recall.

    A stopped run continues if it is started again with the same options.
    """
    from endspiel import files
    from endspiel.abstraction.boards import all_boards, some_boards
    from endspiel.abstraction.pipeline import make_abstraction
    from endspiel.abstraction.plan import Detail, Plan, parse_branching, parse_textures
    from endspiel.abstraction.report import format_report, quality
    from endspiel.abstraction.streets import ClusteringEffort
    from endspiel.abstraction.work import Store, Workers

    plan = Plan(
        parse_branching(branching),
        not imperfect_recall,
        Detail(turn_clusters=turn_clusters, flop_clusters=flop_clusters),
        ClusteringEffort(sample, restarts, seed),
        parse_textures(textures),
    )
    folder = resume or out.with_name(out.name + ".work")  # ours alone, unless it is named
    files.check_place(out)
    check_apart({"--out": out}, json)
    files.make_folder(folder)
    files.check_place(folder / "stage")
    began, began_cpu = time.monotonic(), time.process_time()
    boards = all_boards() if flops is None else some_boards(flops, seed)
    store = Store(folder, shared=resume is not None)
    threads = threads or processors()
    try:
        with Reporter().live() as progress:
            made = make_abstraction(plan, boards, store, Workers(threads, progress))
            if compact:
                made = made.compact()
            made.save(out)
    except KeyboardInterrupt as error:
        raise Stopped(
            f"stopped; the stages that were finished are kept in {folder}, and the same command "
            "goes on after them"
        ) from error
    if not keep_work:
        store.clear()
    result = quality(made) | {
        "seconds": time.monotonic() - began,
        "cpu_seconds": time.process_time() - began_cpu,
        "threads": threads,
        "memory_bytes": peak_memory(),
        "file": str(out),
        "file_bytes": out.stat().st_size,
    }
    if not quiet(json):
        typer.echo(format_report(made, seed))
        typer.echo(
            f"\nwrote {out}, {result['file_bytes']:,} bytes, in {result['seconds']:.0f} s "
            f"({result['cpu_seconds']:.0f} s of processors, {result['memory_bytes'] / 1e9:.1f} GB)"
        )
    write_json(json, result)
