"""ACPC text: actions, betting, ``STATE`` and ``MATCHSTATE`` lines, read strictly, printed exactly.

Reading accepts only what the competition's dealer would have printed for the same hand, so a line
that is read prints back as it was. Sizes are total chips over the whole hand.
"""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.text import format_card
from endspiel.errors import IllegalAction, StateError
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

_ACTION: Final = re.compile(r"f|c|r[0-9]*")
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_MAX_HAND: Final = 2**32 - 1
_TEXTS: Final = tuple(format_card(card) for card in range(NUM_CARDS))
_CARDS: Final = {text: card for card, text in enumerate(_TEXTS)}


class MatchState(NamedTuple):
    """One hand as somebody sees it: a player, or with position None the dealer, who sees all."""

    position: int | None
    hand: int
    state: State
    holes: tuple[tuple[int, ...], ...]  # [N][H], empty where unseen
    board: tuple[int, ...]  # the cards on the table in this round


def view(state: State, deal: Deal, hand: int, position: int | None = None) -> MatchState:
    """What a position (or the dealer) sees: other hands only at a showdown, unless folded."""
    holes = tuple(
        hole if _sees(state, position, owner) else () for owner, hole in enumerate(deal.holes)
    )
    return MatchState(
        position, hand, state, holes, deal.board[: state.game.board_sizes[state.round]]
    )


def _sees(state: State, position: int | None, owner: int) -> bool:
    if position is None or position == owner:
        return True
    return state.showdown and not state.folded[owner]


def format_action(state: State, action: int) -> str:
    """``f``, ``c``, ``r`` or in no-limit ``r300``; the state is the one acted in."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c"
    return f"r{action}" if state.game.no_limit else "r"


def parse_action(state: State, text: str) -> int:
    """The action that a text means in a state; whether it is legal is for the state to say."""
    if not _ACTION.fullmatch(text):
        raise StateError(f"no action {text[:20]!r}: an action is f, c or r")
    if text == "f":
        return FOLD
    if text == "c":
        return CALL
    if state.game.no_limit:
        if not _NUMBER.fullmatch(text[1:]) or text == "r0":
            raise StateError(f"action {text[:20]!r}: a no-limit raise is r and the chips put in")
        return int(text[1:])
    if text != "r":
        raise StateError(f"action {text[:20]!r}: a limit raise is r without a size")
    bounds = state.raise_bounds()
    if bounds is None:  # any size names the raise that verify will refuse
        return state.max_spent + state.game.raise_sizes[state.round]
    return bounds[0]


def parse_betting(game: GameDef, text: str) -> State:
    """The state after a line of betting; IllegalAction names the action the rules refuse."""
    *_, state = states_of(game, text)
    if state.line != text:
        raise StateError(f"betting {text[:80]!r} should read {state.line!r}")
    return state


def states_of(game: GameDef, text: str) -> list[State]:
    """The states that a line of betting passes through, the first of the hand included."""
    states = [start(game)]
    at = 0
    while at < len(text):
        if text[at] == "/":
            at += 1
            continue
        match = _ACTION.match(text, at)
        if match is None:
            raise StateError(f"no action {text[at : at + 10]!r} in betting {text[:80]!r}")
        states.append(states[-1].apply(parse_action(states[-1], match[0])))
        at = match.end()
    return states


def history(state: State) -> tuple[tuple[int, ...], ...]:
    """The actions of every round so far, replayed from the line: [rounds][actions]."""
    replayed = start(state.game)
    rounds: list[tuple[int, ...]] = []
    for street in state.line.split("/"):
        actions = []
        for text in _ACTION.findall(street):
            action = parse_action(replayed, text)
            actions.append(action)
            replayed = replayed.apply(action)
        rounds.append(tuple(actions))
    return tuple(rounds)


def format_state(shown: MatchState) -> str:
    """``STATE:hand:betting:cards`` or ``MATCHSTATE:position:hand:betting:cards``."""
    head = "STATE" if shown.position is None else f"MATCHSTATE:{shown.position}"
    return f"{head}:{shown.hand}:{shown.state.line}:{_format_table(shown)}"


def _format_table(shown: MatchState) -> str:
    """Hole cards by position, then the board by round: ``7d3d|2hAc/5sKs7s/9s``."""
    parts = ["|".join(_format_run(hole) for hole in shown.holes)]
    begin = 0
    for end in shown.state.game.board_sizes[: shown.state.round + 1]:
        parts.append(_format_run(shown.board[begin:end]))
        begin = end
    # The first round's board, empty in every common game, follows the last hand directly.
    return "/".join([parts[0] + parts[1], *parts[2:]])


def _format_run(cards: Iterable[int]) -> str:
    return "".join(_TEXTS[card] for card in cards)


def parse_state(game: GameDef, line: str) -> MatchState:
    """A ``STATE`` or ``MATCHSTATE`` line without payoffs or names; a line ending is allowed."""
    fields = line.rstrip("\r\n").split(":")
    position = None
    if fields[0] == "MATCHSTATE" and len(fields) == 5:
        position = _parse_number(fields.pop(1), "position", game.num_players - 1)
    elif fields[0] != "STATE" or len(fields) != 4:
        raise StateError(
            f"{line[:80]!r} is neither STATE:hand:betting:cards "
            "nor MATCHSTATE:position:hand:betting:cards"
        )
    hand = _parse_number(fields[1], "hand number", _MAX_HAND)
    state = parse_betting(game, fields[2])
    holes, board = _parse_table(state, fields[3])
    shown = MatchState(position, hand, state, holes, board)
    _check_sight(shown)
    return shown


def parse_reply(game: GameDef, line: str) -> tuple[MatchState, int]:
    """A client's reply, the state it saw and ``:action``; the action may yet be illegal."""
    seen, _, text = line.rstrip("\r\n").rpartition(":")
    shown = parse_state(game, seen)
    if shown.state.finished:
        raise IllegalAction(f"a reply of {text[:20]!r} to a finished hand")
    return shown, parse_action(shown.state, text)


def _parse_number(text: str, what: str, most: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) > most:
        raise StateError(f"{what} {text[:20]!r} is not a number from 0 to {most}")
    return int(text)


def _parse_table(state: State, text: str) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """Hole cards by position and the board; every card of the deck and dealt once."""
    game = state.game
    first, *later = text.split("/")
    hands = first.split("|")
    if len(hands) != game.num_players or len(later) != state.round:
        raise StateError(
            f"cards {text[:80]!r} show {len(hands)} players and {len(later)} boards; "
            f"expected {game.num_players} and {state.round}"
        )
    opening = 2 * game.num_board_cards[0]
    last = hands[-1]
    hands[-1] = last[: len(last) - opening]
    boards = [last[len(last) - opening :] if opening else "", *later]
    holes = tuple(_parse_run(hand) for hand in hands)
    board: list[int] = []
    for number, run in enumerate(boards):
        cards = _parse_run(run)
        if len(cards) != game.num_board_cards[number]:
            raise StateError(
                f"cards {text[:80]!r}: round {number + 1} deals "
                f"{game.num_board_cards[number]} board cards, not {len(cards)}"
            )
        board += cards
    _check_deal(game, [*(card for hole in holes for card in hole), *board], text)
    return holes, tuple(board)


def _parse_run(text: str) -> tuple[int, ...]:
    cards = []
    for at in range(0, len(text), 2):
        card = _CARDS.get(text[at : at + 2])
        if card is None:
            raise StateError(f"no card {text[at : at + 2]!r} in {text[:80]!r}")
        cards.append(card)
    return tuple(cards)


def _check_deal(game: GameDef, cards: list[int], text: str) -> None:
    """Refuse cards dealt twice or foreign to the deck."""
    deck = set(game.deck)
    for card in cards:
        if card not in deck:
            # Removing each card as it is seen distinguishes the two faults.
            fault = "dealt twice" if card in game.deck else "not in the deck"
            raise StateError(f"cards {text[:80]!r}: {_TEXTS[card]} is {fault}")
        deck.remove(card)


def _check_sight(shown: MatchState) -> None:
    """Refuse hands of a wrong size, hidden from their owner, or shown to others too early."""
    count = shown.state.game.num_hole_cards
    for owner, hole in enumerate(shown.holes):
        expected = count if _sees(shown.state, shown.position, owner) else 0
        if len(hole) != expected:
            seer = "the dealer" if shown.position is None else f"position {shown.position}"
            raise StateError(
                f"{seer} sees {expected} cards of position {owner} after "
                f"{shown.state.line!r}, not {len(hole)}"
            )
