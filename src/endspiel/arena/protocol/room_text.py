"""Heads-up hold'em hands as text in PokerStars' layout, which hand trackers and reviews read."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from endspiel.betting.menu import STREET_NAMES
from endspiel.cards.strength import category, strength
from endspiel.cards.text import format_cards
from endspiel.errors import FileError
from endspiel.rules.acpc import history
from endspiel.rules.amounts import format_pokerstars
from endspiel.rules.log import Record
from endspiel.rules.state import State, start

_BUTTON: Final = 1  # the position that posts the small blind
_SEATED: Final = (_BUTTON, 0)  # seat 1 has the button


class SavedHand(NamedTuple):
    """A finished hand, and when it ended."""

    record: Record
    seconds: float  # since 1970


def history_text(hands: list[SavedHand], table: str, hero: str) -> str:
    """The hands of a table, the hero's cards dealt face up."""
    return "\n\n\n".join("\n".join(_lines(hand, table, hero)) for hand in hands) + "\n"


def write_text(hands: list[SavedHand], path: Path, table: str, hero: str) -> None:
    """Write the hands of a table to a file."""
    try:
        path.write_text(history_text(hands, table, hero), encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def _lines(hand: SavedHand, table: str, hero: str) -> Iterator[str]:
    record, shown = hand.record, hand.record.shown
    end, game, names = shown.state, shown.state.game, record.names
    when = time.gmtime(hand.seconds)
    number = f"{time.strftime('%Y%m%d', when)}{shown.hand:07d}"
    small, big = game.blinds[_BUTTON], game.big_blind
    kind, stakes = "No Limit", f"{small}/{big}"
    if not game.no_limit:
        kind, stakes = "Limit", f"{game.raise_sizes[0]}/{game.raise_sizes[-1]}"
    date = time.strftime("%Y/%m/%d %H:%M:%S UTC", when)
    yield f"PokerStars Hand #{number}:  Hold'em {kind} ({stakes}) - {date}"
    yield f"Table {table!r} 2-max Seat #1 is the button"
    for seat, position in enumerate(_SEATED, 1):
        yield f"Seat {seat}: {names[position]} ({game.stacks[position]} in chips)"
    yield f"{names[_BUTTON]}: posts small blind {small}"
    yield f"{names[0]}: posts big blind {big}"
    yield "*** HOLE CARDS ***"
    yield f"Dealt to {hero} [{format_cards(shown.holes[names.index(hero)], ' ')}]"
    state = start(game)
    for street, actions in enumerate(history(end)):
        if street:
            yield _street(street, shown.board, game.board_sizes)
        for action in actions:
            yield f"{names[state.actor]}: {format_pokerstars(state, action)}"
            state = state.apply(action)
    yield from _end(record)


def _street(street: int, board: tuple[int, ...], sizes: tuple[int, ...]) -> str:
    before, now = board[: sizes[street - 1]], board[sizes[street - 1] : sizes[street]]
    parts = [f"[{format_cards(cards, ' ')}]" for cards in (before, now) if cards]
    return f"*** {STREET_NAMES[street].upper()} *** {' '.join(parts)}"


def _end(record: Record) -> Iterator[str]:
    """What is returned, shown and collected, and the summary."""
    shown, names = record.shown, record.names
    state, board = shown.state, shown.board
    least = min(state.spent)
    returned = max(state.spent) - least
    pot = state.pot - returned
    if returned:
        leader = state.spent.index(max(state.spent))
        yield f"Uncalled bet ({returned}) returned to {names[leader]}"
    hands = [f"[{format_cards(hole, ' ')}]" for hole in shown.holes]
    if state.showdown:
        yield "*** SHOW DOWN ***"
        for position in _SEATED:
            kind = category(strength([*shown.holes[position], *board]))
            yield f"{names[position]}: shows {hands[position]} ({kind})"
    won = [round(payoff + least) for payoff in record.payoffs]
    for name, chips in zip(names, won, strict=True):
        if chips > 0:
            yield f"{name} collected {chips} from pot"
    yield "*** SUMMARY ***"
    yield f"Total pot {pot} | Rake 0"
    if board:
        yield f"Board [{format_cards(board, ' ')}]"
    for seat, position in enumerate(_SEATED, 1):
        place = "(button) (small blind)" if position == _BUTTON else "(big blind)"
        yield f"Seat {seat}: {names[position]} {place} {_fate(state, position, hands, won)}"


def _fate(state: State, position: int, hands: list[str], won: list[int]) -> str:
    """How the hand went for one of the two."""
    if state.folded[position]:
        where = f"on the {STREET_NAMES[state.round].title()}" if state.round else "before Flop"
        return f"folded {where}"
    if not state.showdown:
        return f"collected ({won[position]})"
    shows = f"showed {hands[position]}"
    return f"{shows} and won ({won[position]})" if won[position] else f"{shows} and lost"
