"""Games whose equilibria are safe endgame strategies, for any solver.

One gadget serves every safe technique. The opponent may

- choose, at one root, which *free* entry to take, and is paid v(q) - target(q) over the entry's
  weight: the player then maximizes the smallest margin (the gadget of Moravcik et al. 2016, the
  2017 paper's Figure 4);
- at each *held* entry, besides, stay out (T, worth 0) or come in (F, worth v(q) - limit(q)): the
  player then keeps v(q) below the limit (the gadget of Burch et al. 2014, its payoffs shifted by
  the limit so that staying out pays 0).

Re-solve holds every entry, Maxmargin frees every entry. Reach-Maxmargin's improvement and its
constraint for many endgames do both at once: the roots of held entries then have masses, which
are penalties, and a large enough penalty is exact. Constants need something to be paid by: the
player's side has one more root, of mass 1, at which nothing happens.
"""

import numpy as np
from scipy import sparse

from endspiel.endgame.safe.cut import Blocks
from endspiel.engine.gadget import Terms
from endspiel.game import Game, Sparse, TerminalGroup, Treeplex
from endspiel.kernels.arrays import Floats, Ints


def gadget(game: Game, player: int, terms: Terms) -> Game:
    """The gadget game of a player's endgame; its sequences follow one constant root.

    The endgame has the player's masses at the player's roots; the opponent's roots are entries.
    """
    opponent = 1 - player
    plex, (opposing, copies) = game.plexes[player], _opposing(game.plexes[opponent], terms)
    root = np.concatenate([[1.0], plex.root])
    own = Treeplex.from_blocks(root, [(block.parent + 1, block.num_actions) for block in plex])
    form = game.matrix if opponent == 0 else -game.matrix.T
    size = (opposing.num_sequences, own.num_sequences)
    payoffs = sparse.csr_matrix(size)
    scale = np.where(terms.free, 1.0 / np.where(terms.free, terms.weight, 1.0), 0.0)
    for copy, cost, by in zip(
        copies, (terms.target, terms.limit), (scale, np.ones_like(scale)), strict=True
    ):
        constant = np.zeros((form.shape[0], 1))
        constant[: len(cost), 0] = -cost
        charged = sparse.hstack([constant, form], format="csr")
        payoffs = payoffs + _moved(charged, copy, by[_entry_of(game.plexes[opponent])], size[0])
    plexes = (opposing, own) if opponent == 0 else (own, opposing)
    matrix = sparse.csr_matrix(payoffs if opponent == 0 else -payoffs.T)
    zero = np.zeros(1, dtype=np.int64)
    group = TerminalGroup(Sparse(matrix), np.ones(1), zero, zero)
    return Game(plexes, [group], f"gadget of {game.name}", unit=game.unit).validate()


def _moved(form: sparse.csr_matrix, to: Ints, by: Floats, size: int) -> sparse.csr_matrix:
    """A form's rows multiplied and put where they go; those that go nowhere (-1) are left out."""
    rows = np.flatnonzero(to >= 0)
    place = sparse.csr_matrix((by[rows], (to[rows], rows)), shape=(size, form.shape[0]))
    return place @ form


def _entry_of(plex: Treeplex) -> Ints:
    """The entry that each of the opponent's sequences [S'] follows."""
    entry = np.arange(plex.num_sequences)
    for block in plex:
        block.of(entry)[:] = entry[block.parent]
    return entry


def player_behavior(behavior: Floats) -> Floats:
    """The player's behavior [S'] in the endgame, out of the gadget's."""
    return behavior[1:]


def _opposing(plex: Treeplex, terms: Terms) -> tuple[Treeplex, tuple[Ints, Ints]]:
    """The opponent's side, and where its sequences [S'] are in each copy; -1 where nowhere."""
    free, held = np.flatnonzero(terms.free), np.flatnonzero(terms.held)
    choosing = int(len(free) > 0)
    root = np.concatenate([np.ones(choosing), terms.penalty[held]])
    blocks: Blocks = []
    copies = tuple(np.full(plex.num_sequences, -1, dtype=np.int64) for _ in range(2))
    end = len(root)
    if choosing:
        blocks.append((np.zeros(1, dtype=np.int64), len(free)))
        copies[0][free] = end + np.arange(len(free))
        end += len(free)
    if len(held):
        blocks.append((choosing + np.arange(len(held)), 2))
        copies[1][held] = end + len(held) + np.arange(len(held))
        end += 2 * len(held)
    for block in plex:
        K, A = block.num_states, block.num_actions
        for copy in copies:
            states = np.flatnonzero(copy[block.parent] >= 0)
            if not len(states):
                continue
            numbers = block.first + np.arange(A)[:, None] * K + states
            copy[numbers.ravel()] = end + np.arange(numbers.size)
            blocks.append((copy[block.parent[states]], A))
            end += numbers.size
    return Treeplex.from_blocks(root, blocks), (copies[0], copies[1])
