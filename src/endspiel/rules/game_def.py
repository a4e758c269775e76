"""The rules of one poker game as data, read from and written to ACPC game definition files.

A file is ``GAMEDEF``, one ``key = values`` a line in any case, ``END GAMEDEF``; ``#`` starts a
comment. One key is ours, ``ranking``; the competition's dealer skips keys it does not know.
Positions count from 0 here and from 1 in files. The deck is the top ``num_ranks`` ranks of the
last ``num_suits`` suits of the standard 52 cards, as the dealer has it.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from endspiel.cards.deck import NUM_RANKS, NUM_SUITS, make_card
from endspiel.errors import RulesError
from endspiel.rules.ranking import RANKINGS

MAX_PLAYERS: Final = 10
MAX_ROUNDS: Final = 4
MAX_HOLE_CARDS: Final = 3
MAX_BOARD_CARDS: Final = 7
UNLIMITED_CHIPS: Final = 2**31 - 1
UNLIMITED_RAISES: Final = 255

# Keys by their lower-case spelling: (as printed, how many values: one, a player, a round).
_KEYS: Final = {
    "numplayers": ("numPlayers", "one"),
    "numrounds": ("numRounds", "one"),
    "stack": ("stack", "player"),
    "blind": ("blind", "player"),
    "raisesize": ("raiseSize", "round"),
    "firstplayer": ("firstPlayer", "round"),
    "maxraises": ("maxRaises", "round"),
    "numsuits": ("numSuits", "one"),
    "numranks": ("numRanks", "one"),
    "numholecards": ("numHoleCards", "one"),
    "numboardcards": ("numBoardCards", "round"),
}
_LINE: Final = re.compile(r"([A-Za-z]+)[ \t=]*(.*)")


@dataclass(frozen=True)
class GameDef:
    """Everything the rules need to know of a game; checked on construction. N players, R rounds.

    Examples:
        >>> import endspiel as es
        >>> rules = es.load_rules("leduc")
        >>> rules.num_players, rules.num_rounds, len(rules.deck)
        (2, 2, 6)
    """

    name: str
    no_limit: bool
    blinds: tuple[int, ...]  # [N] chips each position puts in before the cards
    stacks: tuple[int, ...]  # [N] chips each position may put in during a hand
    raise_sizes: tuple[int, ...]  # [R] the fixed raise, or empty in no-limit
    max_raises: tuple[int, ...]  # [R]
    first_players: tuple[int, ...]  # [R] position that acts first
    num_suits: int
    num_ranks: int
    num_hole_cards: int
    num_board_cards: tuple[int, ...]  # [R] cards added to the board as the round begins
    ranking: str = "standard"

    def __post_init__(self) -> None:
        _check_betting(self)
        _check_cards(self)

    @cached_property
    def num_players(self) -> int:
        """How many positions there are."""
        return len(self.blinds)

    @cached_property
    def num_rounds(self) -> int:
        """How many betting rounds there are."""
        return len(self.num_board_cards)

    @cached_property
    def big_blind(self) -> int:
        """The least no-limit bet: the largest blind, or one chip where there is none."""
        return max(1, *self.blinds)

    @cached_property
    def board_sizes(self) -> tuple[int, ...]:
        """Cards on the board during each round: [R]."""
        counts = self.num_board_cards
        return tuple(sum(counts[: r + 1]) for r in range(len(counts)))

    @cached_property
    def deck(self) -> tuple[int, ...]:
        """The cards in the order the dealer draws from: suit by suit, ranks rising."""
        return tuple(
            make_card(rank, suit)
            for suit in range(NUM_SUITS - self.num_suits, NUM_SUITS)
            for rank in range(NUM_RANKS - self.num_ranks, NUM_RANKS)
        )

    def __hash__(self) -> int:
        """Cached, as states hash their game; of numbers alone, so that it survives pickling."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.no_limit, self.blinds, self.stacks, self.num_board_cards))


def _require(holds: bool, game: GameDef, what: str) -> None:
    if not holds:
        raise RulesError(f"game {game.name}: {what}")


def _check_betting(game: GameDef) -> None:
    """Refuse players, rounds and chip amounts that make no game."""
    players, rounds = len(game.blinds), len(game.num_board_cards)
    _require(2 <= players <= MAX_PLAYERS, game, f"{players} players; there are 2 to {MAX_PLAYERS}")
    _require(1 <= rounds <= MAX_ROUNDS, game, f"{rounds} rounds; there are 1 to {MAX_ROUNDS}")
    _require(len(game.stacks) == players, game, f"{len(game.stacks)} stacks for {players} players")
    for name, values in (("maxRaises", game.max_raises), ("firstPlayer", game.first_players)):
        _require(len(values) == rounds, game, f"{len(values)} values of {name}, {rounds} rounds")
    sizes = 0 if game.no_limit else rounds
    _require(len(game.raise_sizes) == sizes, game, f"needs {sizes} raise sizes")
    for position, (blind, stack) in enumerate(zip(game.blinds, game.stacks, strict=True), 1):
        _require(
            0 <= blind <= stack <= UNLIMITED_CHIPS,
            game,
            f"player {position} has blind {blind} and stack {stack}; "
            f"0 <= blind <= stack <= {UNLIMITED_CHIPS}",
        )
    _require(game.blinds != game.stacks, game, "the blinds leave no player a chip to act with")
    _require(
        all(0 < size <= UNLIMITED_CHIPS for size in game.raise_sizes),
        game,
        f"raise sizes {game.raise_sizes} are not all positive chip amounts",
    )
    _require(
        all(0 <= first < players for first in game.first_players),
        game,
        f"first players {tuple(p + 1 for p in game.first_players)} are not all 1 to {players}",
    )
    _require(
        all(0 <= limit <= UNLIMITED_RAISES for limit in game.max_raises),
        game,
        f"max raises {game.max_raises} are not all 0 to {UNLIMITED_RAISES}",
    )


def _check_cards(game: GameDef) -> None:
    """Refuse decks and deals that cannot be."""
    for name, value, most in (
        ("numSuits", game.num_suits, NUM_SUITS),
        ("numRanks", game.num_ranks, NUM_RANKS),
        ("numHoleCards", game.num_hole_cards, MAX_HOLE_CARDS),
    ):
        _require(1 <= value <= most, game, f"{name} is {value}; it is 1 to {most}")
    board = sum(game.num_board_cards)
    _require(
        min(game.num_board_cards) >= 0 and board <= MAX_BOARD_CARDS,
        game,
        f"board cards {game.num_board_cards} do not add up to 0 to {MAX_BOARD_CARDS}",
    )
    dealt = len(game.blinds) * game.num_hole_cards + board
    cards = game.num_suits * game.num_ranks
    _require(dealt <= cards, game, f"deals {dealt} cards from a deck of {cards}")
    _require(
        game.ranking in RANKINGS,
        game,
        f"no ranking {game.ranking!r}; there are {', '.join(sorted(RANKINGS))}",
    )
    sizes = RANKINGS[game.ranking].sizes
    _require(
        game.num_hole_cards + board in sizes,
        game,
        f"ranking {game.ranking!r} compares hands of {sizes.start} to {sizes.stop - 1} cards, "
        f"not {game.num_hole_cards + board}",
    )


def parse_game(text: str, name: str) -> GameDef:
    """Rules from the text of a game definition file; the name is for messages."""
    values: dict[str, tuple[int, ...]] = {}
    no_limit = False
    ranking = "standard"
    begun = ended = False
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line.split("#", 1)[0].strip())
        if match is None:
            if line.split("#", 1)[0].strip():
                raise RulesError(f"{name}, line {number}: cannot read {line.strip()[:60]!r}")
            continue
        key, rest = match[1].lower(), match[2].strip()
        if not begun:
            if key != "gamedef":
                raise RulesError(f"{name}, line {number}: a game file begins with GAMEDEF")
            begun = True
        elif (key, rest.lower()) == ("end", "gamedef"):
            ended = True
            break
        elif key in ("limit", "nolimit"):
            no_limit = key == "nolimit"
        elif key == "ranking":
            ranking = rest.lower()
        elif key in _KEYS and key not in values:
            values[key] = _integers(rest, f"{name}, line {number}: {_KEYS[key][0]}")
        else:
            problem = "is given twice" if key in _KEYS else "is no key of a game file"
            raise RulesError(f"{name}, line {number}: {match[1]} {problem}")
    if not ended:
        raise RulesError(f"{name}: the game file does not end with END GAMEDEF")
    return _assemble(name, no_limit, ranking, values)


def _integers(text: str, where: str) -> tuple[int, ...]:
    """The integers of one line, bounded so that no later arithmetic can surprise."""
    numbers = text.split()
    if not numbers:
        raise RulesError(f"{where} has no value")
    for number in numbers:
        if not re.fullmatch(r"[+-]?[0-9]{1,10}", number):
            raise RulesError(f"{where} is an integer of up to 10 digits, not {number[:20]!r}")
    return tuple(map(int, numbers))


def _assemble(
    name: str, no_limit: bool, ranking: str, values: dict[str, tuple[int, ...]]
) -> GameDef:
    """Check that every key has as many values as the game needs, and fill in the defaults."""

    def one(key: str, most: int) -> int:
        found = values.get(key, ())
        if len(found) != 1 or not 1 <= found[0] <= most:
            raise RulesError(f"{name}: {_KEYS[key][0]} must be one number, 1 to {most}")
        return found[0]

    players, rounds = one("numplayers", MAX_PLAYERS), one("numrounds", MAX_ROUNDS)

    def several(key: str, default: int | None) -> tuple[int, ...]:
        spelled, per = _KEYS[key]
        count = players if per == "player" else rounds
        found = values.get(key, () if default is None else (default,) * count)
        if len(found) != count:
            raise RulesError(
                f"{name}: {spelled} has {len(found)} values; it needs {count}, one a {per}"
            )
        return found

    return GameDef(
        name=name,
        no_limit=no_limit,
        blinds=several("blind", None),
        stacks=several("stack", UNLIMITED_CHIPS),
        raise_sizes=() if no_limit else several("raisesize", None),
        max_raises=several("maxraises", UNLIMITED_RAISES),
        first_players=tuple(p - 1 for p in several("firstplayer", 1)),
        num_suits=one("numsuits", NUM_SUITS),
        num_ranks=one("numranks", NUM_RANKS),
        num_hole_cards=one("numholecards", MAX_HOLE_CARDS),
        num_board_cards=several("numboardcards", None),
        ranking=ranking,
    )


def format_game(game: GameDef) -> str:
    """The definition file of a game, as the competition's dealer prints it."""
    values: dict[str, tuple[int, ...]] = {
        "numplayers": (game.num_players,),
        "numrounds": (game.num_rounds,),
        "stack": game.stacks if min(game.stacks) < UNLIMITED_CHIPS else (),
        "blind": game.blinds,
        "raisesize": game.raise_sizes,
        "firstplayer": tuple(p + 1 for p in game.first_players) if any(game.first_players) else (),
        "maxraises": game.max_raises if min(game.max_raises) < UNLIMITED_RAISES else (),
        "numsuits": (game.num_suits,),
        "numranks": (game.num_ranks,),
        "numholecards": (game.num_hole_cards,),
        "numboardcards": game.num_board_cards,
    }
    lines = ["GAMEDEF", "nolimit" if game.no_limit else "limit"]
    for key, (spelled, _) in _KEYS.items():
        if values[key]:
            lines.append(f"{spelled} = {' '.join(map(str, values[key]))}")
    if game.ranking != "standard":
        lines.append(f"ranking = {game.ranking}")
    lines.append("END GAMEDEF")
    return "\n".join(lines) + "\n"
