"""`endspiel preflop`: whole trees before the flop, heads-up, and flops after them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endspiel.bounds import BIG_BLINDS, LEAST_UNIT, MOST_UNITS
from endspiel.cli.output import JsonOption, check_apart, quiet, resume_option, write_json
from endspiel.cli.preflop_full import FlopsAsked, PrizesAsked, show_full, solve_full
from endspiel.cli.targets import target_option, unit_of
from endspiel.errors import EndspielError, Stopped
from endspiel.games.rakes import rake_typed

if TYPE_CHECKING:
    from endspiel.batch.preflop_solve import Preflop
    from endspiel.games.preflop_tree import PreflopSetting

MOST_ROUNDS = 20
OPENS, RERAISES, MAX_RAISES = "2x, 3x, a", "3x, a", 4  # those of the charts that come along


def preflop(
    stack: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=MOST_UNITS,
            help="The smaller stack before blinds, in big blinds or in chips.",
        ),
    ],
    ante: Annotated[
        float, typer.Option(min=0.0, max=MOST_UNITS, help="Ante of each player.")
    ] = 0.0,
    small_blind: Annotated[
        float, typer.Option(min=0.0, max=MOST_UNITS, help="The small blind.")
    ] = 0.5,
    big_blind: Annotated[
        float,
        typer.Option(
            min=LEAST_UNIT, max=MOST_UNITS, help="The big blind: 1, or chips like all the rest."
        ),
    ] = 1.0,
    straddle: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=MOST_UNITS,
            help="Straddle of the button in place of the small blind; the big blind then acts "
            "first.",
        ),
    ] = 0.0,
    opens: Annotated[
        str, typer.Option(help="First raises, as in 2.5x or '2x, a'; a is all-in.")
    ] = OPENS,
    reraises: Annotated[str, typer.Option(help="Later raises.")] = RERAISES,
    max_raises: Annotated[int, typer.Option(min=0, max=100, help="The most raises.")] = MAX_RAISES,
    limp: Annotated[bool, typer.Option(help="Let the first player limp.")] = True,
    prizes: Annotated[
        str | None,
        typer.Option(help="Prizes, as in 50,30,20; chips are worth their share of these."),
    ] = None,
    others: Annotated[
        str, typer.Option(help="With --prizes: the stacks of the others, as in 20,12.")
    ] = "",
    stacks: Annotated[
        str | None,
        typer.Option(
            help="With --prizes: the stacks of the big blind and the button, where they differ."
        ),
    ] = None,
    rake: Annotated[
        str | None,
        typer.Option(help="Rake of pots that see a flop, as in 5%."),
    ] = None,
    rake_cap: Annotated[
        float | None,
        typer.Option(min=0.0, max=MOST_UNITS, help="With --rake: its cap, in the stack's unit."),
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option(
            metavar="25|49|95|184|all|FILE",
            help="With --flops-by net or engine: the flops that are played after every line (net: "
            "25). With --certify: the flops that are solved (all on a GPU, else 25).",
        ),
    ] = None,
    flops_by: Annotated[
        str | None,
        typer.Option(
            metavar="charts|net|engine|model",
            help="Source of flop values: the shipped charts (the default where they fit the "
            "tree), play with a value net at the flop's end (net, the default elsewhere), a "
            "formula corrected by --flops solved to the river (engine), or the formula "
            "alone (model, a rough sketch).",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        resume_option(
            "File of the rounds (--flops-by net) or of solved flops (--certify)", "--state"
        ),
    ] = None,
    certify: Annotated[
        bool,
        typer.Option(
            "--certify",
            help="Solve the flops of every line to the river and print what best responses win "
            "from charts and flops together.",
        ),
    ] = False,
    device: Annotated[
        str, typer.Option(help="With --certify: where flops are solved, cpu or cuda.")
    ] = "cpu",
    rounds: Annotated[
        int,
        typer.Option(
            min=1,
            max=MOST_ROUNDS,
            help="With --certify: certificates. After each the charts are solved again with what "
            "its flops gave; the least exploitable ones are the result.",
        ),
    ] = 1,
    line: Annotated[
        str | None,
        typer.Option(help="The node whose charts, or ranges, are shown, as in 'r200' or 'r200 c'."),
    ] = None,
    board: Annotated[str | None, typer.Option(help="With --spot-out: the flop.")] = None,
    spot_out: Annotated[
        Path | None,
        typer.Option(help="Write the spot that follows --line on --board to this .toml file."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="dcfr (the one by charts and net); by model or engine cfr+, and the others of "
            "endspiel game; lp, exactly, where no flop is seen."
        ),
    ] = None,
    target: Annotated[
        float | None,
        target_option(
            BIG_BLINDS, "Stop an iterative method at this exploitability", "1mbb, by net 5mbb"
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve a heads-up tree before the flop and print the charts.

    The tree has limps, raises, calls and all-ins of every hand. The command prints each node's
    frequency and actions, the charts of one node, and the error of each line's flop values. For
    push or fold alone use endspiel pushfold.
    """
    check_apart({"--spot-out": spot_out, "--resume": resume}, json, {"--flops": flops})
    menus = (opens, reraises, max_raises, limp)
    asked = FlopsAsked(flops, flops_by, line, board, spot_out, resume, certify, device, rounds)
    from endspiel.batch.preflop_solve import CHIPS, Preflop

    posted = (stack, small_blind, ante, straddle)
    setting = _setting([round(CHIPS * x / big_blind) for x in posted], menus)
    if prizes and (unit := unit_of(target)):
        raise EndspielError(
            f"with --prizes, --target is a bare number in the prizes' unit, not one in {unit}"
        )
    table = PrizesAsked(prizes, others, stacks, big_blind).table(setting)
    taken = rake_typed(rake, rake_cap, CHIPS / big_blind)
    _whole(Preflop(setting, table, taken), method, target, asked, json)


def _setting(chips: list[int], menus: tuple[str, str, int, bool]) -> "PreflopSetting":
    from endspiel.batch.preflop_solve import CHIPS
    from endspiel.games.preflop_tree import PreflopSetting

    stack, small_blind, ante, straddle = chips
    return PreflopSetting(stack, small_blind, CHIPS, ante, straddle, *menus)


def _whole(
    preflop: "Preflop",
    method: str | None,
    target: float | None,
    asked: FlopsAsked,
    json: str | None,
) -> None:
    """A whole tree, solved and told."""
    from endspiel.solvers.methods import SMALL_GAME

    if method is not None:
        SMALL_GAME.check(method)
    result = solve_full(preflop, method, target, asked)
    write_json(json, result)
    if not quiet(json):
        show_full(result, asked.line)
    if result.get("stopped"):
        kept = "" if asked.state is None else f"; {asked.state} goes on from there"
        raise Stopped(f"stopped: the charts are those of the rounds that were over{kept}")
