"""The strategy file: a trained strategy with all that is needed to play it.

One file holds the rules, the betting model and its tree, the card abstraction, the strategy of
both players in a few bits a row (see ``quantize``), and how it was trained. It is mapped into
memory: opening takes the time of checking all of it, some 70 ms for 19 MB, a row microseconds.
Probabilities are read as they are stored, purified, or without small ones (``Blueprint.played``).
"""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from endspiel import files
from endspiel.abstraction.abstraction import STREETS, Abstraction, of_arrays
from endspiel.abstraction.checked import check_arrays
from endspiel.abstraction.features import DEAD
from endspiel.abstraction.plan import Plan
from endspiel.betting.limit import limit_tree
from endspiel.betting.model import BettingModel, format_model, parse_model
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.blueprint.checked_file import (
    check_game,
    check_record,
    read_levels,
    read_rows,
    read_tree,
)
from endspiel.blueprint.encode import Strategy, encode_strategy
from endspiel.blueprint.file_layout import (
    DEFAULT_BITS,
    FileLayout,
    lay_out,
    tree_arrays,
)
from endspiel.blueprint.flop_book import FLOP, FlopBook
from endspiel.blueprint.gifts import Gifts, pack_gifts
from endspiel.blueprint.played_points import PlayedPoints
from endspiel.blueprint.quantize import FINEST, PADDING, TABLE_BITS, unpack
from endspiel.cards.deck import NUM_HANDS
from endspiel.checking import take
from endspiel.engine.limits import TracePoint
from endspiel.errors import EndspielError, FileError, GameError
from endspiel.game.post import Post
from endspiel.kernels.arrays import Floats, Ints, UInt16s
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef, format_game, parse_game

KIND: Final = "blueprint"
DEFAULT_FILE: Final = "default.blueprint"
DEFAULT_LIMIT_FILE: Final = "limit.blueprint"
SHIPPED: Final = ("nolimit-holdem", "limit-holdem")  # games whose blueprint goes by their name
BOARDS_KEPT: Final = 256  # whose buckets are remembered: 2.6 kB each


class Blueprint:
    """A strategy file, mapped into memory.

    Examples:
        >>> import endspiel as es
        >>> blueprint = es.load_blueprint()
        >>> blueprint.sizes, blueprint.tree.words(0)
        ((8, 96, 384, 1536), ['f', 'c', 'r300', 'r500', 'r20000'])
    """

    def __init__(
        self, path: Path, record: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> None:
        check_record(record)
        self.path = path
        self.record = record
        self.post = Post()
        self.book: FlopBook | None = None  # flops that `hands` has from elsewhere
        self._arrays = arrays
        self.game: GameDef = parse_game(record["game"]["text"], record["game"]["name"])
        check_game(self.game)
        cards = check_arrays(record["abstraction"], _part(arrays, "abstraction"))
        self.plan: Plan = cards.plan
        self.sizes: tuple[int, ...] = cards.sizes  # buckets by street
        self.training: dict[str, Any] = record["training"]
        text = record["model"]
        # None for a limit game.
        self.model: BettingModel | None = None if text is None else parse_model(text, "its model")
        self.tree: BettingTree = read_tree(_part(arrays, "tree"))
        levels = read_levels(arrays, self.tree)
        self.layout: FileLayout = lay_out(self.tree, self.sizes, levels)
        self._tables = PlayedPoints(self.layout, self.post)
        self._codes, self._fine = read_rows(arrays, self.tree, self.layout)
        self.gifts = self._read_gifts()
        self._fine_rows: dict[int, Floats] = {}  # by node, as they are played
        self._stream = self._codes.data
        self._boards: OrderedDict[tuple[int, ...], UInt16s] = OrderedDict()
        self._loaded: list[Abstraction] = []  # shared with what ``played`` gives

    @property
    def abstraction(self) -> Abstraction:
        """The card abstraction, compact; read when it is first asked for."""
        if not self._loaded:
            parts = _part(self._arrays, "abstraction")
            try:
                self._loaded.append(of_arrays(self.record["abstraction"], parts))
            except EndspielError as error:
                raise FileError(f"{self.path} is no whole blueprint: {error}") from error
        return self._loaded[0]

    @property
    def exploitability(self) -> float:
        """Big blinds a hand inside the abstraction, mean of both players' gains; NaN if unknown."""
        found = self.training.get("exploitability")
        return float("nan") if found is None else float(found)

    @property
    def trace(self) -> tuple[TracePoint, ...]:
        """Exploitability during training, in big blinds a hand."""
        return tuple(TracePoint(*point) for point in self.training.get("trace", ()))

    def played(self, post: Post) -> "Blueprint":
        """A copy of the strategy, read with a post-processing."""
        other = copy(self)
        other.post = post
        other._tables = PlayedPoints(self.layout, post)
        other._fine_rows = {}
        return other

    def with_book(self, folder: str | Path) -> "Blueprint":
        """A copy with `hands` on flops by a book where it has them; rows by bucket stay."""
        other = copy(self)
        other.book = FlopBook(Path(folder), self.verify(), self.tree)
        return other

    def row(self, node: int, bucket: int) -> Floats:
        """Probabilities of the actions at a decision for one bucket: [A], read-only."""
        row: Floats
        bits_at, bits, grids, counts = self._lists
        if not 0 <= bucket < counts[node]:
            raise GameError(self._no_row(node, bucket))
        if grids[node] < 0:
            row = self._read_fine(node)[bucket]
            return row
        at = bits_at[node] + bucket * bits[node]
        word = int.from_bytes(self._stream[at >> 3 : (at >> 3) + PADDING], "little")
        code = word >> (at & 7) & (1 << bits[node]) - 1
        if bits[node] <= TABLE_BITS:
            table, tied = self._tables[grids[node]]
            if tied is None or not tied[code]:
                row = table[code]
                return row
        elif self.post.kind == "none":
            return self.layout.grids[grids[node]].point(code)
        number = int(self.layout.row_at[node]) + bucket
        row = self._read(grids[node], np.array([code]), np.array([number]))[0]
        return row

    def rows(self, node: int) -> Floats:
        """Probabilities of the actions at a decision for all buckets of its street: [A, K]."""
        self._check_decision(node)
        layout, which = self.layout, int(self.layout.grid_of[node])
        if which < 0:
            return self._read_fine(node).T
        bits, count = int(layout.bits[node]), int(layout.num_rows[node])
        codes = unpack(self._codes, layout.bit_at[node] + bits * np.arange(count), bits)
        return self._read(which, codes, layout.row_at[node] + np.arange(count)).T

    def many(self, nodes: Ints, buckets: Ints) -> Floats:
        """Rows of many decisions [N] and buckets [N]: [N, most actions], 0 past a row's own."""
        layout = self.layout
        nodes, buckets = np.asarray(nodes, np.int64), np.asarray(buckets, np.int64)
        bad = ~((buckets >= 0) & (buckets < layout.num_rows[nodes]))
        if bad.any():
            at = int(np.argmax(bad))
            raise GameError(self._no_row(int(nodes[at]), int(buckets[at])))
        bits = layout.bits[nodes]
        codes = unpack(self._codes, layout.bit_at[nodes] + buckets * bits, bits)
        of = layout.grid_of[nodes]
        out = np.zeros((len(nodes), int(self.tree.num_children[nodes].max(initial=0))))
        for node in np.unique(nodes[of < 0]).tolist():
            inside = np.flatnonzero(nodes == node)
            out[inside, : self.num_actions(node)] = self._read_fine(node)[buckets[inside]]
        for which in np.unique(of[of >= 0]).tolist():
            inside = np.flatnonzero(of == which)
            numbers = layout.row_at[nodes[inside]] + buckets[inside]
            rows = self._read(which, codes[inside], numbers)
            out[inside, : rows.shape[1]] = rows
        return out

    def hands(self, node: int, board: Sequence[int]) -> Floats:
        """Probabilities of the actions for every hand on a board: [A, 1326], 0 for dead hands.

        The board is that of the decision's street; further cards are ignored.
        """
        self._check_decision(node)
        size = self.game.board_sizes[int(self.tree.street[node])]
        booked = self.in_book(node, board)
        if booked is not None:
            played: Floats = self.post.rows(booked.T, np.arange(NUM_HANDS)).T
            return played * booked.any(axis=0)
        buckets = self.buckets(tuple(board)[:size])
        live = buckets != DEAD
        out = np.zeros((self.num_actions(node), NUM_HANDS))
        out[:, live] = self.rows(node)[:, buckets[live]]
        return out

    def in_book(self, node: int, board: Sequence[int]) -> Floats | None:
        """What a book does at a decision [A, 1326], where there is one that has the flop."""
        if self.book is None or self.tree.street[node] != FLOP:
            return None
        flop = tuple(board)[: self.game.board_sizes[FLOP]]
        return self.book.hands(self.abstraction.boards, node, flop)

    def _read_gifts(self) -> Gifts | None:
        """What actions before the last street give away, where the file has it."""
        if "gifts" not in self._arrays:
            return None
        codes = take(self._arrays, "gifts", np.uint8, (None,))
        return Gifts(self.tree, self.sizes, codes)

    def buckets(self, board: tuple[int, ...]) -> UInt16s:
        """Bucket of every hand on a board: [1326], DEAD where it hits it; remembered a while."""
        kept = self._boards
        found = kept.get(board)
        if found is None:
            found = kept[board] = self.abstraction.board_buckets(board)
            found.flags.writeable = False
            if len(kept) > BOARDS_KEPT:
                kept.popitem(last=False)
        return found

    def num_actions(self, node: int) -> int:
        """A: how many actions a decision has."""
        return int(self.tree.num_children[node])

    def verify(self) -> str:
        """The checksum of the whole file, once its content is seen to match."""
        return files.verify(self.path).checksum

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int], list[int]]:
        """By node: where codes begin, their bits, the grid, the rows; read faster than arrays."""
        layout = self.layout
        columns = layout.bit_at, layout.bits, layout.grid_of, layout.num_rows
        bit_at, bits, grids, counts = (column.tolist() for column in columns)
        return bit_at, bits, grids, counts

    @cached_property
    def _first_decisions(self) -> frozenset[int]:
        """Each player's first of a hand: preflop, so that none of their rows is coded."""
        return self.tree.first_decisions()

    def _read_fine(self, node: int) -> Floats:
        """Rows [K, A] of a decision whose actions have two bytes each, read-only; remembered."""
        rows = self._fine_rows.get(node)
        if rows is None:
            first, last = self.layout.fine_at[node : node + 2]
            parts = self._fine[first:last].reshape(-1, self.num_actions(node))
            numbers = self.layout.row_at[node] + np.arange(len(parts))
            rows = parts / FINEST
            if not (self.post.spares_first and node in self._first_decisions):
                rows = self.post.rows(rows, numbers)
            rows.flags.writeable = False
            self._fine_rows[node] = rows
        return rows

    def _read(self, which: int, codes: Ints, numbers: Ints) -> Floats:
        """Rows [N, A] of codes [N] of a grid; the rows' numbers [N] decide ties if purified."""
        grid = self.layout.grids[which]
        if grid.bits > TABLE_BITS:
            return self.post.rows(grid.decode(codes), numbers)
        table, tied = self._tables[which]
        rows: Floats = table[codes]
        if tied is not None and tied[codes].any():
            at = np.flatnonzero(tied[codes])
            rows[at] = self.post.rows(grid.points[codes[at]], numbers[at])
        return rows

    def _check_decision(self, node: int) -> None:
        if not 0 <= node < self.tree.num_nodes or self.tree.kind[node] != DECISION:
            raise GameError(f"no player decides at node {node}")

    def _no_row(self, node: int, bucket: int) -> str:
        self._check_decision(node)
        street = int(self.tree.street[node])
        return f"no bucket {bucket} on the {STREETS[street]}: there are {self.sizes[street]}"


def _part(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin with a name and a dot, without it."""
    begin = f"{name}."
    return {key[len(begin) :]: array for key, array in arrays.items() if key.startswith(begin)}


def load_blueprint(path: str | Path | None = None, game: GameDef | None = None) -> Blueprint:
    """A blueprint from its file, or the shipped one: for a game, if one is given.

    ``limit-holdem`` and ``nolimit-holdem`` in place of a file are those of the package. A file that
    has not changed is opened once; everybody in the process shares it.

    Examples:
        >>> import endspiel as es
        >>> blueprint = es.load_blueprint()  # the one that comes with the package
        >>> shares = blueprint.hands(0, ())  # at the first decision, of every hand
        >>> shares.shape, bool(abs(shares.sum(axis=0) - 1).max() < 1e-6)
        ((5, 1326), True)
    """
    path = strategy_path(path, game)
    try:
        about = path.stat()
    except (OSError, ValueError) as error:
        raise FileError(f"there is no strategy file {path}") from error
    return _open(path.resolve(), about.st_mtime_ns, about.st_size)


def strategy_path(name: str | Path | None = None, game: GameDef | None = None) -> Path:
    """Where a strategy file lies: the one named, or the package's by a game's name or the game."""
    if name is not None and (name not in SHIPPED or Path(str(name)).exists()):
        return Path(name)
    game = game if name is None else load_rules(str(name))
    path = default_path(game)
    if not path.exists():
        of, how = ("", "") if game is None else (f" of {game.name}", f" --game {game.name}")
        raise FileError(
            f"this installation has no default blueprint{of}: name a file, or make one with "
            f"endspiel abstract and endspiel train{how} and put it at {path}"
        )
    return path


def default_path(game: GameDef | None = None) -> Path:
    """Where the package keeps its blueprint of a game, of no-limit hold'em unless told."""
    name = DEFAULT_FILE if game is None or game.no_limit else DEFAULT_LIMIT_FILE
    return Path(str(resources.files("endspiel.blueprint"))) / "data" / name


@lru_cache(maxsize=4)
def _open(path: Path, changed: int, size: int) -> Blueprint:
    record, arrays = files.map_file(path, KIND)
    try:
        return Blueprint(path, record, arrays)
    except EndspielError as error:
        raise FileError(f"{path} is no whole blueprint: {error}") from error


def save_blueprint(
    path: str | Path,
    game: GameDef,
    model: BettingModel | None,
    abstraction: Abstraction,
    strategy: Strategy,
    record: Mapping[str, Any],
    bits: float = DEFAULT_BITS,
    gifts: Callable[[int], NDArray[np.uint8]] | None = None,
) -> None:
    """Write a strategy file: the probabilities [A, K] of each decision of the model's tree.

    A limit game has no model. The record has the training: ``exploitability`` in big blinds a
    hand, ``method``, ``iterations``, ``seconds``, ``seed``, ``trace`` of (iteration, seconds,
    exploitability), and anything else. ``bits`` are of a probability on turn and river, on
    the average. What actions give away (`measure_gifts`) is kept where it is given:
    Reach-Maxmargin asks for it.
    """
    tree = limit_tree(game) if model is None else model.tree(game)
    encoded, loss = encode_strategy(tree, abstraction, strategy, bits)
    arrays: dict[str, NDArray[Any]] = dict(encoded)
    if gifts is not None:
        arrays["gifts"] = pack_gifts(tree, abstraction.sizes, gifts)
    small = abstraction.compact()
    arrays |= {f"tree.{name}": array for name, array in tree_arrays(tree).items()}
    arrays |= {f"abstraction.{name}": array for name, array in small.arrays().items()}
    about = {
        "game": {"name": game.name, "text": format_game(game)},
        "model": None if model is None else format_model(model),
        "abstraction": small.record(),
        "bits": bits,
        "loss": loss,
        "training": dict(record),
    }
    files.save(path, KIND, about, arrays)


def amend_training(path: str | Path, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Change the training record of a strategy file, and nothing else; return the record."""
    about, arrays = files.load(path, KIND)
    told: dict[str, Any] = about["training"] | dict(changes)
    files.save(path, KIND, about | {"training": told}, arrays)
    return told
