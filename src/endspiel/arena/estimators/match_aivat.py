"""AIVAT for the hands of a match, with the values that suit its agents."""

from collections.abc import Sequence
from typing import TypeGuard

from endspiel.agent.base import Agent
from endspiel.agent.blueprint import BlueprintAgent
from endspiel.arena.estimators.aivat import Aivat
from endspiel.arena.estimators.blueprint_values import BlueprintValues, BucketValues
from endspiel.arena.estimators.blueprint_values_boards import BoardBuckets
from endspiel.arena.estimators.blueprint_values_tables import EndValues, Players, draw_pairs
from endspiel.arena.estimators.shares import all_holes
from endspiel.arena.estimators.values import Values, open_hands
from endspiel.arena.plan import BLUEPRINT, OPEN_HANDS, MatchPlan
from endspiel.arena.play import Hand
from endspiel.errors import EndspielError
from endspiel.game.post import Post
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import start

MatchTables = tuple[EndValues, EndValues]  # with agent A at position 0, and at position 1


def chosen_tables(plan: MatchPlan, agents: Sequence[Agent]) -> MatchTables | None:
    """The tables of the values that a plan asks for, seconds of work; None for open hands.

    By default a blueprint's are used where both agents [2] play one. Against an agent
    that plays something else they take away little more noise, and take longer.
    """
    if plan.aivat_values == OPEN_HANDS:
        return None
    able = [_is_able(agent) for agent in agents]
    if plan.aivat_values == BLUEPRINT and not any(able):
        raise EndspielError(
            f"neither {plan.agents[0]} nor {plan.agents[1]} plays a blueprint with perfect recall: "
            "AIVAT has no values of one"
        )
    return match_tables(agents) if all(able) or plan.aivat_values == BLUEPRINT else None


def match_tables(agents: Sequence[Agent]) -> MatchTables:
    """The tables of the blueprint that the agents [2], or one of them, play."""
    a, b = _strategies(agents)
    pairs = draw_pairs(a.abstraction)
    first = EndValues.of((a, b), pairs)
    return first, first if a.post == b.post else EndValues.of((b, a), pairs)


def _is_able(agent: Agent) -> TypeGuard[BlueprintAgent]:
    """Whether an agent plays a blueprint with perfect recall."""
    return isinstance(agent, BlueprintAgent) and agent.blueprint.abstraction.plan.perfect_recall


def _lead(agents: Sequence[Agent]) -> BlueprintAgent:
    """The agent whose blueprint gives the values."""
    return next(agent for agent in agents if _is_able(agent))


def _strategies(agents: Sequence[Agent]) -> Players:
    """That blueprint as each agent plays it; one that plays something else is taken to play it."""
    own = _lead(agents).blueprint
    a, b = (
        agent.blueprint
        if isinstance(agent, BlueprintAgent) and agent.blueprint.path == own.path
        else own.played(Post())
        for agent in agents
    )
    return a, b


def blueprint_values(agents: Sequence[Agent], tables: MatchTables) -> tuple[Values, Values]:
    """Values for the estimates of each agent [2]."""
    lead = _lead(agents)
    a, b = _strategies(agents)
    first = BucketValues((a, b), tables[0])
    second = first if tables[0] is tables[1] else BucketValues((b, a), tables[1])
    buckets = BoardBuckets(lead.blueprint.abstraction)
    return (
        BlueprintValues((first, second), lead.follower, buckets),
        BlueprintValues((second, first), lead.follower, buckets),
    )


class MatchAivat:
    """AIVAT for the hands of a match, from the agents that can tell how they play.

    Where both can, the estimate is the mean of the two: each has the right mean on its own, and
    with a blueprint's values both players' dice are taken out of either. Agents get each
    hand's seed again, since dice that do not depend on their cards, such as those of reverse
    mappings, may belong to their policy.
    """

    def __init__(
        self,
        game: GameDef,
        agents: Sequence[Agent],  # [2]
        names: Sequence[str],  # [2]
        tables: MatchTables | None = None,
    ) -> None:
        """With a blueprint's tables its values are used, else those of open hands.

        Open hands tell too little of what a bet is worth to correct the dice of both players.
        """
        self._agents = agents
        values: Sequence[Values] = (open_hands, open_hands)
        if tables is not None:
            values = blueprint_values(agents, tables)
        known = []
        for at, agent in enumerate(agents):
            agent.begin(0)
            told = None if agent.learns else agent.policy(start(game), all_holes(game), ())
            if told is not None:
                known.append(at)
        if not known:
            raise EndspielError(
                f"neither {names[0]} nor {names[1]} can tell how it plays every hand: AIVAT needs "
                "to know of one of them"
            )
        both = len(known) == len(agents) and tables is not None
        self._known: list[tuple[int, Aivat]] = []
        for at in known:
            other = agents[1 - at].policy if both else None
            self._known.append((at, Aivat(game, agents[at].policy, values[at], other)))

    def estimate(self, hand: Hand, seeds: Sequence[int]) -> float:
        """Agent A's chips of a finished hand that both agents [2] began with their seeds."""
        found = []
        for at, _ in self._known:
            self._agents[at].begin(seeds[at])
        for at, aivat in self._known:
            chips = aivat.estimate(hand.state, hand.deal, (hand.position + at) % 2)
            found.append(-chips if at else chips)
        return sum(found) / len(found)
