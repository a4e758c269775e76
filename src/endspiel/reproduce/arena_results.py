"""The agent's results in the arena: Table 1 of the 2015 paper, post-processing, every technique.

The paper's opponents are not to be had; ours are named in each row. Parts:

always-fold  what folding every hand loses
endgame      endgame solving on against off, by technique and opponent, endgame by endgame
played       the same from hands played, as the paper has it
post         purification against thresholding against neither
tartanian5   the 2012 paper's abstractions, and its post-processing, head to head
lbr          a lower bound on exploitability by local best response
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from endspiel.arena.estimators.estimates import Estimate, estimate
from endspiel.endgame.safe.techniques import PLAYED
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers, executor_of
from endspiel.files import make_folder
from endspiel.reproduce import arena_tartanian5
from endspiel.reproduce.arena_endgames import Endgames, share_of_hands, spread
from endspiel.reproduce.arena_play import (
    Matches,
    Played,
    Player,
    Say,
    blueprint_player,
    difference,
    recorded,
    row_of,
    same_endgames,
    span,
)

PAPER: Final = {"Hyperborean.iro": (87, 50), "Slumbot": (29, 25)}  # mbb, 95% half widths
# Local best responses: one bets everywhere, one checks and calls until the turn.
LBRS: Final = {"lbr": "", "lbr-late": "calls=preflop,flop+"}
POSTS: Final = ("none", "threshold:0.15", "purify")
BASE: Final = "purify-after-first"  # how the 2015 paper reads its base agent
TRUST: Final = 0.1  # of the safe techniques here; by default they have none and are safe by theorem
Row = dict[str, Any]


@dataclass(frozen=True)
class RunOptions:
    """What a run does beside the usual."""

    endgames: int = 100  # valued a row
    opponents: Sequence[str] = ()  # specs; by default the blueprint itself and pot-odds
    techniques: Sequence[str] = tuple(PLAYED)
    coarse: str | None = None  # blueprints of a coarser and a finer abstraction, for tartanian5
    fine: str | None = None
    workers: GivenWorkers = None
    say: Say = print

    def __post_init__(self) -> None:
        for technique in self.techniques:
            if technique not in PLAYED:
                known = ", ".join(PLAYED)
                raise EndspielError(f"no technique {technique!r}: there are {known}")


@dataclass(frozen=True)
class Study:
    """Who plays whom, how long."""

    matches: Matches
    hands: int  # a row
    file: str | None  # the blueprint; None is the one that comes with the package
    options: RunOptions

    def player(self, technique: str, post: str = BASE) -> Player:
        """The blueprint with a technique and a post-processing."""
        found = blueprint_player(technique, post, self.file)
        is_safe = technique in PLAYED and PLAYED[technique].is_safe
        return found._replace(spec=f"{found.spec},trust={TRUST}") if is_safe else found

    @property
    def others(self) -> tuple[Player, ...]:
        """The opponents."""
        if self.options.opponents:
            return tuple(
                Player(f"opponent-{at}", spec) for at, spec in enumerate(self.options.opponents, 1)
            )
        return self.player("none", "none"), Player("pot-odds", "pot-odds")

    def always_fold(self) -> list[Row]:
        """What always folding loses to some opponents."""
        folds = Player("always-fold", "always-fold")
        others = [Player(name, name) for name in ("always-raise", "always-call")]
        return [
            row_of(folds, other, self.matches.play(folds, other, self.hands))
            for other in (*others, *self.others)
        ]

    def endgame(self) -> list[Row]:
        """Endgame solving on against off, all pairs of hands counted in each endgame."""
        rows = []
        off = self.player("none")
        for other in self.others:
            base = self.matches.play(off, other, self.hands)
            endgames = Endgames(self.matches, off, other, self.hands, self.options.endgames)
            reached = int(base.reached.sum())
            for technique in self.options.techniques:
                on = self.player(technique)
                found, gains = endgames.difference(on)
                rows.append(
                    {"agent": on.name, "opponent": other.name, "specs": [on.spec, other.spec]}
                    | {"technique": technique, "endgames": len(gains), "same_endgames": True}
                    | {"per_endgame": recorded(found), "spread": spread(gains)}
                    | {"percent_of_pot": recorded(endgames.shares(gains), "percent")}
                    | {"per_hand": recorded(share_of_hands(gains, reached, self.hands))}
                )
        return rows

    def played(self) -> list[Row]:
        """Endgame solving on against off, from hands played."""
        rows = []
        for other in self.others:
            off = self.player("none")
            base = self.matches.play(off, other, self.hands)
            for technique in self.options.techniques:
                on = self.player(technique)
                played = self.matches.play(on, other, self.hands)
                found = difference(base, played)
                rows.append(
                    row_of(on, other, played)
                    | {
                        "technique": technique,
                        "off": recorded(base.main),
                        "per_hand": recorded(found.per_hand),
                        "per_endgame": recorded(found.per_endgame),
                        "endgames": found.endgames,
                        "same_endgames": same_endgames(base, played),
                        "all_hands": recorded(_paired(base, played)),
                    }
                )
        return rows

    def post(self) -> list[Row]:
        """Each post-processing against each opponent, and what it gains over none."""
        rows = []
        for other in self.others:
            runs = {
                post: self.matches.play(self.player("none", post), other, self.hands)
                for post in POSTS
            }
            for post, played in runs.items():
                gain = recorded(_paired(runs["none"], played))
                row = row_of(self.player("none", post), other, played)
                rows.append(row | {"post": post, "gain": gain})
        return rows

    def lbr(self) -> list[Row]:
        """What local best responses win from each post-processing, by AIVAT."""
        rows = []
        for post in POSTS:
            victim = self.player("none", post)
            for name, options in LBRS.items():
                hunter = Player(f"{name}-{victim.name}", f"lbr+{options}{victim.spec}")
                played = self.matches.play(hunter, victim, self.hands, aivat=True)
                row = row_of(hunter, victim, played) | {"post": post}
                rows.append(row | {"aivat": recorded(played.result.main)})
        return rows

    def tartanian5(self) -> list[Row]:
        """The 2012 paper's experiments; ``run`` names those that lack a strategy file."""
        meetings = arena_tartanian5.contests(self.file, self.options.coarse, self.options.fine)
        return [arena_tartanian5.head_to_head(self.matches, self.hands, each) for each in meetings]


PARTS: Final[dict[str, Callable[[Study], list[Row]]]] = {
    "always-fold": Study.always_fold,
    "endgame": Study.endgame,
    "played": Study.played,
    "post": Study.post,
    "tartanian5": Study.tartanian5,
    "lbr": Study.lbr,
}


def _paired(base: Played, other: Played) -> Estimate:
    """Other - base over all hands of the same deals."""
    return estimate("all hands", np.mean(other.values - base.values, axis=0))


def run(
    hands: int = 2000,
    state: Path | None = None,
    blueprint: Path | None = None,
    parts: Sequence[str] = (),
    **more: Any,
) -> dict[str, Any]:
    """Play all parts, or some; a state folder keeps the logs, from which a run goes on.

    What more may be given are the fields of ``RunOptions``.
    """
    for part in parts:
        if part not in PARTS:
            raise EndspielError(f"there is no part {part!r}: there are {', '.join(PARTS)}")
    options = RunOptions(**more)
    with _folder(state) as folder, executor_of(options.workers) as executor:
        matches = Matches(Path(folder), workers=executor, say=options.say)
        study = Study(matches, hands, None if blueprint is None else str(blueprint), options)
        found = {part: PARTS[part](study) for part in parts or PARTS}
    opponents = {other.name: other.spec for other in study.others}
    result = {"hands": hands, "opponents": opponents, "paper": PAPER, "parts": found}
    if "tartanian5" in found:
        result["missing"] = arena_tartanian5.missing(options.coarse, options.fine)
    return result


def _folder(state: Path | None) -> AbstractContextManager[str | Path]:
    """Where the logs go."""
    if state is None:
        return TemporaryDirectory()
    make_folder(state)
    return nullcontext(state)


def report(result: dict[str, Any]) -> str:
    """The results as text for people."""
    lines = [f"{result['hands']:,} hands a row, duplicate; mbb/h with 95% intervals"]
    lines += [f"{name} is {spec}" for name, spec in result["opponents"].items() if name != spec]
    for part, rows in result["parts"].items():
        lines += ["", *(_REPORTS[part](rows, result["paper"]))]
        if part == "tartanian5":
            lines += arena_tartanian5.missing_lines(result["missing"])
    return "\n".join(lines)


def _plain_report(title: str, keys: Sequence[str]) -> Callable[[list[Row], Any], list[str]]:
    """A report of one line a row with some of its figures."""

    def lines(rows: list[Row], paper: object) -> list[str]:
        found = [title]
        for row in rows:
            figures = [f"{key.replace('_', ' ')} {span(row[key])}" for key in keys if key in row]
            found.append(f"{row['agent']} against {row['opponent']}: {', '.join(figures)}")
        return found

    return lines


def _endgame_report(rows: list[Row], paper: dict[str, tuple[int, int]]) -> list[str]:
    """The techniques beside the paper's numbers."""
    theirs = ", ".join(f"{name} {mean:+d} ± {half}" for name, (mean, half) in paper.items())
    lines = [
        "endgame solving on against off, per hand that comes to an endgame",
        f"paper (2015, Table 1): {theirs}",
        f"{'technique':18}{'opponent':26}{'per endgame':>20}{'per hand':>18}{'endgames':>10}",
    ]
    lines += [
        f"{row['technique']:18}{row['opponent']:26}{span(row['per_endgame']):>20}"
        f"{span(row['per_hand']):>18}{row['endgames']:>10,}"
        + (f"   {span(row['percent_of_pot'], 'percent')}% of the pot" if "spread" in row else "")
        + ("" if row["same_endgames"] else "  (trunks differ)")
        for row in rows
    ]
    return lines


_REPORTS: Final = {
    "always-fold": _plain_report("always folding (750 lost to those who always raise)", ["result"]),
    "endgame": _endgame_report,
    "played": _endgame_report,
    "post": _plain_report("post-processing, and its gain over none", ["result", "gain"]),
    "tartanian5": lambda rows, paper: list(arena_tartanian5.lines(rows)),
    "lbr": _plain_report("local best response, a lower bound", ["result", "aivat"]),
}
