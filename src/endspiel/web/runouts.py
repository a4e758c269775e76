"""The run-out report: every card that may come, how it is played and what it is worth."""

from typing import Any

import numpy as np

from endspiel.betting.menu import STREET_NAMES
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import action_name
from endspiel.web.class_values import DIGITS
from endspiel.web.lines import cards_of, find_line
from endspiel.web.messages import Refused


def answer_runouts(solution: SpotSolution, text: str) -> dict[str, Any]:
    """Every card after a line: frequencies of the first actions, EV and equity of both players."""
    game = solution.game
    resolved = find_line(game, text)
    if resolved.kind != "deal":
        raise Refused(f"no card is dealt after {resolved.line!r}", "line")
    views = [(card, solution.view(card["line"])) for card in cards_of(game, resolved)]
    # A card is as likely as pairs of hands leave it in the deck: by the pairs that meet on it.
    masses = np.array([float(view.reach @ view.met) for _, view in views])
    shares = masses / masses.sum() if masses.any() else masses
    first = views[0][1]
    cards = []
    for (card, view), share in zip(views, shares.tolist(), strict=True):
        reached = bool(view.weight.any())
        equity = view.mean(view.equity) if reached else None
        cards.append(
            {
                **card,
                "probability": round(share, DIGITS),
                "frequencies": [round(float(f), DIGITS) for f in view.frequencies]
                if reached
                else None,
                "ev": [round(ev, DIGITS) for ev in solution.evs_at(view)] if reached else None,
                "equity": _both(equity, view.player),
            }
        )
    return {
        "line": resolved.line,
        "street": STREET_NAMES[len(resolved.board) - 1],
        "player": first.player,
        "pot": first.pot,
        "words": list(first.actions),
        "actions": [action_name(word, 0) for word in first.actions],
        "cards": cards,
        "mean": {key: _mean(cards, key) for key in ("frequencies", "ev", "equity")},
    }


def _both(share: float | None, player: int) -> list[float] | None:
    """A share of one player and what it leaves to the other, player 0's first."""
    if share is None or share != share:
        return None
    pair = [round(share, DIGITS), round(1.0 - share, DIGITS)]
    return pair if player == 0 else pair[::-1]


def _mean(cards: list[dict[str, Any]], key: str) -> list[float] | None:
    """Mean over the cards, by how likely they are."""
    known = [(card[key], card["probability"]) for card in cards if card[key] is not None]
    weights = np.array([weight for _, weight in known])
    if not weights.any():
        return None
    mean = np.average(np.array([values for values, _ in known]), axis=0, weights=weights)
    return [float(value) for value in mean.round(DIGITS)]
