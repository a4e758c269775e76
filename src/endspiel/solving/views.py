"""What a solution says at one node, for every hand of the player who decides there."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_cards, format_hand
from endspiel.errors import RangeError
from endspiel.games.spot import PLAYERS
from endspiel.kernels.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class NodeView:
    """A node of a solution. K hands of the player who decides; A actions. EVs are in chips.

    An EV is what the player expects to take of the pot, less what the player puts in from here on:
    folding is worth nothing, and checking down is worth the equity of the pot.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> view = es.solve(river, iterations=50).view("c")
        >>> view.player, view.actions, len(view.hands), round(float(view.frequencies.sum()), 6)
        (1, ('c', 'b100', 'b300'), 16, 1.0)
    """

    node: str
    board: tuple[int, ...]
    player: int  # who decides: 0 is out of position
    pot: int  # chips in the middle, bets of this street included
    to_call: int
    actions: tuple[str, ...]  # A words: f, c, b100, r300
    hands: Ints  # [K] hand numbers
    reach: Floats  # [K] weight in the range times the player's own way here
    met: Floats  # [K] reach of the opponent's hands that can be held against it
    strategy: Floats  # [A, K]
    find_action_ev: Callable[[], Floats]  # what takes time is found when first asked for
    find_equity: Callable[[], Floats]

    @cached_property
    def action_ev(self) -> Floats:
        """Chips [A, K] that each action is worth; NaN where no opposing hand gets here."""
        return self.find_action_ev()

    @cached_property
    def equity(self) -> Floats:
        """Equity [K] against the opponent's range here; NaN where it is empty."""
        return self.find_equity()

    @cached_property
    def ev(self) -> Floats:
        """What each hand expects [K] when both follow the solution."""
        total: Floats = (self.strategy * self.action_ev).sum(axis=0)
        return total

    @cached_property
    def weight(self) -> Floats:
        """How often each hand is here [K], sum 1; all zeros where the node is never reached."""
        both = self.reach * self.met
        total = float(both.sum())
        weight: Floats = both / total if total > 0 else np.zeros(len(both))
        return weight

    @property
    def frequencies(self) -> Floats:
        """How often each action is taken [A]; NaN where the node is never reached."""
        share: Floats = self.strategy @ self.weight
        return share if self.weight.any() else np.full(len(self.actions), np.nan)

    def mean(self, values: Floats) -> float:
        """Mean of a value [K] over the hands that get here."""
        used = self.weight > 0
        return float(values[used] @ self.weight[used]) if used.any() else float("nan")

    def only(self, passing: NDArray[np.bool_]) -> "NodeView":
        """The node with some of the hands [1326] alone; how often each is here sums to 1 again."""
        places = np.flatnonzero(passing[self.hands])
        return replace(
            self,
            hands=self.hands[places],
            reach=self.reach[places],
            met=self.met[places],
            strategy=self.strategy[:, places],
            find_action_ev=lambda: self.action_ev[:, places],
            find_equity=lambda: self.equity[places],
        )

    def chosen(self, text: str) -> Ints:
        """Places [n] of the hands that a range text names; an error if none is held here."""
        return named_hands(text, self.hands, self.player, self.board)

    def over(self, values: Floats, places: Ints) -> float:
        """Mean of a value [K] over some hands, by weight; plainly where none of them gets here."""
        weight, part = self.weight[places], values[places]
        if not weight.any():
            return float(part.mean())
        used = weight > 0
        return float(part[used] @ weight[used] / weight.sum())

    def by_hand(self, values: Floats) -> NDArray[np.float64]:
        """A value [K] for all 1326 hands, 0 for those not held here."""
        out = np.zeros(NUM_HANDS)
        out[self.hands] = values
        return out

    def name(self, k: int) -> str:
        """``AhKh``."""
        return format_hand(hand_cards()[self.hands[k]].tolist())

    def rows(self, places: Ints | None = None) -> Iterator[dict[str, Any]]:
        """One flat record a hand, for tables and files; None where there is nothing to tell."""
        for k in range(len(self.hands)) if places is None else places.tolist():
            row: dict[str, Any] = {"hand": self.name(k), "weight": float(self.reach[k])}
            row |= {
                word: float(p) for word, p in zip(self.actions, self.strategy[:, k], strict=True)
            }
            row |= {"ev": _known(self.ev[k]), "ev_share": _known(self.ev[k] / self.pot)}
            row["equity"] = _known(self.equity[k])
            row |= {
                f"ev {word}": _known(ev)
                for word, ev in zip(self.actions, self.action_ev[:, k], strict=True)
            }
            yield row

    def summary(self) -> dict[str, Any]:
        """The node without its hands."""
        return {
            "node": self.node,
            "board": format_cards(self.board, " "),
            "player": self.player,
            "pot": self.pot,
            "to_call": self.to_call,
            "actions": {
                word: _known(f) for word, f in zip(self.actions, self.frequencies, strict=True)
            },
            "ev": _known(self.mean(self.ev)),
            "equity": _known(self.mean(self.equity)),
        }

    def _repr_html_(self) -> str:
        """The node as a notebook shows it: its chart and its actions."""
        from endspiel.solving.notebook import node_html

        return node_html(self)

    def record(self) -> dict[str, Any]:
        """The node with all its hands."""
        return self.summary() | {"hands": list(self.rows())}


def action_name(word: str, to_call: int) -> str:
    """``fold``, ``check``, ``call``, ``bet 100``, ``raise to 300``."""
    if word == "f":
        return "fold"
    if word == "c":
        return "call" if to_call else "check"
    return f"{'bet' if word[0] == 'b' else 'raise to'} {word[1:]}"


def named_hands(text: str, hands: Ints, player: int, board: tuple[int, ...]) -> Ints:
    """Places [n] of the hands [K] that a range text names; an error if there is none."""
    named = parse_range(text)[hands] > 0
    if not named.any():
        where = f"{PLAYERS[player]} on {format_cards(board, ' ')}"
        raise RangeError(f"no hand of {text!r} is in the range {where}")
    return np.flatnonzero(named).astype(np.int64)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
