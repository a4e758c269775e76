"""Whole hands against a solution: dealt from its ranges, judged at every decision, played out.

The opponent plays as solved. A hand stays in memory until it is over and a while longer; what its
decisions lost is noted in the drills' progress.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from msgspec import Struct

from endspiel.betting.rake import Outcome
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.cards.streets import BOARD_CARDS
from endspiel.cards.strength import strength
from endspiel.cards.text import format_card, format_hand
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.class_values import DIGITS
from endspiel.web.lines import (
    ActionAnswer,
    PathStep,
    ResolvedLine,
    actions_of,
    end_of,
    find_line,
    path_of,
    street_name,
)
from endspiel.web.messages import Refused
from endspiel.web.store import new_id
from endspiel.web.training import GOOD, TRIES, Verdict, deal_hands, judge, play_on

MOST_HANDS: Final = 200  # that are in memory: the oldest goes first


class HandDecision(Struct):
    """A decision of a hand, and what it is worth."""

    street: str
    line: str
    verdict: Verdict


class HandEnding(Struct):
    """How a hand ended."""

    how: str  # fold or showdown
    other: list[str]  # the opponent's cards
    board: list[str]  # with the cards that an all-in left to come
    won: float  # chips of the pot, less what was put in from the spot on


class HandAnswer(Struct):
    """A hand that is played against a solution, as the person sees it."""

    id: str
    job: str
    name: str
    player: int
    hand: list[str]
    line: str
    street: str
    board: list[str]
    pot: int
    to_call: int
    behind: list[int]
    path: list[PathStep]
    actions: list[ActionAnswer]  # empty once the hand is over
    decisions: list[HandDecision]
    lost: float  # chips, by all decisions so far
    lost_percent: float  # of the pot at the start
    ending: HandEnding | None


@dataclass
class WholeHand:
    """A hand: who plays it, what was dealt, where it stands."""

    id: str
    job: str
    name: str
    player: int
    hands: tuple[int, int]
    line: str = ""
    decisions: list[HandDecision] = field(default_factory=list)
    ending: HandEnding | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def lost(self) -> float:
        """Chips that its decisions lost."""
        return sum(one.verdict.lost for one in self.decisions)

    @property
    def flawless(self) -> bool:
        """Whether every decision was good."""
        return all(one.verdict.grade >= GOOD for one in self.decisions)

    @property
    def text(self) -> str:
        """The hand that is played, as ``AhKh``."""
        return format_hand(hand_cards()[self.hands[self.player]].tolist())

    def lost_percent(self, solution: SpotSolution) -> float:
        """What its decisions lost, in percent of the pot at the start."""
        return 100 * self.lost / solution.game.betting.pot


class WholeHands:
    """The hands that are played, by their names."""

    def __init__(self) -> None:
        self._hands: OrderedDict[str, WholeHand] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, hand: WholeHand) -> None:
        """Note a hand; the oldest goes where there are many."""
        with self._lock:
            self._hands[hand.id] = hand
            while len(self._hands) > MOST_HANDS:
                self._hands.popitem(last=False)

    def get(self, name: str) -> WholeHand:
        """The hand of a name."""
        with self._lock:
            found = self._hands.get(name)
        if found is None:
            raise Refused(f"there is no hand {name[:20]!r}: deal another", "id", 404)
        return found


def deal_whole(
    solution: SpotSolution, job: str, name: str, player: int, dice: np.random.Generator
) -> WholeHand:
    """Deal a hand, and play it to the player's first decision."""
    for _ in range(TRIES):
        hand = WholeHand(new_id(), job, name, player, deal_hands(solution, dice))
        _play_on(solution, hand, dice)
        if hand.ending is None:
            return hand
    raise Refused("this player has nothing to decide here: play the other one", "player", 409)


def act_in(
    solution: SpotSolution, hand: WholeHand, word: str, dice: np.random.Generator
) -> HandDecision:
    """Take an action in a hand, judge it, and play on to the next decision or to the end."""
    if hand.ending is not None:
        raise Refused("this hand is over: deal the next", "", 409)
    verdict = judge(solution, hand.line, hand.text, word)
    street = street_name(find_line(solution.game, hand.line).board)
    decision = HandDecision(street, hand.line, verdict)
    hand.decisions.append(decision)
    hand.line = f"{hand.line} {word}".strip()
    _play_on(solution, hand, dice)
    return decision


def _play_on(solution: SpotSolution, hand: WholeHand, dice: np.random.Generator) -> None:
    def stops(resolved: ResolvedLine, view: NodeView) -> bool:
        return view.player == hand.player and len(view.actions) > 1

    resolved = play_on(solution, hand.hands, hand.line, stops, dice)
    hand.line = resolved.line
    if resolved.kind == "end":
        hand.ending = _ending(solution, hand, resolved, dice)


def _ending(
    solution: SpotSolution, hand: WholeHand, resolved: ResolvedLine, dice: np.random.Generator
) -> HandEnding:
    """Who has won what where a hand is over; the cards to come of an all-in are dealt."""
    tree, player = solution.game.betting, hand.player
    holes = [hand_cards()[one].tolist() for one in hand.hands]
    how, winner = end_of(tree, resolved.node)
    board = list(resolved.board)
    better = 0
    if winner is not None:
        better = 1 if winner == player else -1
    else:
        known = {*board, *holes[0], *holes[1]}
        deck = [card for card in range(NUM_CARDS) if card not in known]
        missing = BOARD_CARDS[-1] - len(board)
        board += dice.choice(deck, missing, replace=False).tolist()
        own, other = (strength([*holes[p], *board]) for p in (player, 1 - player))
        better = (own > other) - (own < other)
    stake = float(tree.stake[resolved.node])
    outcomes = tree.outcomes(resolved.node)
    gains = Outcome(stake, 0.0, -stake) if outcomes is None else outcomes[player]
    gain = (gains.tie, gains.win, gains.lose)[better]
    return HandEnding(
        how=how,
        other=[format_card(card) for card in holes[1 - player]],
        board=[format_card(card) for card in board],
        won=round(gain - tree.given_up(0, player), DIGITS),
    )


def answer_hand(solution: SpotSolution, hand: WholeHand) -> HandAnswer:
    """A hand as the person sees it."""
    game, resolved = solution.game, find_line(solution.game, hand.line)
    spent = game.betting.spent[resolved.node]
    over = hand.ending is not None
    return HandAnswer(
        id=hand.id,
        job=hand.job,
        name=hand.name,
        player=hand.player,
        hand=[hand.text[:2], hand.text[2:]],
        line=hand.line,
        street=street_name(resolved.board),
        board=[format_card(card) for card in resolved.board],
        pot=game.betting.pot + int(spent.sum()),
        to_call=0 if over else int(spent.max() - spent[hand.player]),
        behind=[game.betting.stack - int(chips) for chips in spent],
        path=path_of(game, resolved),
        actions=[] if over else actions_of(game, resolved),
        decisions=list(hand.decisions),
        lost=round(hand.lost, DIGITS),
        lost_percent=round(hand.lost_percent(solution), DIGITS),
        ending=hand.ending,
    )
