"""CFR-BR on nine cards: the abstract strategy that loses least, as a linear program finds it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import bmat, coo_matrix, csr_matrix

from endspiel.betting.limit import limit_tree
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.blueprint import cfr_br_walk
from endspiel.blueprint.cfr_br import ResponseCFR
from endspiel.blueprint.cfr_br_boards import TurnTable, WeightedTurn
from endspiel.blueprint.cfr_br_walk import ResponseGame
from endspiel.blueprint.sampled import Sampling
from endspiel.cards.deck import hand_cards
from endspiel.cards.streets import BOARD_CARDS
from endspiel.cards.strength import board_strengths
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import EndspielError, GameError
from endspiel.kernels.arrays import Discounts
from endspiel.rules.builtin import load_rules
from tests.native.each_build import same_on_each_build

DECK = tuple(4 * rank + suit for rank in (10, 11, 12) for suit in range(3))
# Two turns of one flop, and one of another; the last counts twice.
BOARDS = (
    WeightedTurn((DECK[0], DECK[3], DECK[7], DECK[8])),
    WeightedTurn((DECK[0], DECK[3], DECK[7], DECK[1])),
    WeightedTurn((DECK[2], DECK[4], DECK[5], DECK[6]), 2.0),
)
HANDS = hand_cards().astype(int).tolist()


@dataclass(frozen=True)
class Coarse:
    """Perfect recall: two preflop buckets, then two children each by strength on the board."""

    sizes = (2, 4, 8, 16)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Bucket of every hand [1326]."""
        buckets = np.array([low // 4 == high // 4 for low, high in HANDS]).astype(int)
        for street in range(1, BOARD_CARDS.index(len(board)) + 1):
            seen = list(board[: BOARD_CARDS[street]])
            strengths = board_strengths(seen)
            middle = np.median(strengths[_held(seen)])
            buckets = 2 * buckets + (strengths > middle)
        return buckets.astype(np.uint16)


def _held(board: Sequence[int]) -> list[int]:
    """Hands of the deck that a board leaves."""
    left = set(DECK) - set(board)
    return [number for number, hand in enumerate(HANDS) if set(hand) <= left]


@dataclass(frozen=True)
class EveryHand:
    """The trunk without abstraction."""

    sizes = (1326, 2 * 1326, 1, 1)

    def board_buckets(self, board: Sequence[int]) -> np.ndarray:
        """Bucket of every hand [1326]."""
        flop = bool(board) and tuple(board) == BOARDS[2].cards[:3]
        return np.arange(1326) + 1326 * flop


@dataclass(frozen=True)
class AllBoards:
    """Every board in turn."""

    def deal(self, rng: np.random.Generator, count: int) -> Sequence[WeightedTurn]:
        """All of them."""
        return BOARDS


@cache
def tree() -> BettingTree:
    """One bet a street."""
    return limit_tree(replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1)))


def response_game() -> ResponseGame:
    return ResponseGame(tree(), TurnTable(Coarse(), EveryHand(), DECK), AllBoards(), 10.0)


class SequenceForm:
    """One player's sequences: (node, action, what it sees there), parents before children."""

    def __init__(self, player: int, abstract: bool) -> None:
        self.player, self.abstract = player, abstract
        self.sequences: dict[object, int] = {None: 0}
        self.infosets: dict[object, int] = {}
        self.parent: list[int] = []
        self.children: list[list[int]] = []

    def sees(self, hand: int, board: tuple[int, ...]) -> object:
        """A bucket, or the hand and the board."""
        return int(buckets(board)[hand]) if self.abstract else (hand, board)

    def after(self, sequence: int, node: int, hand: int, board: tuple[int, ...]) -> list[int]:
        """The sequences of a decision that is come to by one."""
        key = (node, self.sees(hand, board))
        if key not in self.infosets:
            self.infosets[key] = len(self.parent)
            self.parent.append(sequence)
            first = len(self.sequences)
            for action in range(int(tree().num_children[node])):
                self.sequences[key, action] = first + action
            self.children.append(list(range(first, len(self.sequences))))
        assert self.parent[self.infosets[key]] == sequence  # perfect recall
        return self.children[self.infosets[key]]

    def constraints(self) -> tuple[csr_matrix, np.ndarray]:
        """What leaves an infoset is what comes to it: [infosets + 1, sequences]."""
        entries = [(0, 0, 1.0)]
        for at, (parent, children) in enumerate(zip(self.parent, self.children, strict=True)):
            entries += [(at + 1, parent, -1.0), *((at + 1, child, 1.0) for child in children)]
        row, column, value = zip(*entries, strict=True)
        shape = len(self.parent) + 1, len(self.sequences)
        return csr_matrix((value, (row, column)), shape), np.eye(1, shape[0])[0]


@cache
def buckets(board: tuple[int, ...]) -> np.ndarray:
    return Coarse().board_buckets(board)


@cache
def strengths(board: tuple[int, ...]) -> np.ndarray:
    return board_strengths(list(board)).astype(int)


def payoffs(forms: Sequence[SequenceForm]) -> csr_matrix:
    """What player 0 wins by pairs of sequences, in big blinds, over all deals."""
    entries: list[tuple[int, int, float]] = []
    total = 30 * sum(turn.weight for turn in BOARDS)  # pairs of hands on a turn

    def walk(node, hands, turn, board, sequences, chance):  # type: ignore[no-untyped-def]
        kind, size = tree().kind[node], BOARD_CARDS[tree().street[node]]
        if kind == DECISION:
            player = int(tree().player[node])
            found = forms[player].after(sequences[player], node, hands[player], board[:size])
            for child, sequence in zip(tree().children(node), found, strict=True):
                following = list(sequences)
                following[player] = sequence
                walk(child, hands, turn, board, following, chance)
        elif kind == CHANCE:
            child = int(tree().first_child[node])
            if size < 4:
                walk(child, hands, turn, board, sequences, chance)
                return
            held = {card for hand in hands for card in HANDS[hand]}
            rivers = [card for card in DECK if card not in held and card not in turn]
            for card in rivers:
                walk(child, hands, turn, (*turn, card), sequences, chance / len(rivers))
        else:
            spent = tree().spent[node]
            if kind == FOLD:
                won = -spent[0] if tree().player[node] == 0 else spent[1]
            else:
                order = strengths(board)
                won = np.sign(order[hands[0]] - order[hands[1]]) * spent[0]
            entries.append((*sequences, chance * float(won) / 10))

    for turn, weight, _ in BOARDS:
        for one in _held(turn):
            for two in _held(turn):
                if not set(HANDS[one]) & set(HANDS[two]):
                    walk(0, (one, two), turn, turn, [0, 0], weight / total)
    row, column, value = zip(*entries, strict=True)
    shape = len(forms[0].sequences), len(forms[1].sequences)
    return coo_matrix((value, (row, column)), shape).tocsr()


@dataclass(frozen=True)
class Program:
    """A game in sequence form."""

    forms: tuple[SequenceForm, SequenceForm]
    matrix: csr_matrix  # to player 0

    def to(self, player: int) -> csr_matrix:
        """Payoffs to a player, by its own sequences and the other's."""
        return self.matrix if player == 0 else csr_matrix(-self.matrix.T)

    def solve(self, player: int) -> tuple[float, np.ndarray]:
        """What a player can be sure of, and by which plan: the dual's values are the other's."""
        (E, e), (F, f) = (self.forms[p].constraints() for p in (player, 1 - player))
        A = self.to(player)
        # max f'v where F'v <= A'x and Ex = e.
        cost = np.concatenate([np.zeros(A.shape[0]), -f])
        found = linprog(
            cost,
            A_ub=bmat([[-A.T, F.T]]),
            b_ub=np.zeros(A.shape[1]),
            A_eq=bmat([[E, csr_matrix((E.shape[0], F.shape[0]))]]),
            b_eq=e,
            bounds=[(0, None)] * A.shape[0] + [(None, None)] * len(f),
        )
        assert found.status == 0
        return -found.fun, found.x[: A.shape[0]]

    def loses(self, player: int, plan: np.ndarray) -> float:
        """What a plan loses to the best answer."""
        F, f = self.forms[1 - player].constraints()
        gains = -(self.to(player).T @ plan)
        found = linprog(-gains, A_eq=F, b_eq=f, bounds=(0, None))
        assert found.status == 0
        return -found.fun


@cache
def program(abstract: tuple[bool, bool]) -> Program:
    forms = tuple(SequenceForm(p, kind) for p, kind in enumerate(abstract))
    return Program((forms[0], forms[1]), payoffs(forms))


def plan_of(solver: ResponseCFR, form: SequenceForm) -> np.ndarray:
    """The plan of an average strategy."""
    plan = np.ones(len(form.sequences))
    for (node, bucket), at in form.infosets.items():  # parents before children
        shares = solver.strategy(node)[:, bucket]
        plan[form.children[at]] = plan[form.parent[at]] * shares
    return plan


REAL = {0: (True, False), 1: (False, True)}  # who plays by bucket when a player is measured


@pytest.fixture(scope="module")
def solver() -> ResponseCFR:
    trained = ResponseCFR(response_game(), SCHEMES["cfr+"], Sampling(boards=1))
    trained.advance(300)
    return trained


@pytest.mark.parametrize("player", [0, 1])
def test_it_loses_least_of_all_abstract_strategies(player: int, solver: ResponseCFR) -> None:
    """Nearly what the program's best plan loses; an equilibrium of the abstract game loses more."""
    game, flat = program(REAL[player]), program((True, True))
    least = -game.solve(player)[0]
    found = game.loses(player, plan_of(solver, game.forms[player]))
    assert least <= found < least + 0.045
    _, plan = flat.solve(player)
    own = game.forms[player].sequences
    moved = np.zeros(len(own))
    for key, at in flat.forms[player].sequences.items():
        moved[own[key]] = plan[at]
    assert game.loses(player, moved) > least + 0.5


def test_responders_win_what_the_programs_say(solver: ResponseCFR) -> None:
    """Towards the end: the mean over both players of what their best plans lose."""
    least = np.mean([-program(REAL[player]).solve(player)[0] for player in (0, 1)])
    assert np.mean(solver.backend.won[-50:]) == pytest.approx(least, abs=0.03)


def test_every_build_learns_the_same() -> None:
    def trained() -> list[np.ndarray]:
        learner = ResponseCFR(response_game(), SCHEMES["dcfr"], Sampling(1, 5))
        learner.advance(5)
        return list(learner.state().values())

    assert all(np.any(array) for array in same_on_each_build(trained))


def test_threads_and_stops_change_nothing() -> None:
    whole, parts, other = (
        ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1, 5, threads))
        for threads in (1, 3, 2)
    )
    whole.advance(4)
    parts.advance(2)
    other.restore({name: array.copy() for name, array in parts.state().items()})
    other.advance(2)
    for name, array in whole.state().items():
        assert np.array_equal(array, other.state()[name]), name


@pytest.mark.parametrize(
    ("threads", "crews"), [(1, [1]), (2, [1, 1]), (3, [1, 2]), (4, [2, 2]), (7, [3, 4])]
)
def test_walkers_have_the_threads_there_are(
    threads: int, crews: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    crew = cfr_br_walk.LaneCrew
    monkeypatch.setattr(
        cfr_br_walk, "LaneCrew", lambda count, room: made.append(count) or crew(count, room)
    )
    ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1, threads=threads))
    assert made == crews


def test_too_much_memory_is_refused_before_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[int] = []
    for name in ("LaneCrew", "Lines", "zeros"):
        monkeypatch.setattr(cfr_br_walk, name, lambda *_: taken.append(1))
    with pytest.raises(EndspielError, match=r"training by CFR-BR needs .* are allowed: use fewer"):
        ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1, threads=2, memory=1000))
    assert not taken


def test_weighing_what_comes_later_is_discounting_what_came_before() -> None:
    """By halves, which round nothing: rows that are all discounted alike are not touched."""
    halves = Discounts(0.5, 0.5, 0.5, 0.0)
    weighed, discounted = (
        ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1)).backend for _ in range(2)
    )
    weighed.iterate([halves] * 6)
    discounted.iterate([halves._replace(average=0.5 + 1e-12)] * 6)  # the same in 32 bits
    assert (weighed.weight, discounted.weight) == (64.0, 1.0)
    assert weighed.won == discounted.won
    for name in ("regret", "average", "trunk"):
        found = getattr(weighed.rows, name)
        assert found.any()
        assert np.array_equal(found, 64 * getattr(discounted.rows, name)), name
    assert not weighed.rows.gain.any()
    assert not weighed.rows.trunk_gain.any()


def test_averages_from_an_iteration_on_leave_out_those_before() -> None:
    whole, late = (
        ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1), first) for first in (1, 4)
    )
    whole.advance(3)
    before = whole.backend.rows.average.copy()
    for solver, steps in ((whole, 3), (late, 6)):
        solver.advance(steps)
    one, two = whole.backend.rows, late.backend.rows
    assert np.array_equal(one.regret, two.regret)
    left = one.average - before
    assert np.abs(two.average - left).max() < 1e-5 * left.max()
    assert np.abs(one.average - two.average).max() > 0.01 * left.max()
    with pytest.raises(GameError, match="begins with iteration 1 or later, not 0"):
        ResponseCFR(response_game(), SCHEMES["linear"], Sampling(1), 0)


def test_rivers_that_are_named_are_walked_and_stand_for_all() -> None:
    """Naming all is naming none; of some, each hand has as much chance in all as of all."""
    table, board = TurnTable(Coarse(), EveryHand(), DECK), BOARDS[0].cards
    kept = np.zeros(1, np.int64)
    left = sorted(set(DECK) - set(board))
    every, named = table.deal(board, kept).rivers, table.deal(board, kept, left).rivers
    for name in every._fields:
        assert np.array_equal(getattr(every, name), getattr(named, name)), name
    some = table.deal(board, kept, left[1:4]).rivers
    assert np.array_equal(some.low, every.low[1:4])
    seen = np.zeros((2, table.num_hands(2)))
    for row, rivers in enumerate((every, some)):
        for at in rivers.at[:, : table.num_hands(3)]:
            seen[row, at] += rivers.share[at]
    assert seen[0] == pytest.approx(3.0)  # three rivers to a hand, of one that two hands leave
    assert seen[1] == pytest.approx(seen[0])


def test_other_boards_are_not_gone_on_with() -> None:
    one, two = (ResponseCFR(response_game(), SCHEMES["cfr"], Sampling(1, s)) for s in (1, 2))
    with pytest.raises(ValueError, match="seed 1 and 1 boards an iteration"):
        two.restore(one.state())


def test_games_that_it_is_not_for() -> None:
    rules = replace(load_rules("limit-holdem"), stacks=(15, 15))
    table = TurnTable(Coarse(), EveryHand(), DECK)
    with pytest.raises(GameError, match="without all-ins before the river"):
        ResponseGame(limit_tree(rules), table, AllBoards(), 10.0)
    with pytest.raises(GameError, match="take 9 cards; the deck has 8"):
        TurnTable(Coarse(), EveryHand(), DECK[:8])
    with pytest.raises(GameError, match="without prediction"):
        ResponseCFR(response_game(), SCHEMES["pcfr+"])
