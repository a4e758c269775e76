"""What assistants ask of the tools, as types: schemas, bounds and help come from here."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_SEED
from endspiel.web.messages import Asked, LockAsked, Name, PreflopAsked, SpotText, Text

WAIT: Final = 45.0  # seconds: clients give up after a minute
Percent = Annotated[float, Meta(gt=0, lt=100)]
WaitSeconds = Annotated[
    float,
    Meta(
        ge=0,
        le=3600,
        description="Seconds to wait for the answer; after them the answer is a job to ask for "
        "by the tool job.",
    ),
]
GivenSpot = Annotated[
    SpotText | Text,
    Meta(
        description="A spot: an object, or the text of a spot file (TOML). Ranges are out of "
        "position first. Bet sizes: '50%, 100%, a' (a is all-in), raises also '2.5x', chips "
        "'100c'. Give a menu for every street from the board's on."
    ),
]
Locks = Annotated[
    list[Text],
    Meta(description="Nodes held fixed, each 'NODE: SPEC', as in 'b100: f 0.6 c 0.4'."),
]
Line = Annotated[
    Text,
    Meta(
        description="A node: the actions from the root on, as in 'c b100', a dealt card after each "
        "slash, as in 'c c / 8h b50'. Empty is the first decision."
    ),
]
SolutionName = Annotated[Name, Meta(description="Name of a solution, as solve or lock gave it.")]
MethodName = Annotated[Name, Meta(description="Method; empty is the one that fits the spot.")]


class LongAsked(Asked, kw_only=True):
    """Base of what may take long."""

    wait_seconds: WaitSeconds = WAIT


class SolveSpot(LongAsked, kw_only=True):
    """A spot to be solved."""

    spot: GivenSpot
    target_percent: Annotated[
        Percent | None,
        Meta(description="Exploitability to stop at, in percent of the pot; null: 0.1."),
    ] = None
    method: MethodName = ""
    locks: Locks = msgspec.field(default_factory=list)


class LockNode(LockAsked, kw_only=True):
    """An edit of a node's strategy, and a new solve with it."""

    solution: SolutionName
    target_percent: Percent | None = None
    wait_seconds: WaitSeconds = WAIT


class ShowNode(Asked):
    """A node of a solution."""

    solution: SolutionName
    line: Line = ""
    hands: Annotated[
        Text,
        Meta(description="A range, as in 'AKs,TT+' or 'AhKh', whose hands are listed one by one."),
    ] = ""
    classes: Annotated[bool, Meta(description="Whether to list all 169 classes of hands.")] = False


class CompareNodes(Asked):
    """One line in two solutions."""

    first: SolutionName
    second: SolutionName
    line: Line = ""


class MakeReport(LongAsked, kw_only=True):
    """One tree on many boards: exactly one of flops, turns and rivers is given."""

    spot: GivenSpot
    flops: Annotated[
        Text,
        Meta(description="25, 49, 95 or 184 (representative sets), all, or flops: 'QsJh2h, ...'."),
    ] = ""
    turns: Annotated[Text, Meta(description="all, or cards by name: '8d 3c'.")] = ""
    rivers: Annotated[Text, Meta(description="all, or cards by name: '8d 3c'.")] = ""
    node: Line = ""
    target_percent: Percent = 0.5


class SolvePreflop(PreflopAsked, kw_only=True):
    """A heads-up tree before the flop, in big blinds."""

    line: Annotated[
        Text,
        Meta(description="The decision whose chart is shown, as in 'r200'; empty is the first."),
    ] = ""
    wait_seconds: WaitSeconds = WAIT


class ReviewHands(LongAsked, kw_only=True):
    """Played hands against solved strategies."""

    history: Annotated[
        Text,
        Meta(
            description="Hands as text: a history of PokerStars, GGPoker, 888poker or Winamax, or "
            "an ACPC log."
        ),
    ]
    oop: Annotated[Text, Meta(description="Range out of position where the review begins.")] = (
        "random"
    )
    ip: Annotated[Text, Meta(description="Range in position where the review begins.")] = "random"
    first_street: Annotated[
        Name, Meta(description="preflop, flop, turn or river: the first street that is solved.")
    ] = "turn"
    last_street: Name = "river"
    player: Annotated[Name | None, Meta(description="Judge this player's decisions alone.")] = None
    target_percent: Percent = 0.5


class MeasureAgent(LongAsked, kw_only=True):
    """An agent against a local best response."""

    agent: Annotated[
        Text, Meta(description="An agent's name, as in blueprint, always-call, blueprint+nested.")
    ]
    setting: Annotated[
        Name, Meta(description="What the response may do: fc, fcpa, fcpa-turn or 56-turn.")
    ] = "fcpa-turn"
    boards: Annotated[int, Meta(ge=1, le=MOST_DRAWN)] = 100
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = DEFAULT_SEED
    game: Annotated[Name, Meta(description="The game played, by name.")] = "nolimit-holdem"


class AskJob(Asked):
    """A job, waited for a while."""

    job: Name
    wait_seconds: WaitSeconds = WAIT


class CancelJob(Asked):
    """A job to be ended."""

    job: Name


class ListAll(Asked):
    """Everything there is."""
