"""The protocol: the competition's transcript and logs to the byte, bad players, bad dealers."""

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import pytest

import endspiel.arena.protocol.dealer as dealer_module
from endspiel.agent import make_agent
from endspiel.arena.protocol.client import ClientResult, play_client
from endspiel.arena.protocol.dealer import DealerServer
from endspiel.arena.protocol.dealer_log import DealerLog, DealerPlan, TimeLimits
from endspiel.arena.protocol.replies import read_reply
from endspiel.arena.protocol.wire import (
    LOOPBACK,
    Listener,
    Peer,
    PeerClosedError,
    PeerError,
    PeerTimeoutError,
    connect,
)
from endspiel.errors import EndspielError, FileError
from endspiel.rules.acpc import format_action, history, parse_betting, parse_state
from endspiel.rules.builtin import load_rules
from endspiel.rules.log import parse_header, parse_record
from endspiel.rules.state import CALL, FOLD, start
from tests.rules.hands import ACPC

HOLDEM = load_rules("nolimit-holdem")
DEFAULT = TimeLimits()
SECONDS = 300.0  # no test waits longer for anything, on however busy a machine
_STAMP = re.compile(r" at [0-9]+\.[0-9]{6}")


class Thread(threading.Thread):
    """A player beside the test; ``finish`` gives its error, if any."""

    def __init__(self, work: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.work, self.error, self.result = work, None, None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.work()
        except Exception as error:
            self.error = error

    def finish(self) -> Exception | None:
        self.join(SECONDS)
        assert not self.is_alive()
        return self.error


def script_of(log: Path) -> dict[tuple[int, str], str]:
    """What was played in a log: (hand, betting before) -> action."""
    lines = log.read_text().splitlines()
    header = parse_header(lines[0])
    assert header is not None
    game = load_rules(log.parent / header.game)
    played = {}
    for line in lines:
        if line.startswith("STATE:"):
            record = parse_record(game, line)
            state = start(game)
            for action in (a for street in history(record.shown.state) for a in street):
                played[record.shown.hand, state.line] = format_action(state, action)
                state = state.apply(action)
    return played


def play_script(port: int, game_path: Path, script: dict[tuple[int, str], str]) -> int:
    """A bare client that plays what a log says; how many lines it got."""
    game, count = load_rules(game_path), 0
    with closing(connect(LOOPBACK, port)) as peer, suppress(PeerClosedError):
        peer.send("VERSION:2.0.0")
        while line := peer.receive(SECONDS):
            count += 1
            assert line.endswith("\r\n")
            seen = parse_state(game, line)
            if seen.state.actor == seen.position:
                peer.send(f"{line.rstrip()}:{script[seen.hand, seen.state.line]}")
    return count


def plan_of(log: Path) -> DealerPlan:
    """The match that a log is of."""
    lines = log.read_text().splitlines()
    header = parse_header(lines[0])
    assert header is not None
    names = tuple(lines[-1].split(":")[2].split("|"))
    game = load_rules(log.parent / header.game)
    return DealerPlan(header.match, game, header.game, header.hands, header.seed, names)


def play_out(plan: DealerPlan, source: Path, path: Path, resume: bool = False) -> list[str]:
    """Deal a match to players that repeat a log; the transcript."""
    told: list[str] = []
    dealer = DealerServer(plan, log=DealerLog(plan, path, resume), tell=told.append)
    script, game_path = script_of(source), source.parent / plan.game_file
    players = [
        Thread(lambda port=port: play_script(port, game_path, script))  # type: ignore[misc]
        for port in dealer.ports
    ]
    dealer.run()
    assert [player.finish() for player in players] == [None] * len(players)
    return told


LOGS = sorted(path for path in ACPC.glob("dealer-*.log"))


@pytest.mark.parametrize("source", LOGS, ids=lambda path: path.stem)
def test_logs_are_the_competitions_to_the_byte(source: Path, tmp_path: Path) -> None:
    path = tmp_path / "ours.log"
    play_out(plan_of(source), source, path)
    assert path.read_bytes() == source.read_bytes()


def test_the_transcript_is_the_competitions_but_for_times(tmp_path: Path) -> None:
    source = ACPC / "dealer-nolimit-seed42.log"
    told = "".join(play_out(plan_of(source), source, tmp_path / "ours.log"))
    theirs = (ACPC / "transcript-nolimit-seed42.txt").read_bytes().decode()
    clean = [_STAMP.sub(" at", text) for text in (told, theirs)]
    lines = clean[1].count("\n")
    assert lines == 600
    assert clean[0].splitlines(keepends=True)[:lines] == clean[1].splitlines(keepends=True)
    assert told.endswith("SCORE:122169|-122169:Alice|Bob\n")


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 0.999])
def test_a_crashed_dealer_resumes_from_its_log(share: float, tmp_path: Path) -> None:
    source = ACPC / "dealer-nolimit-seed42.log"
    whole = source.read_bytes()
    path = tmp_path / "ours.log"
    path.write_bytes(whole[: int(share * len(whole))])
    play_out(plan_of(source), source, path, resume=True)
    assert path.read_bytes() == whole


def test_a_dealer_refuses_the_log_of_another_match(tmp_path: Path) -> None:
    source = ACPC / "dealer-nolimit-seed42.log"
    plan = plan_of(source)
    path = tmp_path / "ours.log"
    path.write_bytes((ACPC / "dealer-nolimit-seed42-seats-swapped.log").read_bytes())
    with pytest.raises(FileError, match="log of another match"):
        DealerLog(plan, path, resume=True)
    with pytest.raises(FileError, match="exists: resume it"):
        DealerLog(plan, path)
    text = source.read_text()
    path.write_text(text.replace("STATE:1:", "STATE:5:"))
    with pytest.raises(FileError, match="line 6: not hand 1 of this match"):
        DealerLog(plan, path, resume=True)


@pytest.mark.parametrize(
    ("betting", "reply", "action", "warning"),
    [
        ("", ":c", CALL, None),
        ("", ":f", FOLD, None),
        ("", ":r300", 300, None),
        ("", ":r150", 200, "raise of 150 increased to 200"),
        ("", ":r99999999999999999999", 20000, "decreased to 20000"),
        ("", ":r-5", 200, "raise of -5 increased to 200"),
        ("", ":r", CALL, "bad action format"),
        ("", ":x", CALL, "bad action format"),
        ("", "", CALL, "bad action format"),
        ("c", ":f", CALL, "invalid action"),
        ("r20000", ":r20000", CALL, "invalid action"),
        ("", "c", None, "bad state format"),
    ],
)
@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_replies(betting: str, reply: str, action: int, warning: str, ending: str) -> None:
    state = parse_betting(HOLDEM, betting)
    holes = "7d3d|" if state.actor == 0 else "|2hAc"
    shown = f"MATCHSTATE:{state.actor}:0:{betting}:{holes}"
    found = read_reply(state, shown, shown + reply + ending)
    assert found.action == action
    assert (warning or "") in "".join(found.warnings)
    assert bool(found.warnings) == (warning is not None)


@pytest.mark.parametrize(
    ("line", "warning"),
    [
        ("# a comment\r\n", None),
        ("; another\n", None),
        ("\r\n", None),
        ("hello\r\n", "bad state format"),
        ("MATCHSTATE:1:1::|2hAc:c\r\n", "un-requested"),
        ("MATCHSTATE:1:0:c:|2hAc:c\r\n", "un-requested"),
        ("MATCHSTATE:0:0::2hAc|:c\r\n", "un-requested"),
    ],
)
def test_lines_to_ignore(line: str, warning: str | None) -> None:
    found = read_reply(start(HOLDEM), "MATCHSTATE:1:0::|2hAc", line)
    assert found.action is None
    assert (warning or "") in "".join(found.warnings)
    assert bool(found.warnings) == (warning is not None)


def small_plan(hands: int = 3, limits: TimeLimits = DEFAULT) -> DealerPlan:
    return DealerPlan("m", HOLDEM, "g.game", hands, 1, ("A", "B"), limits)


def play(port: int, agent: str, seed: int = 0) -> ClientResult:
    with closing(connect(LOOPBACK, port)) as peer:
        return play_client(peer, make_agent(agent, HOLDEM), HOLDEM, seed=seed)


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """The dealer's clock stands still but for the seconds that seat 1 takes to say anything."""
    taken, receive = [0.0], Peer.receive

    def slowly(seconds: float) -> None:
        def received(peer: Peer, _: float | None = None) -> str:
            taken[0] += seconds * (peer.name == "seat 1")
            return receive(peer, SECONDS)

        monkeypatch.setattr(Peer, "receive", received)

    monkeypatch.setattr(dealer_module, "monotonic", lambda: taken[0])
    return slowly


@pytest.mark.parametrize(
    ("limits", "enough", "hand"),
    [
        (TimeLimits(response=500), 0.5, 0),
        (TimeLimits(hand=2000), 0.5, 0),
        (TimeLimits(per_hand=2000), 0.5, 2),
    ],
    ids=["response", "hand", "average"],
)
def test_clocks_end_a_match(
    limits: TimeLimits, enough: float, hand: int, take: Callable[[float], None]
) -> None:
    """Both call: four decisions a hand. What a limit just allows is not too long."""
    for seconds in (enough, enough + 0.01):
        take(seconds)
        dealer = DealerServer(small_plan(limits=limits))
        players = [Thread(lambda port=port: play(port, "always-call")) for port in dealer.ports]  # type: ignore[misc]
        if seconds == enough:
            dealer.run()
            assert [player.finish() for player in players] == [None, None]
            continue
        with pytest.raises(PeerTimeoutError, match=f"seat 1 ran out of time in hand {hand}"):
            dealer.run()
        for player in players:
            error = player.finish()
            assert isinstance(error, PeerClosedError)
            assert f"closed the connection during hand {hand}" in str(error)


def test_a_player_that_says_nothing_is_not_waited_for() -> None:
    dealer = DealerServer(small_plan(limits=TimeLimits(response=50)))
    with ExitStack() as open_sockets:
        for port in dealer.ports:
            player = open_sockets.enter_context(socket.create_connection((LOOPBACK, port)))
            player.sendall(b"VERSION:2.0.0\n")
        with pytest.raises(PeerTimeoutError, match=r"seat \d did not answer in time"):
            dealer.run()


@pytest.mark.parametrize(
    ("hello", "message"),
    [
        (b"HELLO\r\n", "should say 'VERSION:2.0.0' first, not 'HELLO'"),
        (b"VERSION:1.0.0\r\n", "speaks VERSION:1.0.0"),
        (b"x" * 10_000, "more than 4096"),
        (b"", "seat 1 closed the connection"),
    ],
)
def test_players_that_do_not_speak_the_protocol(hello: bytes, message: str) -> None:
    dealer = DealerServer(small_plan())
    with (
        socket.create_connection((LOOPBACK, dealer.ports[0])) as bad,
        socket.create_connection((LOOPBACK, dealer.ports[1])) as good,
    ):
        good.sendall(b"VERSION:2.0.0\n")
        bad.sendall(hello)
        bad.shutdown(socket.SHUT_WR)
        with pytest.raises(PeerError, match=message):
            dealer.run()


def test_nobody_comes() -> None:
    dealer = DealerServer(small_plan(limits=TimeLimits(start=100)))
    with pytest.raises(PeerTimeoutError, match="seat 1 did not connect in time"):
        dealer.run()


def test_dealers_that_cannot_be() -> None:
    with pytest.raises(EndspielError, match="3 names of players"):
        DealerPlan("m", HOLDEM, "g", 1, 1, ("a", "b", "c"))
    with pytest.raises(EndspielError, match="would spoil the log"):
        DealerPlan("m", HOLDEM, "g", 1, 1, ("a:b", "c"))
    with pytest.raises(EndspielError, match="1 ports for 2 players"):
        DealerServer(small_plan(), ports=[1])
    taken = Listener()
    with pytest.raises(PeerError, match=f"cannot listen at {LOOPBACK} port {taken.port}"):
        DealerServer(small_plan(), ports=[0, taken.port])
    taken.close()


@contextmanager
def fake_dealer(*pieces: bytes) -> Iterator[tuple[Peer, list[bytes]]]:
    """A dealer that sends pieces of bytes with pauses between, and hangs up."""
    listener = socket.create_server((LOOPBACK, 0))
    got: list[bytes] = []

    def serve() -> None:
        connection, _ = listener.accept()
        connection.settimeout(SECONDS)
        with connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.02)
            connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(4096):
                got.append(data)

    thread = Thread(serve)
    peer = connect(LOOPBACK, listener.getsockname()[1])
    try:
        yield peer, got
    finally:
        peer.close()
        thread.finish()
        listener.close()


DONE = b"MATCHSTATE:1:0:f:|2hAc\r\n"


def client(peer: Peer) -> ClientResult:
    return play_client(peer, make_agent("always-fold", HOLDEM), HOLDEM)


def test_a_client_survives_comments_pieces_and_both_line_endings() -> None:
    pieces = (
        b"# hello\r\n; there\n\r\n",
        b"MATCHSTATE:1:0:",
        b":|2hA",
        b"c\n" + DONE + b"MATCHSTATE:0:1::9h6s|\r",
        b"\nMATCHSTATE:0:1:f:9h6s|\n",
    )
    with fake_dealer(*pieces) as (peer, got):
        assert client(peer) == ClientResult(2, 0)
    assert b"".join(got) == b"VERSION:2.0.0\r\nMATCHSTATE:1:0::|2hAc:f\r\n"


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ((), r"closed the connection before the first hand"),
        ((b"MATCHSTATE:1:0::|2hAc\r\n",), "closed the connection during hand 0"),
        ((b"MATCHSTATE:1:0::|2h",), "closed the connection before the first hand"),
        ((DONE, b"MATCHSTATE:0:1::9h6s|\r\n"), "closed the connection during hand 1"),
        ((b"MATCHSTATE:1:0::|2h2h\r\n",), "no state of holdem.nolimit.*dealt twice"),
        ((b"STATE:0::7d3d|2hAc\r\n",), "not a player's MATCHSTATE"),
    ],
)
def test_dealers_that_die_or_talk_nonsense(pieces: tuple[bytes, ...], message: str) -> None:
    with fake_dealer(*pieces) as (peer, _), pytest.raises(PeerError, match=message):
        client(peer)


def test_no_dealer() -> None:
    with socket.socket() as bound:  # nobody else can listen there
        bound.bind((LOOPBACK, 0))
        port = bound.getsockname()[1]
        with pytest.raises(PeerError, match=f"cannot connect to {LOOPBACK} port {port}"):
            connect(LOOPBACK, port)


def test_a_match_over_the_wire_is_the_match_in_process(tmp_path: Path) -> None:
    """Our client and our dealer: the agents' seeds are the hands', so both sides replay."""
    plan = small_plan(40)
    dealer = DealerServer(plan, log=DealerLog(plan, tmp_path / "m.log"))
    ports = dealer.ports
    players = [
        Thread(lambda port=port, name=name: play(port, name, seed=4))  # type: ignore[misc]
        for port, name in zip(ports, ("random", "pot-odds"), strict=True)
    ]
    score = dealer.run()
    assert [player.finish() for player in players] == [None, None]
    assert [player.result for player in players] == [
        ClientResult(40, chips) for chips in score.totals
    ]
