"""Whole trees before the flop by play: rounds until they stand still, and what error is left."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple

from endspiel.batch.boards import report_flops
from endspiel.batch.preflop_flops import any_spot
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.class_equity import class_matchups
from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.run import run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import GameError
from endspiel.files import check_place, load, save
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import PreflopGame
from endspiel.interrupts import noticed
from endspiel.kernels.arrays import Floats
from endspiel.ledger import check_same
from endspiel.preflop.flop_lines import FlopLines, FlopSet, Known
from endspiel.preflop.playing import Playing
from endspiel.preflop.pooling import NET_ERROR
from endspiel.preflop.shipped import SMALL_SET, LineStart, shipped, starts_for
from endspiel.preflop.street import PreflopStreet
from endspiel.processors import one_blas_thread, processors
from endspiel.progress import Observe, Progress, unobserved
from endspiel.values.nets import shipped_net

OFTEN: Final = 0.02  # of hands: lines whose error counts
SETTLED: Final = 0.01  # big blinds by which the pots of such lines may still move
TARGET: Final = 5e-3  # big blinds of exploitability, or of the prizes
CHARTS_TARGET: Final = 1e-3  # big blinds, where flops are not played
LEAST_ROUNDS, MOST_ROUNDS = 6, 60
KIND: Final = "preflop by play"
PLAY: Final = "play"
METHOD: Final = "dcfr"
BY_NET: Final = "a value net at the end of the flop"
BY_CHARTS: Final = f"{BY_NET}, for the values that come with the package"
MOST_ITERATIONS: Final = 3000  # before the flop, where these values are used
LOOK: Final = 50  # iterations between two looks at the exploitability
EXPLOITABILITY, GAP = "exploitability", "gap"  # figures of progress
LEAST: Final = 1e-300  # of a line of reach 0


class LineError(NamedTuple):
    """What is wrong with the worth of a line's flops, in big blinds."""

    line: str
    frequency: float
    pot: float
    share: float  # of the pot, the big blind's
    gap: float  # how far the pot is from being shared as play on the flops has it
    uncertain: float  # standard error, by how much flops differ
    net: float  # error of the value net that ends flops
    between: float = 0.0  # how far it may be off as it lies between lines that were played
    classes: float | None = None  # the gap as a root mean square over classes, if it was measured

    @property
    def error(self) -> float:
        """All of them together."""
        return abs(self.gap) + self.between + float((self.uncertain**2 + self.net**2) ** 0.5)

    def record(self) -> dict[str, Any]:
        """As plain values."""
        return {**self._asdict(), "error": self.error}


@dataclass(frozen=True)
class PlayLimits:
    """Where rounds end, and what is written down on the way."""

    target: float | None = None  # exploitability, in big blinds or of the prizes; else the usual
    rounds: int = MOST_ROUNDS
    seconds: float | None = None
    state: Path | None = None  # a run that was stopped is gone on with from here
    observe: Observe = unobserved
    halt: Callable[[], bool] = lambda: False  # asked after each round; ends like Ctrl-C


class SolvedByPlay(NamedTuple):
    """A tree solved by play."""

    charts: PreflopCharts
    street: PreflopStreet  # what was learned
    exploitability: float  # chips, or of the prizes, where flops are worth what play gave them
    iterations: int  # before the flop
    seconds: float
    lines: list[LineError]
    flops: int
    stopped: bool  # by Ctrl-C or `halt`, before the end
    by: str = BY_NET
    method: str = METHOD

    @property
    def error(self) -> float:
        """Big blinds: the largest error of a line taken often."""
        return max((line.error for line in self.lines if line.frequency >= OFTEN), default=0.0)

    def flop_value(self) -> dict[str, Any]:
        """How flops were valued, as plain values; what is of the model is empty."""
        return {
            "model": PLAY,
            "odds": None,
            "fitted": {},
            "checks": [],
            "left": [],
            "by": self.by,
            "flops": self.flops,
            "lines": [line.record() for line in self.lines],
        }


def solve_by_play(preflop: Preflop, flops: str, limits: PlayLimits) -> SolvedByPlay:
    """Solve a tree with its flops, a set as of a report, which a value net ends."""
    began = perf_counter()
    preflop.game().game()  # refuses what is too large
    playing = new_playing(preflop, flops, starts_for)
    done = settle(playing, preflop, limits, f"{preflop} {flops}")
    return SolvedByPlay(
        charts_of(playing.street),
        playing.street,
        playing.driver.exploitability(),
        playing.driver.iteration,
        perf_counter() - began,
        [line_error(playing, node) for node in playing.gaps],
        len(playing.flops.boards.flops),
        stopped=not done,
    )


def uncharted(preflop: Preflop) -> str:
    """Why the flop values that come with the package are not those of a tree; nothing if they are.

    Sizes and depths may lie between theirs.
    """
    setting = preflop.setting
    reasons = {
        "prizes": preflop.prizes is not None,
        "a rake": bool(preflop.rake),
        "antes": setting.ante > 0,
        "a straddle": setting.straddle > 0,
        "a small blind other than half a big one": 2 * setting.small_blind != setting.big_blind,
    }
    there = [reason for reason, there in reasons.items() if there]
    if there:
        return f"they are of trees without {there[0]}"
    low, high = shipped().reach
    if not low <= setting.stack / setting.big_blind <= high:
        return f"they are of stacks from {low:g} to {high:g} big blinds"
    return ""


def solve_by_charts(preflop: Preflop, limits: PlayLimits) -> SolvedByPlay:
    """Solve a tree whose flops are worth what the values that come with the package say."""
    began, game = perf_counter(), preflop.game()
    reason = uncharted(preflop)
    if reason or not game.flop_nodes:
        raise GameError(
            f"the flop values that come along do not fit: {reason or 'no flop is seen'}"
        )
    starts = starts_for(game)
    solved = solve_valued(
        game, {line: start.share() for line, start in starts.items()}, preflop.unit, limits
    )
    charts = charts_of(solved.street)
    return SolvedByPlay(
        charts,
        solved.street,
        solved.exploitability,
        solved.iterations,
        perf_counter() - began,
        [_known_error(charts, node, starts[game.tree.line(node)]) for node in game.flop_nodes],
        shipped().flops,
        stopped=solved.stopped,
        by=BY_CHARTS,
    )


class ValuedStreet(NamedTuple):
    """A tree whose flops are worth given shares of their pots."""

    street: PreflopStreet
    exploitability: float  # chips, or of the prizes
    iterations: int
    stopped: bool  # by Ctrl-C, before the end


def solve_valued(
    game: PreflopGame,
    shares: Mapping[str, Floats],
    unit: float = 1.0,
    limits: PlayLimits | None = None,
) -> ValuedStreet:
    """Solve a tree whose lines, by name, are worth shares [169, 169] of the pot."""
    limits = limits or PlayLimits()
    game.game()  # refuses what is too large
    street = PreflopStreet(game)
    street.value_flops(shares)
    driver = Driver(street, SCHEMES[METHOD])
    target = Limits(
        target_units=_target(limits, CHARTS_TARGET) * unit,
        iterations=MOST_ITERATIONS,
        seconds=limits.seconds,
        keep_on_interrupt=True,
    )
    with one_blas_thread():
        trace, reason = run(driver, driver.exploitability, target, every=LOOK)
    return ValuedStreet(street, trace[-1].exploitability, driver.iteration, reason == "interrupted")


def charts_of(street: PreflopStreet) -> PreflopCharts:
    """What was solved, flops worth what they are worth by now."""
    return PreflopCharts(street.preflop, street.preflop.game(), street.profile())


def _known_error(charts: PreflopCharts, node: int, start: LineStart) -> LineError:
    """The error of a line whose flops are worth what comes with the package."""
    game, unit = charts.preflop, charts.preflop.setting.big_blind
    one, two = charts.coming(node)
    dealt = one[:, None] * class_matchups().chance * two
    return LineError(
        game.tree.line(node),
        float(dealt.sum()),
        game.pot(node) / unit,
        float((dealt * game.share(node)).sum() / max(dealt.sum(), LEAST)),
        start.gap,
        start.uncertain,
        start.net,
        start.between,
    )


def new_playing(
    preflop: Preflop, flops: str, known: Callable[[PreflopGame], Mapping[str, LineStart]]
) -> Playing:
    """A tree that begins with what is known of trees near it."""
    game = preflop.game()
    if not game.flop_nodes:
        raise GameError("no line sees a flop with chips behind: there is nothing to play")
    starts = known(game)
    boards = report_flops(flops, any_spot())
    lines = FlopLines(game, FlopSet(boards, processors()), shipped_net())
    if flops == SMALL_SET:
        for node in game.flop_nodes:
            start = starts.get(game.tree.line(node))
            if start is not None:
                pot = game.pot(node) / game.setting.big_blind
                lines.known[node] = Known(start.too_kind(), start.uncertain / pot)
    playing = Playing(game, lines)
    playing.begin({line: start.share() for line, start in starts.items()})
    return playing


def settle(playing: Playing, preflop: Preflop, limits: PlayLimits, key: str = "") -> bool:
    """Rounds until they stand still or a limit ends them; whether they were not stopped."""
    began = perf_counter()
    _go_on(playing, limits.state, key)
    with noticed() as stop:
        while not stop.is_set():
            playing.round()
            progress = _progress(playing, preflop)
            limits.observe(progress)
            _write_down(playing, limits.state, key)
            if (
                (_settled(progress, limits) and progress.finished >= LEAST_ROUNDS)
                or playing.rounds >= limits.rounds
                or (limits.seconds is not None and perf_counter() - began >= limits.seconds)
            ):
                return True
            if limits.halt():
                break
    return False


def _settled(progress: Progress, limits: PlayLimits) -> bool:
    found, target = progress.figures, _target(limits, TARGET)
    return found[GAP] <= SETTLED and found[EXPLOITABILITY] <= target


def _target(limits: PlayLimits, usual: float) -> float:
    return usual if limits.target is None else limits.target


def _progress(playing: Playing, preflop: Preflop) -> Progress:
    """How far play is, by its figures: exploitability, in big blinds or of the prizes, and gap."""
    often = [abs(gap.mean) for gap in playing.gaps.values() if gap.frequency >= OFTEN]
    exploitability = playing.driver.exploitability() / preflop.unit
    gap = max(often, default=0.0) / preflop.setting.big_blind  # the largest of lines taken often
    text = f"exploitability {exploitability:.3g}, pots of flops within {gap:.3g} big blinds of play"
    figures = {EXPLOITABILITY: exploitability, GAP: gap}
    return Progress("round", playing.rounds, text=text, figures=figures)


def line_error(playing: Playing, node: int) -> LineError:
    """A line's error in big blinds, as last measured."""
    game, gap = playing.preflop, playing.gaps[node]
    unit = game.setting.big_blind
    pot = game.pot(node) / unit
    return LineError(
        game.tree.line(node),
        gap.frequency,
        pot,
        gap.share,
        gap.mean / unit,
        gap.uncertain / unit,
        NET_ERROR * pot,
        classes=gap.classes / unit,
    )


def _go_on(playing: Playing, state: Path | None, key: str) -> None:
    """Take up what a stopped run wrote down."""
    if state is None:
        return
    check_place(state)
    if state.exists():
        record, arrays = load(state, KIND)
        check_same(state, record, {"tree": key})
        playing.rounds = int(record["rounds"])
        playing.restore(arrays)


def _write_down(playing: Playing, state: Path | None, key: str) -> None:
    if state is not None:
        save(state, KIND, {"tree": key, "rounds": playing.rounds}, playing.state())
