"""A player of the competition's protocol: an agent at one end, a dealer at the other."""

from collections.abc import Callable
from typing import NamedTuple

from endspiel.agent.base import Agent
from endspiel.arena.deals import hand_seeds
from endspiel.arena.protocol.wire import VERSION, Peer, PeerClosedError, PeerError, is_comment
from endspiel.bounds import DEFAULT_SEED
from endspiel.errors import EndspielError
from endspiel.rules.acpc import MatchState, format_action, parse_state
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef


class ClientResult(NamedTuple):
    """What a client saw of a match."""

    hands: int
    chips: float  # won or lost


def play_client(
    peer: Peer,
    agent: Agent,
    game: GameDef,
    seed: int = DEFAULT_SEED,
    progress: Callable[[ClientResult], None] | None = None,
) -> ClientResult:
    """Play until the dealer hangs up between two hands; PeerError when it does so within one."""
    result = ClientResult(0, 0)
    current: int | None = None  # hand being played
    peer.send(VERSION)
    while True:
        try:
            line = peer.receive()
        except PeerClosedError as error:
            if current is None and result.hands:
                return result
            when = "before the first hand" if current is None else f"during hand {current}"
            raise PeerClosedError(f"{error} {when}") from error
        if is_comment(line):
            continue
        seen = _parse(peer, game, line)
        if seen.hand != current:
            current = seen.hand
            agent.begin(hand_seeds(seed, 0, seen.hand, 1)[0][0])
        state = seen.state
        if agent.watches:
            agent.watch(line.rstrip("\r\n"))
        if state.finished:
            payoffs = state.payoffs(Deal(seen.holes, seen.board))
            result = ClientResult(result.hands + 1, result.chips + payoffs[seen.position or 0])
            current = None
            if progress is not None:
                progress(result)
        elif state.actor == seen.position:
            action = state.mend(agent.act(state, seen.holes[seen.position], seen.board))
            _reply(peer, f"{line.rstrip()}:{format_action(state, action)}", current)


def _parse(peer: Peer, game: GameDef, line: str) -> MatchState:
    """The state a dealer's line shows, to a player."""
    try:
        seen = parse_state(game, line)
    except EndspielError as error:
        raise PeerError(f"{peer.name} sent what is no state of {game.name}: {error}") from error
    if seen.position is None:
        raise PeerError(f"{peer.name} sent {line.strip()[:80]!r}, not a player's MATCHSTATE")
    return seen


def _reply(peer: Peer, line: str, hand: int) -> None:
    try:
        peer.send(line)
    except PeerClosedError as error:
        raise PeerClosedError(f"{error} during hand {hand}") from error
