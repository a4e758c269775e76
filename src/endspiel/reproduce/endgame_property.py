"""The (epsilon, delta)-endgame property of the 2015 paper: its two values, and games in between.

Epsilon*(delta) is the most that a strategy can lose in the full game that loses no more than delta
within each endgame, both players' trunks fixed (``endgame.worst_case``). The paper names two
extremes: 1 for Rock-Paper-Scissors, whatever delta, and delta for a public choice of endgames.
Trunks are equilibria's. Nothing is drawn at random, so no seed is needed.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.worst_case import worst_case
from endspiel.game import Profile
from endspiel.games.leduc import leduc
from endspiel.games.toy import choose_endgame, coin_toss, kuhn, rock_paper_scissors
from endspiel.reproduce.coin_toss import ENDGAMES, chosen_endgames
from endspiel.solvers.lp import solve

# What player 1 may lose in the endgame that is chosen: 2 instead of 1/5. More there is not.
MOST: Final = 1.8
LEDUC_LINE: Final = "cc"


class Case(NamedTuple):
    """A game, its endgames, and what the paper says of them."""

    name: str
    title: str
    endgames: Sequence[Endgame]
    trunk: Profile
    deltas: Sequence[float]
    paper: Callable[[float], float | None] = lambda delta: None


def cases() -> list[Case]:
    """The paper's two games, then others."""
    rps, choice, coin, cards = rock_paper_scissors(), choose_endgame(ENDGAMES), coin_toss(), kuhn()
    return [
        Case(
            "rps",
            "Rock-Paper-Scissors, player 2's turn",
            [Endgame.where(rps, lambda player, name: player == 1)],
            Profile.uniform(rps),  # its one equilibrium
            (0.0, 0.1, 0.5, 1.0),
            lambda delta: 1.0,
        ),
        Case(
            "choose-endgame",
            "a public choice of endgames (Figure 2)",
            chosen_endgames(choice),
            solve(choice).profile,
            (0.0, 0.1, 0.5, 1.0, MOST),
            lambda delta: delta,
        ),
        Case(
            "coin-toss",
            "Coin Toss (2017 paper), player 2's guess",
            [Endgame.where(coin, lambda player, name: player == 1)],
            solve(coin).profile,
            (0.0, 0.1, 0.5, 1.0),
        ),
        Case(
            "kuhn",
            "Kuhn poker after the first action",
            [Endgame.where(cards, partial(_follows, action)) for action in "pb"],
            solve(cards).profile,
            (0.0, 0.1, 0.5, 1.0),
        ),
        _leduc(),
    ]


def _follows(action: str, player: int, name: str) -> bool:
    """Whether an infoset of Kuhn poker follows a first action."""
    return name[1:].startswith(action)


def _leduc() -> Case:
    """Leduc hold'em's second round where nobody bet in the first."""
    game = leduc()

    def inside(player: int, name: str) -> bool:
        first, street, _ = name.split(":")[1].partition("/")
        return bool(street) and first == LEDUC_LINE

    title = "Leduc hold'em, second round after two checks"
    return Case("leduc", title, [Endgame.where(game, inside)], solve(game).profile, (0.0, 0.1))


def run() -> dict[str, Any]:
    """Epsilon* of every game and delta, by player too."""
    start = time.perf_counter()
    games = {case.name: {"title": case.title, "rows": _rows(case)} for case in cases()}
    return {"games": games, "seconds": time.perf_counter() - start}


def _rows(case: Case) -> list[dict[str, Any]]:
    rows = []
    for delta in case.deltas:
        found = [worst_case(case.endgames, player, case.trunk, delta) for player in (0, 1)]
        by_player = [worst.epsilon for worst in found]
        rows.append(
            {
                "delta": delta,
                "epsilon_star": max(by_player),
                "paper": case.paper(delta),
                "by_player": by_player,
                "bound": max(worst.bound for worst in found),
            }
        )
    return rows


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    lines = [
        "epsilon*(delta): the most that endgame strategies can lose in the full game",
        "which lose no more than delta within each endgame (2015 paper, section 2)",
    ]
    for game in result["games"].values():
        lines += ["", game["title"]]
        lines.append(f"{'delta':>8}{'paper':>8}{'ours':>10}{'player 1':>11}{'player 2':>11}")
        for row in game["rows"]:
            paper = "" if row["paper"] is None else f"{row['paper']:g}"
            one, two = (max(epsilon, 0.0) for epsilon in row["by_player"])  # not -0
            lines.append(
                f"{row['delta']:8g}{paper:>8}{row['epsilon_star']:10.5f}{one:11.5f}{two:11.5f}"
            )
    return "\n".join(lines)
