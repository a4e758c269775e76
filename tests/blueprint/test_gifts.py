"""What actions give away, against counterfactual values worked out by the general best response."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import game_tree
from endspiel.betting.tree import DECISION
from endspiel.blueprint.abstract_game import Betting, abstract_game
from endspiel.blueprint.gifts import LEAST, OCTAVE, Gifts, decode, encode, measure_gifts, pack_gifts
from endspiel.blueprint.joint import Joint
from endspiel.blueprint.train import Trainer
from endspiel.engine.schemes import SCHEMES
from endspiel.errors import FileError, GameError
from endspiel.games.product import BettingLines
from endspiel.rules.builtin import load_rules


@given(st.lists(st.floats(0, 200), min_size=1))
def test_bytes_round_gifts_down_by_little(gifts: list[float]) -> None:
    given_away = np.array(gifts)
    kept = decode(encode(given_away))
    assert (kept <= given_away * (1 + 1e-12)).all()
    near = given_away < LEAST
    assert (kept[~near] >= given_away[~near] * 2 ** (-1.001 / OCTAVE)).all()
    assert not kept[near].any()


@pytest.fixture(scope="module")
def trained() -> tuple[Trainer, Betting]:
    """A few iterations of a small abstract game with made-up buckets."""
    game = load_rules("nolimit-holdem")
    sizing = Sizing.same(StreetMenu.parse("100%", "a"), max_raises=2)
    betting = Betting.of(game_tree(game, sizing))
    rng = np.random.default_rng(5)
    parents = tuple(np.repeat(np.arange(n), 2) for n in (2, 4, 8))
    halves = rng.integers(1, 50, (16, 16)) * np.arange(1, 17)[:, None]
    joint = Joint(halves, parents)
    trainer = Trainer(
        abstract_game(game, BettingLines(betting.tree), joint, np.float32), SCHEMES["cfr+"]
    )
    for _ in range(30):
        trainer.step()
    return trainer, betting


def test_the_best_action_gives_nothing_away(trained: tuple[Trainer, Betting]) -> None:
    trainer, betting = trained
    gifts = measure_gifts(trainer, betting)
    deciding = np.flatnonzero((betting.whole.kind == DECISION) & (betting.whole.street < 3))
    for node in deciding.tolist():
        codes = gifts(node)
        assert codes.shape[0] == betting.whole.num_children[node]
        assert (codes.min(axis=0) == 0).all()


def test_gifts_are_what_leaving_the_best_play_costs(trained: tuple[Trainer, Betting]) -> None:
    """At the first decision: by hand, from the values of best play below each action."""
    trainer, betting = trained
    where, player = trainer.game.nodes, int(betting.tree.player[0])
    plan = trainer.backend.average_plan(1 - player).copy()
    values = np.asarray(trainer.game.gradient(player, plan.astype(np.float64)))
    plex = trainer.game.plexes[player]
    for b in range(len(plex.arrays.first) - 1, -1, -1):
        first, states, actions = (
            int(column[b])
            for column in (plex.arrays.first, plex.arrays.states, plex.arrays.actions)
        )
        best = values[first : first + actions * states].reshape(actions, states).max(axis=0)
        if first != int(where.sequences(player, 0, 0, 0)[0, 0]):
            parents = plex.arrays.base[b] + plex.arrays.maps[plex.arrays.map_at[b] :][:states]
            np.add.at(values, parents, best)
    earned = values[where.sequences(player, 0, 0, 0)]
    chance = where.streets[0][0].chance.sum(axis=1)
    lost = (earned.max(axis=0) - earned) / trainer.game.unit / chance
    assert np.allclose(decode(measure_gifts(trainer, betting)(0)), decode(encode(lost)), rtol=0.05)


def test_packed_gifts_are_read_back(trained: tuple[Trainer, Betting]) -> None:
    trainer, betting = trained
    gifts, sizes = measure_gifts(trainer, betting), (2, 4, 8, 16)
    kept = Gifts(betting.whole, sizes, pack_gifts(betting.whole, sizes, gifts))
    for node in (0, 1, int(np.flatnonzero(betting.whole.street == 2)[0])):
        if betting.whole.kind[node] == DECISION:
            assert np.array_equal(kept.of(node), decode(gifts(node)))
    with pytest.raises(GameError, match="no gifts are kept"):
        kept.of(int(np.flatnonzero(betting.whole.street == 3)[0]))
    with pytest.raises(FileError, match="gifts, where the betting has"):
        Gifts(betting.whole, sizes, np.zeros(3, np.uint8))
