"""How exploitable an answer is, and the game in which that was measured: every answer says it."""

from collections.abc import Iterable, Sequence
from typing import Any

from endspiel.batch.report import BoardReport
from endspiel.cards.text import format_cards
from endspiel.games.spot import Spot
from endspiel.solving.solution import SpotSolution

UNIT = "percent of the pot"


def spot_certificate(solution: SpotSolution) -> dict[str, Any]:
    """That of a solved spot: measured by best responses to the stored strategies."""
    share = solution.exploitability
    return {
        "exploitability": 100 * share,
        "unit": UNIT,
        "chips": share * solution.spot.pot,
        "exact": True,
        "game": spot_game(solution.spot, solution.locks),
    }


def spot_game(spot: Spot, locks: Sequence[str] = ()) -> str:
    """The game of a spot in a sentence or two."""
    where = f"on {format_cards(spot.board, ' ')}" if spot.board else "before the flop"
    told = (
        f"heads-up, {where}, pot {spot.pot}, {spot.stack} behind, the ranges given, every hand by "
        "itself; both players use only the bet sizes of the menus"
    )
    if locks:
        told += f"; {len(locks)} locked nodes are held fixed, and no response leaves them"
    return told


def report_certificate(made: BoardReport) -> dict[str, Any]:
    """That of a report: the mean of its boards by weight, and the worst board."""
    worst = max((row["exploitability"] for row in made.rows), default=None)
    mean = made.mean.get("exploitability")
    spot = made.spot
    return {
        "exploitability": None if mean is None else 100 * mean,
        "worst": None if worst is None else 100 * worst,
        "unit": UNIT,
        "exact": True,
        "game": f"each board by itself: heads-up, pot {spot.pot}, {spot.stack} behind, the ranges "
        "given, every hand by itself; both players use only the bet sizes of the menus",
    }


def preflop_certificate(record: dict[str, Any]) -> dict[str, Any]:
    """That of charts before the flop: of their tree, and how far off its flop values may be."""
    flops = record["flop_value"].get("by") or record["flop_value"]["model"]
    return {
        "exploitability": record["exploitability"],
        "unit": "of the prizes" if record["prizes"] else "big blinds a hand",
        "error": record["error_bb"],
        "exact": record["error_bb"] == 0,
        "game": f"the tree before the flop of this stack and these raises, heads-up; flops are "
        f"valued by: {flops}. error is the most by which the values of lines taken often may be "
        "off, in big blinds",
    }


def review_certificate(spots: Iterable[SpotSolution], before: bool) -> dict[str, Any]:
    """That of a review: the worst of the spots that it judged by."""
    shares = [100 * one.exploitability for one in spots]
    told = (
        "each hand's spot with the ranges stated, the menus' bets and the bets that were made; a "
        "loss holds against opponents with those ranges"
    )
    if before:
        told += "; before the flop charts, whose error each judgment states in big blinds"
    return {
        "exploitability": sum(shares) / len(shares) if shares else None,
        "worst": max(shares, default=None),
        "unit": UNIT,
        "exact": not before,
        "game": told,
    }
