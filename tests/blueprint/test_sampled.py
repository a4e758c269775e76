"""Public chance sampling: every board's walk, what it adds up to, and where it leads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from endspiel.abstraction.boards import some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Plan
from endspiel.abstraction.work import Store, Workers
from endspiel.betting import Sizing, StreetMenu, no_limit_tree
from endspiel.betting.limit import limit_tree
from endspiel.betting.model import BettingModel, parse_model
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.blueprint.joint import Joint, count_joint
from endspiel.blueprint.sampled import PAIRS, SampledCFR, SampledGame, Sampling
from endspiel.blueprint.sampled_boards import BOARD_CARDS, FlopDealer, lay_out
from endspiel.blueprint.sampled_gain import gain_on, measure_gain, respond
from endspiel.blueprint.sampled_plan import node_rows
from endspiel.blueprint.training import Setting, place
from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.engine.limits import Limits
from endspiel.engine.run import Checkpoint, RunTask, run
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, GameError
from endspiel.game import Game, Profile, exploitability
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import card_tree
from endspiel.kernels.sampled import EXPECT, LEARN
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef
from endspiel.solvers.boards.cfr import BoardCFR
from endspiel.solvers.firstorder.cfr import CFR
from tests.benchmark_module import load_benchmark
from tests.native.each_build import same_on_each_build

BOARD = [0, 5, 17, 30, 44]
walk_board = load_benchmark("_sampled_reference").walk_board


@dataclass(frozen=True)
class Mixed:
    """Buckets that have nothing to do with the cards, and forget: any number a street."""

    sizes: tuple[int, int, int, int] = (7, 11, 13, 17)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Bucket of every hand [1326]."""
        street = BOARD_CARDS.index(len(board))
        mixed = np.arange(1326) * 7919 + sum(board) * 31 + street
        return (mixed % self.sizes[street]).astype(np.uint16)


@dataclass(frozen=True)
class Remembering:
    """Perfect recall: three preflop buckets, then two children each; the river's by strength."""

    sizes = (3, 6, 12, 24)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Bucket of every hand [1326]."""
        buckets = np.arange(1326) * 7919 % 3
        for street in range(1, BOARD_CARDS.index(len(board)) + 1):
            seen = list(board[: BOARD_CARDS[street]])
            strengths = board_strengths(seen)
            buckets = 2 * buckets + (strengths > np.median(strengths[strengths > 0]))
        return buckets.astype(np.uint16)

    def parents(self) -> tuple[np.ndarray, ...]:
        """Bucket above each bucket."""
        return tuple(np.arange(size) // 2 for size in self.sizes[1:])


@dataclass(frozen=True)
class Hands:
    """Every hand on every board of one flop a bucket of its own: no abstraction."""

    sizes = (1326, 1326, 1326, 48 * 1326)
    turn: tuple[int, ...]

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Bucket of every hand [1326]."""
        hands = np.arange(1326)
        if len(board) == 5:
            rivers = [card for card in range(52) if card not in self.turn]
            hands = hands + 1326 * rivers.index(board[4])
        return hands.astype(np.uint16)


@dataclass(frozen=True)
class Listed:
    """Any of some boards, each as likely as another; or all of them in turn."""

    boards: np.ndarray  # [B, 5]

    def deal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        """So many boards [count, 5]."""
        if count == len(self.boards):
            return self.boards
        return self.boards[rng.integers(len(self.boards), size=count)]


def some_full_boards(count: int, seed: int = 0) -> np.ndarray:
    """Random boards [count, 5]."""
    rng = np.random.default_rng(seed)
    return np.array([rng.choice(52, 5, replace=False) for _ in range(count)], np.uint8)


@cache
def short_game() -> tuple[GameDef, BettingModel]:
    """No-limit hold'em for ten big blinds with few bets."""
    game = replace(load_rules("nolimit-holdem"), stacks=(1000, 1000))
    return game, parse_model('name = "short"\n[[rule]]\nsizes = "100%"\n')


@cache
def short_tree() -> BettingTree:
    """Its betting."""
    game, model = short_game()
    return model.tree(game)


def turn_tree() -> BettingTree:
    """Betting from the turn on, for a pot of 20."""
    return no_limit_tree(20, 30, 2, Sizing.same(StreetMenu.parse("50%", "100%"), max_raises=2))


def decisions(tree: BettingTree) -> list[int]:
    """Nodes where somebody decides."""
    return np.flatnonzero(tree.kind == DECISION).tolist()


def rows_of(solver: SampledCFR, kept: np.ndarray) -> dict[int, np.ndarray]:
    """Kept rows by node, [A, K] in 64 bits."""
    tree, sizes = solver.game.tree, solver.game.buckets.sizes
    return {
        node: node_rows(kept, solver.walker.plan, node, sizes[tree.street[node]]).astype(np.float64)
        for node in decisions(tree)
    }


def random_rows(solver: SampledCFR, seed: int) -> None:
    """Regrets of both signs, a third of them zero."""
    rng = np.random.default_rng(seed)
    solver.regret[:] = rng.normal(size=len(solver.regret))
    solver.regret[rng.random(len(solver.regret)) < 1 / 3] = 0


TREES = {
    "no limit": short_tree,
    "turn": turn_tree,
    "limit": lambda: limit_tree(replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("player", [0, 1])
def test_walk_equals_plain_twin(name: str, player: int) -> None:
    """Regrets, averages and values of a board agree with comparing every pair of hands."""
    game = SampledGame(TREES[name](), Mixed(), Listed(np.array([BOARD])), 100)
    solver = SampledCFR(game, SCHEMES["cfr"])
    random_rows(solver, player)
    before = rows_of(solver, solver.regret)
    wanted = walk_board(game, BOARD, player, before)
    sources = (solver.regret, solver.regret)
    deal = lay_out(game.buckets, BOARD)
    solver.walker.walk(player, LEARN, deal, sources, (solver.regret, solver.average))
    assert solver.walker.root_value() == pytest.approx(wanted.value, abs=2e-5)
    after, reached = rows_of(solver, solver.regret), rows_of(solver, solver.average)
    largest = max(np.abs(rows).max() for rows in wanted.advantage.values())
    for node in decisions(game.tree):
        learned = wanted.advantage.get(node, np.zeros(before[node].shape))
        np.testing.assert_allclose(after[node] - before[node], learned, atol=3e-5 * largest)
        np.testing.assert_allclose(
            reached[node], wanted.reach.get(node, np.zeros(before[node].shape)), atol=1e-3
        )
    values = [float(solver.walker.expect(p, np.array([BOARD]), sources)[0]) for p in (0, 1)]
    assert sum(values) == pytest.approx(0, abs=2e-5)


def test_every_build_learns_the_same() -> None:
    """Regrets, averages, gains and chosen answers, to the bit."""
    game = SampledGame(short_tree(), Mixed(), Listed(some_full_boards(6)), 100)

    def trained() -> tuple[np.ndarray, ...]:
        solver = SampledCFR(game, SCHEMES["dcfr"], Sampling(boards=2))
        solver.advance(3)
        gain = gain_on(solver, some_full_boards(2), some_full_boards(2, 1))
        chosen = respond(solver.walker, 0, solver.average, some_full_boards(2))
        return solver.regret, solver.average, np.array([gain.fresh, gain.fitted]), chosen

    assert np.abs(same_on_each_build(trained)[0]).max() > 0


def count_pairs(buckets: Remembering, boards: np.ndarray) -> Joint:
    """The joint matrix of some boards, every pair of hands compared."""
    size = buckets.sizes[3]
    halves = np.zeros((size, size))
    for board in boards.tolist():
        strengths = board_strengths(board).astype(np.int64)
        live = np.flatnonzero(strengths)
        cards = hand_cards()[live]
        apart = ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        paid = (np.sign(strengths[live][:, None] - strengths[live]) + 1) * apart
        member = np.eye(size)[buckets.board_buckets(board)[live]]
        halves += member.T @ paid @ member
    return Joint(halves.astype(np.int64), buckets.parents())


class Exact:
    """The same abstract game whole: joint matrices of all its boards."""

    def __init__(self, sampled: SampledGame, joint: Joint) -> None:
        self.sampled = sampled
        self.setting = Setting(*short_game(), joint, "")
        self.game: Game = self.setting.abstract_game()

    def gap(self, solver: SampledCFR) -> float:
        """Exploitability of the averages inside the abstraction, in big blinds."""
        sides = [np.ones(plex.num_sequences) for plex in self.game.plexes]
        for node in decisions(self.sampled.tree):
            player, first, actions, states = place(self.setting, self.game, node)
            sides[player][first : first + actions * states] = solver.strategy(node).ravel()
        profile = Profile((sides[0], sides[1]))
        return exploitability(self.game, profile).mean / self.sampled.unit


BOARDS = some_full_boards(12)


@pytest.fixture(scope="module")
def exact() -> Exact:
    """A game of a dozen boards."""
    sampled = SampledGame(short_tree(), Remembering(), Listed(BOARDS), 100)
    return Exact(sampled, count_pairs(Remembering(), BOARDS))


def test_all_boards_add_up_to_the_whole_game(exact: Exact) -> None:
    """Regrets of several iterations, with boards walked from the same rows, are the whole game's.

    So the mean of a sampled update over boards is the update of the abstract game: no bias beyond
    what 32-bit sums of a thousand equal hands round away.
    """
    whole = CFR(exact.game, SCHEMES["cfr"])
    solver = SampledCFR(exact.sampled, SCHEMES["cfr"])
    deals = [lay_out(exact.sampled.buckets, board) for board in BOARDS.tolist()]
    for _ in range(3):
        whole.step()
        for player in (0, 1):
            start, sources = solver.regret.copy(), (solver.regret, solver.regret)
            total = start.astype(np.float64)
            for deal in deals:
                solver.regret[:] = start
                solver.walker.walk(player, LEARN, deal, sources, (solver.regret, solver.average))
                total += solver.regret.astype(np.float64) - start
            solver.regret[:] = total
        scale = exact.sampled.unit / (len(deals) * PAIRS)
        for node, rows in rows_of(solver, solver.regret).items():
            player, first, actions, states = place(exact.setting, exact.game, node)
            wanted = whole.learners[player].regret[first : first + actions * states]
            np.testing.assert_allclose(scale * rows.ravel(), wanted, rtol=2e-4, atol=5e-4)


@pytest.mark.parametrize("method", ["linear", "dcfr", "cfr+"])
def test_exploitability_falls(exact: Exact, method: str) -> None:
    """Random boards lead to the equilibrium of the whole game."""
    solver = SampledCFR(exact.sampled, SCHEMES[method], Sampling(boards=6, seed=3))
    solver.advance(4)
    early = exact.gap(solver)
    solver.advance(76)
    assert exact.gap(solver) < early / 4


def test_gain_over_all_boards_is_exploitability(exact: Exact) -> None:
    """With perfect recall and every board, the responders are the best there are."""
    solver = SampledCFR(exact.sampled, SCHEMES["linear"], Sampling(boards=5))
    solver.advance(4)
    gain = gain_on(solver, BOARDS, BOARDS)
    assert gain.fitted == pytest.approx(exact.gap(solver), rel=1e-3)
    assert gain.fresh == pytest.approx(gain.fitted, abs=1e-9)
    fewer = gain_on(solver, BOARDS[:4], BOARDS)
    assert fewer.fresh < gain.fresh
    assert fewer.fitted > fewer.fresh
    assert len(str(fewer)) > 0


def test_abstraction_leads_to_its_joint_game() -> None:
    """A real abstraction of two flops: random boards solve the game of its joint matrices."""
    cards = make_abstraction(Plan((4, 2, 2, 2)), some_boards(2), Store(None), Workers())
    sampled = SampledGame.of(short_tree(), cards, 100)
    exact = Exact(sampled, count_joint(cards))
    solver = SampledCFR(sampled, SCHEMES["linear"], Sampling(boards=10))
    solver.advance(2)
    early = exact.gap(solver)
    gain = measure_gain(solver, 20)
    assert gain.fresh < early + 4 * gain.error
    assert gain.fitted > early - 4 * gain.error
    solver.advance(38)
    assert exact.gap(solver) < min(0.1, early / 3)


def test_gain_refuses_too_few_boards(exact: Exact) -> None:
    """A standard error takes two boards."""
    with pytest.raises(GameError, match="two boards or more, not 1"):
        measure_gain(SampledCFR(exact.sampled, SCHEMES["cfr"]), 1)


def test_real_cards_reach_the_board_kernels_value() -> None:
    """Every hand its own bucket: the turn endgame that the board kernels solve."""
    turn, tree = BOARD[:4], turn_tree()
    rivers = [card for card in range(52) if card not in turn]
    boards = np.array([[*turn, river] for river in rivers], np.uint8)
    game = SampledGame(tree, Hands(tuple(turn)), Listed(boards), tree.pot)
    solver = SampledCFR(game, SCHEMES["linear"], Sampling(boards=len(rivers)))
    solver.advance(20)
    everything = np.ones(1326)
    other = BoardCFR(CardGame(tree, card_tree(turn, (everything, everything))), SCHEMES["dcfr"])
    other.advance(50)
    assert other.exploitability() < 0.005
    averages = (solver.average, solver.average)
    assert solver.walker.expect(0, boards, averages).mean() == pytest.approx(
        other.value(), abs=0.005
    )
    assert gain_on(solver, boards, boards).fitted < 0.03


def test_imperfect_recall_gets_better() -> None:
    """Buckets that forget: what responders gain on fresh boards falls."""

    class Strengths(Mixed):
        """Tenths of the hands by strength, whatever they were before."""

        def board_buckets(self, board: Sequence[int]) -> np.ndarray:
            if not len(board):
                return super().board_buckets(board)
            strengths = board_strengths(board).astype(np.int64)
            rank = np.argsort(np.argsort(strengths))
            return (rank * self.sizes[BOARD_CARDS.index(len(board))] // 1326).astype(np.uint16)

    dealer = FlopDealer.of(some_boards(20))
    game = SampledGame(short_tree(), Strengths(), dealer, 100)
    solver = SampledCFR(game, SCHEMES["linear"], Sampling(boards=20))
    solver.advance(1)
    early = measure_gain(solver, 30)
    solver.advance(19)
    late = measure_gain(solver, 30)
    assert late.fresh < early.fresh / 2


def test_checkpoint_goes_on_bit_for_bit(exact: Exact, tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A run put down and taken up ends where one without a pause ends."""

    def fresh() -> SampledCFR:
        return SampledCFR(exact.sampled, SCHEMES["dcfr"], Sampling(boards=3))

    whole, first, second = fresh(), fresh(), fresh()
    whole.advance(9)
    checkpoint = Checkpoint(tmp_path / "training.es", RunTask("short", "none", "pcs"))
    run(first, lambda: 0.0, Limits(iterations=4), checkpoint=checkpoint)
    run(second, lambda: 0.0, Limits(iterations=9), checkpoint=checkpoint)
    assert second.iteration == 9
    for name, array in whole.state().items():
        assert np.array_equal(array, second.state()[name])


def test_restore_refuses_other_boards(exact: Exact) -> None:
    """Boards follow from seed and number: others would make another run of it."""
    state = SampledCFR(exact.sampled, SCHEMES["cfr"], Sampling(boards=3)).state()
    with pytest.raises(ValueError, match="seed 1 and 3 boards an iteration, not"):
        SampledCFR(exact.sampled, SCHEMES["cfr"], Sampling(boards=4)).restore(state)


def test_seeds_and_threads(exact: Exact) -> None:
    """A seed decides everything, the number of threads nothing."""

    def trained(seed: int, threads: int) -> np.ndarray:
        sampling = Sampling(boards=3, seed=seed, threads=threads)
        solver = SampledCFR(exact.sampled, SCHEMES["linear"], sampling)
        solver.advance(3)
        return np.concatenate([solver.regret, solver.average])

    once = trained(1, 1)
    assert np.array_equal(once, trained(1, 1))
    assert np.array_equal(once, trained(1, 2))
    assert not np.array_equal(once, trained(2, 1))


def test_pruned_lines_add_nothing(exact: Exact) -> None:
    """Where the other never goes, nothing is learned and nothing is earned."""
    solver = SampledCFR(exact.sampled, SCHEMES["cfr"])
    tree, sizes = exact.sampled.tree, exact.sampled.buckets.sizes
    for node in decisions(tree):
        if tree.player[node] == 0:  # always the first action
            rows = node_rows(solver.regret, solver.walker.plan, node, sizes[tree.street[node]])
            rows[0] = 1
    before = rows_of(solver, solver.regret)
    wanted = walk_board(exact.sampled, BOARD, 1, before)
    sources = (solver.regret, solver.regret)
    deal = lay_out(exact.sampled.buckets, BOARD)
    solver.walker.walk(1, LEARN, deal, sources, (solver.regret, solver.average))
    largest = max(np.abs(rows).max() for rows in wanted.advantage.values())
    for node, rows in rows_of(solver, solver.regret).items():
        learned = wanted.advantage.get(node, np.zeros(rows.shape))
        np.testing.assert_allclose(rows - before[node], learned, atol=3e-5 * largest)
    solver.walker.walk(1, EXPECT, deal, sources, sources)
    assert solver.walker.root_value() == pytest.approx(wanted.value, abs=0.5)


@pytest.mark.parametrize("stratified", [False, True])
def test_dealer(stratified: bool) -> None:
    """Boards of five different cards on the flops there are, every one of them in its turn."""
    boards = some_boards(3)
    dealer = FlopDealer.of(boards, stratified)
    assert len(dealer.flops) == boards.flop_weight.sum()
    dealt = dealer.deal(np.random.default_rng(4), 3000)
    assert all(len(set(board)) == 5 for board in dealt.tolist())
    rows = [boards.find(board[:3]).flop for board in dealt.tolist()]
    counts = np.bincount(rows, minlength=3) / len(rows)
    shares = boards.flop_weight / boards.flop_weight.sum()
    np.testing.assert_allclose(counts, shares, atol=0.001 if stratified else 0.04)
    cards = np.bincount(dealt[:, 3:].ravel(), minlength=52)
    assert cards.min() > 0


def test_refusals(exact: Exact) -> None:
    """Too much memory, with the figure; schemes and numbers that make no training."""
    with pytest.raises(EndspielError, match=r"needs .* MB and 1 MB are allowed"):
        SampledCFR(exact.sampled, SCHEMES["cfr"], Sampling(memory=1_000_000))
    solver = SampledCFR(exact.sampled, SCHEMES["cfr"], Sampling(memory=3_400_000))
    with pytest.raises(EndspielError, match=r"measuring gains needs .* are allowed"):
        measure_gain(solver, 2)
    with pytest.raises(GameError, match="alternating schemes"):
        SampledCFR(exact.sampled, SCHEMES["pcfr+"])
    with pytest.raises(GameError, match="boards is 0; it must be 1 or more"):
        Sampling(boards=0)
    solver = SampledCFR(exact.sampled, SCHEMES["cfr"])
    assert exact.sampled.tree.kind[1] != DECISION
    with pytest.raises(GameError, match="node 1 is no decision"):
        solver.strategy(1)


def test_strategy_is_a_distribution(exact: Exact) -> None:
    """Probabilities by node and bucket, uniform before anything was learned."""
    solver = SampledCFR(exact.sampled, SCHEMES["linear"], Sampling(boards=2))
    assert np.allclose(solver.strategy(0), 1 / exact.sampled.tree.num_children[0])
    solver.step()
    for node in decisions(exact.sampled.tree):
        shares = solver.strategy(node)
        street = exact.sampled.tree.street[node]
        assert shares.shape == (exact.sampled.tree.num_children[node], Remembering.sizes[street])
        np.testing.assert_allclose(shares.sum(axis=0), 1)
