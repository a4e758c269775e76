"""Answers that are plain objects, as types: the source of OpenAPI schemas (`web/openapi.py`)."""

from typing import Any, NotRequired, TypedDict

from endspiel.web.messages import JobAnswer, Point, SpotText
from endspiel.web.papers import PaperAnswer
from endspiel.web.reviews import PointAnswer

Shares = list[float | None]  # one an action
Both = list[float | None]  # out of position first


class Nothing(TypedDict):
    """Done; there is nothing to tell."""


class MethodTold(TypedDict):
    """A way of solving."""

    name: str
    title: str
    locks: bool
    exact: bool


class NamedText(TypedDict):
    """A text under a name: a preset, a file."""

    name: str
    text: str


class TechniqueTold(TypedDict):
    """A technique of an opponent."""

    name: str
    text: str


class OpponentTold(TypedDict):
    """An opponent at the table."""

    spec: str
    title: str
    text: str
    games: list[str]
    usual: bool  # named for how it plays; others are agents by their own names
    techniques: list[TechniqueTold]


class AboutAnswer(TypedDict):
    """The server's facts."""

    version: str
    classes: list[str]
    methods: list[MethodTold]
    default_method: str
    default_target_percent: float
    threads: int
    presets: list[NamedText]
    made: list[str]
    draws: list[str]
    agents: list[OpponentTold]
    limits: dict[str, int | None]


class PapersAnswer(TypedDict):
    """The reproduced tables and figures."""

    papers: list[PaperAnswer]


class WeighedHand(TypedDict):
    """A hand and its weight in a range."""

    hand: str
    weight: float


class CombosAnswer(TypedDict):
    """The hands of a class."""

    hands: list[WeighedHand]


class SpotAnswer(TypedDict):
    """A spot."""

    spot: SpotText


class JobsAnswer(TypedDict):
    """Every solve, newest first."""

    jobs: list[JobAnswer]


class LockAnswer(TypedDict):
    """A lock, as the solvers read it."""

    text: str
    line: str
    summary: str


class FullJobAnswer(JobAnswer):
    """A solve in full: what lists show of it, and its spot, curve and locks."""

    spot: SpotText
    curve: list[Point]
    locks: list[LockAnswer]
    shares: dict[str, dict[str, float]]


class HandTold(TypedDict):
    """A hand at a decision; of the player who waits, nothing about strategy and EVs."""

    hand: str
    made: str
    draws: list[str]
    weight: float
    frequency: float
    equity: float | None
    strategy: NotRequired[Shares]
    ev: NotRequired[float | None]
    action_ev: NotRequired[Shares]
    eqr: NotRequired[float | None]


class HandsAnswer(TypedDict):
    """The hands of a class or range at a decision."""

    line: str
    actions: list[str]
    hands: list[HandTold]


class FollowingNode(TypedDict):
    """A node right after a decision, told in a line."""

    line: str
    kind: str
    pot: int
    player: NotRequired[int]
    words: NotRequired[list[str]]
    actions: NotRequired[list[str]]
    frequencies: NotRequired[Shares | None]
    street: NotRequired[str]
    outcome: NotRequired[str]
    winner: NotRequired[int | None]


class NextAnswer(TypedDict):
    """What follows each action of a decision."""

    line: str
    next: list[FollowingNode]


class RunoutCard(TypedDict):
    """A card that may come, and what it makes of the play."""

    card: str
    line: str
    probability: float
    frequencies: Shares | None
    ev: Both | None
    equity: Both | None


class RunoutMean(TypedDict):
    """The mean over the cards."""

    frequencies: Shares | None
    ev: Both | None
    equity: Both | None


class RunoutsAnswer(TypedDict):
    """Every card that may come."""

    line: str
    street: str
    player: int
    pot: int
    words: list[str]
    actions: list[str]
    cards: list[RunoutCard]
    mean: RunoutMean


class SessionTold(TypedDict):
    """A table, as lists show it."""

    id: str
    agent: str
    technique: str
    hands: int
    total: float
    created: float


class SessionsAnswer(TypedDict):
    """Every table, newest first."""

    sessions: list[SessionTold]


class ReviewAnswer(TypedDict):
    """What the agent thought in a finished hand."""

    hand: int
    seat: int
    hole: list[str]
    agent_hole: list[str]
    board: list[str]
    won: float
    line: str
    points: list[PointAnswer]


class OpenApiAnswer(TypedDict):
    """This description."""

    openapi: str
    info: dict[str, str]
    paths: dict[str, Any]
    components: dict[str, Any]
    servers: list[dict[str, str]]
    security: list[dict[str, list[str]]]
