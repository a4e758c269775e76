"""Table 2 of the 2017 paper: answers to a bet outside the abstraction, in no-limit flop hold'em.

The base strategy is solved, without card abstraction, in the game without bets of 0.75 pots. The
opponent may make them; the player takes them for others (action translation) or solves an endgame
whenever they are made. Exploitability is the mean over both players of what the opponent wins at
best; the game's value drops out. Nothing is drawn at random, mixed translation included.

Translation written as one strategy of the whole game maps the line again at every decision: an
action's probability is the mean of those at the places that this one may be taken for. That is the
row beside the paper's number, and what shares are of. A player that remembers what it took a bet
for, as agents do while they play, is another row, and loses far less.
"""

import time
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from endspiel.betting.tree import DECISION
from endspiel.cards.deck import NUM_RANKS
from endspiel.errors import GameError
from endspiel.kernels.arrays import Floats
from endspiel.reproduce.last_street.boards import AVERAGE, board_behavior, street_bytes
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP
from endspiel.reproduce.nlfh_nested import TECHNIQUES, MissingBetAnswers, SolvedStreet
from endspiel.reproduce.nlfh_nested_expensive import ReachAnswers, UnsafeAnswers
from endspiel.reproduce.nlfh_nested_game import NestedGame
from endspiel.reproduce.nlfh_solvers import WholeSolver, flops_on
from endspiel.reproduce.nlfh_table1 import MILLI, BaseTraining, Records, Say, say_plainly
from endspiel.solvers.memory import format_bytes

TRANSLATION: Final = "pseudo-harmonic"  # mapped again at every decision
REMEMBERED: Final = "pseudo-harmonic, remembered"  # mapped once for the whole line
EXPENSIVE: Final = {f"{kind.technique} (expensive)": kind for kind in (ReachAnswers, UnsafeAnswers)}
PAPER: Final = {  # milli big blinds a hand
    TRANSLATION: 146.5,
    "resolve": 15.02,
    "reach-maxmargin (expensive)": 14.92,
    "unsafe (expensive)": 14.83,
    "maxmargin": 12.20,
    "reach-maxmargin": 11.91,
}
ROWS: Final = (TRANSLATION, REMEMBERED, *TECHNIQUES, *EXPENSIVE)
LARGEST_STATE: Final = 2**31  # bytes of a base solve that is kept in a folder


@dataclass(frozen=True)
class Table2Effort:
    """How long to iterate, and where.

    A hundred iterations of an endgame are about what can be done while a hand is played. With 250
    and more Re-solve overtakes Maxmargin.
    """

    base: int = 600
    endgame: int = 100
    device: str = "cpu"  # or cuda


def run(
    ranks: int = NUM_RANKS,
    effort: Table2Effort | None = None,
    state: Path | None = None,
    say: Say = say_plainly,
    iterations: int | None = None,
    base_iterations: int | None = None,
    device: str | None = None,
) -> dict[str, Any]:
    """All rows; a folder for the state makes the run resumable.

    Iterations (of each endgame, and of the base) and device replace those of the effort.
    """
    given = {"endgame": iterations, "base": base_iterations, "device": device}
    for name, count in (("--iterations", iterations), ("--base-iterations", base_iterations)):
        if count is not None and count < 1:
            raise GameError(f"{name} is at least 1, not {count}")
    changes: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    effort = replace(effort or Table2Effort(), **changes)
    return Table2Draft(NestedGame(ranks), effort, Records(state), say).fill()


class Table2Draft:
    """The table while it is filled."""

    def __init__(self, game: NestedGame, effort: Table2Effort, records: Records, say: Say) -> None:
        self.game, self.effort, self.records, self.say = game, effort, records, say
        self.flops = flops_on(effort.device)
        need, left = self._bytes(), self.flops.free_memory()
        if left is not None and need > left:
            sizes = (
                f"{format_bytes(need)} on device {effort.device}, which has {format_bytes(left)}"
            )
            raise GameError(f"this solve needs {sizes}")

    def _bytes(self) -> int:
        """What is there at once when a row is measured: the base, and the game with the bet."""
        parts = self.game.part(0, 1), self.game.part(0)
        return sum(street_bytes(part.streets[FLOP], self.game.cards) for part in parts)

    def fill(self) -> dict[str, Any]:
        """Every row's exploitability in milli big blinds a hand."""
        self.records.require("ranks", self.game.ranks)
        self.records.require("base iterations", self.effort.base)
        base = self._base()
        rows = {}
        for name in ROWS:
            solved = name not in (TRANSLATION, REMEMBERED)
            key = f"{name}, {self.effort.endgame} iterations" if solved else name
            rows[name] = self.records.once(key, partial(self._row, base, name))
        return {
            "ranks": self.game.ranks,
            "effort": asdict(self.effort),
            "exploitability": {name: row["exploitability"] for name, row in rows.items()},
            "base": self.records.found["base"],
            "paper": PAPER,
            "seconds": self.records.found["base seconds"]
            + sum(row["seconds"] for row in rows.values()),
            "rows": rows,
        }

    def _base(self) -> WholeSolver:
        """The base strategy, in the game without the missing bet."""
        base = WholeSolver(self.game.part(0, 1), self.flops)
        train = BaseTraining(base, self.records, self.say, self.effort.base, 4, even_out=True)
        train.run(lambda gap: self.records.note("base", gap))
        size = street_bytes(base.flop.street, self.game.cards)
        if self.records.arrays("base") is None and size <= LARGEST_STATE:
            self.records.keep("base", base.state())
        return base

    def _row(self, base: WholeSolver, name: str) -> dict[str, Any]:
        """What the opponent wins at best against each player's answers."""
        start = time.perf_counter()
        gains = [MILLI * self._gain(base, player, name) for player in (0, 1)]
        seconds = time.perf_counter() - start
        self.say(f"{name}: {sum(gains) / 2:.3f} mbb/h, {seconds:.0f} s")
        return {"exploitability": sum(gains) / 2, "best responses": gains, "seconds": seconds}

    def _gain(self, base: WholeSolver, player: int, name: str) -> float:
        whole = WholeSolver(self.game.part(player), self.flops)
        if name in (TRANSLATION, REMEMBERED):
            translate(self.game, base, whole, player, remember=name == REMEMBERED)
        else:
            answers = EXPENSIVE.get(name, MissingBetAnswers)(
                self.game, base, player, self.effort.endgame
            )
            found = answers.solve(name.removesuffix(" (expensive)"))
            assemble(self.game, base, whole, player, *found)
        whole.even_out()
        return float(whole.best(1 - player).sum())


def translate(
    game: NestedGame, base: WholeSolver, whole: WholeSolver, player: int, remember: bool
) -> None:
    """Give a player the base strategy, missing bets taken for the next smaller or larger one.

    That is drawn by chance. If the player remembers, it is drawn once: a sequence's probability is
    the mean of those of all that it is taken for. If not, every decision takes the line for others
    again: that mean is of an action's probability once there, also where the strategy never comes
    with the hand.
    """
    known, allowed, tree = game.without(0, 1), game.without(player), game.betting
    preflop: Floats = base.average[player]
    flop = base.flop.read(AVERAGE, player)
    if not remember:
        preflop = base.average_behavior(player)
        flop = board_behavior(base.flop.street, player, flop)
    ours = [game.sequences(street, player, known) for street in (base.preflop, base.flop.street)]
    streets = (whole.preflop, whole.flop.street)
    rows = [game.sequences(street, player, allowed) for street in streets]
    lines = [len(each.flop.street.starts) for each in (base, whole)]
    found = np.zeros(
        (len(flop), whole.flop.street.size[player] - lines[1], flop.shape[2]), flop.dtype
    )
    for node, choice in game.taken_for(player).items():
        if tree.kind[node] != DECISION or tree.player[node] != player:
            continue
        street = int(tree.street[node])
        for a, child in enumerate(c for c in tree.children(node) if allowed[c]):
            for taken, chance in choice:
                other = [c for c in tree.children(taken) if known[c]][a]
                to, source = rows[street][child], ours[street][other]
                if street == PREFLOP:
                    whole.average[player][to - 1] += chance * preflop[source - 1]
                else:
                    kept = flop[:, source - lines[0]]
                    found[:, to - lines[1]] += np.float32(chance) * kept
    whole.flop.write(AVERAGE, player, found)


def assemble(
    game: NestedGame,
    base: WholeSolver,
    whole: WholeSolver,
    player: int,
    before: dict[int, Floats],
    found: list[SolvedStreet],
) -> None:
    """Give a player the base strategy and all its answers."""
    known, allowed = game.without(0, 1), game.without(player)
    rows = game.sequences(whole.preflop, player, allowed)
    for node, sequence in game.sequences(base.preflop, player, known).items():
        whole.average[player][rows[node] - 1] = base.average[player][sequence - 1]
    for node, behavior in before.items():
        for child, share in zip(game.betting.children(node), behavior, strict=True):
            whole.average[player][rows[child] - 1] = share
    lines = len(whole.flop.street.starts)
    missing = game.sequences(whole.flop.street, player, allowed)
    for solved in found:
        own = game.sequences(solved.street, player, solved.allowed)
        news, first = [node for node in own if node in missing], len(solved.street.starts)
        both = [(own[node] - first, missing.pop(node) - lines) for node in news]
        whole.flop.copy_averages(player, solved.solver, both)
    if missing:
        raise AssertionError(f"no answer was found for {len(missing)} actions")


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    ours, theirs = result["exploitability"], result["paper"]
    lines = [
        f"No-limit flop hold'em without stacks, {4 * result['ranks']} cards: bets of 0.75 pots "
        "answered, none in the base strategy",
        "exploitability in mbb/h, and as a share of action translation: mapped again at every "
        "decision, and remembered",
        f"{'technique':28}{'paper':>9}{'share':>9}{'ours':>11}{'share':>9}{'of rem.':>9}",
    ]
    for name, gap in ours.items():
        paper = " " * 18
        if name in theirs:
            paper = f"{theirs[name]:9.4g}{theirs[name] / theirs[TRANSLATION]:9.1%}"
        shares = "".join(f"{gap / ours[of]:9.1%}" for of in (TRANSLATION, REMEMBERED))
        lines.append(f"{name:28}{paper}{gap:11.4f}{shares}")
    lines.append(f"base strategy in its own game: {result['base']:.3f} mbb/h")
    return "\n".join(lines)
