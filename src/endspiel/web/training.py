"""Drills: decisions of solved spots to answer, and what an answer loses.

A question is a hand at a node that the solution gets to: hands and cards are dealt, and both play
as solved up to one of the drilled player's decisions.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from msgspec import Struct

from endspiel.cards.deck import hand_cards
from endspiel.cards.removal import conflicts
from endspiel.cards.text import format_card, format_hand
from endspiel.errors import EndspielError
from endspiel.kernels.arrays import Floats
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView, action_name
from endspiel.web.class_values import DIGITS, numbers
from endspiel.web.lines import (
    ActionAnswer,
    PathStep,
    ResolvedLine,
    actions_of,
    cards_of,
    find_line,
    path_of,
)
from endspiel.web.messages import Numbers, Refused

# Grades 5 to 0 by what an answer loses, in percent of the pot; from GOOD on it is good.
LOSSES: Final = (0.3, 1.0, 3.0, 8.0, 20.0)
GOOD: Final = 3
TRIES: Final = 200  # hands dealt before a player who never decides is reported


class Question(Struct):
    """A decision to answer."""

    id: str
    job: str
    name: str
    line: str
    board: list[str]
    hand: list[str]
    player: int
    pot: int
    to_call: int
    behind: list[int]
    path: list[PathStep]
    actions: list[ActionAnswer]  # without their frequencies, which are asked for
    again: bool  # it was answered badly before
    due: int  # decisions of this solve that are due
    link: str = ""  # where it is studied, if that is not the solve's own page


class Verdict(Struct):
    """What an answer is worth."""

    word: str
    best: str
    words: list[str]
    actions: list[str]
    strategy: Numbers  # [A]
    action_ev: Numbers  # [A]
    lost: float  # chips
    lost_percent: float  # of the pot
    grade: int  # 5 is best
    good: bool
    next_seconds: float | None = None  # until it comes again; None where it need not
    judged: bool = True  # not where the loss is within its error: such an answer counts for nothing
    error: float = 0.0  # chips by which the loss may be off, where that is known
    by: str = ""  # what the ranges are of, before the flop
    ranges: list[str] = []  # those assumed, the big blind's first


def deal_decision(
    solution: SpotSolution, player: int | None, dice: np.random.Generator
) -> tuple[str, str]:
    """Line and hand of a decision, each as often as play comes there."""
    for _ in range(TRIES):
        drilled = int(dice.integers(2)) if player is None else player
        found = _play(solution, drilled, dice)
        if found:
            line, hand = found[int(dice.integers(len(found)))]
            return line, format_hand(hand_cards()[hand].tolist())
    raise Refused("this player has nothing to decide here: drill the other one", "player", 409)


def _play(solution: SpotSolution, drilled: int, dice: np.random.Generator) -> list[tuple[str, int]]:
    """The decisions (line, hand) of a player in one hand, both playing as solved."""
    hands = deal_hands(solution, dice)
    found: list[tuple[str, int]] = []

    def note(resolved: ResolvedLine, view: NodeView) -> bool:
        if view.player == drilled and len(view.actions) > 1:
            found.append((resolved.line, hands[drilled]))
        return False

    play_on(solution, hands, "", note, dice)
    return found


def play_on(
    solution: SpotSolution,
    hands: tuple[int, int],
    line: str,
    stops: Callable[[ResolvedLine, NodeView], bool],
    dice: np.random.Generator,
) -> ResolvedLine:
    """Play two hands as solved from a line on, to a decision at which to stop or to the end."""
    held = {format_card(card) for hand in hands for card in hand_cards()[hand].tolist()}
    while True:
        resolved = find_line(solution.game, line)
        if resolved.kind == "end":
            return resolved
        if resolved.kind == "deal":
            lines = [c["line"] for c in cards_of(solution.game, resolved) if c["card"] not in held]
            line = lines[int(dice.integers(len(lines)))]
            continue
        view = solution.view(resolved.place)
        if stops(resolved, view):
            return resolved
        shares = view.strategy[:, _place_of(view, hands[view.player])]
        taken = view.actions[int(dice.choice(len(shares), p=shares / shares.sum()))]
        line = f"{resolved.line} {taken}".strip()


def deal_hands(solution: SpotSolution, dice: np.random.Generator) -> tuple[int, int]:
    """A hand each, as likely as the ranges make them together."""
    first, second = (solution.range_at(solution.node(""), player) for player in (0, 1))
    while True:
        one, two = (int(dice.choice(len(w), p=w / w.sum())) for w in (first, second))
        if not conflicts()[one, two]:
            return one, two


def _place_of(view: NodeView, hand: int) -> int:
    """Where a hand is among those of a view."""
    places = np.flatnonzero(view.hands == hand)
    if len(places) == 0:
        raise Refused(f"{format_hand(hand_cards()[hand].tolist())} is not held here", "hand", 409)
    return int(places[0])


def ask(solution: SpotSolution, line: str, hand: str) -> Question:
    """The question of a decision; who keeps it gives it its id and its solve's name."""
    resolved = find_line(solution.game, line)
    spent = solution.game.betting.spent[resolved.node]
    view = solution.view(resolved.place)
    return Question(
        id="",
        job="",
        name="",
        line=resolved.line,
        board=[format_card(card) for card in resolved.board],
        hand=[hand[:2], hand[2:]],
        player=view.player,
        pot=view.pot,
        to_call=view.to_call,
        behind=[solution.game.betting.stack - int(chips) for chips in spent],
        path=path_of(solution.game, resolved),
        actions=actions_of(solution.game, resolved),
        again=False,
        due=0,
    )


def judge(solution: SpotSolution, line: str, hand: str, word: str) -> Verdict:
    """What an action loses with a hand against the best one, by the solution's values."""
    view = solution.view(line)
    if word not in view.actions:
        raise Refused(f"no action {word[:20]!r}: there are {', '.join(view.actions)}", "word")
    (k,) = view.chosen(hand).tolist()
    evs = view.action_ev[:, k]
    if np.isnan(evs).any():
        raise EndspielError(f"{hand} meets no hand after {line!r}: there is no answer")
    names = [action_name(one, view.to_call) for one in view.actions]
    return verdict_of(word, list(view.actions), names, view.strategy[:, k], evs, view.pot)


def verdict_of(
    word: str, words: list[str], names: list[str], strategy: Floats, evs: Floats, pot: float
) -> Verdict:
    """What an action loses against the best one; shares and values [A] are those of one hand."""
    lost = max(0.0, float(evs.max() - evs[words.index(word)]))
    percent = 100 * lost / pot
    grade = next((5 - at for at, most in enumerate(LOSSES) if percent <= most), 0)
    return Verdict(
        word=word,
        best=words[int(evs.argmax())],
        words=words,
        actions=names,
        strategy=numbers(strategy),
        action_ev=numbers(evs),
        lost=round(lost, DIGITS),
        lost_percent=round(percent, DIGITS),
        grade=grade,
        good=grade >= GOOD,
    )
