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
from endspiel.gpu.backend import StreamBackend
from endspiel.gpu.layout import game_bytes
from endspiel.gpu.machine import Machine
from endspiel.solvers.boards.holdem import DEFAULT_TARGET, HoldemSolution, HoldemTask
from endspiel.solvers.boards.store import BoardStore
from endspiel.solvers.memory import format_bytes


class HoldemMaker(Protocol):
    """What makes a machine for a game, with averages or without."""

    def __call__(self, games: Sequence[CardGame], *, averages: bool) -> Machine: ...


def stream_game(task: HoldemTask) -> CardGame:
    """A task's game as streams want it: the images of each flop, not its weight."""
    cards = task.game.cards
    return replace(cards, tree=with_images(cards.tree))


def run_holdem(task: HoldemTask, limits: Limits, maker: HoldemMaker, free: int) -> HoldemSolution:
    """Solve a whole game by a machine that has so many bytes free; a target is in big blinds."""
    if task.decompose is not None:
        raise EndspielError("whole hold'em is decomposed on processors, not on a GPU")
    game, current = stream_game(task), task.scheme.solution == CURRENT
    needed = game_bytes(game, 1 if current else 2)
    if needed > free:
        raise EndspielError(
            f"solving {task.game.name} on the GPU needs {format_bytes(needed)} and "
            f"{format_bytes(free)} are free there: take fewer ranks or suits"
        )
    backend = StreamBackend(game, lambda games: maker(games, averages=not current))

    def stored() -> BoardStore:
        store = BoardStore(task.game.cards)
        if current:
            store.drop_average()
        backend.batch.copy_averages(0, store)
        return store

    try:
        solver = Driver(backend, task.scheme)
        return task.solved(solver, limits.or_target(DEFAULT_TARGET), stored)
    finally:
        backend.batch.close()
