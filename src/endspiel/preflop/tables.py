"""The tables of docs/preflop.md: ``python -m endspiel.preflop.tables [STACK ...]`` prints them.

They are of charts with the default menus and of the flop values that come with the package.
"""

import sys
from collections.abc import Sequence
from typing import Final

from endspiel.preflop.pooling import correction
from endspiel.preflop.shipped import shipped
from endspiel.preflop.solving import OFTEN
from endspiel.preflop.whole import SolvedPreflop, preflop_charts

STACKS: Final = (5.0, 10.0, 15.0, 20.0, 30.0, 37.0, 40.0, 50.0, 75.0, 100.0, 150.0, 200.0)
SHOWN: Final = 0.05  # of hands: lines with a row of their own
STACK_HEAD: Final = (
    "stack",
    "`error_bb`",
    "the button folds, limps, raises, moves all-in",
    "limps aces",
    "the line that is off most",
)
LINE_HEAD: Final = ("line", "taken", "big blind's share", "error")
SOLVED_HEAD: Final = ("line", "big blinds", "flops", "more than the net", "by the others")


def table(head: Sequence[str], rows: Sequence[str]) -> str:
    """A table in Markdown."""
    return "\n".join([_row(head), "|" + "---|" * len(head), *rows])


def stack_row(found: SolvedPreflop) -> str:
    """How a tree is begun, and how far off its flops may be."""
    first = found.charts.node_charts()[0]
    stack = found.preflop.setting.stack
    all_in = f"r{stack}"
    shares = dict.fromkeys(("f", "c", "r", all_in), 0.0)
    for action, share in zip(first["actions"], first["frequencies"], strict=True):
        shares[action if action in shares else "r"] += share
    folds, limps, raises, pushes = (f"{100 * share:.0f}" for share in shares.values())
    aces = dict(zip(first["actions"], first["classes"]["AA"], strict=True))["c"]
    often = [one for one in found.flop_value["lines"] if one["frequency"] >= OFTEN]
    most = max(often, key=lambda one: float(one["error"]), default=None)
    worst = "none is taken in 2%"
    if most is not None:
        worst = f"`{most['line']}`, {100 * most['frequency']:.0f}% of hands"
    return _row(
        (
            f"{stack / found.preflop.setting.big_blind:g}",
            f"{found.error_bb:.2f}",
            f"{folds}, {limps}, {raises}, {pushes}%",
            f"{100 * aces:.0f}%",
            worst,
        )
    )


def line_rows(found: SolvedPreflop) -> list[str]:
    """The lines that are taken most."""
    lines = sorted(found.flop_value["lines"], key=lambda one: -float(one["frequency"]))
    return [
        _row(
            (
                f"`{one['line']}`",
                f"{100 * one['frequency']:.1f}%",
                f"{100 * one['share']:.1f}% of {one['pot']:g}",
                f"{one['error']:.2f}",
            )
        )
        for one in lines
        if one["frequency"] >= SHOWN
    ]


def solved_rows() -> list[str]:
    """What solved flops give beyond the net, and what the other measurements say of each."""
    known, rows = shipped().solved, list[str]()
    for at, one in enumerate(known):
        others = correction([*known[:at], *known[at + 1 :]], one.depth, one.line)
        foretold = "" if others is None else _percent(others.mean, others.error)
        measured = _percent(one.mean, one.error)
        rows.append(_row((f"`{one.line}`", f"{one.depth:g}", str(one.flops), measured, foretold)))
    return sorted(rows)


def _percent(mean: float, error: float) -> str:
    return f"{100 * mean:+.2f} ± {100 * error:.2f}%"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str]) -> None:
    """Print the tables, of these stacks."""
    stacks = [float(text) for text in arguments] or STACKS
    found = {stack: preflop_charts(stack) for stack in stacks}
    print(table(STACK_HEAD, [stack_row(one) for one in found.values()]))
    for stack, one in found.items():
        print(f"\n{stack:g} big blinds\n\n{table(LINE_HEAD, line_rows(one))}")
    print("\n" + table(SOLVED_HEAD, solved_rows()))


if __name__ == "__main__":
    main(sys.argv[1:])
