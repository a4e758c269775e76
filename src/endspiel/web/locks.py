"""Locks as the page makes them: an edit of a node's strategy, written as the solvers read it."""

import re
from collections import defaultdict
from typing import Any, Final

import numpy as np

from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.ranges import parse_range
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import has_cards, words_of
from endspiel.kernels.arrays import Floats
from endspiel.ranges.fitting import fit_frequencies
from endspiel.solvers.boards.locks import SUM_TOLERANCE, parse_lock
from endspiel.solving.solution import SpotSolution
from endspiel.solving.views import NodeView
from endspiel.web.lines import find_line
from endspiel.web.messages import FieldProblem, LockAsked, Refused

DECIMALS: Final = 4  # of a probability in a lock's text
FEW: Final = 4  # hands or classes that a summary names
LONG: Final = 60  # letters of a lock that is its own summary
_HAND: Final = re.compile(r"([2-9TJQKA][cdhs]){2}")
_CLASSES: Final = re.compile(r"[2-9TJQKA]{2}")


def compose_lock(solution: SpotSolution, asked: LockAsked) -> dict[str, str]:
    """The lock that an edit makes: its text, the node's line, and a summary of it."""
    resolved = find_line(solution.game, asked.line)
    if resolved.kind != "decision":
        raise Refused(f"no player decides after {resolved.line!r}", "line")
    view = solution.view(resolved.place)
    line = _line(resolved.line, asked)
    parts = []
    if asked.actions is not None:
        mix = _mix(view.actions, asked.actions, "actions")
        parts.append(f"random {mix}")
    else:
        parts += _by_hand(solution.game, view, _strategy(view, asked), has_cards(line))
    for name, actions in asked.classes.items():
        _check_hands(view, name)
        parts.append(f"{name} {_mix(view.actions, actions, f'classes.{name}')}")
    text = f"{line}: {', '.join(parts)}"
    try:
        parse_lock(solution.game, text)
    except EndspielError as error:
        raise Refused(str(error), "classes") from error
    return describe_lock(text)


def _line(line: str, asked: LockAsked) -> str:
    """The node to lock: on the board of the line, or the same betting on every board."""
    if not asked.everywhere or not has_cards(line):
        return line
    if asked.actions is None:
        raise Refused(
            "a lock on every board needs a mix for all hands: the solution's differs by board",
            "actions",
        )
    words = words_of(line)
    return " ".join(word for at, word in enumerate(words) if at == 0 or words[at - 1] != "/")


def _mix(words: tuple[str, ...], actions: dict[str, float], field: str) -> str:
    """``f 0.3 c 0.7`` of the shares of some actions."""
    problems = []
    for word, share in actions.items():
        if word not in words:
            problems.append(
                FieldProblem(f"no action {word[:20]!r}: there are {', '.join(words)}", field)
            )
        elif not 0.0 <= share <= 1.0:
            problems.append(
                FieldProblem(f"{word} is {share}: a probability goes from 0 to 1", field)
            )
    total = sum(actions.values())
    if not problems and not abs(total - 1) <= SUM_TOLERANCE:
        problems.append(FieldProblem(f"the probabilities sum to {total:.6g}, not to 1", field))
    if problems:
        raise Refused(problems)
    return " ".join(f"{word} {_decimal(share)}" for word, share in actions.items())


def _check_hands(view: NodeView, name: str) -> None:
    try:
        held = (parse_range(name)[view.hands] > 0).any()
    except EndspielError as error:
        raise Refused(str(error), "classes") from error
    if not held:
        raise Refused(f"no hand of {name[:40]!r} is held here", "classes")


def _strategy(view: NodeView, asked: LockAsked) -> Floats:
    """What each hand does [A, K]: as solved, or moved to some frequencies over all of them."""
    if asked.frequencies is None:
        return view.strategy
    _mix(view.actions, asked.frequencies, "frequencies")
    return moved_to(view, np.array([asked.frequencies.get(word, 0.0) for word in view.actions]))


def moved_to(view: NodeView, wanted: Floats) -> Floats:
    """The strategy [A, K] near the solved one that takes each action as often as wanted [A]."""
    weight = view.weight if view.weight.any() else view.reach / max(view.reach.sum(), 1e-300)
    ev = np.nan_to_num(view.action_ev)
    return fit_frequencies(view.strategy, (ev.max(axis=0) - ev) / view.pot, weight, wanted)


def _by_hand(game: CardGame, view: NodeView, strategy: Floats, one_board: bool) -> list[str]:
    """A strategy [A, K], hands that are played alike together."""
    shares: Floats = np.stack([view.by_hand(row) for row in strategy])
    if not one_board:
        shares = _symmetric(game, shares)
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for k, hand in enumerate(view.hands.tolist()):
        mix = [
            f"{word} {_decimal(share)}"
            for word, share in zip(view.actions, shares[:, hand].tolist(), strict=True)
            if round(share, DECIMALS) > 0
        ]
        alike[" ".join(mix)].append(view.name(k))
    return [f"{' '.join(hands)} {mix}" for mix, hands in alike.items()]


def _symmetric(game: CardGame, shares: Floats) -> Floats:
    """Shares [A, 1326] that suits equal on the board do not tell apart.

    The solver's own differ by rounding, and a lock that does so needs every board by itself.
    """
    moves = [hand_permutations()[number] for number in game.tree.streets[0][0].symmetry]
    mean: Floats = np.mean([shares[:, moved] for moved in moves], axis=0)
    return mean


def _decimal(share: float) -> str:
    return np.format_float_positional(round(share, DECIMALS), trim="-")


def describe_lock(text: str) -> dict[str, Any]:
    """A lock's text, its line, and a summary short enough for a list."""
    line, _, spec = (part.strip() for part in text.partition(":"))
    words = spec.replace(",", " ").split()
    hands = [word for word in words if _HAND.fullmatch(word)]
    others = [word for word in words if _CLASSES.match(word) and word not in hands]
    if len(hands) > FEW:  # a whole strategy, hand by hand, and what was changed of it
        shown = ", ".join([f"{len(hands)} hands one by one", *others[:FEW]])
        shown += f" and {len(others) - FEW} more" if len(others) > FEW else ""
    else:
        shown = spec if len(spec) <= LONG else f"{spec[: LONG - 3]}..."
    return {"text": text, "line": line, "summary": f"{line or 'the first decision'}: {shown}"}
