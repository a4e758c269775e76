"""Strategies of both players on real cards: data, whatever solved them, and what they are worth.

Board kernels, linear programs, the dense twin of a game and GPUs all end in one of these.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from endspiel.engine.backend import average_value, best_value, exploitability
from endspiel.errors import GameError
from endspiel.games.card_game import CardGame
from endspiel.kernels.arrays import Float64s, Floats, UInt8s
from endspiel.kernels.board_arrays import ShortSums
from endspiel.kernels.lanes import zeros
from endspiel.solvers.boards.pieces import Pieces
from endspiel.solvers.boards.short_sums import shortened
from endspiel.solvers.boards.store import (
    BoardStore,
    behavior_on,
    kernel_store,
    lock_place,
    write_board,
)
from endspiel.solvers.boards.walks import BoardWalks, crew_size

if TYPE_CHECKING:  # games of other kinds, which few ask for
    from endspiel.game import Profile

BoardRows = Callable[[int, int, int], Floats]  # [S - L, K] of a street's board, for a player


@dataclass(frozen=True, eq=False)
class BoardStrategy:
    """What both players do with every hand, on every board of an endgame on real cards."""

    game: CardGame
    average: Any  # weights of actions, `BoardSums` as the kernels lay them out: `boards.store`
    locked: UInt8s  # 1 at decisions that were held fixed, board by board
    threads: int = 1  # that measure
    pieces: Pieces | None = None  # of a mapped file, which are checked when they are read

    @classmethod
    def of(cls, store: BoardStore, threads: int = 1) -> "BoardStrategy":
        """The averages of a solve, which go on changing while it does."""
        return cls(store.game, store.average, store.locked, threads)

    @classmethod
    def made(
        cls, game: CardGame, rows: BoardRows | None = None, players: Sequence[int] = (0, 1)
    ) -> "BoardStrategy":
        """The strategies that rows describe, of these players; any other plays uniformly."""
        found = cls(game, zeros(game.store_size), np.zeros(game.num_nodes, dtype=np.uint8))
        if rows is None:
            return found
        for s, boards in enumerate(game.tree.streets):
            for b in range(len(boards)):
                for player in players:
                    write_board(game, found.average, (s, b, player), rows(s, b, player))
        return found

    @classmethod
    def of_dense(cls, game: CardGame, profile: "Profile") -> "BoardStrategy":
        """A profile of the game's dense twin."""
        from endspiel.games.dense import spread

        where = [spread(game, player).base for player in (0, 1)]

        def rows(s: int, b: int, player: int) -> Floats:
            at, hands = where[player][s][b], len(game.tree.streets[s][b].hands[player])
            count = game.streets[s].size[player] - len(game.streets[s].starts)
            found: Floats = profile.behavior[player][at : at + count * hands]
            return found.reshape(count, hands)

        return cls.made(game, rows)

    def profile(self) -> "Profile":
        """The strategies as a profile of the game's dense twin."""
        from endspiel.game import Profile
        from endspiel.games.dense import spread

        boards = [board for street in self.game.tree.streets for board in street]
        if any(len(board.images) > 1 or board.weight > 1 for board in boards):
            raise GameError("a profile needs every board apart: build the cards without symmetry")
        sides = []
        for player in (0, 1):
            where = spread(self.game, player)
            behavior = np.ones(where.size)
            for street, bases in enumerate(where.base):
                for b, start in enumerate(bases):
                    part = self.behavior(street, b, player).ravel()
                    behavior[start : start + len(part)] = part
            sides.append(behavior)
        return Profile((sides[0], sides[1]))

    @property
    def storage(self) -> int:
        """Bits of each weight."""
        return 16 if isinstance(self.average, ShortSums) else 32

    def shortened(self) -> "BoardStrategy":
        """The same strategies with weights of 16 bits."""
        if self.storage == 16:
            return self
        return replace(self, average=shortened(self.game, self.average))

    @cached_property
    def walks(self) -> BoardWalks:
        """What measures the strategies."""
        one = kernel_store(self.average, self.average, self.locked, (zeros(0), zeros(0)))
        return BoardWalks(self.game, [one] * crew_size(self.game, self.threads))

    def behavior(self, street: int, b: int, player: int) -> Floats:
        """Probability [S - L, K] of each action on a board: see `boards.store.behavior_on`."""
        if self.pieces is not None:
            self.pieces.check_boards(self.game, street, b, b + 1)
        return behavior_on(self.game, self.average, street, b, player)

    def is_locked(self, street: int, b: int, player: int, decision: int) -> bool:
        """Whether a decision of a board was held fixed."""
        return bool(self.locked[lock_place(self.game, street, b, player, decision)])

    def action_values(self, street: int, b: int, player: int) -> Floats:
        """Counterfactual value [S, K] of each local sequence on a board, a share of the pot."""
        self._check_around(street, b)
        return self.walks.action_values(street, b, player)

    def _check_around(self, street: int, b: int) -> None:
        """Check what a board's values depend on in a file: the boards above it and below."""
        if self.pieces is None:
            return
        for s, above in enumerate(self.walks.path(street, b)):
            self.pieces.check_boards(self.game, s, above, above + 1)
        first, stop = b, b + 1
        for s in range(street, len(self.game.streets) - 1):
            child = self.game.cards[s].child
            first, stop = int(child[first]), int(child[stop])
            self.pieces.check_boards(self.game, s + 1, first, stop)

    @property
    def whole(self) -> BoardWalks:
        """What measures the strategies, once all of a file is seen to be right."""
        if self.pieces is not None:
            self.pieces.check()
        return self.walks

    def value(self) -> float:
        """Player 0's payoff, a share of the pot."""
        return average_value(self.whole)

    def exploitability(self) -> float:
        """The mean of both players' best-response gains, a share of the pot."""
        return exploitability(self.whole)

    def best_value(self, player: int) -> float:
        """What a player's best response earns it, a share of the pot."""
        return best_value(self.whole, player)

    def expected(self, player: int) -> Float64s:
        """Value [K] of each of a player's hands at the root when both follow the strategies."""
        return self.whole.average_values(player)

    def best(self, player: int) -> Float64s:
        """Value [K] of each of a player's hands at the root by its best response."""
        return self.whole.best_values(player)
