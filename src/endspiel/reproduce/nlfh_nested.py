"""Answers to a bet that flop hold'em's smaller abstraction lacks, solved when it is made.

The inexpensive way: the endgame right after the bet, entered with whatever hand the opponent
likes, which costs it what its best known action is worth, CBV(I). On the flop every board is an
endgame of its own. Inside an endgame nobody makes the missing bet; if the opponent does so again,
another endgame is solved, against the strategy and values found in the first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from endspiel.cards.removal import unblocked_weight
from endspiel.endgame.cut import Bools
from endspiel.endgame.entrance import Entrance, Terms
from endspiel.errors import GameError
from endspiel.games.street_plans import Street
from endspiel.kernels.arrays import Floats
from endspiel.kernels.board import BEST
from endspiel.reproduce.nlfh_batched import BatchedWhole, discounts
from endspiel.reproduce.nlfh_endgames import SMALL_GIFT, SuitClasses
from endspiel.reproduce.nlfh_game import UNIT
from endspiel.reproduce.nlfh_nested_game import NestedGame
from endspiel.solvers.array_libraries import Arrays, Tensor
from endspiel.solvers.board_torch import StreetSolver

DEALT = ", half dealt"  # after a technique: see `HalfDealt`
IMPROVED = "reach-maxmargin-improved"
TECHNIQUES = ("resolve", "maxmargin", "reach-maxmargin", IMPROVED, "reach-maxmargin" + DEALT)
FAINT = 1e-6  # of the largest: chances below are those of hands that the player never meets


class BoardEntrance:
    """The opponent's choice of a hand to come in with, line by line and board by board.

    Among all hands that may be met, or those of them that are marked.
    """

    def __init__(
        self, on: Arrays, technique: str, target: Tensor, mass: Tensor, among: Tensor | None = None
    ) -> None:
        self.on, self.choosing = on, technique != "resolve"
        self.target, self.mass = target, mass  # [L, B, K]
        self.live = mass > FAINT * on.largest(mass, 2, keepdims=True)
        self.each = on.where(self.live if among is None else self.live & among, 1.0, 0.0)
        self.regret = on.zeros(target.shape)  # of coming
        self.other = on.zeros(target.shape)  # of staying out
        self.scale = on.share(self.each, mass, 0.0) if self.choosing else self.each

    def choice(self) -> Tensor:
        """Reaches [L, B, K]: of one hand in all, by what its chance is worth; or of each."""
        come = self.regret.clip(min=0)
        even = self.each / self.each.sum(axis=2, keepdims=True).clip(min=1)
        total = come.sum(axis=2, keepdims=True) if self.choosing else come + self.other.clip(min=0)
        share = self.on.share(come, total, even if self.choosing else 0.5)
        found: Tensor = share * self.scale
        return found

    def learn(self, values: Tensor, by: Any) -> None:
        """Learn from what each hand is worth [L, B, K]."""
        gains = (values - self.target) * self.scale
        if self.choosing:
            mean = (self.choice() / self.scale.clip(min=FAINT) * gains).sum(axis=2, keepdims=True)
            self.regret = (self.regret * by[0] + (gains - mean) * self.each).clip(min=0)
            return
        share = self.choice()
        for regret, news in ((self.regret, (1 - share) * gains), (self.other, -share * gains)):
            regret *= self.on.where(regret > 0, by[0], by[1])
            regret += news


class HalfDealt:
    """Entrances of which half are chosen as in Maxmargin, half dealt as in Re-solve.

    Where every hand can be kept from gaining, that is Maxmargin, as dealt hands stay out. Where
    none can, Maxmargin cares for the hand that gains most and lets all others gain as much; here
    their mean counts too, and that is what the opponent wins.
    """

    def __init__(self, on: Arrays, target: Tensor, mass: Tensor) -> None:
        self.chosen = BoardEntrance(on, "maxmargin", target, mass)
        self.dealt = BoardEntrance(on, "resolve", target, mass)
        self.chance = on.share(1, mass.sum(axis=2, keepdims=True), 0.0)  # [L, B, 1] of a hand

    def choice(self) -> Tensor:
        """Reaches [L, B, K] of the opponent's hands."""
        found: Tensor = (self.chosen.choice() + self.chance * self.dealt.choice()) / 2
        return found

    def learn(self, values: Tensor, by: Any) -> None:
        """Learn from what each hand is worth [L, B, K]."""
        self.chosen.learn(values, by)
        self.dealt.learn(values, by)


class LetGo:
    """The paper's improvement: margins are chosen among hands that gave nothing away before.

    A hand that gave something away is worth more elsewhere on the flop: the player's strategy there
    stays, and what the opponent may bet in addition only raises that. So it does not come, and is
    held to its limit, CBV(I), alone. Where no hand is left to choose from, all are.
    """

    def __init__(self, on: Arrays, target: Tensor, limit: Tensor, mass: Tensor, gave: Tensor):
        every = BoardEntrance(on, "maxmargin", target, mass)
        left = on.where(gave, 0.0, every.each).sum(axis=2, keepdims=True)
        gave = gave & (left > 0)
        self.chosen = BoardEntrance(on, "maxmargin", target, mass, ~gave)
        self.held = BoardEntrance(on, "resolve", limit, mass, gave)
        self.penalty = on.share(self.held.each, mass, 0.0)  # [L, B, K] each counts as the chosen

    def choice(self) -> Tensor:
        """Reaches [L, B, K] of the opponent's hands."""
        found: Tensor = self.chosen.choice() + self.penalty * self.held.choice()
        return found

    def learn(self, values: Tensor, by: Any) -> None:
        """Learn from what each hand is worth [L, B, K]."""
        self.chosen.learn(values, by)
        self.held.learn(values, by)


@dataclass
class SolvedStreet:
    """A street that nobody makes the missing bet in, with the refined player's strategy."""

    street: Street
    solver: StreetSolver
    allowed: Bools  # [N] nodes of the betting tree that the street may have
    alternative: Tensor | None = None  # [L, B, K] what the opponent had instead of coming


class MissingBetAnswers:
    """One player's answers to the missing bet, wherever the opponent makes it."""

    def __init__(self, game: NestedGame, base: BatchedWhole, player: int, iterations: int) -> None:
        self.game, self.base, self.player = game, base, player
        self.opponent, self.iterations = 1 - player, iterations
        self.boards, self.on = base.flop.boards, base.flop.on
        self.known_bets = game.without(0, 1)

    def solve(self, technique: str) -> "tuple[dict[int, Floats], list[SolvedStreet]]":
        """Preflop answers [actions, H] by node, and all streets on which an answer is found."""
        if technique not in TECHNIQUES:
            raise GameError(f"there is no technique {technique!r}: {', '.join(TECHNIQUES)}")
        behavior, before = self._preflop(technique)
        found = [self._known(behavior, before)]
        while len(found) < 4:  # more bets than a street has
            deeper = self._deeper(found[-1], technique)
            if deeper is None:
                break
            found.append(deeper)
        return behavior, found

    # Before the flop

    def missing_preflop(self) -> int:
        """The node after the opponent's missing bet before the flop."""
        plan = self.base.preflop
        return max(self.game.missing_bet(node) for node in plan.decisions[self.opponent])

    def _preflop(self, technique: str) -> tuple[dict[int, Floats], SolvedStreet]:
        """Answer the bet before the flop: fold or call, and the flop after calling."""
        game, base, player, opponent = self.game, self.base, self.player, self.opponent
        tree, node = game.betting, self.missing_preflop()
        fold, call = tree.children(node)
        street = game.after([int(tree.first_child[call])])
        solver = StreetSolver(self.boards, street, UNIT)
        classes, hands = SuitClasses(base.hands), base.hands
        come = self._reach_at(node)  # [H]
        mass = unblocked_weight(come, hands)
        terms = self._preflop_terms(technique, classes.mean(mass) / base.pairs)
        entrance, stake = Entrance(terms), float(tree.spent[fold, player]) / UNIT
        regret, average = np.zeros((2, len(hands))), np.zeros((2, len(hands)))
        for t in range(1, self.iterations + 1):
            by = discounts(t)
            entrance.remember(by)
            positive = np.maximum(regret, 0.0)
            total = positive.sum(axis=0)
            sigma = np.divide(positive, total, out=np.full(regret.shape, 0.5), where=total > 0)
            theirs = classes.spread(entrance.choice().sum(axis=0))[0]
            solver.set_range(player, (come * sigma[1])[None])
            solver.set_range(opponent, theirs[None])
            folded = stake * unblocked_weight(come * sigma[0], hands)
            values = solver.learn(opponent, by)[0] + folded
            entrance.learn(classes.mean(values[None]) / base.pairs, by)
            theirs = classes.spread(entrance.choice().sum(axis=0))[0]
            solver.set_range(opponent, theirs[None])
            folding = -stake * unblocked_weight(theirs, hands)
            gains = np.stack([folding, solver.learn(player, by)[0]])
            average = average * by.average + come * sigma
            regret = regret * np.where(regret > 0, by[0], by[1]) + gains - (sigma * gains).sum(0)
        total = average.sum(axis=0)
        behavior = np.divide(average, total, out=np.full(regret.shape, 0.5), where=total > 0)
        return {node: behavior}, SolvedStreet(street, solver, self.known_bets)

    def _reach_at(self, node: int) -> Floats:
        """The probability [H] with which the player's base strategy comes to a preflop node."""
        sequences = self.game.sequences(self.base.preflop, self.player, self.known_bets)
        while node > 0 and node not in sequences:
            node = int(self.game.betting.parent[node])
        reach: Floats = self.base.reaches(self.player)[sequences.get(node, 0)]
        return reach

    def _preflop_terms(self, technique: str, weight: Floats) -> Terms:
        """CBV(I) for each class; nothing was given away before, as it is the first decision."""
        game, plan, opponent = self.game, self.base.preflop, self.opponent
        decision = int(game.betting.parent[self.missing_preflop()])
        d = plan.decisions[opponent].index(decision)
        rows = slice(plan.first[opponent][d], plan.first[opponent][d] + plan.actions[opponent][d])
        classes = SuitClasses(self.base.hands)
        best = classes.mean(self.base.sequence_values(opponent)[rows].max(axis=0))[None]
        free = np.full(best.shape, technique != "resolve")
        each = np.broadcast_to(classes.hands.astype(np.float64), best.shape)
        return Terms(free, best, weight[None], ~free, best, each)

    # On the flop

    def _known(self, behavior: dict[int, Floats], before: SolvedStreet) -> SolvedStreet:
        """All lines that the player can be in when the flop comes, with its strategy on them."""
        game, base, player = self.game, self.base, self.player
        flop = game.after([*base.flop.street.starts, *before.street.starts])
        solver = StreetSolver(self.boards, flop, UNIT)
        self._copy(
            [SolvedStreet(base.flop.street, base.flop, self.known_bets), before], flop, solver
        )
        ranges = [base.reaches(player)[seqs[player]] for seqs in base.preflop.out]
        (node,) = behavior
        ranges.append(self._reach_at(node) * behavior[node][1])
        solver.set_range(player, np.stack(ranges))
        return SolvedStreet(flop, solver, self.known_bets)

    def _copy(self, sources: list[SolvedStreet], street: Street, solver: StreetSolver) -> None:
        """Give both players the averages of other solvers, node by node."""
        for player in (0, 1):
            rows = self._rows(SolvedStreet(street, solver, self.known_bets), player)
            for source in sources:
                for node, row in self._rows(source, player).items():
                    if node in rows:
                        kept = source.solver.average[player][row - source.solver.lines]
                        solver.average[player][rows[node] - solver.lines] = kept

    def _rows(self, solved: SolvedStreet, player: int) -> dict[int, int]:
        """The row of each node that a player can choose on a street."""
        sequences = self.game.sequences(solved.street, player, solved.allowed)
        row = solved.solver.sides[player].row
        return {node: int(row[s]) for node, s in sequences.items()}

    def _deeper(self, above: SolvedStreet, technique: str) -> SolvedStreet | None:
        """Answer the missing bet wherever the opponent may make it on a solved street."""
        game, street, opponent = self.game, above.street, self.opponent
        spots = [
            (d, game.missing_bet(node))
            for d, node in enumerate(street.decisions[opponent])
            if game.missing_bet(node) >= 0
        ]
        if not spots:
            return None
        stack = self.on.stack
        plan, worth = above.solver.plan(self.player), above.solver.sequence_values(opponent, BEST)
        come = stack([plan[self._last_row(above, node, self.player)] for _, node in spots])
        reach = technique.startswith("reach")
        targets = stack([self._target(above, worth, d, reach) for d, _ in spots])
        best = stack([self._target(above, worth, d, False) for d, _ in spots])
        del plan, worth
        after = game.after([node for _, node in spots])
        solver = StreetSolver(self.boards, after, UNIT)
        solver.set_board_range(self.player, come)
        mass = self.boards.folds(come)
        if technique.endswith(DEALT):
            self._learn(solver, HalfDealt(self.on, targets, mass))
        elif technique == IMPROVED:
            gave = targets - best > mass * self._small_gifts([node for _, node in spots])
            self._learn(solver, LetGo(self.on, targets, best, mass, gave))
        else:
            self._learn(solver, BoardEntrance(self.on, technique, targets, mass))
        solver.finish()
        return SolvedStreet(after, solver, self.known_bets, best)

    def _small_gifts(self, nodes: list[int]) -> Tensor:
        """What counts as nothing given away [L, 1, 1], once it is met: a small part of the pot."""
        chips = self.game.betting.spent[nodes].sum(axis=1)
        small = SMALL_GIFT * self.boards.tree.chance[-1] * chips / UNIT
        return self.on.put(small.astype(np.float32)[:, None, None])

    def _learn(self, solver: StreetSolver, entrance: BoardEntrance | HalfDealt | LetGo) -> None:
        """Solve endgames that the opponent enters as it chooses; the player's ranges are set."""
        solver.set_board_range(self.opponent, entrance.choice())
        for t in range(1, self.iterations + 1):
            by = discounts(t)
            entrance.learn(solver.learn_boards(self.opponent, by), by)
            solver.set_board_range(self.opponent, entrance.choice())
            solver.learn_boards(self.player, by)

    def _last_row(self, above: SolvedStreet, node: int, player: int) -> int:
        """The row of a player's last choice up to a node; its line's where there is none."""
        rows, starts = self._rows(above, player), above.street.starts
        while node not in rows and node not in starts:
            node = int(self.game.betting.parent[node])
        return rows[node] if node in rows else starts.index(node)

    def _target(self, above: SolvedStreet, worth: Tensor, d: int, reach: bool) -> Tensor:
        """CBV(I) [B, K] of a decision; with reach, what was given away before on top of it.

        As in `nlfh_alternatives.with_reach`, from the flop on.
        """
        street, row = above.street, above.solver.sides[self.opponent].row
        first, actions, parent = (
            getattr(street, name)[self.opponent] for name in ("first", "actions", "parent")
        )
        on = self.on
        best = target = on.largest(worth[row[first[d] : first[d] + actions[d]]], 0)
        sequence, beside = parent[d], 0.0
        while reach and sequence >= len(street.starts):
            beside = beside + worth[row[sequence]] - best
            e = int(np.searchsorted(first, sequence, side="right")) - 1
            span = [int(row[s]) for s in range(first[e], first[e] + actions[e]) if s != sequence]
            target = on.maximum(target, on.largest(worth[span], 0) - beside)
            best = on.largest(worth[[*span, int(row[sequence])]], 0)
            sequence = parent[e]
        if reach and above.alternative is not None:
            beside = beside + worth[sequence] - best
            target = on.maximum(target, above.alternative[sequence] - beside)
        return target
