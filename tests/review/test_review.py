"""Played hands: what is read, what a decision costs, what is told of hands that cannot be."""

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import numpy as np
import pytest

import endspiel as es
from endspiel.arena.protocol.phh import write_phh
from endspiel.betting.line_menus import lines_with
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import no_limit_tree
from endspiel.cards.ranges import parse_range
from endspiel.cards.text import format_cards
from endspiel.errors import FileError
from endspiel.review.judge import FLOP, RIVER, Review, Reviewer, ReviewSettings
from endspiel.review.links import spot_content
from endspiel.review.played import FOLDED, BrokenHand, PlayedHand, RootedAction, actions_from
from endspiel.review.sources import read_hands
from endspiel.rules.log import parse_record, read_lines
from tests.cli.commands import Run, runner

DATA = Path(__file__).parents[1] / "data"
HANDS = DATA / "hands" / "heads-up.txt"
RANGES = ("KQs,77,76s,A8o,JTs", "AKo,QQ,T9s,65s,A5s")


def settings(street: int = RIVER, ranges: tuple[str, str] = RANGES) -> ReviewSettings:
    first, second = map(parse_range, ranges)
    menu = StreetMenu.parse("50%", "a")
    return ReviewSettings((first, second), menu, first_street=street, target=1e-4)


@pytest.fixture(scope="module")
def hands() -> list[PlayedHand | BrokenHand]:
    return list(read_hands(HANDS))


def whole(hands: list[PlayedHand | BrokenHand]) -> list[PlayedHand]:
    return [hand for hand in hands if isinstance(hand, PlayedHand)]


def test_a_cash_hand_heads_up(hands: list[PlayedHand | BrokenHand]) -> None:
    hand = whole(hands)[0]
    assert (hand.name, hand.line, hand.big_blind) == ("1001", 1, 100)
    assert hand.players == ("Carl: x", "Ann B")  # the button acts last after the flop
    assert [format_cards(hole) for hole in hand.holes] == ["7c6c", "AhKd"]
    assert format_cards(hand.board) == "Kc7d2s4h9c"
    assert {street: start.pot for street, start in hand.starts.items()} == {
        1: 500,
        2: 1000,
        3: 2000,
    }
    assert hand.behind(3) == 7000
    river = [(action.player, action.chips) for action in actions_from(hand, 3)]
    assert river == [(0, 0), (1, 7000), (0, 7000)]
    turn = [(action.street, action.chips) for action in actions_from(hand, 2)]
    assert turn == [(2, 0), (2, 500), (2, 500), (3, 500), (3, 7500), (3, 7500)]


def test_a_tournament_hand_that_becomes_heads_up(hands: list[PlayedHand | BrokenHand]) -> None:
    hand = whole(hands)[1]
    assert (hand.name, hand.line) == ("1002", 34)
    assert hand.players == ("Eve", "Ann B")
    assert hand.starts[1].pot == 53000  # hundredths: two of 250, three antes of 10
    assert hand.behind(2) == 124000
    assert [action.chips for action in actions_from(hand, 2)] == [30000, 30000, 30000, 30000]


def test_what_cannot_be_read_is_named_with_its_line(hands: list[PlayedHand | BrokenHand]) -> None:
    broken = {hand.name: hand for hand in hands if isinstance(hand, BrokenHand)}
    assert broken.keys() == {"1004", "1005"}
    assert broken["1004"].line == 85
    assert "breaks off" in broken["1004"].reason
    assert "not no-limit hold'em" in broken["1005"].reason


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Ann B: bets $2.50", "Ann B: juggles $2.50", "line 13: unknown words 'juggles $2.50'"),
        ("Ann B: bets $2.50", "Ann B: bets", "lacks its chips"),
        ("Ann B: bets $2.50", "Ann B: bets $x", "no amount"),
        ("Ann B: bets $2.50", "Ann B: bets $2.505", "finer than hundredths"),
        ("Ann B: bets $2.50", "Ann B: bets $2500", "more than the stack"),
        ("*** FLOP *** [Kc 7d 2s]", "*** FIRST FLOP *** [Kc 7d 2s]", "run twice"),
        ("*** FLOP *** [Kc 7d 2s]", "-", "a street is missing"),
        ("[Kc 7d 2s 4h] [9c]", "[Kc 7d 2s 4h] [Ah]", "dealt twice"),
        ("Seat 2: Carl", "Seat 1: Carl", "sits down twice, or where somebody sits"),
        ("Carl: x: posts big blind $1\n", "", "no player posts the big blind"),
        ("Ann B: bets $2.50", "Ann B: bets $" + "9" * 5000, "no amount"),
    ],
)
def test_a_broken_line_breaks_its_hand_alone(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_text(HANDS.read_text().replace(old, new, 1))
    found = list(read_hands(path))
    assert isinstance(found[0], BrokenHand)
    assert said in found[0].reason
    assert isinstance(found[1], PlayedHand)


@pytest.fixture(scope="module")
def river(hands: list[PlayedHand | BrokenHand]) -> tuple[Review, Reviewer]:
    reviewer = Reviewer(settings())
    return reviewer.review([*hands, *whole(hands)[:1]]), reviewer


def test_a_decision_loses_what_the_library_says(river: tuple[Review, Reviewer]) -> None:
    review, reviewer = river
    solution = next(iter(reviewer.solved.values()))
    lost = [one for one in review.judgments if one.hand == "1001"][:3]
    assert [one.node for one in lost] == ["", "c", "c b7000"]
    assert [one.taken for one in lost] == ["check", "bet 70", "call"]
    assert [one.where for one in lost] == ["", "c", "c b70"]
    for one, word in zip(lost, ("c", "b7000", "c"), strict=True):
        view = solution.view(one.node)
        k = int(view.chosen(one.cards)[0])
        evs = dict(zip(view.actions, view.action_ev[:, k], strict=True))
        assert one.lost == pytest.approx((max(evs.values()) - evs[word]) / 100, abs=1e-6)
        assert one.blinds == pytest.approx(one.lost)
        assert one.share == pytest.approx(solution.strategy(one.node, one.cards)[word])


def test_a_call_that_cannot_win_loses_its_chips() -> None:
    """Against aces alone, calling all-in with a pair of nines costs the whole call."""
    hand = whole(list(read_hands(HANDS)))[0]
    losing = Reviewer(settings(ranges=("76s", "KK"))).review(
        [PlayedHand(**{**vars(hand), "holes": (hand.holes[0], ())})]
    )
    call = losing.judgments[-1]
    assert (call.taken, call.best) == ("call", "fold")
    assert call.lost == pytest.approx(70, abs=1e-4)
    assert losing.unseen == 1


def test_totals_and_the_dearest(river: tuple[Review, Reviewer]) -> None:
    review, reviewer = river
    count, lost = review.lost(RIVER)
    assert count == len(review.judgments) == 7
    assert lost == pytest.approx(sum(one.blinds for one in review.judgments))
    dear = [one.blinds for one in review.dearest(10)]
    assert dear == sorted(dear, reverse=True)
    assert len(reviewer.solved) == 2  # a spot that comes again is not solved again
    assert review.hands == 4
    assert [(one.name, one.reason) for one in review.early] == [
        ("1003", "it ends before the river")
    ]
    reasons = [one.reason for one in review.broken]
    assert "Ac9d is not in the range stated out of position" in reasons
    assert len(reasons) == 3


def test_from_the_turn_on_rivers_are_judged_with_the_turns_ranges(
    hands: list[PlayedHand | BrokenHand],
) -> None:
    reviewer = Reviewer(settings(street=2))
    review = reviewer.review(whole(hands)[:1])
    assert [one.node for one in review.judgments] == [
        "", "c", "c b500", "c b500 c / 9c", "c b500 c / 9c c", "c b500 c / 9c c b7000",
    ]  # fmt: skip
    assert [one.street for one in review.judgments] == [2, 2, 2, 3, 3, 3]
    assert all(one.lost >= 0 for one in review.judgments)


def test_own_bets_stand_beside_the_menus() -> None:
    menu = Sizing((StreetMenu.parse("50%", "a"),) * 4, max_raises=3)
    lines = lines_with(100, 900, 3, menu, (37, 80, 900))
    tree = no_limit_tree(100, 900, 3, Sizing((None,) * 4, lines=lines))
    assert tree.words(0) == ["c", "b37", "b50"]
    assert tree.words(tree.find("b37")) == ["f", "c", "r80", "r900"]
    assert tree.words(tree.find("b37 r80")) == ["f", "c", "r900"]
    assert tree.words(tree.find("c")) == ["c", "b50"]


def test_a_dealers_log_is_read() -> None:
    found = list(read_hands(DATA / "acpc" / "dealer-nolimit-seed42.log"))
    played = whole(found)
    assert played
    for hand in played:
        last = actions_from(hand, 1)[-1] if hand.actions else None
        assert last is None or last.chips == FOLDED or last.chips <= hand.behind(1)
        assert len(set(hand.players)) == 2
        for street, start in hand.starts.items():
            assert start.spent[0] == start.spent[1]
            assert start.pot == sum(start.spent)
            assert len(hand.board) >= street + 2


def test_a_phh_file_tells_the_hands_of_its_log(tmp_path: Path) -> None:
    log, path = DATA / "acpc" / "dealer-nolimit-seed42.log", tmp_path / "hands.phhs"
    rules = es.load_rules("nolimit-holdem")
    states = [line for _, line in read_lines(log) if line.startswith("STATE:")]
    write_phh([parse_record(rules, line) for line in states], path)
    ours, theirs = whole(list(read_hands(path))), whole(list(read_hands(log)))
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        assert (one.actions, one.starts) == (other.actions, other.starts)
        assert sorted(map(sorted, one.holes)) == sorted(map(sorted, other.holes))
    path.write_text(path.read_text().replace("d dh p1", "d dh p9", 1))
    broken = next(iter(read_hands(path)))
    assert isinstance(broken, BrokenHand)
    assert (broken.name, broken.line) == ("1", 1)
    assert "d dh p9" in broken.reason


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_files_come_in_the_encodings_of_their_time(tmp_path: Path, encoding: str) -> None:
    text = HANDS.read_text()
    name = next(one for one in read_hands(HANDS) if isinstance(one, PlayedHand)).players[0]
    path = tmp_path / "hands.txt"
    path.write_bytes(text.replace(name, "Jos\u00e9").encode(encoding))
    assert any("Jos\u00e9" in hand.players for hand in whole(list(read_hands(path))))
    assert len(list(read_hands(path))) == len(list(read_hands(HANDS)))


def test_what_no_encoding_has_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "hands.txt"
    path.write_bytes(b"PokerStars Hand #1: \x81\x8d")
    with pytest.raises(FileError, match="not text in UTF-8, UTF-16 or Windows-1252"):
        list(read_hands(path))


def test_a_log_names_its_game(tmp_path: Path) -> None:
    lines = (DATA / "acpc" / "dealer-nolimit-seed42.log").read_text().splitlines()
    path = tmp_path / "match.log"
    path.write_text("\n".join(line for line in lines if not line.startswith("#")))
    with pytest.raises(FileError, match="names no game"):
        list(read_hands(path))
    assert whole(list(read_hands(path, "nolimit-holdem")))
    path.write_text("\n".join(line.replace("STATE:1:", "STATE:1:x") for line in lines))
    broken = [hand for hand in read_hands(path) if isinstance(hand, BrokenHand)]
    assert any(hand.name.startswith("STATE:1:x") for hand in broken)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("nothing\n")
    with pytest.raises(FileError, match="neither a history of PokerStars, GGPoker"):
        list(read_hands(path))


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner("review", monkeypatch, capsys)


def test_the_command_tells_it_all(command: Run) -> None:
    options = ("--oop", RANGES[0], "--ip", RANGES[1], "--from", "river", "--threads", 1)
    outcome = command(HANDS, *options)
    assert outcome.status == 0, outcome.err
    assert "3 hands, 4 decisions judged" in outcome.out
    assert "1 hands end before the river" in outcome.out
    assert "river: 4 decisions" in outcome.out
    assert f"{HANDS}:85 hand 1004: it breaks off" in outcome.out
    result = command(HANDS, *options, "--json", "-").json
    assert result["hands"] == 3
    assert [one["name"] for one in result["early"]] == ["1003"]
    assert {name: total["decisions"] for name, total in result["players"].items()} == {
        "Carl: x": 2, "Ann B": 2,
    }  # fmt: skip
    assert result["streets"]["river"]["decisions"] == 4
    assert len(result["broken"]) == 3
    assert result["dearest"][0]["cards"] == "7c6c"
    assert np.isclose(sum(one["blinds"] for one in result["judgments"]),
                      result["streets"]["river"]["big_blinds_lost"])  # fmt: skip


def test_solved_spots_are_kept(
    hands: list[PlayedHand | BrokenHand], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = replace(settings(), cache=tmp_path)
    first = Reviewer(how).review(whole(hands)[:1])
    monkeypatch.setattr("endspiel.review.judge.solve", None)
    assert Reviewer(how).review(whole(hands)[:1]).judgments == first.judgments
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (("--from", "showdown"), "--from is preflop, flop, turn or river"),
        (("--to", "showdown"), "--to is preflop, flop, turn or river"),
        (("--to", "flop"), "from the turn on cannot end on the flop"),
        (("--opens", "2.5y"), "'2.5y'"),
        (("--target", "nan"), "--target takes a number from 0 to"),
        (("--target", "-1"), "--target takes a number from 0 to"),
        (("--threads", "-1"), "--threads takes a whole number from 1 to"),
        (("--player", "Nobody", "--from", "river"), "'Nobody' is in no hand"),
    ],
)
def test_what_cannot_be_reviewed_is_said(command: Run, typed: tuple[str, ...], said: str) -> None:
    outcome = command(HANDS, "--oop", "AA", "--ip", "KK", *typed)
    assert outcome.status == 2
    assert said in outcome.err


def test_one_players_decisions_are_judged_alone(hands: list[PlayedHand | BrokenHand]) -> None:
    both = Reviewer(settings()).review(hands)
    ann = Reviewer(replace(settings(), player="Ann B")).review(hands)
    assert ann.judgments == [one for one in both.judgments if one.player == "Ann B"]
    assert 0 < len(ann.judgments) < len(both.judgments)
    carl = Reviewer(replace(settings(), player="Carl: x")).review(hands)
    assert (carl.hands, carl.others) == (2, 1)
    assert len(ann.judgments) + len(carl.judgments) == len(both.judgments)


def test_many_hands_of_one_reason_are_counted(command: Run, tmp_path: Path) -> None:
    folded = HANDS.read_text().split("\n\n")[4]  # Omaha
    path = tmp_path / "many.txt"
    path.write_text("\n\n".join([HANDS.read_text().split("\n\n")[0], *[folded] * 25]))
    options = ("--oop", RANGES[0], "--ip", RANGES[1], "--from", "river")
    outcome = command(path, *options)
    assert outcome.out.count("it is not no-limit hold'em") == 21
    assert "and 5 more hands: it is not no-limit hold'em" in outcome.out
    assert len(command(path, *options, "--json", "-").json["broken"]) == 25


@pytest.mark.parametrize("room", ["ggpoker", "888poker", "winamax"])
def test_every_room_tells_the_same_hands(room: str, hands: list[PlayedHand | BrokenHand]) -> None:
    found = whole(list(read_hands(DATA / "hands" / f"{room}.txt")))
    for one, other in zip(found, whole(hands)[:2], strict=True):
        assert one.name.endswith(other.name) or one.name.startswith(other.name)
        told = (one.big_blind, one.players, one.stacks, one.holes, one.board, one.raises)
        want = (other.big_blind, other.players, other.stacks, other.holes, other.board)
        assert told == (*want, 1)
        assert (one.starts, one.actions) == (other.starts, other.actions)


@pytest.mark.parametrize(
    ("room", "old", "new", "said"),
    [
        ("888poker", "Ann B bets [$5]", "Ann B juggles [$5]", "line 21: unknown words 'juggles"),
        ("888poker", "** Summary **", "", "breaks off before its summary"),
        ("winamax", "Ann B bets 5€", "Ann B bets", "lacks its chips"),
        ("winamax", "[Kc 7d 2s][4h]", "[Kc 7d][4h]", "the board has 6 cards, not 4"),
        ("ggpoker", "Hold'em No Limit", "Omaha Pot Limit", "not no-limit hold'em"),
        ("ggpoker", "*** TURN ***", "*** FIRST TURN ***", "run twice"),
        ("888poker", "[$2.50]", "[$x]", "lacks its chips"),
    ],
)
def test_a_broken_hand_of_any_room_is_named(
    room: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    text = (DATA / "hands" / f"{room}.txt").read_text()
    path = tmp_path / "hands.txt"
    path.write_text(text.replace(old, new, 1))
    found = list(read_hands(path))
    assert isinstance(found[0], BrokenHand)
    assert said in found[0].reason
    assert isinstance(found[1], PlayedHand)


def test_dead_blinds_are_in_the_pot_and_no_bet(tmp_path: Path) -> None:
    text = (DATA / "hands" / "888poker.txt").read_text()
    path = tmp_path / "hands.txt"
    posted = "Carl: x posts big blind [$1]\nAnn B posts dead blind [$0.50 + $0]"
    path.write_text(text.replace("Carl: x posts big blind [$1]", posted, 1))
    hand = whole(list(read_hands(path)))[0]
    assert hand.starts[1].pot == 550
    assert hand.starts[1].spent == (250, 300)


def test_decisions_have_kinds_and_links(river: tuple[Review, Reviewer]) -> None:
    review, reviewer = river
    kinds = review.kinds()
    assert sum(count for count, _ in kinds.values()) == len(review.judgments)
    assert sum(lost for _, lost in kinds.values()) == pytest.approx(review.lost(RIVER)[1])
    first = [one for one in review.judgments if one.hand == "1001"][:3]
    assert [one.kind for one in first] == [
        "single-raised pot, out of position, first to act",
        "single-raised pot, in position, checked to",
        "single-raised pot, out of position, facing a bet",
    ]
    assert sum(review.reasons().values()) == len(review.broken)
    content = json.loads(unquote(first[2].link.removeprefix("#/spot/open/")))
    node = content.pop("node")
    opened = es.parse_spot(content)
    assert node == first[2].node == "c b7000"
    assert opened.tree().player[opened.tree().find(node)] == 0
    solved = next(iter(reviewer.solved.values())).spot
    assert (opened.board, opened.pot, opened.stack) == (solved.board, solved.pot, solved.stack)
    assert "b7000" in opened.tree().words(opened.tree().find("c"))


def test_flop_decisions_are_judged(hands: list[PlayedHand | BrokenHand]) -> None:
    """All hands of both are known: the flop is solved with a small menu and the bets made."""
    narrow = settings(street=FLOP, ranges=("7c6c,KsQs", "AhKd,QhQd"))
    how = replace(narrow, menu=StreetMenu.parse("66%", ""), target=0.01)
    review = Reviewer(how).review(whole(hands)[:1])
    assert [one.street for one in review.judgments] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    assert review.judgments[0].node == ""
    assert review.judgments[-1].node.startswith("c b250 c / 4h c b500 c / 9c")


def test_a_raked_review_counts_the_rake(hands: list[PlayedHand | BrokenHand]) -> None:
    """Against aces up a call loses its chips, rake or none; a winning one wins less."""
    hand = whole(hands)[0]
    alone = PlayedHand(**{**vars(hand), "holes": (hand.holes[0], ())})
    lost = [
        Reviewer(replace(settings(ranges=("76s", "65s")), rake=rake)).review([alone])
        for rake in (es.Rake(0.0), es.Rake(0.05, cap=3))
    ]
    spots = [next(iter(one.judgments)).link for one in lost]
    assert "rake" not in spots[0]
    assert "rake_cap%22%3A300" in spots[1]  # hundredths, as all chips of the hand


def test_links_have_the_bets_made_beyond_the_call(hands: list[PlayedHand | BrokenHand]) -> None:
    spot = es.parse_spot(
        {"board": "Kc 7d 2s 4h", "pot": 1000, "stack": 7500, "ranges": ["76s", "AKo"],
         "turn": {"bet": ""}, "river": {"bet": ""}}
    )  # fmt: skip
    line = [(2, 0, 500), (2, 1, 1600), (2, 0, 1600), (3, 0, 1600), (3, 1, 3000), (3, 0, FOLDED)]
    actions = [RootedAction(street, player, chips, ()) for street, player, chips in line]
    content = spot_content(spot, StreetMenu.parse("50%", "a"), actions)
    assert content["turn"] == {"bet": "50%, 500c", "raise": "a, 1100c"}
    assert content["river"] == {"bet": "50%, 1400c", "raise": "a"}
    tree = es.parse_spot(content).tree()
    assert tree.find("b500 r1600 c / c b1400 f") > 0
