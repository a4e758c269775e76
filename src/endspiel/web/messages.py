"""What the page and the server say to each other, as types; `docs/web-api.md` shows them."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct, field

from endspiel.errors import EndspielError

Text = Annotated[str, Meta(max_length=200_000)]
Name = Annotated[str, Meta(max_length=120)]
Menu = Text | Annotated[list[Text], Meta(min_length=2, max_length=2)]
Shares = Annotated[dict[str, dict[str, float]], Meta(max_length=1000)]
Numbers = list[float | None]  # [169] by class, or as said
Point = tuple[int, float, float]  # iteration, seconds, percent of the pot

Message = TypeVar("Message")
Made = TypeVar("Made")
_PLACE: Final = re.compile(r"^(?P<what>.*) - at `\$(?P<path>.*)`$")
_KINDS: Final = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "array": "a list",
    "object": "an object",
    "bool": "true or false",
    "null": "empty",
}


class FieldProblem(NamedTuple):
    """Something wrong, and the field to say it at."""

    error: str
    field: str


class Refused(EndspielError):  # noqa: N818  (a refusal, as the rules have them)
    """A request that cannot be met: what is wrong, at which fields, and the HTTP status."""

    def __init__(
        self, problems: list[FieldProblem] | str, field: str = "", status: int = 422
    ) -> None:
        self.problems = [FieldProblem(problems, field)] if isinstance(problems, str) else problems
        self.status = status
        super().__init__(self.problems[0].error)

    def answer(self) -> dict[str, Any]:
        """The body of the refusal."""
        every = [problem._asdict() for problem in self.problems]
        return {**every[0], "errors": every}


class Fields:
    """Makes things of fields, and keeps what went wrong with each."""

    def __init__(self) -> None:
        self.problems: list[FieldProblem] = []

    def make(self, field: str, how: Callable[[], Made]) -> Made | None:
        """What a field makes, or None once its problem is noted."""
        try:
            return how()
        except EndspielError as error:
            self.problems.append(FieldProblem(str(error), field))
            return None

    def check(self) -> None:
        """Refuse if anything went wrong."""
        if self.problems:
            raise Refused(self.problems)


class Asked(Struct, forbid_unknown_fields=True):
    """Base of what the page sends: an unknown key is an error."""


class RangeAsked(Asked):
    """A range to read, changed by some cells of the chart."""

    text: Text = ""
    set: dict[str, float] = {}
    board: Text = ""


class StreetText(Asked, omit_defaults=True):
    """The menus of a street, as in a spot file."""

    bet: Menu = ""
    raises: Menu = field(default="", name="raise")
    donk: Text | None = None


class SpotText(Asked, omit_defaults=True):
    """A spot, as in a spot file."""

    board: Text
    pot: int
    stack: int | Annotated[list[int], Meta(min_length=2, max_length=2)]
    ranges: Annotated[list[Text], Meta(min_length=2, max_length=2)]
    flop: StreetText | None = None
    turn: StreetText | None = None
    river: StreetText | None = None
    rake: Text = ""
    rake_cap: float | None = None
    prizes: Annotated[list[float], Meta(max_length=100)] = []
    others: Annotated[list[float], Meta(max_length=100)] = []
    big_blind: int | None = None
    max_raises: int | None = None
    add_allin_threshold: float = 0.0
    force_allin_threshold: float = 0.0
    merging_threshold: float = 0.0
    lines: Annotated[list[Text], Meta(max_length=100_000)] = []
    edits: Annotated[list[Text], Meta(max_length=1000)] = []


def played_stack(spot: SpotText) -> int:
    """What each player has behind; of two stacks the smaller is played for."""
    return min(spot.stack) if isinstance(spot.stack, list) else spot.stack


class CheckAsked(Asked):
    """A spot whose size is wanted."""

    spot: SpotText
    method: str = "dcfr"
    target_percent: float | None = None
    iterations: int | None = None
    seconds: float | None = None
    threads: int | None = None
    storage: int | None = None  # bits of a regret and an average; null: 32, or 16 to fit in memory
    locks: list[Text] = []


class PreflopAsked(Asked):
    """A tree before the flop, in big blinds; push or fold is of stack, blinds and ante alone."""

    stack: float
    push_fold: bool = False
    small_blind: float = 0.5
    ante: float = 0.0
    straddle: float = 0.0
    opens: Text = "2x, 3x, a"
    reraises: Text = "3x, a"
    max_raises: Annotated[int, Meta(ge=0, le=8)] = 4
    limp: bool = True
    rake: Text = ""
    rake_cap: float | None = None
    prizes: Annotated[list[float], Meta(max_length=100)] = []
    others: Annotated[list[float], Meta(max_length=100)] = []
    stacks: Annotated[list[float], Meta(max_length=2)] = []
    flops_by: Literal["", "charts", "net", "model"] = ""  # empty: charts where they fit, else net
    flops: Literal["25", "49", "95", "184"] = "25"


class ReportAsked(Asked):
    """A spot that is to be solved on many flops: a set of them by its size, or a list."""

    spot: SpotText
    flops: Text = "25"
    node: Text = ""
    target_percent: float = 0.5
    name: Name = ""
    solutions: bool = False  # whether each flop's solution is stored, as a job


class WriteAsked(Asked):
    """A spot wanted as a file."""

    spot: SpotText


class JobAsked(CheckAsked):
    """A spot to be solved."""

    name: Name = ""
    based_on: str | None = None
    shares: Shares = {}  # what all hands together were to do at locked nodes, by line


class ResumeAsked(Asked):
    """New limits for a solve that goes on."""

    target_percent: float | None = None
    iterations: int | None = None
    seconds: float | None = None


class RenameAsked(Asked):
    """A new name for a job."""

    name: Name


class LockAsked(Asked):
    """An edit of a node's strategy."""

    line: Text
    everywhere: bool = False
    actions: dict[str, float] | None = None  # what every hand does
    frequencies: dict[str, float] | None = None  # what all hands together do
    classes: dict[str, dict[str, float]] = {}


class SavedRangeAsked(Asked):
    """A range to keep under a name; one of that name is replaced."""

    name: Name
    text: Text


class EquityAsked(Asked):
    """Two ranges against each other, out of position first."""

    ranges: Annotated[list[Text], Meta(min_length=2, max_length=2)]
    board: Text = ""


class QuestionAsked(Asked):
    """A decision to drill, of a solve, a report's boards or charts; of one player, or of either."""

    job: str | None = None
    report: str | None = None
    preflop: float | None = None  # big blinds: the charts of this depth
    player: int | None = None


class AnswerAsked(Asked):
    """The answer to a drill's question."""

    question: str
    word: str


class HandAsked(Asked):
    """A whole hand to be played against a solve, as one player or as either."""

    job: str
    player: int | None = None


class WordAsked(Asked):
    """What the person does in such a hand."""

    word: str


class PlayAsked(Asked):
    """A table to be opened."""

    agent: str
    game: str = "nolimit-holdem"
    technique: str = ""
    clock: float = 5.0
    stack: int = 20000
    blinds: tuple[int, int] = (100, 50)
    seat: str = "alternate"
    seed: int | None = None


class ActAsked(Asked):
    """What the person at the table does."""

    action: str
    to: int | None = None


class JobLimits(Struct):
    """When a solve ends."""

    target_percent: float | None = None
    iterations: int | None = None
    seconds: float | None = None


class JobAnswer(Struct):
    """A solve, as lists show it."""

    id: str
    name: str
    state: str
    created: float
    board: list[str]
    pot: int
    stack: int
    big_blind: int | None
    method: str
    limits: JobLimits
    threads: int
    iteration: int
    exploitability_percent: float | None
    solve_seconds: float
    seconds_left: float | None
    value: tuple[float, float] | None
    stopping: bool
    stopped: str
    error: str
    warnings: list[str]
    memory_bytes: int
    file_bytes: int
    has_result: bool
    ahead: int
    based_on: str | None
    num_locks: int
    report: str
    tags: list[str]


def decode(body: bytes, kind: type[Message]) -> Message:
    """The message in a body; a refusal names the field that is not as it must be."""
    try:
        return msgspec.json.decode(body or b"{}", type=kind)
    except msgspec.ValidationError as error:
        raise Refused([_problem(str(error))]) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused(f"the body is not JSON: {error}"[:300], status=400) from error


def _problem(text: str) -> FieldProblem:
    """msgspec's complaint in our words: ``pot must be a whole number, not text``."""
    match = _PLACE.match(text)
    what, path = (match["what"], match["path"]) if match else (text, "")
    place = re.sub(r"\[(\d+|\.\.\.)\]", r".\1", path).strip(".").removeprefix("spot.")
    if unknown := re.search(r"unknown field `(.*)`", what):
        return FieldProblem(f"no key {unknown[1][:40]!r} is known here", place)
    if missing := re.search(r"missing required field `(.*)`", what):
        place = f"{place}.{missing[1]}".strip(".").removeprefix("spot.")
        return FieldProblem(f"{place} is missing", place)
    if wrong := re.fullmatch(r"Expected `(.*)`, got `(.*)`", what):
        wanted = " or ".join(_KINDS.get(kind.strip(), kind) for kind in wrong[1].split("|"))
        return FieldProblem(
            f"{place} must be {wanted}, not {_KINDS.get(wrong[2], wrong[2])}", place
        )
    if bound := re.fullmatch(r"Expected `(\w+)` (of length )?([<>]=) ([0-9]+)", what):
        parts = {"str": " characters", "array": " parts", "object": " parts"}.get(bound[1], "")
        most = "at most" if bound[3] == "<=" else "at least"
        verb = "has" if bound[2] else "is"
        return FieldProblem(f"{place} {verb} {most} {bound[4]}{parts}", place)
    return FieldProblem(f"{place}: {what[:1].lower()}{what[1:]}".removeprefix(": "), place)
