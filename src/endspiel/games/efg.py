"""Gambit's `.efg` files (extensive games, format EFG 2 R) as `Game`.

A file lists the nodes of the tree in prefix order. A node is a chance move ``c``, a personal move
``p`` or an end ``t``. Infosets are numbered for each player, chance's apart, outcomes for the
whole file; each is described at its first occurrence and may be named by its number alone later.
An outcome may be attached to any node: what it pays adds up along the path.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, NoReturn

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.tree import Chance, Decision, Leaf, Node, build
from endspiel.reading import read_text

# Possessive throughout (++, *+, ?+): a long run of digits or quotes is read once, not squared.
_TOKEN = re.compile(
    r"""(?P<space>[\s,]+)
      | "(?P<string>(?:[^"\\]|\\.)*+)"
      | (?P<number>[+-]?(?:\d++/\d++|(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?\d++)?+)(?![\w.]))
      | (?P<word>[A-Za-z]\w*)
      | (?P<brace>[{}])""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_ESCAPE = re.compile(r'\\(["\\])')
_SHOWN = 40  # characters of an unreadable token that a message quotes


class Token(NamedTuple):
    """One token; text is what stands between the quotes of a string."""

    kind: str  # string, number, word, brace or end
    text: str
    line: int

    def __str__(self) -> str:
        if self.kind == "end":
            return "the end of the file"
        shown = self.text if len(self.text) <= _SHOWN else self.text[:_SHOWN] + "..."
        return f"{self.kind} {shown!r}"


class Tokens:
    """The tokens of a file, read one after the other; what does not fit is refused by name."""

    def __init__(self, text: str, source: str) -> None:
        self.source = source
        self._rest = _split(text, source)
        self.next = next(self._rest)

    def fail(self, message: str, token: Token | None = None) -> NoReturn:
        """Refuse the file at a token (the next one, unless another is given)."""
        raise GameError(f"{self.source}, line {(token or self.next).line}: {message}")

    def take(self, kind: str, what: str) -> Token:
        """The next token, which must be of a kind."""
        token = self.next
        if token.kind != kind:
            self.fail(f"expected {what}, found {token}")
        self.next = next(self._rest)
        return token

    def take_word(self, *words: str) -> Token:
        """The next token, which must be one of these words."""
        what = " or ".join(words)
        if self.next.kind == "word" and self.next.text not in words:
            self.fail(f"expected {what}, found {self.next}")
        return self.take("word", what)

    def at_brace(self, brace: str) -> bool:
        """Whether a brace comes next."""
        return self.next.kind == "brace" and self.next.text == brace

    def items(self, what: str) -> Iterator[None]:
        """Go through a list in braces: yields wherever another item begins."""
        if not self.at_brace("{"):
            self.fail(f"expected {{ and {what}, found {self.next}")
        self.take("brace", "{")
        while not self.at_brace("}"):
            if self.next.kind == "end":
                self.fail(f"expected {what} or }}, found {self.next}")
            yield
        self.take("brace", "}")

    def integer(self, what: str) -> int:
        """A whole number."""
        token = self.take("number", what)
        # Sixteen digits are more than any file numbers, and fewer than Python minds.
        if not re.fullmatch(r"[+-]?\d{1,16}", token.text):
            self.fail(f"expected {what}, found {token}", token)
        return int(token.text)

    def number(self, what: str) -> float:
        """A number, written as a decimal, with an exponent, or as a fraction."""
        token = self.take("number", what)
        above, _, below = token.text.partition("/")
        try:
            value = int(above) / int(below) if below else float(above)
        except (ZeroDivisionError, OverflowError, ValueError):
            value = float("inf")
        if abs(value) == float("inf"):
            self.fail(f"{what} is no finite number: {token}", token)
        return value


def _split(text: str, source: str) -> Iterator[Token]:
    """All tokens, then the end of the file for ever."""
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            if text[at] == '"':
                raise GameError(f"{source}, line {line}: a quoted string is not closed")
            found = re.match(r"\S{1,40}", text[at:])
            shown = found.group() if found else text[at]
            raise GameError(f"{source}, line {line}: cannot read {shown!r}")
        kind = str(match.lastgroup)
        if kind != "space":
            content = match.group(kind)
            if kind == "string":
                content = _ESCAPE.sub(r"\1", content)
            yield Token(kind, content, line)
        line += match.group().count("\n")
        at = match.end()
    while True:
        yield Token("end", "", line)


ZERO_SUM_TOLERANCE = 1e-6  # of the path's largest payoff: what writing six digits leaves
PROBABILITY_TOLERANCE = 1e-6  # for each branch, likewise
MOST_OF_A_TREE = 1 << 30  # bytes


def load_efg(path: str | Path) -> Game:
    """The game of a `.efg` file."""
    return parse_efg(read_text(path, MOST_OF_A_TREE), str(path))


def parse_efg(text: str, source: str = "efg") -> Game:
    """The game of `.efg` text; messages name the source and the line."""
    reader = _Reader(Tokens(text, source))
    reader.read_header()
    root = reader.read_tree()
    names = reader.infoset_names()

    def expand(node: _Node) -> Node:
        if node.infoset is None:
            return Leaf(node.paid[0] / 2 - node.paid[1] / 2)
        if node.infoset.player is None:
            return Chance(list(zip(node.infoset.probabilities, node.children, strict=True)))
        actions = list(zip(node.infoset.actions, node.children, strict=True))
        key = node.infoset.player, node.infoset.number
        return Decision(node.infoset.player, names[key], actions)

    try:
        return build(root, expand, reader.title or Path(source).stem)
    except GameError as error:
        raise GameError(f"{source}: {error}") from error


@dataclass(frozen=True)
class _EfgInfoset:
    """An infoset as its first occurrence describes it."""

    player: int | None  # None for chance
    number: int
    name: str
    actions: tuple[str, ...]  # [A]
    probabilities: tuple[float, ...]  # [A], of a chance move; they sum to 1
    line: int


@dataclass
class _Node:
    """A node of the file."""

    infoset: _EfgInfoset | None  # None at an end
    paid: tuple[float, float]  # sums of the outcomes up to and including this node
    largest: float  # size of the largest payoff among them
    children: list["_Node"] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return self.infoset is None or len(self.children) == len(self.infoset.actions)


class _Reader:
    """Reads a file from top to bottom, remembering infosets and outcomes by number."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._infosets: dict[tuple[int | None, int], _EfgInfoset] = {}
        self._outcomes: dict[int, tuple[tuple[float, float], int]] = {}  # payoffs and line
        self.title = ""

    def read_header(self) -> None:
        """``EFG 2 R``, the title, the players and the comment."""
        tokens = self._tokens
        tokens.take_word("EFG")
        if (version := tokens.integer("format version 2")) != 2:
            tokens.fail(f"format version {version} is unknown: 2 can be read")
        tokens.take_word("R", "D")
        self.title = tokens.take("string", "the game's title in quotes").text
        start = tokens.next
        players = [tokens.take("string", "a player's name") for _ in tokens.items("players")]
        if len(players) != 2:
            count = f"{len(players)} player{'s' * (len(players) != 1)}"
            tokens.fail(f"the game has {count}: two must play", start)
        if tokens.next.kind == "string":
            tokens.take("string", "a comment")

    def read_tree(self) -> _Node:
        """All nodes; each is the next child of the newest node that lacks one."""
        root = self._read_node((0.0, 0.0), 0.0)
        path = [root]
        while True:
            while path and path[-1].complete:
                path.pop()
            if not path:
                break
            parent = path[-1]
            node = self._read_node(parent.paid, parent.largest)
            parent.children.append(node)
            path.append(node)
        if self._tokens.next.kind != "end":
            self._tokens.fail(f"the tree is complete, but {self._tokens.next} follows")
        return root

    def _read_node(self, paid: tuple[float, float], largest: float) -> _Node:
        """The next node, after the parent's outcomes."""
        tokens = self._tokens
        start = tokens.take_word("c", "p", "t")
        name = tokens.take("string", "the node's name in quotes").text
        infoset = None if start.text == "t" else self._read_infoset(start)
        first, second = self._read_outcome()
        largest = max(largest, abs(first), abs(second))
        node = _Node(infoset, (paid[0] + first, paid[1] + second), largest)
        if infoset is None:
            self._require_zero_sum(node, name, start)
        return node

    def _read_infoset(self, start: Token) -> _EfgInfoset:
        """The infoset of a ``c`` or ``p`` node, described here or known by its number."""
        tokens = self._tokens
        player = self._read_player() if start.text == "p" else None
        number = tokens.integer("the infoset's number")
        whose = "chance's" if player is None else f"player {player + 1}'s"
        known = self._infosets.get((player, number))
        name = ""
        if tokens.next.kind == "string":
            name = tokens.take("string", "the infoset's name").text
        if not tokens.at_brace("{"):
            if known is None:
                tokens.fail(f"{whose} infoset {number} is used before its actions are listed")
            return known
        actions, probabilities = self._read_actions(player is None)
        if known is None:
            known = _EfgInfoset(player, number, name, actions, probabilities, start.line)
            self._infosets[player, number] = known
        elif (known.actions, known.probabilities) != (actions, probabilities):
            tokens.fail(
                f"{whose} infoset {number} has other actions or probabilities than on "
                f"line {known.line}",
                start,
            )
        return known

    def _read_player(self) -> int:
        start = self._tokens.next
        player = self._tokens.integer("the player's number")
        if player not in (1, 2):
            self._tokens.fail(f"player {player} does not exist: there are 1 and 2", start)
        return player - 1

    def _read_actions(self, chance: bool) -> tuple[tuple[str, ...], tuple[float, ...]]:
        """The list of actions; a chance move's have probabilities, which are made to sum to 1."""
        tokens, start = self._tokens, self._tokens.next
        names, probabilities = [], []
        for _ in tokens.items("actions"):
            names.append(tokens.take("string", "an action's name in quotes").text)
            if chance:
                where = tokens.next
                probabilities.append(tokens.number(f"the probability of action {names[-1]!r}"))
                if not 0 <= probabilities[-1] <= 1 + PROBABILITY_TOLERANCE:
                    tokens.fail(f"{where} is no probability", where)
        if not names:
            tokens.fail("a move needs at least one action", start)
        if chance:
            total = math.fsum(probabilities)
            if abs(total - 1) > PROBABILITY_TOLERANCE * len(names):
                tokens.fail(f"the probabilities of a chance move sum to {total!r}, not to 1", start)
            probabilities = [p / total for p in probabilities]
        return _distinct(names), tuple(probabilities)

    def _read_outcome(self) -> tuple[float, float]:
        """What the node's outcome pays; number 0 alone is no outcome."""
        tokens, start = self._tokens, self._tokens.next
        number = tokens.integer("the outcome's number")
        if tokens.next.kind == "string":
            tokens.take("string", "the outcome's name")
        known = self._outcomes.get(number)
        if not tokens.at_brace("{"):
            if known is None and number != 0:
                tokens.fail(f"outcome {number} is used before its payoffs are listed", start)
            return known[0] if known else (0.0, 0.0)
        payoffs = [tokens.number("a payoff") for _ in tokens.items("payoffs")]
        if len(payoffs) != 2:
            tokens.fail(f"outcome {number} has {len(payoffs)} payoffs for two players", start)
        pays = payoffs[0], payoffs[1]
        if number == 0:
            return pays
        if known is not None and known[0] != pays:
            tokens.fail(f"outcome {number} pays otherwise than on line {known[1]}", start)
        self._outcomes.setdefault(number, (pays, start.line))
        return pays

    def _require_zero_sum(self, node: _Node, name: str, start: Token) -> None:
        paid = node.paid
        # Written so that sums which are not finite are refused too.
        if not abs(paid[0] + paid[1]) <= ZERO_SUM_TOLERANCE * node.largest:
            which = f"terminal node {name!r}" if name else "a terminal node"
            self._tokens.fail(
                f"the game is general-sum: {which} pays {paid[0]:.12g} and {paid[1]:.12g}, "
                "which do not sum to zero",
                start,
            )

    def infoset_names(self) -> dict[tuple[int, int], str]:
        """A name for each (player, infoset number), different for the infosets of one player.

        They are the file's names where those tell all of a player's infosets apart, and begin
        with the infoset's number otherwise.
        """
        names = {}
        for player in (0, 1):
            own = [infoset for infoset in self._infosets.values() if infoset.player == player]
            given = {infoset.name for infoset in own}
            clear = len(given) == len(own) and "" not in given
            for infoset in own:
                numbered = f"{infoset.number} {infoset.name}".rstrip()
                names[player, infoset.number] = infoset.name if clear else numbered
        return names


def _distinct(names: list[str]) -> tuple[str, ...]:
    """The names, or numbered ones where two read the same or one is empty."""
    if "" not in names and len(set(names)) == len(names):
        return tuple(names)
    return tuple(f"{i} {name}".rstrip() for i, name in enumerate(names, start=1))
