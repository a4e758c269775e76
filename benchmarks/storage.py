"""Regrets and averages of 16 bits beside 32: iterations to targets, time in turn, and memory.

    python benchmarks/storage.py [river_a.toml turn.toml ...] [--threads 1] [--rounds 6]

Both solve the same spot in one run, some iterations in turn, so that they meet the same machine;
processor time is compared, round by round. Iterations are counted by fives.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.board_memory import stored_bytes
from endspiel.games.card_game import CardGame
from endspiel.games.spot import load_spot
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solving.spots import card_game

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "spots"
STEPS = {"river_b.toml": 2000, "river_a.toml": 150, "turn.toml": 20, "flop.toml": 2}  # of a round
TARGETS = 0.5, 0.1  # percent of the pot
BY = 5  # iterations between measurements
BITS = 32, 16


def iterations_to(game: CardGame, threads: int, bits: int) -> list[int]:
    """Iterations to each target."""
    solver = BoardCFR(game, SPOT_SCHEMES["dcfr"], threads, bits)
    found: list[int] = []
    for target in TARGETS:
        while 100 * solver.exploitability() > target:
            solver.advance(BY)
        found.append(solver.iteration)
    return found


def milliseconds(game: CardGame, threads: int, steps: int, rounds: int) -> dict[int, list[float]]:
    """Processor time of an iteration, round by round, after some that warm up."""
    solvers = {bits: BoardCFR(game, SPOT_SCHEMES["dcfr"], threads, bits) for bits in BITS}
    for solver in solvers.values():
        solver.advance(20)
    found: dict[int, list[float]] = {bits: [] for bits in BITS}
    for _ in range(rounds):
        for bits, solver in solvers.items():
            start = time.process_time()
            solver.advance(steps)
            found[bits].append(1e3 * (time.process_time() - start) / steps)
    return found


def main() -> None:
    """One line a spot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spots", nargs="*", default=list(STEPS), help=f"some of {', '.join(STEPS)}")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=6)
    given, _ = parser.parse_known_args()
    for name in given.spots:
        game = card_game(load_spot(FOLDER / name))
        spent = milliseconds(game, given.threads, STEPS.get(name, 2), given.rounds)
        ratio = float(np.median(np.array(spent[32]) / np.array(spent[16])))
        entries = {bits: 2 * stored_bytes(game, bits) / game.store_size for bits in BITS}
        memory = " and ".join(f"{game.memory(given.threads, 2, bits) / 1e6:.1f}" for bits in BITS)
        print(
            f"{name}: {min(spent[32]):.3f} ms an iteration in 32 bits, {min(spent[16]):.3f} in 16, "
            f"{ratio:.2f} times as fast; {entries[32]:.2f} and {entries[16]:.2f} bytes an entry, "
            f"{memory} MB",
            flush=True,
        )
        needed = {bits: iterations_to(game, given.threads, bits) for bits in BITS}
        for target, *counts in zip(TARGETS, *needed.values(), strict=True):
            print(f"  {target}%: {counts[0]} iterations in 32 bits, {counts[1]} in 16", flush=True)


if __name__ == "__main__":
    main()
