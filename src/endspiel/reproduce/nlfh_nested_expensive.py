"""Answers to a bet that flop hold'em's smaller abstraction lacks, the expensive way.

The endgame is solved from the decision at which the bet is made, with the bet added; only the
answer to the bet is used. Unsafe needs that: the frequency of the bet does not follow from a
strategy that does not have it. Before the flop it is the whole game that is solved again.
"""

import numpy as np

from endspiel.betting.streets import cut_street, cut_streets
from endspiel.endgame.safe.reach import Alternatives
from endspiel.endgame.safe.techniques import REACH_MAXMARGIN
from endspiel.engine.backend import alternate
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats
from endspiel.reproduce.last_street.boards import LastStreet
from endspiel.reproduce.nlfh_nested import MissingBetAnswers, SolvedStreet
from endspiel.reproduce.nlfh_nested_game import Part
from endspiel.reproduce.nlfh_solvers import EveryBoard, WholeSolver, schedule


class UnsafeAnswers(MissingBetAnswers):
    """One player's answers, each believing that the opponent comes as its strategy says."""

    technique = "unsafe"

    def solve(self, technique: str) -> "tuple[dict[int, Floats], list[SolvedStreet]]":
        """Preflop answers [actions, H] by node, and all streets on which an answer is found."""
        if technique != self.technique:
            raise GameError(f"these answers are found by {self.technique!r}, not by {technique!r}")
        behavior, before, ranges = self._whole_again()
        known = self._known(behavior, before)
        base, opponent = self.base, self.opponent
        theirs = [base.reaches(opponent)[seqs[opponent]] for seqs in base.preflop.out]
        known.solver.set_range(opponent, np.stack([*theirs, ranges]))
        found = [known]
        for above in found:  # grows while it is walked
            found += self._again(above)
        return behavior, found

    def _whole_again(self) -> tuple[dict[int, Floats], SolvedStreet, Floats]:
        """The game with the bet added before the flop: the answer, its flop, their range [H]."""
        game, player, opponent = self.game, self.player, self.opponent
        node = self.missing_preflop()
        allowed = self.known_bets.copy()
        allowed[node] = True
        streets = cut_streets(game.betting, 0, allowed)
        whole = WholeSolver(Part(streets, game.cards, game.betting), self.flops)
        whole.advance(self.iterations)
        call = game.betting.children(node)[1]
        mine = game.sequences(whole.preflop, player, allowed)
        theirs = game.sequences(whole.preflop, opponent, allowed)
        rows = [mine[child] - 1 for child in game.betting.children(node)]
        behavior = whole.average_behavior(player)[rows]
        street = game.after([int(game.betting.first_child[call])])
        solver = self.flops.street(game, street)
        self._copy([SolvedStreet(whole.flop.street, whole.flop, allowed)], street, solver)
        ranges: Floats = whole.reaches(opponent)[theirs[node]]
        return {node: behavior}, SolvedStreet(street, solver, self.known_bets), ranges

    def _again(self, above: SolvedStreet) -> list[SolvedStreet]:
        """Solve a street again from each decision that the bet may be made at, for its answer."""
        game, opponent = self.game, self.opponent
        by_depth: dict[int, list[int]] = {}  # none comes before another one as deep
        for node in above.street.decisions[opponent]:
            if game.missing_bet(node) >= 0 and self._is_new(above, node):
                by_depth.setdefault(len(game.betting.line(node).split()), []).append(node)
        found = []
        for nodes in by_depth.values():
            allowed = self.known_bets.copy()
            allowed[[game.missing_bet(node) for node in nodes]] = True
            street = cut_street(game.betting, nodes, allowed)
            solver = self.flops.street(game, street)
            solver.set_board_range(self.player, self._believed(above, nodes, self.player))
            self._iterate(above, nodes, solver)
            found.append(SolvedStreet(street, solver, allowed))
        return found

    def _iterate(self, above: SolvedStreet, nodes: list[int], solver: LastStreet) -> None:
        """Solve the endgames that begin with these nodes; the player's ranges are set."""
        solver.set_board_range(self.opponent, self._believed(above, nodes, self.opponent))
        alternate(EveryBoard(solver), schedule(self.iterations))

    def _believed(self, above: SolvedStreet, nodes: list[int], player: int) -> Floats:
        """A player's ranges [B, L, P] at nodes; one who never comes is believed every hand."""
        _, plan = above.solver.trace(1 - player)
        reach = plan.of([self._last(above, node, player) for node in nodes])
        every = (above.solver.hand >= 0).astype(np.float32)[:, None]
        return np.where(reach.sum(axis=2, keepdims=True) > 0, reach, every)

    def _is_new(self, above: SolvedStreet, node: int) -> bool:
        """Whether a decision was not answered for before: it follows a missing bet, or none yet."""
        if above.allowed is self.known_bets:
            return True
        while node not in above.street.starts:
            if not self.known_bets[node]:
                return True
            node = int(self.game.betting.parent[node])
        return False


class ReachAnswers(UnsafeAnswers):
    """One player's answers by Reach-Maxmargin: the opponent brings the hand it likes."""

    technique = "reach-maxmargin"

    def _iterate(self, above: SolvedStreet, nodes: list[int], solver: LastStreet) -> None:
        opponent = self.opponent
        worth, _ = above.solver.trace(opponent)
        decisions = [above.street.decisions[opponent].index(node) for node in nodes]
        target = np.stack([self._target(above, worth, d) for d in decisions], axis=1)
        del worth
        come = solver.entering(self.player)
        entries = self._entries(solver, Alternatives.plain(target), come, np.float32(0))
        self._learn(solver, REACH_MAXMARGIN.terms(entries))
