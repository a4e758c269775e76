"""The strategy file: opening, lookups, buckets of one hand, and hands a second of its agent.

Run with ``python benchmarks/blueprint_lookup.py [FILE]``; without a file the blueprint that comes
with the package is measured. Each time stands beside that of the plain way to the same result, in
the same run; times are of the processor, so that other work on the machine does not show.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.table import Table

from endspiel import files
from endspiel.arena.match import run_match
from endspiel.arena.plan import MatchPlan
from endspiel.betting.tree import DECISION
from endspiel.blueprint import blueprint as module
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.deck import hand_index
from endspiel.errors import FileError
from endspiel.game.post import Post

LOOKUPS = 20_000
DEALS = 300
HANDS = 4_000


def main() -> None:
    """Measure and print the tables."""
    console = Console()
    try:
        found = load_blueprint(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    except FileError as error:
        console.print(f"nothing to measure: {error}")
        return
    table = Table("what", "time", "the plain way", "times", title=found.path.name)
    for name, own, plain, plainly in (_opening(found), *_rows(found), *_buckets(found)):
        table.add_row(name, _time(own), f"{_time(plain)} {plainly}", f"{plain / own:.1f}")
    console.print(table)
    _matches(console, found)


def _opening(found: Blueprint) -> tuple[str, float, float, str]:
    def anew() -> None:
        module._open.cache_clear()
        load_blueprint(found.path)

    own = _best(anew, 5)
    return "open", own, _best(lambda: files.load(found.path, module.KIND), 3), "read and check all"


def _rows(found: Blueprint) -> list[tuple[str, float, float, str]]:
    tree, rng = found.tree, np.random.default_rng(0)
    rivers = np.flatnonzero((tree.kind == DECISION) & (tree.street == tree.street.max()))
    nodes = rng.choice(rivers, LOOKUPS)
    buckets = rng.integers(found.sizes[-1], size=LOOKUPS)
    pairs = list(zip(nodes.tolist(), buckets.tolist(), strict=True))
    whole = _each(lambda node, bucket: found.rows(node)[:, bucket], pairs[:500])
    lines = []
    for post in (Post(), Post("threshold"), Post("purify")):
        played = found.played(post)
        played.many(nodes, buckets)  # what is made on first use
        own = _each(played.row, pairs)
        lines.append((f"river row, {post}", own, whole, "all rows of the node"))
    one_by_one = _each(found.row, pairs)
    many = _best(lambda: found.many(nodes, buckets), 3) / LOOKUPS
    return [*lines, ("river row, among 20,000", many, one_by_one, "one by one")]


def _buckets(found: Blueprint) -> list[tuple[str, float, float, str]]:
    rng, cards = np.random.default_rng(1), found.abstraction
    deals = [rng.permutation(52)[:7].tolist() for _ in range(DEALS)]
    lines = []
    for street, size in (("flop", 3), ("turn", 4), ("river", 5)):
        at = size - 2
        befores = [cards.bucket(at - 1, deal[:2], deal[2:]) for deal in deals]
        hands = [
            (at, deal[:2], deal[2:], before) for deal, before in zip(deals, befores, strict=True)
        ]
        boards = [(deal[2 : 2 + size], hand_index(*deal[:2])) for deal in deals]
        own = _each(cards.bucket, hands)
        whole = _each(lambda board, hand: cards.board_buckets(board)[hand], boards)
        lines.append((f"{street} bucket of a hand", own, whole, "all hands of the board"))
    return lines


def _matches(console: Console, found: Blueprint) -> None:
    """Hands a second on one core, processor time."""
    spec = f"blueprint:{found.path}"
    table = Table("agents", "hands/s", "of two random players'", title="matches, one core")
    base = 0.0
    for pair in (("random", "random"), (spec, spec), (spec, "random"), (spec, "always-call")):
        run_match(MatchPlan(found.game, pair, 200), workers=1)
        begin = process_time()
        run_match(MatchPlan(found.game, pair, HANDS, seed=1), workers=1)
        rate = HANDS / (process_time() - begin)
        base = base or rate
        names = " - ".join(name.partition(":")[0] for name in pair)
        table.add_row(names, f"{rate:,.0f}", f"{rate / base:.3f}")
    console.print(table)


def _best(work: Callable[[], object], times: int) -> float:
    """Seconds of the fastest of some tries."""
    seconds = []
    for _ in range(times):
        begin = process_time()
        work()
        seconds.append(process_time() - begin)
    return min(seconds)


def _each(work: Callable[..., object], arguments: Sequence[tuple[object, ...]]) -> float:
    """Seconds a call, over all arguments."""
    work(*arguments[0])

    def every() -> None:
        for given in arguments:
            work(*given)

    return _best(every, 3) / len(arguments)


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds > 1e-3 else f"{1e6 * seconds:.2f} µs"


if __name__ == "__main__":
    main()
