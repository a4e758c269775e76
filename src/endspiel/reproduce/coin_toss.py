"""Coin Toss of the 2017 paper by every endgame-solving technique, and the 2015 paper's two games.

Exploitability is the refined player's own: what the opponent's best response gets beyond the
game's value. Nothing is drawn at random, so no seed is needed.
"""

import time
from functools import partial
from typing import Any, Final

import numpy as np

from endspiel.endgame.safe.nested import moves
from endspiel.endgame.safe.problem import Problem
from endspiel.endgame.safe.refine import refine, refine_all
from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.techniques import TECHNIQUES
from endspiel.engine.limits import Limits
from endspiel.game import Game, Profile, best_response
from endspiel.games.toy import choose_endgame, coin_toss, rock_paper_scissors
from endspiel.solvers.lp import solve as solve_lp

METHODS: Final = {"lp": Limits(), "cfr+": Limits(iterations=20_000)}
# What follows from the paper's payoffs. Its text gives Maxmargin's strategy as Heads 3/8 and Tails
# 5/8, but the payoffs it names next, -1/4 on Heads and 1/4 on Tails, are those of Heads 5/8.
EXPECTED: Final = {
    "base": (0.5, 0.5),
    "unsafe": (0.75, 0.75),
    "resolve": (0.25, 0.5),  # any strategy in between solves its gadget
    "maxmargin": (0.375, 0.375),
    "reach-maxmargin": (0.25, 0.25),
    "reach-maxmargin-improved": (0.0, 0.0),
}
# The endgames of Figure 2 are any games; these have the values 0, 1/5 and -1.
ENDGAMES: Final = (
    [[1.0, -1.0], [-1.0, 1.0]],
    [[2.0, -1.0], [-1.0, 1.0]],
    [[-1.0, 0.0], [-2.0, -1.0]],
)


def run() -> dict[str, Any]:
    """Every technique by linear programming and by CFR+."""
    start = time.perf_counter()
    game, base = coin_toss(), base_strategy(coin_toss())
    problem = Problem(Endgame.where(game, lambda player, name: player == 1), 1, base)
    value = solve_lp(game).value
    methods = {}
    for method, limits in METHODS.items():
        found = {name: refine(problem, name, method, limits) for name in TECHNIQUES}
        profiles = {"base": base} | {name: r.profile for name, r in found.items()}
        gains = {name: best_response(game, 0, p)[0] - value for name, p in profiles.items()}
        methods[method] = {
            "exploitability": gains,
            "margins": {name: r.by_infoset() for name, r in found.items()},
            "strategy": {name: _guesses(p) for name, p in profiles.items()},
        }
    return {
        "exploitability": methods["lp"]["exploitability"],
        "expected": EXPECTED,
        "value": value,
        "methods": methods,
        "rps": {method: _rps(method) for method in METHODS},
        "choose-endgame": {method: _choose_endgame(method) for method in METHODS},
        "seconds": time.perf_counter() - start,
    }


def base_strategy(game: Game) -> Profile:
    """The paper's base: Right 3/4 on Heads and 1/2 on Tails; Heads 1/2, Tails and Forfeit 1/4."""
    one, two = np.ones(game.plexes[0].num_sequences), np.ones(game.plexes[1].num_sequences)
    for coin, right in (("Heads", 0.75), ("Tails", 0.5)):
        one[moves(game, 0, "Right", [coin])] = right
        one[moves(game, 0, "Left", [coin])] = 1 - right
    for guess, share in (("Heads", 0.5), ("Tails", 0.25), ("Forfeit", 0.25)):
        two[moves(game, 1, guess, ["Right"])] = share
    return Profile((one, two))


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    exact, iterated = result["methods"]["lp"], result["methods"]["cfr+"]
    lines = ["Coin Toss: player 2's exploitability, and what it guesses after Right"]
    lines.append(f"{'technique':26}{'expected':>12}{'LP':>9}{'CFR+':>9}   strategy by LP")
    for name, (low, high) in EXPECTED.items():
        expected = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        ours = [found["exploitability"][name] for found in (exact, iterated)]
        guesses = [f"{guess} {share:.3f}" for guess, share in exact["strategy"][name].items()]
        lines.append(f"{name:26}{expected:>12}{ours[0]:9.4f}{ours[1]:9.4f}   {', '.join(guesses)}")
    lines += ["", "Margins by LP"]
    for name, margins in exact["margins"].items():
        shown = ", ".join(f"{infoset} {margin:.3f}" for infoset, margin in margins.items())
        lines.append(f"{name:26}{shown}")
    for key, title in (
        ("rps", "Rock-Paper-Scissors, player 2's turn (2015 paper, Proposition 1)"),
        ("choose-endgame", "A public choice of endgames (2015 paper, Figure 2)"),
    ):
        lines += ["", f"{title}: exploitability", f"{'technique':26}{'LP':>9}{'CFR+':>9}"]
        both = result[key]["lp"], result[key]["cfr+"]
        lines += [f"{name:26}{both[0][name]:9.4f}{both[1][name]:9.4f}" for name in both[0]]
    return "\n".join(lines)


def _guesses(profile: Profile) -> dict[str, float]:
    shares = profile.behavior[1][1:].tolist()
    return dict(zip(("Heads", "Tails", "Forfeit"), shares, strict=True))


def _rps(method: str) -> dict[str, float]:
    """An exact trunk and base; the endgame is player 2's turn."""
    game = rock_paper_scissors()
    base = Profile.uniform(game)
    problem = Problem(Endgame.where(game, lambda player, name: player == 1), 1, base)
    found = {name: refine(problem, name, method, METHODS[method]).profile for name in TECHNIQUES}
    return {name: best_response(game, 0, p)[0] for name, p in ({"base": base} | found).items()}


def chosen_endgames(game: Game) -> list[Endgame]:
    """What follows each public choice of an endgame."""
    choices = (moves(game, 0, f"G{i + 1}", [""]) for i in range(len(ENDGAMES)))
    return [Endgame.after(game, 0, choice.tolist()) for choice in choices]


def _choose_endgame(method: str) -> dict[str, float]:
    """Player 2's exploitability once each endgame is solved by itself from an even base."""
    game = choose_endgame(ENDGAMES)
    base, value = Profile.uniform(game), solve_lp(game).value
    endgames = chosen_endgames(game)
    profiles = {"base": base}
    for name in TECHNIQUES:
        refiner = partial(refine, technique=name, method=method, limits=METHODS[method])
        profiles[name], _ = refine_all(endgames, 1, base, refiner)
    return {name: best_response(game, 0, p)[0] - value for name, p in profiles.items()}
