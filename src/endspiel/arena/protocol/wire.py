"""Lines over TCP: connecting, listening, and reading whole lines however they arrive."""

import contextlib
import select
import socket
from time import monotonic
from typing import Final

from endspiel.errors import EndspielError

LOOPBACK: Final = "127.0.0.1"
VERSION: Final = "VERSION:2.0.0"
MAX_LINE: Final = 4096  # no line of the protocol comes near


class PeerError(EndspielError):
    """The other side of a connection is not there, went away or does not speak the protocol."""


class PeerClosedError(PeerError):
    """The other side closed the connection."""


class PeerTimeoutError(PeerError):
    """The other side took too long."""


class Peer:
    """One end of a connection; the name says who is at the other."""

    def __init__(self, connection: socket.socket, name: str) -> None:
        self.name = name
        self._socket = connection
        self._buffer = bytearray()
        with contextlib.suppress(OSError):  # a hint only
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, line: str) -> None:
        """Send a line, CRLF added."""
        try:
            self._socket.sendall(f"{line}\r\n".encode())
        except OSError as error:
            raise PeerClosedError(f"{self.name} closed the connection") from error

    def receive(self, seconds: float | None = None) -> str:
        """The next line, its ending still on it; waits so long at most."""
        deadline = None if seconds is None else monotonic() + seconds
        while (end := self._buffer.find(b"\n")) < 0:
            if len(self._buffer) >= MAX_LINE:
                raise PeerError(f"{self.name} sent a line of more than {MAX_LINE} characters")
            self._buffer += self._read(deadline)
        line = bytes(self._buffer[: end + 1])
        del self._buffer[: end + 1]
        # Latin-1 reads any byte: what is no protocol is refused as text, not as an encoding.
        return line.decode("latin-1")

    def _read(self, deadline: float | None) -> bytes:
        """Some bytes, at least one."""
        left = None if deadline is None else max(0.0, deadline - monotonic())
        try:
            if not select.select([self._socket], [], [], left)[0]:
                raise PeerTimeoutError(f"{self.name} did not answer in time")
            data = self._socket.recv(MAX_LINE)
        except (OSError, ValueError) as error:
            raise PeerClosedError(f"{self.name} closed the connection") from error
        if not data:
            raise PeerClosedError(f"{self.name} closed the connection")
        return data

    def close(self) -> None:
        """Hang up."""
        self._socket.close()


def connect(host: str, port: int, seconds: float = 10.0) -> Peer:
    """A connection to a dealer."""
    try:
        connection = socket.create_connection((host, port), timeout=seconds)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise PeerError(f"cannot connect to {host} port {port}: {reason}") from error
    connection.settimeout(None)
    return Peer(connection, f"the dealer at {host} port {port}")


class Listener:
    """A port where one player may connect."""

    def __init__(self, host: str = LOOPBACK, port: int = 0) -> None:
        try:
            self._socket = socket.create_server((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise PeerError(f"cannot listen at {host} port {port}: {reason}") from error
        self.port = int(self._socket.getsockname()[1])

    def ready(self, seconds: float) -> bool:
        """Whether somebody is at the door, after waiting so long at most."""
        return bool(select.select([self._socket], [], [], seconds)[0])

    def accept(self, name: str, seconds: float | None = None) -> Peer:
        """Wait for the player and stop listening."""
        self._socket.settimeout(seconds)
        try:
            connection, _ = self._socket.accept()
        except TimeoutError as error:
            raise PeerTimeoutError(f"{name} did not connect in time") from error
        except OSError as error:
            raise PeerError(f"{name} could not connect: {error.strerror or error}") from error
        finally:
            self.close()
        connection.settimeout(None)
        return Peer(connection, name)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()


def is_comment(line: str) -> bool:
    """Whether a line says nothing: a comment, or blank."""
    return line[:1] in ("#", ";") or not line.strip()
