"""How good an abstraction is: distances inside buckets, sizes, branching, examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import STREETS, Abstraction
from endspiel.abstraction.features import MAX_HALVES
from endspiel.abstraction.plan import NO_TEXTURES, format_textures
from endspiel.abstraction.river import RiverLevel
from endspiel.abstraction.streets import Level
from endspiel.cards.classes import class_names
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.text import format_cards, format_hand

EXAMPLE_BUCKETS = 4  # of the flop, turn and river, from weak to strong
EXAMPLE_HANDS = 4


def street_quality(level: Level | RiverLevel) -> dict[str, Any]:
    """Figures of one street."""
    total = max(1, int(level.mass.sum()))
    children = np.bincount(level.parents())
    return {
        "buckets": level.size,
        "distance": float(level.mass @ level.distance / total),
        "distance_equal_branching": float(level.program[1]),
        "distance_program": float(level.program[0]),
        "children": [int(children.min()), int(children.max())],
        "share": [float(share) for share in np.quantile(level.mass / total, (0, 0.5, 1))],
        "equity": [float(level.value.min()), float(level.value.max())],
    }


def quality(abstraction: Abstraction) -> dict[str, Any]:
    """Figures of every street, for a JSON object."""
    levels = {name: getattr(abstraction, name) for name in STREETS}
    return {
        **abstraction.quality,
        "branching": abstraction.plan.name,
        "recall": "perfect" if abstraction.plan.perfect_recall else "imperfect",
        "textures": format_textures(abstraction.plan.textures),
        "buckets": list(abstraction.sizes),
        "streets": {name: street_quality(level) for name, level in levels.items()},
    }


def format_report(abstraction: Abstraction, seed: int = 1) -> str:
    """The figures and some examples, for people."""
    figures = quality(abstraction)
    lines = [
        f"{figures['branching']}, {figures['recall']} recall{_textures(abstraction)}: "
        f"{' / '.join(f'{size:,}' for size in figures['buckets'])} buckets",
        "",
        "street   buckets  children  distance  equal branching  share: least, median, most",
    ]
    for name, street in figures["streets"].items():
        least, most = street["children"]
        shares = ", ".join(f"{100 * share:.3g}%" for share in street["share"])
        lines.append(
            f"{name:<8} {street['buckets']:>7,}  {f'{least}-{most}':>8}  {street['distance']:8.4f}"
            f"  {street['distance_equal_branching']:15.4f}  {shares}"
        )
    lines += [
        "",
        "Distance: mean earth mover's distance of a hand to its bucket's center, in shares of the",
        "pot; beside it, the estimate if every node had the same number of children.",
        "",
        *_preflop_lines(abstraction),
        *_examples(abstraction, "flop", seed),
        *_examples(abstraction, "turn", seed),
        *_river_lines(abstraction),
    ]
    return "\n".join(lines)


def _textures(abstraction: Abstraction) -> str:
    """The kinds of boards, where there are any."""
    told = abstraction.plan.textures
    return "" if told == NO_TEXTURES else f", textures {format_textures(told)}"


def _preflop_lines(abstraction: Abstraction) -> list[str]:
    """Every preflop bucket with its classes, by how often the bucket wins."""
    level, names = abstraction.preflop, np.array(class_names())
    return [
        f"preflop {bucket} (equity {level.value[bucket]:.2f}): "
        + " ".join(names[level.buckets == bucket])
        for bucket in range(level.size)
    ]


def _examples(abstraction: Abstraction, street: str, seed: int) -> list[str]:
    """Hands of some buckets of the flop or turn."""
    level: Level = getattr(abstraction, street)
    boards = abstraction.boards.flops if street == "flop" else abstraction.boards.turns
    if not len(level.buckets):
        return []
    rng = np.random.default_rng(seed)
    lines = []
    for bucket in _spread_out(level.value):
        places = np.flatnonzero(level.buckets == bucket)
        hands = []
        for place in rng.choice(places, min(EXAMPLE_HANDS, len(places)), replace=False):
            row, hand = divmod(int(place), NUM_HANDS)
            board = format_cards(boards[row, :3]) + " " + format_cards(boards[row, 3:])
            hands.append(f"{format_hand(hand_cards()[hand].tolist())} on {board.strip()}")
        lines.append(
            f"{street} {bucket} (equity {level.value[bucket]:.2f}, "
            f"distance {level.distance[bucket]:.3f}): {', '.join(hands)}"
        )
    return lines


def _river_lines(abstraction: Abstraction) -> list[str]:
    """The intervals under some nodes above the river."""
    river = abstraction.river
    lines = []
    for node in _spread_out(np.arange(len(river.first) - 1.0)):
        limits = river.limit[river.first[node] : river.first[node + 1]] / MAX_HALVES
        shown = ", ".join(f"{limit:.3f}" for limit in limits[:12])
        more = ", ..." if len(limits) > 12 else ""
        lines.append(f"river under turn bucket {node}: equity up to {shown}{more}")
    return lines


def _spread_out(value: NDArray[np.float64]) -> list[int]:
    """A few buckets from the least value to the greatest."""
    order = np.argsort(value, kind="stable")
    steps = np.linspace(0, len(order) - 1, min(EXAMPLE_BUCKETS, len(order)))
    return [int(order[int(step)]) for step in steps]
