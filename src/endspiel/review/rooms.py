"""How poker rooms write hand histories: what differs from room to room, as data.

All of them name the game in a header, list seats, and write one action a line, in English. They
differ in the words, in what follows a player's name, and in the number of a raise.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

_SEAT: Final = "[0-9]{1,3}"
_AMOUNT: Final = r"(?:[A-Z]{3} ?)?[$€£]?\s?\d[\d.,]*(?:\s?€)?"
_VERBS: Final = "folds|checks|calls|bets|raises"


@dataclass(frozen=True)
class PokerRoom:
    """The words of one room. Patterns name their groups."""

    name: str
    header: re.Pattern[str]  # hand
    game: re.Pattern[str]  # no-limit hold'em, in the first lines of a hand
    seat: re.Pattern[str]  # seat, name, chips
    street: re.Pattern[str]  # street, cards
    post: re.Pattern[str]  # kind, chips, live
    action: re.Pattern[str]  # verb, chips, to
    after_name: str  # between a player's name and the action
    ends: tuple[str, ...]  # lines after which no player acts
    summary: str
    asides: tuple[str, ...]  # other lines about a player, without meaning for the chips
    raises_add: bool = False  # whether a raise states the chips added, not the total


_STARS_ACTION: Final = re.compile(rf"(?P<verb>{_VERBS})(?: (?P<chips>\S+))?(?: to (?P<to>\S+))?")
_STARS_POST: Final = re.compile(
    r"posts (?P<kind>the ante|small blind|big blind|small & big blinds|straddle|missed blind)"
    r" (?P<chips>\S+)(?P<live>)"
)
_STARS_ASIDES: Final = ("doesn't show", "mucks", "sits out", "shows")
_STARS_SEAT: Final = re.compile(
    r"Seat (?P<seat>[0-9]{1,3}): (?P<name>.+) \((?P<chips>[^)]*) in chips.*\)"
)
_STARS_STREET: Final = re.compile(r"\*\*\* (?P<street>FLOP|TURN|RIVER) \*\*\* (?P<cards>.*)")

POKERSTARS: Final = PokerRoom(
    name="PokerStars",
    header=re.compile(r"PokerStars (?:Zoom )?(?:Hand|Game) #(?P<hand>\d+):"),
    game=re.compile(r"Hold'em No Limit"),
    seat=_STARS_SEAT,
    street=_STARS_STREET,
    post=_STARS_POST,
    action=_STARS_ACTION,
    after_name=": ",
    ends=("*** SHOW DOWN ***", "*** SUMMARY ***"),
    summary="*** SUMMARY ***",
    asides=_STARS_ASIDES,
)
GGPOKER: Final = replace(
    POKERSTARS,
    name="GGPoker",
    header=re.compile(r"Poker Hand #(?P<hand>[A-Z]*\d+):"),
    ends=("*** SHOWDOWN ***", "*** SUMMARY ***"),
    asides=(*_STARS_ASIDES, "Chooses to EV Cashout", "Pays Cashout Risk", "Receives Cashout"),
)
EIGHT: Final = PokerRoom(
    name="888poker",
    header=re.compile(r"\*{5} 888poker Hand History for Game (?P<hand>\d+) \*{5}"),
    game=re.compile(r"Blinds No Limit Holdem"),
    seat=re.compile(rf"Seat (?P<seat>{_SEAT}): (?P<name>.+) \( (?P<chips>{_AMOUNT}) \)"),
    street=re.compile(r"\*\* Dealing (?P<street>flop|turn|river) \*\* (?P<cards>.*)"),
    post=re.compile(
        r"posts (?P<kind>ante|small blind|big blind|dead blind)"
        rf" \[(?P<chips>{_AMOUNT})(?: \+ (?P<live>{_AMOUNT}))?\]"
    ),
    action=re.compile(rf"(?P<verb>{_VERBS})(?: \[(?P<chips>{_AMOUNT})\])?(?P<to>)"),
    after_name=" ",
    ends=("** Summary **",),
    summary="** Summary **",
    asides=("collected", "did not show", "shows", "mucks", "sits out", "has timed out"),
    raises_add=True,
)
WINAMAX: Final = PokerRoom(
    name="Winamax",
    header=re.compile(r"Winamax Poker - .*HandId: #(?P<hand>[\w-]+) - "),
    game=re.compile(r"Holdem no limit"),
    seat=re.compile(
        rf"Seat (?P<seat>{_SEAT}): (?P<name>.+) \((?P<chips>\d[\d.,]*\d|\d)\s?€?(?:, [^)]*)?\)"
    ),
    street=re.compile(r"\*\*\* (?P<street>FLOP|TURN|RIVER) \*\*\* (?P<cards>.*)"),
    post=re.compile(
        rf"posts (?P<kind>ante|small blind|big blind|straddle) (?P<chips>{_AMOUNT})(?P<live>)"
    ),
    action=re.compile(rf"(?P<verb>{_VERBS})(?: (?P<chips>{_AMOUNT}))?(?: to (?P<to>{_AMOUNT}))?"),
    after_name=" ",
    ends=("*** SHOW DOWN ***", "*** SUMMARY ***"),
    summary="*** SUMMARY ***",
    asides=("collected", "shows", "mucks", "denies", "sits out"),
)
ROOMS: Final = (POKERSTARS, GGPOKER, EIGHT, WINAMAX)
