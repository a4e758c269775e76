"""What decisions cost: a hand from some street on against the solved strategy.

A spot is solved from the street on which the review begins, with the ranges that are stated for its
start and a betting tree of the menus and of the hand's own bets. A decision loses what its best
action is worth beyond the action taken, against the solved strategy of the other player.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import NamedTuple

import numpy as np

from endspiel.betting.line_menus import lines_with
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.tree import Int64s
from endspiel.cards.deck import hand_index
from endspiel.cards.text import format_card, format_hand
from endspiel.endgame.solve import solve
from endspiel.errors import EndspielError
from endspiel.games.spot import PLAYERS, Floats, Spot
from endspiel.review.kinds import kind_of
from endspiel.review.links import page_link, spot_content
from endspiel.review.played import (
    FOLDED,
    BrokenHand,
    PlayedHand,
    RootedAction,
    actions_from,
)
from endspiel.solvers.spots.task import SpotOptions
from endspiel.strategy.spot_files import load_solution, save_solution
from endspiel.strategy.spot_solution import SpotSolution
from endspiel.strategy.views import NodeView, action_name

FLOP, TURN, RIVER = 1, 2, 3


@dataclass(frozen=True)
class ReviewSettings:
    """How spots are made and solved."""

    ranges: tuple[Floats, Floats]  # [1326] each where the review begins, out of position first
    menu: StreetMenu  # besides the bets that were made
    max_raises: int = 3
    first_street: int = TURN
    target: float = 0.005  # share of the pot
    threads: int = 1
    cache: Path | None = None  # a folder in which solved spots are kept
    rake: Rake = NO_RAKE  # in chips of the file
    page: str = ""  # the study page's address, for links into it


class Judgment(NamedTuple):
    """A decision, and what it cost."""

    hand: str
    line: int  # of the file
    street: int
    player: str
    cards: str
    node: str  # as `endspiel solve --node` writes it
    taken: str
    best: str
    lost: float  # chips of the file
    blinds: float  # the same in big blinds
    share: float  # how often the solution takes the action taken
    kind: str  # of spot: `kind_of`
    link: str  # opens the spot on the study page


@dataclass
class Review:
    """A file's decisions, and all that was not judged."""

    judgments: list[Judgment] = field(default_factory=list)
    broken: list[BrokenHand] = field(default_factory=list)  # unreadable, or never heads-up there
    unseen: int = 0  # decisions of players whose cards are not known
    hands: int = 0  # readable

    def lost(self, street: int) -> tuple[int, float]:
        """How many decisions of a street were judged, and big blinds lost by them."""
        chosen = [one.blinds for one in self.judgments if one.street == street]
        return len(chosen), float(sum(chosen))

    def kinds(self) -> dict[str, tuple[int, float]]:
        """The same by kind of spot, the dearest first."""
        found: dict[str, tuple[int, float]] = {}
        for one in self.judgments:
            count, lost = found.get(one.kind, (0, 0.0))
            found[one.kind] = count + 1, lost + one.blinds
        return dict(sorted(found.items(), key=lambda item: -item[1][1]))

    def reasons(self) -> dict[str, int]:
        """How many hands and decisions were not judged, by reason."""
        return dict(Counter(one.reason for one in self.broken).most_common())

    def dearest(self, number: int) -> list[Judgment]:
        """The decisions that cost most, in big blinds."""
        return sorted(self.judgments, key=lambda one: -one.blinds)[:number]


@dataclass
class Reviewer:
    """Judges hands; spots that come again are solved once."""

    settings: ReviewSettings
    solved: dict[str, SpotSolution] = field(default_factory=dict)  # by the spot's text

    def review(
        self,
        hands: Iterable[PlayedHand | BrokenHand],
        told: Callable[[PlayedHand], None] = lambda hand: None,
    ) -> Review:
        """Judge every hand; what cannot be judged is listed with its reason."""
        result = Review()
        for hand in hands:
            if isinstance(hand, BrokenHand):
                result.broken.append(hand)
                continue
            result.hands += 1
            told(hand)
            try:
                self._judge(hand, result)
            except EndspielError as error:
                result.broken.append(BrokenHand(hand.name, hand.line, str(error)))
        return result

    def _judge(self, hand: PlayedHand, result: Review) -> None:
        first = self.settings.first_street
        actions = actions_from(hand, first) if first in hand.starts else ()
        if not actions:
            return  # it ended before, or somebody was all-in
        known = [bool(hand.holes[action.player]) for action in actions]
        result.unseen += known.count(False)
        if any(known):
            self._judge_each(hand, actions, self._solve(hand, actions), result)

    def _solve(self, hand: PlayedHand, actions: tuple[RootedAction, ...]) -> SpotSolution:
        settings, street = self.settings, self.settings.first_street
        start, behind = hand.starts[street], hand.behind(street)
        played = tuple(action.chips for action in actions if action.chips != FOLDED)
        menus = Sizing((settings.menu,) * len(STREET_NAMES), settings.max_raises)
        lines = lines_with(start.pot, behind, street, menus, played)
        board = actions[0].board
        sizing = Sizing((None,) * len(STREET_NAMES), lines=lines)
        spot = Spot(board, start.pot, behind, settings.ranges, sizing, self._rake(hand))
        key = spot.dump()
        if key not in self.solved:
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
        found = solve(spot, target=settings.target, options=options)
        if path is not None:
            save_solution(path, found)
        return found

    def _judge_each(
        self,
        hand: PlayedHand,
        actions: tuple[RootedAction, ...],
        solution: SpotSolution,
        result: Review,
    ) -> None:
        tree, node, words = solution.game.betting, 0, list[str]()
        content = spot_content(solution.spot, self.settings.menu, actions)
        link = page_link(content, self.settings.page)
        street = actions[0].street
        for action in actions:
            if action.street > street:
                street = action.street
                words += ["/", format_card(action.board[-1])]
                node = int(tree.first_child[node])
            children = tree.children(node)
            at = _taken(tree.spent[children.start : children.stop], action, tree.words(node))
            if hand.holes[action.player]:
                view = solution.view(" ".join(words))
                found = self._judgment(hand, action, view, at)
                if isinstance(found, BrokenHand):
                    result.broken.append(found)
                else:
                    result.judgments.append(found._replace(link=link))
            words.append(tree.words(node)[at])
            node = children[at]

    def _judgment(
        self, hand: PlayedHand, action: RootedAction, view: NodeView, taken: int
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
            action_name(view.actions[taken], view.to_call),
            action_name(view.actions[best], view.to_call),
            lost * hand.unit,
            lost / hand.big_blind,
            float(view.strategy[taken, places[0]]),
            kind_of(hand, view),
            link="",
        )


def _taken(spent: Int64s, action: RootedAction, words: list[str]) -> int:
    """Which child of a decision an action leads to."""
    if action.chips == FOLDED:
        if "f" not in words:
            raise EndspielError("somebody folds where checking is free")
        return words.index("f")
    for at, word in enumerate(words):
        if word != "f" and int(spent[at, action.player]) == action.chips:
            return at
    raise EndspielError(f"the chips do not fit: {action.chips} is none of {', '.join(words)}")
