"""Our side of a benchmark: an agent, its seeds, and AIVAT where a service shows both hands."""

from collections.abc import Sequence
from typing import NamedTuple

from endspiel.agent.base import Agent, Choice
from endspiel.arena.deals import hand_seeds
from endspiel.arena.estimators.aivat import Aivat
from endspiel.arena.estimators.all_in import expected_payoffs
from endspiel.arena.estimators.shares import all_holes
from endspiel.arena.estimators.values import open_hands
from endspiel.arena.protocol.benchmark_file import HandOver
from endspiel.bounds import DEFAULT_SEED
from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State, start


class SeenHand(NamedTuple):
    """A hand at its end, as a service shows it."""

    state: State
    position: int  # ours
    hole: tuple[int, ...]
    other: tuple[int, ...]  # empty where it is not shown
    board: tuple[int, ...]


class BenchmarkPlayer:
    """Plays hands with an agent, each by its own seed."""

    def __init__(
        self, agent: Agent, game: GameDef, seed: int = DEFAULT_SEED, aivat: bool = False
    ) -> None:
        self.agent, self.game, self.seed = agent, game, seed
        self._seed_of_hand = 0
        self._aivat: Aivat | None = None
        if aivat:
            agent.begin(0)
            if agent.learns or agent.policy(start(game), all_holes(game), ()) is None:
                raise EndspielError(
                    "AIVAT needs an agent that can tell how it plays every hand: leave --aivat out"
                )
            self._aivat = Aivat(game, self._policy, open_hands)

    def begin(self, number: int) -> None:
        """Begin the hand of a number."""
        self._seed_of_hand = hand_seeds(self.seed, 0, number, 1)[0][0]
        self.agent.begin(self._seed_of_hand)

    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        """The agent's action, made legal."""
        return state.mend(self.agent.act(state, hole, board))

    def over(
        self, number: int, state: str, won: float | None, seen: SeenHand, **more: str
    ) -> HandOver:
        """The record of a hand."""
        return HandOver(
            number,
            state,
            won,
            self._estimate(seen),
            seen.position,
            seen.state.line,
            format_cards(seen.hole),
            format_cards(seen.other),
            format_cards(seen.board),
            **more,
        )

    def _estimate(self, seen: SeenHand) -> float | None:
        """Chips with the luck taken out, where both hands are shown: by AIVAT, or of all-ins."""
        state, position = seen.state, seen.position
        sizes = self.game.board_sizes
        needed = sizes[-1] if state.showdown else sizes[state.round]
        if not seen.other or not state.finished or len(seen.board) < needed:
            return None
        holes = (seen.hole, seen.other) if position == 0 else (seen.other, seen.hole)
        deal = Deal(holes, seen.board)
        if self._aivat is None:
            return expected_payoffs(state, deal, state.payoffs(deal))[position]
        self.agent.begin(self._seed_of_hand)
        return self._aivat.estimate(state, deal, position)

    def _policy(
        self, state: State, holes: Sequence[tuple[int, ...]], board: tuple[int, ...]
    ) -> Choice | None:
        return self.agent.policy(state, holes, board)
