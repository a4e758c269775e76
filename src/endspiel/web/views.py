"""What the page shows of a solution: a node's matrix, its hands, and the run-outs below it."""

from msgspec import Struct

from endspiel.cards.hand_filter import NO_FILTER, HandFilter
from endspiel.cards.text import format_card
from endspiel.games.nodes import Place
from endspiel.kernels.arrays import Floats
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.class_values import (
    DIGITS,
    ClassesAnswer,
    by_class,
    classes_of,
    eqr_of,
    known,
    mean_when,
)
from endspiel.web.filtered import FilteredAnswer, filtered_node
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
from endspiel.web.messages import Numbers


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
    filtered: FilteredAnswer | None = None
    cards: list[dict[str, str]] | None = None
    outcome: str | None = None
    winner: int | None = None


def answer_node(
    solution: SpotSolution, text: str, job: str, final: bool, passing: HandFilter = NO_FILTER
) -> NodeAnswer:
    """Everything about where a line ends, and of the hands that pass a filter by themselves."""
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
        if passing:
            answer.filtered = filtered_node(solution, resolved.place, view, passing)
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
    ev, equity = known(view.mean(view.ev)), known(view.mean(view.equity))
    answer.player, answer.to_call = view.player, view.to_call
    answer.reached = bool(view.weight.any())
    answer.ev, answer.equity, answer.eqr = ev, equity, eqr_of(ev, equity, view.pot)
    answer.combos = round(float(view.reach.sum()), DIGITS)
    answer.locked = is_locked(solution, resolved.place)
    answer.classes = classes_of(view)
    answer.actions = actions_of(solution.game, resolved)
    for i, action in enumerate(answer.actions):
        action.frequency = known(view.frequencies[i])
        action.combos = round(float(view.reach @ view.strategy[i]), DIGITS)
        action.ev = mean_when(view, i)
    own, other = (
        _range_view(solution.range_at(resolved.place, player), view.board)
        for player in (view.player, 1 - view.player)
    )
    if ev is not None and equity is not None:  # with rake, the EVs do not add up to the pot
        other.ev = round(solution.evs_at(view)[1 - view.player], DIGITS)
        other.equity = round(1 - equity, DIGITS)
        other.eqr = eqr_of(other.ev, other.equity, view.pot)
    own.ev, own.equity, own.eqr = ev, equity, answer.eqr
    answer.ranges = [own, other] if view.player == 0 else [other, own]


def is_locked(solution: SpotSolution, place: Place) -> bool:
    """Whether the strategy at a place was held fixed."""
    return solution.boards.is_locked(place.street, place.board, place.player, place.decision)


def _range_view(reach: Floats, board: tuple[int, ...]) -> RangeView:
    return RangeView(by_class(reach, board), round(float(reach.sum()), DIGITS))
