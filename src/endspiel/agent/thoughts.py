"""Why an agent did what it did: the strategy it followed, with every hand, and where it is from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from endspiel.cards.classes import class_names, hand_classes
from endspiel.cards.deck import hand_cards
from endspiel.cards.text import format_cards, format_hand
from endspiel.rules.state import CALL, FOLD

Floats = NDArray[np.float64]
SHOWN: Final = 8  # classes of hands shown of a range


@dataclass(frozen=True, eq=False)
class Thought:
    """One decision of an agent; it may be shown only after the hand.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.rules.state import start
        >>> rules = es.load_rules("nolimit-holdem")
        >>> agent = es.make_agent("blueprint", rules)
        >>> agent.begin(seed=1)
        >>> action = agent.act(start(rules), tuple(es.parse_cards("AsAh")), ())
        >>> (thought,) = agent.thoughts
        >>> thought.source, thought.actions[thought.chosen] == action
        ('blueprint', True)
    """

    line: str  # the betting before it, as ACPC writes it
    board: tuple[int, ...]
    hand: int  # number of the hand it held
    source: str  # what the strategy is: "blueprint", "endgame unsafe", ...
    why: str  # one sentence
    actions: tuple[int, ...]  # [A]
    strategy: Floats  # [A, 1326] what it would have done with every hand
    own: Floats  # [1326] its range, as its strategy brought it here
    other: Floats  # [1326] the opponent's range, as it believes
    chosen: int  # place of the action taken
    seconds: float
    exploitability: float | None = None  # of the endgame's strategy, as a share of the pot

    def word(self, place: int) -> str:
        """An action in ACPC's letters."""
        action = self.actions[place]
        return "f" if action == FOLD else "c" if action == CALL else f"r{action}"


def tell(thought: Thought) -> Iterator[str]:
    """The thought in lines for a person."""
    board = format_cards(thought.board, " ") or "preflop"
    hand = format_hand(hand_cards()[thought.hand].tolist())
    yield f"{board}, after {thought.line or 'the blinds'!r}: {thought.source}, {thought.why}"
    held = thought.strategy[:, thought.hand]
    yield f"  with {hand}: {_mix(thought, held)}; took {thought.word(thought.chosen)}"
    total = thought.own.sum()
    if total > 0:
        yield f"  with its whole range: {_mix(thought, thought.strategy @ thought.own / total)}"
    yield f"  its range: {_range(thought.own)}"
    yield f"  yours, as it believes: {_range(thought.other)}"


def _mix(thought: Thought, shares: Floats) -> str:
    parts = [
        f"{thought.word(place)} {100 * share:.0f}%"
        for place, share in enumerate(shares)
        if share >= 0.005
    ]
    return ", ".join(parts)


def _range(weights: Floats) -> str:
    """The classes of hands that make up most of a range, with their shares."""
    by_class = np.bincount(hand_classes(), weights)  # [169]
    total = by_class.sum()
    if total <= 0:
        return "nothing"
    first = np.argsort(-by_class, kind="stable")[:SHOWN]
    names = class_names()
    parts = [f"{names[c]} {100 * by_class[c] / total:.1f}%" for c in first if by_class[c] > 0]
    more = int((by_class > 0).sum()) - len(parts)
    return ", ".join(parts) + (f" and {more} more kinds of hands" if more > 0 else "")
