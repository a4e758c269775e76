"""What `endspiel preflop` solves and prints: trees before the flop, and flops after them."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from endspiel.cli.progress import Reporter
from endspiel.errors import EndspielError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endspiel.batch.preflop_flops import FlopCheck, FlopSolver
    from endspiel.batch.preflop_solve import Preflop
    from endspiel.betting.prizes import PrizeMap
    from endspiel.games.preflop_charts import PreflopCharts
    from endspiel.games.preflop_tree import PreflopGame, PreflopSetting
    from endspiel.preflop.certified import CertifiedCharts
    from endspiel.preflop.solving import SolvedByPlay

OFTEN = 0.05  # lines that see a flop at least so often are solved where flops are
FLOP_BETS, FLOP_RAISES = "66%", "a"
FLOP_TARGET = 0.01  # share of the pot
CHARTS, NET, ENGINE, MODEL = "charts", "net", "engine", "model"  # what values flops
PLAY_FLOPS, ALL = "25", "all"
SHOWN = 0.001  # of hands: lines whose error is printed
SHOWN_SHARE = 0.005  # of a class: actions that none takes so often have no chart printed


@dataclass(frozen=True)
class FlopsAsked:
    """What values flops and on which of them, and where the spot of a line goes."""

    flops: str | None
    given: str | None  # what values them, if that was said
    line: str | None
    board: str | None
    spot_out: Path | None
    state: Path | None = None  # of a run by play
    certify: bool = False
    device: str = "cpu"
    rounds: int = 1  # of certificates

    def check(self, game: "PreflopGame") -> None:
        """Refuse options that lack others, and what cannot be shown or solved, before the work."""
        if self.spot_out is not None and (self.line is None or self.board is None):
            raise EndspielError("--spot-out needs --line and --board: which flop to write")
        if self.spot_out is None and self.board is not None:
            raise EndspielError("--board is of --spot-out: where to write the spot")
        if self.spot_out is not None:
            self.flop()
        by = self.given or NET
        if by not in (CHARTS, NET, ENGINE, MODEL):
            raise EndspielError(
                f"flops are valued by charts, net, engine or model, not {by[:20]!r}"
            )
        if by == ENGINE and self.flops is None:
            raise EndspielError("--flops-by engine needs --flops: which to solve to the river")
        if self.certify:
            self._check_certify(game, by)
        elif self.device != "cpu":
            raise EndspielError("--device is of --certify")
        elif self.rounds > 1:
            raise EndspielError("--rounds is of --certify")
        if by in (CHARTS, MODEL) and self.flops is not None and not self.certify:
            raise EndspielError(f"--flops-by {by} solves no flops: leave out --flops")
        if by != NET and self.state is not None and not self.certify:
            raise EndspielError("--resume is of --flops-by net and of --certify")
        if self.line is not None:
            game.tree.find(self.line)
        if self.flops is not None:
            from endspiel.batch.boards import report_flops
            from endspiel.batch.preflop_flops import any_spot

            report_flops(self.flops, any_spot())

    def _check_certify(self, game: "PreflopGame", by: str) -> None:
        from endspiel.solving.devices import check_device

        check_device(self.device)
        if by not in (CHARTS, NET):
            raise EndspielError(f"--certify is of charts by play, not of --flops-by {by}")
        if game.prizes is not None or game.rake:
            raise EndspielError("--certify is of games without rake and prizes")
        if not game.flop_nodes:
            raise EndspielError(
                "--certify solves flops and no line of this tree sees one: its exploitability is "
                "exact already"
            )

    def by(self, preflop: "Preflop") -> str:
        """What values flops: charts where they fit and nothing says that flops are to be played."""
        from endspiel.preflop.whole import usual_values

        plays = not self.certify and (self.flops is not None or self.state is not None)
        return self.given or (NET if plays else usual_values(preflop))

    def flop(self) -> tuple[int, ...]:
        """The flop of the spot that is written."""
        from endspiel.cards.text import parse_board

        board = tuple(parse_board(self.board or ""))
        if len(board) != 3:
            raise EndspielError(f"--board {self.board!r} has {len(board)} cards; a flop has three")
        return board


@dataclass(frozen=True)
class PrizesAsked:
    """Prizes and stacks as typed: of the others, and of both players where they differ."""

    prizes: str | None
    others: str
    stacks: str | None
    big_blind: float  # the unit of the stacks typed is the same

    def table(self, setting: "PreflopSetting") -> "PrizeMap | None":
        """What chips are worth, or None where chips are chips."""
        from endspiel.batch.preflop_solve import prize_map

        if self.prizes is None and (self.others or self.stacks):
            raise EndspielError("--others and --stacks are of prizes: give --prizes too")
        if self.prizes is not None and not _numbers("--prizes", self.prizes):
            raise EndspielError("--prizes names no prize, as 50,30,20 does")
        others, stacks = (
            [chips / self.big_blind for chips in _numbers(option, text or "")]
            for option, text in (("--others", self.others), ("--stacks", self.stacks))
        )
        return prize_map(_numbers("--prizes", self.prizes or ""), others, stacks, setting)


def _numbers(option: str, text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise EndspielError(f"{option} is numbers with commas, not {text[:40]!r}") from None


def solve_full(
    preflop: "Preflop", method: str | None, target: float | None, asked: FlopsAsked
) -> dict[str, Any]:
    """Solve the tree, its flops valued as asked for."""
    first = preflop.game()
    asked.check(first)
    by = asked.by(preflop)
    if by in (CHARTS, NET) and first.flop_nodes:
        return _solve_by_play(preflop, method, target, asked)
    return _solve_by_model(preflop, method, target, asked)


def _solve_by_play(
    preflop: "Preflop", method: str | None, target: float | None, asked: FlopsAsked
) -> dict[str, Any]:
    """Solve the tree with its flops, a value net at their end, or with what charts say of them."""
    from endspiel.batch.preflop_solve import preflop_record
    from endspiel.preflop import solving

    if method not in (None, solving.METHOD):
        raise EndspielError(f"such a tree is solved by {solving.METHOD}: leave out --method")
    if asked.by(preflop) == CHARTS:
        found = solving.solve_by_charts(preflop, solving.PlayLimits(target))
    else:
        flops, state = (None, None) if asked.certify else (asked.flops, asked.state)
        with Reporter().live() as reporter:
            limits = solving.PlayLimits(target, state=state, observe=reporter)
            found = solving.solve_by_play(preflop, flops or PLAY_FLOPS, limits)
    certified = {}
    if asked.certify and not found.stopped:
        best = _certified(preflop, found, asked)
        found, certified = best.found, best.record()
    if asked.spot_out is not None:
        _write_spot(found.charts, asked)
    record = preflop_record(preflop, found.charts, found, found.flop_value(), found.error)
    return record | certified | {"stopped": found.stopped}


def _certified(preflop: "Preflop", found: "SolvedByPlay", asked: FlopsAsked) -> "CertifiedCharts":
    """The exploitability of a solved tree with its flops solved to the river, round by round."""
    from endspiel.batch.boards import report_flops
    from endspiel.batch.preflop_flops import any_spot
    from endspiel.batch.running import BatchSetting
    from endspiel.preflop.certified import certify_rounds
    from endspiel.preflop.flop_lines import FlopSet
    from endspiel.preflop.solved_flops import SolvedFlops
    from endspiel.processors import processors
    from endspiel.solving.devices import CPU

    usual = PLAY_FLOPS if asked.device == CPU else ALL
    boards = FlopSet(report_flops(asked.flops or usual, any_spot()), processors())
    setting = BatchSetting(None, asked.device, asked.state)
    with Reporter().live() as reporter:
        flops = SolvedFlops(found.street.preflop, boards, setting, reporter)
        return certify_rounds(preflop, found, flops, asked.rounds, reporter)


def _solve_by_model(
    preflop: "Preflop", method: str | None, target: float | None, asked: FlopsAsked
) -> dict[str, Any]:
    """Solve the tree by the model; where flops are asked for, again with the odds they give."""
    from endspiel.batch.preflop_flops import FlopCheck
    from endspiel.batch.preflop_solve import (
        TARGET,
        model_value,
        preflop_record,
        solve_preflop,
        usual_method,
    )
    from endspiel.engine.limits import Limits

    method = method or usual_method(preflop)
    limits = Limits(target_units=(TARGET if target is None else target) * preflop.unit)
    charts, solution = solve_preflop(preflop.game(), method, limits)
    rounds = list[list[FlopCheck]]()
    if asked.given == ENGINE:
        rounds.append(_check(charts, asked.flops or ""))
        odds = {check.line: check.fitted for check in rounds[-1]}
        charts, solution = solve_preflop(preflop.game(odds), method, limits)
    if asked.spot_out is not None:
        _write_spot(charts, asked)
    error = None if charts.preflop.flop_nodes else 0.0
    return preflop_record(preflop, charts, solution, model_value(charts, rounds), error)


def _check(charts: "PreflopCharts", flops: str) -> list["FlopCheck"]:
    """Solve the flops of every line that is taken often to the river."""
    from endspiel.batch.preflop_flops import check_line
    from endspiel.betting.menu import Sizing, StreetMenu

    menu = StreetMenu.parse(FLOP_BETS, FLOP_RAISES)
    sizing = Sizing((None, menu, menu, menu), max_raises=2)
    found = []
    for node in charts.preflop.flop_nodes:
        if charts.frequency(node) >= OFTEN:
            with _by_engine() as solver:
                found.append(check_line(charts, node, flops, sizing, solver))
    return found


@contextmanager
def _by_engine() -> "Iterator[FlopSolver]":
    """Flops solved to the river, with their progress."""
    from endspiel.batch.planning import SpotMethod
    from endspiel.batch.preflop_flops import EngineFlops
    from endspiel.batch.running import BatchSetting
    from endspiel.engine.limits import Limits
    from endspiel.solving.spots import SpotOptions

    how = SpotMethod(None, SpotOptions(1), Limits(FLOP_TARGET))
    with Reporter().live() as reporter:
        yield EngineFlops(how, BatchSetting(None, "cpu", None), reporter)


def _write_spot(charts: "PreflopCharts", asked: FlopsAsked) -> None:
    from endspiel.betting.menu import Sizing, StreetMenu

    assert asked.line is not None
    assert asked.spot_out is not None
    menu = StreetMenu.parse("50%, 100%", "60%")
    spot = charts.spot(charts.node(asked.line), asked.flop(), Sizing((None, menu, menu, menu)))
    spot.save(asked.spot_out)


def show_full(result: dict[str, Any], line: str | None) -> None:
    """The nodes with their frequencies, and the charts of one of them."""
    import numpy as np

    from endspiel.cards.classes import class_names, format_grid
    from endspiel.cards.deck import NUM_RANKS

    shown = line or ""
    nodes = {chart["line"]: chart for chart in result["charts"]}
    typer.echo(f"Before the flop with {result['stack']:g} big blinds, by {result['method']}")
    for chart in result["charts"]:
        if chart["reach"] > 0:
            parts = zip(chart["names"], chart["frequencies"], strict=True)
            text = ", ".join(f"{name} {100 * share:.1f}%" for name, share in parts)
            where = f"after {chart['line']!r}" if chart["line"] else "first"
            typer.echo(f"  {chart['player']} {where} ({100 * chart['reach']:.1f}%): {text}")
    if shown in nodes:
        chart = nodes[shown]
        for at, name in enumerate(chart["names"]):
            shares = np.array([chart["classes"][one][at] for one in class_names()])
            if name != "fold" and (shares >= SHOWN_SHARE).any():
                typer.echo(f"\n{chart['player']}: {name}")
                typer.echo(format_grid(shares.reshape(NUM_RANKS, NUM_RANKS)))
    for flop in result["flops"]:
        if flop["line"] == shown:
            typer.echo(f"\nFlops after {shown!r}: pot {flop['pot']:g}, {flop['stack']:g} behind")
            for player, text in zip(("big blind", "button"), flop["ranges"], strict=True):
                typer.echo(f"{player}: {text}")
    unit = "of the prizes" if result["prizes"] else "big blinds"
    flop_value = result["flop_value"]
    where = {"none": "", "play": " where flops are worth what play gave them"}.get(
        flop_value["model"], " where flops are worth what the model says"
    )
    typer.echo(
        f"\nThe button wins {result['value']:+.6f} {unit} a hand; exploitability "
        f"{result['exploitability']:.2g}{where}"
    )
    if result["rake"]:
        typer.echo(f"The house takes {result['rake']:.6f} big blinds a hand")
    if flop_value["model"] == "play":
        _show_play(flop_value, result["error_bb"])
        if "mbb_per_hand" in result:
            _show_certificate(result)
    elif flop_value["model"] != "none":
        _show_flop_value(flop_value)


def _show_play(flop_value: dict[str, Any], error: float) -> None:
    """What play gave each line that is taken now and then, and how wrong that may be."""
    typer.echo(f"\nFlops were played on {flop_value['flops']} boards, {flop_value['by']}:")
    for line in sorted(flop_value["lines"], key=lambda line: -float(line["frequency"])):
        if line["frequency"] >= SHOWN:
            typer.echo(
                f"  after {line['line']!r} ({100 * line['frequency']:.1f}%) the big blind gets "
                f"{100 * line['share']:.1f}% of {line['pot']:g} big blinds, to "
                f"{line['error']:.2f} big blinds (not settled {abs(line['gap']):.3f}, flops "
                f"{line['uncertain']:.3f}, net {line['net']:.3f}"
                + (f", between lines played {line['between']:.3f})" if line["between"] else ")")
            )
    typer.echo(f"Lines taken in 2% of hands or more are off by {error:.2f} big blinds at most")


def _show_certificate(result: dict[str, Any]) -> None:
    """The exploitability of the charts with their flops solved to the river."""
    typer.echo(f"\nFlops were solved to the river on {result['flops_solved']} boards:")
    for line in sorted(result["lines"], key=lambda line: -float(line["mbb_per_hand"])):
        typer.echo(
            f"  after {line['line']!r} ({100 * line['frequency']:.2f}%) to {line['gap']:.2%} of "
            f"{line['pot']:g} big blinds: {line['mbb_per_hand']:.2f} mbb a hand"
        )
    low, high = result["interval"]
    within = "exactly, on all flops" if result["exact"] else f"95%: {low:.2f} to {high:.2f}"
    typer.echo(
        f"Charts and flops together lose {result['mbb_per_hand']:.2f} mbb a hand to best responses "
        f"({within}), within these bets"
    )
    if len(result["rounds"]) > 1:
        every = ", ".join(f"{one:.2f}" for one in result["rounds"])
        typer.echo(
            f"These are the best charts of {len(result['rounds'])} rounds: {every} mbb a hand"
        )


def _show_flop_value(flop_value: dict[str, Any]) -> None:
    """How flops were valued, and how wrong that was."""
    for check in flop_value["checks"]:
        typer.echo(
            f"Flops after {check['line']!r}: the big blind gets {100 * check['solved']:.2f}% of "
            f"the pot on {check['flops']} flops {check['by']}, {100 * check['model']:.2f}% by the "
            f"model with odds {check['odds']:.3g} (wrong by {check['error']:+.3f} big blinds, "
            f"uncertain by {check['uncertain']:.3f})"
        )
    for line, odds in flop_value["fitted"].items():
        left = [check["error"] for check in flop_value["left"] if check["line"] == line]
        told = "".join(f", which leaves an error of {error:+.3f} big blinds" for error in left)
        typer.echo(f"The charts are of odds {odds:.3g} after {line!r}{told}")
    if not flop_value["checks"]:
        typer.echo(
            f"A flop is worth its equity, the button's odds times {flop_value['odds']:g}: a rough "
            "sketch; leave out --flops-by model to have flops played"
        )
