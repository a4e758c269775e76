"""What the shell offers for an argument: agents with their options, spot files, names.

Each function is called with the word typed so far; what it needs is loaded only then.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from endspiel.agent import AgentOption

SPOTS: Final = (".toml", ".json", ".txt")


def complete_agent(incomplete: str) -> list[str]:
    """Return specs that begin so, then the options of a spec and their values."""
    import endspiel.arena  # noqa: F401  (registers its agents)
    from endspiel.agent import agent_forms

    found = []
    for form in agent_forms():
        if form.spec.startswith(incomplete):
            found.append(form.spec)
        elif form.mark and incomplete.startswith(form.spec + form.mark):
            head, _, part = incomplete[len(form.spec) + 1 :].rpartition(",")
            before = incomplete[: len(incomplete) - len(part)]
            found += [before + word for word in _words(part, head, form.options)]
    return found


def _words(part: str, head: str, options: "Mapping[str, AgentOption]") -> list[str]:
    """Return the options, or the values of one, that begin as the last part of a spec does."""
    name, equals, value = part.partition("=")
    if equals:
        values = options[name].values.split(", ") if name in options else []
        words = [word for word in values if word.replace("-", "").isalnum()]
        return [f"{name}={word}" for word in words if len(words) > 1 and word.startswith(value)]
    used = {one.partition("=")[0] for one in head.split(",")}
    return [f"{key}=" for key in options if key.startswith(part) and key not in used]


def complete_spot(incomplete: str) -> list[str]:
    """Return spot files, and folders that may hold some."""
    folder, name = os.path.split(incomplete)
    try:
        here = sorted(Path(folder or ".").iterdir())
    except OSError:
        return []
    found, prefix = [], incomplete[: len(incomplete) - len(name)]
    for path in here:
        hidden = path.name.startswith(".") and not name.startswith(".")
        if not path.name.startswith(name) or hidden:
            continue
        if path.is_dir():
            found.append(f"{prefix}{path.name}/")
        elif path.suffix in SPOTS:
            found.append(prefix + path.name)
    return found


def complete_experiment(incomplete: str) -> list[str]:
    """Return the tables and figures that can be computed again."""
    from endspiel.reproduce.experiments import EXPERIMENTS

    return _beginning(EXPERIMENTS, incomplete)


def complete_game(incomplete: str) -> list[str]:
    """Return the small games by name."""
    from endspiel.games.registry import GAMES

    return _beginning(GAMES, incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
