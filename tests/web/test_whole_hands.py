"""Whole hands against a solution: dealt as its ranges, judged by its values, paid as its tree."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import endspiel as es
from endspiel.cards.deck import hand_index
from endspiel.cards.strength import strength
from endspiel.games.spot import parse_spot
from endspiel.solving.solution import SpotSolution
from endspiel.web.messages import Refused
from endspiel.web.trainer import WHOLE, DrillBook, parts_of
from endspiel.web.training import judge
from endspiel.web.whole_hands import WholeHand, act_in, answer_hand, deal_whole
from tests.solving.spots import RIVER, TURN
from tests.web.conftest import Page


@pytest.fixture(scope="module")
def turn() -> SpotSolution:
    return es.solve(parse_spot(TURN), iterations=30)


def played(
    solution: SpotSolution, player: int, seed: int, choose: Callable[[list[str]], str]
) -> WholeHand:
    """A hand played to its end."""
    dice = np.random.default_rng(seed)
    hand = deal_whole(solution, "job", "a turn", player, dice)
    while hand.ending is None:
        act_in(solution, hand, choose([a.word for a in answer_hand(solution, hand).actions]), dice)
    return hand


def test_hands_are_played_to_the_end_and_paid(turn: SpotSolution) -> None:
    ways: list[Callable[[list[str]], str]] = [
        lambda words: words[-1],
        lambda words: "c",
        lambda words: words[0],
    ]
    ended = set()
    for seed in range(12):
        hand = played(turn, seed % 2, seed, ways[seed % 3])
        answer, ending = answer_hand(turn, hand), hand.ending
        assert ending is not None
        assert answer.actions == []
        ended.add(ending.how)
        own, other = es.parse_cards("".join(answer.hand)), es.parse_cards("".join(ending.other))
        board = es.parse_cards("".join(ending.board))
        assert len({*own, *other, *board}) == 4 + len(board)
        put_in = turn.spot.stack - answer.behind[hand.player]
        if ending.how == "showdown":
            assert len(board) == 5
            mine, its = strength([*own, *board]), strength([*other, *board])
            share = (mine > its) + (mine == its) / 2
            contested = 2 * min(turn.spot.stack - behind for behind in answer.behind) + 200
            assert ending.won == pytest.approx(share * contested - put_in)
        elif answer.path[-1].player == hand.player:
            assert ending.won == -put_in
        else:
            assert ending.won == 200 + turn.spot.stack - answer.behind[1 - hand.player]
        for decision in hand.decisions:
            verdict = judge(turn, decision.line, hand.text, decision.verdict.word)
            assert decision.verdict == verdict
            assert decision.street == ("river" if "/" in decision.line else "turn")
        assert answer.lost == pytest.approx(sum(d.verdict.lost for d in hand.decisions), abs=1e-5)
        assert answer.lost_percent == pytest.approx(answer.lost / 2, abs=1e-5)  # of a pot of 200
    assert ended == {"fold", "showdown"}


def test_the_opponent_plays_as_solved(turn: SpotSolution) -> None:
    """After the player's check its bets come as often as the solution has them."""
    dice, bets, hands = np.random.default_rng(3), 0, 400
    expected = 0.0
    for _ in range(hands):
        hand = deal_whole(turn, "job", "a turn", 0, dice)
        view = turn.view("c")
        (place,) = np.flatnonzero(view.hands == hand.hands[1])
        expected += 1 - view.strategy[view.actions.index("c"), place]
        act_in(turn, hand, "c", dice)
        bets += not hand.line.startswith("c c")
    assert bets / hands == pytest.approx(expected / hands, abs=0.08)


def test_a_hand_over_takes_no_more(turn: SpotSolution) -> None:
    dice = np.random.default_rng(5)
    hand = deal_whole(turn, "job", "a turn", 0, dice)
    with pytest.raises(Refused, match="no action"):
        act_in(turn, hand, "x", dice)
    while hand.ending is None:
        act_in(turn, hand, "c", dice)
    with pytest.raises(Refused, match="over"):
        act_in(turn, hand, "c", dice)
    assert hand_index(*es.parse_cards(hand.text)) == hand.hands[0]


def test_parts_of_boards() -> None:
    assert parts_of([]) == ["preflop"]
    assert parts_of(["Qs", "Jh", "2h", "4c"]) == ["turn", "two-tone", "unpaired"]
    assert parts_of(["Qs", "Qh", "2d"]) == ["flop", "rainbow", "paired"]
    assert parts_of(["Qs", "8s", "2s", "2d", "2c"]) == ["river", "monotone", "unpaired"]
    assert parts_of(["7s", "7h", "7d"]) == ["flop", "rainbow", "trips"]


def test_a_whole_hand_over_the_web(page: Page, tmp_path: Path) -> None:
    before = page.get("/api/train")["parts"]
    job = page.solve(RIVER, iterations=50, threads=1)
    hand = page.post("/api/train/hands", {"job": job["id"], "player": 1}, 201)
    one = f"/api/train/hands/{hand['id']}"
    assert page.get(one) == hand
    count = 0
    while not hand["ending"]:
        assert (hand["player"], hand["street"]) == (1, "river")
        hand = page.post(f"{one}/act", {"word": hand["actions"][0]["word"]})
        count += 1
    assert len(hand["decisions"]) == count
    page.post(f"{one}/act", {"word": "c"}, 409)
    ((day, parts),) = page.get("/api/train")["parts"].items()
    done = {part: score["questions"] for part, score in parts.items()}
    had = {part: score["questions"] for part, score in before.get(day, {}).items()}
    assert done["river"] - had.get("river", 0) == count
    assert done[WHOLE] - had.get(WHOLE, 0) == 1
    book = DrillBook(page.site.training.trainer.path)  # as the file has it
    assert book.answer().parts[day][WHOLE].questions == done[WHOLE]
    assert page.post("/api/train/hands", {"job": job["id"], "player": 2}, 422)["field"] == "player"
    assert page.post("/api/train/hands", {"job": "none"}, 404)["field"] == "id"
    assert page.client.get("/api/train/hands/none").status_code == 404
