"""Card abstraction done twice: by shared rows, and by a game whose infosets are merged."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy import sparse

from endspiel.game import Game, Labels, Rows, Sparse, TerminalGroup, Treeplex
from endspiel.games.tree import Chance, Decision, Leaf, Node, build
from endspiel.kernels.arrays import Floats, Ints, PlexArrays

Merge = Callable[[str], str]  # an infoset's name to that of all infosets merged with it


def kuhn_with_deals(deals: Floats, merge: Merge = lambda name: name) -> Game:
    """Kuhn poker whose cards come with the probabilities of deals [cards, cards]."""

    def expand(state: tuple[int, int, str] | None) -> Node:
        if state is None:
            pairs = [(i, j) for i in range(len(deals)) for j in range(len(deals)) if i != j]
            return Chance([(float(deals[i, j]), (i, j, "")) for i, j in pairs])
        card0, card1, line = state
        sign = 1 if card0 > card1 else -1
        if line in ("pp", "bb", "pbb"):
            return Leaf(sign * (1 if line == "pp" else 2))
        if line in ("bp", "pbp"):
            return Leaf(1 if line == "bp" else -1)
        player = len(line) % 2
        actions = [(action, (card0, card1, line + action)) for action in "pb"]
        return Decision(player, merge(f"{state[player]}{line}"), actions)

    return build(None, expand, "kuhn with deals")


def shared(game: Game, merge: Merge, masses: tuple[Floats, Floats] | None = None) -> Game:
    """The same game with merged names in shared rows.

    With masses, each card (the first letter of a name) becomes a root of that mass, and payoffs
    are divided by it: a plan's entries carry it already.
    """
    scales, plexes, shifts = [], [], []
    for player, plex in enumerate(game.plexes):
        names = _names(game, player)
        cards = np.array([int(name[0]) if name else 0 for name in names])
        root = np.ones(1) if masses is None else masses[player]
        shift = len(root) - 1
        blocks = []
        for block in plex:
            own = cards[block.first : block.first + block.num_states]
            at_root = own if masses is not None else 0
            blocks.append(
                (np.where(block.parent == 0, at_root, block.parent + shift), block.num_actions)
            )
        moved = [""] * shift + names
        new = Treeplex.from_blocks(root, blocks)
        plexes.append(replace(new, rows=_rows(new, [merge(n) if n else "" for n in moved])))
        scales.append(1 / root[cards] if masses is not None else np.ones(len(names)))
        shifts.append(shift)
    matrix = sparse.diags(scales[0]) @ game.matrix @ sparse.diags(scales[1])
    return _game(game, (plexes[0], plexes[1]), matrix, (shifts[0], shifts[1]), game.labels)


def coarsened(game: Game, merge: Merge) -> Game:
    """The game of one root each in which merged infosets are one: payoffs add up."""
    plexes, labels, maps = [], [], []
    for player, plex in enumerate(game.plexes):
        of = np.zeros(plex.num_sequences, dtype=np.int64)
        blocks, end, names, actions = [], 1, [], []
        for b, block in enumerate(plex):
            assert game.labels is not None
            merged = [merge(name) for name in game.labels[player].infosets[b]]
            states = sorted(set(merged))
            K, A = len(states), block.num_actions
            where = np.array([states.index(name) for name in merged])
            for a in range(A):
                first = block.first + a * block.num_states
                of[first : first + block.num_states] = end + a * K + where
            parents = np.zeros(K, dtype=np.int64)
            parents[where] = of[block.parent]
            blocks.append((parents, A))
            names.append(tuple(states))
            given = dict(zip(merged, game.labels[player].actions[b], strict=True))
            actions.append(tuple(given[name] for name in states))
            end += A * K
        plexes.append(Treeplex.from_blocks(np.ones(1), blocks))
        labels.append(Labels(tuple(names), tuple(actions)))
        maps.append(sparse.csr_matrix((np.ones(len(of)), (of, np.arange(len(of))))))
    matrix = maps[0] @ game.matrix @ maps[1].T
    return _game(game, (plexes[0], plexes[1]), matrix, (0, 0), (labels[0], labels[1]))


def by_name(game: Game, player: int, behavior: Floats) -> dict[tuple[str, str], float]:
    """Behavior [S] by infoset and action."""
    assert game.labels is not None
    named = game.labels[player].walk(game.plexes[player])
    return {(name, action): float(behavior[s]) for name, action, s in named}


def _names(game: Game, player: int) -> list[str]:
    """The infoset's name behind each sequence; none at the root."""
    assert game.labels is not None
    plex = game.plexes[player]
    names = [""] * plex.num_sequences
    for name, _, sequence in game.labels[player].walk(plex):
        names[sequence] = name
    return names


def _rows(plex: Treeplex, merged: list[str]) -> Rows:
    """One row for each merged name, laid out by number of actions; merged names [S]."""
    widths: dict[int, list[str]] = {}
    for block in plex:
        for k in range(block.num_states):
            group = widths.setdefault(block.num_actions, [])
            if merged[block.first + k] not in group:
                group.append(merged[block.first + k])
    at, firsts, counts = plex.num_roots, [], []
    of: Ints = np.zeros(plex.num_sequences, dtype=np.int64)
    of[: plex.num_roots] = np.arange(plex.num_roots)
    for width, names in widths.items():
        firsts.append(at)
        counts.append(len(names))
        for block in plex:
            if block.num_actions == width:
                for s in range(block.first, block.first + width * block.num_states):
                    action = (s - block.first) // block.num_states
                    of[s] = at + action * len(names) + names.index(merged[s])
        at += width * len(names)
    nothing = np.zeros(len(firsts), dtype=np.int64)
    states, actions = np.array(counts), np.array(list(widths))
    arrays = PlexArrays(np.array(firsts), states, actions, nothing, nothing, nothing, states)
    return Rows(of, arrays, at)


def _game(
    game: Game,
    plexes: tuple[Treeplex, Treeplex],
    matrix: sparse.spmatrix,
    at: tuple[int, int],
    labels: tuple[Labels, Labels] | None,
) -> Game:
    seqs = np.array([at[0]]), np.array([at[1]])
    group = TerminalGroup(Sparse(sparse.csr_matrix(matrix)), np.ones(1), *seqs)
    return Game(plexes, [group], game.name, labels, span=game.span).validate()
