"""Leduc hold'em: one private card, one board card, two rounds of limit betting."""

from string import ascii_lowercase
from typing import NamedTuple

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.tree import Chance, Decision, Leaf, Node, build, check_histories

ANTE = 1
RAISES = (2, 4)  # size of a raise in each round
MAX_RAISES = 2  # in a round
_HISTORIES_OF_A_DEAL = 75  # after the board card: 15 nodes of betting, five lines that lead there


class _State(NamedTuple):
    cards: tuple[int, ...] = ()  # player 0's, player 1's, the board's
    lines: tuple[str, ...] = ("",)  # one line of betting a round
    spent: tuple[int, int] = (ANTE, ANTE)

    @property
    def player(self) -> int:
        return len(self.lines[-1]) % 2

    @property
    def facing(self) -> int:
        """Chips the player to move must add to call."""
        return self.spent[1 - self.player] - self.spent[self.player]

    def after(self, action: str) -> "_State":
        spent = list(self.spent)
        if action != "f":
            spent[self.player] += self.facing
        if action == "r":
            spent[self.player] += RAISES[len(self.lines) - 1]
        lines = (*self.lines[:-1], self.lines[-1] + action)
        return self._replace(lines=lines, spent=(spent[0], spent[1]))


def leduc(ranks: int = 3, suits: int = 2) -> Game:
    """Leduc hold'em with any number of ranks and suits; cards of one rank differ by suit."""
    if ranks < 2 or suits < 2:
        raise GameError(f"Leduc hold'em needs two ranks and two suits, not {ranks} and {suits}")
    if suits > len(ascii_lowercase):
        raise GameError(f"Leduc hold'em names suits a to z, so {suits} suits are too many")
    count = ranks * suits
    least = count * (count - 1) * (count - 2) * _HISTORIES_OF_A_DEAL
    check_histories(f"Leduc hold'em with {count:,} cards", least, f"{least:,} histories or more")
    deck = range(count)

    def card_name(card: int) -> str:
        return f"{card // suits}{ascii_lowercase[card % suits]}"

    def showdown(state: _State) -> float:
        board = state.cards[2] // suits
        strength = [((card // suits) == board, card // suits) for card in state.cards[:2]]
        if strength[0] == strength[1]:
            return 0
        return state.spent[0] if strength[0] > strength[1] else -state.spent[0]

    def expand(state: _State) -> Node:
        if not state.cards:
            deals = [(i, j) for i in deck for j in deck if i != j]
            return Chance([(1 / len(deals), state._replace(cards=deal)) for deal in deals])
        line = state.lines[-1]
        if line.endswith("f"):
            folder = 1 - state.player
            return Leaf(-state.spent[0] if folder == 0 else state.spent[1])
        if len(line) > 1 and line.endswith("c"):
            if len(state.lines) == 2:
                return Leaf(showdown(state))
            left = [card for card in deck if card not in state.cards]
            return Chance(
                [
                    (1 / len(left), _State((*state.cards, card), (*state.lines, ""), state.spent))
                    for card in left
                ]
            )
        legal = ["f"] if state.facing else []
        legal += ["c", "r"] if line.count("r") < MAX_RAISES else ["c"]
        seen = [card_name(card) for card in (state.cards[state.player], *state.cards[2:])]
        infoset = f"{'|'.join(seen)}:{'/'.join(state.lines)}"
        return Decision(state.player, infoset, [(a, state.after(a)) for a in legal])

    return build(_State(), expand, "leduc", unit=float(ANTE))
