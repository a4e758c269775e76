"""Choose the flops that stand for all: the sets that `endspiel report --flops 25|49|95|184` takes.

``python tools/flop_subsets.py choose`` writes ``src/endspiel/batch/data/flop_subsets.toml``, the
same bytes for the same seed; ``errors REPORT.json ...`` tells how far each set's weighted means are
from those of all 1,755 flops, for reports over all of them and for equities of other ranges.

A flop is described by how four pairs of ranges meet on it (mean equity, its spread, shares of
strong and of weak hands, for both sides) and by its ranks and suits. Flops that are alike in this
should play alike, so a set is good if no function that changes slowly with the description, and no
linear one, has another mean over the set than over all flops: kernel quadrature. The set and its
weights minimize that worst error: greedily, then by swaps until none helps, weights by nonnegative
least squares. Nothing that `errors` measures takes part in the choice.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from endspiel.batch.boards import SUBSETS, WeightedBoard, flop_subset
from endspiel.cards.equity import equities
from endspiel.cards.isomorphism import canonical_flops
from endspiel.cards.ranges import parse_range
from endspiel.executor import Executor, WorkerJob

OUT = Path(__file__).parents[1] / "src" / "endspiel" / "batch" / "data" / "flop_subsets.toml"
NUM_FLOPS = 22_100
# Out of position first; what the choice looks at.
PAIRS = (
    (  # a raise called from the big blind
        "TT-22,AJs-A2s,K2s+,Q4s+,J6s+,T6s+,95s+,85s+,74s+,63s+,53s+,43s,AJo-A7o,A5o,K9o+,Q9o+,J9o+,"
        "T9o,98o",
        "22+,A2s+,K2s+,Q3s+,J5s+,T6s+,96s+,85s+,75s+,64s+,54s,A4o+,K8o+,Q9o+,J9o+,T8o+,98o",
    ),
    (  # a reraise from out of position, called
        "88+,ATs+,A5s-A2s,KTs+,QTs+,JTs,T9s,98s,AJo+,KQo",
        "QQ-22,AQs-A7s,KTs+,Q9s+,J9s+,T8s+,97s+,87s,76s,65s,AQo-ATo,KJo+",
    ),
    (  # a reraise from in position, called
        "JJ-66,AQs-A9s,KTs+,QTs+,J9s+,T9s,98s,87s,AQo-AJo,KQo",
        "TT+,AJs+,A5s-A3s,KJs+,QJs,76s,65s,AQo+",
    ),
    (  # nobody raised: both hold nearly anything
        "22-77,A2s-A9s,K2s-K9s,Q2s+,J4s+,T6s+,95s+,85s+,74s+,64s+,53s+,A2o-A8o,K4o+,Q7o+,J7o+,T7o+,"
        "97o+,87o,76o",
        "22+,A2s+,K2s+,Q2s+,J2s+,T3s+,94s+,84s+,74s+,63s+,53s+,42s+,32s,A2o+,K2o+,Q4o+,J6o+,T6o+,"
        "96o+,86o+,75o+,65o,54o",
    ),
)
# Other ranges, which it does not: what `errors` measures on.
OTHERS = (
    ("99-22,AJs-A2s,KJs-K9s,Q9s+,J9s+,T8s+,97s+,86s+,AJo-A9o,KQo", "77+,ATs+,KTs+,QJs,AJo+,KQo"),
    ("QQ+,AKs,AKo,A5s,A4s", "TT-22,AQs,AJs,KQs,QJs,JTs,T9s,98s,87s"),
    ("A2s+,A2o+", "22+,KQs,QJs,JTs,T9s,98s,KQo,QJo,JTo"),
)
STRONG, WEAK = 0.75, 0.35  # equities that count as strong and weak
LINEAR = 10.0  # how much more linear functions of the description count than curved ones
RANK = 450  # dimensions of the kernel's space that are worked with, the largest ones
PASSES = 6  # rounds of swaps at most
TRIED = 3  # flops that may take the place of one

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    choose = commands.add_parser("choose", help="choose the sets and write them")
    choose.add_argument("--seed", type=int, default=1)
    choose.add_argument("--out", type=Path, default=OUT)
    errors = commands.add_parser("errors", help="measure them on reports over all flops")
    errors.add_argument("reports", type=Path, nargs="*")
    errors.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.command == "choose":
        write(given.out, choose_sets(given.seed), given.seed)
    else:
        tell(measure(given.reports), given.json)


def choose_sets(seed: int) -> dict[int, dict[int, int]]:
    """Weights of the chosen flops, by number, for each size of set."""
    flops, counts = canonical_flops()
    about = [equity_features(pair) for pair in PAIRS]
    root = kernel_root(np.column_stack([*about, card_features(flops.astype(np.int64))]), counts)
    return {size: Choice(root, counts / NUM_FLOPS, seed).best(size) for size in SUBSETS}


def equity_features(pair: tuple[str, str]) -> Floats:
    """How two ranges meet on each flop: [1755, 8]."""
    flops, _ = canonical_flops()
    job = WorkerJob(_Meeting, pair, reads_script=True)
    with Executor() as executor:
        return np.array(list(executor.results(job, flops.tolist())))


class _Meeting:
    """A worker that lets two ranges meet on flops."""

    def __init__(self, pair: tuple[str, str]) -> None:
        self.ranges = [parse_range(text) for text in pair]

    def work(self, flop: list[int]) -> list[float]:
        """See `_meeting`."""
        return _meeting(self.ranges, flop)

    def close(self) -> None:
        """Nothing is held."""


def _meeting(ranges: list[Floats], flop: list[int]) -> list[float]:
    """Mean, spread, strong share and weak share of both sides' equities on a flop."""
    told: list[float] = []
    for own, other in ((0, 1), (1, 0)):
        equity = equities(ranges[other], flop)
        held = ~np.isnan(equity) & (ranges[own] > 0)
        weight, equity = ranges[own][held] / ranges[own][held].sum(), equity[held]
        mean = float(weight @ equity)
        spread = float(np.sqrt(weight @ (equity - mean) ** 2))
        told += [mean, spread, weight @ (equity >= STRONG), weight @ (equity <= WEAK)]
    return told


def card_features(flops: Ints) -> Floats:
    """Ranks and suits of flops [F, 3]: highest card, pairs, suits, how near the ranks are."""
    ranks, suits = np.sort(flops // 4, axis=1), np.sort(flops % 4, axis=1)
    highest = ranks[:, 2:] == np.arange(13)
    kinds = 1 + (np.diff(ranks, axis=1) > 0).sum(axis=1)
    colors = 1 + (np.diff(suits, axis=1) > 0).sum(axis=1)
    kind = kinds[:, None] == np.arange(1, 4)
    color = colors[:, None] == np.arange(1, 4)
    straights = [_straights(set(row.tolist())) for row in ranks]
    return np.column_stack([highest, kind, color, ranks[:, :2], straights]).astype(np.float64)


def _straights(ranks: set[int]) -> int:
    """How many straights two more cards can make with three of the ranks."""
    runs = [{(low + step) % 13 for step in range(5)} for low in (12, *range(9))]
    return sum(len(run & ranks) == 3 for run in runs)


def kernel_root(features: Floats, counts: Ints) -> Floats:
    """Rows [1755, D] whose products are the kernel of the flops with these features [1755, n]."""
    share = counts / counts.sum()
    mean = share @ features
    scaled = (features - mean) / np.sqrt(share @ (features - mean) ** 2)
    scaled /= np.sqrt(scaled.shape[1])
    products = scaled @ scaled.T
    square = np.diag(products)
    apart = square[:, None] + square - 2 * products
    kernel = LINEAR * (1 + products) + np.exp(-apart / np.median(apart))
    values, vectors = np.linalg.eigh(kernel)  # ascending
    root: Floats = vectors[:, -RANK:] * np.sqrt(values[-RANK:])
    return root


class Choice:
    """A search for few flops with weights whose mean in the kernel's space is that of all."""

    def __init__(self, root: Floats, share: Floats, seed: int) -> None:
        self.root, self.goal = root, share @ root  # [1755, D], [D]
        self.kernel, self.toward = root @ root.T, root @ self.goal  # [1755, 1755], [1755]
        self.rng = np.random.default_rng(seed)

    def best(self, size: int) -> dict[int, int]:
        """Weights, whole numbers that add up to all flops, of the flops chosen."""
        chosen: list[int] = []
        while len(chosen) < size:
            chosen.append(self._next(chosen))
        chosen = self._swapped(chosen)
        weights, _ = self._fit(chosen)
        return dict(zip(chosen, _whole(weights), strict=True))

    def _fit(self, chosen: list[int]) -> tuple[Floats, float]:
        """The best weights of some flops, none negative, and the square of the error they leave."""
        inner, outer = self.kernel[np.ix_(chosen, chosen)], self.toward[chosen]
        weights: Floats = np.asarray(np.linalg.solve(inner, outer), dtype=np.float64)
        if (weights < 0).any():  # the best of all are none that may be
            weights = nnls(self.root[chosen].T, self.goal)[0]
        square = self.goal @ self.goal - 2 * weights @ outer + weights @ inner @ weights
        return weights, float(square)

    def _candidates(self, chosen: list[int]) -> Ints:
        """The other flops, those first that promise to take the most of the error away."""
        left, new = self.toward.copy(), np.diag(self.kernel).copy()
        if chosen:
            across = self.kernel[chosen]  # [k, 1755]
            left -= self._fit(chosen)[0] @ across
            new -= (across * np.linalg.solve(across[:, chosen], across)).sum(axis=0)
        gain = np.where(new > 1e-9, left / np.sqrt(np.maximum(new, 1e-9)), -np.inf)
        gain[chosen] = -np.inf
        order: Ints = np.argsort(-gain, kind="stable")
        return order

    def _next(self, chosen: list[int]) -> int:
        """The most promising flop beside which all keep a weight."""
        for flop in self._candidates(chosen).tolist():
            if (self._fit([*chosen, flop])[0] > 0).all():
                return int(flop)
        raise ValueError(f"no flop can join {len(chosen)} others")

    def _swapped(self, chosen: list[int]) -> list[int]:
        """Swap flops for better ones until a whole round of tries helps no more."""
        square = self._fit(chosen)[1]
        for _ in range(PASSES):
            before = square
            for flop in self.rng.permutation(chosen).tolist():
                others = [other for other in chosen if other != flop]
                for new in self._candidates(others)[:TRIED].tolist():
                    weights, tried = self._fit([*others, new])
                    if tried < square * (1 - 1e-9) and (weights > 0).all():
                        chosen, square = [*others, new], tried
                        break
            if square == before:
                break
        return chosen


def _whole(weights: Floats) -> list[int]:
    """Weights as whole numbers that add up to all flops, each at least 1."""
    scaled = weights / weights.sum() * NUM_FLOPS
    whole = np.maximum(1, np.floor(scaled)).astype(np.int64)
    for at in np.argsort(-(scaled - whole))[: NUM_FLOPS - int(whole.sum())]:
        whole[at] += 1
    return [int(weight) for weight in whole]


def write(path: Path, sets: dict[int, dict[int, int]], seed: int) -> None:
    """Write the sets, each flop with how many flops it counts for."""
    flops, _ = canonical_flops()
    lines = [
        "# Flops that stand for all 22,100, and for how many each. Made by",
        f"# `python tools/flop_subsets.py choose --seed {seed}`.",
    ]
    for size, weights in sets.items():
        assert sum(weights.values()) == NUM_FLOPS
        lines += ["", f"[flops_{size}]"]
        for flop in sorted(weights, reverse=True):
            name = WeightedBoard(tuple(flops[flop].tolist()), 0).name
            lines.append(f'"{name}" = {weights[flop]}')
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(lines) + "\n")


def measure(reports: list[Path]) -> dict[str, dict[str, Any]]:
    """For each quantity its mean over all flops and what each set makes of it."""
    flops, counts = canonical_flops()
    names = [WeightedBoard(tuple(cards), 0).name for cards in flops.tolist()]
    tables: dict[str, Floats] = {}
    for path in reports:
        rows = {row["board"]: row for row in json.loads(path.read_text())["flops"]}
        for name, values in _columns([rows[board] for board in names]).items():
            tables[f"{path.stem}: {name}"] = values
    for number, pair in enumerate(OTHERS, 1):
        tables[f"equity of ranges {number}"] = equity_features(pair)[:, 0]
    sets = {size: {b.name: b.weight for b in flop_subset(size)} for size in SUBSETS}
    found = {}
    for name, values in tables.items():
        mean = float(counts @ values / counts.sum())
        spread = float(np.sqrt(counts @ (values - mean) ** 2 / counts.sum()))
        found[name] = {"mean": mean, "spread": spread} | {
            str(size): sum(weights.get(b, 0) * v for b, v in zip(names, values, strict=True))
            / NUM_FLOPS
            for size, weights in sets.items()
        }
    return found


def _columns(rows: list[dict[str, Any]]) -> dict[str, Floats]:
    """The quantities of a report over all flops: [1755] each."""
    found = {
        f"frequency of {word}": [row["frequencies"][word] for row in rows]
        for word in list(rows[0]["frequencies"])[:-1]
    }
    found["EV out of position, share of the pot"] = [row["evs"][0] / row["pot"] for row in rows]
    found["equity out of position"] = [row["equities"][0] for row in rows]
    return {name: np.array(values, dtype=np.float64) for name, values in found.items()}


def tell(found: dict[str, dict[str, Any]], out: Path | None) -> None:
    """Print a table of the errors in percentage points, and write it where asked."""
    print("| quantity | mean, % | spread of flops | " + " | ".join(map(str, SUBSETS)) + " |")
    print("|---|---|---|" + "---|" * len(SUBSETS))
    for name, row in found.items():
        errors = " | ".join(f"{100 * (row[str(size)] - row['mean']):+.2f}" for size in SUBSETS)
        print(f"| {name} | {100 * row['mean']:.2f} | {100 * row['spread']:.1f} | {errors} |")
    if out is not None:
        out.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
