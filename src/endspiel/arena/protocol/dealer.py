"""The dealer of the competition: cards, clock, transcript and log, over TCP, for any game.

It sends, logs and prints what the competition's own dealer does, byte for byte, but for
times and for the wording where a match cannot go on.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import islice
from time import monotonic, time
from typing import Final

from endspiel.arena.protocol.dealer_log import DealerLog, DealerPlan
from endspiel.arena.protocol.replies import greet, read_reply
from endspiel.arena.protocol.wire import LOOPBACK, Listener, Peer, PeerTimeoutError, is_comment
from endspiel.errors import EndspielError
from endspiel.rules.acpc import format_state, view
from endspiel.rules.deal import Deal, deals
from endspiel.rules.log import Record, Score, format_score
from endspiel.rules.state import State, start

_TELL_CLOCKS: Final = 100  # hands between two accounts of the time used

Tell = Callable[[str], None]


class DealerServer:
    """Listens from the start; ``run`` plays the match."""

    def __init__(
        self,
        plan: DealerPlan,
        host: str = LOOPBACK,
        ports: Sequence[int] = (),
        log: DealerLog | None = None,
        tell: Tell = lambda line: None,
    ) -> None:
        self.plan = plan
        self.tell = tell  # gets the transcript, whole lines with their endings
        self._log = log
        self.totals = list(log.totals) if log else [0.0] * len(plan.names)  # [N] by seat
        self._used = [0.0] * len(plan.names)  # [N] seconds by seat, in the match
        self._peers: list[Peer] = []
        if ports and len(ports) != len(plan.names):
            raise EndspielError(f"{len(ports)} ports for {len(plan.names)} players")
        self._listeners: list[Listener] = []
        try:
            for port in ports or [0] * len(plan.names):
                self._listeners.append(Listener(host, port))
        except EndspielError:
            self.close()
            raise

    @property
    def ports(self) -> list[int]:
        """Where the players must connect: [N] by seat."""
        return [listener.port for listener in self._listeners]

    def close(self) -> None:
        """Hang up and stop listening."""
        for listener in self._listeners:
            listener.close()
        for peer in self._peers:
            peer.close()

    def run(self) -> Score:
        """Wait for the players and play what is left of the match."""
        plan = self.plan
        with ExitStack() as stack:
            stack.callback(self.close)
            if self._log is not None:
                stack.enter_context(self._log)
            for line in plan.head():
                self.tell(line + "\n")
            self._admit()
            self.tell(f"STARTED at {_stamp(time())}\n")
            done = self._log.hands if self._log else 0
            dealt = islice(deals(plan.game, plan.seed), done, plan.hands)
            for hand, deal in enumerate(dealt, done):
                self._play(hand, deal)
            self.tell(f"FINISHED at {_stamp(time())}\n")
            score = Score(tuple(self.totals), plan.names)
            self.tell(format_score(score) + "\n")
            if self._log is not None:
                self._log.end(score)
        return score

    def _admit(self) -> None:
        """Take in the players in the order of their seats."""
        limits = self.plan.limits
        deadline = None if limits.start is None else monotonic() + limits.start / 1000
        for seat, listener in enumerate(self._listeners, 1):
            left = None if deadline is None else max(0.001, deadline - monotonic())
            self._peers.append(listener.accept(f"seat {seat}", left))
        for peer in self._peers:
            greet(peer, limits.response / 1000)

    def _play(self, hand: int, deal: Deal) -> None:
        """Play one hand, log it and show its end."""
        plan = self.plan
        used_before = list(self._used)
        state = start(plan.game)
        while not state.finished:
            shown, sent = self._show(state, deal, hand)
            state = state.apply(self._ask(state, shown, (hand, sent), used_before))
        payoffs = state.payoffs(deal)
        seats = [plan.seat_at(position, hand) for position in range(len(payoffs))]
        for seat, chips in zip(seats, payoffs, strict=True):
            self.totals[seat] += chips
        if self._log is not None:
            names = tuple(plan.names[seat] for seat in seats)
            self._log.add(Record(view(state, deal, hand), payoffs, names))
        self._show(state, deal, hand)
        if hand % _TELL_CLOCKS == 0:
            for seat, used in enumerate(self._used):
                self.tell(f"Seconds cumulatively spent in match for seat {seat}: {int(used)}\n")

    def _show(self, state: State, deal: Deal, hand: int) -> tuple[str, float]:
        """Send everybody their view; the line of the player to act, and when it was sent."""
        shown, sent = "", 0.0
        by_seat = {self.plan.seat_at(p, hand): p for p in range(len(state.spent))}
        for seat, peer in enumerate(self._peers):
            line = format_state(view(state, deal, hand, by_seat[seat]))
            peer.send(line)
            now = monotonic()
            self.tell(f"TO {seat + 1} at {_stamp(time())} {line}\r\n")
            if by_seat[seat] == state.actor:
                shown, sent = line, now
        return shown, sent

    def _ask(
        self,
        state: State,
        shown: str,
        asked: tuple[int, float],  # hand, when the player was shown the state
        used_before: list[float],  # [N] seconds by seat, before this hand
    ) -> int:
        """The action of the player to act; PeerTimeoutError when any clock runs out."""
        limits = self.plan.limits
        hand, sent = asked
        seat = self.plan.seat_at(state.actor, hand)
        used = self._used[seat]
        while True:
            line = self._peers[seat].receive(max(0.0, sent + limits.response / 1000 - monotonic()))
            took = monotonic() - sent
            self.tell(f"FROM {seat + 1} at {_stamp(time())} {line}")
            if is_comment(line):
                continue
            self._used[seat] = used + took
            if (
                took > limits.response / 1000
                or self._used[seat] - used_before[seat] > limits.hand / 1000
                or self._used[seat] > limits.per_hand * self.plan.hands / 1000
            ):
                raise PeerTimeoutError(f"seat {seat + 1} ran out of time in hand {hand}")
            reply = read_reply(state, shown, line)
            for warning in reply.warnings:
                self.tell(warning + "\n")
            if reply.action is not None:
                return reply.action


def _stamp(seconds: float) -> str:
    """A time as the competition's dealer prints it."""
    return f"{seconds:.6f}"
