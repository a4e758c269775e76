"""A solved spot: look up strategies, values and equities at any node, for any hand."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from endspiel.betting.streets import last_sequences
from endspiel.betting.tree import DECISION
from endspiel.cards.deck import NUM_HANDS
from endspiel.cards.equity import equities
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cards.text import format_card, format_cards
from endspiel.engine.record import SolveRecord
from endspiel.engine.schemes import SPOT_SCHEMES
from endspiel.games.card_game import CardGame
from endspiel.games.nodes import Moves, Place, find_place
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Floats
from endspiel.ranges.line import Action, range_along, reach_along
from endspiel.solvers.boards.strategy import BoardStrategy
from endspiel.solving.views import NodeView

if TYPE_CHECKING:
    from endspiel.solving.notebook import TreeChart


@dataclass(frozen=True, eq=False, kw_only=True)
class SpotSolution(SolveRecord):
    """Strategies of both players in a spot, with the record of the solve.

    Nodes are written ``b100 c / 8h b50``: the betting tree's words, and a dealt card after each
    ``/``; the empty text is the root. Hands are ``AhKh``, or a class or range (``AKs``, ``TT+``)
    whose mean is wanted. EVs are in chips and count what is put in from the node on: folding is 0.
    Value (beyond half of the pot) and exploitability are shares of the pot.

    Examples:
        >>> import endspiel as es
        >>> river = es.parse_spot(
        ...     {
        ...         "board": "Qs Jh 2h 4c 8d",
        ...         "pot": 200,
        ...         "stack": 300,
        ...         "ranges": ["QQ,AJs,T9s", "JJ,KQo,A5s"],
        ...         "river": {"bet": "50%, a", "raise": "a"},
        ...     }
        ... )
        >>> solution = es.solve(river, target=0.001)
        >>> sorted(solution.strategy("", "QhQd"))  # what may be done with the hand, and how often
        ['b100', 'b300', 'c']
        >>> sum(solution.strategy("b300", "KhQd").values()) > 0.999
        True
    """

    spot: Spot
    boards: BoardStrategy
    threads: int
    memory_bytes: int
    locks: tuple[str, ...]  # with locks, exploitability is that of the locked game
    symmetry: bool  # whether boards were folded by suit symmetry

    def for_file(self) -> "SpotSolution":
        """Return what a file holds: where cards are to come, averages of 16 bits, measured so."""
        if self.boards.storage == 16 or self.method not in SPOT_SCHEMES:
            return self
        return self if len(self.game.streets) == 1 else self._shortened

    @cached_property
    def _shortened(self) -> "SpotSolution":
        boards = self.boards.shortened()
        value, gap = boards.value(), max(0.0, boards.exploitability())
        return replace(self, boards=boards, value=value, exploitability=gap)

    @property
    def game(self) -> CardGame:
        """The betting times the cards."""
        return self.boards.game

    def node(self, text: str = "") -> Place:
        """The decision that a text names; an error names the first word that does not fit."""
        return find_place(self.game, text)

    def strategy(self, node: str, hand: str) -> dict[str, float]:
        """Probability of each action with a hand (or the mean over a class or range)."""
        view = self.view(node)
        places = view.chosen(hand)
        return {
            word: view.over(shares, places)
            for word, shares in zip(view.actions, view.strategy, strict=True)
        }

    def ev(self, node: str, hand: str) -> float:
        """Chips that a hand of the player to act expects; NaN where it meets no opposing hand."""
        view = self.view(node)
        return view.over(view.ev, view.chosen(hand))

    def equity(self, node: str, hand: str) -> float:
        """Equity of a hand against the range with which the opponent gets to the node."""
        view = self.view(node)
        return view.over(view.equity, view.chosen(hand))

    def reach(self, node: str, player: int) -> Floats:
        """How often a player gets to a node with each hand: [1326], range times own play."""
        return self._reach(self.node(node), player)

    def range_at(self, place: Place, player: int, then: int | None = None) -> Floats:
        """What a player holds [1326] at a place, or after one of the actions there.

        Its reach, and where it never gets there what `OffPath` says.
        """
        taken = place.before if then is None else (*place.before, (place, then))
        line = self._line(taken, player)
        return range_along(self._dealt(place, player), line, player).weights

    def view(self, node: str | Place = "") -> NodeView:
        """Everything about a node, for all hands of the player who decides there."""
        place = self.node(node) if isinstance(node, str) else node
        tree, player = self.game.betting, place.player
        hands = place.hands(self.game, player)
        against = self._reach(place, 1 - player)
        spent = tree.spent[place.node]
        met = exact_unblocked_weight(against)[hands]
        return NodeView(
            node=place.text,
            board=place.cards,
            player=player,
            pot=tree.pot + int(spent.sum()),
            to_call=int(spent.max() - spent[player]),
            actions=tuple(tree.words(place.node)),
            hands=hands,
            reach=self._reach(place, player)[hands],
            met=met,
            strategy=self._shares(place),
            find_action_ev=lambda: self._action_evs(place, met),
            find_equity=lambda: equities(against, list(place.cards))[hands],
        )

    @cached_property
    def rake(self) -> float:
        """Chips that the house takes of the pot in the mean: what neither player gets."""
        return -sum(self._gains) if self.game.betting.rake else 0.0

    @property
    def evs(self) -> tuple[float, float]:
        """Chips that each player takes of the pot in the mean; with the rake they are the pot.

        Where prizes are played for: what each has more than if it gave the pot up, in chips of
        mean worth.
        """
        if self.spot.prizes is not None:
            return self._beyond(0, self._gains[0], 0), self._beyond(0, self._gains[1], 1)
        first = self.spot.pot * (0.5 + self.value)
        return first, self.spot.pot - self.rake - first

    @cached_property
    def prize_equities(self) -> tuple[float, float] | None:
        """What each player expects of the prizes; None where chips are played for."""
        prizes = self.spot.prizes
        if prizes is None:
            return None
        one, two = (prizes.before[p] + self._gains[p] * prizes.chip for p in (0, 1))
        return one, two

    @cached_property
    def _gains(self) -> tuple[float, float]:
        """What each player gets in the mean, in chips, half of the pot counted as its own."""
        root, pot = self.game.tree.streets[0][0], self.game.betting.pot
        one, two = (
            pot * self.game.tree.ranges[p][root.hands[p]] @ self.boards.action_values(0, 0, p)[0]
            for p in (0, 1)
        )
        return float(one), float(two)

    def _beyond(self, node: int, gain: float, player: int) -> float:
        """A player's gain in chips beyond what giving the pot up at a node would be."""
        return gain - self.game.betting.given_up(node, player)

    def evs_at(self, view: NodeView) -> tuple[float, float]:
        """Return both players' EVs from a node on, counting the pot there as theirs to win."""
        own, place = view.mean(view.ev), self.node(view.node)
        other = view.pot - own if self.game.betting.zero_sum else self._ev_of_other(place, view)
        return (own, other) if view.player == 0 else (other, own)

    def _ev_of_other(self, place: Place, view: NodeView) -> float:
        """What the player who does not decide at a place expects there."""
        game, player = self.game, 1 - place.player
        seq = last_sequences(game.betting, game.streets[place.street])[place.node][player]
        values = self.boards.action_values(place.street, place.board, player)[seq]
        weights = self._reach(place, player)[place.hands(game, player)]
        met = float(view.reach @ view.met) * game.tree.chance[place.street] / game.pairs
        if met <= 0:
            return float("nan")
        gain = game.betting.pot * float(weights @ values) / met
        return self._beyond(place.node, gain, player)

    def tree(self, node: str = "", depth: int = 2) -> "TreeChart":
        """The betting below a node, to a depth in decisions, for a notebook to draw."""
        from endspiel.solving.notebook import TreeChart

        return TreeChart(self, node, depth)

    def _repr_html_(self) -> str:
        """The first decision as a notebook shows it, and how closely it is solved."""
        told = f"{self.iterations} iterations, exploitability {100 * self.exploitability:.3g}%"
        return f"{self.view('')._repr_html_()}<p>{told} of the pot</p>"

    def views(self) -> Iterator[NodeView]:
        """Every decision on every board that is kept; boards folded into others are not told."""
        waiting = [""]
        while waiting:
            place = self.node(waiting.pop())
            yield self.view(place)
            waiting += reversed(self._following(place))

    def _following(self, place: Place) -> list[str]:
        """The decisions right below a place, on every kept board."""
        tree, found = self.game.betting, []
        for child, word in zip(tree.children(place.node), tree.words(place.node), strict=True):
            line = f"{place.text} {word}".strip()
            if tree.kind[child] == DECISION:
                found.append(line)
            elif tree.num_children[child] and tree.kind[tree.first_child[child]] == DECISION:
                found += [f"{line} / {card}" for card in self._cards_below(place)]
        return found

    def _cards_below(self, place: Place) -> list[str]:
        """Cards, one of each kept board, that can be dealt after a place on its kept board."""
        child = self.game.cards[place.street].child
        below = self.game.tree.streets[place.street + 1]
        numbers = range(int(child[place.board]), int(child[place.board + 1]))
        return [format_card(below[number].cards[-1]) for number in numbers]

    def _shares(self, place: Place) -> Floats:
        """Probability [A, K] of each action with each hand at a place."""
        behavior = self.boards.behavior(place.street, place.board, place.player)
        return behavior[place.own(self.game).rows]

    def _reach(self, place: Place, player: int) -> Floats:
        """Weight [1326] of a player's hands at a place."""
        return reach_along(self._dealt(place, player), self._line(place.before, player), player)

    def _dealt(self, place: Place, player: int) -> Floats:
        """A player's range [1326] in the spot, as far as the board of a place allows it."""
        dealt, hands = np.zeros(NUM_HANDS), place.hands(self.game, player)
        dealt[hands] = self.game.tree.ranges[player][hands]
        return dealt

    def _line(self, taken: Moves, player: int) -> list[Action]:
        """What a player did on the way, by hand [1326]."""
        line = []
        for place, action in taken:
            if place.player == player:
                chances = np.zeros(NUM_HANDS)
                chances[place.hands(self.game, player)] = self._shares(place)[action]
                line.append(Action(player, chances))
        return line

    def _action_evs(self, place: Place, met: Floats) -> Floats:
        """Chips [A, K] that each action is worth from here on, given what each hand meets [K].

        Counterfactual values are shares of the starting pot, half of which counts as each player's
        own: a hand's value is that over the mass it meets and the chance of the board, and what
        giving up would be is taken off (half the pot and the chips put in so far are added) so that
        folding is worth nothing.
        """
        game, player = self.game, place.player
        values = self.boards.action_values(place.street, place.board, player)[place.own(game).span]
        mass = met * game.tree.chance[place.street] / game.pairs
        lost = game.betting.given_up(place.node, player)
        share = np.divide(values, mass, out=np.full(values.shape, np.nan), where=mass > 0)
        evs: Floats = share * game.betting.pot - lost
        return evs


# What the parameters of a river's exact solve tell beside its exploitability on real cards.
IN_BUCKETS = (
    *("exploitability_in_buckets", "clustering", "buckets", "T", "alpha"),
    *("made_by", "scouting_iterations"),
)


def solution_record(solution: SpotSolution) -> dict[str, Any]:
    """A solve in plain values, without the strategies."""
    said = solution.parameters  # of a scheme, alpha is something else
    names = IN_BUCKETS if IN_BUCKETS[0] in said else ()
    return {
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        **{name: said[name] for name in names if name in said},
        "value": solution.value,
        "evs": list(solution.evs),
        **({"rake": solution.rake} if solution.spot.rake else {}),
        **_prizes(solution),
        "threads": solution.threads,
        "memory_bytes": solution.memory_bytes,
        "storage": solution.boards.storage,
        "nodes": solution.game.num_nodes,
        "infosets": solution.game.num_infosets,
        "board": format_cards(solution.spot.board, " "),
        "pot": solution.spot.pot,
        "stack": solution.spot.stack,
        "stopped": solution.stopped,
        "locks": list(solution.locks),
        "warnings": list(solution.warnings),
    }


def _prizes(solution: SpotSolution) -> dict[str, Any]:
    """What is played for where that is not chips, and what both expect of it."""
    prizes, expected = solution.spot.prizes, solution.prize_equities
    if prizes is None or expected is None:
        return {}
    return {
        "prizes": {
            "stacks": list(prizes.stacks),  # half of the pot counted as either player's
            "others": list(prizes.others),
            "prizes": list(prizes.prizes),
            "split": prizes.before[:2],
            "expected": list(expected),
        }
    }
