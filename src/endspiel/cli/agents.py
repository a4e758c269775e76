"""`endspiel agents`: how agents are named, from the modules that make them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, quiet, write_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endspiel.agent import AgentForm

GRAMMAR = """\
An agent is NAME, or NAME with options: NAME:name=value,name=value.
After a technique, options follow a comma: blueprint+unsafe,turn=yes,target=0.001.
MODULE:FUNCTION names an agent that your Python function makes."""


def agents(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Only the agents that begin so.")
    ] = None,
    json: JsonOption = None,
) -> None:
    """List the agents: how each is named, and its options.

    The JSON object has `agents`: of each its spec, help and options.
    """
    import endspiel.arena  # noqa: F401  (registers its agents)
    from endspiel.agent import agent_forms, agent_names
    from endspiel.errors import EndspielError

    found = [form for form in agent_forms() if form.spec.startswith(name or "")]
    if not found:
        raise EndspielError(f"no agent begins with {name!r}: there are {', '.join(agent_names())}")
    write_json(json, {"agents": [_record(form) for form in found]})
    if not quiet(json):
        typer.echo("\n".join(_lines(found)))


def _record(form: "AgentForm") -> dict[str, Any]:
    options = {key: option._asdict() for key, option in form.options.items()}
    return {"spec": form.spec, "help": form.help, "options": options}


def _lines(found: "list[AgentForm]") -> "Iterator[str]":
    """The grammar, then each agent; options that an earlier agent had are named only."""
    yield GRAMMAR
    shown: dict[str, object] = {}
    for form in found:
        yield ""
        yield form.spec
        yield f"    {form.help}"
        again = [key for key, option in form.options.items() if shown.get(key) == option]
        for key, option in form.options.items():
            if key in again:
                continue
            shown[key] = option
            default = f" Default {option.default}." if option.default else ""
            head = key if key == option.values else f"{key}={option.values}"
            yield from _wrapped(head, option.help + default)
        if again:
            yield from _wrapped("as above:", ", ".join(again))


def _wrapped(head: str, text: str) -> "Iterator[str]":
    import textwrap

    for part, indent in ((head, " " * 6), (text, " " * 10)):
        yield from textwrap.wrap(part, 100, initial_indent=indent, subsequent_indent=indent)
