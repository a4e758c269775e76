"""A strategy as the arrays of its file, and what rounding it lost."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import Abstraction
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.blueprint.file_layout import FileLayout, choose_levels, lay_out
from endspiel.blueprint.quantize import FINEST, pack, round_rows
from endspiel.cards.streets import STREETS
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats

Strategy = Callable[[int], Floats]  # a decision's number to its probabilities [A, K]


def encode_strategy(
    tree: BettingTree, abstraction: Abstraction, strategy: Strategy, bits: float
) -> tuple[dict[str, NDArray[Any]], dict[str, list[float]]]:
    """Arrays by name, and by street what rounding moved of a row's mass: mean and most."""
    sizes = abstraction.sizes

    def checked(node: int) -> Floats:
        rows = np.asarray(strategy(node), np.float64)
        wanted = int(tree.num_children[node]), sizes[tree.street[node]]
        if rows.shape != wanted:
            raise GameError(
                f"the strategy at node {node} has shape {rows.shape}, "
                f"not {wanted[0]} actions by {wanted[1]} buckets"
            )
        return rows

    levels = choose_levels(tree, sizes, _weights(tree, abstraction, checked), bits)
    layout = lay_out(tree, sizes, levels)
    codes, fine, loss = _quantize(tree, layout, checked)
    return {"codes": codes, "fine": fine, "levels": levels}, loss


def _weights(
    tree: BettingTree, abstraction: Abstraction, strategy: Strategy
) -> NDArray[np.float64]:
    """How much a decision's rows matter, by its player's own way there and the pot: [N]."""
    masses = [getattr(abstraction, name).mass for name in STREETS]
    shares = [mass / mass.sum() for mass in masses]
    way = np.ones((tree.num_nodes, 2))  # how often each player comes so far, as means over hands
    for node in range(tree.num_nodes):
        children = slice(tree.children(node).start, tree.children(node).stop)
        way[children] = way[node]
        if tree.kind[node] == DECISION:
            way[children, tree.player[node]] *= strategy(node) @ shares[tree.street[node]]
    own = np.where(tree.player == 1, way[:, 1], way[:, 0])
    weights: NDArray[np.float64] = own * (tree.pot + tree.spent.sum(axis=1))
    return weights


def _quantize(
    tree: BettingTree, layout: FileLayout, strategy: Strategy
) -> tuple[NDArray[np.uint8], NDArray[np.uint16], dict[str, list[float]]]:
    """Coded rows, fine rows, and the loss by street."""
    stream, fine = np.zeros(layout.num_bytes, np.uint8), np.zeros(layout.fine_at[-1], np.uint16)
    count, total, most = np.zeros(len(STREETS)), np.zeros(len(STREETS)), np.zeros(len(STREETS))
    for node in np.flatnonzero(layout.num_rows).tolist():
        rows = strategy(node).T.astype(np.float64, copy=False)
        if layout.grid_of[node] < 0:
            parts = round_rows(rows, FINEST)
            fine[layout.fine_at[node] : layout.fine_at[node + 1]] = parts.ravel()
            stored = parts / FINEST
        else:
            grid = layout.grids[layout.grid_of[node]]
            codes = grid.encode(rows)
            pack(codes, grid.bits, int(layout.bit_at[node]), stream)
            stored = grid.decode(codes.astype(np.int64))
        far = np.abs(stored - rows).sum(axis=1) / 2
        street = int(tree.street[node])
        count[street] += len(far)
        total[street] += far.sum()
        most[street] = max(most[street], far.max())
    found = np.flatnonzero(count).tolist()
    return stream, fine, {STREETS[s]: [float(total[s] / count[s]), float(most[s])] for s in found}
