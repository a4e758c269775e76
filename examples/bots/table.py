"""A bot that plays from a table of probabilities: here of Leduc hold'em, by rank, board and line.

endspiel lbr examples/bots/table.py:Table --game leduc --setting fcpa --boards 20
"""

from pathlib import Path

import endspiel as es

FILE = Path(__file__).with_name("table.csv")  # player,rank,board,line,fold,call,raise


class Table:
    """Looks every decision up; a line that the table lacks is an error that names it."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, ...], list[float]] = {}
        for text in FILE.read_text().splitlines()[1:]:
            fields = text.split(",")
            self.rows[tuple(fields[:4])] = [float(field) for field in fields[4:]]

    def strategy(self, state: es.PublicState, hand: tuple[int, ...]) -> dict[int, float]:
        """How often this hand takes each action."""
        rank = es.format_cards(hand)[0]
        board = es.format_cards(state.board)[:1]
        fold, call, more = self.rows[str(state.position), rank, board, state.line]
        raised = state.raise_to(1.0)
        chances = {es.FOLD: fold, es.CALL: call}
        if raised is not None:
            chances[raised] = more
        return {action: chance for action, chance in chances.items() if chance > 0}
