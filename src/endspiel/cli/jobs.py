"""Commands that follow from jobs: options and help from the fields, then the run and its record."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, get_args, get_type_hints

import typer
from msgspec import Meta

from endspiel.cli.completing import complete_agent, complete_spot
from endspiel.cli.output import (
    JsonOption,
    WorkersOption,
    check_apart,
    check_writable,
    quiet,
    resume_option,
    write_json,
)
from endspiel.cli.progress import Reporter
from endspiel.cli.targets import target_option
from endspiel.errors import Stopped
from endspiel.jobs.job import Context, Job

_COMPLETE: Final = {"agent": complete_agent, "spot": complete_spot}
_MEMORY: Final = typer.Option(help="Memory limit, as in 8GB; by default 80% of the free memory.")
_DEVICE: Final = typer.Option(help="Where the work is done: cpu or cuda.")


def command_of(job: type[Job]) -> Callable[..., None]:
    """Return the command of a job, as Typer takes it."""
    fields = [_parameter(field, hint) for field, hint in _hints(job)]
    shared = {
        "workers": (WorkersOption, None),
        "memory": (Annotated[str | None, _MEMORY], None),
        "device": (Annotated[str, _DEVICE], job.device),
    }
    options = [(name, *shared[name]) for name in job.uses]
    if job.ledger:
        resume = Annotated[Path | None, resume_option(job.ledger, *job.older)]
        options.append(("resume", resume, None))
    options.append(("json", JsonOption, None))
    names = [parameter.name for parameter in fields]
    usual = dict(zip(job.__struct_fields__[::-1], job.__struct_defaults__[::-1], strict=False))

    def command(*words: Any, **named: Any) -> None:
        bound = signature.bind(*words, **named)
        bound.apply_defaults()
        given = bound.arguments
        run_job(job(**{name: given.pop(name) for name in names}), given.pop("json"), **given)

    parameters = [
        parameter.replace(default=usual.get(parameter.name, inspect.Parameter.empty))
        for parameter in fields
    ] + [
        inspect.Parameter(
            name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
        )
        for name, kind, default in options
    ]
    signature = inspect.Signature(parameters)
    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    command.__doc__ = job.__doc__
    return command


def run_job(job: Job, json: str | None, memory: str | None = None, **shared: Any) -> None:
    """Run a job as a command does: progress, record, text, and what Ctrl-C leaves."""
    written = job.written()
    for path in written.values():
        if path is not None:
            check_writable(Path(path))
    check_apart({**written, "--resume": shared.get("resume")}, json, job.read())
    if memory is not None:
        from endspiel.solvers.memory import parse_bytes

        shared["memory"] = parse_bytes(memory)
    reporter = Reporter(job.terse)
    context = Context(observe=reporter, **shared)
    try:
        with reporter.live(checked=False):
            result = job.run(context)
    except KeyboardInterrupt as stopped:
        raise Stopped(job.stopped(reporter.last, context)) from stopped
    if json is not None:
        write_json(json, result.record())
    if not quiet(json):
        result.show()
    if result.broken is not None:
        raise result.broken


def _hints(job: type[Job]) -> list[tuple[str, Any]]:
    hints = get_type_hints(job, include_extras=True)
    return [(name, hints[name]) for name in job.__struct_fields__]


def _parameter(name: str, hint: Any) -> inspect.Parameter:
    """A field as a parameter that Typer reads."""
    found = hint
    optional = not hasattr(hint, "__metadata__")
    if optional:
        (found,) = (one for one in get_args(hint) if one is not type(None))
    kind, meta = get_args(found)[0], next(x for x in found.__metadata__ if isinstance(x, Meta))
    option = _option(name, kind, meta)
    typed: Any = Annotated
    annotation = typed[kind | None if optional else kind, option]
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)


def _option(name: str, kind: Any, meta: Meta) -> Any:
    """What Typer makes of a field."""
    spelling = dict(meta.extra or {})
    if units := spelling.get("units"):
        return target_option(units, meta.description or "", spelling.get("usual", ""))
    given: dict[str, Any] = {"help": meta.description, "metavar": spelling.get("metavar")}
    given |= {"min": meta.ge, "max": meta.le}
    if complete := spelling.get("complete"):
        given["autocompletion"] = _COMPLETE[complete]
    if spelling.get("argument"):
        return typer.Argument(**given)
    spelled = spelling.get("option", "--" + name.replace("_", "-"))
    return typer.Option(*spelled.split(), **given)
