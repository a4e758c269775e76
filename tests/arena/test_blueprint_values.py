"""A blueprint's values: against a walk over pairs of buckets, and exact on the river."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from endspiel.abstraction.features import DEAD
from endspiel.agent.blueprint import BlueprintAgent
from endspiel.arena.deals import DealSource
from endspiel.arena.estimators.aivat import Aivat
from endspiel.arena.estimators.blueprint_values import BlueprintValues, BucketValues
from endspiel.arena.estimators.blueprint_values_boards import BoardBuckets
from endspiel.arena.estimators.blueprint_values_tables import EndValues, Pairs, Players, _add_up
from endspiel.arena.estimators.match_aivat import blueprint_values, match_tables
from endspiel.arena.estimators.shares import all_holes, shares
from endspiel.arena.estimators.values import DealValues, Seen, open_hands
from endspiel.arena.play import HandBlock, MatchTable
from endspiel.betting.tree import CHANCE, DECISION, FOLD, BettingTree
from endspiel.blueprint.joint import sample_joint
from endspiel.game.post import Post
from endspiel.kernels.arrays import Floats
from endspiel.rules.acpc import parse_betting
from endspiel.rules.deal import Deal
from endspiel.rules.state import State
from tests.blueprint.small import cards, joint, made_up_joint, model
from tests.blueprint_fixture import small_abstraction, small_blueprint, small_game
from tests.native.each_build import same_on_each_build

GAME = small_game()
PAIRS = made_up_joint(2, 2, 2, 2)


class Strategy:
    """Stands for a blueprint: a random strategy over buckets that no cards have."""

    def __init__(self, seed: int) -> None:
        self.tree = model().tree(GAME)
        self.sizes = PAIRS.sizes
        self._seed = seed

    def rows(self, node: int) -> Floats:
        rng = np.random.default_rng([self._seed, node])
        shape = int(self.tree.num_children[node]), self.sizes[int(self.tree.street[node])]
        weights = rng.random(shape) * (rng.random(shape) < 0.8) + 1e-9
        return weights / weights.sum(axis=0)


class Walk:
    """Chips V of player 0, and chips S that meet at a showdown, pair of buckets by pair."""

    def __init__(self, players: tuple[Strategy, Strategy]) -> None:
        self.players = players
        self.tree: BettingTree = players[0].tree
        self.chance, self.showdown = zip(*(PAIRS.street(s) for s in range(4)), strict=True)
        self.value = cache(self._value)

    def _value(self, node: int, a: int, b: int) -> Floats:
        tree = self.tree
        kind, street = int(tree.kind[node]), int(tree.street[node])
        if kind == DECISION:
            player = int(tree.player[node])
            chances = self.players[player].rows(node)[:, b if player else a]
            values = [self.value(child, a, b) for child in tree.children(node)]
            return np.asarray(chances @ np.stack(values))
        if kind == FOLD:
            loser = int(tree.player[node])
            chips = float(tree.spent[node, loser])
            return np.array([chips if loser else -chips, 0])
        if kind == CHANCE:
            return self.dealt(int(tree.first_child[node]), street, a, b)
        stake = float(tree.spent[node].min())
        return np.array([stake * self.showdown[3][a, b] / self.chance[3][a, b], stake])

    def dealt(self, start: int, street: int, a: int, b: int) -> Floats:
        """Before the cards that follow a street."""
        total = np.zeros(2)
        for own in np.flatnonzero(PAIRS.parents[street] == a).tolist():
            for other in np.flatnonzero(PAIRS.parents[street] == b).tolist():
                chance = self.chance[street + 1][own, other] / self.chance[street][a, b]
                total += chance * self.value(start, own, other)
        return total


@pytest.fixture(scope="module")
def rows() -> tuple[Walk, BucketValues]:
    both = Strategy(1), Strategy(2)
    players = cast(Players, cast(Any, both))
    return Walk(both), BucketValues(players, EndValues.of(players, Pairs.of(PAIRS)))


def whole(row: Floats, street: int, player: int, other: int) -> Floats:
    """V and S [2, K] of a row's chips apart from showdowns and at them."""
    chance, showdown = PAIRS.street(street)
    share = showdown[:, other] / chance[:, other]
    value = row[0] + row[1] * share
    return np.stack([value if player == 0 else -value, row[1]])


def expect(found: Floats, wanted: list[Floats]) -> None:
    assert np.allclose(found.T, wanted, rtol=2e-4, atol=2e-2)  # chips, by single precision


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("street", range(4))
def test_rows_are_what_a_walk_over_pairs_finds(
    rows: tuple[Walk, BucketValues], street: int, player: int
) -> None:
    walk, found = rows
    tree = walk.tree
    nodes = np.flatnonzero((tree.kind == DECISION) & (tree.street == street))
    for node in nodes[:: max(1, len(nodes) // 6)].tolist():
        for other in range(0, PAIRS.sizes[street], 3):
            pairs = [(own, other)[:: -1 if player else 1] for own in range(PAIRS.sizes[street])]
            expect(
                whole(found.at(node, player, other), street, player, other),
                [walk.value(node, *pair) for pair in pairs],
            )
            parent = int(tree.parent[node])
            if street < 3 or tree.kind[parent] != CHANCE:
                continue
            above = int(PAIRS.parents[2][other])
            expect(
                whole(found.before(node, player, above), 2, player, above),
                [
                    walk.value(parent, *(own, above)[:: -1 if player else 1])
                    for own in range(PAIRS.sizes[2])
                ],
            )


def test_pairs_that_the_sample_lacks_count_as_open_hands() -> None:
    both = Strategy(1), Strategy(2)
    players = cast(Players, cast(Any, both))
    pairs = Pairs.of(PAIRS)
    for matrices in (pairs.chance, pairs.showdown):
        matrices[1][0, 0] = 0
    found = BucketValues(players, EndValues.of(players, pairs))
    node = int(np.flatnonzero((both[0].tree.kind == DECISION) & (both[0].tree.street == 1))[0])
    rest, met = found.at(node, 0, 0)[:, 0]
    assert (rest, met) == (0, both[0].tree.spent[node].max())


def test_a_sample_of_boards_is_near_all_of_them() -> None:
    drawn, exact = sample_joint(cards(), 3000, 1), joint()
    for street in range(4):
        for found, wanted in zip(drawn.street(street), exact.street(street), strict=True):
            assert abs(found - wanted).sum() < 0.06
    again = sample_joint(cards(), 50, 1).halves
    assert np.array_equal(again, sample_joint(cards(), 50, 1).halves)
    assert not np.array_equal(again, sample_joint(cards(), 50, 2).halves)


def test_buckets_of_a_whole_deal_are_those_of_each_board() -> None:
    abstraction = small_abstraction()
    buckets = BoardBuckets(abstraction)
    rng = np.random.default_rng(2)
    board = tuple(rng.choice(52, 5, replace=False).tolist())
    for count in (0, 3, 4, 5):
        wanted = abstraction.board_buckets(board[:count])
        assert np.array_equal(buckets(board[:count]), wanted)
        assert (buckets(board[:count]) == DEAD).any() == (count > 0)


class Playing:
    """Two agents of a small blueprint, one of them purified, and the values for each."""

    def __init__(self, folder: Path) -> None:
        blueprint = small_blueprint(folder)
        played = blueprint.played(Post.parse("purify")), blueprint
        self.agents = [BlueprintAgent(GAME, strategy) for strategy in played]
        self.values = blueprint_values(self.agents, match_tables(self.agents))

    def worth(self, state: State, deal: Deal, at: int, position: int) -> float:
        """Chips of one agent with a deal whose river lies, by playing out every line."""
        if state.finished:
            return float(state.payoffs(deal if state.showdown else None)[position])
        actor = self.agents[at if state.actor == position else 1 - at]
        choice = actor.policy(state, [deal.holes[state.actor]], deal.board)
        return sum(
            chance * self.worth(state.apply(action), deal, at, position)
            for action, chance in zip(choice.actions, choice.probabilities[0], strict=True)
            if chance
        )


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Playing:
    return Playing(tmp_path_factory.mktemp("values"))


@pytest.mark.parametrize("line", ["cc/cc/cc/", "r300c/cc/cr750c/c", "cc/r250c/cc/r625"])
def test_on_the_river_values_are_exact(playing: Playing, line: str) -> None:
    state = parse_betting(GAME, line)
    rng = np.random.default_rng(4)
    holes = all_holes(GAME)
    for at in (0, 1):
        dealt = tuple(rng.choice(52, 7, replace=False).tolist())
        board, other = dealt[:5], tuple(sorted(dealt[5:]))
        for position in (0, 1):
            found = playing.values[at](Seen(state, position, other, board))
            for hand in rng.choice(1326, 12).tolist():
                if {*holes[hand]} & {*dealt}:
                    continue
                pair = (holes[hand], other)[:: -1 if position else 1]
                wanted = playing.worth(state, Deal(pair, board), at, position)
                assert found[hand] == pytest.approx(wanted, rel=1e-4, abs=0.05)


def test_on_the_flop_shares_are_worth_what_was_to_be_expected(playing: Playing) -> None:
    """Before and after, the figures are the same chips times a chance to win."""
    values = playing.values[0]
    assert isinstance(values, BlueprintValues)
    assert isinstance(values, DealValues)
    state = parse_betting(GAME, "r300c/")
    other, flop = (7, 30), (1, 20, 50)
    before = values.before_deal(Seen(state, 0, other, ()))
    after = values.after_deal(Seen(state, 0, other, flop))
    assert before is not None
    ahead, then = shares(GAME, other, ()), shares(GAME, other, flop)
    known = (abs(ahead) > 0.01) & (then != 0)
    stake = before[known] / ahead[known]
    assert after[known] == pytest.approx(stake * then[known], rel=1e-6)
    assert stake.min() > 0
    assert values.before_deal(Seen(parse_betting(GAME, "cc/cc/"), 0, other, flop)) is None


def test_bets_off_the_tree_scale_its_chips(playing: Playing) -> None:
    values = playing.values[1]
    other, board = (7, 30), (1, 20, 50, 12)
    on = values(Seen(parse_betting(GAME, "r300c/cc/"), 0, other, board))
    off = values(Seen(parse_betting(GAME, "r306c/cc/"), 0, other, board))
    assert off == pytest.approx(on * 306 / 300, rel=1e-3, abs=1)


def test_no_more_than_the_stack_is_ever_at_stake(playing: Playing) -> None:
    """A small bet taken for all-in scales the tree's stack beyond the table's."""
    other, board = (7, 30), (1, 20, 50, 12, 9)
    for line in ("r300c/cc/cr9000c/c", "r5000c/cc/cc/c"):
        found = playing.values[0](Seen(parse_betting(GAME, line), 1, other, board))
        assert abs(found).max() <= GAME.stacks[0]


def test_where_the_tree_has_nothing_to_say_hands_are_open(
    playing: Playing, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = playing.values[0]
    monkeypatch.setattr(playing.agents[0].follower, "node", lambda state: -1)
    state, other, flop = parse_betting(GAME, "r300c/"), (7, 30), (1, 20, 50)
    assert isinstance(values, BlueprintValues)
    wanted = open_hands(Seen(state, 0, other, flop))
    assert np.array_equal(values(Seen(state, 0, other, flop)), wanted)
    assert np.array_equal(values.after_deal(Seen(state, 0, other, flop)), wanted)


def test_the_dice_of_the_river_leave_no_noise(playing: Playing) -> None:
    """Whatever both agents might do on the river, a hand that came there has one estimate."""
    aivat = Aivat(GAME, playing.agents[0].policy, playing.values[0], playing.agents[1].policy)
    hands = MatchTable(GAME, playing.agents).play(
        HandBlock(3, 0, 0, DealSource(GAME, 3).words(300))
    )
    several = 0
    for hand in hands:
        before, slash, river = hand.state.line.rpartition("/")
        if before.count("/") < 2 or not river:
            continue
        trunk = parse_betting(GAME, before + slash)
        ways = list(endings(playing, trunk, hand.deal, hand.position))
        found = [aivat.estimate(way, hand.deal, hand.position) for way in ways]
        several += len(ways) > 1
        assert max(found) - min(found) < 0.05
    assert several > 2


def endings(playing: Playing, state: State, deal: Deal, position: int) -> Iterator[State]:
    """All ways that a hand of the agents, the first at a position, may end."""
    if state.finished:
        yield state
        return
    actor = playing.agents[int(state.actor != position)]
    choice = actor.policy(state, [deal.holes[state.actor]], deal.board)
    for action, chance in zip(choice.actions, choice.probabilities[0], strict=True):
        if chance:
            yield from endings(playing, state.apply(action), deal, position)


def test_ends_of_pairs_add_up_by_their_parents() -> None:
    rng = np.random.default_rng(5)
    rows, columns = np.array([0, 2, 3, 7]), np.array([0, 1, 5, 9, 23, 40])
    folded, met, chance, showdown = rng.random((4, 7, 40)).astype(np.float32)

    def work() -> Floats:
        out = np.ones((2, 5, 5), np.float32)
        _add_up(folded, met, (chance, showdown), (rows, columns), out, 1)
        return out

    found = same_on_each_build(work) - 1
    pairs = np.stack([chance * folded + showdown * met, chance * met])
    wanted = np.add.reduceat(np.add.reduceat(pairs, rows[:-1], axis=1), columns[:-1], axis=2)
    assert found[:, 1:4] == pytest.approx(wanted, rel=1e-5)
    assert not found[:, [0, 4]].any()
