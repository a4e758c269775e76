"""Random small games with private types and public moves, and their endgames."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from endspiel.endgame.safe.subgame import Endgame
from endspiel.game import Game, Profile
from endspiel.games.tree import Chance, Decision, Leaf, Node, build

PublicTree = dict[str, tuple[int, int]]  # line -> (who moves: 0, 1 or 2 for nature, how many ways)


def public_tree(rng: np.random.Generator, depth: int = 4) -> PublicTree:
    """A random public tree; every line that is not in it is over."""
    tree: PublicTree = {}

    def grow(line: str) -> None:
        if len(line) >= depth or (line and rng.random() < 0.15):
            return
        mover = int(rng.choice([0, 1, 0, 1, 2])) if line else int(rng.choice([0, 1]))
        width = int(rng.integers(2, 4))
        tree[line] = (mover, width)
        for a in range(width):
            grow(line + str(a))

    grow("")
    return tree


def random_game(
    seed: int, depth: int = 4, pay: Callable[[str], float] | None = None, types: int = 2
) -> tuple[Game, PublicTree]:
    """Types dealt by a random joint chance, then a random public tree with random payoffs.

    Or with payoffs that depend on the public line alone, as told.
    """
    rng = np.random.default_rng(seed)
    tree = public_tree(rng, depth)
    joint = rng.dirichlet(np.ones(types * types)).reshape(types, types)
    payoffs: dict[tuple[int, int, str], float] = {}
    chances = {
        line: rng.dirichlet(np.ones(width)) for line, (who, width) in tree.items() if who == 2
    }

    def expand(state: Any) -> Node:
        if state is None:
            pairs = [(i, j) for i in range(types) for j in range(types)]
            return Chance([(float(joint[p]), (*p, "")) for p in pairs])
        i, j, line = state
        if line not in tree and pay is not None:
            return Leaf(pay(line))
        if line not in tree:
            return Leaf(payoffs.setdefault(state, float(rng.integers(-4, 5))))
        who, width = tree[line]
        after = [(i, j, line + str(a)) for a in range(width)]
        if who == 2:
            return Chance([(float(p), s) for p, s in zip(chances[line], after, strict=True)])
        return Decision(who, f"{state[who]}:{line}", [(s[2][-1], s) for s in after])

    return build(None, expand, f"random-{seed}"), tree


def endgame_at(game: Game, line: str) -> Endgame:
    """Everything from a public line on."""

    def inside(start: str, player: int, name: str) -> bool:
        return name.split(":")[1].startswith(start)

    return Endgame.where(game, partial(inside, line))


def lines_of(tree: PublicTree, least: int = 1) -> list[str]:
    """Lines at which an endgame with a decision starts."""
    deciding = [line for line, (who, _) in tree.items() if who < 2]
    return [s for s in tree if len(s) >= least and any(t.startswith(s) for t in deciding)]


def disjoint(lines: list[str], rng: np.random.Generator) -> list[str]:
    """Some of the lines, none following another."""
    chosen: list[str] = []
    for line in rng.permutation(lines):
        if not any(line.startswith(c) or c.startswith(line) for c in chosen):
            chosen.append(str(line))
    return chosen


def random_profile(game: Game, seed: int) -> Profile:
    """Random behavior; some actions are never played."""
    rng = np.random.default_rng(seed)
    behavior = []
    for plex in game.plexes:
        weights = rng.exponential(size=plex.num_sequences)
        weights[rng.random(len(weights)) < 0.2] = 0.0
        behavior.append(plex.behavior(weights))
    return Profile((behavior[0], behavior[1]))
