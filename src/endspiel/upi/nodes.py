"""Nodes by the names that scripts use: ``r:0:c:b50:c:8h:b200``.

``c`` checks or calls, ``f`` folds, ``b200`` brings all that its player has put in since the root to
200, and a card is named where one is dealt. ``r`` is the root before anything, ``r:0`` the first
decision. Children are listed as scripts expect them: bets and raises from large to small, then the
check or call, then the fold; cards from low to high.
"""

from dataclasses import dataclass

from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION, BettingTree
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.text import format_card, parse_card
from endspiel.errors import BettingError, CardError

ROOT_NAME, FIRST_NAME = "r", "r:0"


@dataclass(frozen=True)
class UpiNode:
    """A node of the betting on one board."""

    name: str
    number: int  # in the betting tree
    board: tuple[int, ...]
    line: str = ""  # the node as `SpotSolution` writes it: b50 c / 8h
    parent: "UpiNode | None" = None

    @property
    def is_root(self) -> bool:
        """Whether this is the root before the first decision."""
        return self.name == ROOT_NAME

    def child(self, token: str, number: int, word: str) -> "UpiNode":
        """The node after an action."""
        line = f"{self.line} {word}".strip()
        return UpiNode(f"{self.name}:{token}", number, self.board, line, self)

    def dealt(self, card: int, number: int) -> "UpiNode":
        """The node after a card."""
        name = format_card(card)
        board = (*self.board, card)
        return UpiNode(f"{self.name}:{name}", number, board, f"{self.line} / {name}", self)


def root_node(board: tuple[int, ...]) -> UpiNode:
    """``r``."""
    return UpiNode(ROOT_NAME, 0, board)


def child_nodes(tree: BettingTree, node: UpiNode) -> list[UpiNode]:
    """What follows a node, in the order that scripts expect."""
    if node.is_root:
        return [UpiNode(FIRST_NAME, 0, node.board, parent=None)]
    if tree.kind[node.number] == CHANCE:
        below = int(tree.first_child[node.number])
        cards = (card for card in range(NUM_CARDS) if card not in node.board)
        return [node.dealt(card, below) for card in cards]
    return [
        node.child(_token(tree, number), number, tree.word(number))
        for number in reversed(tree.children(node.number))
    ]


def find_node(tree: BettingTree, board: tuple[int, ...], name: str) -> UpiNode:
    """The node of a name; an error names the first word that does not fit."""
    words = name.split(":")
    node = root_node(board)
    if words[0] != ROOT_NAME:
        raise BettingError(f"no node {name[:80]!r}: names begin with {FIRST_NAME}")
    for word in words[1:]:
        children = child_nodes(tree, node)
        wanted = _tidied(word) if tree.kind[node.number] == CHANCE else word
        found = [child for child in children if child.name.rpartition(":")[2] == wanted]
        if not found:
            raise _nowhere(node, word, children)
        node = found[0]
    return node


def all_lines(tree: BettingTree) -> list[str]:
    """Every node's name without cards, once each, in the order of the tree."""
    names = [FIRST_NAME] * tree.num_nodes
    for number in range(1, tree.num_nodes):
        parent = int(tree.parent[number])
        dealt = tree.kind[parent] == CHANCE
        names[number] = names[parent] if dealt else f"{names[parent]}:{_token(tree, number)}"
    return [ROOT_NAME, *dict.fromkeys(names)]


def ends_the_betting(tree: BettingTree, number: int) -> bool:
    """Whether no decision follows a node: cards may, and the showdown does."""
    while tree.kind[number] == CHANCE:
        number = int(tree.first_child[number])
    return bool(tree.kind[number] != DECISION)


def _token(tree: BettingTree, number: int) -> str:
    """The action that led to a node."""
    action = int(tree.action[number])
    if action in (BY_FOLD, BY_CALL):
        return "f" if action == BY_FOLD else "c"
    actor = tree.player[tree.parent[number]]
    return f"b{tree.spent[number, actor]}"


def _tidied(word: str) -> str:
    try:
        return format_card(parse_card(word))
    except CardError:
        return word


def _nowhere(node: UpiNode, word: str, children: list[UpiNode]) -> BettingError:
    words = [child.name.rpartition(":")[2] for child in children]
    there = f"there are {', '.join(words)}" if words else "the hand is over"
    return BettingError(f"no {word[:20]!r} after {node.name}: {there}")
