"""Locks: a player's strategy at a node held fixed while everything else is solved.

A lock is written ``NODE: SPEC`` or ``NODE = FILE.csv``. A spec gives each action's probability,
for all hands (``b100: f 0.3, c 0.7``) or by hands (``b100: random f 1, AA KK c 1, QQ f .5 c .5``),
where later items win over earlier ones. A file has a column ``hand`` and a column for each action,
as ``endspiel solve --csv`` writes it. A node without cards means that line on all boards.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_hand
from endspiel.errors import BettingError, EndspielError, FileError, RangeError
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import find_everywhere, find_place, has_cards
from endspiel.kernels.arrays import Floats, Ints, UInt8s
from endspiel.reading import read_text
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.short_sums import BoardSums
from endspiel.solvers.boards.store import lock_place, write_shares

SUM_TOLERANCE = 1e-3  # how far a hand's probabilities may be from one, as typed decimals are
_ACTION = re.compile(r"f|c|[br][0-9]+")
_NUMBER = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?P<percent>%?)")


@dataclass(frozen=True, eq=False)
class Lock:
    """A fixed strategy at one betting node, on one board or on all."""

    text: str
    street: int
    player: int
    decision: int  # number among the player's decisions of the street
    board: int | None  # None: every board of the street
    shares: Floats  # [A, 1326] probabilities; 0 for hands that the player cannot hold


def parse_lock(game: CardGame, text: str) -> Lock:
    """The lock that a text describes."""
    match = re.match(r"(?P<node>[^:=]*)(?P<kind>[:=])(?P<spec>.*)", text, re.DOTALL)
    if match is None:
        raise BettingError(f"the lock {text[:60]!r} is not of the form 'NODE: SPEC'")
    try:
        return _parse(game, text, match)
    except EndspielError as error:
        raise type(error)(f"lock {text[:60]!r}: {error}") from error


def _parse(game: CardGame, text: str, match: re.Match[str]) -> Lock:
    node_text, spec = match["node"].strip(), match["spec"].strip()
    if has_cards(node_text):
        place = find_place(game, node_text)
        node, board = place.node, place.board
        hands = place.hands(game, place.player)
    else:
        node, board = find_everywhere(game, node_text), None
        hands = game.tree.streets[0][0].hands[int(game.betting.player[node])]
    player = int(game.betting.player[node])
    street = int(game.betting.street[node]) - int(game.betting.street[0])
    words = game.betting.words(node)
    given = _read_file(Path(spec), words) if match["kind"] == "=" else _read_spec(spec, words)
    shares = np.zeros((len(words), NUM_HANDS))
    shares[:, hands] = _normalized(given[:, hands], hands)
    return Lock(
        text, street, player, game.streets[street].decisions[player].index(node), board, shares
    )


def _normalized(given: Floats, hands: Ints) -> Floats:
    """Shares [A, K] that sum to one exactly, once they are seen to do so nearly."""
    total = given.sum(axis=0)
    off = np.flatnonzero(~(np.abs(total - 1.0) <= SUM_TOLERANCE))
    if len(off):
        hand = format_hand(hand_cards()[hands[off[0]]].tolist())
        if np.isnan(total[off[0]]):
            raise RangeError(f"{hand} has no strategy; begin with 'random' to name all hands")
        raise RangeError(f"the probabilities of {hand} sum to {total[off[0]]:.6g}, not to 1")
    shares: Floats = given / total
    return shares


def _read_spec(spec: str, words: list[str]) -> Floats:
    """Shares [A, 1326] of a spec; NaN for hands it does not name."""
    shares = np.full((len(words), NUM_HANDS), np.nan)
    chosen = np.ones(NUM_HANDS, dtype=bool)
    tokens = spec.replace(",", " ").split()
    acted = naming = False  # whether the group has an action yet; whether hands are being named
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if not _ACTION.fullmatch(token):
            named = parse_range(token) > 0
            chosen = chosen | named if naming else named
            acted, naming = False, True
            at += 1
            continue
        if token not in words:
            raise BettingError(f"no action {token!r} there: there are {', '.join(words)}")
        if not acted:
            shares[:, chosen] = 0.0
        shares[words.index(token), chosen] = _share(tokens, at)
        acted, naming = True, False
        at += 2
    if naming or not tokens:
        raise BettingError("an action with its probability is missing, as in 'c 0.5'")
    return shares


def _share(tokens: list[str], at: int) -> float:
    text = tokens[at + 1] if at + 1 < len(tokens) else ""
    match = _NUMBER.fullmatch(text)
    share = float(match["number"]) / (100.0 if match["percent"] else 1.0) if match else -1.0
    if not 0.0 <= share <= 1.0:
        raise BettingError(f"{tokens[at]!r} needs a probability from 0 to 1 after it, not {text!r}")
    return share


def _read_file(path: Path, words: list[str]) -> Floats:
    """Shares [A, 1326] of a CSV file; NaN for hands it does not name."""
    import csv  # for files alone

    shares = np.full((len(words), NUM_HANDS), np.nan)
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    try:
        missing = [name for name in ("hand", *words) if name not in (reader.fieldnames or ())]
        if missing:
            raise FileError(f"{path} has no column {missing[0]!r}")
        for row in reader:
            where = f"{path}, line {reader.line_num}"
            shares[:, parse_range(row["hand"] or "") > 0] = [
                [_cell(row[word], f"{where}, {word}")] for word in words
            ]
    except csv.Error as error:
        raise FileError(f"cannot read {path}: {error}") from error
    return shares


def _cell(text: str | None, where: str) -> float:
    try:
        share = float(text or "")
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise FileError(f"{where}: a probability goes from 0 to 1, not {text!r}")
    return share


def keep_symmetry(game: CardGame, locks: Sequence[Lock]) -> bool:
    """Whether the locks leave alone the suit symmetry that the game is folded by."""
    for number in game.tree.streets[0][0].symmetry:
        moved = hand_permutations()[number]
        for lock in locks:
            if lock.board is not None and number:
                return False
            if not np.array_equal(lock.shares[:, moved], lock.shares):
                return False
    return True


def apply_locks(solver: BoardCFR, locks: Sequence[Lock]) -> None:
    """Hold every locked decision of a solve fixed, before its first step."""
    store = solver.store
    hold_locks(solver.game, locks, store.locked, (store.regret, store.average))


def hold_locks(
    game: CardGame, locks: Sequence[Lock], locked: UInt8s, kinds: Sequence[BoardSums]
) -> None:
    """Mark locked decisions, and make regrets or averages their probabilities.

    After a solve, averages again: a hand that never gets to its locked decision leaves none there.
    """
    for lock in locks:
        first = game.streets[lock.street].own(lock.player)[lock.decision].rows.start
        all_boards = range(len(game.tree.streets[lock.street]))
        for b in all_boards if lock.board is None else [lock.board]:
            at = lock.street, b, lock.player
            locked[lock_place(game, *at, lock.decision)] = 1
            shares = lock.shares[:, game.tree.streets[lock.street][b].hands[lock.player]]
            for sums in kinds:
                write_shares(game, sums, at, shares, first)
