"""The op stream of one street: what a board does in one player's half of an iteration.

The player who learns is p, the other q. A **column** is a row of q's reaches, one for each of q's
sequences that does not fold; p's decisions and the terminals that follow it stand on it. Ops:

- LOAD: the reaches of up to four incoming lines into rows;
- FORWARD: one of q's decisions: match its regrets, multiply the reaches, add to q's average;
- OUT: the reaches of a line that goes on to the next street;
- EVALUATE: for some columns at once, the unblocked mass F of each hand of p and what it wins at a
  showdown S;
- POST, one after EVALUATE for each of its columns: one of p's decisions, its values and regrets; or
  a terminal; added to the value row of the q-decision before it, or with the last of a line's
  columns to the line's value.

Folds of q are no columns: the unblocked mass is linear, so F(fold) = F(in) - F(call) - F(raises).
With stake u, F(in) is paid where p's action leads to q's decision, and -u F at each column that
follows.

Rows live in slots given out by a linear scan; what does not fit goes to scratch rows, from the
number of slots on. Each POST has payoffs, by place in one long list: first what its column's F pays
to the value row, then one an action.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from endspiel.gpu.shape import Leads, StreetAction, StreetNode, StreetShape
from endspiel.kernels.arrays import Floats, Int32s

LOAD, FORWARD, OUT, EVALUATE, POST, END = range(6)
COLUMNS = 4  # evaluated at once
TOGETHER = 4  # lines whose reaches lie side by side and are loaded at once
NOWHERE = -1  # row code: none; an action that pays F alone
SHOWDOWN = -2  # row code: an action that pays S
PORT = 1 << 12  # row codes from here on: a line's row, of reaches that come in or values from below
WORDS = 16  # of an op's unit; a decision of more actions than fit takes more units
HEAD = 8  # words before the row codes
MOST_PLAIN = 6  # actions of a decision that a GPU unrolls
MOST_AHEAD = 256  # actions of a decision whose rows are read ahead
PAY_ALIGNMENT = 4
COMPILED = 16  # streams that are remembered


class Op(NamedTuple):
    """One op; see the module's text."""

    kind: int
    actions: int = 0  # FORWARD, POST: of the decision; EVALUATE: columns; LOAD: lines
    first: int = 0  # first kept row of the decision, among both players' rows
    row: int = NOWHERE  # FORWARD: reaches before; OUT: the row; POST: value row
    port: int = 0  # LOAD: first line; OUT: line; FORWARD, POST: number of the decision
    pay: int = 0  # POST: where its payoffs start
    fresh: int = 0  # POST: 1 where the value row begins with it
    line: int = NOWHERE  # POST: a line whose value it makes whole
    rows: tuple[int, ...] = ()  # FORWARD, EVALUATE, POST, LOAD: a code an action, column or line


@dataclass(frozen=True, eq=False)
class Stream:
    """The ops of one street and half, with where its payoffs come from."""

    ops: tuple[Op, ...]
    slots: int  # rows in fast memory
    scratch: int  # rows beyond
    slow: int  # how often a row beyond is touched
    terminal: Int32s  # [P] whose stake a payoff is; -1: nothing
    sign: Floats  # [P]

    def payoffs(self, stakes: Floats) -> Floats:
        """The payoffs [P] that go with a game's stakes [T]."""
        found: Floats = np.append(stakes, 0.0)[self.terminal] * self.sign
        return found


def side_by_side(lines: int) -> int:
    """Memory for the reaches of lines, in rows."""
    return -(-lines // TOGETHER) * TOGETHER


@lru_cache(COMPILED)
def compile_street(shape: StreetShape, player: int, slots: int, together: int = TOGETHER) -> Stream:
    """The stream of a player's half; of several ways to use the slots, the one that needs least.

    So many lines are loaded at once, or one where that needs more slots than there are.
    """
    sizes = sorted({4, 8, 16, 32, len(shape.nodes) + 1})
    ways = [(size, lines) for lines in (together, 1) for size in sizes]
    found = list[Stream]()
    for way in ways:
        found.append(_Compiler(shape, player, slots, *way).stream())
        if not found[-1].slow and not found[-1].scratch:  # no other needs less
            return found[-1]
    return min(found, key=lambda stream: (stream.slow, stream.scratch))


@dataclass
class _Value:
    """The value row of one of q's decisions, or of a line, while it is added up."""

    columns: int  # that it waits for
    line: int = NOWHERE  # whose value it is
    row: int | None = None


@dataclass
class _Post:
    """A column with what stands on it, until it is evaluated."""

    column: int  # row of reaches
    op: Op
    parts: tuple[int | _Value, ...]  # for `Op.rows`, once they are known
    to: _Value


class _Compiler:
    def __init__(
        self, shape: StreetShape, player: int, slots: int, big: int, together: int
    ) -> None:
        self.shape, self.player, self.slots, self.big = shape, player, slots, big
        self.together = min(together, len(shape.lines))
        self.loaded: dict[int, int] = {}  # rows of lines
        self.free, self.free_beyond = list(range(slots)), list[int]()
        self.beyond = self.slow = 0
        self.ops: list[Op] = []
        self.waiting: list[_Post] = []
        self.terminal: list[int] = []
        self.sign: list[float] = []
        self.sizes = _sizes(shape)

    def stream(self) -> Stream:
        for line, start in enumerate(self.shape.lines):
            self._line(line, start)
        self._flush()
        ops = (*self.ops, Op(END))
        terminal = np.array(self.terminal, dtype=np.int32)
        return Stream(ops, self.slots, self.beyond, self.slow, terminal, np.array(self.sign))

    def _line(self, line: int, start: StreetAction) -> None:
        node = self.shape.nodes[start.to] if start.leads == Leads.NODE else None
        if node is not None and node.player != self.player and node.fold is None:
            row = PORT + line if self.together == 1 else self._load(line)
            self._opponent(node, row, line, last=row < PORT)
            return
        row = self._load(line)
        if node is None:
            self._end(row, start, _Value(1, line), [])
        elif node.player == self.player:
            self._own(node, row, _Value(1, line), [])
        else:  # q may fold at once: the mass that comes in is a column too
            value = self._opponent(node, row, line)
            self._column(row, Op(POST), [(node.fold or 0, 1.0), (-1, 0.0)], (NOWHERE,), value)

    def _load(self, line: int) -> int:
        """The row of a line's reaches, which are loaded with those of the lines beside it."""
        if line not in self.loaded:
            lines = range(line, min(line + self.together, len(self.shape.lines)))
            rows = tuple(self._take() for _ in lines)
            self._touch(*rows)
            self.ops.append(Op(LOAD, len(rows), port=line, rows=rows))
            self.loaded.update(zip(lines, rows, strict=True))
        return self.loaded[line]

    def _opponent(
        self, node: StreetNode, before: int, line: int = NOWHERE, *, last: bool = False
    ) -> _Value:
        """One of q's decisions and all that follows it; its value row, or that of a line.

        Nothing reads the row before it again where it is the last that does.
        """
        rows = tuple(self._row_of(action) for action in node.actions)
        self._touch(before, *rows)
        first = self._first(node)
        self.ops.append(Op(FORWARD, len(rows), first, before, node.number, rows=rows))
        if last:
            self._give_back(before)
        enters = line != NOWHERE and node.fold is not None  # what comes in is a column too
        value = _Value(sum(row != NOWHERE for row in rows) + enters, line)
        folded = [] if node.fold is None else [(node.fold, -1.0)]
        following = sorted(
            (self._size(action), i)
            for i, action in enumerate(node.actions)
            if action.leads != Leads.FOLDS
        )
        for _, i in following:
            action = node.actions[i]
            if action.leads == Leads.NODE:
                self._own(self.shape.nodes[action.to], rows[i], value, folded)
            else:
                self._end(rows[i], action, value, folded)
        return value

    def _first(self, node: StreetNode) -> int:
        return node.first + (self.shape.rows[0] if node.player else 0)

    def _row_of(self, action: StreetAction) -> int:
        if action.leads == Leads.FOLDS:
            return NOWHERE
        return self._take(action.leads == Leads.NODE and self._size(action) >= self.big)

    def _size(self, action: StreetAction) -> int:
        return self.sizes[action.to] if action.leads == Leads.NODE else 0

    def _end(
        self, row: int, action: StreetAction, value: _Value, folded: list[tuple[int, float]]
    ) -> None:
        """A column without decisions: a showdown, or a line that goes on."""
        paid = (*(folded or [(-1, 0.0)]),)
        if action.leads == Leads.SHOWS:
            self._column(row, Op(POST), [*paid, (action.to, 1.0)], (SHOWDOWN,), value)
        else:
            self._touch(row)
            self.ops.append(Op(OUT, row=row, port=action.to))
            self._column(row, Op(POST), [*paid, (-1, 0.0)], (PORT + action.to,), value)

    def _own(
        self, node: StreetNode, row: int, value: _Value, folded: list[tuple[int, float]]
    ) -> None:
        """One of p's decisions and all that follows it."""
        after: dict[int, _Value] = {}
        order = sorted(range(len(node.actions)), key=lambda i: -self._size(node.actions[i]))
        for i in order:
            if node.actions[i].leads == Leads.NODE:
                after[i] = self._opponent(self.shape.nodes[node.actions[i].to], row)
            elif node.actions[i].leads == Leads.GOES_ON:
                self._touch(row)
                self.ops.append(Op(OUT, row=row, port=node.actions[i].to))
        pays, parts = [*(folded or [(-1, 0.0)])], list[int | _Value]()
        for i, action in enumerate(node.actions):
            pay, part = self._action(action, after.get(i))
            pays.append(pay)
            parts.append(part)
        op = Op(POST, len(node.actions), self._first(node), port=node.number)
        self._column(row, op, pays, tuple(parts), value)

    def _action(
        self, action: StreetAction, after: _Value | None
    ) -> tuple[tuple[int, float], int | _Value]:
        """What one of p's actions pays, and the row or result that it pays beside."""
        if action.leads == Leads.FOLDS:
            return (action.to, -1.0), NOWHERE
        if action.leads == Leads.SHOWS:
            return (action.to, 1.0), SHOWDOWN
        if action.leads == Leads.GOES_ON:
            return (-1, 0.0), PORT + action.to
        fold = self.shape.nodes[action.to].fold
        assert after is not None
        return (-1, 0.0) if fold is None else (fold, 1.0), after

    def _column(
        self,
        row: int,
        op: Op,
        pays: list[tuple[int, float]],
        parts: tuple[int | _Value, ...],
        to: _Value,
    ) -> None:
        op = op._replace(pay=len(self.terminal))
        missing = -len(pays) % PAY_ALIGNMENT
        for terminal, sign in [*pays, *[(-1, 0.0)] * missing]:
            self.terminal.append(terminal)
            self.sign.append(sign)
        self.waiting.append(_Post(row, op, parts, to))
        if len(self.waiting) == COLUMNS:
            self._flush()

    def _flush(self) -> None:
        """Evaluate the columns that wait; their rows are free once it is done."""
        if not self.waiting:
            return
        columns = tuple(post.column for post in self.waiting)
        self._touch(*columns)
        self.ops.append(Op(EVALUATE, len(columns), rows=columns))
        for row in columns:
            self._give_back(row)
        for post in self.waiting:
            self._post(post)
        self.waiting = []

    def _post(self, post: _Post) -> None:
        rows = tuple(part.row if isinstance(part, _Value) else part for part in post.parts)
        known = tuple(row for row in rows if row is not None)
        assert len(known) == len(rows)
        for part, row in zip(post.parts, known, strict=True):
            if isinstance(part, _Value):
                self._give_back(row)
        self._touch(*known)
        to = post.to
        to.columns -= 1
        fresh, line = int(to.row is None), NOWHERE if to.columns else to.line
        if to.row is None and line == NOWHERE:
            to.row = self._take()
        row = NOWHERE if to.row is None else to.row
        if row != NOWHERE:
            self._touch(row)
            if line != NOWHERE:
                self._give_back(row)
        self.ops.append(post.op._replace(row=row, rows=known, fresh=fresh, line=line))

    def _take(self, big: bool = False) -> int:
        if self.free and not big:
            self.free.sort()
            return self.free.pop(0)
        if self.free_beyond:
            return self.free_beyond.pop(0)
        self.beyond += 1
        return self.slots + self.beyond - 1

    def _give_back(self, row: int) -> None:
        (self.free if row < self.slots else self.free_beyond).append(row)

    def _touch(self, *rows: int) -> None:
        self.slow += sum(self.slots <= row < PORT for row in rows)


def _sizes(shape: StreetShape) -> list[int]:
    """Decisions in the subtree of each node."""
    sizes = [1] * len(shape.nodes)
    for number in reversed(range(len(sizes))):  # children come after their parents
        for action in shape.nodes[number].actions:
            if action.leads == Leads.NODE:
                sizes[number] += sizes[action.to]
    return sizes


# Words.


def encode(stream: Stream, distance: int = 1) -> Int32s:
    """The ops as a GPU reads them: [units, 16]; an op's row codes may run over into more units.

    The last word before the codes says which rows a later decision of the stream will read: the
    next, or one that is a greater distance away.
    """
    units = []
    for op, ahead in zip(stream.ops, _aheads(stream, distance), strict=True):
        count = _units(len(op.rows))
        words = np.full(count * WORDS, NOWHERE, dtype=np.int32)
        fresh = op.fresh | _plain(op, stream.slots) << 1 | count << 8 | op.line + 1 << 16
        words[:HEAD] = (op.kind, op.actions, op.first, op.row, op.port, op.pay, fresh, ahead)
        words[HEAD : HEAD + len(op.rows)] = op.rows
        units.append(words.reshape(count, WORDS))
    return np.concatenate(units)


def most_units(shape: StreetShape) -> int:
    """At least as many units as both players' streams of a street have."""
    actions = [action.leads for node in shape.nodes for action in node.actions]
    going_on = sum(lead != Leads.FOLDS for lead in actions)
    ends = sum(lead in (Leads.SHOWS, Leads.GOES_ON) for lead in actions)
    decisions = 2 * sum(_units(len(node.actions)) for node in shape.nodes)  # forward and post
    evaluations = (going_on + 2 * len(shape.lines)) // COLUMNS + 2
    lines = 2 * (2 * len(shape.lines) + shape.outs)  # load and post; out
    return decisions + ends + evaluations + lines + 2


def longest_op(streams: Sequence[Stream]) -> int:
    """Units of the longest op of some streams."""
    return max(_units(len(op.rows)) for stream in streams for op in stream.ops)


def _units(rows: int) -> int:
    return -(-(HEAD + rows) // WORDS)


def _plain(op: Op, slots: int) -> bool:
    """Whether an op may take the quick way: few actions, and every row in fast memory."""
    if op.kind == EVALUATE:
        return op.actions == COLUMNS and max(op.rows) < slots
    few = op.kind in (FORWARD, POST) and 0 < op.actions <= MOST_PLAIN
    return few and max(op.rows) < slots


def _aheads(stream: Stream, distance: int) -> list[int]:
    """For each op, the rows that a later one reads: first << 9 | whether q's << 8 | count."""
    found, following = list[int](), [0] * distance  # the farthest first
    for op in reversed(stream.ops):
        found.append(following[0])
        if op.kind in (FORWARD, POST) and 0 < op.actions < MOST_AHEAD:
            other = op.kind == FORWARD
            following = [*following[1:], op.first << 9 | other << 8 | op.actions]
    return found[::-1]


def decode(words: Int32s) -> list[Op]:
    """The ops that words say."""
    ops, at = list[Op](), 0
    while at < len(words):
        kind, actions, first, row, port, pay, fresh, _ = words[at, :HEAD].tolist()
        count = max(1, actions) if kind == POST else actions
        units = fresh >> 8 & 0xFF
        codes = words[at : at + units].ravel()[HEAD : HEAD + count].tolist()
        line = (fresh >> 16) - 1
        ops.append(Op(kind, actions, first, row, port, pay, fresh & 1, line, tuple(codes)))
        at += units
    return ops
