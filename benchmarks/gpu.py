"""Batches on a GPU: rivers, turns and a flop, in solves and entries a second.

An entry is one hand, board and action: 20 bytes of traffic an iteration. Setting up (cards, tables,
compiling) is told apart.
"""

import argparse
import json
import time
from collections.abc import Sequence
from math import comb
from pathlib import Path
from typing import Any

import numpy as np

from endspiel.betting import Sizing, StreetMenu, no_limit_tree
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.games.spot import load_spot
from endspiel.gpu.backend import StreamBatch
from endspiel.gpu.cuda.device import CudaDevice, cuda_device
from endspiel.gpu.cuda.machine import CudaMachine

FOLDER = Path(__file__).parents[1] / "tests" / "data" / "spots"
DCFR = SPOT_SCHEMES["dcfr"]
WARM = 8  # iterations before the clock starts


def on_other_boards(name: str, count: int, different: int, seed: int = 1) -> list[CardGame]:
    """A spot's betting on random boards; ranges of random weights where they are all hands."""
    spot, rng = load_spot(FOLDER / name), np.random.default_rng(seed)
    betting, live = spot.tree(), NUM_CARDS - len(spot.board)
    games = []
    for _ in range(different):
        board = rng.choice(NUM_CARDS, len(spot.board), replace=False).tolist()
        ranges = spot.weights
        if all(np.count_nonzero(weights) == comb(live, 2) for weights in ranges):
            ranges = rng.random((2, NUM_HANDS)) ** 2 + 1e-3
        games.append(CardGame(betting, card_tree(board, (ranges[0], ranges[1]), symmetry=False)))
    return [games[i % different] for i in range(count)]


def wide_turns(count: int, different: int, seed: int = 3) -> list[CardGame]:
    """Turns of all hands: two bet sizes and a raise all-in on both streets, 6.8 million entries."""
    rng = np.random.default_rng(seed)
    sizing = Sizing.same(StreetMenu.parse("50%, 100%", "a"), max_raises=2)
    betting, games = no_limit_tree(200, 900, 2, sizing), []
    for _ in range(different):
        board = rng.choice(NUM_CARDS, 4, replace=False).tolist()
        first, second = (rng.random(NUM_HANDS) ** 2 + 1e-3 for _ in range(2))
        games.append(CardGame(betting, card_tree(board, (first, second), symmetry=False)))
    return [games[i % different] for i in range(count)]


def wide_flops(count: int, seed: int = 5) -> list[CardGame]:
    """Flops of all hands with the betting of flop.toml, 2,352 rivers each."""
    rng, betting = np.random.default_rng(seed), load_spot(FOLDER / "flop.toml").tree()
    games = []
    for _ in range(count):
        board = rng.choice(NUM_CARDS, 3, replace=False).tolist()
        first, second = (rng.random(NUM_HANDS) ** 2 + 1e-3 for _ in range(2))
        games.append(CardGame(betting, card_tree(board, (first, second), symmetry=False)))
    return games


def entries(game: CardGame) -> int:
    """Hands, boards and actions of a game."""
    return sum(
        len(board.hands[player]) * (street.size[player] - len(street.starts))
        for boards, street in zip(game.tree.streets, game.streets, strict=True)
        for board in boards
        for player in (0, 1)
    )


def timed(device: CudaDevice, batch: StreamBatch, first: int, count: int) -> float:
    """Seconds of so many iterations."""
    schedule = [DCFR.at(t) for t in range(first, first + count)]
    device.synchronize()
    start = time.perf_counter()
    batch.iterate(schedule)
    device.synchronize()
    return time.perf_counter() - start


def measure(name: str, games: Sequence[CardGame], iterations: int) -> dict[str, Any]:
    """How fast a batch goes."""
    device = cuda_device()
    start = time.perf_counter()
    batch = StreamBatch(games, lambda part: CudaMachine(part, device))
    timed(device, batch, 1, WARM)
    ready = time.perf_counter() - start
    seconds = timed(device, batch, WARM + 1, iterations)
    gap = batch.exploitability()
    size = sum(entries(game) for game in games)
    for machine in batch.machines:
        machine.close()
    found = {
        "name": name,
        "games": len(games),
        "entries": size,
        "iterations": iterations,
        "seconds": round(seconds, 4),
        "us_per_game_iteration": round(1e6 * seconds / iterations / len(games), 3),
        "games_per_second": round(len(games) / seconds, 1),
        "entries_per_second": round(size * iterations / seconds / 1e9, 1),
        "exploitability": [float(f"{gap.min():.3g}"), float(f"{gap.max():.3g}")],
        "setting_up": round(ready, 1),
    }
    print(
        f"{name}: {len(games)} games x {iterations} iterations in {seconds:.3f} s: "
        f"{found['games_per_second']}/s, {found['us_per_game_iteration']} us a game and iteration, "
        f"{found['entries_per_second']}e9 entries/s; exploitability {gap.min():.2%} to "
        f"{gap.max():.2%} of the pot; setting up {ready:.1f} s",
        flush=True,
    )
    return found


def time_to(name: str, percent: float) -> dict[str, Any]:
    """Seconds until one spot is solved to so many percent of the pot, measuring included."""
    device, spot = cuda_device(), load_spot(FOLDER / name)
    weights = spot.weights
    game = CardGame(spot.tree(), card_tree(spot.board, (weights[0], weights[1])))
    start = time.perf_counter()
    batch = StreamBatch([game], lambda part: CudaMachine(part, device))
    device.synchronize()
    ready = time.perf_counter() - start
    start, done, gap = time.perf_counter(), 0, 1.0
    while 100 * gap > percent:
        batch.iterate([DCFR.at(t) for t in range(done + 1, done + 11)])
        done, gap = done + 10, float(batch.exploitability()[0])
    seconds = time.perf_counter() - start
    print(
        f"{name} to {percent}%: {seconds:.3f} s, {done} iterations, {100 * gap:.3f}%; setting up "
        f"{ready:.1f} s; {entries(game) * done / seconds / 1e9:.1f}e9 entries/s",
        flush=True,
    )
    for machine in batch.machines:
        machine.close()
    return {"name": name, "percent": percent, "seconds": seconds, "iterations": done}


def main() -> None:
    """Print every figure; ``--json`` writes them down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivers", type=int, default=1056)
    parser.add_argument("--turns", type=int, default=132)
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--only", choices=["rivers", "turns", "spots"])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    print(f"{cuda_device().name}, {cuda_device().arch}", flush=True)
    found = []
    if given.only in (None, "rivers"):
        games = on_other_boards("river_a.toml", given.rivers, 66)
        found.append(measure("rivers", games, given.iterations))
        found.append(measure("one river", games[:1], given.iterations))
    if given.only in (None, "turns"):
        games = on_other_boards("turn.toml", given.turns, 4)
        found.append(measure("turns of turn.toml", games, 150))
        found.append(measure("turns of all hands", wide_turns(given.turns, 3), 150))
    if given.only in (None, "spots"):
        found += [time_to("turn.toml", 0.5), time_to("flop.toml", 0.5)]
        found.append(measure("flops of flop.toml", on_other_boards("flop.toml", 8, 4), 40))
        found.append(measure("one flop of all hands", wide_flops(1), 40))
        found.append(measure("flops of all hands", wide_flops(8), 40))
    if given.json:
        given.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
