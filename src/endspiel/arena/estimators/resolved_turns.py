"""Turns of limit hold'em solved again as at the table, and what best responders get there.

The strategy that is measured is a blueprint's until the turn. From there on it is the solution of
turn and river on all hands, with the ranges that the blueprint leads to and the rules' bets, as
``blueprint+unsafe,turn=yes`` finds it when the turn comes; every hand has a little weight in either
range, so that one solve says how both seats play. With a doubt (``doubt=0.1`` there) the range of
the opponent has more of such hands, and each seat plays a solution of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.endgame import check_doubt, endgame_menu
from endspiel.arena.estimators.real_exploit import Ints, class_values, walk_up
from endspiel.arena.estimators.real_lanes import LimitResponse
from endspiel.arena.estimators.real_response import TURN_CARDS, Cards, next_cards
from endspiel.betting.tree import BY_CALL, CHANCE, DECISION, BettingTree
from endspiel.blueprint.blueprint import Blueprint
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS
from endspiel.cards.isomorphism import hand_permutations
from endspiel.cards.live import live_hands, live_mask
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.engine.limits import Limits
from endspiel.errors import GameError
from endspiel.ranges.line import FAINTEST, ranges_along, reach_along, tree_line, with_every_hand
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, State, start

Floats = NDArray[np.float64]
FLOP = 1
TURNS = NUM_CARDS - 3  # cards that may come after a flop


def street_exits(tree: BettingTree, street: int) -> Ints:
    """The nodes by which lines go on from a street to the next."""
    return np.flatnonzero((tree.street == street) & (tree.kind == CHANCE))


def state_at(game: GameDef, tree: BettingTree, node: int) -> State:
    """The state of the table where a node of a game's betting tree is; no player has folded."""
    path: list[int] = []
    while node:
        path.append(node)
        node = int(tree.parent[node])
    state = start(game)
    for child in reversed(path):
        if tree.kind[tree.parent[child]] == DECISION:
            action = int(tree.action[child])
            state = state.apply(CALL if action == BY_CALL else action + state.street_start)
    return state


@dataclass(frozen=True)
class TurnSolver:
    """Solves turns after lines of a limit blueprint."""

    blueprint: Blueprint
    limits: Limits
    doubt: float = 0.0  # in the opponent's range: see `agent.endgame`

    def __post_init__(self) -> None:
        check_doubt(self.doubt)
        if self.blueprint.game.no_limit:
            raise GameError(
                f"{self.blueprint.game.name} has no limits: there what is solved again has bets "
                "that the blueprint's tree lacks, and no best response within it is meant"
            )

    def values(self, nodes: Sequence[int], board: Cards) -> list[tuple[Floats, Floats]]:
        """What each player's hands [1326] can get from the solutions after lines into a turn.

        The nodes are where the turn begins. In chips, weighed by the other's reach.
        """
        if not self.doubt:
            return self.solved(self.lines(nodes, board))
        one, two = (self.solved(self.lines(nodes, board, doubted)) for doubted in (0, 1))
        return [(first[0], second[1]) for first, second in zip(one, two, strict=True)]

    def solved(self, lines: Iterable["TurnLine"]) -> list[tuple[Floats, Floats]]:
        """What each player's hands [1326] can get from the solutions of some lines."""
        found = []
        for line in lines:
            line.endgame.solve(self.limits)
            first, second = (
                line.endgame.weighed_values(player, line.reaches[1 - player]) for player in (0, 1)
            )
            found.append((first, second))
        return found

    def lines(
        self, nodes: Sequence[int], board: Cards, doubted: int | None = None
    ) -> Iterator["TurnLine"]:
        """The endgames that begin on a turn, one after another; one player's range is doubted."""
        first, second = (self.doubt if player == doubted else FAINTEST for player in (0, 1))
        return lines_into(self.blueprint, nodes, board, (first, second))


class TurnLine(NamedTuple):
    """An endgame after a line, and how often the blueprint's players [1326] take the line."""

    endgame: LiveEndgame
    reaches: tuple[Floats, Floats]


def lines_into(
    blueprint: Blueprint,
    nodes: Sequence[int],  # where a street begins
    board: Cards,
    least: tuple[float, float] = (FAINTEST, FAINTEST),  # of the likeliest hand's weight, by player
    threads: int = 1,
    *,
    symmetry: bool = False,
) -> Iterator[TurnLine]:
    """The endgames that begin after a blueprint's lines, with the ranges that it leads to."""
    live, chances = live_hands(board), cache(lambda at: blueprint.hands(at, board))
    for node in nodes:
        line = tree_line(blueprint.tree, node, chances)
        one, two = (
            with_every_hand(held.weights, board, faintest)
            for held, faintest in zip(ranges_along(board, line), least, strict=True)
        )
        state = state_at(blueprint.game, blueprint.tree, node)
        menu = endgame_menu(state)
        endgame = LiveEndgame(state, board, (one, two), menu, threads, symmetry=symmetry)
        first, second = (reach_along(live, line, player) for player in (0, 1))
        yield TurnLine(endgame, (first, second))


class TurnGains(NamedTuple):
    """What responders get more by solved turns than by the blueprint's: [L, 1326] by player."""

    first: Floats
    second: Floats


class FlopTables(NamedTuple):
    """A player's values [X, 169] of the lines into a flop."""

    fitted: Floats  # by flop actions chosen for the turns that pay them
    fresh: Floats  # by flop actions chosen for other turns


class ResolvedFlop:
    """Best responses on one flop, turns drawn from it solved again.

    A line's value at the flop's end is known for the blueprint, over all turns. To this the mean is
    added of what solving again changes on the turns drawn: right in expectation, for every line and
    hand, with the noise of the change alone. Actions on the flop that are best for such values have
    the luck of the draw in them: they earn at least what is to be had, in expectation (fitted).
    Those chosen by one half of the turns and paid by the other are an actual strategy's (fresh).
    """

    def __init__(
        self, responses: tuple[LimitResponse, LimitResponse], solver: TurnSolver, flop: Cards
    ) -> None:
        self.responses, self.solver, self.flop = responses, solver, flop
        self.cards = next_cards(flop)  # with their images under relabelings of suits
        self._by_blueprint = self._in_book() or {
            card: [one.turn_values((*flop, card)).astype(np.float64) for one in responses]
            for card, _ in self.cards
        }

    def _in_book(self) -> dict[int, list[Floats]] | None:
        """Values of turns as solved with the flop, where a book has them.

        Nearer to what is solved again than the blueprint's turns are: less is left to luck.
        """
        book, tree = self.solver.blueprint.book, self.solver.blueprint.tree
        known = None if book is None else book.solved(self.flop).turns
        if known is None:
            return None
        exits = street_exits(tree, FLOP)
        if known.shape != (2, len(self.cards), len(exits), NUM_HANDS):
            raise GameError(f"a book has other turns of this flop: {known.shape}")
        at = [np.searchsorted(exits, response.exits[FLOP]) for response in self.responses]
        return {
            card: [known[player, turn, at[player]].astype(np.float64) for player in (0, 1)]
            for turn, (card, _) in enumerate(self.cards)
        }

    @cached_property
    def _bases(self) -> list[Floats]:
        """Values [L, 1326] at the flop's end by the blueprint, over all turns, by player."""
        spread = [
            [self._spread(at, values) for values in self._by_blueprint[card]]
            for at, (card, _) in enumerate(self.cards)
        ]
        return [np.sum([turn[player] for turn in spread], axis=0) for player in (0, 1)]

    @cached_property
    def _walks(self) -> list["_FlopWalk"]:
        blueprint = self.solver.blueprint
        return [_FlopWalk(response, blueprint, self.flop) for response in self.responses]

    def tables(self, draws: Sequence[int]) -> tuple[FlopTables, FlopTables]:
        """Both players' tables, from draws of turns: places among the cards, by their images.

        Two draws at least, or none for every turn once.
        """
        every = list(range(len(self.cards)))
        gains = {at: self._gains(at) for at in sorted(set(draws or every))}
        first, second = (self._table(player, gains, draws) for player in (0, 1))
        return first, second

    def _gains(self, at: int) -> TurnGains:
        """What solving changes on one turn."""
        card = self.cards[at][0]
        board = (*self.flop, card)
        lines = [response.exits[FLOP].tolist() for response in self.responses]
        tree = self.solver.blueprint.tree
        gains = [-values for values in self._by_blueprint[card]]
        exits = sorted({*lines[0], *lines[1]})
        solved = self.solver.values([int(tree.first_child[node]) for node in exits], board)
        for exit_node, found in zip(exits, solved, strict=True):
            for player in (0, 1):
                if exit_node in lines[player]:
                    gains[player][lines[player].index(exit_node)] += found[player]
        return TurnGains(*gains)

    def _table(self, player: int, gains: dict[int, TurnGains], draws: Sequence[int]) -> FlopTables:
        base, walk = self._bases[player], self._walks[player]
        changes = {at: self._spread(at, found[player]) for at, found in gains.items()}
        if not draws:
            exact = class_values(walk.best(base + np.sum(list(changes.values()), axis=0))[0])
            return FlopTables(exact, exact)

        def estimate(drawn: Sequence[int]) -> Floats:
            """Values [L, 1326] at the flop's end, each turn drawn standing for all."""
            all_like = [changes[at] * (TURNS / len(self.cards[at][1])) for at in drawn]
            found: Floats = base + np.mean(all_like, axis=0)
            return found

        half = len(draws) // 2
        halves = estimate(draws[:half]), estimate(draws[half:])
        paid = [walk.paid(halves[1 - at], walk.best(halves[at])[1]) for at in (0, 1)]
        fitted = walk.best(estimate(draws))[0]
        return FlopTables(class_values(fitted), class_values((paid[0] + paid[1]) / 2))

    def _spread(self, at: int, values: Floats) -> Floats:
        """What a turn and those alike it add to the values [L, 1326] at the flop's end."""
        spread = np.zeros_like(values)
        for image in self.cards[at][1]:
            spread[:, hand_permutations()[image]] += values
        return spread / TURN_CARDS


class _FlopWalk:
    """One player's decisions on a flop, once the lines that see a turn have their values."""

    def __init__(self, response: LimitResponse, blueprint: Blueprint, flop: Cards) -> None:
        tree, nodes = response.tree, response.nodes[FLOP]
        self.tree, self.player, self.live = tree, response.player, live_mask(flop)
        self.exits = response.exits[FLOP].tolist()
        self.entries = tree.first_child[response.exits[0]].tolist()
        self.decisions = nodes[tree.kind[nodes] == DECISION].tolist()
        folds = nodes[(tree.kind[nodes] != DECISION) & (tree.kind[nodes] != CHANCE)].tolist()
        other = 1 - response.player

        def reach(node: int) -> Floats:
            line = tree_line(tree, node, lambda at: blueprint.hands(at, flop))
            return reach_along(live_hands(flop), line, other)

        self._folded = {node: self._fold(node, reach(node)) for node in folds}

    def _fold(self, node: int, reach: Floats) -> Floats:
        """What a fold is worth to each hand: [1326]."""
        spent = self.tree.spent[node]
        lost = self.tree.player[node] == self.player
        chips = -spent[self.player] if lost else spent[1 - self.player]
        return exact_unblocked_weight(reach) * float(chips)

    def best(self, lines: Floats) -> tuple[Floats, dict[int, Ints]]:
        """Values [X, 1326] of the lines into the flop by best play, and the actions chosen."""
        chosen: dict[int, Ints] = {}
        return self._walk(lines, chosen, choose=True), chosen

    def paid(self, lines: Floats, chosen: dict[int, Ints]) -> Floats:
        """Values by actions chosen before."""
        return self._walk(lines, chosen, choose=False)

    def _walk(self, lines: Floats, chosen: dict[int, Ints], choose: bool) -> Floats:
        ends = self._folded | dict(zip(self.exits, lines, strict=True))
        found = walk_up(self.tree, self.player, (self.decisions, ends), chosen, choose)
        nothing = np.zeros(NUM_HANDS)
        return np.array([found.get(node, nothing) for node in self.entries]) * self.live
