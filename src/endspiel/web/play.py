"""The table as the person sees it, and the legal actions."""

from dataclasses import replace
from typing import Any, Final

from msgspec import Struct

from endspiel.cards.text import format_card
from endspiel.errors import RulesError
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State
from endspiel.web.messages import Refused

GAMES: Final = ("nolimit-holdem", "limit-holdem")
MOST_CHIPS: Final = 1_000_000
SHARES: Final = (0.33, 0.5, 0.75, 1.0, 1.5)  # of the pot, offered as raises


class Rate(Struct):
    """Big blinds won in a hundred hands, and half of the 95% interval."""

    bb_per_100: float | None = None  # None before the first hand
    half_width: float | None = None  # None before the second


class OwnLoss(Struct):
    """What the person's own decisions lost, in the hands judged so far."""

    hands: int = 0
    waiting: int = 0
    decisions: int = 0
    lost: float = 0.0  # big blinds


class PlayAnswer(Struct):
    """A table as the person sees it."""

    id: str
    agent: str
    game: str
    technique: str
    hand: int
    seat: int
    blinds: tuple[int, int]
    stack: int | None  # none in limit, where stacks do not run out
    street: str
    board: list[str]
    hole: list[str]
    agent_hole: list[str] | None
    pot: int
    spent: list[int]
    to_call: int
    turn: str
    thinking: bool
    error: str
    line: str
    log: list[dict[str, Any]]
    legal: dict[str, Any] | None
    result: dict[str, Any] | None
    hands: int
    total: float
    rate: Rate
    own: OwnLoss
    solves: dict[str, int]  # the agent's solved decisions in this session, by how
    fallbacks: dict[str, int]  # those not made as asked, by reason
    gaps: dict[str, dict[str, float]]  # of the solved ones, by street, as shares of the pot


def make_game(name: str, stack: int, blinds: tuple[int, int]) -> GameDef:
    """Hold'em with these stakes, the big blind first; bets of limit are one and two big blinds."""
    if name not in GAMES:
        raise Refused(f"no game {name[:40]!r}: there are {', '.join(GAMES)}", "game")
    if not 0 < blinds[1] <= blinds[0] <= MOST_CHIPS:
        raise Refused(f"blinds are {list(blinds)}: the big one first, both above 0", "blinds")
    plain = load_rules(name)
    if not plain.no_limit:
        raises = tuple(size * blinds[0] // plain.big_blind for size in plain.raise_sizes)
        return replace(plain, blinds=tuple(blinds), raise_sizes=raises)
    if not 2 * blinds[0] <= stack <= MOST_CHIPS:
        raise Refused(f"the stack is {stack}: from two big blinds to {MOST_CHIPS:,} chips", "stack")
    if (stack, stack) == plain.stacks and blinds == plain.blinds:
        return plain
    try:
        return replace(plain, stacks=(stack, stack), blinds=tuple(blinds))
    except RulesError as error:
        raise Refused(str(error), "stack") from error


def legal_of(state: State) -> dict[str, Any]:
    """What the person may do, with some sizes to choose from; in limit there is one."""
    bounds = state.raise_bounds()
    least, most = bounds if bounds is not None else (None, None)
    sizes = []
    if least is not None and not state.game.no_limit:
        sizes = [{"name": "limit", "to": least}]
    elif least is not None and most is not None:
        after = state.pot + state.to_call
        for share in SHARES:
            to = state.max_spent + round(share * after)
            if least < to < most:
                sizes.append({"name": f"{100 * share:.0f}%", "to": to})
        sizes.insert(0, {"name": "min", "to": least})
        sizes.append({"name": "all-in", "to": most})
    return {
        "fold": state.can_fold(),
        "call": True,
        "call_chips": state.to_call,
        "min_to": least,
        "max_to": most,
        "street_start": state.street_start,
        "sizes": sizes if len(sizes) != 2 or least != most else sizes[1:],
    }


def card_names(cards: tuple[int, ...]) -> list[str]:
    return [format_card(card) for card in cards]
