"""Flop hold'em's solvers: all flops of some lines side by side, on processors or on a GPU."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from endspiel.betting.streets import Street, cut_street
from endspiel.cards.deck import NUM_HANDS, NUM_SUITS
from endspiel.engine.driver import Driver
from endspiel.engine.gadget import GadgetSolve, Terms
from endspiel.engine.schemes import LONGEST_AVERAGE, SPOT_SCHEMES
from endspiel.errors import GameError
from endspiel.games.card_game import Buckets, CardGame
from endspiel.gpu.cuda.device import cuda_device
from endspiel.kernels.arrays import Discounts, Float64s, Floats, Ints
from endspiel.kernels.board import BEST
from endspiel.reproduce.last_street.batched import BatchedBackend
from endspiel.reproduce.last_street.boards import (
    AVERAGE,
    REGRET,
    BoardStreet,
    LastStreet,
    board_behavior,
    street_game,
)
from endspiel.reproduce.last_street.cuda import cuda_street, solve_gadgets
from endspiel.reproduce.last_street.streams import StreamStreet, StreetMaker, numpy_street
from endspiel.reproduce.nlfh_game import FLOP, PREFLOP, UNIT, FlopGame, PreflopEndgame
from endspiel.reproduce.nlfh_nested_game import NestedGame, Part
from endspiel.reproduce.nlfh_symmetry import SuitClasses, alike_by_hand
from endspiel.solvers.boards.plans import check_street_scheme
from endspiel.solvers.memory import available_memory

SCHEME = SPOT_SCHEMES["dcfr"]
Endgames = tuple[PreflopEndgame, ...]
AnyFlops = FlopGame | Part | NestedGame


def discounts(t: int) -> Discounts:
    """What iteration t does to the sums before it."""
    return SCHEME.at(t, LONGEST_AVERAGE)


def schedule(iterations: int) -> list[Discounts]:
    """Run a number of iterations, from the first on."""
    return [discounts(t) for t in range(1, iterations + 1)]


class EveryBoard:
    """All boards of a street as endgames side by side, each line entered on each: [B, L, P]."""

    longest_average = LONGEST_AVERAGE
    accept = staticmethod(check_street_scheme)

    def __init__(self, solver: LastStreet) -> None:
        self.set_root, self.learn = solver.set_board_range, solver.learn_boards


class Flops:
    """Where all flops of some lines are solved side by side: by the board kernels, on threads."""

    def __init__(self, threads: int = 1) -> None:
        self.threads = threads

    def free_memory(self) -> int | None:
        """Bytes left there; None where unknown."""
        return available_memory()

    def groups(self, endgames: Endgames) -> Iterable[Endgames]:
        """Endgames, as many at a time as are best solved together.

        One: that takes the least memory, and together they would be no faster.
        """
        return ((endgame,) for endgame in endgames)

    def street(self, game: AnyFlops, street: Street, buckets: Buckets | None = None) -> LastStreet:
        """A solver of a street's betting on all flops."""
        return self._solver(street_game(game.betting, game.cards, street, UNIT, buckets))

    def _solver(self, alone: CardGame) -> LastStreet:
        return BoardStreet(alone, self.threads)

    def solve_gadgets(self, solver: LastStreet, player: int, terms: Terms, iterations: int) -> None:
        """Solve endgames, one a board and line, that the opponent enters on terms [B, L, P]."""
        GadgetSolve(EveryBoard(solver), SCHEME, player, terms).advance(iterations)


class StreamFlops(Flops):
    """Flops by op streams, run by a GPU or by NumPy's twin."""

    def __init__(self, maker: StreetMaker = numpy_street) -> None:
        super().__init__()
        self.maker = maker

    def groups(self, endgames: Endgames) -> Iterable[Endgames]:
        """All of them: a GPU is fast only when it has much to do at once."""
        return (endgames,)

    def _solver(self, alone: CardGame) -> LastStreet:
        return StreamStreet(alone, self.maker)


class CudaFlops(StreamFlops):
    """Flops on a GPU, gadgets included."""

    def __init__(self) -> None:
        super().__init__(cuda_street)
        self.device = cuda_device()

    def free_memory(self) -> int | None:
        """See `Flops`."""
        return self.device.free_bytes()

    def solve_gadgets(self, solver: LastStreet, player: int, terms: Terms, iterations: int) -> None:
        """See `Flops`."""
        assert isinstance(solver, StreamStreet)
        solve_gadgets(solver, player, terms, schedule(iterations))


def flops_on(device: str, threads: int = 1) -> Flops:
    """Where flops are solved, by the name of a device; threads are those of processors."""
    if device not in ("cpu", "cuda"):
        raise GameError(f"there is no device {device[:20]!r}: devices are cpu, cuda")
    return Flops(threads) if device == "cpu" else CudaFlops()


class WholeSolver(Driver[BatchedBackend]):
    """The whole game: preflop in 64-bit floats, all flops of all lines in 32-bit ones."""

    def __init__(self, game: FlopGame | Part, flops: Flops, buckets: Buckets | None = None) -> None:
        self.preflop, self.pairs, self.flops = game.streets[PREFLOP], game.cards.pairs(), flops
        last = flops.street(game, game.streets[FLOP], buckets)
        super().__init__(BatchedBackend(self.preflop, last, self.pairs, UNIT), SCHEME)
        self.game, self.bucketed = game, buckets is not None

    @property
    def flop(self) -> LastStreet:
        """The solver of all flops."""
        return self.backend.last

    @property
    def hands(self) -> Ints:
        """Numbers [K] of the hands before the flop."""
        return self.backend.hands

    @property
    def average(self) -> list[Float64s]:
        """Each player's sums [S - 1, K] of preflop plans."""
        return self.backend.average

    def average_behavior(self, player: int) -> Float64s:
        """Probability [S - 1, K] of each preflop action on the average."""
        return self.backend.behavior(player)

    def reaches(self, player: int) -> Floats:
        """A player's probability [S, K] of each preflop sequence on the average."""
        return self.backend.reaches(player)

    def best(self, player: int) -> Floats:
        """What each hand wins at best [K] against the other's average strategy."""
        return self.backend.best_values(player)

    def sequence_values(self, player: int) -> Floats:
        """What each preflop sequence wins at best [S, K] against the other's average."""
        return self.backend.sequence_values(player)

    def even_out(self) -> None:
        """Let hands that are alike but for suits play alike: `nlfh_symmetry` says why."""
        classes = SuitClasses(self.hands)
        for player in (0, 1):
            self.average[player][:] = classes.evened(self.average[player])
            if not self.bucketed:  # hands alike share a bucket
                self.flop.even_out(AVERAGE, player, self._alike)

    @cached_property
    def _alike(self) -> Ints:
        """Which hands [B, P] on each flop are the same but for suits; -1 for none."""
        by_hand = alike_by_hand(self.flop.tree.deck // NUM_SUITS)
        return np.take_along_axis(by_hand, self.flop.hand % (NUM_HANDS + 1), axis=1)

    def lock_preflop(self, player: int, source: "WholeSolver") -> None:
        """Let a player keep to another solver's average strategy before the flop."""
        self.backend.locked[player] = source.average_behavior(player)

    def spread(self, base: "WholeSolver") -> None:
        """Take over another's average strategies, hand by hand where it has buckets."""
        for player in (0, 1):
            self.average[player][:] = base.average[player]
            copy_all(base.flop, self.flop, player)


def copy_all(source: LastStreet, target: LastStreet, player: int) -> None:
    """Give a player the average of another solver of the same street."""
    rows = range(source.street.size[player] - len(source.street.starts))
    target.copy_averages(player, source, [(row, row) for row in rows])


class LineSolver:
    """Several endgames, solved side by side; rows of arrays are endgames [E]."""

    longest_average = LONGEST_AVERAGE
    accept = staticmethod(check_street_scheme)

    def __init__(self, game: FlopGame, endgames: Endgames, flops: Flops) -> None:
        self.game, self.endgames = game, endgames
        starts = [int(game.betting.first_child[endgame.node]) for endgame in endgames]
        self.street = cut_street(game.betting, starts)
        self.flop = flops.street(game, self.street)
        self._roots: list[Floats] = [np.zeros(0), np.zeros(0)]  # [E, K] reaches into each endgame

    def root(self, player: int) -> Floats:
        """The reaches [E, K] with which a player comes into each endgame."""
        return self._roots[player]

    def set_root(self, player: int, reach: Floats) -> None:
        """Let a player come into each endgame with these reaches [E, K] of its hands."""
        self._roots[player] = reach
        self.flop.set_range(player, reach)

    def learn(self, player: int, discounts: Discounts) -> Floats:
        """One player's half of an iteration; what its hands are worth [E, K]."""
        return self.flop.learn(player, discounts) / self.game.whole.pairs

    def best_values(self, player: int) -> Floats:
        """What each hand wins at best [E, K] against the other's average strategy."""
        return self.flop.values(player, BEST) / self.game.whole.pairs

    def take_out(self, whole: WholeSolver, player: int) -> None:
        """Give a player the average strategy of a whole solver."""
        self.flop.copy_averages(player, whole.flop, self._rows(whole, player))

    def put_back(self, whole: WholeSolver, player: int) -> None:
        """Give a player of a whole solver the average strategy found here."""
        rows = [(here, there) for there, here in self._rows(whole, player)]
        whole.flop.copy_averages(player, self.flop, rows)

    def _rows(self, whole: WholeSolver, player: int) -> list[tuple[int, int]]:
        """Rows of the player's actions: in a solver of the whole game, and here."""
        there = {at.node: at.rows.start for at in whole.flop.street.own(player)}
        return [
            (there[at.node] + a, at.rows.start + a)
            for at in self.street.own(player)
            for a in range(at.actions)
        ]

    def start_from(self, whole: WholeSolver) -> None:
        """Regrets as if all had played a whole solver's strategy once, and lost the pot.

        From even strategies, an endgame of eight ranks had a gap of 37 after 100, not 26.
        """
        spent = np.array([endgame.spent for endgame in self.endgames])
        for player in (0, 1):
            self.take_out(whole, player)
            behavior = board_behavior(self.street, player, self.flop.read(AVERAGE, player))
            size = self._roots[1 - player].sum(axis=1) * self.game.cards.chance[FLOP] * spent / UNIT
            by_row = size[_lines_of(self.street, player)].astype(np.float32)
            self.flop.write(REGRET, player, behavior * by_row[:, None])
            self.flop.write(AVERAGE, player, np.zeros_like(behavior))


def _lines_of(street: Street, player: int) -> Ints:
    """The line that each of a player's actions [S - L] belongs to."""
    line = np.arange(street.size[player])
    for own in street.own(player):
        line[own.span] = line[own.parent]
    return line[len(street.starts) :]
