"""River endgames by linear programming: processor seconds beside plain HiGHS, in one run.

Run with ``python benchmarks/river_lp.py [--refinements] [--unabstracted]``; with ``--real-cards``
it prints instead what the agent's programs of three rivers can be exploited for on real cards. The
plain program is the textbook's in HiGHS (interior points and crossover, default options); ours
starts from discounted CFR and follows interior points along the public tree. Both gaps are measured
by best responses. The paper's size is Appendix B's: 196 betting sequences a player and T = 10,000.
Set ``OPENBLAS_NUM_THREADS=1``: threads that wait for each other count as processor time.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import trust
from endspiel.agent.exact import Program, solve_exactly, within
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.equity import equities
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board
from endspiel.endgame.river.exact import (
    RiverOptions,
    build_river,
    by_highs,
    finish_river,
    solve_river,
)
from endspiel.endgame.river.game import RiverGame
from endspiel.endgame.river.menus import river_menu
from endspiel.endgame.river.river import River
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.game import Game
from endspiel.ranges.prior import hand_prior
from endspiel.solvers.lp import Equilibrium, Options, solve
from endspiel.solvers.lp.refinements import quasi_perfect, undominated
from lp import _plain

PAPER = RiverOptions(budget=10_000, alpha=0.995)
BOARD = parse_board("Jc 6s 2c Kd Qc")
SHORT = Sizing((None, None, None, StreetMenu.parse("50%, 100%", "100%")))
WHOLE = (  # endgames of whole hands: the shipped menu and a short one, and numbers of hands
    (RiverOptions(budget=None), (50, 100, 200, 300, 350, 400)),
    (RiverOptions(budget=None, menu=SHORT), (100, 300, 500, 700, 800, 1081)),
)
SEEDS = range(1000, 1009)  # not those that anything was tuned on
DECISIONS = 21
LIMIT = 60.0  # processor seconds for an unabstracted endgame


def main() -> None:
    """Print the tables asked for."""
    console = Console()
    if "--real-cards" in sys.argv:
        console.print(_real_cards())
        return
    solve_river(_river(0), replace(PAPER, budget=500))  # compile
    console.print(_paper_size())
    console.print(_decisions())
    if "--refinements" in sys.argv:
        console.print(_refinements())
    if "--unabstracted" in sys.argv:
        console.print(_unabstracted())


def _history(seed: int) -> list[tuple[int, Any]]:
    """Three actions a player, each likelier with hands near some strength: [1326] each."""
    rng = np.random.default_rng(seed)
    strength = np.nan_to_num(equities(np.ones(NUM_HANDS), BOARD))
    history = []
    for action in range(6):
        near = np.exp(-(((strength - rng.uniform()) / rng.uniform(0.2, 0.8)) ** 2))
        history.append((action % 2, 0.02 + 0.98 * near * rng.uniform(0.3, 1, NUM_HANDS)))
    return history


def _river(seed: int) -> River:
    return River.of(BOARD, 2250, 18875, hand_prior(BOARD, _history(seed)).ranges)


def _timed(work: Callable[..., Any], *given: Any) -> tuple[float, Any]:
    start = process_time()
    found = work(*given)
    return process_time() - start, found


def _paper_size() -> Table:
    table = Table(
        "buckets",
        "plain",
        "ours",
        "plain / ours",
        "value apart",
        "plain gap",
        "our gap",
        title="Appendix B's pot, stacks, menu and T; processor seconds",
    )
    ratios = []
    for seed in SEEDS:
        game = build_river(_river(seed), PAPER)
        plain, (_, (value, gap)) = _timed(_plain, game.game)
        ours, found = _timed(solve_river, _river(seed), PAPER)
        ratios.append(plain / ours)
        table.add_row(
            f"{game.buckets[0].count} x {game.buckets[1].count}",
            f"{plain:.2f}",
            f"{ours:.2f}",
            f"{plain / ours:.1f}",
            f"{abs(found.value - value):.1e}",
            f"{gap:.1e}",
            f"{found.exploitability:.1e}",
        )
    table.caption = f"median ratio {median(ratios):.1f}; plain has its game built already"
    return table


def _decisions() -> Table:
    """From the history of actions to the answer for one hand, with the agent's defaults."""
    seconds: dict[str, list[float]] = {"lp": [], "dcfr": []}
    rng = np.random.default_rng(0)
    for seed in range(DECISIONS):
        stack = int(2250 * rng.choice([0.3, 1.0, 2.0, 4.0, 8.4, 15.0, 40.0]))
        for method in seconds:
            options = RiverOptions(method, budget=7500 if method == "lp" else None)
            seconds[method].append(_timed(_decide, seed, stack, options)[0])
    table = Table("method", "median", "largest", title="A decision, prior to answer; seconds")
    for method, times in seconds.items():
        table.add_row(method, f"{median(times):.2f}", f"{max(times):.2f}")
    return table


def _decide(seed: int, stack: int, options: RiverOptions) -> Any:
    ranges = hand_prior(BOARD, _history(seed)).ranges
    found = solve_river(River.of(BOARD, 2250, stack, ranges), options)
    return found.probabilities("", (26, 33))


def _refinements() -> Table:
    table = Table("buckets", "refinement", "seconds", "value", "gap", "warnings")
    ways: dict[str, Callable[[Game], Equilibrium]] = {
        "undominated": undominated,
        "0.01-quasi-perfect": lambda game: quasi_perfect(game, 0.01),
    }
    for seed in SEEDS[1:9:3]:
        river = build_river(_river(seed), PAPER)
        for name, refine in ways.items():
            seconds, found = _timed(refine, river.game)
            table.add_row(
                f"{river.buckets[0].count} x {river.buckets[1].count}",
                name,
                f"{seconds:.1f}",
                f"{found.value:.9f}",
                f"{found.gap:.1e}",
                "; ".join(found.warnings),
            )
    return table


def _unabstracted() -> Table:
    """Every hand by itself, by each way until it takes longer than the limit."""
    table = Table("hands", "sequences", "way", "seconds", "value", "gap", title="Whole hands")
    for options, numbers in WHOLE:
        ways = {
            "ours": lambda game: finish_river(game, RiverOptions(budget=None)),
            "HiGHS, running sums": lambda game: by_highs(game, Options("ipm")),
            "HiGHS, plain": lambda game: solve(game.game, Options("ipm", shortlist=False)),
        }
        for hands in numbers:
            rng = np.random.default_rng(hands)
            ranges = _river(0).ranges * (rng.uniform(size=(2, NUM_HANDS)) < hands / 1081)
            game = build_river(River.of(BOARD, 2250, 4500, ranges), options)
            for way, work in list(ways.items()):
                seconds, found = _timed(work, game)
                table.add_row(*_whole_row(game, way, seconds, found))
                if seconds > LIMIT:
                    del ways[way]
    return table


def _real_cards() -> Table:
    """The agent's programs at several sizes; 400,000 payoffs were its cap once."""
    capped, unlimited = 400_000, sys.maxsize
    programs = {
        f"equal, entries={capped:,}": Program(clustering="equal", entries=capped),
        "equal, as asked": Program(clustering="equal", entries=unlimited),
        "occupied, the default": Program(),
        f"occupied, entries={capped:,}": Program(entries=capped),
        f"kmeans, entries={capped:,}": Program(clustering="kmeans", entries=capped),
        "kmeans, default entries": Program(clustering="kmeans"),
    }
    table = Table("program", *trust.BOARDS, title="Gap on real cards, % of the pot (T, seconds)")
    ranges = parse_range(trust.RANGES[0]), parse_range(trust.RANGES[1])
    state = trust.river()
    menu = river_menu(state.pot, state.game.stacks[0] - state.max_spent)
    for name, program in programs.items():
        cells = []
        for board in trust.BOARDS:
            river = LiveEndgame(state, tuple(parse_board(board)), ranges, menu)
            seconds, found = _timed(solve_exactly, river, Limits(), program)
            _, options = within(river, program)
            cells.append(f"{100 * found.real_gap:.2f} ({options.budget}, {seconds:.1f})")
        table.add_row(name, *cells)
    return table


def _whole_row(game: RiverGame, way: str, seconds: float, found: Any) -> tuple[str, ...]:
    gap = found.gap if isinstance(found, Equilibrium) else found.exploitability
    return (
        f"{game.buckets[0].count} x {game.buckets[1].count}",
        f"{game.street.size[0] - 1} x {game.street.size[1] - 1}",
        way,
        f"{seconds:.1f}",
        f"{found.value:.9f}",
        f"{gap:.1e}",
    )


if __name__ == "__main__":
    main()
