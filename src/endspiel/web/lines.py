"""Lines of a solved spot: where one ends, what may follow, and how it came there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from msgspec import Struct

from endspiel.betting.menu import STREET_NAMES
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.text import format_card
from endspiel.errors import BettingError
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import Place, find_place, words_of
from endspiel.solving.views import action_name

Kind = Literal["decision", "deal", "end"]
MAX_WORDS: Final = 400  # no tree is as deep; a longer line is no line


class PathStep(Struct):
    """One step from the root to a node."""

    line: str
    player: int | None
    kind: Kind
    word: str
    name: str


class ActionAnswer(Struct):
    """One action at a node, and where it leads."""

    word: str
    name: str
    kind: str
    amount: int
    allin: bool
    line: str
    leads_to: Kind
    frequency: float | None = None
    combos: float | None = None
    ev: float | None = None


@dataclass(frozen=True)
class ResolvedLine:
    """Where a line ends."""

    line: str  # tidied
    words: tuple[str, ...]
    node: int  # of the betting tree
    kind: Kind
    place: Place  # the decision here, or the last one before
    board: tuple[int, ...]
    taken: int = -1  # number of the action taken at that last decision


def kind_of(tree: BettingTree, node: int) -> Kind:
    """What happens at a betting node; after an all-in nothing is left to look at but the end."""
    if tree.kind[node] == DECISION:
        return "decision"
    if tree.kind[node] == CHANCE and tree.kind[tree.first_child[node]] == DECISION:
        return "deal"
    return "end"


def find_line(game: CardGame, text: str) -> ResolvedLine:
    """Where a line ends; an error names the first word that does not fit."""
    words = words_of(text)
    if len(words) > MAX_WORDS:
        raise BettingError(f"a line of {len(words)} words is longer than any tree is deep")
    if words and words[-1] == "/":
        words = words[:-1]
    node = game.betting.find(" ".join(_betting(words)))
    kind = kind_of(game.betting, node)
    if kind == "decision":
        place = find_place(game, " ".join(words))
        return ResolvedLine(place.text, tuple(words), node, kind, place, place.cards)
    if game.betting.kind[node] == CHANCE and words and not _is_action(words):
        raise BettingError(f"nothing is dealt after {' '.join(words[:-2])!r} that matters")
    place = find_place(game, " ".join(words[:-1]))
    taken = game.betting.words(place.node).index(words[-1])
    line = f"{place.text} {words[-1]}".strip()
    return ResolvedLine(line, tuple(words), node, kind, place, place.cards, taken)


def _betting(words: list[str]) -> list[str]:
    """The words without the dealt cards; each follows a ``/``."""
    return [word for at, word in enumerate(words) if at == 0 or words[at - 1] != "/"]


def _is_action(words: list[str]) -> bool:
    return len(words) < 2 or words[-2] != "/"


def street_name(board: Sequence[int]) -> str:
    """``flop``, ``turn`` or ``river``: that of a board."""
    return STREET_NAMES[len(board) - 2]


def actions_of(game: CardGame, resolved: ResolvedLine) -> list[ActionAnswer]:
    """What may be done at a decision."""
    tree, node = game.betting, resolved.node
    spent = tree.spent[node]
    player = int(tree.player[node])
    to_call = int(spent.max() - spent[player])
    answers = []
    for child, word in zip(tree.children(node), tree.words(node), strict=True):
        chips = int(tree.action[child])
        kind = {"f": "fold", "c": "call" if to_call else "check", "b": "bet"}.get(word[0], "raise")
        answers.append(
            ActionAnswer(
                word=word,
                name=action_name(word, to_call),
                kind=kind,
                amount=max(0, chips),
                allin=word != "f" and int(tree.spent[child, player]) >= tree.stack,
                line=f"{resolved.line} {word}".strip(),
                leads_to=kind_of(tree, child),
            )
        )
    return answers


def cards_of(game: CardGame, resolved: ResolvedLine) -> list[dict[str, str]]:
    """The cards that may be dealt after a line, each with the line that it makes."""
    found = []
    for card in range(NUM_CARDS):
        if card in resolved.board:
            continue
        name = format_card(card)
        line = f"{resolved.line} / {name}"
        try:
            find_place(game, line)
        except BettingError:  # every pair of hands has a card of it
            continue
        found.append({"card": name, "line": line})
    return found


def path_of(game: CardGame, resolved: ResolvedLine) -> list[PathStep]:
    """Every step from the root to where a line ends."""
    tree, node, steps = game.betting, 0, []
    words = resolved.words
    at = 0
    while at < len(words):
        line = " ".join(words[:at])
        if words[at] == "/":
            card = words[at + 1]
            steps.append(PathStep(line, None, "deal", card, card))
            node, at = int(tree.first_child[node]), at + 2
            continue
        spent, player = tree.spent[node], int(tree.player[node])
        name = action_name(words[at], int(spent.max() - spent[player]))
        steps.append(PathStep(line, player, "decision", words[at], name))
        node, at = int(tree.first_child[node]) + tree.words(node).index(words[at]), at + 1
    return steps


def end_of(tree: BettingTree, node: int) -> tuple[str, int | None]:
    """How the hand ends at a node, and who has won it if nothing is to be shown."""
    if tree.kind[node] == FOLD:
        return "fold", 1 - int(tree.player[node])
    return "showdown", None
