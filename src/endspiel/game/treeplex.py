"""One player's strategies: blocks of decision points hanging from the player's own sequences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from endspiel.errors import GameError
from endspiel.kernels import cpu
from endspiel.kernels.arrays import Floats, Ints, PlexArrays

if TYPE_CHECKING:
    from scipy import sparse

N = TypeVar("N", bound=np.generic)


@dataclass(frozen=True)
class Block:
    """K private states of one player with A actions each; a view of the flat arrays."""

    parent: Ints  # [K] own sequence that leads to each state
    first: int  # sequence ids: first + a * K + k
    num_actions: int

    @property
    def num_states(self) -> int:
        return len(self.parent)

    def of(self, vector: NDArray[N]) -> NDArray[N]:
        """Its part of a vector [S]: a view [A, K]."""
        end = self.first + self.num_actions * self.num_states
        return vector[self.first : end].reshape(self.num_actions, -1)


@dataclass(frozen=True)
class Rows:
    """Shared storage: which row's action each sequence plays, and the rows as blocks of their own.

    Row blocks have no parents; their arrays only say where each row's actions lie.
    """

    of: Ints  # [S] row sequence of each sequence; roots map to the entries before the first block
    arrays: PlexArrays  # of the row blocks; base and maps unused
    size: int  # number of row sequences, the roots' entries counted


@dataclass(frozen=True)
class Treeplex:
    """One player's decision points, parents before children, in flat arrays."""

    root: Floats  # [R] the player's range: mass of each root sequence
    arrays: PlexArrays
    rows: Rows | None = None

    @classmethod
    def from_blocks(
        cls, root: Floats, blocks: Sequence[tuple[Ints, int]], rows: Rows | None = None
    ) -> "Treeplex":
        """Lay out blocks given as (parents [K], number of actions), in order."""
        states = np.array([len(parent) for parent, _ in blocks], dtype=np.int64)
        actions = np.array([num for _, num in blocks], dtype=np.int64)
        ends = len(root) + np.cumsum(states * actions)
        starts = np.concatenate([[0], np.cumsum(states)])[:-1].astype(np.int64)
        maps = [np.asarray(parent, dtype=np.int64) for parent, _ in blocks]
        arrays = PlexArrays(
            first=ends - states * actions,
            states=states,
            actions=actions,
            base=np.zeros(len(blocks), dtype=np.int64),
            map_at=starts,
            maps=np.concatenate(maps) if maps else np.zeros(0, dtype=np.int64),
            stride=states,
        )
        return cls(np.asarray(root, dtype=np.float64), arrays, rows)

    @property
    def num_roots(self) -> int:
        return len(self.root)

    @property
    def num_blocks(self) -> int:
        return len(self.arrays.first)

    @cached_property
    def num_sequences(self) -> int:
        return self.num_roots + int(self.arrays.states @ self.arrays.actions)

    @cached_property
    def num_infosets(self) -> int:
        """Number of rows: what the player can tell apart when choosing."""
        source = self.arrays if self.rows is None else self.rows.arrays
        return int(source.states.sum())

    def block(self, b: int) -> Block:
        """View of one block."""
        a = self.arrays
        at = a.map_at[b]
        parent = a.base[b] + a.maps[at : at + a.states[b]]
        return Block(parent, int(a.first[b]), int(a.actions[b]))

    def __iter__(self) -> Iterator[Block]:
        return (self.block(b) for b in range(self.num_blocks))

    @cached_property
    def mass(self) -> Floats:
        """Root mass behind each sequence [S]: it weighs a state among those that share its row."""
        return self.walk_down(np.ones(self.num_sequences))

    def uniform(self) -> Floats:
        """Behavior [S] that plays every action with the same probability."""
        behavior = np.ones(self.num_sequences)
        cpu.normalize(self.arrays, np.zeros(self.num_sequences), behavior)
        return behavior

    def walk_down(self, behavior: Floats) -> Floats:
        """The plan [S] of a behavior [S]."""
        plan = np.empty_like(behavior)
        plan[: self.num_roots] = self.root
        cpu.walk_down(self.arrays, behavior, plan)
        return plan

    def behavior(self, plan: Floats) -> Floats:
        """The behavior [S] of a plan [S] (or of any sum of plans); uniform where it never comes."""
        behavior = np.ones_like(plan)
        cpu.normalize(self.arrays, np.maximum(plan, 0), behavior)
        return behavior

    def best_response(self, gradient: Floats) -> tuple[Floats, Floats]:
        """Best play against a gradient [S]: each sequence's value [S], and pure behavior [S]."""
        values, behavior = gradient.copy(), np.ones_like(gradient)
        cpu.best_up(self.arrays, values, behavior)
        return values, behavior

    def best_value(self, gradient: Floats) -> float:
        """What best play earns against a gradient [S]."""
        values, _ = self.best_response(gradient)
        return float(self.root @ values[: self.num_roots])

    def spread(self, gradient: Floats) -> Floats:
        """Each state's best less its worst value, at all of its actions [S]; zero at the roots."""
        high, low = self.best_response(gradient)[0], self.best_response(-gradient)[0]
        out = np.zeros_like(gradient)
        for block in self:
            block.of(out)[:] = block.of(high).max(axis=0) + block.of(low).max(axis=0)
        return out

    def smoothed(self, gradient: Floats, weights: Floats) -> tuple[float, Floats]:
        """Play that earns most where entropy is paid each state's weight [S]: its worth and plan.

        Works in the gradient's place.
        """
        plan = np.ones_like(gradient)
        cpu.smooth_up(self.arrays, gradient, weights, plan)
        plan[: self.num_roots] = self.root
        # In place: a block reads its own behavior and its parents' finished plan.
        cpu.walk_down(self.arrays, plan, plan)
        return float(self.root @ gradient[: self.num_roots]), plan

    def random_plan(self, rng: "np.random.Generator") -> Floats:
        """A plan [S] whose behavior is drawn evenly from all."""
        return self.walk_down(self.behavior(rng.exponential(size=self.num_sequences)))

    def constraints(self) -> "tuple[sparse.csr_matrix, Floats]":
        """E, e: a vector is a plan when Ex = e and x >= 0. One row per root, one per state."""
        from scipy import sparse

        roots = np.arange(self.num_roots)
        rows, columns, signs = [roots], [roots], [np.ones(self.num_roots)]
        row = self.num_roots
        for block in self:
            K, A = block.num_states, block.num_actions
            states = row + np.arange(K)
            rows += [np.tile(states, A), states]
            columns += [block.first + np.arange(A * K), block.parent]
            signs += [np.ones(A * K), -np.ones(K)]
            row += K
        entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
        right = np.zeros(row)
        right[: self.num_roots] = self.root
        return sparse.csr_matrix(entries, shape=(row, self.num_sequences)), right

    @cached_property
    def depth(self) -> Ints:
        """Number of own actions in each sequence [S]."""
        depth = np.zeros(self.num_sequences, dtype=np.int64)
        for block in self:
            block.of(depth)[:] = depth[block.parent] + 1
        return depth

    def validate(self, player: int) -> None:
        """Refuse parents that do not come first, blocks without actions, and bad root masses."""
        if not np.isfinite(self.root).all() or (self.root < 0).any():
            raise GameError(f"player {player}: root masses must be finite and not negative")
        for b, block in enumerate(self):
            where = f"player {player}, block {b}"
            if block.num_actions < 1 or block.num_states < 1:
                raise GameError(f"{where}: a block needs a state and an action")
            late = np.flatnonzero((block.parent >= block.first) | (block.parent < 0))
            if len(late):
                raise GameError(
                    f"{where}: state {late[0]} follows sequence {block.parent[late[0]]}, "
                    "which does not come before it"
                )
        if self.rows is not None and len(self.rows.of) != self.num_sequences:
            raise GameError(f"player {player}: {len(self.rows.of)} row entries for sequences")
