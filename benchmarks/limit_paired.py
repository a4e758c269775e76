"""What a limit strategy loses, told from one whose exact loss is known, on the same flops.

    python benchmarks/limit_paired.py KNOWN 331.7 STRATEGY --boards 12 --seed 7

The draw is that of `endspiel exploit --boards 12 --seed 7`, and finished flops are kept beside each
file (FILE.SEED.state), as its --resume does. Two kinds of luck are taken out. What hands earn on a
flop mostly follows from their equity there, whose mean over all flops is known: what preflop
choices would fit of that is taken off. What is left of the flops' luck both strategies share:
STRATEGY's loss is read where a line through the flops' points meets the exact loss of KNOWN.

    python benchmarks/limit_paired.py FILE 123.4 FILE --boards 40 --seed 7 --resolve-turns 4

tells the same of a strategy whose turns and rivers are solved again: what was found by `endspiel
exploit FILE --resolve-turns 4 --boards 40 --seed 7 --resume FILE.7.resolved.state` is read, twice:
what responders win of turns that they did not choose by (`fresh`, too little), and of those that
they did (`fitted`, too much). --device says where the turns were solved, --doubt with which doubt.

    python benchmarks/limit_paired.py FILE 123.4 FILE --boards 12 --seed 7 --book FOLDER

tells it of a strategy whose flops are solved to the end by `endspiel book FILE --boards 12 --seed 7
--turns --out FOLDER`; with --resolve-turns beside it, turn and river are solved again after them.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from endspiel.arena.estimators.booked_exploit import booked_line_values
from endspiel.arena.estimators.real_exploit import PreflopResponse, draw_flops
from endspiel.arena.estimators.real_lanes import response_to
from endspiel.arena.estimators.real_sampling import ExploitSetting, line_values
from endspiel.arena.estimators.resolved_exploit import (
    TURN_LIMITS,
    ResolvedSetting,
    resolved_line_values,
)
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.live import live_mask
from endspiel.cards.streets import NUM_FLOPS
from endspiel.engine.limits import Limits
from endspiel.progress import Progress
from endspiel.solving.devices import CPU


def equity_variates(strategy: Blueprint) -> list[np.ndarray]:
    """Functions of the classes' equities on every flop [F, 169], less their means over flops."""
    flops, weights = canonical_flops()
    live = live_mask(flops).astype(np.float64)
    level = strategy.abstraction.flop
    buckets = np.minimum(level.buckets.reshape(-1, NUM_HANDS), level.size - 1)
    lead = (2 * level.value[buckets] - 1) * live
    found = []
    for kind in (live, lead, lead * np.abs(lead), lead**2, lead**3 * np.abs(lead)):
        by_class = np.array([np.bincount(hand_classes(), row, NUM_CLASSES) for row in kind])
        by_class /= np.bincount(hand_classes())
        found.append(by_class - weights @ by_class / NUM_FLOPS)
    return found


def without_luck(table: np.ndarray, variates: list[np.ndarray]) -> np.ndarray:
    """Values [n, X, 169] less what their own flops' equities [n, 169] explain, line by line."""
    spread = np.stack([(v - v.mean(axis=0)).ravel() for v in variates], axis=1)
    left = table.copy()
    for line in range(table.shape[1]):
        values = table[:, line] - table[:, line].mean(axis=0)
        slopes = np.linalg.lstsq(spread, values.ravel(), rcond=None)[0]
        left[:, line] -= np.tensordot(slopes, np.stack(variates), axes=1)
    return left


def flop_tables(strategy: Blueprint, boards: int, seed: int) -> list[np.ndarray]:
    """What lines are worth to each player on the flops drawn: [n, X, 169]."""
    responses = [response_to(strategy, player) for player in (0, 1)]
    state = Path(f"{strategy.path}.{seed}.state")
    return line_values(strategy, responses, ExploitSetting(boards, seed, state=state))


def resolved_tables(strategy: Blueprint, asked: ResolvedSetting) -> dict[str, list[np.ndarray]]:
    """The same with turns solved again, fitted and fresh: read, as solving them takes hours."""
    state = Path(f"{strategy.path}.{asked.seed}.resolved.state")

    def refuse(progress: Progress) -> None:
        if (done := progress.finished) < asked.boards:
            raise SystemExit(
                f"{state} has {done} of {asked.boards} flops: endspiel exploit {strategy.path} "
                f"--resolve-turns {asked.turns} --boards {asked.boards} --seed {asked.seed} "
                f"--iterations {asked.limits.iterations} --target {asked.limits.target_units} "
                f"--device {asked.device} --doubt {asked.doubt} "
                + (f"--book {asked.book} " if asked.book else "")
                + f"--resume {state} finds them"
            )

    if not state.is_file():
        refuse(Progress("flops", 0, asked.boards))
    lines = [len(response_to(strategy, player).exits[0]) for player in (0, 1)]
    found = resolved_line_values(strategy, replace(asked, state=state), lines, refuse)
    return dict(zip(("fitted", "fresh"), found, strict=True))


def flop_losses(
    strategy: Blueprint, tables: list[np.ndarray], seed: int, equities: list[np.ndarray]
) -> np.ndarray:
    """What a strategy loses on each flop drawn [n], in mbb a hand."""
    drawn, _ = draw_flops(len(tables[0]), seed)
    responses = [response_to(strategy, player) for player in (0, 1)]
    lost = np.zeros(len(drawn))
    for table, response in zip(tables, map(PreflopResponse, responses), strict=True):
        left = without_luck(table, [variate[drawn] for variate in equities])
        chosen = response.best(left.mean(axis=0))
        lost += [response.value(row, chosen) / 2 for row in left]
    return lost * 1000 / strategy.game.big_blind


def figures(known: np.ndarray, exact: float, own: np.ndarray) -> dict[str, float]:
    """The strategy's loss, read at the exact loss of the known one."""
    boards = len(own)
    slope = np.cov(known, own)[0, 1] / known.var(ddof=1)
    read = own - slope * (known - exact)
    root = np.sqrt(boards)
    return {
        "known": known.mean(),
        "strategy": own.mean(),
        "correlation": np.corrcoef(known, own)[0, 1],
        "mbb": read.mean(),
        "error": float(np.sqrt(((read - read.mean()) ** 2).sum() / (boards - 2))) / root,
        "less": (known - own).mean(),
        "less_error": (known - own).std(ddof=1) / root,
    }


def main() -> None:
    """Print one line, or two with turns solved again."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("known")
    parser.add_argument("exact", type=float)
    parser.add_argument("strategy")
    parser.add_argument("--boards", type=int, default=12)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--resolve-turns", type=int)
    parser.add_argument("--device", default=CPU)
    parser.add_argument("--doubt", type=float, default=0.0)
    parser.add_argument("--iterations", type=int, default=TURN_LIMITS.iterations)
    parser.add_argument("--target", type=float, default=TURN_LIMITS.target_units)
    parser.add_argument("--book", type=Path)
    given = parser.parse_args()
    before, strategy = load_blueprint(given.known), load_blueprint(given.strategy)
    if given.resolve_turns is not None:
        asked = ResolvedSetting(
            given.boards,
            given.resolve_turns,
            given.seed,
            Limits(given.target, given.iterations),
            device=given.device,
            doubt=given.doubt,
            book=given.book,
        )
        told = resolved_tables(strategy, asked)
    elif given.book is not None:
        told = {"": booked_line_values(strategy, given.book, given.boards, given.seed)}
    else:
        told = {"": flop_tables(strategy, given.boards, given.seed)}
    equities = equity_variates(strategy)
    known = flop_losses(before, flop_tables(before, given.boards, given.seed), given.seed, equities)
    for name, tables in told.items():
        own = flop_losses(strategy, tables, given.seed, equities)
        found = figures(known, given.exact, own)
        about = {"turns": name} if name else {}
        print(json.dumps(about | {name: round(float(x), 3) for name, x in found.items()}))


if __name__ == "__main__":
    main()
