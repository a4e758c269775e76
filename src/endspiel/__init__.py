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

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from endspiel import games
    from endspiel.agent import Agent, AgentForm, Choice, agent_forms, agent_names, make_agent
    from endspiel.agent import register as register_agent
    from endspiel.agent.bots import BotAgent, PublicState
    from endspiel.agent.net_bots import NetBot, onnx_model, torch_model
    from endspiel.agent.thoughts import Thought
    from endspiel.arena.estimators.estimates import Estimate
    from endspiel.arena.estimators.real_exploit import RealExploitability
    from endspiel.arena.estimators.real_sampling import ExploitSetting, real_exploitability
    from endspiel.arena.estimators.real_strategy import load_strategy
    from endspiel.arena.match import MatchResult, run_match
    from endspiel.arena.matches import play_match
    from endspiel.arena.plan import MatchPlan
    from endspiel.arena.responses import ResponsePlan, ResponseResult, measure_response
    from endspiel.batch.many import SpotResult, solve_many
    from endspiel.batch.report import BoardReport
    from endspiel.batch.reporting import report
    from endspiel.betting.menu import Sizing, StreetMenu
    from endspiel.betting.rake import Rake
    from endspiel.blueprint.blueprint import Blueprint, load_blueprint
    from endspiel.blueprint.file_figures import inspect_file
    from endspiel.cards.chart import RangeChart
    from endspiel.cards.equity import equities, hand_equity, range_equity
    from endspiel.cards.range_format import format_range
    from endspiel.cards.ranges import parse_range
    from endspiel.cards.text import format_cards, parse_cards
    from endspiel.endgame.safe.nested import OffTree, moves
    from endspiel.endgame.safe.problem import Problem
    from endspiel.endgame.safe.refine import Refinement, refine, refine_all
    from endspiel.endgame.safe.subgame import Endgame
    from endspiel.endgame.safe.techniques import SAFE, TECHNIQUES, Technique
    from endspiel.engine.backend import Backend
    from endspiel.engine.driver import Driver
    from endspiel.engine.limits import Limits, TracePoint
    from endspiel.engine.schemes import SCHEMES, Answer, Scheme
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
    from endspiel.games.holdem import Holdem
    from endspiel.games.registry import load_game
    from endspiel.games.spot import Spot, load_spot, parse_spot
    from endspiel.preflop.whole import preflop_charts
    from endspiel.ranges.line import Action, HandRange, OffPath, ranges_along
    from endspiel.ranges.prior import Prior, hand_prior
    from endspiel.reproduce.experiments import run_experiment
    from endspiel.rules.builtin import load_rules
    from endspiel.rules.game_def import GameDef
    from endspiel.rules.state import CALL, FOLD
    from endspiel.rules.state import start as start_state
    from endspiel.solvers.boards.holdem import HoldemSolution
    from endspiel.solvers.boards.trunk import Decomposition
    from endspiel.solvers.methods import METHODS
    from endspiel.solvers.solution import Solution
    from endspiel.solving.backends import make_backend
    from endspiel.solving.door import solve
    from endspiel.solving.solution import SpotSolution
    from endspiel.solving.solution_files import load_solution, save_solution
    from endspiel.solving.spots import SpotOptions
    from endspiel.solving.views import NodeView

# The names of each module, and what a name is called there where that is another.
_MODULES = {
    # Games of any kind, and what strategies are worth in them.
    "game": (
        "Exploitability Game Profile best_response counterfactual_values expected_value "
        "exploitability"
    ),
    "games.registry": "load_game",
    # Solving.
    "errors": "EndspielError",
    "engine.limits": "Limits TracePoint",
    "engine.schemes": "Answer SCHEMES Scheme",
    "engine.backend": "Backend",
    "engine.driver": "Driver",
    "solving.backends": "make_backend",
    "games.holdem": "Holdem",
    "solvers.boards.holdem": "HoldemSolution",
    "solvers.boards.trunk": "Decomposition",
    "solvers.methods": "METHODS",
    "solvers.solution": "Solution",
    "solving.door": "solve",
    # Spots on real cards.
    "solving.solution": "SpotSolution",
    "solving.solution_files": "load_solution save_solution",
    "solving.views": "NodeView",
    "betting.menu": "Sizing StreetMenu",
    "betting.rake": "Rake",
    "games.spot": "Spot load_spot parse_spot",
    "solving.spots": "SpotOptions",
    "batch.many": "SpotResult solve_many",
    "batch.report": "BoardReport",
    "batch.reporting": "report",
    # Before the flop.
    "preflop.whole": "preflop_charts",
    # Endgames solved again, safely.
    "endgame.safe.subgame": "Endgame",
    "endgame.safe.nested": "OffTree moves",
    "endgame.safe.problem": "Problem",
    "endgame.safe.refine": "Refinement refine refine_all",
    "endgame.safe.techniques": "SAFE TECHNIQUES Technique",
    # Cards and ranges.
    "ranges.line": "Action HandRange OffPath ranges_along",
    "ranges.prior": "Prior hand_prior",
    "cards.chart": "RangeChart",
    "cards.equity": "equities hand_equity range_equity",
    "cards.text": "format_cards parse_cards",
    "cards.range_format": "format_range",
    "cards.ranges": "parse_range",
    # Agents, the rules they play by and the blueprints they know.
    "agent": "Agent AgentForm Choice agent_forms agent_names make_agent register_agent:register",
    "agent.bots": "BotAgent PublicState",
    "agent.net_bots": "NetBot onnx_model torch_model",
    "blueprint.blueprint": "Blueprint load_blueprint",
    "rules.game_def": "GameDef",
    "rules.state": "CALL FOLD start_state:start",
    "agent.thoughts": "Thought",
    "rules.builtin": "load_rules",
    # Matches and reports.
    "arena.estimators.estimates": "Estimate",
    "arena.plan": "MatchPlan",
    "arena.match": "MatchResult run_match",
    "blueprint.file_figures": "inspect_file",
    "arena.responses": "ResponsePlan ResponseResult measure_response",
    "arena.estimators.real_exploit": "RealExploitability",
    "arena.estimators.real_sampling": "ExploitSetting real_exploitability",
    "arena.estimators.real_strategy": "load_strategy",
    "arena.matches": "play_match",
    "reproduce.experiments": "run_experiment",
}
_HOMES = {
    name: f"endspiel.{module}:{called or name}"
    for module, names in _MODULES.items()
    for name, _, called in (text.partition(":") for text in names.split())
}

__all__ = [
    "CALL",
    "FOLD",
    "METHODS",
    "SAFE",
    "SCHEMES",
    "TECHNIQUES",
    "Action",
    "Agent",
    "AgentForm",
    "Answer",
    "Backend",
    "Blueprint",
    "BoardReport",
    "BotAgent",
    "Choice",
    "Decomposition",
    "Driver",
    "Endgame",
    "EndspielError",
    "Estimate",
    "ExploitSetting",
    "Exploitability",
    "Game",
    "GameDef",
    "HandRange",
    "Holdem",
    "HoldemSolution",
    "Limits",
    "MatchPlan",
    "MatchResult",
    "NetBot",
    "NodeView",
    "OffPath",
    "OffTree",
    "Prior",
    "Problem",
    "Profile",
    "PublicState",
    "Rake",
    "RangeChart",
    "RealExploitability",
    "Refinement",
    "ResponsePlan",
    "ResponseResult",
    "Scheme",
    "Sizing",
    "Solution",
    "Spot",
    "SpotOptions",
    "SpotResult",
    "SpotSolution",
    "StreetMenu",
    "Technique",
    "Thought",
    "TracePoint",
    "agent_forms",
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
    "load_strategy",
    "make_agent",
    "make_backend",
    "measure_response",
    "moves",
    "onnx_model",
    "parse_cards",
    "parse_range",
    "parse_spot",
    "play_match",
    "preflop_charts",
    "range_equity",
    "ranges_along",
    "real_exploitability",
    "refine",
    "refine_all",
    "register_agent",
    "report",
    "run_experiment",
    "run_match",
    "save_solution",
    "solve",
    "solve_many",
    "start_state",
    "torch_model",
]


if not TYPE_CHECKING:  # type checkers see every name, and no other

    def __getattr__(name: str) -> Any:
        if name == "games":
            return import_module("endspiel.games")
        if name in _HOMES:
            module, _, called = _HOMES[name].partition(":")
            return getattr(import_module(module), called)
        raise AttributeError(f"module 'endspiel' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
