"""What follows each action of a node: who acts next and how, a card, or the end."""

from typing import Any

from endspiel.betting.menu import STREET_NAMES
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import action_name
from endspiel.web.class_values import DIGITS
from endspiel.web.lines import ResolvedLine, actions_of, end_of, find_line
from endspiel.web.messages import Refused


def answer_next(solution: SpotSolution, text: str) -> dict[str, Any]:
    """The nodes right after a decision, one an action, each in a line."""
    resolved = find_line(solution.game, text)
    if resolved.kind != "decision":
        raise Refused(f"no player decides after {resolved.line!r}", "line")
    lines = [action.line for action in actions_of(solution.game, resolved)]
    return {"line": resolved.line, "next": [_following(solution, line) for line in lines]}


def _following(solution: SpotSolution, line: str) -> dict[str, Any]:
    resolved = find_line(solution.game, line)
    told = {"line": resolved.line, "kind": resolved.kind, "pot": _pot(solution, resolved)}
    if resolved.kind == "decision":
        return told | _decision(solution, resolved)
    if resolved.kind == "deal":
        return told | {"street": STREET_NAMES[len(resolved.board) - 1]}
    outcome, winner = end_of(solution.game.betting, resolved.node)
    return told | {"outcome": outcome, "winner": winner}


def _decision(solution: SpotSolution, resolved: ResolvedLine) -> dict[str, Any]:
    """Who decides there, and how often each action is taken; None at an unreached node."""
    view = solution.view(resolved.place)
    reached = bool(view.weight.any())
    return {
        "player": view.player,
        "words": list(view.actions),
        "actions": [action_name(word, view.to_call) for word in view.actions],
        "frequencies": [round(float(f), DIGITS) for f in view.frequencies] if reached else None,
    }


def _pot(solution: SpotSolution, resolved: ResolvedLine) -> int:
    betting = solution.game.betting
    return betting.pot + int(betting.spent[resolved.node].sum())
