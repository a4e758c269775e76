"""Best responses to strategies that are the same for every hand, against plain recursion.

What the other does tells nothing of its hand, so that a line is worth its probability times what
each hand wins of all hands that it can meet: no reach by hand is needed.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from endspiel.arena.estimators import real_given, real_response
from endspiel.arena.estimators.real_exploit import PreflopResponse
from endspiel.arena.estimators.real_given import GivenBlueprint
from endspiel.arena.estimators.real_response import RealResponse
from endspiel.arena.estimators.real_strategy import StrategySource, load_strategy
from endspiel.betting.tree import CHANCE, DECISION, FOLD
from endspiel.blueprint.fixed import FIXED, FixedStrategy
from endspiel.cards.deck import hand_cards
from endspiel.cards.strength import board_strengths
from endspiel.errors import EndspielError
from endspiel.gpu.given import GivenTwin
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import format_game

Floats = NDArray[np.float64]
CARDS = hand_cards().astype(np.int64)
APART = (CARDS[:, None, :, None] != CARDS[None, :, None, :]).all(axis=(2, 3))
FLOP, COMING = (0, 18, 37), (7, 45)


@cache
def meetings(board: tuple[int, ...]) -> tuple[Floats, Floats]:
    """How many hands each can meet on a board [1326], and how many more it beats than not."""
    live = np.asarray(np.isin(CARDS, board, invert=True).all(axis=1))
    met = APART & live & live[:, None]
    if len(board) < 5:
        return met.sum(axis=1).astype(float), np.zeros(len(live))
    strength = board_strengths(board).astype(np.int64)
    won = np.sign(strength[:, None] - strength) * met
    return met.sum(axis=1).astype(float), won.sum(axis=1).astype(float)


def plainly(
    strategy: FixedStrategy, player: int, at: tuple[int, tuple[int, ...]], chance: float
) -> Floats:
    """The responder's best values [1326] at a node and board that the other comes to so often."""
    (node, board), tree = at, strategy.tree
    if chance == 0:
        return np.zeros(len(CARDS))
    if tree.kind[node] == DECISION:
        own = tree.player[node] == player
        shares = strategy.rows(node)[:, 0]
        values = [
            plainly(strategy, player, (child, board), chance * (1.0 if own else float(share)))
            for child, share in zip(tree.children(node), shares, strict=True)
        ]
        return np.asarray(np.max(values, axis=0) if own else np.sum(values, axis=0))
    if tree.kind[node] == CHANCE:
        child = int(tree.first_child[node])
        coming = [(*board, card) for card in COMING if card not in board]
        found = sum(plainly(strategy, player, (child, after), chance) for after in coming)
        return np.asarray(found / (48 - len(board)))
    met, won = meetings(board)
    if tree.kind[node] == FOLD:
        lost = tree.player[node] == player
        stake = float(-tree.spent[node, player] if lost else tree.spent[node, 1 - player])
        return chance * stake * met
    return chance * float(tree.spent[node, 0]) * won


@pytest.mark.parametrize("kind", FIXED)
@pytest.mark.parametrize("player", [0, 1])
def test_values_of_a_flop(kind: str, player: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        real_response,
        "next_cards",
        lambda board: [(card, [0]) for card in COMING if card not in board],
    )
    strategy = FixedStrategy("limit-holdem", kind)
    response = RealResponse(strategy, player)
    found = response.flop_values(FLOP)
    lines = response.exits[0]
    reach = response.preflop_reach[np.searchsorted(response.nodes[0], lines)][:, 0]
    for at in (0, len(lines) - 1):
        start = int(strategy.tree.first_child[lines[at]])
        wanted = plainly(strategy, player, (start, FLOP), float(reach[at]))
        scale = max(float(np.abs(wanted).max()), 1.0)
        assert found[at] == pytest.approx(wanted, rel=1e-4, abs=1e-5 * scale)
    assert sum(len(nodes) for nodes in response.nodes) <= strategy.tree.num_nodes


def test_lines_that_nobody_takes_are_not_walked() -> None:
    caller = RealResponse(FixedStrategy("limit-holdem", "always-call"), 0)
    decisions = [int((caller.tree.kind[nodes] == DECISION).sum()) for nodes in caller.nodes]
    # A responder bets or not on each street: 3 lines see a flop, and one of two bets is called.
    assert decisions[0] == 8
    assert decisions[3] < 100
    assert sum(len(nodes) for nodes in caller.nodes[1:]) < caller.tree.num_nodes / 20


@pytest.mark.parametrize("player", [0, 1])
def test_always_fold_loses_its_blinds(player: int) -> None:
    """Without a flop the small blind is won at once; the big blind by raising."""
    response = PreflopResponse(RealResponse(FixedStrategy("limit-holdem", "always-fold"), player))
    nothing = np.zeros((len(response.exits), 169))
    blind = 5 if player == 0 else 10  # player 0 has the big blind and wins the small one
    assert response.value(nothing, response.best(nothing)) == pytest.approx(blind)


def test_streams_respond_to_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a GPU runs, in a game of one bet a street that is read from a file."""
    rules = replace(load_rules("limit-holdem"), max_raises=(1, 1, 1, 1))
    (tmp_path / "one.game").write_text(format_game(rules))
    strategy = load_strategy(f"{tmp_path / 'one.game'}:uniform")
    for module in (real_response, real_given):
        monkeypatch.setattr(
            module,
            "next_cards",
            lambda board: [(card, [0]) for card in COMING if card not in board],
        )
    responses = [RealResponse(strategy, player) for player in (0, 1)]
    given = GivenBlueprint(strategy, responses)
    found = GivenTwin(given.streets).respond(given.deal(FLOP), 0, given.reaches[1])
    wanted = responses[0].flop_values(FLOP)
    assert found == pytest.approx(wanted, rel=2e-4, abs=2e-5 * float(np.abs(wanted).max()))


def test_strategies_by_name() -> None:
    strategy = load_strategy("limit-holdem:always-call")
    assert isinstance(strategy, FixedStrategy)
    again = StrategySource.of(strategy).open()
    assert again == strategy
    assert again.verify() == strategy.verify()
    assert load_strategy("limit-holdem:uniform").verify() != strategy.verify()
    with pytest.raises(EndspielError, match="is a strategy of a game with fixed limits"):
        load_strategy("nolimit-holdem:uniform")
    with pytest.raises(EndspielError, match="no game 'chess'"):
        load_strategy("chess:uniform")
