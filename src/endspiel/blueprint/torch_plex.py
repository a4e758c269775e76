"""A player's sequences and the payoffs on a GPU, in PyTorch, which is never required.

Decisions of one player that stand at the same place of the order and have as many actions are one
batch [A, n, K], contiguous in an order of rows of its own; a street's rows are a matrix. Vectors
[S] keep the streets where the game has them and only change the order of rows within a street.
They go out and come in by the game's own order, so that what was begun on one device can go on on
another.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from endspiel.errors import GameError
from endspiel.game import Game, Matrix
from endspiel.games.product import Product
from endspiel.kernels.arrays import Floats, Ints
from endspiel.kernels.regrets import decision_values, shares
from endspiel.solvers.boards.array_libraries import Tensor, load_torch, named_device
from endspiel.solvers.memory import check_memory


@dataclass(frozen=True)
class Batch:
    """Decisions of one player, n of them with A actions each, side by side on one street."""

    street: int
    first: int  # where [A, n, K] sequences begin
    num_actions: int
    width: int  # K
    parent: Tensor  # [n] row of the own sequence before
    enters: bool  # whether that is on the street before

    def of(self, vector: Tensor) -> Tensor:
        """The batch's part [A, n, K] of a vector [S]."""
        shape = self.num_actions, len(self.parent), self.width
        return vector[self.first : self.first + shape[0] * shape[1] * shape[2]].view(shape)


class TorchPlex:
    """One player's treeplex on a device; as `Treeplex`, where the names are the same."""

    def __init__(self, game: Game, player: int, device: str, dtype: Any) -> None:
        where = _product(game)
        self.plex, self.device, self.dtype = game.plexes[player], device, dtype
        self.widths = [len(street[0].states) for street in where.streets]
        self.starts = [int(start[0]) for start in where.starts[player]]
        self.above = [
            load_torch().as_tensor(street[0].above, device=device) for street in where.streets
        ]  # [K] a street: each bucket's own on the street before
        self.root = load_torch().as_tensor(self.plex.root, device=device, dtype=dtype)
        self.num_roots, self.num_sequences = self.plex.num_roots, self.plex.num_sequences
        self._order, self.batches = self._arrange()

    def _arrange(self) -> tuple[list[Ints], list[Batch]]:
        """The game's row at each place of a street [rows], and the batches, parents first."""
        arrays = self.plex.arrays
        street = np.searchsorted(self.starts, arrays.first, side="right") - 1
        widths, starts = np.array(self.widths), np.array(self.starts)
        row = (arrays.first - starts[street]) // widths[street]
        enters = arrays.base < starts[street]
        above = street - enters
        parent = (arrays.base - starts[above]) // widths[above]
        ends = np.append(starts[1:], self.num_sequences)
        depth_of = [np.zeros(n, np.int64) for n in (ends - starts) // widths]  # by game row
        depth = np.zeros(len(row), np.int64)
        for b in range(len(row)):  # parents come before children
            depth[b] = 0 if enters[b] else depth_of[street[b]][parent[b]] + 1
            depth_of[street[b]][row[b] : row[b] + arrays.actions[b]] = depth[b]
        keys = np.stack([street, depth, arrays.actions, enters], axis=1)
        kinds, kind = np.unique(keys, axis=0, return_inverse=True)
        order: list[list[Ints]] = [[] for _ in self.widths]
        order[0].append(np.zeros(1, np.int64))
        batches, places = [], [np.full(len(d), -1) for d in depth_of]
        places[0][0] = 0
        filled = [1] + [0] * (len(self.widths) - 1)
        for number, (at, _, num_actions, entering) in enumerate(kinds.tolist()):
            blocks = np.flatnonzero(kind.reshape(-1) == number)
            rows = (row[blocks] + np.arange(num_actions)[:, None]).reshape(-1)  # action by action
            before = places[at - 1 if entering else at][parent[blocks]]
            tensor = load_torch().as_tensor(before, device=self.device)
            first = self.starts[at] + filled[at] * self.widths[at]
            batches.append(Batch(at, first, num_actions, self.widths[at], tensor, bool(entering)))
            order[at].append(rows)
            places[at][rows] = filled[at] + np.arange(len(rows))
            filled[at] += len(rows)
        return [np.concatenate(rows) for rows in order], batches

    def street(self, vector: Tensor, street: int) -> Tensor:
        """A street's part [rows, K] of a vector [S]."""
        start, width = self.starts[street], self.widths[street]
        size = len(self._order[street]) * width
        return vector[start : start + size].view(-1, width)

    def street_of(self, sequence: int) -> int:
        """The street of a sequence."""
        return int(np.searchsorted(self.starts, sequence, side="right")) - 1

    def places(self, sequences: Ints, street: int) -> Ints:
        """Rows [T] of the first of K sequences [T] on a street."""
        back = np.argsort(self._order[street])
        found: Ints = back[(sequences - self.starts[street]) // self.widths[street]]
        return found

    def zeros(self) -> Tensor:
        """A new vector [S]."""
        return load_torch().zeros(self.num_sequences, device=self.device, dtype=self.dtype)

    def export(self, vector: Tensor) -> Floats:
        """A vector [S] in the game's order."""
        source: Floats = vector.cpu().numpy()
        out = np.empty_like(source)
        for street, order in enumerate(self._order):
            self._rows(out, street)[order] = self._rows(source, street)
        return out

    def take(self, vector: Floats) -> Tensor:
        """A vector [S] from the game's order."""
        out = np.empty_like(vector)
        for street, order in enumerate(self._order):
            self._rows(out, street)[:] = self._rows(vector, street)[order]
        return load_torch().as_tensor(out, device=self.device, dtype=self.dtype)

    def _rows(self, vector: Floats, street: int) -> Floats:
        start, width = self.starts[street], self.widths[street]
        return vector[start : start + len(self._order[street]) * width].reshape(-1, width)

    def uniform(self) -> Tensor:
        """Behavior [S] that plays every action with the same probability."""
        behavior = self.zeros() + 1
        for batch in self.batches:
            batch.of(behavior)[:] = 1 / batch.num_actions
        return behavior

    def behavior(self, plan: Tensor) -> Tensor:
        """The behavior [S] of a plan [S] (or of any sum of plans); uniform where it never comes."""
        behavior = plan.clamp_min(0)
        behavior[: self.num_roots] = 1
        for batch in self.batches:
            batch.of(behavior)[:] = shares(batch.of(behavior))
        return behavior

    def walk_down(self, behavior: Tensor) -> Tensor:
        """The plan [S] of a behavior [S]."""
        plan = load_torch().empty_like(behavior)
        self.fill_plan(behavior, plan)
        return plan

    def fill_plan(self, behavior: Tensor, plan: Tensor) -> None:
        """The plan [S] of a behavior [S], which may lie in the same place."""
        plan[: self.num_roots] = self.root
        for batch in self.batches:
            if batch.enters:
                before = self.street(plan, batch.street - 1)[batch.parent]
                reach = before[:, self.above[batch.street]]
            else:
                reach = self.street(plan, batch.street)[batch.parent]
            load_torch().mul(batch.of(behavior), reach, out=batch.of(plan))

    def pass_up(self, batch: Batch, value: Tensor, gradient: Tensor) -> None:
        """Add the values [n, K] of a batch's states to the sequences before them."""
        target = batch.street
        if batch.enters:
            target -= 1
            summed = value.new_zeros(len(value), self.widths[target])
            value = summed.index_add_(1, self.above[batch.street], value)
        self.street(gradient, target).index_add_(0, batch.parent, value)

    def best_up(self, gradient: Tensor) -> Tensor:
        """Each sequence's value [S] where best play follows it; takes the gradient's place."""
        for batch in reversed(self.batches):
            self.pass_up(batch, decision_values(batch.of(gradient), None), gradient)
        return gradient

    def best_value(self, gradient: Tensor) -> float:
        """What best play earns against a gradient [S]."""
        return self.at_roots(self.best_up(gradient.clone()))

    def at_roots(self, values: Tensor) -> float:
        """What values [S] come to at the start, by the player's range."""
        return float(self.root.double() @ values[: self.num_roots].double())

    def spread(self, gradient: Tensor) -> Tensor:
        """Each state's best less its worst value, at all of its actions [S]; zero at the roots."""
        high, low = self.best_up(gradient.clone()), self.best_up(-gradient)
        out = load_torch().zeros_like(high)
        for batch in self.batches:
            batch.of(out)[:] = batch.of(high).amax(dim=0) + batch.of(low).amax(dim=0)
        return out

    def smoothed(self, gradient: Tensor, weights: Tensor) -> tuple[float, Tensor]:
        """As `Treeplex.smoothed`; takes the gradient's place."""
        plan = load_torch().ones_like(gradient)
        for batch in reversed(self.batches):
            gain, share, weight = batch.of(gradient), batch.of(plan), batch.of(weights)[0]
            top = gain.amax(dim=0)
            load_torch().exp((gain - top) / weight, out=share)
            total = share.sum(dim=0)
            share /= total
            self.pass_up(batch, top + weight * total.log(), gradient)
        self.fill_plan(plan, plan)
        return self.at_roots(gradient), plan

    def random_plan(self, rng: np.random.Generator) -> Tensor:
        """A plan [S] whose behavior is drawn evenly from all, the same on every device."""
        return self.walk_down(self.behavior(self.take(rng.exponential(size=self.num_sequences))))


@dataclass(frozen=True)
class _Ends:
    """A group of terminals, seen by one player."""

    street: int
    matrix: Tensor  # [K, K] what the other's states pay, by the player's own
    stakes: Tensor  # [T, 1] in the player's own sign
    own: Tensor  # [T] row
    other: Tensor  # [T] row, of the other player's


class TorchGame:
    """A game over buckets on a device: both players' sequences, and products with the payoffs."""

    def __init__(self, game: Game, device: str, dtype: Any) -> None:
        self.source = game
        self.plexes = (
            TorchPlex(game, 0, device, dtype),
            TorchPlex(game, 1, device, dtype),
        )
        matrices = {
            id(g.payoff): load_torch().as_tensor(_entries(g.payoff), device=device, dtype=dtype)
            for g in game.groups
        }
        self._ends = [
            [self._seen(group, player, matrices[id(group.payoff)]) for group in game.groups]
            for player in (0, 1)
        ]

    def require_perfect_recall(self, algorithm: str) -> None:
        """As the game's own."""
        self.source.require_perfect_recall(algorithm)

    def _seen(self, group: Any, player: int, matrix: Tensor) -> _Ends:
        own, other = self.plexes[player], self.plexes[1 - player]
        seqs, others = (group.seqs0, group.seqs1)[:: 1 if player == 0 else -1]
        street = own.street_of(seqs[0])
        stakes = group.stakes if player == 0 else -group.stakes
        device = matrix.device
        return _Ends(
            street,
            matrix.T if player == 0 else matrix,
            load_torch().as_tensor(stakes, dtype=own.dtype, device=device)[:, None],
            load_torch().as_tensor(own.places(seqs, street), device=device),
            load_torch().as_tensor(other.places(others, street), device=device),
        )

    def gradient(self, player: int, plan: Tensor) -> Tensor:
        """What a player's sequences earn against the other's plan: [S]."""
        own, other = self.plexes[player], self.plexes[1 - player]
        out = own.zeros()
        for ends in self._ends[player]:
            reach = other.street(plan, ends.street)[ends.other] * ends.stakes
            own.street(out, ends.street).index_add_(0, ends.own, reach @ ends.matrix)
        return out


def require_device(game: Game, device: str, vectors: int, size: int) -> None:
    """Refuse a GPU that is not there, or a game whose vectors [S] and matrices do not fit on it.

    Numbers take so many bytes; as many vectors a player are there at the same time at most.
    """
    if device != "cuda":
        return
    named_device(device)
    matrices = {id(group.payoff): np.size(_entries(group.payoff)) for group in game.groups}
    sequences = sum(plex.num_sequences for plex in game.plexes)
    needed = size * (sum(matrices.values()) + vectors * sequences)
    free, _ = load_torch().cuda.mem_get_info()
    check_memory(needed, free, "training on the GPU", "take fewer buckets or fewer bets")


def _product(game: Game) -> Product:
    if not isinstance(game.nodes, Product):
        raise GameError(f"{game.name} is no product of a betting tree and buckets")
    return game.nodes


def _entries(payoff: Any) -> Any:
    """The matrix [K, K] of a payoff."""
    if not isinstance(payoff, Matrix):
        raise GameError("buckets need payoffs by matrix")
    return payoff.matrix
