"""A session of the protocol as a script has it: ask, and read the answer."""

from dataclasses import dataclass, field

import numpy as np

from endspiel.upi import open_session


@dataclass
class Talk:
    """A session in this process, and what it wrote."""

    written: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session = open_session(self.written.append)

    def ask(self, line: str) -> list[str]:
        """The lines of an answer, without those of a running solve."""
        before = len(self.written)
        self.session.answer(line)
        texts = [text for text in self.written[before:] if not text.startswith("SOLVER:")]
        return "\n".join(texts).split("\n")

    def done(self, *lines: str) -> None:
        """Commands that have nothing to tell."""
        for line in lines:
            assert self.ask(line) == [f"{line.split()[0]} ok!"]

    def rows(self, line: str) -> np.ndarray:
        """An answer of numbers [lines, 1326]."""
        return np.array([[float(word) for word in row.split()] for row in self.ask(line)])

    def order(self) -> list[str]:
        """The hands."""
        return self.ask("show_hand_order")[0].split()
