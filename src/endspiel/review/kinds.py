"""The kind of spot that a decision is in, in the words of the totals."""

from endspiel.games.preflop_charts import PLAYER_NAMES
from endspiel.review.played import PlayedHand
from endspiel.solving.views import NodeView

POTS = ("limped pot", "single-raised pot", "3-bet pot", "4-bet pot or more")  # by raises
_RAISES = ("", "facing a raise", "facing a 3-bet", "facing a 4-bet or more")
_SEATS = ("out of position", "in position")


def pot_of(hand: PlayedHand) -> str:
    """How often the pot was raised before the flop."""
    return POTS[min(hand.raises, len(POTS) - 1)]


def kind_of(hand: PlayedHand, view: NodeView) -> str:
    """``single-raised pot, in position, facing a bet``."""
    return f"{pot_of(hand)}, {_SEATS[view.player]}, {_facing(view)}"


def _facing(view: NodeView) -> str:
    """What the player answers to."""
    if view.to_call:
        last = view.node.split()[-1]
        return "facing a bet" if last.startswith("b") else "facing a raise"
    return "first to act" if view.player == 0 else "checked to"


def preflop_kind(player: int, line: str) -> str:
    """``before the flop, button, facing a 3-bet``."""
    words = line.split()
    raises = sum(word[0] == "r" for word in words)
    facing = _RAISES[min(raises, len(_RAISES) - 1)]
    if not raises:
        facing = "facing a limp" if words else "first to act"
    return f"before the flop, {PLAYER_NAMES[player]}, {facing}"
