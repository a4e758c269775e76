"""What a review costs a decision, in processor seconds of one thread.

The hands of `tests/data/hands/heads-up.txt`, reviewed before the flop, from the turn and from the
river on, once to compile and then `REPEATS` times by a new reviewer each, which remembers nothing.
Rivers are judged with a third of all hands out of position against every hand. The decisions of a
hand share the solve of their spot.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from endspiel.betting.menu import StreetMenu
from endspiel.cards.ranges import parse_range
from endspiel.cards.streets import STREETS
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.sources import read_hands

HANDS = Path(__file__).parents[1] / "tests" / "data" / "hands" / "heads-up.txt"
RANGES = (
    parse_range("22+,A2s+,K9s+,Q9s+,J9s+,T8s+,97s+,86s+,75s+,65s,A2o+,KTo+,QTo+,JTo"),
    np.ones(1326),
)
SETTINGS = ReviewSettings(RANGES, StreetMenu.parse("50%, 100%", "60%"))
REPEATS = 3


def cost(settings: ReviewSettings) -> tuple[int, float]:
    """Decisions judged, and processor seconds for each."""
    begun = time.process_time()
    review = Reviewer(settings).review(read_hands(HANDS))
    return len(review.judgments), (time.process_time() - begun) / len(review.judgments)


def main() -> None:
    """Print a line a street."""
    for first, last in ((0, 0), (2, 3), (3, 3)):
        settings = replace(SETTINGS, first_street=first, last_street=last)
        cost(settings)
        runs = [cost(settings) for _ in range(REPEATS)]
        best = min(seconds for _, seconds in runs)
        print(
            f"from the {STREETS[first]} on: {runs[0][0]} decisions, {best:.3f} s each", flush=True
        )


if __name__ == "__main__":
    main()
