"""Newton's equations of a one-street game, solved exactly along its public tree.

An interior point step for ``max over x, min over y of x'Ay`` is the saddle point of a quadratic
form in both players' changes. What happens below a decision touches the rest of the game only
through the two sequences that lead to it, so a decision's whole subtree can be replaced by a
quadratic form in those two (K0 + K1 numbers), from the leaves up:

    value(x, y) = 1/2 |L x|^2 - x'B y - 1/2 |Y y|^2 - g'x + h'y

with x the acting player's sequence and y the other's. Two actions a and b, which share x between
them, are merged into one, until one is left. All of it is done on square roots L and Y of the
quadratic parts, by orthogonal triangularization: near a solution these parts grow apart by more
than the sixteen digits that forming them would leave. `kernels.tree_newton` does the work, where
states are many `kernels.tree_newton_blocked`.
"""

import numpy as np

from endspiel.betting.sequences import number_sequences
from endspiel.betting.streets import Street
from endspiel.betting.tree import FOLD, BettingTree
from endspiel.kernels import tree_newton, tree_newton_blocked
from endspiel.kernels.tree_newton import Factors, TreeArrays
from endspiel.kernels.tree_newton import Pair as Pair
from endspiel.solvers.memory import check_memory

MANY_STATES = 120  # from here on LAPACK's calls cost less than they save


def public_tree(tree: BettingTree, street: Street, sizes: tuple[int, int]) -> TreeArrays:
    """The decisions of a street's betting, parents first; stakes are shares of the pot."""
    tree.check_zero_sum("a linear program")
    decisions = number_sequences(tree, street.starts).decisions
    place = {decision.node: at for at, decision in enumerate(decisions)}
    counted = [0, 0]  # of each player's decisions
    heads, actions, starts = [], [], [0]
    for node, player, first, _, seqs in decisions:
        heads.append((player, counted[player], seqs[player], seqs[1 - player]))
        counted[player] += 1
        here = []
        for a, child in enumerate(tree.children(node)):
            shown = int(tree.kind[child] != FOLD)  # what an action that goes on pays is not read
            gain = float(tree.gains(child, player)) / tree.pot
            here.append((first + a, place.get(child, -1), shown, gain))
        actions += sorted(here, key=lambda action: action[1] >= 0)  # terminals first
        starts.append(len(actions))
    head = np.array(heads, dtype=np.int64).reshape(-1, 4)
    ends = np.array([action[:3] for action in actions], dtype=np.int64).reshape(-1, 3)
    return TreeArrays(
        player=head[:, 0].copy(),
        number=head[:, 1].copy(),
        own=head[:, 2].copy(),
        other=head[:, 3].copy(),
        start=np.array(starts),
        seq=ends[:, 0].copy(),
        child=ends[:, 1].copy(),
        kind=ends[:, 2].copy(),
        stake=np.array([action[3] for action in actions], dtype=np.float64),
        sizes=np.array(sizes),
    )


def newton_bytes(decisions: int, actions: int, states: int) -> int:
    """What the factors of the equations take: three squares for each decision and each action."""
    return 8 * states * states * 3 * (decisions + actions)


class Newton:
    """The equations of one step: factored for one diagonal after the other, in the same room."""

    def __init__(self, tree: TreeArrays, forms: Pair) -> None:
        """Forms [2, K, K'] of each player: what a fold and a showdown pay the player itself."""
        self.tree = tree
        N, A, W = len(tree.player), len(tree.seq), int(tree.sizes.max())
        check_memory(
            newton_bytes(N, A, W),
            None,
            f"the linear program of {A} actions and {W} states",
            "solve by dcfr, or put hands into buckets",
        )
        self._forms = np.zeros((2, 2, W, W))
        for player, form in enumerate(forms):
            self._forms[player, :, : form.shape[1], : form.shape[2]] = form
        self._factors = Factors(
            plain=np.zeros(N, np.int64),
            L=np.zeros((N, W, W)),
            B=np.zeros((N, W, W)),
            Y=np.zeros((N, W, W)),
            merge_plain=np.zeros(A, np.int64),
            first=np.zeros((A, W), np.int64),
            root=np.zeros((A, W, W)),
            pull=np.zeros((A, W, W)),
            push=np.zeros((A, W, W)),
        )

    @property
    def many(self) -> bool:
        """Whether states are many enough for LAPACK."""
        return bool(self.tree.sizes.max() >= MANY_STATES)

    def factor(self, D: Pair) -> None:
        """Take the diagonals [S, K] of both players' quadratic parts."""
        factor = tree_newton_blocked.factor if self.many else tree_newton.factor
        factor(self.tree, self._forms, D, self._factors)

    def solve(self, g: Pair, missing: Pair) -> tuple[Pair, Pair]:
        """Changes of both plans [S, K], and of the values [D, K] of all decisions' states.

        They are the saddle point of ``1/2 x'Dx - x'Ay - 1/2 y'Dy - g'x + g'y`` over changes that
        make up for ``missing`` [D, K], what each decision's actions have beyond their parent.
        """
        x = np.zeros_like(g[0]), np.zeros_like(g[1])
        u = np.zeros_like(missing[0]), np.zeros_like(missing[1])
        tree_newton.solve(self.tree, self._factors, g, missing, x, u)
        return x, u
