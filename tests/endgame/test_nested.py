"""Nested solving of off-tree actions: the bound, repeated actions, both ways, refusals."""

from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endspiel.endgame.safe.nested import OffTree, moves
from endspiel.endgame.safe.refine import refine
from endspiel.endgame.safe.subgame import Endgame
from endspiel.endgame.safe.techniques import SAFE, TECHNIQUES
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.game import Game, Profile, best_response, exploitability
from endspiel.games.leduc_holdem import leduc
from endspiel.games.toy import choose_endgame, kuhn
from endspiel.solvers.lp import solve
from tests.endgame.publicgames import PublicTree, random_game

SEEDS = st.integers(0, 10_000)
few = settings(max_examples=8, deadline=None)
EXACT = 1e-7


def solved_base(off: OffTree) -> tuple[Profile, float]:
    """An equilibrium of the abstraction, even elsewhere, and the opponent's value there."""
    part = off.abstraction()
    found = solve(part.game)
    base = part.embed(found.profile, Profile.uniform(off.game))
    return base, found.value if off.opponent == 0 else -found.value


def last_actions(game: Game, tree: PublicTree, opponent: int, seed: int) -> list[np.ndarray]:
    """Some of the opponent's nodes' last actions, where somebody moves after them."""
    rng = np.random.default_rng(seed)
    found = []
    for line, (who, width) in tree.items():
        after = line + str(width - 1)
        follows = any(t.startswith(after) and tree[t][0] < 2 for t in tree)
        if who == opponent and follows and rng.random() < 0.6:
            names = [name for block in game.labels[opponent].infosets for name in block]
            here = [name for name in names if name.split(":")[1] == line]
            found.append(moves(game, opponent, str(width - 1), here))
    return found


@few
@given(SEEDS)
def test_inexpensive_answers_cost_at_most_their_shortfall(seed: int) -> None:
    game, tree = random_game(seed, depth=5)
    for player in (0, 1):
        actions = last_actions(game, tree, 1 - player, seed)
        if not actions:
            continue
        off = OffTree(game, player, tuple(actions))
        base, value = solved_base(off)
        for technique in SAFE:
            found = off.answer(base, partial(refine, technique=technique))
            after, _ = best_response(game, off.opponent, found.profile)
            assert after <= value + found.shortfall + EXACT
            assert after >= value - EXACT  # more actions are no worse for the opponent


@few
@given(SEEDS)
def test_one_inexpensive_answer_costs_at_most_its_negative_margins(seed: int) -> None:
    """No negative margin, reach margins included, leaves an equilibrium an equilibrium."""
    game, tree = random_game(seed)
    for player in (0, 1):
        for action in last_actions(game, tree, 1 - player, seed)[:2]:
            off = OffTree(game, player, (action,))
            base, value = solved_base(off)
            for technique in SAFE:
                found = off.answer(base, partial(refine, technique=technique))
                after, _ = best_response(game, off.opponent, found.profile)
                margins = found.refinements[0].margins
                assert after <= value - np.minimum(margins, 0.0).sum() + EXACT


def test_several_off_tree_actions_can_use_up_the_same_slack() -> None:
    """Why the bound for several is counted from the infosets themselves."""
    game, tree = random_game(1042, depth=5)
    off = OffTree(game, 0, tuple(last_actions(game, tree, 1, 1042)))
    base, value = solved_base(off)
    found = off.answer(base, partial(refine, technique="reach-maxmargin"))
    gain = best_response(game, 1, found.profile)[0] - value
    negative = sum(-np.minimum(r.margins, 0.0).sum() for r in found.refinements)
    assert negative + 0.05 < gain <= found.shortfall + EXACT


@few
@given(SEEDS)
def test_maxmargin_answers_a_single_action_as_well_as_can_be(seed: int) -> None:
    """With one entry the margin is the opponent's loss, so no other answer gives it less."""
    game, tree = random_game(seed, depth=3, types=1)
    for player in (0, 1):
        for action in last_actions(game, tree, 1 - player, seed):
            off = OffTree(game, player, (action,))
            base, _ = solved_base(off)
            found = off.answer(base, partial(refine, technique="maxmargin"))
            after, _ = best_response(game, off.opponent, found.profile)
            whole = off.answer(base, partial(refine, technique="unsafe"), expensive=True)
            assert after <= best_response(game, off.opponent, whole.profile)[0] + EXACT


def test_an_action_that_gains_nothing_leaves_an_equilibrium() -> None:
    """The new endgame is worth less than the known one: its margin is positive."""
    game = choose_endgame(([[1.0]], [[2.0, -1.0], [-1.0, 1.0]]))
    off = OffTree(game, 1, (moves(game, 0, "G2", [""]),))
    base, value = solved_base(off)
    assert value == pytest.approx(1)
    for technique in SAFE:
        for expensive in (False, True):
            found = off.answer(base, partial(refine, technique=technique), expensive)
            assert best_response(game, 0, found.profile)[0] == pytest.approx(1)
    margin = off.answer(base, partial(refine, technique="maxmargin")).refinements[0].by_infoset()
    assert margin == {": G2": pytest.approx(1 - 1 / 5)}


def test_an_action_that_gains_costs_no_more_than_it_must() -> None:
    game = choose_endgame(([[-1.0]], [[2.0, -1.0], [-1.0, 1.0]]))
    off = OffTree(game, 1, (moves(game, 0, "G2", [""]),))
    base, _ = solved_base(off)
    found = off.answer(base, partial(refine, technique="reach-maxmargin"))
    assert best_response(game, 0, found.profile)[0] == pytest.approx(1 / 5)
    assert found.shortfall == pytest.approx(1 + 1 / 5)


@cache
def raising_leduc() -> tuple[OffTree, Profile, float]:
    """Leduc in whose base player 0 never raises in the second round after two checks."""
    game = leduc()
    names = [name for block in game.labels[0].infosets for name in block]
    opening = moves(game, 0, "r", [n for n in names if n.endswith(":cc/")])
    checked = moves(game, 0, "r", [n for n in names if n.endswith(":cc/cr")])
    off = OffTree(game, 1, (opening, checked))
    base, _ = solved_base(off)
    return off, base, solve(game).value


@pytest.mark.parametrize("technique", TECHNIQUES)
@pytest.mark.parametrize("method", ["lp", "cfr+"])
def test_leduc_raises_are_answered(technique: str, method: str) -> None:
    """Better than a guess by far, whichever way."""
    off, base, value = raising_leduc()
    guessed = best_response(off.game, 0, base)[0] - value
    limits = Limits() if method == "lp" else Limits(iterations=2000)
    refiner = partial(refine, technique=technique, method=method, limits=limits)
    for expensive in (False, True):
        if technique == "unsafe" and not expensive:
            continue
        found = off.answer(base, refiner, expensive)
        assert best_response(off.game, 0, found.profile)[0] - value < 0.5 * guessed


def test_actions_after_actions_are_answered_in_their_turn() -> None:
    game, tree = random_game(5, depth=5)
    for opponent in (0, 1):
        off = OffTree(game, 1 - opponent, tuple(last_actions(game, tree, opponent, 5)))
        chains = [off.before(i) for i in range(len(off.actions))]
        for i, chain in enumerate(chains):
            assert i not in chain
            assert all(chains[j] == chain[: chain.index(j)] for j in chain)


@pytest.mark.parametrize(("action", "line"), [(0, ":cc/"), (1, ":cc/cr")])
def test_expensive_endgames_begin_with_the_infosets_themselves(action: int, line: str) -> None:
    """Everything from the decision on at which the action is taken, and nothing else."""
    off, _, _ = raising_leduc()
    right = Endgame.where(off.game, lambda player, name: line in name)
    for found, wanted in zip(off.around(action).inside, right.inside, strict=True):
        assert np.array_equal(found, wanted)
    after = off.after(action).inside[off.opponent]
    assert after.sum() < right.inside[off.opponent].sum()


def test_the_abstraction_lacks_only_what_was_left_out() -> None:
    game = kuhn()
    bets = moves(game, 0, "b", ["0", "1", "2"])
    part = OffTree(game, 1, (bets,)).abstraction()
    assert part.game.num_infosets == game.num_infosets - 3  # no answer to a first bet is needed
    full = part.embed(solve(part.game).profile, Profile.uniform(game))
    assert (full.behavior[0][bets] == 0).all()
    assert exploitability(game, full).value == pytest.approx(solve(part.game).value)


def test_refusals_name_the_thing() -> None:
    game = kuhn()
    off = OffTree(game, 1, (moves(game, 0, "b", ["0", "1", "2"]),))
    base, _ = solved_base(off)
    with pytest.raises(GameError, match=r"probability of '.: b', which the base .* restart before"):
        off.answer(base, partial(refine, technique="unsafe"))
    with pytest.raises(GameError, match="has histories inside and outside"):
        OffTree(game, 1, (moves(game, 0, "b", ["0"]),))
    both = tuple(moves(game, 0, action, ["0", "1", "2"]) for action in "bp")
    with pytest.raises(GameError, match=r"every action at infoset '0' is off-tree"):
        OffTree(game, 1, both)
    with pytest.raises(GameError, match="player 0 has no action 'raise'"):
        moves(game, 0, "raise", ["0"])
