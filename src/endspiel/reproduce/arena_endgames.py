"""Endgame solving on against off, endgame by endgame, all pairs of hands counted in each.

The endgames are those that the plain blueprint and an opponent come to in a match. Each is valued
with and without solving against the opponent's policy (``arena.estimators.endgame_value``): the
difference is what Appendix C of the 2015 paper estimates from hands where both versions come to an
endgame, with the luck of private cards and dice taken out. Processes share the endgames, each of
which depends on nothing but its hand; a ledger has the values, and a run continues from it.
"""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from endspiel.agent import make_agent
from endspiel.arena.deals import hand_seeds
from endspiel.arena.estimators.endgame_value import EndgameValue, last_round_root
from endspiel.arena.estimators.estimates import Estimate, estimate, milli_blinds
from endspiel.arena.play import position_of
from endspiel.arrays import Float64s
from endspiel.errors import EndspielError
from endspiel.executor import WorkerJob, executor_of
from endspiel.ledger import Ledger
from endspiel.progress import Progress
from endspiel.reproduce.arena_play import Matches, Player
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import parse_record, read_lines
from endspiel.rules.state import State

FAINT: Final = 0.02  # of the pot: branches that are followed by chance only


class PlayedEndgame(NamedTuple):
    """One that a match came to."""

    name: str  # section and number of the hand
    root: State
    board: tuple[int, ...]
    position: int  # the first player's
    seeds: tuple[int, int]  # of both players in this hand


@dataclass(frozen=True)
class Endgames:
    """The first endgames of a match of the plain blueprint against an opponent."""

    matches: Matches
    off: Player
    other: Player
    hands: int  # of the match
    count: int  # endgames valued at most

    def found(self) -> Iterator[PlayedEndgame]:
        """The endgames in the order played; the match must have been."""
        game, seed = self.matches.game, self.matches.seed
        section, before = -1, -1
        taken = 0
        for _, line in read_lines(self.matches.log(self.off, self.other, self.hands)):
            if not line.startswith("STATE:"):
                continue
            number = int(line.split(":")[1])
            section += number <= before or section < 0
            before = number
            root = last_round_root(game, line.split(":")[2])
            if root is None:
                continue
            seeds = hand_seeds(seed, section, number, 1)[0]
            board = parse_record(game, line).shown.board
            position = position_of(0, section, number)
            yield PlayedEndgame(f"{section}-{number}", root, board, position, (seeds[0], seeds[1]))
            taken += 1
            if taken == self.count:
                return

    def values(self, version: Player) -> dict[str, float]:
        """Chips of a version in every endgame, by the endgame's name; what is known is not redone.

        Values are noted as they are found, so that a killed run loses no more than those that its
        processes were at.
        """
        path = self.matches.folder / (
            f"{version.name}-vs-{self.other.name}-{self.hands}-{self.matches.seed}.jsonl"
        )
        endgames = list(self.found())
        what = f"endgames of {version.name} against {self.other.name}"
        job = {"job": "arena", "version": version.spec, "other": self.other.spec}
        with Ledger(path, job) as log:
            left = [endgame for endgame in endgames if log.get(endgame.name) is None]
            before, tell = len(endgames) - len(left), self.matches.reporter(what)
            tell(Progress(what, before, len(endgames), before))
            with closing(self._work(version, left)) as values:
                for done, (endgame, chips) in enumerate(values, before + 1):
                    log.add(endgame.name, {"chips": chips})
                    tell(Progress(what, done, len(endgames), before))
            return {one.name: (log.get(one.name) or {})["chips"] for one in endgames}

    def _work(
        self, version: Player, endgames: Sequence[PlayedEndgame]
    ) -> Generator[tuple[PlayedEndgame, float], None, None]:
        """Chips of a version in some endgames, as workers find them."""
        if not endgames:
            return
        start = _EndgameStart(self.matches.game, version, self.other)
        with executor_of(self.matches.workers) as executor:
            job = WorkerJob(_Valuer, start, reads_script=True)
            with closing(executor.found(job, endgames)) as found:
                for number, chips in found:
                    yield endgames[number], chips

    def difference(self, on: Player) -> tuple[Estimate, Float64s]:
        """What a version wins more than the plain one, in mbb an endgame, and each of them [N]."""
        off, new = self.values(self.off), self.values(on)
        if not off:
            raise EndspielError(
                f"{self.off.name} and {self.other.name} came to no endgame: play more hands"
            )
        gains = milli_blinds(self.matches.game, [new[name] - off[name] for name in off])
        self.matches.say(f"{on.name} against {self.other.name}: {len(gains)} endgames")
        return estimate("endgames", gains), gains

    def shares(self, gains: Float64s) -> Estimate:
        """Gains [N] in mbb as percent of each endgame's pot, so that large pots decide less."""
        pots = milli_blinds(self.matches.game, [endgame.root.pot for endgame in self.found()])
        return estimate("percent of the pot", 100 * gains / pots)


class _EndgameStart(NamedTuple):
    """What a process needs to value endgames."""

    game: GameDef
    version: Player
    other: Player


class _Valuer:
    """Values endgames in one process."""

    def __init__(self, start: _EndgameStart) -> None:
        game, *players = start
        self._agents = [make_agent(player.spec, game) for player in players]
        names = start.version.name, start.other.name
        self._worth = [EndgameValue(game, seats, FAINT) for seats in (names, names[::-1])]

    def work(self, endgame: PlayedEndgame) -> float:
        """Chips of the version over the whole hand."""
        for agent, seed in zip(self._agents, endgame.seeds, strict=True):
            agent.begin(seed)
        seated = self._agents if endgame.position == 0 else self._agents[::-1]
        worth = self._worth[endgame.position]
        ranges = worth.ranges(seated, endgame.root, endgame.board)
        chips = worth.value(seated, endgame.root, endgame.board, ranges, endgame.seeds[0])
        return chips if endgame.position == 0 else -chips

    def close(self) -> None:
        """Give back what the agents hold."""
        for agent in self._agents:
            agent.close()


def share_of_hands(gains: Float64s, endgames: int, hands: int) -> Estimate:
    """The estimate per hand: hands without an endgame are alike in both versions."""
    found = estimate("per hand", gains)
    share = endgames / hands
    error = None if found.error is None else found.error * share
    return Estimate("per hand", found.mean * share, error, found.units)


def spread(gains: Float64s) -> float:
    """The standard deviation of an endgame's gain, in mbb."""
    return float(np.std(gains, ddof=1)) if len(gains) > 1 else 0.0
