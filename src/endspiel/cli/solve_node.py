"""What `endspiel solve` shows and writes of one spot: its tree, a node, the record of the solve."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from endspiel.cli.output import check_apart, check_writable, quiet, write_json
from endspiel.errors import EndspielError, FileError

if TYPE_CHECKING:
    from endspiel.solving.solution import SpotSolution
    from endspiel.solving.spots import PreparedSpot
    from endspiel.solving.views import NodeView


def show_tree(spot: str, tree_limit: int | None, json: str | None) -> None:
    """Print every line of betting of a spot, and how large a game it makes."""
    from endspiel.games.spot import load_spot
    from endspiel.solving.spots import TREE_LIMIT, card_game

    limit = TREE_LIMIT if tree_limit is None else tree_limit
    game = card_game(load_spot(spot), tree_limit=limit)
    counts = game.betting.counts(game.tree.num_boards)
    write_json(
        json,
        {**counts._asdict(), "infosets": game.num_infosets, "memory_bytes": game.memory()},
    )
    if not quiet(json):
        typer.echo(game.betting.show(), nl=False)
        typer.echo(f"{counts.decisions:,} decision nodes, {game.num_infosets:,} infosets")


@dataclass(frozen=True)
class WantedNode:
    """What to look at and where to write it, checked before the work rather than after it."""

    node: str
    hands: str | None  # a range text
    csv: Path | None
    export: Path | None
    all_nodes: bool

    def check(
        self, spot: str, saved: dict[str, Path | None], locks: list[str], json: str | None
    ) -> None:
        from endspiel.cards.ranges import parse_range

        for path in (self.csv, self.export):
            if path is not None:
                check_writable(path)
        for path in saved.values():
            if path is not None:
                from endspiel import files

                files.check_place(path)
        written = {"--csv": self.csv, "--export": self.export, **saved}
        check_apart(written, json, {"the spot": spot, **_read_too(spot, locks)})
        if self.export is not None and self.export.suffix.lower() != ".json":
            raise FileError(f"nodes are exported to .json, not to {self.export.name!r}")
        if self.all_nodes and self.csv is None and self.export is None:
            raise EndspielError("--all-nodes needs --csv or --export to write to")
        if self.hands is not None:
            parse_range(self.hands)

    def check_node(self, task: "PreparedSpot") -> None:
        """Refuse a node that the tree does not have, or hands that are not held there."""
        from endspiel.games.nodes import find_place
        from endspiel.solving.views import named_hands

        place = find_place(task.game, self.node)
        if self.hands is not None:
            hands = place.hands(task.game, place.player)
            named_hands(self.hands, hands, place.player, place.cards)

    def write(self, solution: "SpotSolution", view: "NodeView") -> None:
        """Write the files asked for."""
        if self.csv is None and self.export is None:
            return
        from endspiel.solving.node_files import write_csv, write_nodes

        for path, writer in ((self.csv, write_csv), (self.export, write_nodes)):
            if path is not None:
                views = solution.views() if self.all_nodes else [view]
                writer(path, views, self.all_nodes)


def _read_too(spot: str, locks: list[str]) -> dict[str, Path]:
    """Files that a solve reads beside the spot: locked strategies, and ranges."""
    from endspiel.games.spot import ranges_file

    named = {
        f"--lock {text}": Path(text.partition("=")[2].strip()) for text in locks if "=" in text
    }
    found = ranges_file(Path(spot))
    return named if found is None else {**named, "ranges_file": found}


def show_solution(solution: "SpotSolution", view: "NodeView", hands: str | None) -> None:
    from rich.console import Console
    from rich.table import Table

    from endspiel.cli.grid import show_node

    facts = Table(show_header=False)
    scouted = solution.parameters.get("scouting_iterations")
    before = f" after {scouted} of dcfr" if scouted else ""
    facts.add_row("method", f"{solution.method}, {solution.iterations} iterations{before}")
    locked = ", of the locked game" if solution.locks else ""
    own = "NashConv / 2 by each player's own payoff"
    mean = "mean of both" if solution.game.betting.zero_sum else own
    facts.add_row(
        "exploitability", f"{100 * solution.exploitability:.4g}% of the pot ({mean}{locked})"
    )
    for fact, text in _bucket_facts(solution.parameters):
        facts.add_row(fact, text)
    pot = solution.spot.pot
    expected = ", ".join(f"{chips:.2f} ({100 * chips / pot:.2f}%)" for chips in solution.evs)
    facts.add_row("pot expected", f"{expected}, out of position first")
    for fact, text in _prize_facts(solution):
        facts.add_row(fact, text)
    if solution.spot.rake:
        facts.add_row("rake", f"{solution.rake:.2f} expected; {solution.spot.rake}")
    facts.add_row("time", f"{solution.seconds:.3f} s, ended by {solution.stopped}")
    console = Console()
    console.print(facts)
    show_node(console, view, None if hands is None else view.chosen(hands))


def _prize_facts(solution: "SpotSolution") -> list[tuple[str, str]]:
    """What both expect of the prizes, where these are played for."""
    prizes, expected = solution.spot.prizes, solution.prize_equities
    if prizes is None or expected is None:
        return []
    one, two = expected
    split = f"{prizes.before[0]:.4f} and {prizes.before[1]:.4f} if the pot were shared"
    chip = f"EVs are in chips worth {prizes.chip:.4g} each, the mean"
    return [("prizes expected", f"{one:.4f} and {two:.4f}; {split}"), ("chips", chip)]


def _bucket_facts(said: dict[str, Any]) -> list[tuple[str, str]]:
    """How the hands of a river were put together, and the exploitability there."""
    kinds = {
        "equal": "equal intervals of equity",
        "occupied": "equal intervals of equity, T for those that hold hands",
        "kmeans": "clusters of equity by k-means",
    }
    kind = kinds.get(said.get("clustering", ""))
    if kind is None:
        return []
    one, two = said["buckets"]
    gap = f"exploitability {100 * said['exploitability_in_buckets']:.3g}% of the pot"
    return [("buckets", f"{one} and {two}: {kind}"), ("in the buckets", gap)]
