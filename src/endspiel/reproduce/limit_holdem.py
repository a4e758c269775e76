"""Limit hold'em, whole, on small decks: the supplement's CFR+, current strategy against average.

The betting is that of the real game. Exploitability is in milli big blinds a game (mbb/g), the mean
of both players' best-response gains (supplement, equation 13 and Figure S1). Nothing is drawn at
random.
"""

import time
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel import files
from endspiel.engine.backend import exploitability
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, RunTask
from endspiel.engine.run import run as run_solver
from endspiel.engine.schemes import SCHEMES
from endspiel.executor import GivenWorkers
from endspiel.games.holdem import Holdem, limit_holdem
from endspiel.kernels.packing import PackedShape, pack, unpack
from endspiel.processors import processors
from endspiel.solvers.boards.block_files import BlockCheckpoint
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.store import BoardStore
from endspiel.solvers.boards.subgames import fixed_scale
from endspiel.solvers.boards.trunk import Decomposition, TrunkCFR

METHOD: Final = "cfr+"
TARGET: Final = 1.0  # mbb/g, what the paper calls essentially solved
MILLI: Final = 1000.0
BITS: Final = 12  # of fixed-point regrets, see `fixed_scale`
# Figure S1 and its text, mbb/g on 52 cards.
PAPER: Final = {
    "Polaris 2007": 275.9,
    "Polaris 2008": 235.3,
    "Hyperborean 2010": 135.4,
    "CFR+": 0.986,
}
STREETS: Final = ("preflop", "flop", "turn", "river")
SAVE_SECONDS: Final = 600.0  # between two checkpoints, which are as large as the solve


class LimitPoint(NamedTuple):
    """A measurement, mbb/g."""

    iteration: int
    average: float
    current: float


def run(ranks: int = 3, state: Path | None = None, workers: GivenWorkers = None) -> dict[str, Any]:
    """Solve a deck of so many ranks until one of the strategies is below the target."""
    return examine(limit_holdem(ranks), Limits(TARGET / MILLI), state, workers)


def examine(
    game: Holdem, limits: Limits, state: Path | None = None, workers: GivenWorkers = None
) -> dict[str, Any]:
    """Solve a game by CFR+, and tell of its strategies what the article tells of its own.

    Workers, where they are given, walk the turns and rivers; else it is one solve on all cores.
    """
    if workers is None:
        undivided = BoardCFR(game.cards, SCHEMES[METHOD], processors())
        return _examined(game, undivided, limits, _checkpoint(game, state, Checkpoint))
    solver = TrunkCFR(game.cards, SCHEMES[METHOD], Decomposition(workers))
    with closing(solver.backend):
        return _examined(game, solver, limits, _checkpoint(game, state, BlockCheckpoint))


def _examined(
    game: Holdem, solver: BoardCFR | TrunkCFR, limits: Limits, checkpoint: Checkpoint | None
) -> dict[str, Any]:
    points: list[LimitPoint] = []

    def measure() -> float:
        average = MILLI * exploitability(solver.backend)
        with solver.backend.by_current():
            current = MILLI * exploitability(solver.backend)
        points.append(LimitPoint(solver.iteration, average, current))
        return min(average, current) / MILLI

    started = time.process_time()
    trace, stopped = run_solver(solver, measure, limits, checkpoint)
    spent = time.process_time() - started
    whole = isinstance(solver, BoardCFR)
    store = solver.store if isinstance(solver, BoardCFR) else solver.backend.gathered()
    last = (
        points[-1]
        if points
        else LimitPoint(solver.iteration, *2 * (MILLI * solver.exploitability(),))
    )
    return {
        "game": game.name,
        "method": METHOD,
        "infosets": game.cards.num_infosets,
        "iterations": solver.iteration,
        "seconds": trace[-1].seconds,
        "processor_seconds": spent if whole else None,  # of this session, where it is all here
        "threads": processors() if whole else 1,
        "stopped": stopped,
        "exploitability": {"current": last.current, "average": last.average},
        "points": [tuple(point) for point in points],
        "dealer_value": -MILLI * solver.value(),
        "first_in": first_in(game, store),
        "never_taken": never_taken(store),
        "compression": compression(game, store),
        "paper": PAPER,
    }


def _checkpoint(game: Holdem, state: Path | None, kind: type[Checkpoint]) -> Checkpoint | None:
    if state is None:
        return None
    files.make_folder(state)
    task = RunTask(game.name, game.fingerprint, METHOD, SCHEMES[METHOD].parameters())
    name = "limit-holdem.es" if kind is Checkpoint else "limit-holdem.blocks"
    return kind(state / name, task, SAVE_SECONDS)


def first_in(game: Holdem, store: BoardStore) -> dict[str, float]:
    """How often the dealer folds, limps and raises first in, and caps when it can; by the average.

    Every hand is as likely; "cap" is of the hands with which the dealer raised and was raised.
    """
    betting, street = game.betting, game.cards.streets[0]
    behavior = store.behavior(0, 0, 1)  # [S - L, K]
    words, rows = betting.words(0), street.first[1][0] - 1
    shares = dict(zip(words, behavior[rows : rows + len(words)], strict=True))
    raising = next((word for word in words if word not in "fc"), None)
    found = {"fold": float(shares["f"].mean()), "limp": float(shares["c"].mean())}
    found["raise"] = float(shares[raising].mean()) if raising else 0.0
    node = 0
    for _ in range(2):  # the dealer's raise and the big blind's
        node = next((c for c in betting.children(node) if betting.action[c] > 0), -1)
    if raising and node > 0 and node in street.decisions[1] and betting.num_children[node] > 2:
        first = street.first[1][street.decisions[1].index(node)] - 1
        capped = behavior[first + 2] * shares[raising]
        found["cap"] = float(capped.sum() / max(shares[raising].sum(), 1e-12))
    return found


def never_taken(store: BoardStore) -> dict[str, float]:
    """Share of actions by street that current strategies never take, of infosets with regrets."""
    found = {}
    for s, street in enumerate(store.game.streets):
        unused = actions = 0
        for player in (0, 1):
            rows = store.street_rows(store.regret, s, player)
            for own in street.own(player):
                regrets = rows[:, own.rows]
                some = (regrets > 0).any(axis=1, keepdims=True)
                unused += int((some & (regrets <= 0)).sum())
                actions += own.actions * int(some.sum())
        found[STREETS[s]] = unused / max(actions, 1)
    return found


def compression(game: Holdem, store: BoardStore) -> dict[str, Any]:
    """Bits a regret and values a second, packed in fixed point, by street and in all."""
    bits, values, packing, unpacking = [], [], 0.0, 0.0
    for s in range(len(store.game.streets)):
        used = count = 0
        for player in (0, 1):
            side = store.game.cards[s].sides[player]
            regrets = store.street_rows(store.regret, s, player)
            rows = regrets.shape[1]
            shape, flat = PackedShape(side.start, side.hands, rows), np.maximum(regrets, 0).ravel()
            back, scale = np.empty_like(flat), fixed_scale(game.cards.tree, s, BITS)
            started = time.process_time()
            words = pack(flat, shape, scale)
            middle = time.process_time()
            unpack(words, shape, scale, back)
            packing, unpacking = (
                packing + middle - started,
                unpacking + time.process_time() - middle,
            )
            assert np.array_equal(flat, back)
            used, count = used + 32 * len(words), count + int(side.hands.sum()) * rows
        bits.append(used)
        values.append(count)
    return {
        "bits_a_value": {
            name: used / count for name, used, count in zip(STREETS, bits, values, strict=True)
        },
        "ratio": 32 * sum(values) / sum(bits),
        "packed_a_second": sum(values) / max(packing, 1e-9),
        "unpacked_a_second": sum(values) / max(unpacking, 1e-9),
        "fixed_point_bits": BITS,
    }


def _where(result: dict[str, Any]) -> str:
    if result["processor_seconds"] is None:
        return "by workers"
    each = result["processor_seconds"] / max(result["iterations"], 1)
    return f"on {result['threads']} threads ({each:.2f} processor seconds an iteration)"


def report(result: dict[str, Any]) -> str:
    """The figures as Markdown."""
    lines = [
        f"{result['game']}: {result['infosets']:,} infosets, {result['method']}, "
        f"{result['iterations']} iterations, {result['seconds']:.0f} s {_where(result)}, ended by "
        f"{result['stopped']}",
        "",
        "| iterations | current strategy, mbb/g | average, mbb/g |",
        "|---|---|---|",
        *(f"| {t} | {current:.3f} | {average:.3f} |" for t, average, current in result["points"]),
        "",
        f"The dealer wins {result['dealer_value']:.2f} mbb/g. First in, it "
        + ", ".join(f"{what}s {100 * share:.1f}%" for what, share in result["first_in"].items()),
        "Actions never taken by the current strategy: "
        + ", ".join(f"{name} {100 * x:.0f}%" for name, x in result["never_taken"].items()),
    ]
    packed = result["compression"]
    by_street = ", ".join(f"{name} {x:.2f}" for name, x in packed["bits_a_value"].items())
    lines.append(
        f"Packed at {packed['fixed_point_bits']} bits: {by_street} bits a regret, 1 in "
        f"{packed['ratio']:.1f} of 32-bit floats; {packed['packed_a_second'] / 1e6:.0f} million "
        f"values a second packed, {packed['unpacked_a_second'] / 1e6:.0f} unpacked"
    )
    beside = ", ".join(f"{name} {x}" for name, x in result["paper"].items())
    lines.append(f"The paper, on 52 cards, mbb/g: {beside}")
    return "\n".join(lines)
