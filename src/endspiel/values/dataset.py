"""Solved spots as data: random rivers, turns or flops, their values and strategies, in shards.

Each spot is drawn by a random number generator of its own (seed, street, number), so that neither
shards nor workers decide what it is. A shard is one file, made whole or not at all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from endspiel import __version__
from endspiel.arrays import Float32s
from endspiel.batch.planning import SpotMethod
from endspiel.batch.running import BatchSetting, SpotBatch
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.bounds import DEFAULT_SEED
from endspiel.cards.live import live_hands
from endspiel.cards.streets import FLOP, RIVER, TURN
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers
from endspiel.games.spot import Spot
from endspiel.progress import Observe, unobserved
from endspiel.ranges.line import with_every_hand
from endspiel.solving.devices import CPU
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.values.situations import Situation, draw_situation
from endspiel.values.solves import POT, by_weight

KINDS_OF_SPOTS: Final = {"rivers": RIVER, "turns": TURN, "flops": FLOP}
MENUS: Final = {  # bet, raise and the most bets and raises of a street, unless others are asked for
    "rivers": ("50%, 100%", "100%", 3),
    "turns": ("100%", "100%", 3),
    "flops": ("100%", "", 1),
}
ADD_ALL_IN, FORCE_ALL_IN = 4.0, 0.15  # pots: see `Sizing`


@dataclass(frozen=True)
class DatasetPlan:
    """What the spots of a dataset are, and how they are solved."""

    kind: str  # rivers, turns or flops
    count: int
    seed: int = DEFAULT_SEED
    target: float = 0.003  # exploitability, in pots
    shard: int = 1000  # spots of a file
    bet: str = ""  # bet sizes on every street; empty: those of `MENUS`
    raises: str | None = None
    blueprint: str | None = None  # strategy file whose play half of the ranges come from
    device: str = CPU

    def __post_init__(self) -> None:
        if self.kind not in KINDS_OF_SPOTS:
            raise EndspielError(
                f"a dataset is of {', '.join(KINDS_OF_SPOTS)}, not of {self.kind[:20]!r}"
            )
        if self.count < 1 or self.shard < 1:
            raise EndspielError("a dataset has 1 spot or more, and so has each of its files")
        _ = self.sizing  # refuses menus that cannot be read

    @property
    def street(self) -> int:
        """The street on which the spots begin."""
        return KINDS_OF_SPOTS[self.kind]

    @property
    def sizing(self) -> Sizing:
        """The bets of every street."""
        bet, raises, most = MENUS[self.kind]
        menu = StreetMenu.parse(self.bet or bet, raises if self.raises is None else self.raises)
        streets = tuple(menu if street >= self.street else None for street in range(4))
        most = most if self.raises is None else 3
        return Sizing(
            streets, most, add_allin_threshold=ADD_ALL_IN, force_allin_threshold=FORCE_ALL_IN
        )

    @property
    def shards(self) -> int:
        """How many files there are."""
        return -(-self.count // self.shard)

    def numbers(self, shard: int) -> range:
        """The numbers of a shard's spots."""
        return range(shard * self.shard, min(self.count, (shard + 1) * self.shard))

    def record(self) -> dict[str, Any]:
        """What decides the spots of a file, but for how many there are."""
        bet, raises, _ = MENUS[self.kind]
        return {
            "kind": self.kind,
            "seed": self.seed,
            "target": self.target,
            "bet": self.bet or bet,
            "raise": raises if self.raises is None else self.raises,
            "max_raises": self.sizing.max_raises,
            "blueprint": self.blueprint or "shipped",
            "device": self.device,
            "endspiel": __version__,
        }


class DataRow(NamedTuple):
    """A solved spot; values are shares of the pot."""

    number: int
    situation: Situation
    spot: Spot
    evs: Float32s  # [2, 1326] NaN for hands that the board blocks
    actions: tuple[str, ...]  # A words of the first decision, out of position
    strategy: Float32s  # [A, 1326] NaN for blocked hands
    exploitability: float
    iterations: int


def draw_numbered(blueprint: Blueprint, plan: DatasetPlan, number: int) -> Situation:
    """The situation of a number."""
    rng = np.random.default_rng([plan.seed, plan.street, number])
    return draw_situation(blueprint, rng, street=plan.street)


def spot_of(situation: Situation, plan: DatasetPlan) -> Spot:
    """A situation as a spot; every hand that can be held is in it, if ever so lightly."""
    one, two = (with_every_hand(weights, situation.board) for weights in situation.ranges)
    stack = max(round(situation.depth * POT), 1)
    return Spot(situation.board, POT, stack, (one, two), plan.sizing)


class _Values(NamedTuple):
    """What is wanted of a solution, where it was found."""

    evs: Float32s
    actions: tuple[str, ...]
    strategy: Float32s
    exploitability: float
    iterations: int


def values_of(solution: SpotSolution) -> _Values:
    """Both players' values of all hands, and the first decision."""
    game = solution.game
    dead = live_hands(solution.spot.board) == 0
    evs = np.stack(
        [
            0.5 + by_weight(game, player, solution.boards.action_values(0, 0, player)[0])
            for player in (0, 1)
        ]
    )
    view = solution.view("")
    strategy = np.stack([view.by_hand(shares) for shares in view.strategy])
    evs[:, dead], strategy[:, dead] = np.nan, np.nan
    return _Values(
        evs.astype(np.float32),
        view.actions,
        strategy.astype(np.float32),
        solution.exploitability,
        solution.iterations,
    )


@dataclass
class _RowsHeld:
    """Keeps what a shard's solves found until the shard is written."""

    job: ClassVar = "dataset"
    by_hand: ClassVar = False
    found: dict[str, _Values] = field(default_factory=dict)

    @property
    def finish(self) -> Callable[[SpotSolution], _Values]:
        """What makes values of a solution."""
        return values_of

    @property
    def finish_root(self) -> None:
        """The values need the later streets."""
        return None

    def keep(self, name: str, key: str, found: _Values) -> dict[str, Any]:
        """Hold them."""
        self.found[name] = found
        return {}

    def has(self, name: str, key: str) -> bool:
        """Nothing is remembered beside whole shards."""
        return False

    def check(self, sizes: list[int]) -> None:
        """A shard takes some megabytes."""


def solve_data_shard(
    plan: DatasetPlan,
    shard: int,
    workers: GivenWorkers = None,
    observe: Observe = unobserved,
    blueprint: Blueprint | None = None,
) -> list[DataRow]:
    """The solved spots of a shard, in order."""
    blueprint = blueprint or load_blueprint(plan.blueprint)
    numbers = plan.numbers(shard)
    situations = [draw_numbered(blueprint, plan, number) for number in numbers]
    spots = [spot_of(one, plan) for one in situations]
    held = _RowsHeld()
    how = SpotMethod(None, SpotOptions(), Limits(plan.target))
    batch = SpotBatch(how, BatchSetting(workers, plan.device), held)
    names = [str(number) for number in numbers]
    batch.run(spots, names, observe)
    _refuse_failures(batch)
    return [
        DataRow(number, situation, spot, *held.found[name])
        for number, situation, spot, name in zip(numbers, situations, spots, names, strict=True)
    ]


def _refuse_failures(batch: SpotBatch) -> None:
    for one in batch.results:
        if one is not None and one.error:
            raise EndspielError(f"spot {one.name} of the dataset was not solved: {one.error}")


@dataclass
class ShardSums:
    """What a datasheet says of the solves."""

    exploitability: list[float] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)

    def add(self, rows: Sequence[tuple[str, float]]) -> None:
        """Count some spots by their kind of ranges and exploitability."""
        for kind, share in rows:
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            self.exploitability.append(share)


def shard_path(folder: Path, plan: DatasetPlan, shard: int) -> Path:
    """The file of a shard."""
    return folder / f"{plan.kind}-{shard:05d}.parquet"
