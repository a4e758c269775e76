"""The tables and figures that can be computed again, by name."""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from endspiel.errors import EndspielError


@dataclass(frozen=True)
class Experiment:
    """A module of `endspiel.reproduce`: `run` returns a result, `report` words it."""

    module: str
    options: frozenset[str] = frozenset()  # those of the command that `run` takes, by name


NLFH = frozenset({"ranks", "state", "device", "iterations", "base_iterations"})
# Options of the command that have another name here.
OPTION_NAMES = {
    "state": "resume",
    "opponents": "opponent",
    "parts": "part",
    "techniques": "technique",
}
ARENA = frozenset(
    {"hands", "endgames", "blueprint", "opponents", "parts", "techniques", "state", "workers"}
    | {"coarse", "fine"}
)
LIMIT = frozenset(
    {"ranks", "state", "workers", "device", "target", "seconds", "bits", "solution"}
    | {"weights", "method"}
)
EXPERIMENTS = {
    "coin-toss": Experiment("coin_toss"),
    "endgame-property": Experiment("endgame_property"),
    "reverse-mapping": Experiment("reverse_mapping", frozenset({"out"})),
    "nlfh-table2": Experiment("nlfh_table2", NLFH),
    "nlfh-table1": Experiment("nlfh_table1", NLFH | {"size", "buckets"}),
    "arena": Experiment("arena_results", ARENA),
    "limit-holdem": Experiment("limit_holdem", LIMIT),
}


def run_experiment(name: str, **options: Any) -> dict[str, Any]:
    """Compute a table or figure of a paper again: ours beside the paper's, as figures.

    Options are those of `endspiel reproduce`; what is None is left out.

    Examples:
        >>> import endspiel as es
        >>> found = es.run_experiment("coin-toss")
        >>> round(found["exploitability"]["unsafe"], 6), found["expected"]["unsafe"]
        (0.75, (0.75, 0.75))
    """
    if name not in EXPERIMENTS:
        raise EndspielError(
            f"there is nothing named {name!r} to reproduce: there are {', '.join(EXPERIMENTS)}"
        )
    experiment = EXPERIMENTS[name]
    given = {option: value for option, value in options.items() if value is not None}
    for option in given.keys() - experiment.options:
        flag = OPTION_NAMES.get(option, option).replace("_", "-")
        raise EndspielError(f"{name} takes no --{flag}")
    result: dict[str, Any] = _module(name).run(**given)
    return result


def word_experiment(name: str, result: dict[str, Any]) -> str:
    """What `run_experiment` found, in words for people."""
    text: str = _module(name).report(result)
    return text


def _module(name: str) -> ModuleType:
    return import_module(f"endspiel.reproduce.{EXPERIMENTS[name].module}")
