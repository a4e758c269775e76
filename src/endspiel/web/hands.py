"""A node's hands one by one, as tables show them, and gathered by kind."""

from typing import Any

import numpy as np

from endspiel.cards.deck import hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.hand_filter import NO_FILTER, HandFilter
from endspiel.cards.made_hands import DRAWS, MADE, draws, made_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_hand
from endspiel.kernels.arrays import Floats
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.class_values import DIGITS, eqr_of, known, numbers
from endspiel.web.filtered import KindsAnswer, other_kinds, own_kinds
from endspiel.web.lines import ResolvedLine, find_line
from endspiel.web.messages import Refused


def answer_hands(
    solution: SpotSolution,
    text: str,
    named: str,
    player: int | None,
    passing: HandFilter = NO_FILTER,
) -> dict[str, Any]:
    """The hands of a class or range at a decision that pass a filter, one by one."""
    resolved, view = _decision(solution, text)
    wanted = (parse_range(named) > 0) & passing.passing(view.board)
    kinds = _Kinds(view.board)
    if player is not None and player != view.player:
        return _other_hands(solution, resolved, view, wanted, kinds)
    hands = []
    for k in np.flatnonzero(wanted[view.hands]).tolist():
        ev, equity = known(view.ev[k]), known(view.equity[k])
        hands.append(
            {
                "hand": view.name(k),
                **kinds.of(int(view.hands[k])),
                "weight": round(float(view.reach[k]), DIGITS),
                "frequency": round(float(view.weight[k]), 2 * DIGITS),
                "strategy": numbers(view.strategy[:, k]),
                "ev": ev,
                "action_ev": numbers(view.action_ev[:, k]),
                "equity": equity,
                "eqr": eqr_of(ev, equity, view.pot),
            }
        )
    return {"line": resolved.line, "actions": list(view.actions), "hands": hands}


class _Kinds:
    """What hands on a board are called."""

    def __init__(self, board: tuple[int, ...]) -> None:
        self._made, self._draws = made_hands(board), draws(board)

    def of(self, hand: int) -> dict[str, Any]:
        """Made hand and draws of a live hand."""
        drawn = [name for name, has in zip(DRAWS, self._draws[:, hand], strict=True) if has]
        return {"made": MADE[self._made[hand]], "draws": drawn}


def _decision(solution: SpotSolution, text: str) -> tuple[ResolvedLine, NodeView]:
    resolved = find_line(solution.game, text)
    if resolved.kind != "decision":
        raise Refused(f"no player decides after {resolved.line!r}", "line")
    return resolved, solution.view(resolved.place)


def _other_hands(
    solution: SpotSolution, resolved: ResolvedLine, view: NodeView, wanted: Any, kinds: _Kinds
) -> dict[str, Any]:
    """Hands of the player who waits: how often each is held, and its equity."""
    reach, equity = _waiting(solution, resolved, view)
    total = float(reach.sum()) or 1.0
    hands = [
        {
            "hand": format_hand(hand_cards()[hand].tolist()),
            **kinds.of(hand),
            "weight": round(float(reach[hand]), DIGITS),
            "frequency": round(float(reach[hand]) / total, 2 * DIGITS),
            "equity": known(equity[hand]),
        }
        for hand in np.flatnonzero(wanted & (reach > 0)).tolist()
    ]
    return {"line": resolved.line, "actions": [], "hands": hands}


def _waiting(
    solution: SpotSolution, resolved: ResolvedLine, view: NodeView
) -> tuple[Floats, Floats]:
    """Reaches and equities [1326] of the player who waits at a decision."""
    reach = solution.range_at(resolved.place, 1 - view.player)
    return reach, equities(view.by_hand(view.reach), list(view.board))


def answer_kinds(solution: SpotSolution, text: str, player: int | None) -> KindsAnswer:
    """A range at a decision divided by kinds of hands."""
    resolved, view = _decision(solution, text)
    if player is None or player == view.player:
        return KindsAnswer(resolved.line, view.player, list(view.actions), *own_kinds(view))
    reach, equity = _waiting(solution, resolved, view)
    return KindsAnswer(
        resolved.line, player, list(view.actions), *other_kinds(view.board, reach, equity)
    )
