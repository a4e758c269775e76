"""A bot of rules: raise good hands, call with fair ones, fold the rest.

endspiel lbr examples/bots/by_rules.py:Rules --setting fcpa --boards 20
"""

import endspiel as es


class Rules:
    """Judges a hand by its ranks, and by whether it meets the board."""

    def strategy(self, state: es.PublicState, hand: tuple[int, ...]) -> dict[int, float]:
        """How often this hand takes each action: {action: probability}."""
        high, low = sorted((card // 4 for card in hand), reverse=True)  # 0 is a two, 12 an ace
        board = [card // 4 for card in state.board]
        pair = high == low or high in board or low in board
        good = pair and (not board or high >= max(board))
        raised = state.raise_to(1.0)  # by the size of the pot; None where no raise is legal
        if good and raised is not None:
            return {raised: 0.75, es.CALL: 0.25}
        if good or pair or high >= 10 or not state.to_call:
            return {es.CALL: 1.0}
        return {es.FOLD: 1.0}
