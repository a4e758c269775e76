"""``endspiel inspect``: what is in a file, whole and undamaged."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.errors import EndspielError

if TYPE_CHECKING:
    from endspiel.blueprint.blueprint import Blueprint
    from endspiel.files import Content

SHOWN_TRACE = 12  # points of a training's curve shown on the terminal


def inspect(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="Any file that Endspiel writes; nolimit-holdem (the default) or limit-holdem "
            "for a shipped strategy.",
        ),
    ] = None,
    line: Annotated[
        str | None, typer.Option(help='A blueprint\'s node by its betting: "r300 c / c".')
    ] = None,
    board: Annotated[str, typer.Option(help="The board there, as Qs7h2d.")] = "",
    hand: Annotated[str | None, typer.Option(help="Hands to look up there: AhKh, or TT+,AKs.")] = (
        None
    ),
    post: Annotated[
        str,
        typer.Option(help="Post-processing: none, purify, purify-after-first or threshold:0.15."),
    ] = "none",
    json: JsonOption = None,
) -> None:
    """Print the contents of a file and verify its checksum."""
    from endspiel import files
    from endspiel.abstraction.abstraction import KIND as ABSTRACTION
    from endspiel.blueprint.blueprint import KIND as BLUEPRINT
    from endspiel.blueprint.blueprint import load_blueprint
    from endspiel.blueprint.file_figures import (
        abstraction_figures,
        blueprint_figures,
        file_facts,
        inspected_path,
        plain_figures,
    )
    from endspiel.game.post import Post

    reading = Post.parse(post)
    path = inspected_path(file)
    check_apart({}, json, {"FILE": path})
    content = files.verify(path)
    about = file_facts(path, content)
    asked = line is not None or bool(board) or hand is not None
    if asked and content.kind != BLUEPRINT:
        raise EndspielError(f"{path} is a {content.kind}: only a blueprint has lines to look up")
    if content.kind == BLUEPRINT:
        from endspiel.cli.blueprint_node import look_up, show_lookup

        blueprint = load_blueprint(path).played(reading)
        about |= blueprint_figures(blueprint, blueprint.training)
        found = look_up(blueprint, line or "", board, hand)
        if asked:
            about["node"] = found.record()
        if not quiet(json):
            if not asked:
                _tell(_blueprint_facts(blueprint, about))
            show_lookup(found)
    elif content.kind == ABSTRACTION:
        from endspiel.abstraction.abstraction import of_arrays
        from endspiel.abstraction.report import format_report

        abstraction = of_arrays(content.record, content.arrays)
        about |= abstraction_figures(abstraction)
        if not quiet(json):
            _tell(_file_facts(about))
            typer.echo(format_report(abstraction))
    else:
        about = plain_figures(content) | about
        if not quiet(json):
            _tell(_plain_facts(content, about))
    write_json(json, about)


def _blueprint_facts(blueprint: "Blueprint", about: dict[str, Any]) -> list[tuple[str, str]]:
    from endspiel.blueprint.file_figures import blueprint_figures

    game, training = blueprint.game, blueprint.training
    blinds = "/".join(map(str, sorted(game.blinds)))
    decisions = " / ".join(f"{count:,}" for count in about["decisions_by_street"])
    buckets = " / ".join(f"{count:,}" for count in blueprint.sizes)
    loss = ", ".join(
        f"{name} {mean:.4f} (most {most:.3f})"
        for name, (mean, most) in about["rounding_loss"].items()
    )
    betting = about["model"] or "limit"
    told = ("method", "iterations", "seconds", "seed", "trace", *blueprint_figures(blueprint, {}))
    facts = [
        *_file_facts(about),
        ("rules", f"{game.name}, blinds {blinds}, stacks {game.stacks[0]:,}"),
        ("betting", f"{betting}: {about['nodes']:,} nodes, decisions {decisions}"),
        ("cards", f"{about['abstraction']}, {about['recall']} recall, buckets {buckets}"),
        ("size", f"{about['infosets']:,} infosets, {about['sequences']:,} sequences"),
        ("rounding", f"{blueprint.record['bits']:g} bits a probability move, of a row's, {loss}"),
        ("training", _training_text(training)),
    ]
    facts += [(name, str(value)) for name, value in training.items() if name not in told]
    if about["exploitability"] is not None:
        value = about["exploitability"]
        facts.append(
            (
                "exploitability",
                f"{value:.6g} big blinds a hand inside the abstraction ({1000 * value:.4g} mbb)",
            )
        )
    trace = blueprint.trace
    step = -(-len(trace) // SHOWN_TRACE) or 1
    shown = [*trace[:-1:step], *trace[-1:]]
    facts += [
        (
            "curve" if at == 0 else "",
            f"{point.iteration:>9,} iterations {point.seconds:9.1f} s {point.exploitability:.6g}",
        )
        for at, point in enumerate(shown)
    ]
    return facts


def _training_text(training: dict[str, Any]) -> str:
    parts = [str(training.get("method", "unknown method"))]
    if "iterations" in training:
        parts.append(f"{training['iterations']:,} iterations")
    if "seconds" in training:
        parts.append(f"{training['seconds']:,.1f} s")
    if training.get("seed") is not None:
        parts.append(f"seed {training['seed']}")
    return ", ".join(parts)


def _plain_facts(content: "Content", about: dict[str, Any]) -> list[tuple[str, str]]:
    facts = _file_facts(about)
    for name, value in content.record.items():
        if name == "trace" and value:
            facts.append((name, f"{len(value)} points, last {value[-1]}"))
        else:
            facts.append((name, value.strip() if isinstance(value, str) else str(value)))
    for name, array in about["arrays"].items():
        shape = " x ".join(map(str, array["shape"])) or "one number"
        facts.append((f"array {name}", f"{shape}, {array['type']}, {array['bytes']:,} bytes"))
    return facts


def _file_facts(about: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("file", f"{about['file']}, {about['kind']}, {about['file_bytes']:,} bytes"),
        ("checksum", f"{about['checksum']}, verified"),
    ]


def _tell(facts: list[tuple[str, str]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=False, box=None)
    for name, value in facts:
        table.add_row(name, Text(value))
    Console().print(table)
