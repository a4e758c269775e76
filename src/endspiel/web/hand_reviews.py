"""Hand histories that the page uploads: read, stored, reviewed with stated ranges, shown again."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import unquote

import msgspec
from msgspec import Meta, Struct

from endspiel.cards.streets import STREETS
from endspiel.errors import EndspielError
from endspiel.reading import any_text
from endspiel.review.judgments import Judgment, Review
from endspiel.review.kinds import POTS, pot_of
from endspiel.review.played import BrokenHand, PlayedHand
from endspiel.review.sources import parse_hands
from endspiel.web.messages import Asked, Name, Refused, SpotText, Text
from endspiel.web.presets import POT_RANGES, preset
from endspiel.web.shelf import Kept, Shelf
from endspiel.web.store import ServerFolder, new_id

HANDS_BYTES: Final = 20_000_000  # of an uploaded history
MOST_REVIEWS: Final = 100
MOST_LISTED: Final = 200  # hands that are not judged, of one reason
PASTED: Final = "pasted hands"
Pair = Annotated[list[Text], Meta(min_length=2, max_length=2)]


class HandReviewAsked(Asked):
    """What a review assumes and whom it judges."""

    begins: Literal["preflop", "flop", "turn", "river"] = "turn"
    player: Name = ""  # empty: everybody whose cards are known
    pots: dict[str, Pair] = msgspec.field(
        default_factory=dict
    )  # ranges by kind of pot, out of position first
    bet: Text | None = None
    raises: Text | None = msgspec.field(default=None, name="raise")
    target_percent: float = 0.5
    rake: Text = ""
    rake_cap: float | None = None


class StudyAsked(Asked):
    """A judged decision, by its number in the review."""

    decision: Annotated[int, Meta(ge=0)]


class SeenPlayer(Struct):
    """A player of the hands: in how many, and in how many with known cards."""

    name: str
    hands: int
    known: int


class SeenPot(Struct):
    """A kind of pot among the hands, and the ranges that a review would assume."""

    pot: str
    hands: int
    ranges: list[str]


class UnjudgedHand(Struct):
    """A hand or decision that is not judged, and why."""

    hand: str
    line: int
    reason: str


class ReviewTotal(Struct):
    """Decisions of a street or kind of spot, the mistakes among them, and what they lost."""

    name: str
    decisions: int
    mistakes: int
    big_blinds: float


class ReviewedDecision(Struct):
    """A judged decision; `error` is what its loss may be off by, in big blinds."""

    hand: str
    street: str
    player: str
    cards: str
    where: str
    taken: str
    best: str
    big_blinds: float
    error: float
    share: float
    kind: str
    mistake: bool


class ReviewResult(Struct):
    """What a review found, and the ranges and menus it assumed."""

    assumed: HandReviewAsked
    created: float
    finished: bool  # whether every hand was reached
    big_blinds: float
    streets: list[ReviewTotal]
    kinds: list[ReviewTotal]
    players: list[ReviewTotal]
    decisions: list[ReviewedDecision]
    unseen: int  # decisions of players whose cards are not known
    early: int  # hands that end before the review begins
    unsure: int  # losses that the charts cannot tell from nothing
    reasons: dict[str, int]
    unjudged: list[UnjudgedHand]


class HandReviewAnswer(Struct):
    """An uploaded history, and its review once there is one."""

    id: str
    name: str
    created: float
    hands: int
    players: list[SeenPlayer]
    pots: list[SeenPot]
    unread: list[UnjudgedHand]
    num_unread: int
    result: ReviewResult | None


class HandReviewEntry(Struct):
    """A review, as lists show it."""

    id: str
    name: str
    created: float
    hands: int
    decisions: int | None
    big_blinds: float | None


class HandReviewsAnswer(Struct):
    """Every review, newest first."""

    reviews: list[HandReviewEntry]


class ReviewStudyAnswer(Struct):
    """Where a decision is studied: the job of its spot and the line, or charts to solve."""

    job: str | None
    line: str
    address: str  # of the page, where no job is needed


class HandReview(Kept):
    """A history and its review, on the shelf."""

    shown: HandReviewAnswer
    links: list[str] = msgspec.field(
        default_factory=list
    )  # a decision each: the page's address of its spot


Found = PlayedHand | BrokenHand


class HandReviews:
    """The histories of a server: their texts, and what was found in them."""

    def __init__(self, store: ServerFolder) -> None:
        self.folder = store.folder / "reviews"
        self.shelf: Shelf[HandReview] = Shelf(self.folder, HandReview, "review", MOST_REVIEWS)

    def entries(self) -> HandReviewsAnswer:
        """Every review in a line, newest first."""
        newest = sorted(self.shelf.all(), key=lambda one: -one.shown.created)
        return HandReviewsAnswer([_entry(one.shown) for one in newest])

    def add(self, name: str, data: bytes) -> HandReviewAnswer:
        """Read a history and store it."""
        named = name.strip()[:120] or PASTED
        text = any_text(data, named)
        if not text.strip():
            raise Refused(f"{named} is empty", "file")
        try:
            hands = list(parse_hands(text, Path(named)))
        except EndspielError as error:
            raise Refused(str(error)[:300], "file") from error
        read = [hand for hand in hands if isinstance(hand, PlayedHand)]
        broken = [hand for hand in hands if isinstance(hand, BrokenHand)]
        if not read:
            why = f": {broken[0].reason}" if broken else ""
            raise Refused(f"{named} has no hand that can be reviewed{why}"[:300], "file")
        shown = HandReviewAnswer(
            new_id(), named, time.time(), len(read), _players(read), _pots(read),
            [_unjudged(one) for one in broken[:MOST_LISTED]], len(broken), None,
        )  # fmt: skip
        self.shelf.put(HandReview(id=shown.id, shown=shown))
        (self.folder / f"{shown.id}.txt").write_text(text, encoding="utf-8")
        return shown

    def hands(self, name: str) -> list[Found]:
        """The hands of a review's history, read again."""
        kept = self.shelf.get(name)
        try:
            text = (self.folder / f"{kept.id}.txt").read_text(encoding="utf-8")
        except OSError as error:
            raise Refused(f"the hands of {kept.shown.name} are gone: {error.strerror}") from error
        return list(parse_hands(text, Path(kept.shown.name)))

    def keep(self, name: str, asked: HandReviewAsked, found: Review, finished: bool) -> None:
        """Store what a review found."""
        kept = self.shelf.get(name)
        result = _result(asked, found, finished)
        shown = msgspec.structs.replace(kept.shown, result=result)
        links = [one.link for one in found.judgments]
        self.shelf.put(HandReview(id=kept.id, shown=shown, links=links))

    def forget(self, name: str) -> None:
        """Delete a review and its hands."""
        self.shelf.forget(name)
        (self.folder / f"{name}.txt").unlink(missing_ok=True)

    def spot_of(self, name: str, decision: int) -> tuple[SpotText | None, str, str]:
        """The spot of a decision and the line to it, or the address of its charts."""
        links = self.shelf.get(name).links
        if decision >= len(links):
            raise Refused(f"the review has {len(links)} decisions", "decision", 404)
        view, _, content = links[decision].partition("/open/")
        if not view.endswith("/spot"):
            return None, "", links[decision]
        table = json.loads(unquote(content))
        line = table.pop("node", "")
        return msgspec.convert(table, SpotText), str(line), ""


def _entry(shown: HandReviewAnswer) -> HandReviewEntry:
    result = shown.result
    return HandReviewEntry(
        shown.id,
        shown.name,
        shown.created,
        shown.hands,
        None if result is None else len(result.decisions),
        None if result is None else result.big_blinds,
    )


def _players(hands: Sequence[PlayedHand]) -> list[SeenPlayer]:
    """The players of hands, first those whose cards are known most often."""
    all_of, known = Counter[str](), Counter[str]()
    for hand in hands:
        for name, hole in zip(hand.players, hand.holes, strict=True):
            all_of[name] += 1
            known[name] += bool(hole)
    found = [SeenPlayer(name, count, known[name]) for name, count in all_of.items()]
    return sorted(found, key=lambda one: (-one.known, -one.hands, one.name))


def _pots(hands: Sequence[PlayedHand]) -> list[SeenPot]:
    """The kinds of pots among hands, each with the usual ranges."""
    counts = Counter(pot_of(hand) for hand in hands if hand.starts)
    return [
        SeenPot(pot, counts[pot], [preset(name) for name in POT_RANGES[pot]])
        for pot in POTS
        if counts[pot]
    ]


def _unjudged(one: BrokenHand) -> UnjudgedHand:
    return UnjudgedHand(one.name, one.line, one.reason)


def _result(asked: HandReviewAsked, found: Review, finished: bool) -> ReviewResult:
    """A review as the page shows it."""
    judged = found.judgments
    named: Counter[str] = Counter()
    listed = []
    for one in found.broken:
        named[one.reason] += 1
        if named[one.reason] <= MOST_LISTED:
            listed.append(_unjudged(one))
    return ReviewResult(
        assumed=asked,
        created=time.time(),
        finished=finished,
        big_blinds=sum(one.blinds for one in judged if one.mistake),
        streets=_totals([(STREETS[one.street], one) for one in judged], STREETS),
        kinds=_totals([(one.kind, one) for one in judged]),
        players=_totals([(one.player, one) for one in judged]),
        decisions=[_decision(one) for one in judged],
        unseen=found.unseen,
        early=len(found.early),
        unsure=len(found.unsure),
        reasons=found.reasons(),
        unjudged=listed,
    )


def _totals(judged: Sequence[tuple[str, Judgment]], order: Sequence[str] = ()) -> list[ReviewTotal]:
    """Totals by name: in the given order, else the dearest first."""
    found: dict[str, ReviewTotal] = {}
    for name, one in judged:
        total = found.setdefault(name, ReviewTotal(name, 0, 0, 0.0))
        total.decisions += 1
        total.mistakes += one.mistake
        total.big_blinds += one.blinds if one.mistake else 0.0
    if order:
        return [found[name] for name in order if name in found]
    return sorted(found.values(), key=lambda total: (-total.big_blinds, -total.decisions))


def _decision(one: Judgment) -> ReviewedDecision:
    fields: dict[str, Any] = one._asdict()
    taken = {name: fields[name] for name in ReviewedDecision.__struct_fields__ if name in fields}
    taken |= {"street": STREETS[one.street], "big_blinds": one.blinds, "mistake": one.mistake}
    return ReviewedDecision(**taken)
