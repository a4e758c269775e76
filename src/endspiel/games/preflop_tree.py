"""Heads-up hold'em before the flop, with raises of any size: lines that see a flop end there.

What a flop is worth is a model, equity realization: each player gets its equity of the pot, shifted
towards the button, which acts last on every later street. The odds e / (1 - e) of the button's
equity are multiplied by a factor, the more so the more chips are behind; all-in it is plain equity.
Without rake and prizes the game stays zero-sum, so it is solved exactly; how far the model is from
solved flops is measured by `batch.preflop_flops`. A rake is taken of a flop's pot as it is when the
flop is dealt. Hands of a class (``AKs``) differ in suits only: see `push_fold`.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.betting.grow import DEFAULT_LIMIT, Point, TreeSetting, grow
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.no_limit import bet_amounts
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.sequences import Numbering, number_sequences
from endspiel.betting.tree import BY_CALL, FOLD, BettingTree
from endspiel.cards.class_equity import class_matchups
from endspiel.cards.classes import NUM_CLASSES, class_names
from endspiel.errors import GameError
from endspiel.game import Game, GeneralGame, Labels, Matrix, TerminalGroup, Treeplex
from endspiel.kernels.arrays import Floats, Ints

MOST_BLINDS = 10_000
MOST_ENDS = 1000  # of the betting: each has a payoff of all pairs of classes
BIG_BLIND, BUTTON = 0, 1  # players: out of position first, as after the flop
DEFAULT_ODDS = 1.3  # factor of the button's odds with many chips behind, as measured in docs


class MadeBet(NamedTuple):
    """A raise that was made at the table."""

    player: int
    spent: tuple[int, int]  # chips of the big blind and the button before it, without antes
    to: int  # chips of the player after it, without antes


@dataclass(frozen=True)
class PreflopSetting:
    """Stacks, what is posted and the raises, in whole chips."""

    stack: int  # the smaller of the two, before anything is posted
    small_blind: int = 50
    big_blind: int = 100
    ante: int = 0  # of each player
    straddle: int = 0  # posted by the button instead of the small blind; the big blind then begins
    opens: str = "2.5x"
    reraises: str = "3x, a"
    max_raises: int = 4
    limp: bool = True  # whether who begins may call
    extra: tuple["MadeBet", ...] = ()  # in the tree beside the menus

    def __post_init__(self) -> None:
        if not 0 < self.small_blind <= self.big_blind:
            raise GameError(
                f"the blinds are {self.small_blind} and {self.big_blind}; "
                "the small one is over 0 and not above the big one"
            )
        if self.ante < 0 or self.max_raises < 0:
            raise GameError("antes and the number of raises are 0 or more")
        if self.straddle and self.straddle < 2 * self.big_blind:
            raise GameError(
                f"a straddle is two big blinds or more, not {self.straddle / self.big_blind:g}"
            )
        if self.stack > MOST_BLINDS * self.big_blind:
            raise GameError(f"a stack is at most {MOST_BLINDS:,} big blinds")
        if self.stack <= max(self.posted) + self.ante:
            raise GameError(
                f"a stack of {self.stack / self.big_blind:g} big blinds is all-in with what is "
                "posted: there is nothing to raise"
            )

    @property
    def posted(self) -> tuple[int, int]:
        """What the big blind and the button have in besides antes."""
        return self.big_blind, self.straddle or self.small_blind

    def tree(self, limit: int = DEFAULT_LIMIT) -> BettingTree:
        """The betting before the flop; a showdown is an all-in, or a flop to come."""
        first = BIG_BLIND if self.straddle else BUTTON
        table = TreeSetting(2 * self.ante, self.stack - self.ante, (first,), self.big_blind)
        start = Point(0, first, self.posted, 0, max(self.posted), blind=True)
        opens, reraises = (self._sizing(text) for text in (self.opens, self.reraises))

        def raises(point: Point) -> list[int]:
            if point.level == table.stack:
                return []
            made = {bet.to for bet in self.extra if bet[:2] == (point.player, point.spent)}
            if point.raises < self.max_raises:
                made.update(bet_amounts(table, point, reraises if point.raises else opens))
            return sorted(made)

        return grow(table, start, raises, limit)

    def _sizing(self, text: str) -> Sizing:
        return Sizing((StreetMenu.parse("", text), None, None, None))


@dataclass(frozen=True, eq=False)
class PreflopGame:
    """The betting times the 169 classes of both players, and what flops are worth."""

    setting: PreflopSetting
    odds: dict[str, float] = field(default_factory=dict)  # by line; DEFAULT_ODDS on the others
    prizes: PrizeMap | None = None  # stacks of the big blind and the button; else chips are worth
    rake: Rake = NO_RAKE  # of pots that see a flop, an all-in's too: no flop, no drop
    shares: dict[str, Floats] = field(default_factory=dict)  # by line, in place of odds: [169, 169]
    path: str = ""  # a line that has been played: what else might have been done on it is left out

    def __post_init__(self) -> None:
        if self.prizes is not None and self.rake:
            raise GameError("a game has a rake or prizes: pots of a tournament are not raked")
        if self.prizes is not None and min(self.prizes.stacks) != self.setting.stack:
            unit = self.setting.big_blind
            one, two = (chips / unit for chips in self.prizes.stacks)
            raise GameError(
                f"stacks of {one:g} and {two:g} big blinds are played for the smaller, not for "
                f"{self.setting.stack / unit:g}"
            )
        for odds in self.odds.values():
            if not (math.isfinite(odds) and odds > 0):
                raise GameError(f"odds are multiplied by a number over 0, not by {odds}")

    @cached_property
    def tree(self) -> BettingTree:
        """The betting."""
        return self.setting.tree()

    @cached_property
    def numbering(self) -> Numbering:
        """Both players' sequences, in units of the 169 classes."""
        return number_sequences(self.tree, [0], self.allowed)

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """Which nodes there are [N]: no limp where limps are off, of a path nothing beside."""
        tree = self.tree
        allowed = np.ones(tree.num_nodes, dtype=bool)
        if not self.setting.limp:
            limps = [n for n in tree.children(0) if tree.action[n] == BY_CALL]
            allowed[limps] = False
        node = tree.find(self.path)
        while node > 0:
            parent = int(tree.parent[node])
            allowed[list(tree.children(parent))] = False
            allowed[node] = True
            node = parent
        return allowed

    def words(self, node: int) -> list[str]:
        """What may be done at a node."""
        return [self.tree.word(n) for n in self.tree.children(node) if self.allowed[n]]

    def behind(self, node: int) -> int:
        """Chips that a player has left at a node."""
        return self.tree.stack - int(self.tree.spent[node].max())

    def pot(self, node: int) -> int:
        """Chips in the middle at a node, antes included."""
        return self.tree.pot + int(self.tree.spent[node].sum())

    @cached_property
    def flop_nodes(self) -> tuple[int, ...]:
        """The nodes after which a flop is dealt with chips behind."""
        ends = [end.node for end in self.numbering.ends]
        return tuple(n for n in ends if self.tree.kind[n] != FOLD and self.behind(n) > 0)

    def share(self, node: int, odds: float | None = None) -> Floats:
        """The big blind's share of the pot [169, 169] where the betting before the flop is over."""
        equity = class_matchups().equity
        behind = self.behind(node)
        if behind and odds is None and self.tree.line(node) in self.shares:
            return self.shares[self.tree.line(node)]
        if odds is None:
            odds = self.odds.get(self.tree.line(node), DEFAULT_ODDS)
        theirs = odds ** (behind / (behind + self.pot(node))) * (1.0 - equity)
        share: Floats = equity / (equity + theirs)
        return share

    def game(self) -> Game:
        """As a `Game`: player 0 is the big blind, payoffs are in chips."""
        blocks: tuple[list[tuple[Ints, int]], ...] = ([], [])
        names: tuple[list[tuple[str, ...]], ...] = ([], [])
        actions: tuple[list[tuple[tuple[str, ...], ...]], ...] = ([], [])
        for decision in self.numbering.decisions:
            player = decision.player
            blocks[player].append((_states(decision.seqs[player]), decision.actions))
            line = self.tree.line(decision.node)
            names[player].append(tuple(f"{line} {name}".strip() for name in class_names()))
            actions[player].append((tuple(self.words(decision.node)),) * NUM_CLASSES)
        plexes = [Treeplex.from_blocks(np.ones(1), blocks[player]) for player in (0, 1)]
        labels = [Labels(tuple(names[player]), tuple(actions[player])) for player in (0, 1)]
        ends = self.numbering.ends
        if len(ends) > MOST_ENDS:
            raise GameError(f"{len(ends):,} ends of the betting are over {MOST_ENDS:,}: raise less")
        game = Game(
            plexes=(plexes[0], plexes[1]),
            groups=[self._terminal(end.node, end.seqs, BIG_BLIND) for end in ends],
            name=f"preflop:stack={self.setting.stack}",
            labels=(labels[0], labels[1]),
            unit=float(self.setting.big_blind),
            span=2.0 * self.setting.stack,
        )
        if self.prizes is None and not self.rake:
            return game.validate()
        second = [self._terminal(end.node, end.seqs, BUTTON) for end in ends]
        parts = vars(game)
        if self.prizes is not None:
            parts |= {"unit": None, "span": 2.0 * sum(self.prizes.prizes)}
        return GeneralGame(**parts, second=second).validate()

    def _worth(self, player: int, gain: float) -> float:
        """What chips won are worth to a player: chips, or prize equity."""
        return gain if self.prizes is None else self.prizes.worth(player, gain)

    def _terminal(self, node: int, seqs: tuple[int, int], to: int) -> TerminalGroup:
        """What an end pays a player, over all pairs of classes."""
        payoff = self.payoff(node, to) * class_matchups().chance
        for player, seq in enumerate(seqs):
            if seq == 0:  # not acted yet: one sequence for all classes
                payoff = payoff.sum(axis=player, keepdims=True)
        first = [np.array([first_sequence(seq)], np.int64) for seq in seqs]
        return TerminalGroup(Matrix(payoff), np.ones(1), first[0], first[1])

    def payoff(self, node: int, to: int) -> Floats:
        """What an end pays a player where two classes meet: [169, 169], or one number for all."""
        of, tie, fixed = self.terms(node, to)
        if self.tree.kind[node] == FOLD:
            return np.array(fixed)
        share = self.share(node)
        if to == BUTTON:
            share = 1.0 - share
        paid: Floats = of * share + tie * class_matchups().tie + fixed
        return paid

    def terms(self, node: int, to: int) -> tuple[float, float, float]:
        """What an end pays a player of each share of the pot, of each chance to tie, and besides.

        What is bet on a flop is won or lost, as the model has it; an all-in may tie.
        """
        if self.tree.kind[node] == FOLD:
            return 0.0, 0.0, self._worth(to, float(self.tree.gains(node, to)))
        stake = float(self.tree.stake[node])
        if self.prizes is None:
            return 2.0 * stake - self.rake.taken(2.0 * stake), 0.0, -stake
        won, lost = self._worth(to, stake), self._worth(to, -stake)
        # Of a share, ties are a half: won (share - tie / 2) + lost (1 - share - tie / 2).
        return won - lost, 0.0 if self.behind(node) else -(won + lost) / 2, lost


def first_sequence(seq: int) -> int:
    """Where the classes of a sequence begin in a plan."""
    return 0 if seq == 0 else 1 + (seq - 1) * NUM_CLASSES


def _states(seq: int) -> Ints:
    """The sequences [169] that lead to a decision's classes."""
    if seq == 0:
        return np.zeros(NUM_CLASSES, np.int64)
    return first_sequence(seq) + np.arange(NUM_CLASSES)
