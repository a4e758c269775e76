"""Exploitability during training: EGT, CFR+ and discounted CFR on one picture.

Run with ``python benchmarks/blueprint_curves.py PICTURE RESULT.json ...``, results as ``endspiel
train --json`` writes them. Without arguments a small abstraction is trained by each method and a
table printed. Methods are compared by products with the payoffs, which take nearly all the time: an
iteration of CFR needs two, a step of EGT two or three.
"""

import sys
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.work import Store, Workers
from endspiel.betting.model import load_model
from endspiel.blueprint.joint import count_joint, fingerprint
from endspiel.blueprint.training import Setting, train
from endspiel.engine.limits import Limits
from endspiel.pictures import picture
from endspiel.rules.builtin import load_rules

SHOWN = (20, 50, 100, 200)  # products a row of the table
STYLES = {"dcfr": "-", "dcfr4": "-.", "cfr+": "--", "egt": ":"}
Curve = list[tuple[float, float]]  # products, big blinds a hand


def curve(record: dict[str, Any]) -> Curve:
    """Products and exploitability at each measurement of a training."""
    products = record["parameters"].get("gradients", 2 * record["iterations"])
    each = products / record["iterations"]
    return [(each * iteration, gap) for iteration, _, gap in record["trace"]]


def main() -> None:
    """Draw the results that are named, or print a table of small trainings."""
    if len(sys.argv) > 2:
        draw(Path(sys.argv[1]), [msgspec.json.decode(Path(p).read_bytes()) for p in sys.argv[2:]])
    else:
        Console().print(small_table())


def draw(path: Path, records: list[dict[str, Any]]) -> None:
    """One line a training; those of the same buckets have the same color."""
    sizes = sorted({tuple(record["buckets"]) for record in records})
    with picture(path) as axes:
        for record in records:
            buckets = tuple(record["buckets"])
            label = f"{record['method']}, {buckets[-1]:,} river buckets"
            color = f"C{sizes.index(buckets)}"
            points = curve(record)
            style = STYLES.get(record["method"], "-")
            axes.loglog(*zip(*points, strict=True), style, color=color, label=label)
        axes.set_xlabel("products with the payoffs")
        axes.set_ylabel("exploitability inside the abstraction, big blinds a hand")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")


def small_table() -> Table:
    """Exploitability after so many products, on two flops."""
    cards = make_abstraction(Plan((4, 4, 2, 2)), some_boards(2), Store(None), Workers())
    joint = count_joint(cards)
    setting = Setting(load_rules("nolimit-holdem"), load_model(), joint, fingerprint(cards))
    table = Table("products", *STYLES, title="exploitability, big blinds a hand")
    found = [curve(train(setting, m, Limits(iterations=SHOWN[-1] // 2)).record()) for m in STYLES]
    for products in SHOWN:
        reached = [[gap for at, gap in points if at <= products] for points in found]
        table.add_row(str(products), *(f"{min(gaps):.3g}" if gaps else "" for gaps in reached))
    return table


if __name__ == "__main__":
    main()
