"""What a player gives away by each action, measured against the other's blueprint.

Reach-Maxmargin lets the opponent of an endgame have more where it gave something away on its way
there. A gift is what the best action at an infoset is worth more than the one taken, both followed
by best play against the blueprint, in big blinds and given that the infoset is reached. So each of
the endgames that may follow gets its share of the slack by how likely it is, and no slack is used
twice. Inside the abstraction that is exact; kept in a byte each, gifts are rounded down.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.tree import DECISION, BettingTree
from endspiel.errors import FileError, GameError
from endspiel.games.product import Product

if TYPE_CHECKING:
    from endspiel.blueprint.abstract_game import Betting
    from endspiel.blueprint.train import Trainer
    from endspiel.blueprint.training import Setting

LEAST: Final = 0.01  # big blinds: less is no gift
OCTAVE: Final = 17.75  # steps in which a gift doubles; 254 of them reach past 200 big blinds
NEVER: Final = 1e-9  # chance of the deal and the other's play below which nothing is known

Floats = NDArray[np.float64]
Float32s = NDArray[np.float32]
Int64s = NDArray[np.int64]
UInt8s = NDArray[np.uint8]


def encode(gifts: Floats) -> UInt8s:
    """Gifts in big blinds as bytes, of the same shape."""
    steps = np.floor(OCTAVE * np.log2(np.maximum(gifts, LEAST) / LEAST)) + 1
    return np.where(gifts < LEAST, 0, np.clip(steps, 1, 255)).astype(np.uint8)


def decode(codes: UInt8s) -> Floats:
    """The least gifts that bytes stand for, in big blinds."""
    steps = codes.astype(np.float64)
    found: Floats = np.where(codes > 0, LEAST * 2.0 ** ((steps - 1) / OCTAVE), 0.0)
    return found


class Gifts:
    """The gifts of a strategy file: of every decision before the last street."""

    def __init__(self, tree: BettingTree, sizes: Sequence[int], codes: UInt8s) -> None:
        self._tree, self._codes = tree, codes
        self._rows, self._at = _places(tree, sizes)
        if len(codes) != self._at[-1]:
            raise FileError(f"{len(codes)} gifts, where the betting has {self._at[-1]}")

    def of(self, node: int) -> Floats:
        """Big blinds [A, K] that each action gives away with each bucket."""
        if not self._rows[node]:
            raise GameError(f"no gifts are kept of node {node}")
        codes = self._codes[self._at[node] : self._at[node + 1]]
        return decode(codes.reshape(-1, int(self._rows[node])))


def pack_gifts(tree: BettingTree, sizes: Sequence[int], gifts: Callable[[int], UInt8s]) -> UInt8s:
    """All gifts of a tree, for a file: codes [A, K] of one decision after the other."""
    rows, at = _places(tree, sizes)
    codes = np.zeros(at[-1], np.uint8)
    for node in np.flatnonzero(rows).tolist():
        codes[at[node] : at[node + 1]] = gifts(node).ravel()
    return codes


def _places(tree: BettingTree, sizes: Sequence[int]) -> tuple[Int64s, Int64s]:
    """Buckets of each decision before the last street [N], and where its codes begin [N + 1]."""
    early = (tree.kind == DECISION) & (tree.street < tree.street.max())
    rows = np.where(early, np.array(sizes, np.int64)[tree.street], 0)
    ends = np.cumsum(rows * tree.num_children.astype(np.int64))
    return rows, np.concatenate([[0], ends])


def strategy_gifts(
    setting: "Setting", strategy: Callable[[int], NDArray[np.floating]], threads: int = 1
) -> Callable[[int], UInt8s]:
    """The gifts of a trained strategy, by decision: codes [A, K], as a strategy file keeps them."""
    from endspiel.blueprint.training import trainer_of

    return measure_gifts(trainer_of(setting, strategy, threads), setting.betting)


def measure_gifts(trainer: "Trainer", betting: "Betting") -> Callable[[int], UInt8s]:
    """By decision of the whole betting tree: the codes [A, K] of its player's gifts."""
    where = trainer.game.nodes
    if not isinstance(where, Product):
        raise GameError(f"{trainer.game.name} is no product of a betting tree and buckets")
    values, plans = [], []
    for player in (0, 1):
        plans.append(trainer.backend.average_plan(player).copy())
        values.append(trainer.backend.best_earnings(player).copy())
    reach = _Reach(betting.tree, where, plans)

    def gifts(whole: int) -> UInt8s:
        node = int(betting.node[whole])
        player, street = int(betting.tree.player[node]), int(betting.tree.street[node])
        earned = values[player][where.sequences(player, street, 0, node)].astype(np.float64)
        chance = reach.of(node, 1 - player)
        lost = (earned.max(axis=0) - earned) / trainer.game.unit
        known = chance > NEVER
        return encode(np.where(known, lost / np.where(known, chance, 1.0), 0.0))

    return gifts


class _Reach:
    """How often the deal and one player's plan bring the other's buckets to a decision."""

    def __init__(self, tree: BettingTree, where: Product, plans: list[Float32s]) -> None:
        self.tree, self.where, self.plans = tree, where, plans

    def of(self, node: int, other: int) -> Floats:
        """Chance [K] of the decision for each bucket of its player, its own actions left out."""
        street = int(self.tree.street[node])
        boards = [boards[0] for boards in self.where.streets]
        place, at = np.arange(len(boards[street].states)), street  # of buckets on street ``at``
        last = np.ones(len(place))
        child = node
        while child > 0:
            parent = int(self.tree.parent[child])
            while at > int(self.tree.street[parent]):
                place, at = boards[at].above[place], at - 1
            if self.tree.kind[parent] == DECISION and self.tree.player[parent] == other:
                action = child - int(self.tree.first_child[parent])
                sequences = self.where.sequences(other, at, 0, parent)[action]
                last = self.plans[other][sequences[place]].astype(np.float64)
                break
            child = parent
        chance: Floats = boards[street].chance @ last
        return chance
