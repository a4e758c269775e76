"""What the page shows of a solution: a node's matrix, its hands, and the run-outs below it."""

from typing import Any

import numpy as np
from msgspec import Struct

from endspiel.cards.classes import NUM_CLASSES, hand_classes
from endspiel.cards.deck import hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_card, format_hand
from endspiel.kernels.arrays import Floats
from endspiel.solvers.spots.nodes import Place
from endspiel.strategy import NodeView, SpotSolution
from endspiel.web.lines import (
    ActionAnswer,
    PathStep,
    ResolvedLine,
    actions_of,
    cards_of,
    end_of,
    find_line,
    path_of,
    street_name,
)
from endspiel.web.messages import Numbers, Refused

DIGITS = 6  # decimals of what is sent


class ClassesAnswer(Struct):
    """The 169 classes of the player who decides."""

    strategy: list[Numbers]  # [A][169]
    action_ev: list[Numbers]  # [A][169]
    weight: Numbers
    frequency: Numbers
    ev: Numbers
    equity: Numbers
    eqr: Numbers


class RangeView(Struct):
    """One player's range at a node."""

    weights: Numbers  # [169]
    combos: float
    ev: float | None = None
    equity: float | None = None
    eqr: float | None = None


class NodeAnswer(Struct):
    """A node of a solution; what does not apply to its kind is null."""

    job: str
    line: str
    kind: str
    street: str
    board: list[str]
    pot: int
    behind: list[int]
    path: list[PathStep]
    ranges: list[RangeView]
    iteration: int
    final: bool
    to_call: int | None = None
    player: int | None = None
    actions: list[ActionAnswer] | None = None
    reached: bool | None = None
    ev: float | None = None
    equity: float | None = None
    eqr: float | None = None
    combos: float | None = None
    locked: bool | None = None
    classes: ClassesAnswer | None = None
    cards: list[dict[str, str]] | None = None
    outcome: str | None = None
    winner: int | None = None


def answer_node(solution: SpotSolution, text: str, job: str, final: bool) -> NodeAnswer:
    """Everything about where a line ends."""
    game = solution.game
    resolved = find_line(game, text)
    spent = game.betting.spent[resolved.node]
    answer = NodeAnswer(
        job=job,
        line=resolved.line,
        kind=resolved.kind,
        street=street_name(resolved.board),
        board=[format_card(card) for card in resolved.board],
        pot=game.betting.pot + int(spent.sum()),
        behind=[game.betting.stack - int(chips) for chips in spent],
        path=path_of(game, resolved),
        ranges=[],
        iteration=solution.iterations,
        final=final,
    )
    view = solution.view(resolved.place)
    if resolved.kind == "decision":
        _fill_decision(answer, solution, resolved, view)
        return answer
    after = [solution.range_at(resolved.place, player, resolved.taken) for player in (0, 1)]
    answer.ranges = [_range_view(weights, resolved.board) for weights in after]
    if resolved.kind == "deal":
        answer.cards = cards_of(game, resolved)
    else:
        answer.outcome, answer.winner = end_of(game.betting, resolved.node)
    return answer


def _fill_decision(
    answer: NodeAnswer, solution: SpotSolution, resolved: ResolvedLine, view: NodeView
) -> None:
    ev, equity = _known(view.mean(view.ev)), _known(view.mean(view.equity))
    answer.player, answer.to_call = view.player, view.to_call
    answer.reached = bool(view.weight.any())
    answer.ev, answer.equity, answer.eqr = ev, equity, _eqr(ev, equity, view.pot)
    answer.combos = round(float(view.reach.sum()), DIGITS)
    answer.locked = is_locked(solution, resolved.place)
    answer.classes = _classes(view)
    answer.actions = actions_of(solution.game, resolved)
    for i, action in enumerate(answer.actions):
        action.frequency = _known(view.frequencies[i])
        action.combos = round(float(view.reach @ view.strategy[i]), DIGITS)
        action.ev = _mean_when(view, i)
    own, other = (
        _range_view(solution.range_at(resolved.place, player), view.board)
        for player in (view.player, 1 - view.player)
    )
    if ev is not None and equity is not None:  # with rake, the EVs do not add up to the pot
        other.ev = round(solution.evs_at(view)[1 - view.player], DIGITS)
        other.equity = round(1 - equity, DIGITS)
        other.eqr = _eqr(other.ev, other.equity, view.pot)
    own.ev, own.equity, own.eqr = ev, equity, answer.eqr
    answer.ranges = [own, other] if view.player == 0 else [other, own]


def _mean_when(view: NodeView, action: int) -> float | None:
    """Chips that an action is worth to the hands that take it."""
    weight = view.weight * view.strategy[action]
    taken = weight > 0
    if not taken.any():
        return None
    return _known(float(view.action_ev[action, taken] @ weight[taken] / weight.sum()))


def is_locked(solution: SpotSolution, place: Place) -> bool:
    """Whether the strategy at a place was held fixed."""
    store = solution.boards.store
    return store.is_locked(place.street, place.board, place.player, place.decision)


def _classes(view: NodeView) -> ClassesAnswer:
    """A node's hands gathered by class: means by how often each hand is here."""
    weight = view.weight if view.weight.any() else view.reach
    cells = hand_classes()[view.hands]
    total = np.bincount(cells, weight, NUM_CLASSES)
    held = total > 0

    def mean(values: Floats) -> Floats:
        counted = np.where(weight > 0, values * weight, 0.0)
        summed = np.bincount(cells, counted, NUM_CLASSES)
        found: Floats = np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=held)
        return found

    ev, equity = mean(view.ev), mean(view.equity)
    with np.errstate(divide="ignore", invalid="ignore"):
        eqr = np.where(equity > 0, ev / (equity * view.pot), np.nan)
    return ClassesAnswer(
        strategy=[numbers(mean(shares)) for shares in view.strategy],
        action_ev=[numbers(mean(evs)) for evs in view.action_ev],
        weight=_by_class(view.by_hand(view.reach), view.board),
        frequency=numbers(np.bincount(cells, view.weight, NUM_CLASSES).astype(np.float64)),
        ev=numbers(ev),
        equity=numbers(equity),
        eqr=numbers(eqr),
    )


def _range_view(reach: Floats, board: tuple[int, ...]) -> RangeView:
    return RangeView(_by_class(reach, board), round(float(reach.sum()), DIGITS))


def _by_class(reach: Floats, board: tuple[int, ...]) -> Numbers:
    """Mean weight of each class's combos that the board allows: [169]; None where it allows none.

    Weights are [1326].
    """
    live = live_hands(board)
    total = np.bincount(hand_classes(), live, NUM_CLASSES)
    summed = np.bincount(hand_classes(), reach * live, NUM_CLASSES)
    return numbers(np.divide(summed, total, out=np.full(NUM_CLASSES, np.nan), where=total > 0))


def answer_hands(
    solution: SpotSolution, text: str, named: str, player: int | None
) -> dict[str, Any]:
    """The hands of a class or range at a decision, one by one."""
    resolved = find_line(solution.game, text)
    if resolved.kind != "decision":
        raise Refused(f"no player decides after {resolved.line!r}", "line")
    view = solution.view(resolved.place)
    if player is not None and player != view.player:
        return _other_hands(solution, resolved, view, named)
    hands = []
    for k in np.flatnonzero(parse_range(named)[view.hands] > 0).tolist():
        ev, equity = _known(view.ev[k]), _known(view.equity[k])
        hands.append(
            {
                "hand": view.name(k),
                "weight": round(float(view.reach[k]), DIGITS),
                "frequency": round(float(view.weight[k]), 2 * DIGITS),
                "strategy": numbers(view.strategy[:, k]),
                "ev": ev,
                "action_ev": numbers(view.action_ev[:, k]),
                "equity": equity,
                "eqr": _eqr(ev, equity, view.pot),
            }
        )
    return {"line": resolved.line, "actions": list(view.actions), "hands": hands}


def _other_hands(
    solution: SpotSolution, resolved: ResolvedLine, view: NodeView, named: str
) -> dict[str, Any]:
    """The waiting player's side: the weight of each hand, and its equity."""
    reach = solution.range_at(resolved.place, 1 - view.player)
    equity = equities(view.by_hand(view.reach), list(view.board))
    places = np.flatnonzero((parse_range(named) > 0) & (reach > 0)).tolist()
    total = float(reach.sum()) or 1.0
    hands = [
        {
            "hand": format_hand(hand_cards()[hand].tolist()),
            "weight": round(float(reach[hand]), DIGITS),
            "frequency": round(float(reach[hand]) / total, 2 * DIGITS),
            "equity": _known(equity[hand]),
        }
        for hand in places
    ]
    return {"line": resolved.line, "actions": [], "hands": hands}


def numbers(values: Floats) -> Numbers:
    """Values as they are sent: rounded, None for NaN."""
    return [None if value != value else value for value in values.round(DIGITS).tolist()]


def _known(value: float) -> float | None:
    return None if value != value else round(float(value), DIGITS)


def _eqr(ev: float | None, equity: float | None, pot: int) -> float | None:
    """How much of its equity a hand realizes."""
    if ev is None or not equity:
        return None
    return round(ev / (equity * pot), DIGITS)
