"""Whole hold'em by op streams, all four streets, on decks whose hands fit into a row."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from endspiel.engine.driver import Driver
from endspiel.engine.limits import Limits
from endspiel.engine.schemes import CURRENT
from endspiel.errors import EndspielError
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import with_images
from endspiel.games.holdem import Holdem
from endspiel.gpu.backend import StreamBackend
from endspiel.gpu.layout import game_bytes
from endspiel.gpu.machine import Machine
from endspiel.solvers.boards.holdem import DEFAULT_TARGET, HoldemSolution, HoldemTask, check_gpu
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solvers.boards.subgames import FLOP, check_bits, fixed_scale


class HoldemMaker(Protocol):
    """What makes a machine for a game, with averages or without."""

    def __call__(self, games: Sequence[CardGame], *, averages: bool) -> Machine: ...


def stream_game(game: Holdem) -> CardGame:
    """A game as streams want it: the images of each flop, not its weight."""
    return replace(game.cards, tree=with_images(game.cards.tree))


def keep_fixed(backend: StreamBackend, bits: int) -> None:
    """Round regrets of turns and rivers after each half, as packed subgames do."""
    check_bits(bits)
    tree = backend.game.tree
    below = range(FLOP + 1, len(tree.streets))
    scales = [None] * (FLOP + 1) + [fixed_scale(tree, street, bits) for street in below]
    for machine in backend.batch.machines:
        machine.keep_fixed(scales)


def run_holdem(task: HoldemTask, limits: Limits, maker: HoldemMaker, free: int) -> HoldemSolution:
    """Solve a whole game by a machine with a number of bytes free; a target is in big blinds."""
    if task.decompose is not None:
        raise EndspielError("whole hold'em is decomposed on processors, not on a GPU")
    game, current = stream_game(task.game), task.scheme.solution == CURRENT
    needed = game_bytes(game, 1 if current else 2)
    check_gpu(needed, free, task.game, averages=not current)
    backend = StreamBackend(game, lambda games: maker(games, averages=not current))

    def strategy() -> BoardStrategy:
        found = BoardStrategy.made(task.game.cards)
        backend.batch.copy_averages(0, found.game, found.average)
        return found

    try:
        solver = Driver(backend, task.scheme)
        return task.solved(solver, limits.or_target(DEFAULT_TARGET), strategy)
    finally:
        backend.batch.close()
