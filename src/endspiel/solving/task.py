"""A task: what to solve, by which method, where, and until when. Every door makes one."""

from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar, overload

from endspiel.engine.limits import Limits
from endspiel.engine.schemes import USUAL, Answer
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.holdem import Holdem
from endspiel.games.spot import Spot
from endspiel.solvers import solve as games
from endspiel.solvers.boards import holdem
from endspiel.solvers.boards.trunk import Decomposition
from endspiel.solvers.methods import BUCKETING, RIVER, SMALL_GAME, WHOLE_HOLDEM, GameKind
from endspiel.solvers.solution import Solution
from endspiel.solving.devices import CPU, check_device, gpu_room, run_holdem_on
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot, SpotOptions, default_method, kind_of, lay_out

GAME_METHOD = "cfr+"


G_co = TypeVar("G_co", bound=Game | Holdem | Spot, covariant=True)


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
    decompose: Decomposition | None = None

    def __post_init__(self) -> None:
        game: object = self.game
        if not isinstance(game, Game | Holdem | Spot):
            name = type(game).__name__
            raise GameError(f"only a Game or a Spot can be solved, not {name}")

    @property
    def kind(self) -> GameKind:
        """Which methods solve the game, and what they take."""
        if isinstance(self.game, Spot):
            return kind_of(self.game)
        return WHOLE_HOLDEM if isinstance(self.game, Holdem) else SMALL_GAME

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
        method = self.method or self._default_method()
        self.kind.check(method, self.asked)
        check_device(self.device)
        return method

    def _default_method(self) -> str:
        if isinstance(self.game, Spot):
            return default_method(self.game, self.options.tree_limit)
        return holdem.DEFAULT_METHOD if isinstance(self.game, Holdem) else GAME_METHOD

    @overload
    def solve(self: "Task[Game]") -> Solution: ...

    @overload
    def solve(self: "Task[Holdem]") -> holdem.HoldemSolution: ...

    @overload
    def solve(self: "Task[Spot]") -> SpotSolution: ...

    @overload
    def solve(self) -> Solution | holdem.HoldemSolution | SpotSolution: ...

    def solve(self: Any) -> Any:
        """Solve it."""
        if isinstance(self.game, Spot):
            return self.prepare_spot().run(self.limits)
        if isinstance(self.game, Holdem):
            return run_holdem_on(self.device, self.prepare_holdem(), self.limits)
        return games.solve(
            self.game,
            self.checked(),
            self.limits,
            alternating=self.alternating,
            answer=self.answer,
        )

    def prepare_spot(self: "Task[Spot]") -> PreparedSpot:
        """A spot ready to be solved: its game is built, and fits into memory."""
        method, options = self.checked(), self.options
        bucketed = any(getattr(options, name) is not None for name in BUCKETING)
        if self.kind is RIVER and (method == "lp" or bucketed):
            from endspiel.solving.rivers import prepare_river  # loads linear programming

            return prepare_river(self.game, method, options)
        return lay_out(self.game, method, options, self.device)

    def prepare_holdem(self: "Task[Holdem]", keep: bool = True) -> holdem.HoldemTask:
        """Whole hold'em ready to be solved; without `keep`, strategies do not come back."""
        return holdem.prepare_holdem(
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
