"""Endgames on real cards: seconds to each target, beside the fastest open solver's figures.

The peer's figures (b-inary's postflop-solver, Rust, one thread, a two-core AVX-512 machine, best of
three) are quoted; what is measured in the same run is a plain Numba kernel that walks the sorted
hands once a terminal, as ordinary solvers do, beside ours on the same board.
"""

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.games.spot import load_spot
from endspiel.kernels.arrays import Float32s
from endspiel.kernels.board_arrays import Seated, Tables
from endspiel.kernels.board_walk import evaluate
from endspiel.solvers.boards.cfr import BoardCFR

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "spots"
ROUNDS = 3  # the best of so many counts


class Peer(NamedTuple):
    """A spot and what the peer needs there: percent of the pot, seconds, megabytes."""

    spot: str
    nodes: int
    seconds: dict[float, float]
    megabytes: float | None = None


PEERS = [
    Peer("river_a.toml", 188, {0.3: 0.71, 0.1: 1.60, 0.03: 4.17}),
    Peer("river_b.toml", 32, {0.3: 0.025, 0.1: 0.048, 0.03: 0.105}),
    Peer("turn.toml", 3280, {0.5: 2.7, 0.1: 5.4}, 30),
    Peer("flop.toml", 92472, {0.5: 66}, 778),
]


def load(name: str) -> CardGame:
    spot = load_spot(FOLDER / name)
    weights = spot.weights
    return CardGame(spot.tree(), card_tree(spot.board, (weights[0], weights[1])))


def seconds_to_targets(
    game: CardGame, targets: list[float], threads: int
) -> tuple[dict[float, tuple[float, int]], float]:
    """Seconds (measuring included) and iterations to each target in percent; seconds a step."""
    solver = BoardCFR(game, SPOT_SCHEMES["dcfr"], threads)
    found: dict[float, tuple[float, int]] = {}
    start, stepping = time.perf_counter(), 0.0
    while len(found) < len(targets):
        before = time.perf_counter()
        solver.advance(10)
        stepping += time.perf_counter() - before
        percent = 100 * solver.exploitability()
        for target in targets:
            if percent <= target and target not in found:
                found[target] = time.perf_counter() - start, solver.iteration
    return found, stepping / solver.iteration


def run_spots(names: list[str], threads: int) -> None:
    print(f"\n{threads} thread(s); seconds to percent of the pot, ratio to the peer's one thread")
    for peer in PEERS:
        if names and peer.spot not in names:
            continue
        game = load(peer.spot)
        assert game.num_nodes == peer.nodes, (game.num_nodes, peer.nodes)
        targets = list(peer.seconds)
        rounds = 1 if peer.nodes > 10_000 else ROUNDS
        BoardCFR(game, SPOT_SCHEMES["dcfr"], threads).advance(1)  # compile, and touch the memory
        runs = [seconds_to_targets(game, targets, threads) for _ in range(rounds)]
        step = min(run[1] for run in runs)
        mega = game.memory(threads) / 1e6
        beside = f" (peer {peer.megabytes:.0f})" if peer.megabytes else ""
        print(f"{peer.spot}: {1e3 * step:.3f} ms an iteration, {mega:.1f} MB{beside}")
        for target in targets:
            seconds, iterations = min(run[0][target] for run in runs)
            ratio = peer.seconds[target] / seconds
            print(
                f"  {target:5}%  {seconds:8.4f} s  {iterations:5d} iterations"
                f"  peer {peer.seconds[target]:7.3f} s  {ratio:5.1f}x"
            )


def run_threads() -> None:
    """One thread and two in turn, so that both meet the same machine; the first round warms up."""
    print("\nmilliseconds an iteration, one thread and two in turn")
    for name, steps in (("turn.toml", 100), ("flop.toml", 5)):
        game = load(name)
        solvers = [BoardCFR(game, SPOT_SCHEMES["dcfr"], threads) for threads in (1, 2)]
        times: list[list[float]] = [[], []]
        for _ in range(2 * ROUNDS):
            for solver, found in zip(solvers, times, strict=True):
                start = time.perf_counter()
                solver.advance(steps)
                found.append(1e3 * (time.perf_counter() - start) / steps)
        one, two = (sorted(found[1:]) for found in times)
        ratios = one[0] / two[0], one[len(one) // 2] / two[len(two) // 2]
        print(
            f"{name}: {one[0]:.2f} and {two[0]:.2f} at best, {ratios[0]:.2f}x; "
            f"in the middle {ratios[1]:.2f}x"
        )


@njit(cache=True)
def plain_showdown(own, low, high, ends, reach, value):  # type: ignore[no-untyped-def]
    """One terminal in the ordinary way: a walk over the sorted hands, sums by card, in float64."""
    mass = np.zeros(53)
    seen, i, j = 0.0, 0, 0
    for end in ends:
        for k in range(i, end):
            value[k] = seen - mass[low[own + k]] - mass[high[own + k]]
        for k in range(j, end):
            seen += reach[k]
            mass[low[own + k]] += reach[k]
            mass[high[own + k]] += reach[k]
        for k in range(i, end):
            value[k] += seen - mass[low[own + k]] - mass[high[own + k]]
        i = j = end
    for k in range(i):
        value[k] -= seen - mass[low[own + k]] - mass[high[own + k]]


@njit(cache=True)
def many_plain(count, own, low, high, ends, reach, value):  # type: ignore[no-untyped-def]
    for _ in range(count):
        plain_showdown(own, low, high, ends, reach, value)


def many_boards(count: int, tables: Tables, work: Float32s) -> None:
    for _ in range(count):
        evaluate(tables, Seated(0, 0, 0), work)


def run_kernels() -> None:
    """All terminals of river_a's board: ours, and one walk a terminal, in the same run."""
    game = load("river_a.toml")
    tables, ends = game.tables, game.cards[0].sides[0].ends
    reach, value = np.random.default_rng(0).random((2, len(game.tree.streets[0][0].hands[0])))
    work = np.random.default_rng(1).random(game.work_size, dtype=np.float32)
    terminals = len(game.streets[0].terminals)
    shows = sum(terminal.folder < 0 for terminal in game.streets[0].terminals)
    best = {"ours": np.inf, "plain": np.inf}
    many_plain(1, 0, tables.low, tables.high, ends, reach, value)
    many_boards(1, tables, work)
    for _ in range(ROUNDS):
        start = time.perf_counter()
        many_boards(20, tables, work)
        middle = time.perf_counter()
        many_plain(20 * shows, 0, tables.low, tables.high, ends, reach, value)
        best["ours"] = min(best["ours"], (middle - start) / 20)
        best["plain"] = min(best["plain"], (time.perf_counter() - middle) / 20)
    print(
        f"river_a's board: {shows} showdowns and {terminals - shows} folds in "
        f"{1e6 * best['ours']:.0f} us; its showdowns alone, one walk each, "
        f"{1e6 * best['plain']:.0f} us: {best['plain'] / best['ours']:.1f}x"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", help="river_a.toml and so on; all by default")
    chosen, _ = parser.parse_known_args()
    names = [name for name in chosen.spots if name.endswith(".toml")]
    run_kernels()
    run_spots(names, 1)
    run_spots([n for n in names if not n.startswith("river")] or ["turn.toml", "flop.toml"], 2)
    run_threads()


if __name__ == "__main__":
    main()
