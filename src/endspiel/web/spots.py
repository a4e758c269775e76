"""Spots as the page edits them: every mistake found at once, each at its field."""

import json
import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Final

import msgspec
from msgspec import Struct

from endspiel.arrays import Float64s
from endspiel.betting.edits import EditError, parse_edit
from endspiel.betting.lines import parse_line
from endspiel.betting.menu import (
    MAX_CHIPS,
    STREET_NAMES,
    Sizing,
    StreetMenu,
    parse_menu,
    parse_pair,
)
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake, parse_rake
from endspiel.cards.live import live_mask
from endspiel.cards.text import format_card, format_cards, parse_board
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.errors import EndspielError, FileError, RangeError
from endspiel.games.libratus import EndgameFile, parse_endgame
from endspiel.games.spot import LIBRATUS_SIZING, PLAYERS, Spot, parse_spot
from endspiel.games.spot_values import prizes_of
from endspiel.solvers.boards.locks import keep_symmetry, parse_lock
from endspiel.solvers.memory import SHARE, available_memory, check_memory
from endspiel.solving.forecast import seconds_ahead
from endspiel.solving.spots import DEFAULT_METHOD, PreparedSpot, SpotOptions, kind_of
from endspiel.solving.task import prepare
from endspiel.solving.views import action_name
from endspiel.web.messages import (
    FieldProblem,
    Fields,
    Made,
    Refused,
    SpotText,
    StreetText,
    played_stack,
)
from endspiel.web.ranges import read_weights

_ANY: Final = 2**62  # bytes: more than there are
_THRESHOLDS: Final = ("add_allin_threshold", "force_allin_threshold", "merging_threshold")


class SizeAnswer(Struct):
    """How large a game a spot makes."""

    street: str
    board: list[str]
    combos: tuple[float, float]
    nodes: int
    decisions: int
    showdowns: int
    folds: int
    boards: list[int]
    infosets: int
    memory_bytes: int
    memory_limit_bytes: int | None
    file_bytes: int
    storage: int | None
    seconds: float | None
    fits: bool
    why: str
    opening: list[dict[str, str]]


def read_spot(text: SpotText) -> Spot:
    """The spot of a text; a refusal lists every field that is wrong."""
    fields = Fields()
    board = fields.make("board", lambda: _board(text.board))
    fields.make("pot", lambda: _chips("pot", text.pot))
    stack = fields.make("stack", lambda: _stack(text))
    blind = text.big_blind
    fields.make("big_blind", lambda: _chips("big_blind", 1 if blind is None else blind))
    ranges = [
        fields.make(f"ranges.{p}", lambda p=p: _range(text.ranges[p], p, board))  # type: ignore[misc]
        for p in (0, 1)
    ]
    first = 3 if board is None else len(board) - 2
    menus = [_menu(fields, text, street) if street >= first else None for street in range(4)]
    sizing = _sizing(fields, text, menus)
    rake = fields.make("rake", lambda: read_rake(text.rake, text.rake_cap))
    fields.check()
    both = (_known(ranges[0]), _known(ranges[1]))
    endgame = EndgameFile(_known(board), text.pot, _known(stack), both)
    prizes = fields.make("prizes", lambda: _prizes(text, endgame))
    fields.check()
    stakes = _known(rake), prizes, blind
    spot = fields.make("ranges", lambda: Spot(*endgame, _known(sizing), *stakes))
    fields.check()
    return _known(spot)


def _known(made: Made | None) -> Made:
    assert made is not None  # the fields were checked
    return made


def _board(text: str) -> tuple[int, ...]:
    board = tuple(parse_board(text))
    if not 3 <= len(board) <= 5:
        raise Refused(f"the board has {len(board)} cards; a spot has three, four or five", "board")
    return board


def read_rake(text: str, cap: float | None, chips: float = 1.0) -> Rake:
    """The rake of two fields; the cap is in units of the given chips."""
    if not text.strip():
        if cap is not None:
            raise Refused("a rake's cap is given without a rake", "rake")
        return NO_RAKE
    return parse_rake(text, None if cap is None else chips * cap)


def _prizes(text: SpotText, endgame: EndgameFile) -> PrizeMap | None:
    """What chips are worth, where prizes are played for."""
    given = {"prizes": text.prizes, "others": text.others}
    listed = {name: numbers for name, numbers in given.items() if numbers}
    found = prizes_of({"stack": text.stack, **listed}, endgame)
    if found is not None and text.rake.strip():
        raise Refused("a spot has a rake or prizes: pots of a tournament are not raked", "prizes")
    return found


def _stack(text: SpotText) -> int:
    """What each player has behind; every number of chips is checked."""
    for chips in text.stack if isinstance(text.stack, list) else [text.stack]:
        _chips("stack", chips)
    return played_stack(text)


def _chips(name: str, chips: int) -> int:
    if not 0 < chips <= MAX_CHIPS:
        raise Refused(f"{name} is {chips}; it is a whole number of chips from 1 to {MAX_CHIPS}")
    return chips


def _range(text: str, player: int, board: tuple[int, ...] | None) -> Float64s:
    weights = read_weights(text)
    if not weights.any():
        raise RangeError(f"the range {PLAYERS[player]} has no hand")
    if not weights[live_mask(board or ())].any():
        raise RangeError(f"the range {PLAYERS[player]} has no hand that the board allows")
    return weights


def _menu(fields: Fields, text: SpotText, street: int) -> StreetMenu | None:
    name = STREET_NAMES[street]
    given: StreetText | None = getattr(text, name)
    if given is None and text.lines:
        return None
    if given is None:
        fields.problems.append(FieldProblem(f"the {name} has no bet menu", f"{name}.bet"))
        return None
    bets = fields.make(f"{name}.bet", lambda: parse_pair(given.bet))
    raises = fields.make(f"{name}.raise", lambda: parse_pair(given.raises, raising=True))
    donk = None
    if given.donk is not None:
        donk = fields.make(f"{name}.donk", lambda: parse_menu(given.donk or ""))
    if bets is None or raises is None:
        return None
    return StreetMenu(bets, raises, donk)


def _sizing(fields: Fields, text: SpotText, menus: list[StreetMenu | None]) -> Sizing | None:
    """The menus with what tidies them, each of its numbers tried by itself."""
    for name in ("max_raises", *_THRESHOLDS):
        value = getattr(text, name)
        fields.make(name, lambda name=name, value=value: Sizing((None,) * 4, **{name: value}))  # type: ignore[misc]
    lines = fields.make("lines", lambda: tuple(map(parse_line, text.lines)))
    edits = fields.make("edits", lambda: tuple(map(parse_edit, text.edits)))
    if fields.problems or lines is None or edits is None:
        return None
    thresholds = {name: getattr(text, name) for name in _THRESHOLDS}
    return fields.make(
        "edits",
        lambda: Sizing(tuple(menus), text.max_raises, **thresholds, lines=lines, edits=edits),
    )


def spot_text(spot: Spot) -> SpotText:
    """A spot as the page edits it."""
    return msgspec.convert(tomllib.loads(spot.dump()), SpotText)


def file_spot(name: str, data: bytes) -> SpotText:
    """The spot of a file's content; its name says of what kind it is."""
    try:
        return spot_text(_file_spot(PurePath(name).suffix.lower(), data.decode()))
    except UnicodeDecodeError as error:
        raise Refused(
            f"the file is not text: byte {error.start + 1} is not UTF-8", "file"
        ) from error
    except (EndspielError, ValueError, RecursionError) as error:
        raise Refused(f"{name[:80]}: {error}"[:400], "file") from error


def _file_spot(ending: str, text: str) -> Spot:
    if ending == ".txt":
        return Spot(*parse_endgame(text), LIBRATUS_SIZING)
    if ending not in (".toml", ".json"):
        raise FileError("a spot file is .toml, .json, or .txt (LibratusEndgames)")
    content = tomllib.loads(text) if ending == ".toml" else json.loads(text)
    if not isinstance(content, dict):
        raise FileError("a spot is a JSON object")
    if "ranges_file" in content:
        raise FileError("ranges_file names another file, which did not come along: open that one")
    return parse_spot(content)


def file_of(text: SpotText) -> dict[str, str]:
    """Name and content of the TOML file of a spot."""
    spot = read_spot(text)
    return {"name": f"{format_cards(spot.board)}.toml", "text": spot.dump()}


def spot_json(text: SpotText) -> bytes:
    """The JSON file of a spot: what the TOML file has, empty menus too."""
    content = tomllib.loads(read_spot(text).dump())
    return msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"


def memory_limit(allowed: int | None) -> int | None:
    """Bytes that a solve may take now; None where the system does not say."""
    free = available_memory()
    left = None if free is None else int(SHARE * free)
    return min((size for size in (allowed, left) if size is not None), default=None)


def prepare_spot(spot: Spot, method: str, options: SpotOptions) -> PreparedSpot:
    """A spot ready to be solved; a refusal is at the field that it comes from."""
    fields = Fields()
    asked = [name for name in ("locks", "storage") if getattr(options, name)]
    fields.make("method", lambda: kind_of(spot).check(method, asked))
    if any(re.match(r"[^:]*=", lock) for lock in options.locks):
        # A lock of the command line may name a file; the page reaches no files.
        fields.problems.append(FieldProblem("a lock here is written 'NODE: SPEC'", "locks"))
    fields.check()
    plain = replace(options, locks=())
    try:
        task = prepare(spot, method, plain)
    except EndspielError as error:
        field = "edits" if isinstance(error, EditError) else "spot"
        raise Refused(str(error), field) from error
    locked = fields.make("locks", lambda: _with_locks(task, options.locks))
    fields.check()
    return _known(locked)


def _with_locks(task: PreparedSpot, texts: Sequence[str]) -> PreparedSpot:
    """The task with locks; its game is rebuilt only where locks distinguish suits."""
    locks = tuple(parse_lock(task.game, text) for text in texts)
    options = replace(task.options, locks=texts)
    if keep_symmetry(task.game, list(locks)):
        return replace(task, options=options, locks=locks)
    return prepare(task.spot, task.method, replace(options, symmetry=False))


def build_spot(text: SpotText, method: str, options: SpotOptions) -> PreparedSpot:
    """The spot of a text ready to be solved, however much memory that takes."""
    return prepare_spot(read_spot(text), method, replace(options, memory=_ANY))


def check_fits(task: PreparedSpot, limit: int | None) -> None:
    """Refuse a spot above a limit of bytes, by default most of the free memory."""
    check_memory(task.memory_bytes, limit, "this spot", "use fewer bet sizes or narrower ranges")


def file_bytes(task: PreparedSpot) -> int:
    """About what the file of a spot's solution takes: a number for each action of each hand."""
    return (task.storage or 32) // 8 * task.game.store_size


def measure_spot(task: PreparedSpot, allowed: int | None, limits: Limits) -> SizeAnswer:
    """The size of a spot's game, told before anything large is allocated."""
    limit = memory_limit(allowed)
    game, why = task.game, ""
    try:
        check_fits(task, limit)
    except EndspielError as error:
        why = str(error)
    counts = game.betting.counts(game.tree.num_boards)
    first, second = task.spot.weights
    known = task.method == DEFAULT_METHOD  # how long the other methods take differs widely
    return SizeAnswer(
        street=STREET_NAMES[task.spot.street],
        board=[format_card(card) for card in task.spot.board],
        combos=(float(first.sum()), float(second.sum())),
        nodes=counts.nodes,
        decisions=counts.decisions,
        showdowns=counts.showdowns,
        folds=counts.folds,
        boards=list(game.tree.num_boards),
        infosets=game.num_infosets,
        memory_bytes=task.memory_bytes,
        memory_limit_bytes=limit,
        file_bytes=file_bytes(task),
        storage=task.storage if task.method in SPOT_SCHEMES else None,
        seconds=seconds_ahead(game, task.options.threads, limits) if known else None,
        fits=not why,
        why=why,
        opening=[{"word": word, "name": action_name(word, 0)} for word in game.betting.words(0)],
    )
