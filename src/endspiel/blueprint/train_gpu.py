"""The trainers on a GPU: the iterations of `train` by CUDA kernels, and EGT's products.

Vectors are in the game's own order, so that what was begun on one device can go on on another.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.blueprint.train_products import BucketEnds
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import CURRENT, INFINITE, Scheme
from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.gpu.buckets import Levels, levels_of
from endspiel.gpu.cuda.device import Device, Pointer, cuda_device
from endspiel.gpu.cuda.machine import DeviceMemory
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.regrets import shares
from endspiel.solvers.firstorder.egt import EGT
from endspiel.solvers.memory import check_memory

SOURCES = ("buckets.cu",)
THREADS = 128  # of a block that walks; those of a product are 16 x 16
PRODUCT_THREADS = 256
TILES = {np.dtype(np.float32): 128, np.dtype(np.float64): 64}  # rows and columns of a block
LEARN, BEST, EXPECTED = range(3)  # as in the kernels' source
_POINTERS = (
    "decisions", "maps", "kids", "children", "below",
    "gradient", "value", "regret", "average", "behavior", "plan",
)  # fmt: skip
_WALK = np.dtype(
    [(name, "u8") for name in _POINTERS]
    + [(name, "f4") for name in ("positive", "negative", "keep", "predict")]
    + [("mode", "i4"), ("roots", "i4")]
)
_PRODUCT = np.dtype(
    [(name, "u8") for name in ("plan", "matrix", "stakes", "gradient", "own", "other")]
    + [("rows", "i4"), ("width", "i4")]
)


class GpuProducts(DeviceMemory):
    """What terminals pay, on a device: gradients of a game over buckets."""

    def __init__(self, game: Game, device: Device, vectors: int, dtype: Any = np.float32) -> None:
        """So many vectors a player are there at the same time at most."""
        super().__init__(device)
        self.dtype = np.dtype(dtype)
        ends = [BucketEnds.of(group, dtype) for group in game.groups]
        sequences = sum(plex.num_sequences for plex in game.plexes)
        if sequences >= 2**31:
            raise GameError("a GPU takes fewer than 2^31 sequences: take fewer buckets or bets")
        needed = self.dtype.itemsize * vectors * sequences + sum(e.matrix.nbytes for e in ends)
        hint = "take fewer buckets or fewer bets"
        check_memory(needed, device.free_bytes(), "training on the GPU", hint)
        self.module = device.compile({"DOUBLE": int(self.dtype.itemsize == 8)}, SOURCES)
        self._records = [self._record(each) for each in ends]

    def _record(self, ends: BucketEnds) -> tuple[NDArray[Any], NDArray[Any]]:
        """The launches of a group of terminals, one for each player."""
        records = np.zeros(2, _PRODUCT)
        records["matrix"] = self.put(ends.matrix)
        records["rows"], records["width"] = len(ends.seqs[0]), len(ends.matrix)
        seqs = [self.put(each.astype(np.int32)) for each in ends.seqs]
        records["own"], records["other"] = seqs, seqs[::-1]
        records["stakes"] = [self.put(stakes) for stakes in ends.stakes]
        return records[:1], records[1:]

    def add_gradient(self, player: int, plan: Pointer, gradient: Pointer) -> None:
        """Add what a player's sequences earn against the other's plan [S'] to a gradient [S]."""
        tile = TILES[self.dtype]
        for records in self._records:
            record = records[player]
            record["plan"], record["gradient"] = plan, gradient
            columns, rows = (-(-int(record[name][0]) // tile) for name in ("width", "rows"))
            self.module.launch("product", (columns, rows), PRODUCT_THREADS, 0, [record])


class GpuLearner:
    """One player's regrets, current play and average, on a device."""

    def __init__(self, game: Game, player: int, products: GpuProducts) -> None:
        self.device, self.module, self.plex = products.device, products.module, game.plexes[player]
        self.levels: Levels = levels_of(self.plex)
        self.walk = np.zeros(1, _WALK)
        for name in ("decisions", "maps", "kids", "children", "below"):
            self.walk[name] = products.put(getattr(self.levels, name))
        self.decisions = int(self.walk["decisions"][0])
        size = 4 * self.plex.num_sequences
        for name in ("gradient", "regret", "average", "behavior", "plan"):
            self.walk[name] = products.room(size)
        self.average_plan = products.room(size)
        self.walk["value"] = products.room(4 * self.levels.num_values)
        self.walk["roots"] = self.plex.num_roots
        self.write("behavior", self.plex.uniform().astype(np.float32))
        self.set_root(self.plex.root)
        self.kept: Floats | None = None  # the average that was best so far

    def set_root(self, reach: Floats) -> None:
        """Begin with these masses [R]."""
        self.root = np.asarray(reach, np.float64)
        for plan in (int(self.walk["plan"][0]), self.average_plan):
            self.device.upload(plan, self.root.astype(np.float32))
        self.go_down(LEARN)

    def read(self, name: str) -> NDArray[np.float32]:
        """A vector [S] of the walk."""
        found = np.empty(self.plex.num_sequences, np.float32)
        self.device.download(found, int(self.walk[name][0]))
        return found

    def write(self, name: str, vector: Floats) -> None:
        """Put a vector [S] in place of another."""
        self.device.upload(int(self.walk[name][0]), np.asarray(vector, np.float32))

    def probabilities(self, first: int, num_actions: int, states: int) -> Floats:
        """The average's probabilities [A, K] at the block that begins at a sequence."""
        weights = np.empty((num_actions, states), np.float32)
        self.device.download(weights, int(self.walk["average"][0]) + 4 * first)
        found: Floats = shares(weights)
        return found

    def go_up(self, mode: int, by: Discounts | None = None) -> None:
        """Take the gradient up to the roots; it is zero then."""
        walk = self._walk(mode)
        if by is not None:
            walk["positive"], walk["negative"], walk["keep"], walk["predict"] = by
        for level in reversed(range(len(self.levels.start) - 1)):
            self._launch("up", walk, level)
        grid = (-(-self.plex.num_roots // THREADS), 1)
        self.module.launch("roots_up", grid, THREADS, 0, [walk])

    def go_down(self, mode: int) -> None:
        """Find the plan of the behavior, or the average's plan."""
        walk = self._walk(mode)
        if mode == EXPECTED:
            walk["plan"] = self.average_plan
        for level in range(len(self.levels.start) - 1):
            self._launch("down", walk, level)

    def _walk(self, mode: int) -> NDArray[Any]:
        walk = self.walk.copy()
        walk["mode"] = mode
        return walk

    def _launch(self, kernel: str, walk: NDArray[Any], level: int) -> None:
        start, end = self.levels.start[level : level + 2].tolist()
        widest = int(self.levels.decisions["states"][start:end].max())
        walk["decisions"] = self.decisions + start * self.levels.decisions.itemsize
        self.module.launch(kernel, (end - start, -(-widest // THREADS)), THREADS, 0, [walk])

    def root_values(self) -> Floats:
        """What the last walk up found for each root [R]."""
        found = np.empty(self.plex.num_roots, np.float32)
        self.device.download(found, int(self.walk["value"][0]))
        return found.astype(np.float64)


class GpuBucketBackend:
    """The backend of abstract games on a GPU; as `train.BucketBackend`."""

    VECTORS = 7
    longest_average = INFINITE
    zero_sum = True

    def __init__(self, game: Game, device: Device | None = None) -> None:
        self.game, self.device = game, device or cuda_device()
        self.products = GpuProducts(game, self.device, self.VECTORS)
        self.learners = GpuLearner(game, 0, self.products), GpuLearner(game, 1, self.products)

    def accept(self, scheme: Scheme) -> None:
        if not scheme.alternating:
            raise GameError("a blueprint's players learn one after the other")
        if scheme.solution == CURRENT:
            raise GameError("a blueprint trained on a GPU has an average for its solution")

    def root(self, player: int) -> Floats:
        return self.learners[player].root

    def set_root(self, player: int, reach: Floats) -> None:
        self.learners[player].set_root(reach)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        self._learn(player, discounts)
        return self.learners[player].root_values()

    def _learn(self, player: int, discounts: Discounts) -> None:
        own = self.learners[player]
        self._gradient(player, int(self.learners[1 - player].walk["plan"][0]))
        own.go_up(LEARN, discounts)
        own.go_down(LEARN)

    def iterate(self, schedule: Sequence[Discounts], alternating: bool = True) -> None:
        for discounts in schedule:
            for player in (0, 1):
                self._learn(player, discounts)
        self.device.synchronize()

    def _gradient(self, player: int, plan: Pointer) -> None:
        """What a player's sequences earn against a plan of the other, where it goes up from."""
        self.products.add_gradient(player, plan, int(self.learners[player].walk["gradient"][0]))

    def _against_average(self, player: int, mode: int) -> Floats:
        own, other = self.learners[player], self.learners[1 - player]
        other.go_down(EXPECTED)
        self._gradient(player, other.average_plan)
        own.go_up(mode)
        return own.root_values()

    def best_values(self, player: int) -> Floats:
        return self._against_average(player, BEST)

    def average_values(self, player: int) -> Floats:
        return self._against_average(player, EXPECTED)

    def state(self) -> dict[str, Any]:
        """As arrays in the game's order."""
        arrays: dict[str, Any] = {}
        for player, own in enumerate(self.learners):
            for name in ("regret", "average", "behavior"):
                arrays[f"{name}{player}"] = own.read(name)
            if own.kept is not None:
                arrays[f"kept{player}"] = own.kept
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        for player, own in enumerate(self.learners):
            for name in ("regret", "average", "behavior"):
                own.write(name, arrays[f"{name}{player}"])
            kept = arrays.get(f"kept{player}")
            own.kept = None if kept is None else kept.copy()
            own.go_down(LEARN)


class GpuTrainer(Driver[GpuBucketBackend]):
    """A running training on a GPU by any scheme of the family; as `train.Trainer`."""

    def __init__(self, game: Game, scheme: Scheme, device: Device | None = None) -> None:
        super().__init__(GpuBucketBackend(game, device), scheme)

    @property
    def game(self) -> Game:
        """What is trained."""
        return self.backend.game

    @property
    def learners(self) -> tuple[GpuLearner, GpuLearner]:
        """What each player has learned."""
        return self.backend.learners

    def keep(self) -> None:
        """Keep the averages as they are."""
        for own in self.learners:
            own.kept = own.read("average")

    def fall_back(self) -> None:
        """Take the averages that were kept; learning ends here."""
        for own in self.learners:
            if own.kept is not None:
                own.write("average", own.kept)


class GpuEGT(EGT):
    """A running solve by EGT whose products are a GPU's, in 64-bit floats."""

    def __init__(self, game: Game, device: Device | None = None) -> None:
        self.device = device or cuda_device()
        self.products = GpuProducts(game, self.device, 1, np.float64)
        sizes = [8 * plex.num_sequences for plex in game.plexes]
        self._vectors = [self.products.room(size) for size in sizes]
        super().__init__(game)

    def _gradient(self, player: int, plan: Floats) -> Floats:
        self.gradients += 1
        own, other = self._vectors[player], self._vectors[1 - player]
        found: Floats = np.zeros(self.game.plexes[player].num_sequences)
        self.device.upload(own, found)
        self.device.upload(other, np.asarray(plan, np.float64))
        self.products.add_gradient(player, other, own)
        self.device.download(found, own)
        return found
