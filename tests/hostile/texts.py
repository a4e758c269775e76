"""Every reader of text, with sound inputs of its own."""

import json
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from endspiel.abstraction.plan import Plan, parse_branching
from endspiel.arena.protocol.phh import read_phh, write_phh
from endspiel.arena.protocol.replies import read_reply
from endspiel.betting.menu import parse_menu
from endspiel.betting.model import load_model
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board, parse_cards
from endspiel.cli.typed_bets import parse_bet
from endspiel.endgame.river.menus import SHIPPED, load_menus
from endspiel.errors import EndspielError
from endspiel.game import Profile
from endspiel.game.post import Post
from endspiel.games import tree
from endspiel.games.card_game import CardGame
from endspiel.games.efg import load_efg
from endspiel.games.export import load_strategy, to_csv, to_json
from endspiel.games.nodes import find_everywhere, find_place
from endspiel.games.registry import load_game
from endspiel.games.spot import load_spot, parse_spot
from endspiel.games.toy import kuhn
from endspiel.rules.acpc import parse_reply, parse_state
from endspiel.rules.amounts import parse_phh, parse_pokerstars, parse_slumbot
from endspiel.rules.builtin import load_rules
from endspiel.rules.log import parse_record, parse_score, read_lines
from endspiel.rules.replay import replay_log
from endspiel.rules.state import start
from endspiel.solvers.boards.locks import parse_lock
from endspiel.solvers.memory import parse_bytes
from endspiel.solving.spots import card_game
from endspiel.web.messages import CheckAsked, decode
from endspiel.web.spots import file_spot
from tests.blueprint.small import MODEL
from tests.hostile.mutate import hostile_text
from tests.hostile.search import Target
from tests.hostile.study_texts import PHH_HANDS, study_texts, use_hands
from tests.solving.spots import RIVER, TURN

DATA = Path(__file__).parents[1] / "data"
SHORT = 300  # bytes
MOST_NODES = 3000  # of a betting tree: larger ones are refused here, as elsewhere later
GAMES = ("kuhn:cards=4", "leduc:ranks=3,suits=2", "coin-toss:left=0.5,forfeit=yes", "rps",
         "clairvoyance:pot=1,bet=1", "guess-the-ace(cards=52)", "choose-endgame")  # fmt: skip
RANGES = ("TT-22,AJs-A2s,KQo:0.5", "22+,A2s+,AhKh:0.25", "random", "A5s-A2s, KTo+ ,JcTc")
CARDS = ("Qs Jh 2h 4c", "QsJh2h", "As")
MENUS = ("50%, 100%, a", "2.5x, 100c, e, 3e", "33.3%,75%", "")
LOCKS = ("b200: f 0.3, c 0.7", ": random c 1", ": c 50%, b200 50%", "c: TT c 1")
NODES = ("", "c b200", "b200 c / 8d", "c c / 8d c")
STATES = ("c", "r300", "r20000", "f", "cr100")


@cache
def _turn() -> CardGame:
    return card_game(parse_spot(TURN))


@cache
def _river() -> CardGame:
    return card_game(parse_spot(RIVER))


def _file(scratch: Path, name: str, use: Callable[[Path], object]) -> Callable[[str], object]:
    """Use a text through a file of a name."""

    def through(text: str) -> object:
        path = scratch / name
        path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
        return use(path)

    return through


def _use_spot(path: Path) -> object:
    return load_spot(path).tree(MOST_NODES)


def _use_model(path: Path) -> object:
    model = load_model(path)
    if len(path.read_bytes()) < SHORT:  # the shipped one takes a tenth of a second to grow
        model.tree(load_rules("nolimit-holdem"), limit=MOST_NODES)
    return model


def _use_action(text: str) -> None:
    """Every notation of one action, from the first decision of a hand."""
    state = start(load_rules("nolimit-holdem"))
    for parse in (parse_bet, lambda text, state: parse_phh(state, text)):
        _refusable(parse, text, state)
    for notation in (parse_slumbot, parse_pokerstars):
        _refusable(notation, state, text)
    read_reply(state, "MATCHSTATE:0:0::AsKs|", text)


def _refusable(parse: Callable[..., object], *given: Any) -> None:
    """Let a parser refuse what another may take."""
    with suppress(EndspielError):
        parse(*given)


def _use_menu(text: str) -> object:
    _refusable(parse_menu, text)
    return parse_menu(text, raising=True)


def _use_small_game(text: str) -> object:
    """A game by name, if it is quick to build."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "MOST_HISTORIES", 20_000)
        return load_game(text)


def _use_lock(text: str) -> object:
    _refusable(parse_lock, _turn(), text)
    return parse_lock(_river(), text)


def _use_node(text: str) -> object:
    _refusable(find_everywhere, _turn(), text)
    return find_place(_turn(), text)


def _text_targets() -> dict[str, tuple[tuple[str, ...], Callable[[str], object]]]:
    """Sound texts and what reads them, without a file."""
    game = load_rules("nolimit-holdem")
    log = (DATA / "acpc" / "dealer-nolimit-seed42.log").read_text().splitlines()
    records = tuple(line for line in log if line.startswith("STATE:"))
    states = tuple("MATCHSTATE:0" + line[5:].rsplit(":", 2)[0] for line in records)
    scores = tuple(line for line in log if line.startswith("SCORE:"))
    return {
        "range": (RANGES, parse_range),
        "cards": (CARDS, lambda text: (parse_cards(text), parse_board(text))),
        "menu": (MENUS, _use_menu),
        "branching": (("8-12-4-4", "1-1-1-1"), lambda text: Plan(parse_branching(text))),
        "memory": (("8GB", "500MB", "2.5GiB"), parse_bytes),
        "post": (("none", "purify", "threshold:0.15"), Post.parse),
        "game spec": (GAMES, _use_small_game),
        "lock": (LOCKS, _use_lock),
        "node": (NODES, _use_node),
        "action": (STATES, _use_action),
        "page file": (_spot_json(), lambda text: file_spot("spot.json", text.encode())),
        "page message": (_messages(), lambda text: decode(text.encode(), CheckAsked)),
        "acpc state": (states, lambda text: parse_state(game, text)),
        "acpc reply": (_replies(), lambda text: parse_reply(game, text)),
        "acpc record": (records, lambda text: parse_record(game, text)),
        "acpc score": (scores, lambda text: parse_score(game, text)),
        **study_texts(),
    }


def _replies() -> tuple[str, ...]:
    """What players answered in a match."""
    lines = (DATA / "acpc" / "transcript-nolimit-seed42.txt").read_text().splitlines()
    return tuple(line.split()[-1] for line in lines if line.startswith("FROM "))


def _read(*parts: str) -> tuple[str, ...]:
    return tuple(path.read_text() for part in parts for path in sorted(DATA.glob(part)))


def _spot_json() -> tuple[str, ...]:
    return tuple(json.dumps(spot) for spot in (RIVER, TURN))


def _messages() -> tuple[str, ...]:
    return tuple(json.dumps({"spot": json.loads(text)}) for text in _spot_json())


def _hands(scratch: Path) -> tuple[str, ...]:
    game = load_rules("nolimit-holdem")
    log = DATA / "acpc" / "dealer-nolimit-seed42.log"
    lines = [line for _, line in read_lines(log) if line.startswith("STATE:")]
    write_phh([parse_record(game, line) for line in lines[:4]], scratch / "hands.phhs")
    return ((scratch / "hands.phhs").read_text(),)


def text_targets(scratch: Path) -> list[Target]:
    """All of them; files are written in a folder."""
    small, uniform = kuhn(), Profile.uniform(kuhn())
    no_limit = load_rules("nolimit-holdem")
    lock_csv = ("hand,f,c,r400\nAA,0.5,0.5,0\nKTs,0,1,0\n", "hand,f,c,r400\nrandom,1,0,0\n")
    through_files: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
        "spot.toml": (_read("spots/river_*.toml", "spots/turn.toml"), _use_spot),
        "spot.json": (_spot_json(), _use_spot),
        "spot.txt": (_read("spots/libratus/*3.txt"), _use_spot),
        "game.efg": (_read("efg/*.efg"), load_efg),
        "rules.game": (_read("acpc/*.game"), load_rules),
        "dealer.log": (
            _read("acpc/dealer-leduc-seed17.log", "acpc/dealer-nolimit-seed42.log"),
            lambda path: replay_log(path),
        ),
        "hands.phhs": (_hands(scratch), lambda path: read_phh(no_limit, path)),
        "model.toml": ((*_read("../../src/endspiel/betting/data/*.toml"), MODEL), _use_model),
        "menus.toml": ((SHIPPED.read_text(),), load_menus.__wrapped__),
        "strategy.json": ((to_json(small, uniform),), lambda path: load_strategy(path, small)),
        "strategy.csv": ((to_csv(small, uniform),), lambda path: load_strategy(path, small)),
        "lock.csv": (lock_csv, lambda path: parse_lock(_river(), f"c b200 = {path}")),
        "history.txt": (
            _read("hands/ggpoker.txt", "hands/888*.txt", "hands/winamax.txt"),
            use_hands,
        ),
        "hand.phh": (PHH_HANDS, use_hands),
    }
    targets = [
        Target(name, sound, hostile_text, use) for name, (sound, use) in _text_targets().items()
    ]
    for name, (sound, use) in through_files.items():
        targets.append(Target(name, sound, hostile_text, _file(scratch, name, use)))
    return targets
