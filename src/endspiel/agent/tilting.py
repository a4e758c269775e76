"""An opponent's strategy as a model has it: before the endgames by the blueprint, and in them."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from endspiel.agent.follow import Follower
from endspiel.agent.opponent_model import OpponentModel, SeenDecision, TreeDecision, due_acts
from endspiel.arrays import Float64s
from endspiel.betting.streets import last_sequences
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.live import live_hands
from endspiel.cards.removal import unblocked_weight
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.endgame.safe.response import BOARD, Model
from endspiel.kernels.board import BEST
from endspiel.ranges.line import OFF_PATH
from endspiel.rules.state import State
from endspiel.solvers.boards.plans import plan_of

Cards = tuple[int, ...]


class Trunk(NamedTuple):
    """The strategy that an opponent is compared with before endgames, and the way there."""

    follower: Follower
    blueprint: Blueprint

    def believed(
        self, model: OpponentModel, state: State, board: Cards, player: int
    ) -> tuple[Float64s, list[SeenDecision]]:
        """What a player is believed to hold [1326] after a line, and what was seen of it."""
        tree, sizes = self.blueprint.tree, state.game.board_sizes
        weights: Float64s = live_hands(board)
        seen = []
        for step in self.follower.steps(state):
            if step.player != player:
                continue
            rows = self.blueprint.hands(step.node, board[: sizes[step.street]])
            strategy = rows.astype(np.float64)
            spot, weight = TreeDecision(tree, step.node), weights / weights.sum()
            due = due_acts(spot, strategy @ weight)
            seen.append(SeenDecision(spot.kind, spot.acts[step.actions[0]], due))
            tilted = model.tilt(spot, strategy, np.zeros_like(strategy), weight)
            chances = tilted[list(step.actions)].sum(axis=0)
            weights = weights * OFF_PATH.chances(chances)  # any hand may err
            weights /= weights.max()
        return weights, seen


class TiltedStreet(NamedTuple):
    """The first street of an endgame as a model has the opponent play it."""

    model: Model
    due: Mapping[int, Float64s]  # [3] by decision: how often each act is taken by the solution


def tilt_endgame(
    endgame: LiveEndgame, player: int, weights: Float64s, model: OpponentModel
) -> TiltedStreet:
    """How a player, believed to come with a range [1326], plays an endgame's first street."""
    street, hands = endgame.game.streets[0], endgame.game.tree.streets[0][0].hands[player]
    root = weights[hands] / max(float(weights[hands].sum()), 1e-300)
    behavior, lost = endgame.solver.store.behavior(*BOARD, player), _lost(endgame, player)
    due, plan = {}, np.zeros((len(behavior) + 1, len(hands)))
    plan[0] = root
    for own in street.own(player):
        rows, here = own.rows, TreeDecision(endgame.tree, own.node)
        reach = plan[own.parent] if plan[own.parent].sum() > 0 else root
        weight = reach / reach.sum()
        due[own.node] = due_acts(here, behavior[rows] @ weight)
        behavior[rows] = model.tilt(here, behavior[rows], lost[rows] / here.pot, weight)
        plan[own.span] = behavior[rows] * plan[own.parent]
    return TiltedStreet(Model(weights, behavior), due)


def _lost(endgame: LiveEndgame, player: int) -> Float64s:
    """Chips [S - 1, K] that each action loses; on all but a last street they are not looked up.

    There a single look costs as much as an iteration over all boards, and is for beliefs only.
    """
    game, other = endgame.game, 1 - player
    hands, street = game.tree.streets[0][0].hands, game.streets[0]
    lost = np.zeros((street.size[player] - 1, len(hands[player])))
    if len(game.streets) > 1:
        return lost
    values = endgame.solver.backend.action_values(*BOARD, player, BEST)
    coming = (endgame.ranges[other] * live_hands(endgame.board))[hands[other]]
    plan = plan_of(street, other, coming[None], endgame.solver.store.behavior(*BOARD, other))
    before = last_sequences(endgame.tree, street)
    for own in street.own(player):
        reach = np.zeros(NUM_HANDS)
        reach[hands[other]] = plan[before[own.node][other]]
        mass = unblocked_weight(reach)[hands[player]] / game.pairs
        found = values[own.span]
        chips = np.divide(found.max(axis=0) - found, mass, out=0 * found, where=mass > 0)
        lost[own.rows] = chips * endgame.pot
    return lost
