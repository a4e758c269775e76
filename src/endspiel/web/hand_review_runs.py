"""Reviews that the page starts: hand by hand in a thread, with progress, stopped any time."""

from collections.abc import Iterator
from dataclasses import replace

from endspiel.betting.menu import StreetMenu
from endspiel.cards.ranges import parse_range
from endspiel.cards.streets import RIVER, STREETS
from endspiel.engine.limits import Limits
from endspiel.processors import processors
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.judgments import Review
from endspiel.review.kinds import POTS
from endspiel.web.events import Hub
from endspiel.web.hand_reviews import Found, HandReviewAsked, HandReviews
from endspiel.web.messages import Fields, Refused
from endspiel.web.presets import POT_RANGES, preset
from endspiel.web.ranges import read_weights
from endspiel.web.single_run import DONE, RUNNING, STOPPED, RunState, SingleRun, Work
from endspiel.web.spots import read_rake

FLOP_MENU = ("66%", "")  # bets and raises of a review that solves whole flops
LATER_MENU = ("50%, 100%", "60%")


class HandReviewRunAnswer(RunState):
    """A review under way, or the last one: how far it is, and of which history."""

    review: str = ""
    hands: int = 0
    finished: int = 0


class HandReviewRuns(SingleRun[HandReviewRunAnswer]):
    """Reviews one history at a time."""

    def __init__(self, reviews: HandReviews, hub: Hub) -> None:
        super().__init__(hub, "review", HandReviewRunAnswer("none"))
        self.reviews = reviews

    def review(self, name: str, asked: HandReviewAsked) -> HandReviewRunAnswer:
        """Begin a review, once what it assumes is seen to make sense."""
        return self.start(lambda: self._prepare(name, asked))

    def _prepare(self, name: str, asked: HandReviewAsked) -> Work[HandReviewRunAnswer]:
        settings = _settings(asked)
        kept = self.reviews.shelf.get(name).shown
        if asked.player and asked.player not in [player.name for player in kept.players]:
            raise Refused(f"{asked.player[:40]!r} is in none of these hands", "player")
        hands = self.reviews.hands(name)
        told = HandReviewRunAnswer(RUNNING, kept.name, review=name, hands=len(hands))
        return Work(told, lambda: self._review(hands, settings, asked, told))

    def _review(
        self,
        hands: list[Found],
        settings: ReviewSettings,
        asked: HandReviewAsked,
        told: HandReviewRunAnswer,
    ) -> str:
        found = Review()

        def each() -> Iterator[Found]:
            for hand in hands:
                if self.halted:
                    return
                yield hand
                told.finished += 1
                self.publish()

        try:
            halting = replace(settings, halt=self.halt)
            Reviewer(halting).review(each(), result=found)
            return STOPPED if self.halted else DONE
        finally:
            self.reviews.keep(told.review, asked, found, told.finished == told.hands)


def _settings(asked: HandReviewAsked) -> ReviewSettings:
    """The settings of a review; a refusal names the field of each mistake."""
    fields, pots = Fields(), {}
    stated = {pot: [preset(one) for one in both] for pot, both in POT_RANGES.items()}
    for pot, both in asked.pots.items():
        if pot not in POTS:
            raise Refused(f"{pot[:40]!r} is no kind of pot: {', '.join(POTS)}", "pots")
        stated[pot] = list(both)
    for pot, both in stated.items():
        read = [
            fields.make(f"pots.{pot}.{at}", lambda text=text: read_weights(text))  # type: ignore[misc]
            for at, text in enumerate(both)
        ]
        for at, weights in enumerate(read):
            if weights is not None and not weights.any():
                fields.make(f"pots.{pot}.{at}", _refuse_empty)
        if read[0] is not None and read[1] is not None:
            pots[pot] = (read[0], read[1])
    first = STREETS.index(asked.begins)
    usual = FLOP_MENU if first <= 1 else LATER_MENU
    bets = usual[0] if asked.bet is None else asked.bet
    raises = usual[1] if asked.raises is None else asked.raises
    menu = fields.make("bet", lambda: StreetMenu.parse(bets, ""))
    whole = fields.make("raise", lambda: StreetMenu.parse("", raises))
    fields.make("target", lambda: Limits(asked.target_percent / 100))
    rake = fields.make("rake", lambda: read_rake(asked.rake, asked.rake_cap))
    if asked.target_percent <= 0:
        fields.make("target", _refuse_target)
    fields.check()
    assert menu is not None
    assert whole is not None
    assert rake is not None
    every = parse_range("random")
    return ReviewSettings(
        (every, every),
        StreetMenu.parse(bets, raises),
        first_street=first,
        last_street=RIVER,
        player=asked.player or None,
        target=asked.target_percent / 100,
        threads=processors(),
        rake=rake,
        pots=pots,
    )


def _refuse_empty() -> None:
    raise Refused("the range has no hand")


def _refuse_target() -> None:
    raise Refused("the target is a percentage of the pot over 0")
