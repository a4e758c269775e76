"""Answers to a bet that flop hold'em's smaller abstraction lacks, solved when it is made.

The inexpensive way: the endgame right after the bet, entered with whatever hand the opponent
likes, which costs it what its best known action is worth, CBV(I). On the flop every board is an
endgame of its own. Inside an endgame the missing bet is absent; if the opponent does so again,
another endgame is solved, against the strategy and values found in the first.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from endspiel.betting.streets import Street
from endspiel.cards.removal import unblocked_weight, unblocked_weights
from endspiel.endgame.safe.reach import Alternatives, Parting, reach_target
from endspiel.endgame.safe.techniques import (
    HALF_DEALT,
    IMPROVED,
    MAXMARGIN,
    REACH_MAXMARGIN,
    RESOLVE,
    SMALL_GIFT,
    Entries,
    Technique,
    by_name,
    named,
)
from endspiel.engine.gadget import GadgetSolve, Terms, Values
from endspiel.kernels.arrays import Bools, Floats, Ints
from endspiel.reproduce.last_street.batched import BatchedBackend
from endspiel.reproduce.last_street.boards import BySequence, LastStreet
from endspiel.reproduce.nlfh_alternatives import street_partings
from endspiel.reproduce.nlfh_endgames import EnteredByClass
from endspiel.reproduce.nlfh_game import UNIT
from endspiel.reproduce.nlfh_nested_game import NestedGame
from endspiel.reproduce.nlfh_solvers import SCHEME, WholeSolver
from endspiel.reproduce.nlfh_symmetry import SuitClasses

FAINT = 1e-6  # of the largest: chances below are those of hands that the player never meets
TECHNIQUES = by_name(RESOLVE, MAXMARGIN, REACH_MAXMARGIN, IMPROVED, HALF_DEALT)


@dataclass
class SolvedStreet:
    """A street without the missing bet, with the refined player's strategy."""

    street: Street
    solver: LastStreet
    allowed: Bools  # [N] nodes of the betting tree that the street may have
    alternative: Floats | None = None  # [B, L, P] what the opponent had instead of coming


class MissingBetAnswers:
    """One player's answers to the missing bet, wherever the opponent makes it."""

    def __init__(self, game: NestedGame, base: WholeSolver, player: int, iterations: int) -> None:
        self.game, self.base, self.player = game, base, player
        self.opponent, self.iterations = 1 - player, iterations
        self.flops = base.flops
        self.known_bets = game.without(0, 1)

    def solve(self, technique: str) -> "tuple[dict[int, Floats], list[SolvedStreet]]":
        """Preflop answers [actions, H] by node, and all streets on which an answer is found."""
        chosen = named(technique, TECHNIQUES)
        behavior, before = self._preflop(chosen)
        found = [self._known(behavior, before)]
        while len(found) < 4:  # more bets than a street has
            deeper = self._deeper(found[-1], chosen)
            if deeper is None:
                break
            found.append(deeper)
        return behavior, found

    # Before the flop

    def missing_preflop(self) -> int:
        """The node after the opponent's missing bet before the flop."""
        plan = self.base.preflop
        return max(self.game.missing_bet(node) for node in plan.decisions[self.opponent])

    def _preflop(self, technique: Technique) -> tuple[dict[int, Floats], SolvedStreet]:
        """Answer the bet before the flop: fold or call, and the flop after calling."""
        tree, node, base = self.game.betting, self.missing_preflop(), self.base
        _, call = tree.children(node)
        street = self.game.after([int(tree.first_child[call])])
        solver, come = self.flops.street(self.game, street), self._reach_at(node)
        answer = BatchedBackend(self.game.after([node]), solver, base.pairs, UNIT)
        answer.set_root(self.player, come)
        classes = SuitClasses(base.hands)
        mass = classes.mean(unblocked_weight(come, base.hands)) / base.pairs
        terms = self._preflop_terms(technique, mass)
        entered = EnteredByClass(answer, classes, self.opponent)
        GadgetSolve(entered, SCHEME, self.player, terms).advance(self.iterations)
        found = answer.behavior(self.player)
        return {node: found}, SolvedStreet(street, solver, self.known_bets)

    def _reach_at(self, node: int) -> Floats:
        """The probability [H] with which the player's base strategy comes to a preflop node."""
        sequences = self.game.sequences(self.base.preflop, self.player, self.known_bets)
        while node > 0 and node not in sequences:
            node = int(self.game.betting.parent[node])
        reach: Floats = self.base.reaches(self.player)[sequences.get(node, 0)]
        return reach

    def _preflop_terms(self, technique: Technique, weight: Floats) -> Terms:
        """CBV(I) for each class; nothing was given away before, as it is the first decision."""
        game, plan, opponent = self.game, self.base.preflop, self.opponent
        decision = int(game.betting.parent[self.missing_preflop()])
        span, classes = plan.decision_at(opponent, decision).span, SuitClasses(self.base.hands)
        best = classes.mean(self.base.sequence_values(opponent)[span].max(axis=0))
        everywhere, count = np.ones(best.shape, dtype=bool), classes.hands.astype(np.float64)
        entries = Entries(Alternatives.plain(best), weight, everywhere, count)
        return (MAXMARGIN if technique.uses_gifts else technique).terms(entries)

    # On the flop

    def _known(self, behavior: dict[int, Floats], before: SolvedStreet) -> SolvedStreet:
        """All lines that the player can be in when the flop comes, with its strategy on them."""
        game, base, player = self.game, self.base, self.player
        flop = game.after([*base.flop.street.starts, *before.street.starts])
        solver = self.flops.street(game, flop)
        self._copy(
            [SolvedStreet(base.flop.street, base.flop, self.known_bets), before], flop, solver
        )
        ranges = [base.reaches(player)[seqs[player]] for seqs in base.preflop.out]
        (node,) = behavior
        ranges.append(self._reach_at(node) * behavior[node][1])
        solver.set_range(player, np.stack(ranges))
        return SolvedStreet(flop, solver, self.known_bets)

    def _copy(self, sources: list[SolvedStreet], street: Street, solver: LastStreet) -> None:
        """Give both players the averages of other solvers, node by node."""
        for player in (0, 1):
            rows = self._rows(SolvedStreet(street, solver, self.known_bets), player)
            for source in sources:
                known = self._rows(source, player).items()
                both = [(row, rows[node]) for node, row in known if node in rows]
                solver.copy_averages(player, source.solver, both)

    def _rows(self, solved: SolvedStreet, player: int) -> dict[int, int]:
        """The row of each node that a player can choose on a street."""
        sequences = self.game.sequences(solved.street, player, solved.allowed)
        return {node: s - len(solved.street.starts) for node, s in sequences.items()}

    def _deeper(self, above: SolvedStreet, technique: Technique) -> SolvedStreet | None:
        """Answer the missing bet wherever the opponent may make it on a solved street."""
        game, street, opponent = self.game, above.street, self.opponent
        spots = [
            (d, game.missing_bet(node))
            for d, node in enumerate(street.decisions[opponent])
            if game.missing_bet(node) >= 0
        ]
        if not spots:
            return None
        worth, plan = above.solver.trace(opponent)
        come = plan.of([self._last(above, node, self.player) for _, node in spots])
        best = np.stack([self._best(above, worth, d) for d, _ in spots], axis=1)
        targets = best
        if technique.uses_gifts:
            targets = np.stack([self._target(above, worth, d) for d, _ in spots], axis=1)
        del plan, worth
        after = game.after([node for _, node in spots])
        solver = self.flops.street(game, after)
        solver.set_board_range(self.player, come)
        small = self._small_gifts([node for _, node in spots])
        entries = self._entries(solver, Alternatives(best, targets, best), come, small)
        self._learn(solver, technique.terms(entries))
        return SolvedStreet(after, solver, self.known_bets, best)

    def _entries(
        self, solver: LastStreet, alternatives: Alternatives, come: Floats, small: Values
    ) -> Entries:
        """The opponent's hands [B, L, P], if the player comes with these reaches.

        Limits are for hands that are let go: the others have their margins.
        """
        mass = unblocked_on(solver.hand, come)
        live = mass > np.float32(FAINT) * mass.max(axis=2, keepdims=True)
        weight = np.where(live, mass, np.float32(1))
        return Entries(alternatives, weight, live, np.float32(1), small, np.float32(np.inf))

    def _small_gifts(self, nodes: list[int]) -> Floats:
        """What counts as nothing given away [L, 1], once it is met: a small part of the pot."""
        chips = self.game.betting.spent[nodes].sum(axis=1)
        small: Floats = SMALL_GIFT * self.game.cards.chance[-1] * chips / UNIT
        return small.astype(np.float32)[:, None]

    def _learn(self, solver: LastStreet, terms: Terms) -> None:
        """Solve endgames that the opponent enters as it chooses; the player's ranges are set."""
        self.flops.solve_gadgets(solver, self.player, terms, self.iterations)

    def _last(self, above: SolvedStreet, node: int, player: int) -> int:
        """The sequence of a player's last choice up to a node; its line's where there is none."""
        sequences = self.game.sequences(above.street, player, above.allowed)
        starts = above.street.starts
        while node not in sequences and node not in starts:
            node = int(self.game.betting.parent[node])
        return sequences[node] if node in sequences else starts.index(node)

    def _best(self, above: SolvedStreet, worth: BySequence, d: int) -> Floats:
        """CBV(I) [B, P] of a decision: what the opponent has in place of the missing bet."""
        span = above.street.own(self.opponent)[d].span
        return reduce(np.maximum, map(worth.at, range(span.start, span.stop)))

    def _target(self, above: SolvedStreet, worth: BySequence, d: int) -> Floats:
        """CBV(I) [B, P] of a decision, and what was given away before it on top of it."""
        best = self._best(above, worth, d)
        beside = worth.at(above.street.parent[self.opponent][d]) - best
        target: Floats = reach_target(best, beside, self._partings(above, worth, d))
        return target

    def _partings(self, above: SolvedStreet, worth: BySequence, d: int) -> Iterator[Parting]:
        """The opponent's decisions before one, from the flop on, the last first."""
        sequence = above.street.parent[self.opponent][d]
        line = yield from street_partings(above.street, self.opponent, sequence, worth.at, worth.at)
        if above.alternative is not None:
            yield Parting(above.alternative[:, line], 0.0)


def unblocked_on(hand: Ints, reach: Floats) -> Floats:
    """The reach [B, L, P] of hands [B, P] on each board that share no card with each."""
    found = np.empty_like(reach)
    for b, held in enumerate(hand):  # of no hand, whatever: its reach is zero
        found[b] = unblocked_weights(reach[b], held)
    found[np.broadcast_to(hand[:, None] < 0, found.shape)] = 0
    return found
