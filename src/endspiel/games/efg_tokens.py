"""Tokens of Gambit's `.efg` text, each with the line it stands on."""

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from endspiel.errors import GameError

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
