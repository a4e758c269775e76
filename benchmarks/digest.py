"""Digests of solves: a change of the kernels that changes their digits is seen here.

Hashes are of arrays to the last bit, for the kernels write out the order of every sum: boards and
the tables behind them, small games and training, on any processor. The excessive gap technique
takes exponentials from the system's library, and linear programs are a library's: four digits of
their results stand in place of a hash. Training multiplies full matrices by BLAS, which adds in an
order of its own; here all its products go by the kernel for sparse ones.
`digest.json` beside this file holds the expected digests. `python benchmarks/digest.py --write`
sets it; `docs/lessons.md` says why digits changed.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from _version_work import made_up_joint
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.model import parse_model
from endspiel.blueprint import train_products
from endspiel.blueprint.train import Trainer, measured
from endspiel.blueprint.training import Setting
from endspiel.cards.deck import NUM_CARDS
from endspiel.cards.equity import equities
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.strength import board_strengths, strengths
from endspiel.cards.strength_tables import strength_tables
from endspiel.cards.text import parse_board, parse_cards
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import named
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES
from endspiel.game import Game
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.games.leduc_holdem import leduc
from endspiel.games.spot import Spot, parse_spot
from endspiel.games.toy import kuhn
from endspiel.reproduce.nlfh_buckets import bucket_count, flop_buckets
from endspiel.reproduce.nlfh_game import UNIT, FlopGame
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, start
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from endspiel.solvers.lp import solve as solve_lp
from endspiel.solvers.solve import solve
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import prepare

EXPECTED = Path(__file__).with_name("digest.json")
HANDS = "22+,A2s+,K7s+,Q9s+,JTs,T9s,98s,A9o+,KTo+,QJo", "22+,A5s+,K9s+,QTs+,JTs,87s,76s,ATo+,KQo"
FEW = "TT-88,AJs-A9s,KQs", "55+,A8s+,KTs+,QTs+"
RIVER = ("Qs Jh 2h 4c 7d", HANDS, {"river": {"bet": "33%, 75%, 125%, a", "raise": "60%, a"}})
PAIRED = ("9c 9d 9h 4s 4c", HANDS, {"river": {"bet": "50%, a", "raise": "a"}})
TURN = (
    "Qs Jh 2h 4c",
    HANDS,
    {"turn": {"bet": "50%, a", "raise": "60%"}, "river": {"bet": "75%", "raise": "a"}},
)
ONE_SUIT = ("Ah Th 6h 2h", FEW, {"turn": {"bet": "50%"}, "river": {"bet": "75%, a"}})
FLOP = (
    "Qs Jh 2h",
    FEW,
    {"flop": {"bet": "50%"}, "turn": {"bet": "75%"}, "river": {"bet": "75%", "raise": "a"}},
)
BOARDS = ("Qs Jh 2h 4c 7d", "9c 9d 9h 4s 4c", "As Ks Qs Js Ts", "2h 3h 4h 5h 7h", "Kc Kd 8s 8h 2c")

Table = tuple[str, tuple[str, str], dict[str, dict[str, str]]]


def _hash(*arrays: Any) -> str:
    """Sixteen hexadecimal digits of arrays, their types and shapes."""
    found = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        found.update(f"{values.dtype.str}{values.shape}".encode())
        found.update(values.tobytes())
    return found.hexdigest()[:16]


def _digits(*numbers: float) -> str:
    """Four digits of numbers whose last ones follow the machine."""
    return " ".join(f"{number:.4g}" for number in numbers)


def _spot(table: Table, **more: Any) -> Spot:
    board, ranges, menus = table
    return parse_spot(
        {"board": board, "pot": 200, "stack": 900, "ranges": list(ranges), **menus, **more}, "here"
    )


def _solved(
    table: Table, method: str, iterations: int, options: SpotOptions | None = None, **more: Any
) -> str:
    task = prepare(_spot(table, **more), method, options)
    solvers: list[BoardCFR] = []
    run = task.run(Limits(iterations=iterations), solvers.append)
    sums = solvers[0].store.regret, run.boards.average
    arrays = [array for each in sums for array in (each if isinstance(each, tuple) else [each])]
    hashed = _hash(*arrays)
    return f"{hashed} {_digits(run.exploitability, run.value)}"


def _tables() -> str:
    return _hash(
        *(
            array
            for cards in (5, 6, 7)
            for array in strength_tables(cards)  # arrays, then shift and mask
        )
    )


def _board_strengths() -> str:
    boards = [parse_board(text) for text in BOARDS]
    return _hash(*(board_strengths(board[:n]) for board in boards for n in (3, 4, 5)))


def _hand_strengths() -> str:
    rng = np.random.default_rng(5)
    hands = np.stack([rng.choice(NUM_CARDS, 7, replace=False) for _ in range(500)])
    return _hash(*(strengths(hands[:, :n]) for n in (5, 6, 7)))


def _equities() -> str:
    held = parse_range(HANDS[0])
    return _hash(*(equities(held, parse_board(BOARDS[0])[:n]) for n in (4, 5)))


def _hands_of_boards() -> str:
    weights = parse_range(FEW[0]), parse_range(FEW[1])
    tree = card_tree(parse_board(BOARDS[0])[:3], weights)
    return _hash(*(hands for street in tree.streets for board in street for hands in board.hands))


def _values_of_a_turn() -> str:
    solver = BoardCFR(_game(TURN), SPOT_SCHEMES["dcfr"])
    solver.advance(20)
    backend = solver.backend
    found = [measure(player) for player in (0, 1) for measure in _measures(backend)]
    return _hash(*found, backend.action_values(0, 0, 1), backend.action_values(1, 3, 0))


def _measures(backend: Any) -> tuple[Callable[[int], Any], ...]:
    return backend.best_values, backend.average_values


def _game(table: Table) -> CardGame:
    return prepare(_spot(table), "dcfr").game


def _buckets() -> str:
    """Hands that share rows: flop hold'em with four ranks."""
    game = FlopGame("small", 4)
    buckets = flop_buckets(game.cards, bucket_count(game.cards), "strength")
    solver = BoardCFR(
        CardGame(game.betting, game.cards, unit=UNIT, buckets=buckets), SPOT_SCHEMES["dcfr"]
    )
    solver.advance(6)
    return _hash(solver.store.regret, solver.store.average)


def _gadget(technique: str) -> str:
    """A river solved safely, by the gadget's root."""
    board = tuple(parse_cards("Ks Th 7s 4d 2s"))
    state = start(load_rules("nolimit-holdem"))
    for action in (900, CALL, CALL, CALL, CALL, CALL):
        state = state.apply(action)
    live = live_hands(board)
    ranges = parse_range(HANDS[0]) * live, parse_range(HANDS[1]) * live
    sizing = Sizing.same(StreetMenu.parse("50%, 100%", "100%"), max_raises=3)
    endgame = LiveEndgame(state, board, (live, ranges[1]), sizing)
    leaves = np.linspace(-900.0, 900.0, len(live))
    nothing = np.zeros(len(live))
    gap = endgame.solve_safely(
        1, named(technique), Offer(leaves, nothing, ranges[0]), Limits(0.0, 40)
    )
    store = endgame.solver.store
    return _hash(store.regret, store.average) + " " + _digits(gap)


def _small(game: Game, method: str, iterations: int) -> str:
    solution = solve(game, method, Limits(iterations=iterations))
    return _digits(solution.value, solution.exploitability)


def _regrets(game: Game, scheme: str, iterations: int) -> str:
    """A small game by regrets, which are hashed."""
    solver = CFR(game, SCHEMES[scheme])
    solver.advance(iterations)
    found = solver.exploitability()
    return f"{_hash(*solver.state().values())} {_digits(found)}"


def _program(game: Game) -> str:
    return _digits(solve_lp(game).value)


def _training() -> str:
    model = parse_model('name = "small"\n[[rule]]\nraises = 0\nsizes = "100%"\n')
    setting = Setting(
        load_rules("nolimit-holdem"), model, made_up_joint((3, 2, 2, 3)), "made up buckets"
    )
    game = setting.abstract_game(np.float32)
    with patch.object(train_products, "SPARSE", 1.0):
        trainer = Trainer(game, SCHEMES["dcfr"])
        trainer.advance(10)
    found = measured(trainer, game)
    return f"{_hash(*trainer.state().values())} {_digits(found.value, found.mean)}"


def solves() -> Iterator[tuple[str, Callable[[], str]]]:
    """Each digest by name, and how it is made."""
    yield "strength tables", _tables
    yield "strengths of boards", _board_strengths
    yield "strengths of hands", _hand_strengths
    yield "equities", _equities
    yield "hands of boards", _hands_of_boards
    for method in ("dcfr", "cfr+", "linear", "cubic"):
        yield f"river, {method}", partial(_solved, RIVER, method, 60)
    yield "river, paired", lambda: _solved(PAIRED, "dcfr", 60)
    yield "river, rake", lambda: _solved(RIVER, "dcfr", 60, rake="5%", rake_cap=20)
    locks = SpotOptions(locks=("b150: random f 0.25, c 0.75",))
    yield "river, locked", lambda: _solved(RIVER, "dcfr", 60, locks)
    yield "turn", lambda: _solved(TURN, "dcfr", 12)
    two = SpotOptions(threads=2)
    yield "turn, two threads", lambda: _solved(TURN, "dcfr", 12, two)
    yield "turn, one suit", lambda: _solved(ONE_SUIT, "cfr+", 20)
    yield "turn, values", _values_of_a_turn
    yield "flop", lambda: _solved(FLOP, "dcfr", 3)
    short = SpotOptions(storage=16)
    for method in ("dcfr", "cfr+", "cubic"):
        yield f"river, 16 bits, {method}", partial(_solved, RIVER, method, 60, short)
    yield "river, 16 bits, rake", lambda: _solved(RIVER, "dcfr", 60, short, rake="5%", rake_cap=20)
    short_locks = replace(locks, storage=16)
    yield "river, 16 bits, locked", lambda: _solved(RIVER, "dcfr", 60, short_locks)
    short_two = replace(two, storage=16)
    yield "turn, 16 bits, two threads", lambda: _solved(TURN, "dcfr", 12, short_two)
    yield "flop, 16 bits", lambda: _solved(FLOP, "dcfr", 3, short)
    yield "buckets", _buckets
    for technique in ("resolve", "maxmargin"):
        yield f"gadget, {technique}", partial(_gadget, technique)
    yield "leduc, cfr+", lambda: _regrets(leduc(), "cfr+", 60)
    yield "leduc, egt", lambda: _small(leduc(), "egt", 60)
    yield "leduc of five ranks, dcfr", lambda: _regrets(leduc(ranks=5), "dcfr", 30)
    yield "kuhn, lp", lambda: _program(kuhn())
    yield "training", _training


def digests() -> dict[str, str]:
    """Every digest by name."""
    return {name: make() for name, make in solves()}


def expected() -> dict[str, str]:
    """The committed digests."""
    found: dict[str, str] = json.loads(EXPECTED.read_text())
    return found


def main() -> None:
    """Print the digests; with --write, commit to them, else say which are not as expected."""
    found = digests()
    if "--write" in sys.argv:
        EXPECTED.write_text(json.dumps(found, indent=2) + "\n")
    known = expected()
    for name, digest in found.items():
        right = known.get(name)
        print(f"{name:27} {digest}" + ("" if digest == right else f"  expected {right}"))
    changed = [name for name in found if found[name] != known.get(name)]
    print(f"{len(found)} digests, {len(changed)} not as expected")


if __name__ == "__main__":
    main()
