"""Played hands against solved strategies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from endspiel.bounds import MOST_THREADS, MOST_UNITS, PERCENT
from endspiel.errors import EndspielError
from endspiel.games.rakes import rake_typed
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about
from endspiel.processors import processors
from endspiel.progress import Progress

if TYPE_CHECKING:
    from endspiel.review.judge import ReviewSettings
    from endspiel.review.judgments import Judgment, Review
    from endspiel.review.played import BrokenHand, PlayedHand

OPENS: Final = "2x, 3x, a"  # those of the charts that come along
RERAISES: Final = "3x, a"
DEAREST: Final = 10  # mistakes that are listed
NAMED: Final = 20  # hands that are not judged for one reason, on the screen


class ReviewJob(Job, frozen=True):
    """List the EV that each played decision lost.

    Every hand is solved from the turn on (or preflop, flop, river) with the stated ranges, and with
    its own bets among the menus' bets. Hands that cannot be read or judged are listed with their
    line and the reason.
    """

    uses: ClassVar = ()
    ledger: ClassVar = "Folder of solved spots"
    older: ClassVar = ("--cache",)

    file: Annotated[
        str,
        about(
            "A history of PokerStars, GGPoker, 888poker or Winamax, an ACPC log, or a .phh or "
            ".phhs file.",
            metavar="FILE",
            argument=True,
        ),
    ]
    oop: Annotated[str, about("Range out of position where the review begins.")] = "random"
    ip: Annotated[str, about("Range in position where the review begins.")] = "random"
    street: Annotated[
        str,
        about(
            "The first street that is solved: preflop, flop, turn or river. preflop is for "
            "hands that two play alone; the charts then give the ranges on the flop.",
            option="--from",
        ),
    ] = "turn"
    to: Annotated[str, about("The last street whose decisions are judged.")] = "river"
    player: Annotated[str, about("Judge the decisions of this player only.")] | None = None
    bet: (
        Annotated[
            str,
            about(
                "Bets of the solution besides those made (default 50%, 100%; from the flop on 66%)."
            ),
        ]
        | None
    ) = None
    raises: (
        Annotated[
            str,
            about(
                "Raises of the solution besides those made (default 60%; from the flop on none).",
                option="--raise",
            ),
        ]
        | None
    ) = None
    opens: Annotated[str, about("Before the flop: first raises besides those made.")] = OPENS
    reraises: Annotated[str, about("Before the flop: later raises besides those made.")] = RERAISES
    target: Annotated[float, about("Solve to this exploitability", units=PERCENT, usual="0.5%")] = (
        0.5
    )
    game: (
        Annotated[
            str,
            about(
                "The rules of an ACPC log or a PHH file, by name or file; by default those that "
                "the log's header names, or nolimit-holdem."
            ),
        ]
        | None
    ) = None
    rake: Annotated[str, about("Rake of each pot, as in 5%.")] | None = None
    rake_cap: Annotated[float, about("Rake cap, in the file's money.", 0.0, MOST_UNITS)] | None = (
        None
    )
    page: Annotated[str, about("Address of the study page, for links into it.")] = (
        "http://127.0.0.1:8733"
    )
    threads: Annotated[int, about("Threads; by default all cores.", 1, MOST_THREADS)] | None = None

    def read(self) -> Files:
        return {"FILE": self.file, "--game": self.game}

    def run(self, context: Context = ALONE) -> "ReviewFound":
        from endspiel import files
        from endspiel.review.judge import Reviewer
        from endspiel.review.sources import read_hands

        settings = self._settings(context)
        if context.resume is not None:
            files.make_folder(context.resume)
        reviewer, hands = Reviewer(settings), list(read_hands(self.file, self.game))

        def each() -> "Iterator[PlayedHand | BrokenHand]":
            for number, hand in enumerate(hands):
                context.observe(Progress("hands", number, len(hands), text=f"hand {hand.name}"))
                if context.halted():
                    return
                yield hand
            context.observe(Progress("hands", len(hands), len(hands)))

        found = reviewer.review(each())
        if self.player is not None and not found.hands:
            raise EndspielError(
                f"{self.player[:40]!r} is in no hand of {self.file} that could be read"
            )
        return ReviewFound(self, found, reviewer.spots)

    def _settings(self, context: Context) -> "ReviewSettings":
        """How spots are made and solved; every mistake is refused before the work."""
        from endspiel import files
        from endspiel.betting.menu import StreetMenu
        from endspiel.cards.ranges import parse_range
        from endspiel.engine.limits import Limits
        from endspiel.review.before_flop import PreflopMenus
        from endspiel.review.judge import ReviewSettings
        from endspiel.solving.spots import SpotOptions

        first, last = _street("--from", self.street), _street("--to", self.to)
        if last < first:
            raise EndspielError(f"a review from the {self.street} on cannot end on the {self.to}")
        usual = ("66%", "") if self.street in ("preflop", "flop") else ("50%, 100%", "60%")
        if context.resume is not None:
            files.check_folder(context.resume)
        for text in (self.opens, self.reraises):
            StreetMenu.parse("", text)
        bet = usual[0] if self.bet is None else self.bet
        raises = usual[1] if self.raises is None else self.raises
        threads = self.threads or processors()
        Limits(target_units=self.target / 100)
        SpotOptions(threads=threads)
        return ReviewSettings(
            (parse_range(self.oop), parse_range(self.ip)),
            StreetMenu.parse(bet, raises),
            first_street=first,
            last_street=last,
            player=self.player,
            preflop=PreflopMenus(self.opens, self.reraises),
            target=self.target / 100,
            threads=threads,
            cache=context.resume,
            rake=rake_typed(self.rake, self.rake_cap),
            page=self.page,
        )


class ReviewFound(Result):
    """What decisions lost."""

    def __init__(self, job: ReviewJob, found: "Review", spots: int) -> None:
        self.job, self.found, self.spots = job, found, spots

    def record(self) -> dict[str, Any]:
        return _result(self.found, self.spots)

    def lines(self) -> Iterator[str]:
        return _lines(self.found, self.job.file, self.job.street)


def _street(option: str, name: str) -> int:
    from endspiel.cards.streets import STREETS

    if name not in STREETS:
        raise EndspielError(f"{option} is preflop, flop, turn or river, not {name[:20]!r}")
    return STREETS.index(name)


def _result(found: "Review", spots: int) -> dict[str, Any]:
    from endspiel.cards.streets import STREETS

    def totals(by: dict[str, tuple[int, float]]) -> dict[str, dict[str, float]]:
        return {
            name: {"decisions": count, "big_blinds_lost": lost}
            for name, (count, lost) in by.items()
        }

    return {
        "hands": found.hands,
        "others": found.others,
        "spots": spots,
        "decisions": len(found.judgments),
        "unseen": found.unseen,
        "unsure": [one._asdict() for one in found.unsure],
        "streets": totals({name: found.lost(at) for at, name in enumerate(STREETS)}),
        "kinds": totals(found.kinds()),
        "players": totals(found.players()),
        "dearest": [_told(one) for one in found.dearest(DEAREST)],
        "judgments": [_told(one) for one in found.judgments],
        "early": [one._asdict() for one in found.early],
        "broken": [one._asdict() for one in found.broken],
        "reasons": found.reasons(),
    }


def _assumed(one: "Judgment") -> str:
    """The ranges that a loss assumes, where they are not those of the options."""
    from endspiel.cards.deck import NUM_HANDS
    from endspiel.cards.ranges import parse_range
    from endspiel.review.judge import STATED

    if one.by in ("", STATED):
        return ""
    shares = [100 * float(parse_range(text).sum()) / NUM_HANDS for text in one.ranges]
    within = f", to {one.error:.2f} bb" if one.street == 0 else ""
    return (
        f"{within}\n             by {one.by}: out of position {shares[0]:.1f}% of hands, "
        f"in position {shares[1]:.1f}%"
    )


def _told(one: "Judgment") -> dict[str, Any]:
    from endspiel.cards.streets import STREETS

    return one._asdict() | {"street": STREETS[one.street]}


def _lines(found: "Review", file: str, begins: str) -> Iterator[str]:
    from endspiel.cards.streets import STREETS

    yield (
        f"{found.hands} hands, {len(found.judgments)} decisions judged, "
        f"{found.unseen} of players whose cards are not known"
    )
    if found.unsure:
        yield (
            f"{len(found.unsure)} more lose less than the charts may be off by: not judged (--json "
            "names them)"
        )
    if found.early:
        yield f"{len(found.early)} hands end before the {begins}"
    if found.others:
        yield f"{found.others} hands are of others"
    by_street = {name: found.lost(at) for at, name in enumerate(STREETS)}
    for by in (by_street, found.kinds(), found.players()):
        for name, (count, lost) in by.items():
            if count:
                yield f"  {name}: {count} decisions, {lost:.2f} big blinds lost"
    dearest = found.dearest(DEAREST)
    if dearest:
        yield f"The {DEAREST} dearest mistakes:"
    elif found.judgments:
        yield "No decision loses more than its solve may be off by."
    for one in dearest:
        where = f"after {one.where!r}" if one.where else "first to act"
        yield (
            f"  {one.blinds:6.2f} bb  {file}:{one.line} hand {one.hand}, {STREETS[one.street]}: "
            f"{one.player} with {one.cards}, {where}: {one.taken} ({100 * one.share:.0f}%), "
            f"best {one.best}{_assumed(one)}\n             {one.link}"
        )
    if found.broken:
        yield f"Not judged: {len(found.broken)}"
    for reason, count in found.reasons().items():
        named = [one for one in found.broken if one.reason == reason]
        for broken in named[:NAMED]:
            yield f"  {file}:{broken.line} hand {broken.name}: {reason}"
        if count > NAMED:
            yield f"  and {count - NAMED} more hands: {reason} (--json names all)"
