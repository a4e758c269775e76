"""Check a dealer's log against the rules: legality, deals, payoffs, scores."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError, FileError, RulesError
from endspiel.reading import is_file
from endspiel.rules.builtin import is_builtin, load_rules
from endspiel.rules.deal import MAX_SEED, Deal, deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import (
    Header,
    Record,
    Score,
    format_chips,
    parse_header,
    parse_record,
    parse_score,
    read_lines,
)

_MAX_GAP: Final = 100_000  # missing hands whose deals are drawn to reach the next
_TOLERANCE: Final = 1.5e-6  # logs print six decimals; whole chips must agree exactly


class Mismatch(NamedTuple):
    """One thing in a log that the rules contradict."""

    line: int
    text: str


@dataclass
class Replay:
    """What the check of a log found."""

    log: str
    game: str = ""
    seeds: list[int] = field(default_factory=list)  # of the matches whose deals were checked
    hands: int = 0
    scores: int = 0  # score lines recomputed
    totals: dict[str, float] = field(default_factory=dict)  # chips won, by name
    mismatches: list[Mismatch] = field(default_factory=list)


def replay_log(path: str | Path, game: str | Path | None = None) -> Replay:
    """Replay every hand of a log; the game is the one named, or the one the log's header names.

    Raises for a file that is no log; what a log gets wrong is listed in the result.
    """
    result = Replay(str(path))
    rules = load_rules(game) if game is not None else None
    match: _Match | None = None
    for number, line in read_lines(path):
        if line[0] in "#;":
            header = parse_header(line)
            if header is not None:
                header_rules = rules or header_game(Path(path), header)
                _finish(match, result, number)
                match = _Match(header_rules, header, result)
            continue
        if not line.startswith(("STATE:", "SCORE:")):
            raise FileError(f"{path}, line {number}: {line[:60]!r} is no line of a dealer's log")
        if match is None:
            if rules is None:
                raise FileError(f"{path} names no game in a header: give one with --game")
            match = _Match(rules, None, result)
        try:
            match.read(number, line)
        except EndspielError as error:
            result.mismatches.append(Mismatch(number, str(error)))
    if match is None or result.hands == 0:
        raise FileError(f"{path} holds no hands: it is no dealer's log")
    _finish(match, result, number)
    return result


def header_game(log: Path, header: Header) -> GameDef:
    """The game a header names: a file beside the log, else a built-in game."""
    name = Path(header.game).name
    beside = log.parent / name
    if is_file(beside):
        return load_rules(beside)
    if is_builtin(name):
        return load_rules(name)
    raise RulesError(
        f"the log names game {header.game!r}, which is neither built in nor a file beside the log: "
        "give one with --game"
    )


def _finish(match: "_Match | None", result: Replay, line: int) -> None:
    """Close a match: a score is only right if every hand the header promised was there."""
    if match is None or match.header is None or not match.scored:
        return
    if match.hands != match.header.hands:
        result.mismatches.append(
            Mismatch(line, f"{match.hands} hands; the header promises {match.header.hands}")
        )


class _Match:
    """The running state of one match in a log."""

    def __init__(self, game: GameDef, header: Header | None, result: Replay) -> None:
        self.game = game
        self.header = header
        self.result = result
        self.hands = 0
        self.scored = False
        self.next_hand: int | None = 0 if header else None
        self.deals: Iterator[Deal] | None = None
        self.rotating: list[float] = [0] * game.num_players  # [N] by seat, seats moving each hand
        self.fixed: list[float] = [0] * game.num_players  # [N] by seat, seats staying
        self.by_name: dict[str, float] = {}
        result.game = game.name
        if header is not None and header.seed <= MAX_SEED:
            self.deals = deals(game, header.seed)
            result.seeds.append(header.seed)

    def read(self, number: int, line: str) -> None:
        """Check one STATE or SCORE line; whatever is wrong is noted or raised."""
        if line.startswith("SCORE:"):
            score = parse_score(self.game, line)
            self.result.scores += 1
            self._check_score(number, score)
            return
        self.hands += 1
        self.result.hands += 1
        dealt = next(self.deals) if self.deals else None
        expected = self.next_hand
        if expected is not None:
            self.next_hand = expected + 1
        record = parse_record(self.game, line)
        if expected is not None and record.shown.hand != expected:
            dealt = self._resync(record.shown.hand, expected)
            unchecked = "" if dealt else "; no deal is checked from here on"
            self._note(
                number, f"hand {record.shown.hand} where hand {expected} should be{unchecked}"
            )
        self.next_hand = record.shown.hand + 1
        if dealt is not None:
            self._check_deal(number, record, dealt)
        self._check_payoffs(number, record)

    def _resync(self, hand: int, expected: int) -> Deal | None:
        """The deal of a hand after a gap; out of reach, the deals of this match go unchecked."""
        if self.deals and 0 < hand - expected <= _MAX_GAP:
            return next(islice(self.deals, hand - expected - 1, None))
        self.deals = None
        return None

    def _note(self, number: int, text: str) -> None:
        self.result.mismatches.append(Mismatch(number, text))

    def _check_deal(self, number: int, record: Record, dealt: Deal) -> None:
        """Compare the cards shown with those the seed deals."""
        shown = record.shown
        board = dealt.board[: len(shown.board)]
        if shown.holes == dealt.holes and shown.board == board:
            return
        cards = "|".join(format_cards(hole) for hole in dealt.holes)
        seed = self.header.seed if self.header else None
        self._note(number, f"seed {seed} deals {cards} and board {format_cards(board) or '(none)'}")

    def _check_payoffs(self, number: int, record: Record) -> None:
        """Recompute the payoffs and add them to the totals."""
        shown = record.shown
        payoffs = shown.state.payoffs(Deal(shown.holes, shown.board))
        if not _agree(payoffs, record.payoffs):
            self._note(
                number, f"payoffs are {_join(payoffs)}, the log says {_join(record.payoffs)}"
            )
        players = len(payoffs)
        moved = (self.hands - 1) % players
        for position, (chips, name) in enumerate(zip(payoffs, record.names, strict=True)):
            self.rotating[(position + moved) % players] += chips
            self.fixed[position] += chips
            self.by_name[name] = self.by_name.get(name, 0) + chips
            self.result.totals[name] = self.result.totals.get(name, 0) + chips

    def _check_score(self, number: int, score: Score) -> None:
        """Recompute the totals, by name where names tell the players apart, else by seat."""
        self.scored = True
        if len(set(score.names)) == len(score.names):
            strangers = set(score.names) ^ set(self.by_name)
            if strangers:
                self._note(number, f"{', '.join(sorted(strangers))} not in both hands and score")
            candidates = [[self.by_name.get(name, 0) for name in score.names]]
        else:
            candidates = [self.rotating, self.fixed]
        if not any(_agree(tuple(totals), score.totals) for totals in candidates):
            self._note(
                number,
                f"scores are {_join(tuple(candidates[0]))}, the log says {_join(score.totals)}",
            )


def _agree(ours: tuple[float, ...], theirs: tuple[float, ...]) -> bool:
    return all(abs(a - b) < _TOLERANCE for a, b in zip(ours, theirs, strict=True))


def _join(chips: tuple[float, ...]) -> str:
    return "|".join(map(format_chips, chips))
