"""Hands and games played step by step, as environments need them: hold'em and any small game."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np

from endspiel.agent.bots import PublicState
from endspiel.arrays import Float32s, Int8s
from endspiel.errors import GameError, RulesError
from endspiel.kernels.arrays import Floats
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start

DECK: Final = 52
ROUNDS: Final = 4
FIGURES: Final = 7  # numbers of an observation beside cards and rounds
MOST_STATES: Final = 200_000  # information sets of a small game
BETS: Final = (0.33, 0.5, 0.75, 1.0, 1.5, 2.0)  # of the pot


class PlayedGame(Protocol):
    """A game of two players that is under way."""

    num_actions: int

    @property
    def actor(self) -> int:
        """The player to act: 0 or 1; -1 when it is over."""

    def begin(self, rng: np.random.Generator) -> None:
        """Deal again."""

    def mask(self) -> Int8s:
        """Which actions [A] the player to act may take."""

    def observation(self, player: int) -> Any:
        """What a player sees."""

    def act(self, action: int) -> None:
        """Take one of the actions; one that is not legal is taken as the nearest."""

    def payoffs(self) -> tuple[float, float]:
        """What the players have won, once it is over."""

    def told(self, player: int) -> dict[str, Any]:
        """What else is known where a player acts, in words."""


class HoldemPlay:
    """Heads-up hold'em with a menu of bets; payoffs are in big blinds.

    Actions are fold, check or call, the bets by the size of the pot, all-in. An observation has 115
    numbers: hole cards and board as 52 bits each, the round as 4, then position, pot, chips to
    call, chips put in by both, bets of the round and the stack, chips as shares of the stack.
    """

    def __init__(self, game: GameDef | None = None, bets: Sequence[float] = BETS) -> None:
        self.game = game or load_rules("nolimit-holdem")
        if self.game.num_players != 2 or len(self.game.deck) != DECK:
            raise RulesError(f"{self.game.name} is not heads-up hold'em with 52 cards")
        if not all(bet > 0 for bet in bets):
            raise RulesError("bets are shares of the pot above 0")
        self.bets = tuple(bets)
        self.num_actions = len(self.bets) + 3
        self.state, self.deal = start(self.game), Deal(((), ()), ())

    @property
    def actor(self) -> int:
        return self.state.actor

    def begin(self, rng: np.random.Generator) -> None:
        each, board = self.game.num_hole_cards, self.game.board_sizes[-1]
        cards = [int(card) for card in rng.permutation(self.game.deck)[: 2 * each + board]]
        holes = tuple(sorted(cards[:each])), tuple(sorted(cards[each : 2 * each]))
        self.state, self.deal = start(self.game), Deal(holes, tuple(cards[2 * each :]))

    @property
    def board(self) -> tuple[int, ...]:
        """The cards that lie open."""
        shown = -1 if self.state.showdown else self.state.round
        return self.deal.board[: self.game.board_sizes[shown]]

    def chips(self) -> list[int | None]:
        """What each action [A] does at the table; None where it is not legal, or another's twin."""
        state = self.state
        if state.finished:
            return [None] * self.num_actions
        found: list[int | None] = [FOLD if state.can_fold() else None, CALL]
        bounds, public = state.raise_bounds(), PublicState(state, self.board)
        seen: set[int] = set()
        for share in (*self.bets, None):
            to = None if bounds is None else bounds[1] if share is None else public.raise_to(share)
            found.append(None if to is None or to in seen else to)
            seen |= set() if to is None else {to}
        return found

    def mask(self) -> Int8s:
        return np.array([chips is not None for chips in self.chips()], np.int8)

    def act(self, action: int) -> None:
        chips = self.chips()
        if chips[action] is None:  # a bet's twin stands before it; else there is none
            action = next((at for at in range(action, 1, -1) if chips[at] is not None), 1)
        chosen = chips[action]
        self.play(CALL if chosen is None else chosen)

    def play(self, action: int) -> None:
        """Take any legal action of the rules, in chips."""
        self.state = self.state.apply(action)

    def observation(self, player: int) -> Float32s:
        seen = np.zeros(2 * DECK + ROUNDS + FIGURES, np.float32)
        state, stack = self.state, self.game.stacks[player]
        seen[list(self.deal.holes[player])] = 1
        seen[[DECK + card for card in self.board]] = 1
        seen[2 * DECK + state.round] = 1
        spent = state.spent
        own = (player, state.pot / (2 * stack), (max(spent) - spent[player]) / stack)
        seen[-FIGURES:] = (*own, spent[player] / stack, spent[1 - player] / stack,
                           min(state.raises / 8, 1), (stack - spent[player]) / stack)  # fmt: skip
        return seen

    def payoffs(self) -> tuple[float, float]:
        won = self.state.payoffs(self.deal)
        return won[0] / self.game.big_blind, won[1] / self.game.big_blind

    def told(self, player: int) -> dict[str, Any]:
        return {
            "line": self.state.line,
            "hole": self.deal.holes[player],
            "board": self.board,
            "chips": self.chips(),
        }

    @property
    def observation_size(self) -> int:
        """Numbers of an observation."""
        return 2 * DECK + ROUNDS + FIGURES


class SmallPlay:
    """Any `Game` that remembers the order of moves, played move by move.

    An observation is the number of the player's information set; payoffs are the game's. Where
    chance alone decides between endings, their mean is paid.
    """

    def __init__(self, game: Any) -> None:
        from endspiel.game.histories import Histories

        if not isinstance(game.nodes, Histories):
            raise GameError(f"{game.name} does not remember the order of its moves")
        if game.num_infosets > MOST_STATES:
            raise GameError(
                f"{game.name} has {game.num_infosets:,} information sets; environments play games "
                f"of at most {MOST_STATES:,}"
            )
        self.game = game
        self.states = [self._numbered(player) for player in (0, 1)]
        self.num_states = [len(found) for found in self.states]
        self.num_actions = max(
            (int(block.num_actions) for plex in game.plexes for block in plex), default=1
        )
        self._names = [self._labels(player) for player in (0, 1)]
        self._before = [self._back(player) for player in (0, 1)]
        self._moves = self._all_moves()
        self._matrix = game.matrix
        self._rng = np.random.default_rng(0)
        self._pair, self._mass, self._paid = (0, 0), 1.0, 0.0
        self._state, self._actor = -1, -1

    def _numbered(self, player: int) -> dict[int, tuple[int, int, int]]:
        """Number, step between actions and number of actions of each state by first sequence."""
        found: dict[int, tuple[int, int, int]] = {}
        for block in self.game.plexes[player]:
            for k in range(block.num_states):
                found[block.first + k] = (len(found), block.num_states, block.num_actions)
        return found

    def _labels(self, player: int) -> dict[int, tuple[str, str]]:
        if self.game.labels is None:
            return {}
        walked = self.game.labels[player].walk(self.game.plexes[player])
        return {sequence: (infoset, action) for infoset, action, sequence in walked}

    def _all_moves(self) -> dict[tuple[int, int], list[tuple[int, int, float]]]:
        """Who may move in which state, with nature's mass, by the last sequences of both."""
        found: dict[tuple[int, int], list[tuple[int, int, float]]] = {}
        for player in (0, 1):
            plex = self.game.plexes[player]
            parent = {
                block.first + k: int(block.parent[k])
                for block in plex
                for k in range(block.num_states)
            }
            visits = self.game.nodes.visits(player)
            for state, other, chance in zip(*map(np.ndarray.tolist, visits), strict=True):
                pair = (parent[state], other) if player == 0 else (other, parent[state])
                found.setdefault(pair, []).append((player, state, chance))
        return found

    @property
    def actor(self) -> int:
        return self._actor

    def begin(self, rng: np.random.Generator) -> None:
        self._rng = rng
        one, two = (plex.root for plex in self.game.plexes)
        pairs, masses = [], []
        for i in np.flatnonzero(one).tolist():
            for j in np.flatnonzero(two).tolist():
                out = sum(chance for _, _, chance in self._moves.get((i, j), ()))
                pairs.append((i, j))
                masses.append(float(one[i] * two[j]) * out)
        drawn = int(rng.choice(len(pairs), p=np.array(masses) / sum(masses)))
        self._pair = pairs[drawn]
        self._arrive(sum(chance for _, _, chance in self._moves[self._pair]))

    def _arrive(self, mass: float) -> None:
        """Let nature decide what comes after the last moves, of which it has a mass."""
        moves = self._moves.get(self._pair, [])
        out = sum(chance for _, _, chance in moves)
        ends = max(0.0, mass - out)
        if ends < 1e-9 * mass:
            ends = 0.0
        drawn = self._rng.random() * (out + ends)
        for player, state, chance in moves:
            drawn -= chance
            if drawn < 0:
                self._actor, self._state, self._mass = player, state, chance
                return
        self._actor = -1
        self._paid = float(self._matrix[self._pair[0], self._pair[1]]) / ends if ends else 0.0

    def mask(self) -> Int8s:
        mask = np.zeros(self.num_actions, np.int8)
        if self._actor >= 0:
            mask[: self.states[self._actor][self._state][2]] = 1
        return mask

    def act(self, action: int) -> None:
        _, step, actions = self.states[self._actor][self._state]
        sequence = self._state + min(action, actions - 1) * step
        other = self._pair[1 - self._actor]
        self._pair = (sequence, other) if self._actor == 0 else (other, sequence)
        self._arrive(self._incoming())

    def _incoming(self) -> float:
        """Nature's mass in all histories that have come to the last moves."""
        total = 0.0
        for player in (0, 1):
            state = self._before[player].get(self._pair[player])
            if state is None:
                continue
            first, parent = state
            pair = (parent, self._pair[1]) if player == 0 else (self._pair[0], parent)
            total += sum(
                chance
                for mover, at, chance in self._moves.get(pair, ())
                if mover == player and at == first
            )
        return total

    def _back(self, player: int) -> dict[int, tuple[int, int]]:
        """The state that each sequence acts in, by its first one, and the sequence before it."""
        return {
            block.first + a * block.num_states + k: (block.first + k, int(block.parent[k]))
            for block in self.game.plexes[player]
            for k in range(block.num_states)
            for a in range(block.num_actions)
        }

    def observation(self, player: int) -> np.int64:
        """The number of the information set; 0 where the other player acts."""
        return np.int64(self.states[player][self._state][0] if player == self._actor else 0)

    def chances(self, behavior: Floats) -> Floats:
        """How often a strategy [S] of the player to act takes each action [A]."""
        _, step, actions = self.states[self._actor][self._state]
        return behavior[self._state + step * np.arange(actions)]

    def payoffs(self) -> tuple[float, float]:
        return self._paid, -self._paid

    def told(self, player: int) -> dict[str, Any]:
        if player != self._actor:
            return {}
        _, step, actions = self.states[player][self._state]
        names = self._names[player]
        listed = [names.get(self._state + a * step, ("", str(a))) for a in range(actions)]
        return {"infoset": listed[0][0], "actions": [action for _, action in listed]}


def held_by(state: State, deal: Deal) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Hole cards of the player to act, and the board that it sees."""
    return deal.holes[state.actor], deal.board[: state.game.board_sizes[state.round]]
