"""Time and memory of a board solve against nodes and hands, and how far it is from the roofline.

An iteration must read the other player's regrets and read and write the own regrets and averages:
20 bytes a kept float and iteration (4 + 8 + 8, each player once in each role). The roofline is that
traffic at the bandwidth of a plain copy, measured in the same run, over arrays of the same size.
"""

import time

import numpy as np

from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.solvers.boards.cfr import BoardCFR
from spots import load

BYTES_A_FLOAT = 20
SPOTS = ("river_b.toml", "river_a.toml", "turn.toml", "flop.toml", "libratus/subgame3.txt")


def copy_bandwidth(floats: int) -> float:
    """Bytes a second of copying arrays of this many floats, read and write counted."""
    source = np.ones(max(floats, 1 << 10), dtype=np.float32)
    target = np.empty_like(source)
    repeats = max(3, (1 << 26) // len(source))
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            np.copyto(target, source)
        best = min(best, (time.perf_counter() - start) / repeats)
    return 2 * source.nbytes / best


def seconds_a_step(solver: BoardCFR) -> float:
    solver.advance(1)
    best, spent = np.inf, 0.0
    while spent < 2.0:
        start = time.perf_counter()
        solver.advance(1)
        once = time.perf_counter() - start
        best, spent = min(best, once), spent + once
    return best


def main() -> None:
    print(
        f"{'spot':22} {'decisions':>9} {'hands':>11} {'kept MB':>8} {'ms':>9} "
        f"{'ns a float':>10} {'GB/s':>6} {'copy GB/s':>9} {'of roofline':>11}"
    )
    for name in SPOTS:
        game = load(name)
        step = seconds_a_step(BoardCFR(game, SPOT_SCHEMES["dcfr"]))
        floats = game.store_size
        copy = copy_bandwidth(floats)
        moved = BYTES_A_FLOAT * floats / step
        hands = " x ".join(str(len(h)) for h in game.tree.streets[0][0].hands)
        print(
            f"{name:22} {game.num_nodes:9d} {hands:>11} {8 * floats / 1e6:8.1f} "
            f"{1e3 * step:9.3f} {1e9 * step / floats:10.2f} {moved / 1e9:6.1f} "
            f"{copy / 1e9:9.1f} {100 * moved / copy:10.0f}%",
            flush=True,
        )


if __name__ == "__main__":
    main()
