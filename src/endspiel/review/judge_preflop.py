"""What decisions before the flop cost, against the charts of their tree.

A loss that is smaller than the error of what the flops below are worth is not reported.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from endspiel.arrays import Float64s
from endspiel.batch.preflop_solve import CHIPS
from endspiel.betting.tree import SHOWDOWN
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import NUM_HANDS, hand_index
from endspiel.cards.streets import PREFLOP
from endspiel.cards.text import format_hand
from endspiel.errors import StateError
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.ranges.line import range_along, tree_line
from endspiel.review.before_flop import JudgedTree, PlayedTree, follow
from endspiel.review.judgments import Judgment, money_line, money_name
from endspiel.review.kinds import preflop_kind
from endspiel.review.links import tree_link
from endspiel.review.played import BrokenHand, PlayedHand


class PreflopReview(NamedTuple):
    """A hand before the flop, judged: its decisions, and where it left the tree."""

    found: list[Judgment | BrokenHand]
    unseen: int  # decisions of players whose cards are not known
    unsure: list[BrokenHand]  # decisions that lose less than the charts' error
    by: str  # what the ranges are of
    charts: PreflopCharts
    node: int

    def ranges(self) -> tuple[Float64s, Float64s]:
        """What both hold [1326] when the flop is dealt.

        Where no hand comes by the charts, actions are taken for mistakes.
        """
        if self.charts.preflop.tree.kind[self.node] != SHOWDOWN:
            raise StateError("the flop is dealt where the betting before it is not over")
        first, second = self.charts.ranges(self.node)
        if first.any() and second.any():
            return first, second
        line = tree_line(self.charts.preflop.tree, self.node, self._strategy)
        one, two = (range_along(np.ones(NUM_HANDS), line, player).weights for player in (0, 1))
        return one, two

    def _strategy(self, node: int) -> Float64s:
        """Probability [A, 1326] of each action at a decision."""
        shares = self.charts.at(self.charts.decision(node)).shares[:, hand_classes()]
        return shares.astype(np.float64)


def review_preflop(
    hand: PlayedHand,
    tree: PlayedTree,
    judged: JudgedTree,
    chosen: str | None,  # the player whose decisions are judged; None for both
    page: str,
) -> PreflopReview:
    """Judge a hand before the flop."""
    charts, unseen, unsure = judged.charts, 0, list[BrokenHand]()
    betting, found = charts.preflop.tree, list[Judgment | BrokenHand]()
    nodes = follow(betting, tree.steps)
    for node, following in pairwise(nodes):
        player = int(betting.player[node])
        if chosen in (None, hand.players[player]):
            if hand.holes[player]:
                link = tree_link(tree.asked(betting.line(node)), page)
                taken = following - int(betting.first_child[node])
                one = _judgment(hand, judged, node, taken, link)
                if isinstance(one, Judgment) and 0 < one.blinds <= one.error:
                    unsure.append(_unsure(one))
                else:
                    found.append(one)
            else:
                unseen += 1
    return PreflopReview(found, unseen, unsure, judged.name, charts, nodes[-1])


def _unsure(one: Judgment) -> BrokenHand:
    where = f"after {one.where!r}" if one.where else "first to act"
    why = (
        f"{one.cards} {where}: {one.taken} loses {one.blinds:.2f} big blinds by {one.by}, which "
        f"may be off by {one.error:.2f}"
    )
    return BrokenHand(one.hand, one.line, why)


def _judgment(
    hand: PlayedHand, judged: JudgedTree, node: int, taken: int, link: str
) -> Judgment | BrokenHand:
    """A decision's cost, or why it has none."""
    charts = judged.charts
    tree, player = charts.preflop.tree, int(charts.preflop.tree.player[node])
    hole, line = hand.holes[player], tree.line(node)
    kind = hand_classes()[hand_index(*hole)]
    decision = charts.decision(node)
    values, errors = charts.at(decision), judged.error(decision, int(kind))
    evs = values.evs()[:, kind] / CHIPS  # big blinds
    if np.isnan(evs).any():
        why = f"{format_hand(hole)} meets no hand of the other range after {line!r}"
        return BrokenHand(hand.name, hand.line, why)
    best, words = int(evs.argmax()), tree.words(node)
    to_call = int(tree.spent[node].max() - tree.spent[node, player])
    money = hand.big_blind * hand.unit
    lost = float(evs[best] - evs[taken])
    return Judgment(
        hand.name,
        hand.line,
        PREFLOP,
        hand.players[player],
        format_hand(hole),
        line,
        money_line(line, money / CHIPS),
        money_name(words[taken], to_call, money / CHIPS),
        money_name(words[best], to_call, money / CHIPS),
        lost * money,
        lost,
        float(values.shares[taken, kind]),
        preflop_kind(player, line),
        link,
        0.0 if best == taken else float(errors[best] + errors[taken]),
        judged.name,
        charts.held(decision),
    )
