"""Endspiel solves imperfect-information endgames and plays heads-up hold'em with them.

Examples:
    >>> import endspiel as es
    >>> game = es.games.leduc()
    >>> solution = es.solve(game, method="lp")
    >>> round(solution.value, 6)
    -0.085606
    >>> es.exploitability(game, solution.profile).mean < 1e-9
    True

Names are loaded when first used, so that importing the package stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from endspiel import code_cache

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from endspiel import games
    from endspiel.agent import Agent, Choice, agent_names, make_agent
    from endspiel.agent import register as register_agent
    from endspiel.agent.thoughts import Thought
    from endspiel.arena.estimators.estimates import Estimate
    from endspiel.arena.match import MatchResult, run_match
    from endspiel.arena.matches import play_match
    from endspiel.arena.plan import MatchPlan
    from endspiel.arena.responses import ResponsePlan, ResponseResult, measure_response
    from endspiel.batch import SpotResult, solve_many
    from endspiel.betting.rake import Rake
    from endspiel.blueprint.blueprint import Blueprint, load_blueprint
    from endspiel.blueprint.file_figures import inspect_file
    from endspiel.cards.equity import equities, hand_equity, range_equity
    from endspiel.cards.range_format import format_range
    from endspiel.cards.ranges import parse_range
    from endspiel.cards.text import format_cards, parse_cards
    from endspiel.endgame.safe.nested import OffTree, moves
    from endspiel.endgame.safe.problem import Problem
    from endspiel.endgame.safe.refine import Refinement, refine, refine_all
    from endspiel.endgame.safe.subgame import Endgame
    from endspiel.endgame.safe.techniques import SAFE, TECHNIQUES, Technique
    from endspiel.endgame.solve import solve
    from endspiel.engine.limits import Limits, TracePoint
    from endspiel.errors import EndspielError
    from endspiel.game import (
        Exploitability,
        Game,
        Profile,
        best_response,
        counterfactual_values,
        expected_value,
        exploitability,
    )
    from endspiel.games.registry import load_game
    from endspiel.games.spot import Spot, load_spot, parse_spot
    from endspiel.ranges.line import Action, HandRange, OffPath, ranges_along
    from endspiel.ranges.prior import Prior, hand_prior
    from endspiel.reproduce.experiments import run_experiment
    from endspiel.rules.builtin import load_rules
    from endspiel.rules.game_def import GameDef
    from endspiel.solvers.solution import Solution
    from endspiel.solvers.solve import METHODS
    from endspiel.solvers.spots.task import SpotOptions
    from endspiel.strategy import NodeView, SpotSolution, load_solution, save_solution

# Where each name is: a module, and the name it has there where that is another.
_HOMES = {
    # Games of any kind, and what strategies are worth in them.
    "Exploitability": "endspiel.game",
    "Game": "endspiel.game",
    "Profile": "endspiel.game",
    "best_response": "endspiel.game",
    "counterfactual_values": "endspiel.game",
    "expected_value": "endspiel.game",
    "exploitability": "endspiel.game",
    "load_game": "endspiel.games.registry",
    # Solving.
    "EndspielError": "endspiel.errors",
    "Limits": "endspiel.engine.limits",
    "METHODS": "endspiel.solvers.solve",
    "Solution": "endspiel.solvers.solution",
    "TracePoint": "endspiel.engine.limits",
    "solve": "endspiel.endgame.solve",
    # Spots on real cards.
    "NodeView": "endspiel.strategy",
    "Rake": "endspiel.betting.rake",
    "Spot": "endspiel.games.spot",
    "SpotOptions": "endspiel.solvers.spots.task",
    "SpotResult": "endspiel.batch",
    "SpotSolution": "endspiel.strategy",
    "load_solution": "endspiel.strategy",
    "load_spot": "endspiel.games.spot",
    "parse_spot": "endspiel.games.spot",
    "save_solution": "endspiel.strategy",
    "solve_many": "endspiel.batch",
    # Endgames solved again, safely.
    "Endgame": "endspiel.endgame.safe.subgame",
    "OffTree": "endspiel.endgame.safe.nested",
    "Problem": "endspiel.endgame.safe.problem",
    "Refinement": "endspiel.endgame.safe.refine",
    "SAFE": "endspiel.endgame.safe.techniques",
    "TECHNIQUES": "endspiel.endgame.safe.techniques",
    "Technique": "endspiel.endgame.safe.techniques",
    "moves": "endspiel.endgame.safe.nested",
    "refine": "endspiel.endgame.safe.refine",
    "refine_all": "endspiel.endgame.safe.refine",
    # Cards and ranges.
    "Action": "endspiel.ranges.line",
    "HandRange": "endspiel.ranges.line",
    "OffPath": "endspiel.ranges.line",
    "Prior": "endspiel.ranges.prior",
    "equities": "endspiel.cards.equity",
    "format_cards": "endspiel.cards.text",
    "format_range": "endspiel.cards.range_format",
    "hand_equity": "endspiel.cards.equity",
    "hand_prior": "endspiel.ranges.prior",
    "parse_cards": "endspiel.cards.text",
    "parse_range": "endspiel.cards.ranges",
    "range_equity": "endspiel.cards.equity",
    "ranges_along": "endspiel.ranges.line",
    # Agents, the rules they play by and the blueprints they know.
    "Agent": "endspiel.agent",
    "Blueprint": "endspiel.blueprint.blueprint",
    "Choice": "endspiel.agent",
    "GameDef": "endspiel.rules.game_def",
    "Thought": "endspiel.agent.thoughts",
    "agent_names": "endspiel.agent",
    "load_blueprint": "endspiel.blueprint.blueprint",
    "load_rules": "endspiel.rules.builtin",
    "make_agent": "endspiel.agent",
    "register_agent": "endspiel.agent:register",
    # Matches and reports.
    "Estimate": "endspiel.arena.estimators.estimates",
    "MatchPlan": "endspiel.arena.plan",
    "MatchResult": "endspiel.arena.match",
    "inspect_file": "endspiel.blueprint.file_figures",
    "ResponsePlan": "endspiel.arena.responses",
    "ResponseResult": "endspiel.arena.responses",
    "measure_response": "endspiel.arena.responses",
    "play_match": "endspiel.arena.matches",
    "run_experiment": "endspiel.reproduce.experiments",
    "run_match": "endspiel.arena.match",
}

__all__ = [
    "METHODS",
    "SAFE",
    "TECHNIQUES",
    "Action",
    "Agent",
    "Blueprint",
    "Choice",
    "Endgame",
    "EndspielError",
    "Estimate",
    "Exploitability",
    "Game",
    "GameDef",
    "HandRange",
    "Limits",
    "MatchPlan",
    "MatchResult",
    "NodeView",
    "OffPath",
    "OffTree",
    "Prior",
    "Problem",
    "Profile",
    "Rake",
    "Refinement",
    "ResponsePlan",
    "ResponseResult",
    "Solution",
    "Spot",
    "SpotOptions",
    "SpotResult",
    "SpotSolution",
    "Technique",
    "Thought",
    "TracePoint",
    "agent_names",
    "best_response",
    "counterfactual_values",
    "equities",
    "expected_value",
    "exploitability",
    "format_cards",
    "format_range",
    "games",
    "hand_equity",
    "hand_prior",
    "inspect_file",
    "load_blueprint",
    "load_game",
    "load_rules",
    "load_solution",
    "load_spot",
    "make_agent",
    "measure_response",
    "moves",
    "parse_cards",
    "parse_range",
    "parse_spot",
    "play_match",
    "range_equity",
    "ranges_along",
    "refine",
    "refine_all",
    "register_agent",
    "run_experiment",
    "run_match",
    "save_solution",
    "solve",
    "solve_many",
]

code_cache.prepare()  # before any module with compiled functions is loaded


if not TYPE_CHECKING:  # type checkers are told of every name, and of no other

    def __getattr__(name: str) -> Any:
        if name == "games":
            return import_module("endspiel.games")
        if name in _HOMES:
            module, _, called = _HOMES[name].partition(":")
            return getattr(import_module(module), called or name)
        raise AttributeError(f"module 'endspiel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
