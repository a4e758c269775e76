"""The (epsilon, delta)-endgame property of the 2015 paper: its two values, and games in between.

Epsilon*(delta) is the most that a strategy can lose in the full game that loses no more than delta
within each endgame, both players' trunks fixed (``worst_case``). The paper names two
extremes: 1 for Rock-Paper-Scissors, whatever delta, and delta for a public choice of endgames.
Trunks are those of equilibria, of which a game may have many (``equilibrium_trunks``): every figure
comes with its range over them. Nothing is drawn at random, so no seed is needed.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final

from endspiel.endgame.safe.subgame import Endgame, all_moves
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import choose_endgame, coin_toss, kuhn, rock_paper_scissors
from endspiel.reproduce.coin_toss import ENDGAMES, chosen_endgames
from endspiel.reproduce.equilibrium_trunks import EquilibriumTrunk, equilibrium_trunks
from endspiel.reproduce.worst_case import worst_case

# What player 1 may lose in the endgame that is chosen: 2 instead of 1/5. More there is not.
MOST: Final = 1.8
LEDUC_LINE: Final = "cc"
STEPS: Final = (0.5, 0.9, 0.99, 1.0)  # trunks on the way from the middle to an extreme
ALIKE: Final = 1e-6  # figures that differ by no more are one


@dataclass(frozen=True)
class Case:
    """A game, its endgames, and what the paper says of them."""

    name: str
    title: str
    endgames: Sequence[Endgame]
    deltas: Sequence[float]
    paper: Callable[[float], float | None] = lambda delta: None
    steps: Sequence[float] = STEPS
    entry: tuple[str, str, str] | None = None  # infoset and action whose chance names a trunk

    @cached_property
    def trunks(self) -> list[EquilibriumTrunk]:
        """Equilibrium trunks, the middle one first."""
        return equilibrium_trunks(self.endgames, self.steps)

    def label(self, at: int) -> str:
        """The name of a trunk."""
        if self.entry is None:
            return f"trunk {at}" if at else "the middle trunk"
        name, *move = self.entry
        game = self.endgames[0].game
        chances = self.trunks[at].profile.behavior[0]
        place = next(s for player, *m, s in all_moves(game) if player == 0 and m == move)
        return f"{name} = {chances[place]:.4f}"


def cases() -> list[Case]:
    """The paper's two games, then others."""
    rps, choice, coin, cards = rock_paper_scissors(), choose_endgame(ENDGAMES), coin_toss(), kuhn()
    return [
        Case(
            "rps",
            "Rock-Paper-Scissors, player 2's turn",
            [Endgame.where(rps, lambda player, name: player == 1)],
            (0.0, 0.1, 0.5, 1.0),
            lambda delta: 1.0,
        ),
        Case(
            "choose-endgame",
            "a public choice of endgames (Figure 2)",
            chosen_endgames(choice),
            (0.0, 0.1, 0.5, 1.0, MOST),
            lambda delta: delta,
        ),
        Case(
            "coin-toss",
            "Coin Toss (2017 paper), player 2's guess",
            [Endgame.where(coin, lambda player, name: player == 1)],
            (0.0, 0.1, 0.5, 1.0),
            entry=("right", "Heads", "Right"),
        ),
        Case(
            "kuhn",
            "Kuhn poker after the first action",
            [Endgame.where(cards, partial(_follows, action)) for action in "pb"],
            (0.0, 0.1, 0.5, 1.0),
            entry=("alpha", "0", "b"),
        ),
        _leduc(),
    ]


def _follows(action: str, player: int, name: str) -> bool:
    """Whether an infoset of Kuhn poker follows a first action."""
    return name[1:].startswith(action)


def _leduc() -> Case:
    """Leduc hold'em's second round after no bet in the first."""
    game = leduc()

    def inside(player: int, name: str) -> bool:
        first, street, _ = name.split(":")[1].partition("/")
        return bool(street) and first == LEDUC_LINE

    title = "Leduc hold'em, second round after two checks"
    return Case("leduc", title, [Endgame.where(game, inside)], (0.0, 0.1), steps=(1.0,))


def run() -> dict[str, Any]:
    """Epsilon* of every game and delta: in the middle trunk, by player too, and over all trunks."""
    start = time.perf_counter()
    games = {case.name: _game(case) for case in cases()}
    return {"games": games, "seconds": time.perf_counter() - start}


def _game(case: Case) -> dict[str, Any]:
    trunks: list[dict[str, Any]] = [
        {
            "trunk": case.label(at),
            "reaches_all": not trunk.missed,
            "rows": [_row(case, trunk, delta) for delta in case.deltas],
        }
        for at, trunk in enumerate(case.trunks)
    ]
    rows = [
        {**trunks[0]["rows"][at], "paper": case.paper(delta), **_range(trunks, at)}
        for at, delta in enumerate(case.deltas)
    ]
    return {"title": case.title, "rows": rows, "trunks": trunks}


def _row(case: Case, trunk: EquilibriumTrunk, delta: float) -> dict[str, Any]:
    found = [worst_case(case.endgames, player, trunk.profile, delta) for player in (0, 1)]
    by_player = [worst.epsilon for worst in found]
    return {
        "delta": delta,
        "epsilon_star": max(by_player),
        "by_player": by_player,
        "bound": max(worst.bound for worst in found),
    }


def _range(trunks: Sequence[dict[str, Any]], row: int) -> dict[str, Any]:
    """The least and the most of a row over trunks that reach every endgame, and where they are."""
    values = {
        trunk["trunk"]: trunk["rows"][row]["epsilon_star"]
        for trunk in trunks
        if trunk["reaches_all"]
    }
    least, most = min(values.values()), max(values.values())
    places = [next(n for n, v in values.items() if abs(v - x) <= ALIKE) for x in (least, most)]
    return {"range": [least, most], "range_at": places if most - least > ALIKE else None}


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    lines = [
        "epsilon*(delta): the most that endgame strategies can lose in the full game",
        "which lose no more than delta within each endgame (2015 paper, section 2)",
    ]
    for game in result["games"].values():
        first, *others = game["trunks"]
        lines += ["", game["title"]]
        if others:
            reaching = sum(trunk["reaches_all"] for trunk in game["trunks"])
            lines.append(f"ours: {first['trunk']}; range: {reaching} equilibrium trunks")
        lines.append(f"{'delta':>8}{'paper':>8}{'ours':>10}{'player 1':>11}{'player 2':>11}  range")
        lines += [_line(row, bool(others)) for row in game["rows"]]
        for trunk in others:
            if not trunk["reaches_all"]:
                found = ", ".join(f"{row['epsilon_star']:.5f}" for row in trunk["rows"])
                lines.append(
                    f"not in the range: {trunk['trunk']}, which never reaches one of the endgames; "
                    f"{found} if every hand is as likely there"
                )
    return "\n".join(lines)


def _line(row: dict[str, Any], many: bool) -> str:
    """One delta, of one trunk or many."""
    paper = "" if row["paper"] is None else f"{row['paper']:g}"
    one, two = (max(epsilon, 0.0) for epsilon in row["by_player"])  # not -0
    text = f"{row['delta']:8g}{paper:>8}{row['epsilon_star']:10.5f}{one:11.5f}{two:11.5f}"
    if row["range_at"] is None:
        return text + ("  all alike" if many else "")
    ends = zip(row["range"], row["range_at"], strict=True)
    return text + "  " + " to ".join(f"{value:.5f} ({place})" for value, place in ends)
