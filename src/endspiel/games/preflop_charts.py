"""What a solved game before the flop says: charts by node, and the ranges that see a flop."""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from endspiel.betting.menu import Sizing
from endspiel.betting.sequences import NumberedDecision
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names, hand_classes
from endspiel.cards.range_format import format_range
from endspiel.errors import GameError
from endspiel.game import Game, Profile
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame, first_sequence
from endspiel.games.spot import Spot
from endspiel.kernels.arrays import Float64s, Floats

PLAYER_NAMES = ("big blind", "button")
_FAINT = 5e-4  # of a class: what gets to a flop more rarely is left out of a range


class ChartValues(NamedTuple):
    """What each class does at a decision, and what that is worth."""

    shares: Floats  # [A, 169] how often it takes each action
    worth: Floats  # [A, 169] counterfactual: by how often it is dealt against the other's hands
    own: Floats  # [169] how often it comes here by its own play
    met: Floats  # [169] how often it is dealt against hands with which the other comes here

    def evs(self) -> Floats:
        """What each action is worth to each class [A, 169]; unknown where it meets nothing."""
        return _over(self.worth, self.met)


class ChartPlace(NamedTuple):
    """Where a decision is, in big blinds."""

    line: str
    player: int
    pot: float
    to_call: float
    put_in: float  # by who decides, so far: EVs count the pot, and folding is worth 0
    words: tuple[str, ...]
    unit: float  # chips of a big blind, as words count them


def chart_record(place: ChartPlace, found: ChartValues, unit: float) -> dict[str, Any]:
    """A decision as plain values; the unit is that of what actions are worth."""
    evs = _over((found.shares * found.worth).sum(axis=0), found.met)
    weight = found.own * found.met
    total = float(weight.sum())
    unknown = [None] * len(place.words)
    return {
        "line": place.line,
        "player": PLAYER_NAMES[place.player],
        "pot": place.pot,
        "to_call": place.to_call,
        "reach": total,
        "actions": list(place.words),
        "names": [action_name(word, place.to_call, place.unit) for word in place.words],
        "frequencies": (found.shares @ weight / total).tolist() if total > 0 else unknown,
        "classes": _by_class(found.shares.T.tolist()),
        "weights": _by_class(found.own.tolist()),
        "evs": _by_class([_known(ev / unit + place.put_in) for ev in evs]),
    }


def _over(worth: Floats, met: Floats) -> Floats:
    found: Floats = np.divide(worth, met, out=np.full(worth.shape, np.nan), where=met > 0)
    return found


@dataclass(frozen=True, eq=False)
class PreflopCharts:
    """A profile of a game before the flop, looked up by line."""

    preflop: PreflopGame
    game: Game
    profile: Profile

    @cached_property
    def plans(self) -> tuple[Floats, Floats]:
        """Reach of every sequence, by the player's own play."""
        return self.profile.plan(self.game, 0), self.profile.plan(self.game, 1)

    def reach(self, seq: int, player: int) -> Floats:
        """How often each class [169] of a player comes so far by its own play."""
        start = first_sequence(seq)
        return self.plans[player][start : start + NUM_CLASSES] if seq else np.ones(NUM_CLASSES)

    def node_charts(self) -> list[dict[str, Any]]:
        """Every decision as plain values: strategy, weights and EVs by class, in big blinds."""
        return [self._chart(at) for at in range(len(self.preflop.numbering.decisions))]

    def _chart(self, at: int) -> dict[str, Any]:
        decision = self.preflop.numbering.decisions[at]
        tree, unit = self.preflop.tree, float(self.preflop.setting.big_blind)
        node, player = decision.node, decision.player
        spent = tree.spent[node]
        prizes = self.preflop.prizes  # EVs are then of the prizes, from before the hand on
        place = ChartPlace(
            tree.line(node),
            player,
            pot=self.preflop.pot(node) / unit,
            to_call=int(spent.max() - spent[player]) / unit,
            put_in=0.0 if prizes else (tree.pot / 2 + float(spent[player])) / unit,
            words=tuple(self.preflop.words(node)),
            unit=unit,
        )
        return chart_record(place, self.at(decision), 1.0 if prizes else unit)

    def decision(self, node: int) -> NumberedDecision:
        """The decision at a node."""
        return next(one for one in self.preflop.numbering.decisions if one.node == node)

    def at(self, decision: NumberedDecision) -> ChartValues:
        """What is done at a decision, and what that is worth."""
        player = decision.player
        own, other = (self.reach(decision.seqs[p], p) for p in (player, 1 - player))
        worth = self._values(player)[_rows(decision)].reshape(-1, NUM_CLASSES)
        return ChartValues(self.shares(decision), worth, own, self._chance(player) @ other)

    def shares(self, decision: NumberedDecision) -> Floats:
        """How often each class takes each action of a decision [A, 169]."""
        return self.profile.behavior[decision.player][_rows(decision)].reshape(-1, NUM_CLASSES)

    def _chance(self, player: int) -> Floats:
        """How often a class of a player [169] is dealt against each class of the other."""
        chance = class_matchups().chance
        return chance if player == BIG_BLIND else chance.T

    def _values(self, player: int) -> Floats:
        """What each sequence is worth [S] when both follow the profile below it."""
        plex = self.game.plexes[player]
        gradient = self.game.gradient(player, self.plans[1 - player])
        values = gradient.copy()
        behavior = self.profile.behavior[player]
        for b in reversed(range(plex.num_blocks)):
            block = plex.block(b)
            below = (block.of(behavior) * block.of(values)).sum(axis=0)
            np.add.at(values, block.parent, below)
        return values

    def value(self, player: int = BUTTON) -> float:
        """What a player wins a hand, in the game's units."""
        return float(self.plans[player] @ self.game.gradient(player, self.plans[1 - player]))

    def node(self, line: str) -> int:
        """The node of a line that sees a flop; an error names those that do."""
        found = self.preflop.tree.find(line)
        if found not in self.preflop.flop_nodes:
            lines = ", ".join(repr(self.preflop.tree.line(n)) for n in self.preflop.flop_nodes)
            raise GameError(f"no flop is bet on after {line!r}; one is after {lines}")
        return found

    def ranges(self, node: int) -> tuple[Float64s, Float64s]:
        """Both players' hands [1326] that see the flop at a node, out of position first."""
        first, second = self.coming(node)
        return _hands(first), _hands(second)

    def held(self, decision: NumberedDecision) -> tuple[str, str]:
        """Both players' ranges at a decision, as text, the big blind's first."""
        first, second = (_hands(self.reach(decision.seqs[p], p)) for p in (BIG_BLIND, BUTTON))
        return format_range(first), format_range(second)

    def spot(self, node: int, board: tuple[int, ...], sizing: Sizing) -> Spot:
        """The spot that follows a line on a flop."""
        pot, behind = self.preflop.pot(node), self.preflop.behind(node)
        played = self.preflop
        return Spot(board, pot, behind, self.ranges(node), sizing, played.rake, played.prizes)

    def flops(self) -> list[dict[str, Any]]:
        """The lines that see a flop, with pot and stack in big blinds and both ranges."""
        unit, found = float(self.preflop.setting.big_blind), []
        for node in self.preflop.flop_nodes:
            ranges = self.ranges(node)
            found.append(
                {
                    "line": self.preflop.tree.line(node),
                    "pot": self.preflop.pot(node) / unit,
                    "stack": self.preflop.behind(node) / unit,
                    "reach": self.frequency(node),
                    "ranges": [format_range(weights) for weights in ranges],
                    "more": self._more(node),
                }
            )
        return found

    def _more(self, node: int) -> dict[str, Any]:
        """What a spot file says besides, in chips: rake, or prizes and both stacks."""
        prizes, rake = self.preflop.prizes, self.preflop.rake
        lines = rake.dump() if prizes is None else prizes.dump(self.preflop.pot(node))
        return tomllib.loads("\n".join(lines))

    def frequency(self, node: int) -> float:
        """How often a line is taken to its end."""
        one, two = self.coming(node)
        return float(one @ class_matchups().chance @ two)

    def flop_chances(self, decision: NumberedDecision, kind: int) -> dict[str, Floats]:
        """How often each line that sees a flop follows each action [A] of a class, by line."""
        tree, player, found = self.preflop.tree, decision.player, dict[str, Floats]()
        chance, children = self._chance(player)[kind], self.children(decision.node)
        met = float(chance @ self.reach(decision.seqs[1 - player], 1 - player))
        for node in self.preflop.flop_nodes if met > 0 else ():
            way, at = list[int](), node
            while at not in children and at > 0:
                way.append(at)
                at = int(tree.parent[at])
            if at == 0:
                continue
            (other,) = (e.seqs[1 - player] for e in self.preflop.numbering.ends if e.node == node)
            comes = float(chance @ self.reach(other, 1 - player)) / met
            for after in way:
                if tree.player[tree.parent[after]] == player:
                    comes *= self._share(int(tree.parent[after]), after, kind)
            chances = found.setdefault(tree.line(node), np.zeros(decision.actions))
            chances[children.index(at)] += comes
        return found

    def _share(self, node: int, child: int, kind: int) -> float:
        """How often a class goes from a decision to what follows."""
        return float(self.shares(self.decision(node))[self.children(node).index(child), kind])

    def children(self, node: int) -> list[int]:
        """The nodes that follow a decision, one for each action."""
        return [at for at in self.preflop.tree.children(node) if self.preflop.allowed[at]]

    def coming(self, node: int) -> tuple[Floats, Floats]:
        """How often each class [169] of both players comes to the end of a line."""
        end = next(end for end in self.preflop.numbering.ends if end.node == node)
        first, second = (self.reach(end.seqs[player], player) for player in (BIG_BLIND, BUTTON))
        return first, second


def _hands(classes: Floats) -> Float64s:
    """A range of hands [1326] from one of classes [169], without what hardly comes."""
    weights = classes[hand_classes()].astype(np.float64)
    found: Float64s = np.where(weights >= _FAINT, np.round(weights, 3), 0.0)
    return found


def _rows(decision: NumberedDecision) -> slice:
    """Where the classes of a decision's actions lie in a plan."""
    start = first_sequence(decision.first)
    return slice(start, start + decision.actions * NUM_CLASSES)


def _by_class(values: list[Any]) -> dict[str, Any]:
    return dict(zip(class_names(), values, strict=True))


def action_name(word: str, to_call: float, unit: float) -> str:
    """An action in words, chips in big blinds."""
    if word == "f":
        return "fold"
    if word == "c":
        return "call" if to_call else "check"
    return f"raise to {int(word[1:]) / unit:g}"


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
