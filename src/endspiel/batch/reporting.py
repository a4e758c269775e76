"""Reports for Python: one call, over flops, turns or rivers."""

from pathlib import Path
from typing import Unpack

from endspiel.batch.boards import report_flops, report_runouts
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.running import BatchSetting
from endspiel.engine.limits import Limiting, Limits, limits_of
from endspiel.errors import EndspielError
from endspiel.executor import GivenWorkers
from endspiel.games.spot import Spot
from endspiel.progress import Observe, unobserved
from endspiel.solving.spots import SpotOptions

DEFAULT_TARGET = 0.005  # share of the pot


def report(
    spot: Spot,
    method: str | None = None,
    *,
    flops: str | None = None,
    turns: str | None = None,
    rivers: str | None = None,
    node: str = "",
    options: SpotOptions | None = None,
    workers: GivenWorkers = None,
    device: str = "cpu",
    state: str | Path | None = None,
    progress: Observe = unobserved,
    **given: Unpack[Limiting],
) -> BoardReport:
    """Solve a spot's ranges and menus on many boards: frequencies, EVs and equities at a node.

    Boards are `flops` ("25", "49", "95", "184", "all" or a file), `turns` or `rivers` ("all" or
    cards). Limits hold for each board; the target is a share of the pot, 0.005 by default.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> made = es.report(river, rivers="8d 3c", iterations=50, workers=1)
        >>> [row["board"] for row in made.rows], sorted(made.mean["frequencies"])
        (['Qs Jh 2h 4c 8d', 'Qs Jh 2h 4c 3c'], ['b100', 'b300', 'c'])
    """
    asked = {"flop": flops, "turn": turns, "river": rivers}
    named = [(street, text) for street, text in asked.items() if text is not None]
    if len(named) != 1:
        raise EndspielError("a report is over flops, turns or rivers: give one of the three")
    ((street, text),) = named
    boards = report_flops(text, spot) if street == "flop" else report_runouts(text, spot, street)
    limits = limits_of(Limits(), given).or_target(DEFAULT_TARGET)
    how = SpotMethod(method, options or SpotOptions(), limits)
    setting = BatchSetting(workers, device, None if state is None else Path(state))
    made = BoardReport(spot, boards, how, setting, node)
    made.run(progress)
    return made
