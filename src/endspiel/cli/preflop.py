"""`endspiel preflop`: heads-up push or fold, solved exactly; and whole trees before the flop."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import LEAST_UNIT, MOST_UNITS
from endspiel.cli.output import JsonOption, check_apart, quiet, write_json
from endspiel.cli.preflop_full import NET, FlopsAsked, PrizesAsked, show_full, solve_full
from endspiel.cli.rakes import rake_typed
from endspiel.errors import EndspielError, Stopped

if TYPE_CHECKING:
    from endspiel.batch.preflop_solve import Preflop
    from endspiel.games.preflop_tree import PreflopSetting

PUSH_FOLD_TARGET = 1e-6  # big blinds
RERAISES, MAX_RAISES = "3x, a", 4
MANY_BLINDS = 25  # above, players raise less than all-in: the answer is that of another game


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
            help="Of whole trees: posted by the button; the big blind begins.",
        ),
    ] = 0.0,
    opens: Annotated[
        str | None,
        typer.Option(help="Solve a whole tree with these first raises, as in 2.5x or '2x, a'."),
    ] = None,
    reraises: Annotated[str, typer.Option(help="Of whole trees: later raises.")] = "3x, a",
    max_raises: Annotated[
        int, typer.Option(min=0, max=100, help="Of whole trees: raises at most.")
    ] = 4,
    limp: Annotated[bool, typer.Option(help="Of whole trees: whether who begins may call.")] = True,
    prizes: Annotated[
        str | None,
        typer.Option(
            help="Of whole trees: prizes, as in 50,30,20; chips are worth their share of these."
        ),
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
        typer.Option(
            help="Of whole trees: the house takes this of pots that see a flop, as in 5%."
        ),
    ] = None,
    rake_cap: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=MOST_UNITS, help="With --rake: at most so much, in the stack's unit."
        ),
    ] = None,
    flops: Annotated[
        str | None,
        typer.Option(
            metavar="25|49|95|184|all|FILE",
            help="Of whole trees: the flops that are played after every line (default 25).",
        ),
    ] = None,
    flops_by: Annotated[
        str | None,
        typer.Option(
            metavar="net|engine|model",
            help="Of whole trees: flops are played with a value net at their end (the default), or "
            "worth what a formula says, set right by --flops solved to the river (engine), or "
            "not (model, a rough sketch).",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(help="Of whole trees: write every round here, and go on from it."),
    ] = None,
    line: Annotated[
        str | None,
        typer.Option(
            help="Of whole trees: the node whose charts, or ranges, are shown, as in 'r250'."
        ),
    ] = None,
    board: Annotated[str | None, typer.Option(help="With --spot-out: the flop.")] = None,
    spot_out: Annotated[
        Path | None,
        typer.Option(help="Write the spot that follows --line on --board to this .toml file."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="lp (exactly; the default of push or fold), or cfr+ (that of whole trees by "
            "model or engine), dcfr (the one by net) and the others of endspiel game."
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=MOST_UNITS,
            help="Big blinds of exploitability at which an iterative method ends (default 1e-6, "
            "of whole trees 5e-3, by model or engine 1e-3).",
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Solve heads-up push or fold: which hands the small blind moves all-in, the big blind calls.

    Prints both charts in percent, what the small blind wins a hand and the exploitability, in big
    blinds. Every pair of hands counts, with exact equities. With --opens a whole tree of raises and
    calls is solved, and the flops after it are played with a value net at their end; how wrong
    what they are worth may be is printed line by line.
    """
    check_apart({"--spot-out": spot_out, "--state": state}, json, {"--flops": flops})
    menus = (opens or "", reraises, max_raises, limp)
    if opens is not None:
        asked = FlopsAsked(flops, flops_by or NET, line, board, spot_out, state)
        from endspiel.batch.preflop_solve import CHIPS, Preflop

        posted = (stack, small_blind, ante, straddle)
        setting = _setting([round(CHIPS * x / big_blind) for x in posted], menus)
        table = PrizesAsked(prizes, others, stacks, big_blind).table(setting)
        taken = rake_typed(rake, rake_cap, CHIPS / big_blind)
        _whole(Preflop(setting, table, taken), method, target, asked, json)
        return
    of_whole = {
        "--straddle": straddle, "--flops": flops, "--line": line, "--spot-out": spot_out,
        "--prizes": prizes, "--others": others, "--stacks": stacks,
        "--rake": rake, "--rake-cap": rake_cap is not None, "--board": board,
        "--flops-by": flops_by, "--state": state, "--reraises": reraises != RERAISES,
        "--max-raises": max_raises != MAX_RAISES, "--no-limp": not limp,
    }  # fmt: skip
    for option, given in of_whole.items():
        if given:
            raise EndspielError(f"{option} is of whole trees: give --opens too")
    _push_fold((stack, ante, small_blind, big_blind), method or "lp", target, json)


def _push_fold(
    stakes: tuple[float, float, float, float], method: str, target: float | None, json: str | None
) -> None:
    """Push or fold, solved and told."""
    from endspiel.batch.preflop_solve import push_fold_record
    from endspiel.cards.classes import class_names
    from endspiel.engine.limits import Limits
    from endspiel.games.push_fold import PushFoldStakes
    from endspiel.solvers.solve import check_method

    check_method(method)
    stack, ante, small_blind, big_blind = stakes
    units = (PUSH_FOLD_TARGET if target is None else target) * big_blind
    posted = PushFoldStakes(stack, ante, small_blind, big_blind)
    result = push_fold_record(posted, method, Limits(target_units=units))
    for name, chart in zip(("push", "call"), result["charts"], strict=True):
        result[name] = {one: chart["classes"][one][1] for one in class_names()}
    write_json(json, result)
    if stack > MANY_BLINDS * big_blind:
        typer.echo(
            f"endspiel: with over {MANY_BLINDS} big blinds push or fold is far from all of poker",
            err=True,
        )
    if not quiet(json):
        _show(result)


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
    from endspiel.solvers.solve import check_method

    if method is not None:
        check_method(method)
    result = solve_full(preflop, method, target, asked)
    write_json(json, result)
    if not quiet(json):
        show_full(result, asked.line)
    if result.get("stopped"):
        kept = "" if asked.state is None else f"; {asked.state} goes on from there"
        raise Stopped(f"stopped: the charts are those of the rounds that were over{kept}")


def _show(result: dict[str, Any]) -> None:
    import numpy as np

    from endspiel.cards.classes import class_hands, class_names, format_grid
    from endspiel.cards.deck import NUM_HANDS, NUM_RANKS

    sizes = np.array([len(hands) for hands in class_hands()])
    ante = f", ante {result['ante']:g}" if result["ante"] else ""
    typer.echo(f"Push or fold with {result['stack']:g} big blinds{ante}, by {result['method']}")
    for title, key in (("Small blind pushes", "push"), ("Big blind calls", "call")):
        shares = np.array([result[key][name] for name in class_names()])  # [169]
        typer.echo(f"\n{title} {100 * shares @ sizes / NUM_HANDS:.1f}% of hands")
        typer.echo(format_grid(shares.reshape(NUM_RANKS, NUM_RANKS)))
    typer.echo(
        f"\nThe small blind wins {result['value']:+.6f} big blinds a hand; "
        f"exploitability {result['exploitability']:.2g}"
    )
