"""A task: what to solve, by which method, where, and until when. Every door makes one."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from endspiel.engine.limits import Limits
from endspiel.engine.schemes import USUAL, Answer
from endspiel.errors import GameError
from endspiel.games.spot import Spot
from endspiel.solvers.methods import BUCKETING, RIVER, SMALL_GAME, WHOLE_HOLDEM, GameKind
from endspiel.solving.devices import CPU, check_device, gpu_room, run_holdem_on
from endspiel.solving.spots import PreparedSpot, SpotOptions, default_method, kind_of, lay_out

if TYPE_CHECKING:  # a spot loads nothing of other games
    from endspiel.game import Game
    from endspiel.games.holdem import Holdem
    from endspiel.solvers.boards.holdem import HoldemSolution, HoldemTask
    from endspiel.solvers.boards.trunk import Decomposition
    from endspiel.solvers.solution import Solution
    from endspiel.solving.solution import SpotSolution


G_co = TypeVar("G_co", bound="Game | Holdem | Spot", covariant=True)


@dataclass(frozen=True, eq=False)
class Task(Generic[G_co]):
    """A solve as it is asked for; `solve` does it."""

    game: G_co
    method: str | None = None  # None: the one that fits the game
    limits: Limits = field(default_factory=Limits)
    options: SpotOptions = field(default_factory=SpotOptions)
    device: str = CPU
    alternating: bool = True
    answer: Answer = USUAL
    decompose: "Decomposition | None" = None

    def __post_init__(self) -> None:
        _ = self.kind  # refuses what is no game

    @property
    def kind(self) -> GameKind:
        """Which methods solve the game, and what they take."""
        game: object = self.game
        if isinstance(game, Spot):
            return kind_of(game)
        from endspiel.game import Game
        from endspiel.games.holdem import Holdem

        if not isinstance(game, Game | Holdem):
            raise GameError(f"only a Game or a Spot can be solved, not {type(game).__name__}")
        return WHOLE_HOLDEM if isinstance(game, Holdem) else SMALL_GAME

    @property
    def asked(self) -> list[str]:
        """The options that are not as usual."""
        options = [
            each.name
            for each in fields(SpotOptions)
            if (getattr(self.options, each.name) or None) != (each.default or None)
        ]
        others = {
            "alternating": not self.alternating,
            "answer": self.answer != USUAL,
            "checkpoint": self.limits.checkpoint is not None,
            "decompose": self.decompose is not None,
            "device": self.device != CPU,
        }
        return options + [option for option, given in others.items() if given]

    def checked(self) -> str:
        """The method, once it takes every option that is asked for."""
        check_device(self.device, here=False)
        kind, method = self.kind, self.method
        if method is None and isinstance(self.game, Spot):
            method = default_method(self.game, self.options.tree_limit)
        method = method or kind.usual
        kind.check(method, self.asked)
        check_device(self.device)
        return method

    @overload
    def solve(self: "Task[Game]") -> "Solution": ...

    @overload
    def solve(self: "Task[Holdem]") -> "HoldemSolution": ...

    @overload
    def solve(self: "Task[Spot]") -> "SpotSolution": ...

    @overload
    def solve(self) -> "Solution | HoldemSolution | SpotSolution": ...

    def solve(self: Any) -> Any:
        """Solve it."""
        if isinstance(self.game, Spot):
            return self.prepare_spot().run(self.limits)
        if self.kind is WHOLE_HOLDEM:
            return run_holdem_on(self.device, self.prepare_holdem(), self.limits)
        from endspiel.solvers.solve import solve

        method, answer = self.checked(), self.answer
        return solve(self.game, method, self.limits, alternating=self.alternating, answer=answer)

    def prepare_spot(self: "Task[Spot]") -> PreparedSpot:
        """A spot ready to be solved: its game is built, and fits into memory."""
        method, options = self.checked(), self.options
        bucketed = any(getattr(options, name) is not None for name in BUCKETING)
        if self.kind is RIVER and (method == "lp" or bucketed):
            from endspiel.solving.rivers import prepare_river  # loads linear programming

            return prepare_river(self.game, method, options)
        return lay_out(self.game, method, options, self.device)

    def prepare_holdem(self: "Task[Holdem]", keep: bool = True) -> "HoldemTask":
        """Whole hold'em ready to be solved; without `keep`, strategies do not come back."""
        from endspiel.solvers.boards.holdem import prepare_holdem

        return prepare_holdem(
            self.game,
            self.checked(),
            self.answer,
            self.options.threads,
            self.options.memory,
            self.decompose,
            keep=keep,
            gpu=gpu_room(self.device),
        )


def prepare(
    spot: Spot, method: str | None = None, options: SpotOptions | None = None
) -> PreparedSpot:
    """A spot ready to be solved on the processors."""
    return Task(spot, method, options=options or SpotOptions()).prepare_spot()
