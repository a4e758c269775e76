"""A report: one set of ranges and menus solved on many boards, and the mean over them.

For each board and a node of the first street: how often each action is taken, what both players
expect (EV, in chips, of the pot at the node), their equities, and how much of its equity each
realizes (EQR, EV over equity times pot).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from endspiel.batch.boards import WeightedBoard, board_symmetry, range_symmetry
from endspiel.batch.carried import CarriedSolution
from endspiel.batch.planning import SpotMethod
from endspiel.batch.running import BatchSetting, FinishedSpot, SpotBatch
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.equity import equities
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cards.streets import BOARD_CARDS, STREETS
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import find_place
from endspiel.games.spot import Spot
from endspiel.progress import Observe, unobserved
from endspiel.solving.solution import SpotSolution
from endspiel.solving.streams import RootRun

Row = dict[str, Any]
SLACK = 1.05  # boards of as many hands differ by a few percent in what later cards leave


class BoardReport:
    """A report while it is made: `run` it, then see `rows`, `mean` and `failures`.

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
        >>> made = es.report(river, rivers="8d", iterations=20, workers=1)
        >>> type(made) is es.BoardReport, len(made.rows), made.failures
        (True, 1, [])
    """

    def __init__(
        self,
        spot: Spot,
        boards: Sequence[WeightedBoard],
        how: SpotMethod,
        setting: BatchSetting,
        node: str = "",
        sink: "SolutionSink | None" = None,
    ) -> None:
        if "/" in node:
            raise EndspielError(f"a report's node comes before any card is dealt, not {node!r}")
        self.spot, self.boards = spot, tuple(boards)
        self.node = " ".join(node.split())
        self.kind = f"{STREETS[BOARD_CARDS.index(len(self.boards[0].cards))]}s"
        self.spots = [_on_board(spot, board) for board in self.boards]
        largest = how.prepare(self.spots[self._largest()])
        find_place(largest.game, self.node)
        self._bound = int(SLACK * largest.memory_bytes)
        how = replace(how, wanted=f"report {self.node}")
        keeper = _RowKeeper(self.node) if sink is None else _SavingKeeper(self.node, sink)
        self.batch = SpotBatch(how, setting, keeper)

    def run(self, observe: Observe = unobserved) -> None:
        """Solve every board that the state does not have; Ctrl-C raises, and keeps what is done."""
        names = [board.name for board in self.boards]
        self.batch.run(self.spots, names, observe, self._bound, self.kind)

    def _largest(self) -> int:
        """Number of the board whose solve takes the most memory, or about as much.

        Solves grow with the hands that the board leaves and shrink with its symmetries.
        """
        keeping = range_symmetry(self.spot)
        hands = [np.count_nonzero(spot.weights) for spot in self.spots]
        folds = [len(board_symmetry(board.cards, keeping)) for board in self.boards]
        return int(np.argmax(np.array(hands) / np.array(folds)))

    @property
    def rows(self) -> list[Row]:
        """One row a board that is solved, in the order given."""
        return [
            {"board": board.name, "weight": board.weight, **one.record}
            for board, one in self._done()
            if not one.error
        ]

    @property
    def failures(self) -> list[dict[str, str]]:
        """The boards that could not be solved, and why."""
        return [{"board": b.name, "error": one.error} for b, one in self._done() if one.error]

    def _done(self) -> list[tuple[WeightedBoard, FinishedSpot]]:
        results = self.batch.results or [None] * len(self.boards)
        both = zip(self.boards, results, strict=True)
        return [(board, one) for board, one in both if one is not None]

    def _repr_html_(self) -> str:
        """The boards that are solved and their mean, as a notebook shows them."""
        from endspiel.batch.report_files import table_html

        return table_html(self.rows, self.mean, "board") if self.rows else "<p>No board yet.</p>"

    @property
    def mean(self) -> Row:
        """The mean over the boards by their weights."""
        return mean_row(self.rows, lambda row: float(row["weight"]))

    @property
    def mean_dealt(self) -> Row:
        """The mean over all deals that get to the node: boards that the hands make rare weigh less.

        The weight of a board is then its own times that of the pairs of hands it leaves, times how
        often these get to the node.
        """
        return mean_row(self.rows, lambda row: row["weight"] * row["pairs"] * row["reach"])


@dataclass(frozen=True)
class _RowKeeper:
    """Makes a row of each solution and lets the solution go."""

    job: ClassVar = "report"
    by_hand: ClassVar = False
    node: str

    @property
    def finish(self) -> Callable[[SpotSolution], Row]:
        """What makes a row of a solution."""
        return partial(report_row, node=self.node)

    @property
    def finish_root(self) -> Callable[[RootRun], Row] | None:
        """What makes a row of the root, if that is the node."""
        return None if self.node else root_row

    def keep(self, name: str, key: str, found: Row) -> Row:
        """The row is the record."""
        return found

    def has(self, name: str, key: str) -> bool:
        """Whether the row is all that is wanted, which it is."""
        return True

    def check(self, sizes: list[int]) -> None:
        """Rows take no memory to speak of."""


class SolutionSink(Protocol):
    """Where the solutions of a report's boards are stored."""

    def path(self, key: str) -> Path:
        """The file of a board's solution, by the hash of what was asked."""

    def stored(self, name: str, key: str, solution: SpotSolution) -> None:
        """Note that the file of a board is there."""

    def check(self, sizes: list[int]) -> None:
        """Refuse a report whose files do not fit; the sizes are the bytes that each solve takes."""


@dataclass(frozen=True)
class _SavingKeeper:
    """Makes a row of each solution and stores the solution."""

    job: ClassVar = "report"
    by_hand: ClassVar = False
    node: str
    sink: SolutionSink

    @property
    def finish(self) -> Callable[[SpotSolution], tuple[Row, CarriedSolution]]:
        """What makes a row of a solution, and takes the solution along."""
        return partial(_carried_row, node=self.node)

    @property
    def finish_root(self) -> None:
        """A solution is more than its root."""
        return None

    def keep(self, name: str, key: str, found: tuple[Row, CarriedSolution]) -> Row:
        """Store the solution; the row names its file."""
        row, carried = found
        path = self.sink.path(key)
        carried.save(path)
        self.sink.stored(name, key, carried.solution)
        return row | {"solution": path.stem}

    def has(self, name: str, key: str) -> bool:
        """Whether the solution is still there."""
        return self.sink.path(key).is_file()

    def check(self, sizes: list[int]) -> None:
        """Refuse what the disk has no space for."""
        self.sink.check(sizes)


def _carried_row(solution: SpotSolution, node: str) -> tuple[Row, CarriedSolution]:
    return report_row(solution, node), CarriedSolution(solution)


def _on_board(spot: Spot, board: WeightedBoard) -> Spot:
    """A spot with these ranges and menus on another board."""
    try:
        return replace(spot, board=board.cards)
    except EndspielError as error:
        raise type(error)(f"on {board.name}: {error}") from error


def report_row(solution: SpotSolution, node: str = "") -> Row:
    """A report's figures of one board's solution at a node."""
    view = solution.view(node)
    seen = _Seen(
        view.player,
        view.pot,
        dict(zip(view.actions, view.frequencies.tolist(), strict=True)),
        solution.evs_at(view),
        view.mean(view.equity),
        float(view.reach @ view.met),
    )
    return _row(solution, solution.game, seen)


def root_row(found: RootRun) -> Row:
    """The figures of a spot's root, without the boards that follow: no rake is taken there."""
    game = found.task.game
    tree, place = game.betting, find_place(game, "")
    ranges = [np.zeros(NUM_HANDS) for _ in range(2)]
    for player, held in enumerate(ranges):
        hands = place.hands(game, player)
        held[hands] = game.tree.ranges[player][hands]
    hands, against = place.hands(game, place.player), ranges[1 - place.player]
    both = ranges[place.player][hands] * exact_unblocked_weight(against)[hands]
    weight = both / both.sum()
    pot = tree.pot + int(tree.spent[place.node].sum())
    equity = equities(against, list(place.cards))[hands]
    frequencies = zip(tree.words(place.node), (found.shares @ weight).tolist(), strict=True)
    seen = _Seen(
        place.player,
        pot,
        dict(frequencies),
        (pot * (0.5 + found.value), pot * (0.5 - found.value)),
        float(equity[weight > 0] @ weight[weight > 0]),
        float(both.sum()),
    )
    return _row(found, game, seen)


class _Seen(NamedTuple):
    """A node's figures for a report."""

    player: int
    pot: int
    frequencies: dict[str, float]
    evs: tuple[float, float]
    equity: float  # of the player who decides
    met: float  # pairs of hands that get here, weighted


def _row(solved: SpotSolution | RootRun, game: CardGame, seen: _Seen) -> Row:
    equity = seen.equity
    both = [equity, 1.0 - equity] if seen.player == 0 else [1.0 - equity, equity]
    return {
        "exploitability": solved.exploitability,
        "frequencies": {word: _known(share) for word, share in seen.frequencies.items()},
        "evs": [_known(value) for value in seen.evs],
        "equities": [_known(value) for value in both],
        "eqrs": _realized(seen.evs, both, seen.pot),
        "player": seen.player,
        "pot": seen.pot,
        "pairs": game.pairs,
        "reach": seen.met / game.pairs,
        "iterations": solved.iterations,
        "seconds": solved.seconds,
        "stopped": solved.stopped,
    }


def mean_row(rows: Sequence[Row], weight: Callable[[Row], float]) -> Row:
    """Weighted means of what the rows tell; of EQR, that of the mean EV and the mean equity."""

    def mean(values: Sequence[float | None]) -> float | None:
        known = [
            (weight(row), value)
            for row, value in zip(rows, values, strict=True)
            if value is not None
        ]
        total = sum(share for share, _ in known)
        return sum(share * value for share, value in known) / total if total > 0 else None

    if not rows:
        return {}
    evs, equities = (
        [mean([row[name][player] for row in rows]) for player in (0, 1)]
        for name in ("evs", "equities")
    )
    known = None not in evs and None not in equities
    return {
        "exploitability": mean([row["exploitability"] for row in rows]),
        "frequencies": {
            word: mean([row["frequencies"][word] for row in rows])
            for word in rows[0]["frequencies"]
        },
        "evs": evs,
        "equities": equities,
        "eqrs": _realized(evs, equities, rows[0]["pot"]) if known else [None, None],
    }


def _realized(evs: Sequence[Any], equities: Sequence[Any], pot: float) -> list[float | None]:
    """What each player expects over what the equity alone would give."""
    return [
        _known(ev / (equity * pot)) if equity > 0 else None
        for ev, equity in zip(evs, equities, strict=True)
    ]


def _known(value: float) -> float | None:
    return None if value != value else float(value)
