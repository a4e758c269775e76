"""The bot of docs/bots.md.

endspiel lbr examples/bots/my_bot.py:MyBot --setting fcpa --boards 20
"""

import endspiel as es


class MyBot:
    def strategy(self, state: es.PublicState, hand: tuple[int, ...]) -> dict[int, float]:
        """How often this hand takes each action: {action: probability}."""
        high, low = sorted((card // 4 for card in hand), reverse=True)  # 0 is a two, 12 an ace
        raised = state.raise_to(1.0)  # by the size of the pot; None where no raise is legal
        if high == low and raised is not None:
            return {raised: 1.0}
        if high >= 8 or not state.to_call:
            return {es.CALL: 1.0}
        return {es.FOLD: 1.0}
