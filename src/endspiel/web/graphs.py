"""Range against range: the equity graph, and what each card takes away (blockers)."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct

from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.hand_filter import NO_FILTER, HandFilter
from endspiel.cards.live import live_hands
from endspiel.cards.made_hands import Bools
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cards.text import format_card
from endspiel.kernels.arrays import Floats
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import action_name
from endspiel.web.class_values import DIGITS, numbers
from endspiel.web.lines import find_line
from endspiel.web.messages import Numbers, Refused

POINTS: Final = 101  # of a graph: one a percent of the range


class GraphAnswer(Struct):
    """Equity against the share of the range, the best hands first; out of position first."""

    equity: list[float | None]  # [2] in the mean
    combos: list[float]  # [2]
    curves: list[Numbers]  # [2][101]


class BlockedCard(Struct):
    """What the player who decides does where the other one holds a card."""

    card: str
    probability: float  # that the other one holds it
    frequencies: Numbers  # [A]
    change: Numbers  # [A] against not knowing


class BlockersAnswer(Struct):
    """How each card in the other one's hand changes the frequencies at a decision."""

    line: str
    player: int
    words: list[str]
    actions: list[str]
    frequencies: Numbers  # [A]
    cards: list[BlockedCard]


def equity_graph(
    ranges: Sequence[Floats], board: tuple[int, ...], passing: Bools | None = None
) -> GraphAnswer:
    """The graph of two ranges, weights [1326] each, on a board or before the flop.

    With a filter, each curve is of the hands [1326] that pass, against the other's whole range.
    """
    live = live_hands(board)
    both = [weights * live for weights in ranges]
    answer = GraphAnswer([], [], [])
    for whole, other in (both, both[::-1]):
        own = whole if passing is None else whole * passing
        equity = equities(other, list(board))
        known = (own > 0) & ~np.isnan(equity)
        answer.combos.append(round(float(own.sum()), DIGITS))
        answer.equity.append(_pair_mean(own, other, equity))
        answer.curves.append(_curve(equity[known], own[known]))
    return answer


def _pair_mean(own: Floats, other: Floats, equity: Floats) -> float | None:
    """Mean equity by how often each hand meets another: by pairs that share no card."""
    met = own * exact_unblocked_weight(other)
    known = (met > 0) & ~np.isnan(equity)
    if not known.any():
        return None
    return round(float(met[known] @ equity[known] / met[known].sum()), DIGITS)


def _curve(equity: Floats, weight: Floats) -> Numbers:
    """Equity at each percent of a range, the best hands first."""
    if len(equity) == 0:
        return []
    order = np.argsort(-equity, kind="stable")
    ends = np.cumsum(weight[order])
    at = np.linspace(0, 1, POINTS) * ends[-1]
    places = np.minimum(np.searchsorted(ends, at, side="left"), len(order) - 1)
    return numbers(equity[order][places])


def node_graph(solution: SpotSolution, text: str, passing: HandFilter = NO_FILTER) -> GraphAnswer:
    """The graph of both ranges as they come to where a line ends."""
    resolved = find_line(solution.game, text)
    taken = None if resolved.kind == "decision" else resolved.taken
    ranges = [solution.range_at(resolved.place, player, taken) for player in (0, 1)]
    return equity_graph(
        ranges, resolved.board, passing.passing(resolved.board) if passing else None
    )


def answer_blockers(solution: SpotSolution, text: str) -> BlockersAnswer:
    """Each card: how often the other holds it, and what the one who decides then does."""
    resolved = find_line(solution.game, text)
    if resolved.kind != "decision":
        raise Refused(f"no player decides after {resolved.line!r}", "line")
    view = solution.view(resolved.place)
    reach = view.by_hand(view.reach)
    strategy = np.stack([view.by_hand(row) for row in view.strategy])
    other = solution.range_at(resolved.place, 1 - view.player)
    pairs = reach * exact_unblocked_weight(other)
    whole = float(pairs.sum())
    base = strategy @ pairs / whole if whole > 0 else np.full(len(strategy), np.nan)
    cards = []
    for card in range(NUM_CARDS):
        if card in view.board:
            continue
        met = reach * exact_unblocked_weight(
            np.where((hand_cards() == card).any(axis=1), other, 0.0)
        )
        mass = float(met.sum())
        told = strategy @ met / mass if mass > 0 else np.full(len(strategy), np.nan)
        share = round(mass / whole, DIGITS) if whole > 0 else 0.0
        cards.append(BlockedCard(format_card(card), share, numbers(told), numbers(told - base)))
    return BlockersAnswer(
        resolved.line,
        view.player,
        list(view.actions),
        [action_name(word, view.to_call) for word in view.actions],
        numbers(base),
        cards,
    )
