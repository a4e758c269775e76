"""What a player's line means to a dealer: an action, mended if need be, or nothing."""

import re
from typing import Final, NamedTuple

from endspiel.arena.protocol.wire import VERSION, Peer, PeerError, is_comment
from endspiel.errors import EndspielError
from endspiel.rules.acpc import parse_action, parse_state
from endspiel.rules.state import CALL, FOLD, State

_HELLO: Final = re.compile(r"VERSION:([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_ACTION: Final = re.compile(r"([fcr])(?:[ \t]*([+-]?[0-9]+))?")
_MAX_SIZE: Final = 2**31 - 1


class Reply(NamedTuple):
    """A line read in a state."""

    action: int | None  # None for a line to be ignored
    warnings: tuple[str, ...] = ()


def read_reply(state: State, shown: str, line: str) -> Reply:
    """What a line means from the player to act, who was shown ``MATCHSTATE:...``."""
    text = line.rstrip("\r\n")
    if is_comment(text):
        return Reply(None)
    if not text.startswith(shown) or text[len(shown) : len(shown) + 1] not in ("", ":"):
        return Reply(None, (_why_ignored(state, text),))
    match = _ACTION.match(text, len(shown) + 1)
    if match is None or (match[1] == "r" and state.game.no_limit and match[2] is None):
        return Reply(CALL, ("WARNING: bad action format in response, changed to call",))
    return _mended(state, match[1], match[2])


def _why_ignored(state: State, text: str) -> str:
    """The competition's warning for a line about something else."""
    try:
        parse_state(state.game, ":".join(text.split(":")[:5]))
    except EndspielError:
        return "WARNING: bad state format in response"
    return "WARNING: ignoring un-requested response"


def _mended(state: State, kind: str, size: str | None) -> Reply:
    """The nearest legal action, with the competition's warning where that is another."""
    invalid = Reply(CALL, ("WARNING: invalid action, changed to call",))
    if kind == "c":
        return Reply(CALL)
    if kind == "f":
        return Reply(FOLD) if state.can_fold() else invalid
    if not state.game.no_limit:
        wanted = parse_action(state, "r")
        return Reply(wanted) if state.can(wanted) else invalid
    bounds = state.raise_bounds()
    if bounds is None:
        return invalid
    wanted = max(-_MAX_SIZE, min(int((size or "")[:12]), _MAX_SIZE))
    action = state.mend(max(wanted, 1))
    if action == wanted:
        return Reply(action)
    change = "increased" if action > wanted else "decreased"
    return Reply(action, (f"WARNING: raise of {wanted} {change} to {action}",))


def greet(peer: Peer, seconds: float | None) -> None:
    """Wait for a player's version and refuse one that is not ours."""
    line = peer.receive(seconds)
    while is_comment(line):
        line = peer.receive(seconds)
    match = _HELLO.match(line)
    if match is None:
        raise PeerError(f"{peer.name} should say {VERSION!r} first, not {line.strip()[:40]!r}")
    if match[1] != "2" or int(match[2]) > 0:
        raise PeerError(f"{peer.name} speaks {match[0]}, this is {VERSION}")
