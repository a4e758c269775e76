"""What decisions cost: a hand from some street on against the solved strategy.

A spot is solved from the street on which the review begins, with the ranges that are stated for its
start and a betting tree of the menus and of the hand's own bets. A decision loses what its best
action is worth beyond the action taken, against the solved strategy of the other player.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from pathlib import Path

import numpy as np

from endspiel.arrays import Float64s, Ints
from endspiel.betting.line_menus import lines_with
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.cards.deck import hand_index
from endspiel.cards.range_format import format_range
from endspiel.cards.streets import FLOP, PREFLOP, RIVER, STREETS, TURN
from endspiel.cards.text import format_card, format_hand
from endspiel.errors import EndspielError
from endspiel.games.spot import PLAYERS, Spot
from endspiel.review.before_flop import USUAL_MENUS, PreflopMenus, PreflopTrees, played_tree
from endspiel.review.judge_preflop import PreflopReview, review_preflop
from endspiel.review.judgments import Judgment, Review, money_line, money_name
from endspiel.review.kinds import kind_of, pot_of
from endspiel.review.links import page_link, spot_content
from endspiel.review.played import FOLDED, BrokenHand, PlayedHand, RootedAction, actions_from
from endspiel.solving.door import solve
from endspiel.solving.solution import SpotSolution
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import SpotOptions
from endspiel.solving.views import NodeView

STATED = "ranges as stated"
HELD_BYTES = 1_000_000_000  # of solved spots in memory, the newest apart


@dataclass(frozen=True)
class _Assumed:
    """A solved spot, and what its ranges are of."""

    solution: SpotSolution
    by: str

    @cached_property
    def ranges(self) -> tuple[str, str]:
        """Both ranges as text, out of position first."""
        first, second = map(format_range, self.solution.spot.ranges)
        return first, second


@dataclass(frozen=True)
class ReviewSettings:
    """How spots are made and solved."""

    ranges: tuple[Float64s, Float64s]  # [1326] each where the review begins, out of position first
    menu: StreetMenu  # besides the bets that were made
    max_raises: int = 3
    first_street: int = TURN
    last_street: int = RIVER
    player: str | None = None  # whose decisions are judged; None for both players'
    preflop: PreflopMenus = USUAL_MENUS  # where the review begins before the flop
    target: float = 0.005  # share of the pot
    threads: int = 1
    cache: Path | None = None  # a folder in which solved spots are kept
    rake: Rake = NO_RAKE  # in chips of the file
    page: str = ""  # the study page's address, for links into it
    # Ranges of some kinds of pots, by `pot_of`, in place of `ranges`.
    pots: Mapping[str, tuple[Float64s, Float64s]] = field(default_factory=dict)
    # Ends the solve under way, as that of `Limits` does, and the review with the hands before.
    halt: Callable[[int, float], bool] | None = None


class _HaltedError(Exception):
    """A solve was ended early: its hand is not judged."""


@dataclass
class Reviewer:
    """Judges hands; a spot that comes again soon is solved once."""

    settings: ReviewSettings
    solved: dict[str, SpotSolution] = field(default_factory=dict)  # by the spot's text, the last
    trees: PreflopTrees = field(default_factory=PreflopTrees)
    _spots: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.trees.folder = self.settings.cache

    @property
    def spots(self) -> int:
        """How many spots and trees were solved, or taken from the folder."""
        return len(self._spots) + self.trees.count

    def review(
        self,
        hands: Iterable[PlayedHand | BrokenHand],
        told: Callable[[PlayedHand], None] = lambda hand: None,
        result: Review | None = None,
    ) -> Review:
        """Judge every hand; what cannot be judged is listed with its reason.

        What is found goes into `result`, which has it also when the review is interrupted.
        """
        result = Review() if result is None else result
        for hand in hands:
            if isinstance(hand, BrokenHand):
                result.broken.append(hand)
                continue
            if self.settings.player not in (None, *hand.players):
                result.others += 1
                continue
            result.hands += 1
            told(hand)
            try:
                self._judge(hand, result)
            except _HaltedError:
                result.hands -= 1
                break
            except EndspielError as error:
                result.broken.append(BrokenHand(hand.name, hand.line, str(error)))
        return result

    def _judge(self, hand: PlayedHand, result: Review) -> None:
        settings, by = self.settings, STATED
        first, ranges = settings.first_street, settings.pots.get(pot_of(hand), settings.ranges)
        if first == PREFLOP:
            first = FLOP
            if hand.preflop is None:
                why = "before the flop others played, too, or posts were unusual: not judged there"
                result.broken.append(BrokenHand(hand.name, hand.line, why))
            else:
                before = self._judge_preflop(hand, result)
                if settings.last_street >= FLOP and FLOP in hand.starts:
                    ranges, by = before.ranges(), before.by
        elif first not in hand.starts:
            over = f"it ends before the {STREETS[first]}"
            result.early.append(BrokenHand(hand.name, hand.line, over))
        if first > settings.last_street or first not in hand.starts:
            return
        actions = actions_from(hand, first)
        mine = [action for action in actions if self._counts(hand, action)]
        known = [bool(hand.holes[action.player]) for action in mine]
        result.unseen += known.count(False)
        if any(known):
            solution = self._solve(hand, first, ranges, actions)
            self._judge_each(hand, actions, _Assumed(solution, by), result)

    def _counts(self, hand: PlayedHand, action: RootedAction) -> bool:
        """Whether a decision is one of those to judge."""
        settings = self.settings
        own = settings.player in (None, hand.players[action.player])
        return own and action.street <= settings.last_street

    def _judge_preflop(self, hand: PlayedHand, result: Review) -> PreflopReview:
        settings = self.settings
        tree = played_tree(hand, settings.preflop, self._rake(hand))
        judged = self.trees.tree(tree.preflop)
        found = review_preflop(hand, tree, judged, settings.player, settings.page)
        result.unseen += found.unseen
        result.unsure += found.unsure
        for one in found.found:
            result.add(one)
        return found

    def _solve(
        self,
        hand: PlayedHand,
        street: int,
        ranges: tuple[Float64s, Float64s],
        actions: tuple[RootedAction, ...],
    ) -> SpotSolution:
        settings = self.settings
        start, behind = hand.starts[street], hand.behind(street)
        played = tuple(action.chips for action in actions if action.chips != FOLDED)
        menus = Sizing((settings.menu,) * len(STREET_NAMES), settings.max_raises)
        lines = lines_with(start.pot, behind, street, menus, played)
        board = actions[0].board
        sizing = Sizing((None,) * len(STREET_NAMES), lines=lines)
        spot = Spot(board, start.pot, behind, ranges, sizing, self._rake(hand))
        key = spot.dump()
        if key not in self.solved:
            self._spots.add(key)
            while sum(one.memory_bytes for one in self.solved.values()) > HELD_BYTES:
                del self.solved[next(iter(self.solved))]
            self.solved[key] = self._kept_or_solved(spot, key)
        return self.solved[key]

    def _rake(self, hand: PlayedHand) -> Rake:
        """The rake in the hand's own units."""
        rake = self.settings.rake
        return replace(rake, cap=rake.cap / hand.unit) if isfinite(rake.cap) else rake

    def _kept_or_solved(self, spot: Spot, key: str) -> SpotSolution:
        """A spot's solution, from the folder if it is there and good enough."""
        settings, path = self.settings, None
        if settings.cache is not None:
            name = hashlib.blake2b(f"{key}{settings.target}".encode(), digest_size=12).hexdigest()
            path = settings.cache / f"{name}.es"
            if path.exists():
                return load_solution(path)
        options = SpotOptions(threads=settings.threads)
        found = solve(spot, target=settings.target, options=options, halt=settings.halt)
        if found.stopped == "interrupted":
            raise _HaltedError
        if path is not None:
            save_solution(path, found)
        return found

    def _judge_each(
        self,
        hand: PlayedHand,
        actions: tuple[RootedAction, ...],
        assumed: "_Assumed",
        result: Review,
    ) -> None:
        solution = assumed.solution
        tree, node, words = solution.game.betting, 0, list[str]()
        content = spot_content(solution.spot, self.settings.menu, actions)
        content["big_blind"] = hand.big_blind
        street = actions[0].street
        for action in actions:
            if action.street > street:
                street = action.street
                words += ["/", format_card(action.board[-1])]
                node = int(tree.first_child[node])
            children = tree.children(node)
            at = _taken(tree.spent[children.start : children.stop], action, tree.words(node))
            if hand.holes[action.player] and self._counts(hand, action):
                view = solution.view(" ".join(words))
                link = page_link(content | {"node": view.node}, self.settings.page)
                one = self._judgment(hand, action, view, at, link)
                if isinstance(one, Judgment):
                    error = solution.exploitability * solution.spot.pot / hand.big_blind
                    one = one._replace(by=assumed.by, ranges=assumed.ranges, error=error)
                result.add(one)
            words.append(tree.words(node)[at])
            node = children[at]

    def _judgment(
        self, hand: PlayedHand, action: RootedAction, view: NodeView, taken: int, link: str
    ) -> Judgment | BrokenHand:
        """A decision's cost, or why it has none."""
        hole = hand.holes[action.player]
        places = np.flatnonzero(view.hands == hand_index(*hole))
        cards = format_hand(hole)
        if not len(places):
            where = PLAYERS[action.player]
            why = f"{cards} is not in the range stated {where}"
            return BrokenHand(hand.name, hand.line, why)
        evs = view.action_ev[:, places[0]]
        if np.isnan(evs).any():
            why = f"{cards} meets no hand of the other range after {view.node!r}"
            return BrokenHand(hand.name, hand.line, why)
        best = int(evs.argmax())
        lost = float(evs[best] - evs[taken])
        return Judgment(
            hand.name,
            hand.line,
            action.street,
            hand.players[action.player],
            cards,
            view.node,
            money_line(view.node, hand.unit),
            money_name(view.actions[taken], view.to_call, hand.unit),
            money_name(view.actions[best], view.to_call, hand.unit),
            lost * hand.unit,
            lost / hand.big_blind,
            float(view.strategy[taken, places[0]]),
            kind_of(hand, view),
            link,
        )


def _taken(spent: Ints, action: RootedAction, words: list[str]) -> int:
    """Which child of a decision an action leads to."""
    if action.chips == FOLDED:
        if "f" not in words:
            raise EndspielError("somebody folds where checking is free")
        return words.index("f")
    for at, word in enumerate(words):
        if word != "f" and int(spent[at, action.player]) == action.chips:
            return at
    raise EndspielError(f"the chips do not fit: {action.chips} is none of {', '.join(words)}")
