"""One node of a blueprint on the terminal: its strategy by class of hands, and chosen hands."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import STREETS
from endspiel.abstraction.features import DEAD
from endspiel.betting.tree import DECISION
from endspiel.cards.text import format_cards, parse_cards
from endspiel.errors import BettingError, CardError
from endspiel.ranges.line import reach_along, tree_line
from endspiel.solving.views import NodeView

if TYPE_CHECKING:
    from endspiel.blueprint.blueprint import Blueprint


@dataclass(frozen=True, eq=False)
class Lookup:
    """A node of a blueprint on a board."""

    view: NodeView
    street: str
    buckets: NDArray[np.int64]  # [K] of the view's hands
    places: NDArray[np.int64] | None  # [n] of the hands asked for

    def record(self) -> dict[str, Any]:
        """The node for a JSON object: its actions' frequencies, and the hands asked for, or all."""
        view = self.view
        places = range(len(view.hands)) if self.places is None else self.places.tolist()
        return {
            "line": view.node,
            "board": format_cards(view.board, " "),
            "street": self.street,
            "player": view.player,
            "pot": view.pot,
            "to_call": view.to_call,
            "actions": {
                word: None if np.isnan(share) else float(share)
                for word, share in zip(view.actions, view.frequencies, strict=True)
            },
            "hands": [
                {
                    "hand": view.name(k),
                    "bucket": int(self.buckets[k]),
                    "reach": float(view.reach[k]),
                    "strategy": dict(zip(view.actions, view.strategy[:, k].tolist(), strict=True)),
                }
                for k in places
            ],
        }


def look_up(blueprint: "Blueprint", line: str, board: str, hand: str | None) -> Lookup:
    """The node at the end of a line, on a board, with the hands that a range names."""
    tree = blueprint.tree
    node = tree.find(line)
    if tree.kind[node] != DECISION and tree.num_children[node] == 1:
        raise BettingError(f"cards are dealt after {line!r}: write / where a street begins")
    if tree.kind[node] != DECISION:
        raise BettingError(f"the hand is over after {line!r}: no player decides there")
    street = int(tree.street[node])
    cards = tuple(parse_cards(board))
    size = blueprint.game.board_sizes[street]
    if len(cards) != size:
        raise CardError(
            f"{line!r} is on the {STREETS[street]}, whose board has {size} cards, not {len(cards)}"
        )
    view = _view(blueprint, node, cards)
    buckets = blueprint.buckets(cards)[view.hands].astype(np.int64)
    places = None if hand is None else view.chosen(hand)
    return Lookup(view, STREETS[street], buckets, places)


def _view(blueprint: "Blueprint", node: int, board: tuple[int, ...]) -> NodeView:
    """The node with the hands that the board leaves, each as often as its own play brings it."""
    tree = blueprint.tree
    player = int(tree.player[node])
    hands = np.flatnonzero(blueprint.buckets(board) != DEAD)
    line = tree_line(tree, node, lambda at: blueprint.hands(at, board)[:, hands])
    reach = reach_along(np.ones(len(hands)), line, player)

    def unknown() -> NDArray[np.float64]:
        return np.full(len(hands), np.nan)

    return NodeView(
        node=tree.line(node),
        board=board,
        player=player,
        pot=tree.pot + int(tree.spent[node].sum()),
        to_call=int(tree.spent[node].max() - tree.spent[node, player]),
        actions=tuple(tree.words(node)),
        hands=hands,
        reach=reach,
        met=np.ones(len(hands)),
        strategy=blueprint.hands(node, board)[:, hands],
        find_action_ev=unknown,
        find_equity=unknown,
    )


def show_lookup(found: Lookup) -> None:
    """Print the node's chart, and the hands asked for."""
    from rich.console import Console
    from rich.table import Table

    from endspiel.cli.grid import show_chart

    console, view = Console(), found.view
    where = f"after {view.node!r}" if view.node else "first"
    call = f", {view.to_call} to call" if view.to_call else ""
    on = f" on {format_cards(view.board, ' ')}" if view.board else ""
    console.print(
        f"Player {view.player} decides {where} ({found.street}{on}): pot {view.pot}{call}",
        highlight=False,
    )
    if not view.weight.any():
        console.print("The strategy never comes here: it is what is left of early iterations.")
    show_chart(console, view)
    if found.places is None:
        return
    table = Table("hand", "bucket", "reach", *view.actions)
    for column in table.columns[1:]:
        column.justify = "right"
    for k in found.places.tolist():
        shares = (f"{100 * share:.1f}" for share in view.strategy[:, k])
        table.add_row(view.name(k), str(found.buckets[k]), f"{view.reach[k]:.3f}", *shares)
    console.print(table)
