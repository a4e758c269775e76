"""Tools over single spots: solve, look at a node, lock and solve again, compare."""

import tomllib
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import msgspec
import numpy as np

from endspiel.cards.classes import class_names
from endspiel.cards.text import format_card
from endspiel.engine.limits import Limits, TracePoint
from endspiel.errors import EndspielError
from endspiel.games.spot import Spot
from endspiel.mcp.asked import CompareNodes, LockNode, ShowNode, SolveSpot
from endspiel.mcp.certificates import spot_certificate
from endspiel.mcp.queue import QueuedJob, Work
from endspiel.mcp.shelf import Shelved, SolutionShelf
from endspiel.solving.forecast import seconds_left
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import PreparedSpot, SpotOptions, default_method
from endspiel.web.comparing import compare_nodes
from endspiel.web.filtered import KindAnswer, own_kinds
from endspiel.web.lines import find_line
from endspiel.web.locks import compose_lock
from endspiel.web.messages import LockAsked, Refused, SpotText, decode
from endspiel.web.spots import build_spot, read_spot, spot_text
from endspiel.web.views import NodeAnswer, answer_node

MOST_HANDS: Final = 200  # that are listed one by one
NAMED: Final = 12  # classes named for an action
_SEATS: Final = ("OOP", "IP")


def given_text(spot: SpotText | str) -> SpotText:
    """The spot of a call: an object, or a spot file's text."""
    if isinstance(spot, SpotText):
        return spot
    try:
        content = tomllib.loads(spot)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise Refused(f"the text is no TOML: {error}", "spot") from error
    if "ranges_file" in content:
        raise Refused("ranges_file names another file: give the ranges themselves", "spot")
    return decode(msgspec.json.encode(content), SpotText)


def given_spot(spot: SpotText | str) -> Spot:
    """The spot of a call, read."""
    return read_spot(given_text(spot))


class SpotTools:
    """Solves spots into a shelf, and answers questions about what is there."""

    def __init__(self, shelf: SolutionShelf, threads: int) -> None:
        self.shelf, self.threads = shelf, threads

    # What takes long

    def solve(self, asked: SolveSpot) -> Work:
        """The work of a solve, once its spot is seen to make sense."""
        text = given_text(asked.spot)
        task = self._task(text, asked.method, asked.locks)
        return self._work(task, asked.target_percent, lambda one: {})

    def lock(self, asked: LockNode) -> Work:
        """The work of a solve with one more node held fixed."""
        before = self.shelf.get(asked.solution)
        edit = LockAsked(
            asked.line, asked.everywhere, asked.actions, asked.frequencies, asked.classes
        )
        lock = before.use(lambda solution: compose_lock(solution, edit))
        solved = before.solution
        others = [text for text in solved.locks if text.partition(":")[0].strip() != lock["line"]]
        task = self._task(spot_text(solved.spot), "", [*others, lock["text"]])

        def more(one: Shelved) -> dict[str, Any]:
            after = one.cached.solution
            gains = [b - a for a, b in zip(solved.evs, after.evs, strict=True)]
            return {
                "locked": lock["summary"],
                "before": {"solution": asked.solution, "evs": _by_seat(solved.evs)},
                "gains": _by_seat(gains),
            }

        return self._work(task, asked.target_percent, more)

    def _task(self, text: SpotText, method: str, locks: list[str]) -> PreparedSpot:
        spot = read_spot(text)
        options = SpotOptions(self.threads, None, locks)
        return build_spot(text, method or default_method(spot, options.tree_limit), options)

    def _work(
        self, task: PreparedSpot, percent: float | None, more: Callable[[Shelved], dict[str, Any]]
    ) -> Work:
        limits = task.limits(Limits(None if percent is None else percent / 100))
        target = limits.target_units or 0.0
        self.shelf.make_space(task)

        def work(job: QueuedJob) -> dict[str, Any]:
            found = self.shelf.find(task, target)
            if found is None:
                self.shelf.make_space(task)
                found = self.shelf.put(task, target, _solved(task, target, job))
            answer: dict[str, Any] = found.cached.use(
                lambda solution: solve_answer(found.name, solution)
            )
            return answer | more(found)

        return work

    # What is answered at once

    def node(self, asked: ShowNode) -> dict[str, Any]:
        """A node: who decides, what is done how often, what it is worth, and with which hands."""
        cached = self.shelf.get(asked.solution)
        return cached.use(lambda solution: node_record(solution, asked))  # type: ignore[no-any-return]

    def compare(self, asked: CompareNodes) -> dict[str, Any]:
        """A line in two solutions; where the second lacks a bet, the nearest stands for it."""
        one, two = self.shelf.get(asked.first), self.shelf.get(asked.second)
        first = one.use(lambda solution: answer_node(solution, asked.line, asked.first, True))
        found = compare_nodes(
            first, two.use, lambda solution, line: answer_node(solution, line, asked.second, True)
        )
        told = {"first": _short(first), "second": None, "why": found.why, "near": found.near}
        if found.second is not None:
            told["second"] = _short(found.second)
            told["more_often"] = _differences(first, found.second)
        told["measured"] = {
            name: spot_certificate(cached.solution)
            for name, cached in (("first", one), ("second", two))
        }
        return told

    def names(self) -> list[dict[str, Any]]:
        """The solutions in memory."""
        return [solution_line(one.name, one.cached.solution) for one in self.shelf.all()]


def _solved(task: PreparedSpot, target: float, job: QueuedJob) -> SpotSolution:
    """Solve; what ends before its target by time is kept as it is, unless it was cancelled."""
    points: list[TracePoint] = []
    limits = Limits(target, seconds=job.most_seconds, halt=job.halt)

    def observe(point: TracePoint) -> None:
        points.append(point)
        left = seconds_left(points, limits)
        about = "" if left is None else f", about {left:.0f} s left"
        job.tell(
            point.iteration,
            None,
            f"{100 * point.exploitability:.3g}% of the pot, target {100 * target:.3g}%{about}",
        )

    solution = task.run(replace(limits, observe=observe))
    if job.cancelled:
        raise KeyboardInterrupt
    return solution


def solution_line(name: str, solution: SpotSolution) -> dict[str, Any]:
    """A solution in a line."""
    return {
        "solution": name,
        "board": [format_card(card) for card in solution.spot.board],
        "pot": solution.spot.pot,
        "stack": solution.spot.stack,
        "locks": list(solution.locks),
        "measured": spot_certificate(solution),
    }


def solve_answer(name: str, solution: SpotSolution) -> dict[str, Any]:
    """A solve's answer: its name, what both players expect, and the first decision."""
    return solution_line(name, solution) | {
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "ended_by": "seconds" if solution.stopped == "interrupted" else solution.stopped,
        "evs": _by_seat(solution.evs),
        "warnings": list(solution.warnings),
        "root": _short(answer_node(solution, "", name, True)),
    }


def node_record(solution: SpotSolution, asked: ShowNode) -> dict[str, Any]:
    """A node in full."""
    answer = answer_node(solution, asked.line, asked.solution, True)
    told = _short(answer) | {"measured": spot_certificate(solution)}
    if answer.kind != "decision":
        return told
    view = solution.view(find_line(solution.game, asked.line).place)
    made, drawn = own_kinds(view)
    told["made_hands"] = [_kind(view.actions, one) for one in made]
    told["draws"] = [_kind(view.actions, one) for one in drawn]
    if asked.classes:
        told["classes"] = _classes(answer)
    if asked.hands:
        places = view.chosen(asked.hands)
        if len(places) > MOST_HANDS:
            raise EndspielError(
                f"{asked.hands[:40]!r} holds {len(places)} hands here; {MOST_HANDS} are listed at "
                "most: name fewer"
            )
        told["hands"] = list(view.rows(places))
    return told


def _short(answer: NodeAnswer) -> dict[str, Any]:
    """A node's facts without its 169 classes."""
    told: dict[str, Any] = {
        "line": answer.line,
        "kind": answer.kind,
        "street": answer.street,
        "board": answer.board,
        "pot": answer.pot,
        "behind": _by_seat(answer.behind),
    }
    if answer.kind == "deal":
        return told | {"cards": [one["card"] for one in answer.cards or ()]}
    if answer.player is None or answer.actions is None:
        winner = None if answer.winner is None else _SEATS[answer.winner]
        return told | {"outcome": answer.outcome, "winner": winner}
    ranges = {
        seat: {"combos": one.combos, "ev": one.ev, "equity": one.equity, "eqr": one.eqr}
        for seat, one in zip(_SEATS, answer.ranges, strict=True)
    }
    return told | {
        "player": _SEATS[answer.player],
        "to_call": answer.to_call,
        "reached": answer.reached,
        "locked": answer.locked,
        "players": ranges,
        "actions": [
            {
                "word": action.word,
                "name": action.name,
                "line": action.line,
                "frequency": action.frequency,
                "ev": action.ev,
                "mostly": _mostly(answer, number),
            }
            for number, action in enumerate(answer.actions)
        ],
    }


def _mostly(answer: NodeAnswer, action: int) -> list[str]:
    """Classes that make up most of an action, with how often each takes it."""
    if answer.classes is None:
        return []
    shares = np.array([x or 0.0 for x in answer.classes.strategy[action]])
    often = shares * np.array([x or 0.0 for x in answer.classes.frequency])
    order = np.argsort(-often, kind="stable")[:NAMED]
    return [f"{class_names()[k]}:{shares[k]:.2f}" for k in order if often[k] > 0]


def _classes(answer: NodeAnswer) -> dict[str, dict[str, Any]]:
    """The classes held here: weight, EV, equity, and how often each takes each action."""
    found, classes = {}, answer.classes
    if classes is None or answer.actions is None:
        return {}
    for k, name in enumerate(class_names()):
        if classes.weight[k]:
            found[name] = {
                "weight": classes.weight[k],
                "ev": classes.ev[k],
                "equity": classes.equity[k],
                "actions": {
                    action.word: classes.strategy[number][k]
                    for number, action in enumerate(answer.actions)
                },
            }
    return found


def _kind(words: tuple[str, ...], one: KindAnswer) -> dict[str, Any]:
    """A kind of hands, and what it does."""
    played = dict(zip(words, one.frequencies or (), strict=False))
    return {
        "name": one.name,
        "combos": one.combos,
        "share": one.share,
        "equity": one.equity,
        "ev": one.ev,
        "actions": played,
    }


def _differences(first: NodeAnswer, second: NodeAnswer) -> dict[str, float]:
    """How much more often the second takes each action of the first."""
    if first.actions is None or second.actions is None:
        return {}
    there = {action.word: action.frequency for action in second.actions}
    return {
        action.word: round(there[action.word] - action.frequency, 6)  # type: ignore[operator]
        for action in first.actions
        if there.get(action.word) is not None and action.frequency is not None
    }


def _by_seat(values: Any) -> dict[str, Any]:
    """Values of both players, out of position first, by seat."""
    return dict(zip(_SEATS, values, strict=True))
