"""The state of a hand while it is read, from any source; chips are hundredths.

Any number of players may begin; the two who are left when the flop is dealt are judged, or the two
who began alone.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from endspiel.errors import StateError
from endspiel.review.played import (
    BOARD_CARDS,
    FOLDED,
    PlayedAction,
    PlayedHand,
    PlayedPreflop,
    StreetStart,
)

CENTS: Final = 100
MOST: Final = 10**13  # hundredths: more is no money


def count_cents(amount: Decimal, text: str) -> int:
    """Hundredths of an amount of money; an error names it as it is written."""
    shown = repr(text[:20])
    if not (amount.is_finite() and 0 <= amount * CENTS <= MOST):
        raise StateError(f"no amount {shown}")
    cents = amount * CENTS
    if cents != cents.to_integral_value():
        raise StateError(f"{shown} is finer than hundredths")
    return int(cents)


@dataclass
class HandState:
    """What is known while a hand is read."""

    stacks: dict[str, int] = field(default_factory=dict)  # by name
    seats: dict[int, str] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    street_spent: dict[str, int] = field(default_factory=dict)
    antes: dict[str, int] = field(default_factory=dict)
    blinds: dict[str, int] = field(default_factory=dict)  # a straddle is added to them
    unusual: bool = False  # whether somebody posted what a game heads-up does not ask for
    holes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    board: tuple[int, ...] = ()
    street: int = 0
    button: int = 0
    big_blind: int = 0
    raises: int = 0  # before the flop
    starts: dict[int, tuple[int, dict[str, int]]] = field(default_factory=dict)
    actions: list[tuple[int, str, int]] = field(default_factory=list)
    over: bool = False

    def sit(self, seat: int, name: str, chips: int) -> None:
        """A player with a seat and a stack."""
        if seat in self.seats or name in self.stacks:
            raise StateError(f"{name} sits down twice, or where somebody sits")
        self.seats[seat], self.stacks[name] = name, chips

    def put_in(self, name: str, chips: int, dead: int = 0) -> None:
        """Chips of a player, on this street and in all; dead ones count for no street."""
        self.spent[name] = self.spent.get(name, 0) + chips + dead
        self.street_spent[name] = self.street_spent.get(name, 0) + chips
        if self.spent[name] > self.stacks[name]:
            raise StateError(f"{name} puts in more than the stack")

    def post_ante(self, name: str, chips: int) -> None:
        """An ante: in the pot, and no bet."""
        self.antes[name] = self.antes.get(name, 0) + chips
        self.put_in(name, 0, dead=chips)

    def post_blind(self, name: str, chips: int) -> None:
        """A blind, or a straddle."""
        self.blinds[name] = self.blinds.get(name, 0) + chips
        self.put_in(name, chips)

    def act(self, name: str, folds: bool, raises: bool) -> None:
        """Note what a player did, its chips put in."""
        if self.street == 0 and raises:
            self.raises += 1
        self.actions.append((self.street, name, FOLDED if folds else self.spent.get(name, 0)))

    def deal(self, street: int, found: tuple[int, ...]) -> None:
        """The cards of a street, and the chips with which it begins."""
        if street >= len(BOARD_CARDS):
            raise StateError("cards are dealt after the river")
        if street != self.street + 1:
            raise StateError("a street is missing")
        self.board = found if len(found) > len(self.board) else (*self.board, *found)
        if len(self.board) != BOARD_CARDS[street]:
            raise StateError(f"the board has {len(self.board)} cards, not {BOARD_CARDS[street]}")
        self.street, self.street_spent = street, {}
        self.starts[street] = (sum(self.spent.values()), dict(self.spent))

    def played(self, name: str, start: int) -> PlayedHand:
        """The hand of the two who saw the flop, or began alone; it begins at a line of its file."""
        if not self.big_blind:
            raise StateError("no player posts the big blind")
        pair = self._two()
        first, second = pair
        starts = {
            street: StreetStart(pot, (spent.get(first, 0), spent.get(second, 0)))
            for street, (pot, spent) in self.starts.items()
        }
        actions = self._actions(pair, after_flop=True)
        return PlayedHand(
            name,
            start,
            self.big_blind,
            pair,
            (self.stacks[first], self.stacks[second]),
            (self.holes.get(first, ()), self.holes.get(second, ())),
            self.board,
            starts,
            actions,
            unit=1 / CENTS,
            raises=self.raises,
            preflop=self._preflop(pair),
        )

    def _actions(self, pair: tuple[str, str], after_flop: bool) -> tuple[PlayedAction, ...]:
        """What the two did before the flop, or after it."""
        found = []
        for street, who, chips in self.actions:
            if (street > 0) == after_flop:
                if who not in pair:
                    raise StateError(f"{who} acts after folding")
                found.append(PlayedAction(street, pair.index(who), chips))
        return tuple(found)

    def _two(self) -> tuple[str, str]:
        """Who is judged, the first to act after the flop first."""
        two = self._playing()
        if len(two) != 2:
            folders = {who for street, who, chips in self.actions if (street, chips) == (0, FOLDED)}
            two = [who for who in two if who not in folders and who in self.spent]
            if 1 not in self.starts:
                raise StateError("it ends before the flop")
            if len(two) != 2:
                raise StateError(f"{len(two)} players see the flop, not two")
        order = [self.seats[seat] for seat in sorted(self.seats, key=self._after_button)]
        first, second = sorted(two, key=order.index)
        return first, second

    def _playing(self) -> list[str]:
        """Who posted or acted at all."""
        acted = {who for _, who, _ in self.actions}
        return [who for who in self.stacks if who in self.spent or who in acted]

    def _preflop(self, pair: tuple[str, str]) -> PlayedPreflop | None:
        """The play before the flop of two who began alone, with usual blinds."""
        big, button = (self.blinds.get(who, 0) for who in pair)
        antes = {self.antes.get(who, 0) for who in pair}
        usual = 0 < button <= big or button >= 2 * big
        if self.unusual or not usual or len(antes) > 1 or set(self._playing()) != set(pair):
            return None
        actions = self._actions(pair, after_flop=False)
        straddles = button >= 2 * big
        small = min(button, big // 2) if straddles else button
        return PlayedPreflop(small, antes.pop(), button if straddles else 0, actions)

    def _after_button(self, seat: int) -> int:
        """How far a seat is behind the button: the order in which players act after the flop."""
        return (seat - self.button - 1) % (max(self.seats) + 1)
