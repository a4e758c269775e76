"""Batches by the NumPy twin against the board kernels, game by game."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

from endspiel.betting import no_limit_tree
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import parse_board
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES
from endspiel.errors import EndspielError, GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.games.card_tree import card_tree
from endspiel.gpu.backend import StreamBackend, StreamBatch, numpy_machine
from endspiel.gpu.layout import game_bytes, grouped, lay_out, split
from endspiel.gpu.machine import Kind
from endspiel.gpu.shape import game_shape
from endspiel.gpu.stream import (
    COLUMNS,
    EVALUATE,
    FORWARD,
    LOAD,
    NOWHERE,
    POST,
    compile_street,
    decode,
    encode,
)
from endspiel.gpu.twin import Twin
from endspiel.solvers.boards.backend import BoardBackend
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.boards.locks import apply_locks, parse_lock
from tests.games.spots import menu_sizing, random_game, small_game

DCFR = SPOT_SCHEMES["dcfr"]
RIVER, TURN, FLOP = "Jc 6s 2c Kd Qc", "Qs Jh 2h 4c", "Qs Jh 2h"
MENUS = menu_sizing("50%, a", "60%")


def river(board: str, ranges: tuple[str, str], pot: int = 20, stack: int = 60) -> CardGame:
    cards, (first, second) = parse_board(board), (parse_range(text) for text in ranges)
    return CardGame(no_limit_tree(pot, stack, 3, MENUS), card_tree(cards, (first, second)))


def mixed_rivers() -> list[CardGame]:
    """Other boards, ranges, pots and stacks; the first three are of one shape."""
    return [
        river(RIVER, ("AA:0.5,QJs,T9s,77", "KK,T9s:0.25,A5s,66")),
        river("2c 3d 9h Ts Ad", ("22+:0.3,A2s+", "QQ,54s")),
        river("Ah Kh 7c 7d 2s", ("random", "22+,A2s+,K9s+:0.3"), 200, 600),
        river(RIVER, ("AcAd", "AcKc:0.3,7h2d"), 40, 20),
        small_game("Jc 6s 2c Kd Qc", ("AsAh,AsKs", "AsKh:0.1,AhKc,TcTs"), menu_sizing("a")),
    ]


MANY = 200  # boards of which only some are compared


def boards_of(game: CardGame) -> list[tuple[int, int, int]]:
    """Every street, board and player; of many, every 29th."""
    streets = enumerate(game.tree.streets)
    found = [(s, b, p) for s, boards in streets for b in range(len(boards)) for p in (0, 1)]
    return found if len(found) <= MANY else found[::29]


def take_over(batch: StreamBatch, number: int, one: BoardBackend) -> None:
    """Let a batch's game go on from the regrets of the board kernels."""
    if 2 * sum(one.game.tree.num_boards) > MANY:
        return
    for s, b, p in boards_of(one.game):
        rows = one.store.read(one.store.regret, s, b, p)
        batch.write(Kind.REGRET, (number, s, b, p), rows)


def assert_equal_rows(batch: StreamBatch, number: int, one: BoardBackend, kind: Kind) -> None:
    """Regrets or averages are the same, up to what 32-bit floats round away."""
    sums = one.store.regret if kind == Kind.REGRET else one.store.average
    scale = 1 + 2 * one.game.betting.stack / one.game.betting.pot
    scale *= max(weights.sum() for weights in one.game.tree.ranges) if kind == Kind.REGRET else 1
    for s, b, p in boards_of(one.game):
        found, right = batch.read(kind, (number, s, b, p)), one.store.read(sums, s, b, p)
        np.testing.assert_allclose(found, right, rtol=2e-6, atol=1e-6 * scale)


def assert_equal_games(games: Sequence[CardGame], scheme: str = "dcfr", steps: int = 6) -> None:
    """Each half of some iterations, from the same regrets; then values and exploitability."""
    how = SPOT_SCHEMES[scheme]
    batch, ones = StreamBatch(games), [BoardBackend(game) for game in games]
    for t in range(1, steps + 1):
        for player in (0, 1):
            by = how.at(t, batch.longest_average)
            values = batch.learn(player, by)
            for number, one in enumerate(ones):
                scale = 1e-6 * (1 + 2 * one.game.betting.stack / one.game.betting.pot)
                right = one.learn(player, by)
                np.testing.assert_allclose(values[number], right, atol=scale)
                assert_equal_rows(batch, number, one, Kind.REGRET)
                take_over(batch, number, one)
    for number, one in enumerate(ones):
        assert_equal_rows(batch, number, one, Kind.AVERAGE)
    gaps, worth = batch.exploitability(), batch.value()
    for number, game in enumerate(games):
        solve = BoardCFR(game, how)
        solve.backend.store.restore(ones[number].state())
        assert gaps[number] == pytest.approx(solve.exploitability(), abs=1e-5)
        assert worth[number] == pytest.approx(solve.value(), abs=1e-5)


@pytest.mark.parametrize("scheme", SPOT_SCHEMES)
def test_rivers_side_by_side_are_the_rivers_alone(scheme: str) -> None:
    assert_equal_games(mixed_rivers(), scheme)


def test_turns_side_by_side_are_the_turns_alone() -> None:
    ranges = ("AhKh,QQ:0.5,T9s,A5s", "JJ,AhTh:0.7,99,K2s")
    sizing = menu_sizing("50%", "a")
    assert_equal_games(
        [
            small_game(TURN, ranges, sizing),
            small_game(TURN, ranges, sizing, symmetry=True),
            small_game("2s 2h 9c Td", ("random", "AKs,QQ:0.25"), sizing, stack=31, symmetry=True),
            small_game(TURN, ("AKs,QQ", "JJ,KTs:0.2,AhTh"), menu_sizing("a"), stack=15),
        ],
        steps=3,
    )


def test_a_flop_is_the_flop_alone() -> None:
    ranges = ("AKs,QQ:0.5", "JJ,ATs:0.7")
    game = small_game("Qs Js 2s", ranges, menu_sizing("50%"), symmetry=True)
    assert sum(game.tree.num_boards) < 900
    assert_equal_games([game], steps=2)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["dcfr", "cfr+"])
def test_flops_of_many_boards_are_the_flops_alone(scheme: str) -> None:
    ranges = ("AKs,QcQd:0.5", "JJ,AhTh:0.7")
    games = [small_game(FLOP, ranges, menu_sizing("a"), stack=20)]
    games.append(small_game("Qs Jh 2c", ("AKs,QQ", "JJ:0.5"), menu_sizing("50%"), symmetry=True))
    assert_equal_games(games, scheme, steps=2)


@pytest.mark.parametrize("seed", range(10))
def test_random_games_are_the_games_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    assert_equal_games([random_game(rng, int(rng.choice([2, 3]))) for _ in range(3)], steps=3)


def test_an_endgame_may_begin_facing_a_bet() -> None:
    """The other player may fold at once: the mass that comes in is then paid too."""
    game = mixed_rivers()[0]
    for line in ("b10", "c b10"):
        cut = CardGame(game.betting, game.tree, node=game.betting.find(line))
        assert_equal_games([cut])


def test_iterations_left_alone_stay_near_the_board_kernels() -> None:
    games = mixed_rivers()[:3]
    batch = StreamBatch(games)
    batch.iterate([DCFR.at(t, batch.longest_average) for t in range(1, 201)])
    for game, gap, worth in zip(games, batch.exploitability(), batch.value(), strict=True):
        solve = BoardCFR(game, DCFR)
        solve.advance(200)
        assert 0 < gap < 3e-3
        assert 0 < solve.exploitability() < 3e-3
        assert worth == pytest.approx(solve.value(), abs=2e-3)


def test_iterations_are_halves_in_turn_to_the_bit() -> None:
    """Averages added to on the way are those of iterations 1 to T, however many at a time."""
    games = mixed_rivers()[:2]
    schedule = [DCFR.at(t) for t in range(1, 7)]
    whole, parts, halves = StreamBatch(games), StreamBatch(games), StreamBatch(games)
    whole.iterate(schedule)
    parts.iterate(schedule[:2])
    parts.iterate(schedule[2:])
    for by in schedule:
        for player in (0, 1):
            halves.learn(player, by)
    for batch in (parts, halves):
        for name, right in whole.state().items():
            assert np.array_equal(batch.state()[name], right), name


def test_wider_floats_measure_the_same_exploitability() -> None:
    game = mixed_rivers()[2]
    batches = [
        StreamBatch([game]),
        StreamBatch([game], lambda games: numpy_machine(games, np.float64)),
    ]
    batches[0].iterate([DCFR.at(t) for t in range(1, 31)])
    batches[1].restore(batches[0].state())
    gaps = [batch.exploitability()[0] for batch in batches]
    assert gaps[0] == pytest.approx(gaps[1], abs=1e-5)


def test_locked_decisions_stay_and_the_others_answer() -> None:
    games = [mixed_rivers()[0], small_game(TURN, ("AKs,QQ", "JJ,KTs"), menu_sizing("50%"))]
    texts = [
        ["c b10: f 0.5, c 0.25, r34 0.25", "b10: random c 1, KK r34 1"],
        ["c c / c: c 1, b10 0"],
    ]
    batch, ones = StreamBatch(games), [BoardCFR(game, DCFR) for game in games]
    for number, (one, written) in enumerate(zip(ones, texts, strict=True)):
        locks = [parse_lock(one.game, text) for text in written]
        apply_locks(one, locks)
        batch.apply_locks(number, locks)
    for t in range(1, 5):
        for player in (0, 1):
            by = DCFR.at(t)
            batch.learn(player, by)
            for number, one in enumerate(ones):
                one.backend.learn(player, by)
                assert_equal_rows(batch, number, one.backend, Kind.REGRET)
                take_over(batch, number, one.backend)
    for gap, one in zip(batch.exploitability(), ones, strict=True):
        assert gap == pytest.approx(one.exploitability(), abs=1e-5)


def test_roots_may_change_between_halves() -> None:
    """As a gadget's root has it: the opponent comes with other masses in every iteration."""
    rng = np.random.default_rng(3)
    games = mixed_rivers()[:2]
    batch, ones = StreamBatch(games), [BoardBackend(game) for game in games]
    for t in range(1, 6):
        for player in (0, 1):
            values = batch.learn(player, DCFR.at(t))
            for number, one in enumerate(ones):
                right = one.learn(player, DCFR.at(t))
                np.testing.assert_allclose(values[number], right, atol=2e-6)
                take_over(batch, number, one)
                masses = rng.random(len(one.root(1)))
                one.set_root(1, masses)
                batch.set_root(number, 1, masses)
    for number, one in enumerate(ones):
        assert_equal_rows(batch, number, one, Kind.AVERAGE)


def test_weights_that_grow_are_scaled_without_a_trace() -> None:
    game = mixed_rivers()[0]
    one, two = StreamBatch([game]), StreamBatch([game])
    for batch, halves in ((one, 1), (two, 4)):
        batch.iterate([DCFR.at(1)])
        fast = DCFR.at(2)._replace(average=2.0**-30)
        for _ in range(4 // halves):
            batch.iterate([fast] * halves)
    assert one.weights[0] < two.weights[0] or one.weights == two.weights
    for where in ((0, 0, 0, 0), (0, 0, 0, 1)):
        rows = [batch.read(Kind.AVERAGE, where) for batch in (one, two)]
        np.testing.assert_allclose(*rows, rtol=1e-6)


# Streams.


def twin_with_slots(count: int, games: Sequence[CardGame]) -> Twin:
    return Twin(lay_out(games, lambda shape, street: count))


@pytest.mark.parametrize("slots", [1, 2, 5])
def test_rows_may_be_anywhere(slots: int) -> None:
    games = [small_game(RIVER, ("AA,QJs", "KK,T9s"), menu_sizing("25%, 60%, 150%, a", "50%, a"))]
    found = []
    for count in (slots, 40):
        batch = StreamBatch(games, partial(twin_with_slots, count))
        batch.iterate([DCFR.at(t) for t in range(1, 5)])
        found.append([batch.read(Kind.REGRET, (0, 0, 0, p)) for p in (0, 1)])
        assert (batch.machines[0].layout.streets[0].streams[0].scratch == 0) == (count == 40)
    for one, two in zip(*found, strict=True):
        assert np.array_equal(one, two)


def test_a_stream_survives_its_words() -> None:
    sizing = menu_sizing("10%, 20%, 30%, 40%, 70%, 100%, 200%, 300%, a", "a")
    game = small_game(RIVER, ("AA", "KK"), sizing, stack=90)
    for player in (0, 1):
        stream = compile_street(game_shape(game)[0], player, 13)
        assert max(op.actions for op in stream.ops) > 8
        assert decode(encode(stream)) == list(stream.ops)


def test_lines_are_loaded_four_at_once_where_there_is_room() -> None:
    game = small_game(TURN, ("AhKh,QQ:0.5", "JJ,AhTh:0.7"), menu_sizing("50%", "a"))
    shape = game_shape(game)[1]
    lines = list(range(len(shape.lines)))
    assert len(lines) == 5
    for player in (0, 1):
        wide, narrow = (compile_street(shape, player, slots).ops for slots in (13, 4))
        assert [op.actions for op in wide if op.kind == LOAD] == [4, 1]
        assert {op.actions for op in narrow if op.kind == LOAD} == {1}
        for ops in (wide, narrow):
            assert sorted(op.line for op in ops if op.line != NOWHERE) == lines
    found = []
    for slots in (13, 4):
        batch = StreamBatch([game], partial(twin_with_slots, slots))
        batch.iterate([DCFR.at(1), DCFR.at(2)])
        found.append(batch.best_values(0)[0])
    assert np.array_equal(*found)


def test_folds_are_no_columns() -> None:
    """Columns are the sequences of the other player that do not fold, and the line that comes."""
    game = mixed_rivers()[0]
    shape = game_shape(game)[0]
    for player in (0, 1):
        ops = compile_street(shape, player, 13).ops
        others = [node for node in shape.nodes if node.player != player]
        calls = sum(len(node.actions) - (node.fold is not None) for node in others)
        columns = calls + (shape.nodes[0].player == player)
        assert sum(op.actions for op in ops if op.kind == EVALUATE) == columns
        assert sum(op.kind == POST for op in ops) == columns
        assert sum(op.kind == FORWARD for op in ops) == len(others)
        assert sum(op.kind == EVALUATE for op in ops) == -(-columns // COLUMNS)


# Groups and memory.


def test_games_of_one_shape_share_a_stream() -> None:
    games = mixed_rivers()
    groups = grouped(games)
    assert sorted(number for group in groups for number in group) == list(range(len(games)))
    by_game = {number: i for i, group in enumerate(groups) for number in group}
    assert by_game[0] != by_game[3]  # other shapes
    assert by_game[0] != by_game[2]  # other widths
    again = river("2c 3d 9h Ts Ad", ("QQ", "54s"), 200, 600)
    assert grouped([games[0], again]) == [[0, 1]]


def test_a_batch_is_cut_to_fit_and_refused_with_the_figure() -> None:
    games = mixed_rivers()[:1] * 5
    size = game_bytes(games[0])
    assert split(games, range(5), 2 * size) == [[0, 1], [2, 3], [4]]
    with pytest.raises(EndspielError, match=r"needs .* and .* are there"):
        split(games, range(5), size - 1)


@pytest.mark.parametrize("street", [2, 3])
def test_memory_is_told_before_it_is_taken(street: int) -> None:
    rng = np.random.default_rng(street)
    game = random_game(rng, street)
    machine = numpy_machine([game])
    kept = sum(array.nbytes for array in machine.state().values())
    tables = 0
    for layout in machine.layout.streets:
        parts = [layout.tables.scatter, layout.tables.gather, layout.tables.same]
        parts += [layout.links.above, layout.links.below] if layout.links else []
        tables += sum(part.nbytes for part in parts)
    assert kept + tables <= game_bytes(game)


def test_what_a_batch_cannot_do_is_refused() -> None:
    game = mixed_rivers()[0]
    shared = CardGame(game.betting, game.tree, buckets=Buckets(1, np.zeros((1, 1326), np.int32)))
    with pytest.raises(GameError, match="without buckets"):
        StreamBatch([shared])
    with pytest.raises(GameError, match="without prediction"):
        Driver(StreamBackend(game), SCHEMES["pcfr+"])
