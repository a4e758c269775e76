"""Solutions in a notebook: a node's chart and actions, and the tree below it."""

from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np

from endspiel.betting.tree import DECISION
from endspiel.cards.chart import ChartCell, grid_html
from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.text import format_cards
from endspiel.solving.views import NodeView, action_name

if TYPE_CHECKING:
    from endspiel.solving.solution import SpotSolution

SIDES: Final = ("OOP", "IP")
_PASSIVE: Final = {"f": "#46698f", "c": "#3d7a55"}
_BETS: Final = ("#b5652a", "#b04232", "#91273a", "#7a1f4d", "#59295f")
_FONT: Final = "font:13px/1.5 system-ui,sans-serif"


def action_colors(words: tuple[str, ...]) -> list[str]:
    """A color an action: folds blue, checks and calls green, bets from amber to purple."""
    bets = [word for word in words if word not in _PASSIVE]
    step = max(1, len(bets) - 1)
    at = {word: round(i * (len(_BETS) - 1) / step) for i, word in enumerate(bets)}
    return [_PASSIVE.get(word) or _BETS[at[word]] for word in words]


def node_html(view: NodeView) -> str:
    """A node: who decides, what each class does, frequencies and EVs."""
    colors = action_colors(view.actions)
    return (
        f'<div style="{_FONT};display:flex;gap:24px;flex-wrap:wrap;align-items:flex-start">'
        f"{grid_html(_cells(view, colors))}{_actions(view, colors)}</div>"
    )


def _cells(view: NodeView, colors: list[str]) -> list[ChartCell]:
    """The strategy of each class: its hands by how often they are here."""
    weight = view.weight if view.weight.any() else view.reach
    classes = hand_classes()[view.hands]
    total = np.bincount(classes, weight, NUM_CLASSES)
    summed = [np.bincount(classes, weight * row, NUM_CLASSES) for row in view.strategy]
    most = np.bincount(classes, view.reach, NUM_CLASSES)
    counts = np.maximum(1, np.bincount(classes, minlength=NUM_CLASSES))
    tallest = float((most / counts).max()) or 1.0
    cells = []
    for at in range(NUM_CLASSES):
        if not total[at] > 0:
            cells.append(ChartCell())
            continue
        shares = [float(row[at] / total[at]) for row in summed]
        words = zip(view.actions, shares, strict=True)
        tip = ", ".join(f"{action_name(w, view.to_call)} {100 * s:.0f}%" for w, s in words)
        cells.append(ChartCell(shares, colors, float(most[at] / counts[at]) / tallest, tip))
    return cells


def _actions(view: NodeView, colors: list[str]) -> str:
    """A table of the actions."""
    rows = []
    for at, word in enumerate(view.actions):
        share = view.weight * view.strategy[at]
        taken = share > 0
        worth = view.action_ev[at][taken] @ share[taken] / share.sum() if taken.any() else None
        ev = "" if worth is None else f"{worth:.2f}"
        mark = f'<span style="color:{colors[at]}">&#9632;</span>'
        rows.append(
            f"<tr><td style='text-align:left'>{mark} {escape(action_name(word, view.to_call))}</td>"
            f"<td>{100 * view.frequencies[at]:.1f}%</td><td>{ev}</td></tr>"
        )
    where = f"{format_cards(view.board, ' ')} · {view.node or 'the first decision'}"
    facts = (
        f"{SIDES[view.player]} to act, pot {view.pot}<br>EV {view.mean(view.ev):.2f}, "
        f"equity {100 * view.mean(view.equity):.1f}%"
    )
    head = "<tr><th style='text-align:left'>action</th><th>frequency</th><th>EV</th></tr>"
    return f"<div><b>{escape(where)}</b><br>{facts}<table>{head}{''.join(rows)}</table></div>"


class TreeChart:
    """The betting below a node, some decisions deep, drawn by a notebook as nested lists."""

    def __init__(self, solution: "SpotSolution", node: str = "", depth: int = 2) -> None:
        self.solution, self.node, self.depth = solution, node, depth

    def __repr__(self) -> str:
        return f"TreeChart({self.node!r}, depth={self.depth})"

    def _repr_html_(self) -> str:
        """The nodes, each action with its frequency and what follows it."""
        return f'<div style="{_FONT}">{self._below(self.node, self.depth)}</div>'

    def _below(self, node: str, depth: int) -> str:
        view = self.solution.view(node)
        colors = action_colors(view.actions)
        tree = self.solution.game.betting
        place = self.solution.node(node)
        rows = []
        for child, word, color, share in zip(
            tree.children(place.node), view.actions, colors, view.frequencies, strict=True
        ):
            known = "" if share != share else f" {100 * share:.1f}%"
            full = 100 * float(np.nan_to_num(share))
            bar = f"background:linear-gradient(to right,{color}40 {full:.1f}%,transparent 0)"
            name = escape(action_name(word, view.to_call))
            inside = ""
            if depth > 1 and tree.kind[child] == DECISION:
                inside = self._below(f"{node} {word}".strip(), depth - 1)
            told = f'<span style="{bar};padding:0 6px"><b>{name}</b>{known}</span>'
            rows.append(f"<li>{told}{inside}</li>")
        return f"{SIDES[view.player]}<ul style='margin:0'>{''.join(rows)}</ul>"
