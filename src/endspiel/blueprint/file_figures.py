"""What a file of ours holds, as figures: strategies, abstractions, solutions, checkpoints."""

from pathlib import Path
from typing import Any

from endspiel import files
from endspiel.abstraction.abstraction import KIND as ABSTRACTION
from endspiel.abstraction.abstraction import Abstraction, of_arrays
from endspiel.abstraction.plan import format_textures
from endspiel.abstraction.report import quality
from endspiel.blueprint.blueprint import KIND as BLUEPRINT
from endspiel.blueprint.blueprint import Blueprint, load_blueprint, strategy_path
from endspiel.blueprint.fixed import is_fixed
from endspiel.errors import FileError
from endspiel.games.product import GameSize
from endspiel.rules.game_def import format_game


def inspect_file(path: str | Path | None = None) -> dict[str, Any]:
    """What a file holds, once its checksum is seen to be right; by default the shipped blueprint.

    ``limit-holdem`` and ``nolimit-holdem`` are the strategies that come with the package.

    Examples:
        >>> import endspiel as es
        >>> about = es.inspect_file()
        >>> about["kind"], about["game"], about["abstraction"]
        ('blueprint', 'holdem.nolimit.2p.reverse_blinds', '8-12-4-4')
        >>> about["exploitability"] < 0.0025  # big blinds a hand, inside the abstraction
        True
    """
    place = inspected_path(path)
    content = files.verify(place)
    if content.kind == BLUEPRINT:
        blueprint = load_blueprint(place)
        return file_facts(place, content) | blueprint_figures(blueprint, blueprint.training)
    if content.kind == ABSTRACTION:
        abstraction = of_arrays(content.record, content.arrays)
        return file_facts(place, content) | abstraction_figures(abstraction)
    return plain_figures(content) | file_facts(place, content)


def inspected_path(name: str | Path | None = None) -> Path:
    """Where a file to inspect lies; strategies of the package go by the names of their games."""
    if name is not None and is_fixed(str(name)) and not Path(name).exists():
        raise FileError(f"{name} follows from the rules: it has no file to inspect")
    return strategy_path(name)


def file_facts(path: Path, content: files.Content) -> dict[str, Any]:
    """What is known of any file."""
    return {
        "file": str(path),
        "kind": content.kind,
        "file_bytes": path.stat().st_size,
        "checksum": content.checksum,
    }


def blueprint_figures(blueprint: Blueprint, training: dict[str, Any]) -> dict[str, Any]:
    """Figures of a blueprint beside those of its training."""
    tree, plan = blueprint.tree, blueprint.plan
    counts, size = tree.counts(), GameSize.of(tree, blueprint.sizes)
    model = blueprint.model
    exploitability = blueprint.exploitability
    return training | {
        "game": blueprint.game.name,
        "rules": format_game(blueprint.game),
        "model": None if model is None else model.name,
        "nodes": counts.nodes,
        "decisions": counts.decisions,
        "decisions_by_street": tree.street_counts()[0].tolist(),
        "abstraction": plan.name,
        "recall": "perfect" if plan.perfect_recall else "imperfect",
        "textures": format_textures(plan.textures),
        "buckets": list(blueprint.sizes),
        "infosets": size.infosets,
        "sequences": size.sequences,
        "rounding_loss": blueprint.record["loss"],
        "exploitability": None if exploitability != exploitability else exploitability,
    }


def abstraction_figures(abstraction: Abstraction) -> dict[str, Any]:
    """Figures of a card abstraction."""
    return quality(abstraction) | {"compact": abstraction.is_compact}


def plain_figures(content: files.Content) -> dict[str, Any]:
    """The record of any other file, and its arrays without their content."""
    arrays = {
        name: {"shape": list(array.shape), "type": str(array.dtype), "bytes": array.nbytes}
        for name, array in content.arrays.items()
    }
    return content.record | {"arrays": arrays}
