"""One `solve` for everything: small games, spots on real cards, and rivers the exact way."""

from dataclasses import replace
from typing import Any, Unpack, overload

from endspiel.engine.limits import Limiting, Limits, limits_of
from endspiel.engine.schemes import USUAL, Answer
from endspiel.game import Game
from endspiel.games.holdem import Holdem
from endspiel.games.spot import Spot
from endspiel.solvers.boards.holdem import HoldemSolution
from endspiel.solvers.boards.trunk import Decomposition
from endspiel.solvers.solution import Solution
from endspiel.solving.devices import CPU
from endspiel.solving.solution import SpotSolution
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import Task


@overload
def solve(
    game: Game,
    method: str | None = None,
    *,
    limits: Limits | None = None,
    alternating: bool = True,
    answer: Answer = USUAL,
    **given: Unpack[Limiting],
) -> Solution: ...


@overload
def solve(
    game: Holdem,
    method: str | None = None,
    *,
    limits: Limits | None = None,
    options: SpotOptions | None = None,
    device: str = CPU,
    answer: Answer = USUAL,
    decompose: Decomposition | None = None,
    **given: Unpack[Limiting],
) -> HoldemSolution: ...


@overload
def solve(
    game: Spot,
    method: str | None = None,
    *,
    limits: Limits | None = None,
    options: SpotOptions | None = None,
    buckets: int | None = None,
    top: float | None = None,
    clustering: str | None = None,
    storage: int | None = None,
    device: str = CPU,
    **given: Unpack[Limiting],
) -> SpotSolution: ...


def solve(
    game: Game | Holdem | Spot,
    method: str | None = None,
    *,
    limits: Limits | None = None,
    options: SpotOptions | None = None,
    buckets: int | None = None,
    top: float | None = None,
    clustering: str | None = None,
    storage: int | None = None,
    device: str = CPU,
    alternating: bool = True,
    answer: Answer = USUAL,
    decompose: Decomposition | None = None,
    **given: Unpack[Limiting],
) -> Solution | HoldemSolution | SpotSolution:
    """Solve a game or a spot by any method: `solve(spot, "dcfr", target=0.001)`.

    A game's target is in its own units and its default method CFR+; a spot's is a share of the
    pot and its default discounted CFR, or cubic weights where a river's stakes are very deep.
    Other limits are `iterations` and `seconds`; a spot also takes `options` (threads, memory,
    locks), `storage=16` for half the memory, and `device="cuda"` for a GPU. Ctrl-C raises
    KeyboardInterrupt, unless `keep_on_interrupt` asks for the best so far. Whole hold'em, as in
    `es.load_game("limit-holdem:ranks=3")`, is in big blinds and takes threads, memory and a device;
    `decompose` gives its turns and rivers to workers, a checkpoint then is a folder.

    The solution of a game is the average strategy, or another `es.Answer`: the current one, with
    half the memory, or an average that begins later or weighs iterations otherwise.

    A river is solved exactly by `lp`: every hand by itself, or in buckets by equity as the 2015
    paper has them, with its T (`buckets`), its alpha (`top`) and a `clustering`: "equal" is the
    paper's, "occupied" has T count the intervals that hold hands, and there are "kmeans" and
    "all-hands". `exploitability` is that on real cards; the solution's `parameters` tell
    `exploitability_in_buckets` too.

    Examples:
        >>> import endspiel as es
        >>> round(es.solve(es.games.leduc(), "lp").value, 6)
        -0.085606
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> es.solve(river, target=0.003).exploitability <= 0.003  # a share of the pot
        True
    """
    asked = options or SpotOptions()
    more: dict[str, Any] = {
        "buckets": buckets, "top": top, "clustering": clustering, "storage": storage,
    }  # fmt: skip
    more = {name: value for name, value in more.items() if value is not None}
    task = Task(
        game,
        method,
        limits_of(limits, given),
        replace(asked, **more),
        device,
        alternating,
        answer,
        decompose,
    )
    return task.solve()
