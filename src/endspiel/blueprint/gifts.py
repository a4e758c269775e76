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
from endspiel.kernels.arrays import Float32s, Float64s, Ints, UInt8s

if TYPE_CHECKING:
    from endspiel.blueprint.abstract_game import Betting
    from endspiel.blueprint.train import Trainer
    from endspiel.blueprint.training import Setting

LEAST: Final = 0.01  # big blinds: less is no gift
OCTAVE: Final = 17.75  # steps in which a gift doubles; 254 of them reach past 200 big blinds
NEVER: Final = 1e-9  # chance of the deal and the other's play below which nothing is known


def encode(gifts: Float64s) -> UInt8s:
    """Gifts in big blinds as bytes, of the same shape."""
    steps = np.floor(OCTAVE * np.log2(np.maximum(gifts, LEAST) / LEAST)) + 1
    return np.where(gifts < LEAST, 0, np.clip(steps, 1, 255)).astype(np.uint8)


def decode(codes: UInt8s) -> Float64s:
    """The least gifts that bytes stand for, in big blinds."""
    steps = codes.astype(np.float64)
    found: Float64s = np.where(codes > 0, LEAST * 2.0 ** ((steps - 1) / OCTAVE), 0.0)
    return found


class Gifts:
    """The gifts of a strategy file: of every decision before the last street."""

    def __init__(self, tree: BettingTree, sizes: Sequence[int], codes: UInt8s) -> None:
        self._codes = codes
        self._rows, self._at = _places(tree, sizes)
        if len(codes) != self._at[-1]:
            raise FileError(f"{len(codes)} gifts, where the betting has {self._at[-1]}")

    def of(self, node: int) -> Float64s:
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


def _places(tree: BettingTree, sizes: Sequence[int]) -> tuple[Ints, Ints]:
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

    def gifts(whole: int) -> UInt8s:
        node = int(betting.node[whole])
        player, street = int(betting.tree.player[node]), int(betting.tree.street[node])
        earned = values[player][where.sequences(player, street, 0, node)].astype(np.float64)
        chance = _chance(betting.tree, where, plans[1 - player], node)
        lost = (earned.max(axis=0) - earned) / trainer.game.unit
        known = chance > NEVER
        return encode(np.where(known, lost / np.where(known, chance, 1.0), 0.0))

    return gifts


def _chance(tree: BettingTree, where: Product, plan: Float32s, node: int) -> Float64s:
    """How often the deal and the other's plan bring each bucket [K] of a decision's player there.

    Its own actions are left out.
    """
    street, other = int(tree.street[node]), 1 - int(tree.player[node])
    boards = [boards[0] for boards in where.streets]
    place, at = np.arange(len(boards[street].states)), street  # of buckets on street ``at``
    last, child = np.ones(len(place)), node
    while child > 0:
        parent = int(tree.parent[child])
        while at > int(tree.street[parent]):
            place, at = boards[at].above[place], at - 1
        if tree.kind[parent] == DECISION and tree.player[parent] == other:
            action = child - int(tree.first_child[parent])
            sequences = where.sequences(other, at, 0, parent)[action]
            last = plan[sequences[place]].astype(np.float64)
            break
        child = parent
    chance: Float64s = boards[street].chance @ last
    return chance
