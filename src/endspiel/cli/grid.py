"""A node of a solution on the terminal: the colored 13 x 13 chart and the table of hands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from endspiel.cards.classes import class_names, grid
from endspiel.cards.deck import NUM_RANKS, RANKS
from endspiel.games.spot import PLAYERS
from endspiel.kernels.arrays import Floats, Ints
from endspiel.solving.views import action_name

if TYPE_CHECKING:
    from endspiel.solving.views import NodeView

CELL = 5  # characters of a chart's cell
FOLD = (62, 116, 196)
CALL = (74, 160, 88)
LIGHT_BET, DARK_BET = (238, 150, 130), (150, 24, 32)
NO_HANDS = "grey35"
_SHARES = ("ev_share", "equity")


def action_colors(actions: Sequence[str]) -> list[str]:
    """Colors of a node's actions: blue folds, green checks and calls, bets redder with size."""
    bets = [word for word in actions if word[0] in "br"]
    colors = []
    for word in actions:
        if word in "fc":
            red, green, blue = FOLD if word == "f" else CALL
        else:
            share = bets.index(word) / max(1, len(bets) - 1)
            ends = zip(LIGHT_BET, DARK_BET, strict=True)
            red, green, blue = (round(a + share * (b - a)) for a, b in ends)
        colors.append(f"rgb({red},{green},{blue})")
    return colors


def action_letters(actions: Sequence[str]) -> list[str]:
    """One letter an action, for charts without color: f, c, then A, B, C for bets."""
    bets = iter("ABCDEGHIJKLMNOPQRSTUVWXYZ")
    return [word if word in "fc" else next(bets, "?") for word in actions]


def class_shares(view: "NodeView") -> Floats:
    """Mean strategy of each class of hands, by how often they get here: [A, 13, 13]."""
    weights = view.by_hand(view.weight if view.weight.any() else np.ones(len(view.hands)))
    return np.stack([grid(view.by_hand(shares), weights) for shares in view.strategy])


def show_node(console: Console, view: "NodeView", places: Ints | None = None) -> None:
    """Print a node: who acts and how often each way, the chart, and a table of chosen hands."""
    side = PLAYERS[view.player]
    call = f", {view.to_call} to call" if view.to_call else ""
    where = f"after {view.node!r}" if view.node else "at the start"
    summary = view.summary()
    console.print(
        f"Player {view.player} ({side}) decides {where} on {summary['board']}: "
        f"pot {view.pot}{call}",
        highlight=False,
    )
    if summary["ev"] is None:
        console.print("Nobody gets here: the strategies are what is left of early iterations.")
    else:
        console.print(
            f"EV {summary['ev']:.2f} chips ({100 * summary['ev'] / view.pot:.2f}% of the pot), "
            f"equity {100 * summary['equity']:.2f}%",
            highlight=False,
        )
    show_chart(console, view)
    if places is not None:
        console.print(_hand_table(view, places))


def show_chart(console: Console, view: "NodeView") -> None:
    """Print how often each action is taken, and the chart of all classes of hands."""
    plain = console.color_system is None or console.no_color
    console.print(_legend(view, plain, console.width), highlight=False)
    console.print(_plain_chart(view) if plain else _color_chart(view), highlight=False)


def _legend(view: "NodeView", plain: bool, width: int) -> Text:
    """The actions with their frequencies, an action never split between lines."""
    letters, colors = action_letters(view.actions), action_colors(view.actions)
    legend, used = Text(), 0
    for i, word in enumerate(view.actions):
        share = view.frequencies[i]
        often = "-" if np.isnan(share) else f"{100 * share:.1f}%"
        item = f" {action_name(word, view.to_call)} {often} "
        if plain:
            item = f"{letters[i]} ={item}"
        if used and used + len(item) > width:
            legend.append("\n")
            used = 0
        legend.append(item, style="" if plain else f"bold white on {colors[i]}")
        legend.append(" ")
        used += len(item) + 1
    return legend


def _color_chart(view: "NodeView") -> Text:
    """Cells that carry their class's name on a bar of the actions' colors."""
    shares, colors, names = class_shares(view), action_colors(view.actions), class_names()
    chart = Text()
    for row in range(NUM_RANKS):
        for column in range(NUM_RANKS):
            text = f"{names[row * NUM_RANKS + column]:^{CELL}}"
            cell = shares[:, row, column]
            if np.isnan(cell).any():
                chart.append(text, style=NO_HANDS)
                continue
            middles = (np.arange(CELL) + 0.5) / CELL
            chosen = np.searchsorted(np.cumsum(cell), middles).clip(max=len(colors) - 1)
            for action in np.unique(chosen):
                part = "".join(text[at] for at in np.flatnonzero(chosen == action))
                chart.append(part, style=f"white on {colors[action]}")
        chart.append("\n")
    return chart


def _plain_chart(view: "NodeView") -> Text:
    """Cells that name the most frequent action and its percentage; a dot where no hand is held."""
    shares, letters = class_shares(view), action_letters(view.actions)
    ranks = RANKS[::-1]
    lines = ["  " + "".join(f"{rank:^{CELL}}" for rank in ranks)]
    for row, rank in enumerate(ranks):
        cells = []
        for column in range(NUM_RANKS):
            cell = shares[:, row, column]
            if np.isnan(cell).any():
                cells.append(f"{'.':^{CELL}}")
                continue
            most = int(cell.argmax())
            cells.append(f"{letters[most] + f'{100 * cell[most]:.0f}':^{CELL}}")
        lines.append(f"{rank} {''.join(cells)}")
    return Text("\n".join(lines) + "\n")


def _hand_table(view: "NodeView", places: Ints) -> Table:
    columns = ["hand", "weight", *view.actions, "EV", "% pot", "equity"]
    table = Table(*columns)
    for column in table.columns[1:]:
        column.justify = "right"
    for row in view.rows(places):
        cells = [row["hand"], f"{row['weight']:.3f}"]
        cells += [f"{100 * row[word]:.1f}" for word in view.actions]
        cells += ["-" if row["ev"] is None else f"{row['ev']:.2f}"]
        cells += ["-" if row[key] is None else f"{100 * row[key]:.2f}" for key in _SHARES]
        table.add_row(*cells)
    return table
