"""ACPC text: logs and the transcript reproduced line by line, round trips, damaged lines."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endspiel.errors import EndspielError, IllegalAction, StateError
from endspiel.rules.acpc import (
    format_action,
    format_state,
    history,
    parse_betting,
    parse_reply,
    parse_state,
    view,
)
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.log import (
    format_header,
    format_record,
    format_score,
    parse_header,
    parse_record,
    parse_score,
)
from endspiel.rules.state import State, start
from tests.rules.hands import ACPC, LOGS, plays, shown

NO_LIMIT = load_rules("nolimit-holdem")
VIEW = "MATCHSTATE:0:3:cr300c/:7d3d|/5sKs7s"


@given(plays(), st.data())
def test_what_is_printed_reads_back(play: tuple[State, Deal], data: st.DataObject) -> None:
    game = play[0].game
    position = data.draw(st.none() | st.integers(0, game.num_players - 1))
    seen = shown(play, position)
    assert parse_state(game, format_state(seen)) == seen
    assert parse_state(game, format_state(seen) + "\r\n") == seen


@given(plays())
def test_history_replays_the_line(play: tuple[State, Deal]) -> None:
    state, _ = play
    replayed = start(state.game)
    texts = []
    for street in history(state):
        text = ""
        for action in street:
            text += format_action(replayed, action)
            replayed = replayed.apply(action)
        texts.append(text)
    assert replayed == state
    assert "/".join(texts) == state.line


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_logs_are_reproduced_line_by_line(path: Path) -> None:
    """Played again from the seed with the log's actions, every line comes out as it was."""
    lines = path.read_text().splitlines()
    header = parse_header(lines[0])
    assert header is not None
    assert format_header(header) == lines[0]
    game = load_rules(ACPC / header.game)
    cards = deals(game, header.seed)
    totals: dict[str, float] = {}
    for number, line in enumerate(line for line in lines if line.startswith("STATE")):
        record = parse_record(game, line)
        deal = next(cards)
        state = record.shown.state
        payoffs = state.payoffs(deal)
        assert (
            format_record(record._replace(shown=view(state, deal, number), payoffs=payoffs)) == line
        )
        for name, chips in zip(record.names, payoffs, strict=True):
            totals[name] = totals.get(name, 0) + chips
    score = parse_score(game, lines[-1])
    recomputed = score._replace(totals=tuple(totals[name] for name in score.names))
    assert format_score(recomputed) == lines[-1]
    assert number + 1 == header.hands


def test_the_transcript_is_reproduced_message_by_message() -> None:
    """A dealer made of deals, states and views sends every TO line, and reads every FROM line."""
    text = (ACPC / "transcript-nolimit-seed42.txt").read_text()
    messages = re.findall(r"^(TO|FROM) ([12]) at \S+ (\S+)$", text, re.MULTILINE)
    assert len(messages) > 400
    remaining = iter(messages)
    sent = received = 0
    for hand, deal in enumerate(deals(NO_LIMIT, 42)):
        state = start(NO_LIMIT)
        while True:
            # Seats swap positions every hand; both seats are told of every state.
            for seat in (0, 1):
                position = (seat + hand) % 2
                line = format_state(view(state, deal, hand, position))
                message = next(remaining, None)
                if message is None:
                    assert sent + received == len(messages)
                    return
                assert message == ("TO", str(seat + 1), line)
                sent += 1
            if state.finished:
                break
            message = next(remaining, None)
            if message is None:
                assert sent + received == len(messages)
                return
            seen = view(state, deal, hand, state.actor)
            assert message[:2] == ("FROM", str((state.actor + hand) % 2 + 1))
            replied, action = parse_reply(NO_LIMIT, message[2])
            assert replied == seen
            assert f"{format_state(seen)}:{format_action(state, action)}" == message[2]
            state = state.apply(action)
            received += 1


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "neither STATE"),
        ("STATE:0:", "neither STATE"),
        ("MATCHSTATE:2:3:c:7d3d|", "position '2'"),
        ("MATCHSTATE:0:4294967296:c:7d3d|", "hand number"),
        ("MATCHSTATE:0:03:c:7d3d|", "hand number"),
        ("MATCHSTATE:0:-3:c:7d3d|", "hand number"),
        ("MATCHSTATE:0:3:x:7d3d|", "no action 'x'"),
        ("MATCHSTATE:0:3:r:7d3d|", "a no-limit raise is r and the chips"),
        ("MATCHSTATE:0:3:r0300:7d3d|", "a no-limit raise is r and the chips"),
        ("MATCHSTATE:0:3:cc:7d3d|/5sKs7s", "should read 'cc/'"),
        ("MATCHSTATE:0:3:c/c/:7d3d|/5sKs7s", "should read 'cc/'"),
        ("MATCHSTATE:0:3:c:7d3d", "show 1 players"),
        ("MATCHSTATE:0:3:c:7d3d||", "show 3 players"),
        ("MATCHSTATE:0:3:c:7d3d|/5sKs7s", "1 boards"),
        ("MATCHSTATE:0:3:cc/:7d3d|", "0 boards"),
        ("MATCHSTATE:0:3:cc/:7d3d|/5sKs", "deals 3 board cards, not 2"),
        ("MATCHSTATE:0:3:cc/:7d3d|/5sKs7", "no card '7'"),
        ("MATCHSTATE:0:3:cc/:7d3d|/5sKs7d", "7d is dealt twice"),
        ("MATCHSTATE:0:3:c:7d7d|", "7d is dealt twice"),
        ("MATCHSTATE:0:3:c:7d|", "sees 2 cards of position 0"),
        ("MATCHSTATE:0:3:c:|7d3d", "sees 2 cards of position 0"),
        ("MATCHSTATE:0:3:c:7d3d|2hAc", "sees 0 cards of position 1"),
        ("MATCHSTATE:0:3:f:7d3d|2hAc", "sees 0 cards of position 1"),
        ("MATCHSTATE:0:3:c:7D3d|", "no card '7D'"),
    ],
)
def test_a_bad_line_is_refused_with_the_place(line: str, why: str) -> None:
    with pytest.raises(StateError, match=re.escape(why)):
        parse_state(NO_LIMIT, line)


def test_illegal_betting_is_refused_by_the_rules() -> None:
    for betting in ("r150", "cf", "r20001", "fc", "r" + "9" * 10):
        with pytest.raises(IllegalAction):
            parse_betting(NO_LIMIT, betting)
    with pytest.raises(StateError, match="limit raise is r without a size"):
        parse_betting(load_rules("limit-holdem"), "r20")
    with pytest.raises(IllegalAction, match="3 raises"):
        parse_betting(load_rules("limit-holdem"), "rrrr")


def test_cards_foreign_to_the_deck_are_refused() -> None:
    with pytest.raises(StateError, match="2s is not in the deck"):
        parse_state(load_rules("kuhn"), "STATE:0:cc:2s|As")


def test_replies() -> None:
    seen, action = parse_reply(NO_LIMIT, VIEW + ":r900\r\n")
    assert (format_state(seen), action) == (VIEW, 900)
    assert not seen.state.can(parse_reply(NO_LIMIT, VIEW + ":r301")[1])
    for bad in (VIEW, VIEW + ":", VIEW + ":x", VIEW + ":r", VIEW + ":r" + "1" * 40, ":::"):
        with pytest.raises(EndspielError):
            parse_reply(NO_LIMIT, bad)
    with pytest.raises(IllegalAction, match="finished hand"):
        parse_reply(NO_LIMIT, "MATCHSTATE:0:0:f:7d3d|:c")


@given(st.data())
def test_damaged_lines_raise_nothing_else(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(LOGS))
    lines = path.read_text().splitlines()
    header = parse_header(lines[0])
    assert header is not None
    game = load_rules(ACPC / header.game)
    line = data.draw(st.sampled_from(lines[4:]) | st.just(VIEW + ":r900"))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(line)))
        gone = data.draw(st.integers(0, 6))
        new = data.draw(
            st.text(max_size=4) | st.sampled_from([":", "/", "|", "As", "r", "9" * 5000])
        )
        line = line[:at] + new + line[at + gone :]
    for parse in (parse_state, parse_record, parse_score, parse_reply):
        try:
            result = parse(game, line)
        except EndspielError:
            continue
        if parse is parse_state:
            assert format_state(result) == line.rstrip("\r\n")
    parse_header(line)


@given(st.text(max_size=60))
def test_any_text_raises_nothing_else(text: str) -> None:
    for parse in (parse_state, parse_record, parse_score, parse_reply):
        with pytest.raises(EndspielError):
            parse(NO_LIMIT, text)
