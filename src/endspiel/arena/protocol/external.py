"""Any program that speaks the protocol, as an agent: started here, told a host and a port."""

import shlex
import subprocess
from collections.abc import Sequence
from typing import Final

from endspiel.agent.base import Agent, AgentForm
from endspiel.arena.protocol.replies import greet, read_reply
from endspiel.arena.protocol.wire import LOOPBACK, Listener, Peer, PeerClosedError, PeerTimeoutError
from endspiel.errors import EndspielError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State

START_SECONDS: Final = 60.0
RESPONSE_SECONDS: Final = 600.0
_LEAVE_SECONDS: Final = 5.0
_TICK: Final = 0.2


class External(Agent):
    """A program that plays over a connection of its own; its play cannot be seeded."""

    watches = True
    seeded = False

    def __init__(self, command: Sequence[str]) -> None:
        self._shown = ""
        self._name = command[0]
        listener = Listener()
        try:
            self._program = subprocess.Popen(
                [*command, LOOPBACK, str(listener.port)], stdin=subprocess.DEVNULL
            )
        except OSError as error:
            listener.close()
            raise EndspielError(f"cannot start {command[0]}: {error.strerror or error}") from error
        try:
            self._peer = self._wait_for(listener)
            greet(self._peer, START_SECONDS)
        except EndspielError:
            self._end_program()
            raise

    def _wait_for(self, listener: Listener) -> Peer:
        """The program's connection; notices a program that ends without one."""
        left = START_SECONDS
        try:
            while not listener.ready(_TICK):
                left -= _TICK
                if self._program.poll() is not None:
                    raise PeerClosedError(f"{self._name} ended before it connected")
                if left <= 0:
                    raise PeerTimeoutError(f"{self._name} did not connect in {START_SECONDS:.0f} s")
            return listener.accept(self._name)
        finally:
            listener.close()

    def watch(self, line: str) -> None:
        self._shown = line
        self._peer.send(line)

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        while True:
            reply = read_reply(state, self._shown, self._peer.receive(RESPONSE_SECONDS))
            if reply.action is not None:
                return reply.action

    def close(self) -> None:
        self._peer.close()
        self._end_program()

    def _end_program(self) -> None:
        """Let the program leave, and end it if it stays."""
        for end in (self._program.terminate, self._program.kill):
            try:
                self._program.wait(_LEAVE_SECONDS)
            except subprocess.TimeoutExpired:
                end()
        self._program.wait()


def forms() -> tuple[AgentForm, ...]:
    """Return the spec of this agent."""
    text = "Runs a program that plays by the ACPC protocol; the command is split as a shell does."
    return (AgentForm("acpc", "acpc:COMMAND", text),)


def make(game: GameDef, command: str) -> Agent:
    """Factory of ``acpc:COMMAND``; the command is split as a shell would."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise EndspielError(f"cannot read the command {command!r}: {error}") from error
    if not words:
        raise EndspielError("acpc: needs a command, as in acpc:./player")
    return External(words)
