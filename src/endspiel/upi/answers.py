"""Answers about nodes and whole trees, in the formats that scripts read.

Numbers of hands come 1326 to a line in the order of `hand_order`: by the higher card from 2c up,
then by the lower one. Weights that go with values are own reach times the reach met, so that a mean
by them is that of the range.
"""

from math import isfinite
from typing import Final

import numpy as np

from endspiel.betting.lines import format_line
from endspiel.betting.tree import CHANCE, DECISION, BettingTree
from endspiel.cards.deck import NUM_CARDS, hand_cards
from endspiel.cards.equity import equities
from endspiel.cards.live import live_mask
from endspiel.cards.range_format import format_range
from endspiel.cards.removal import exact_unblocked_weight
from endspiel.cards.text import format_cards, format_hand
from endspiel.errors import EndspielError
from endspiel.games.spot import Floats, Spot
from endspiel.upi.nodes import UpiNode, all_lines, child_nodes, find_node
from endspiel.upi.session import Answer, SessionTree, UpiSession
from endspiel.upi.setup import position
from endspiel.upi.values import weighted_mean

DECIDES: Final = ("OOP_DEC", "IP_DEC")
SOLVED, UNSOLVED, LOCKED = "PIO_ALG", "UNSOLVED", "LOCKED"


def numbers(values: Floats) -> str:
    """A line of numbers, to nine digits."""
    return " ".join(f"{value:.9g}" for value in values.tolist())


def hand_order() -> list[str]:
    """The 1326 hands, as ``2d2c 2h2c 2h2d ...``."""
    return [" ".join(format_hand(cards) for cards in hand_cards().tolist())]


def tree_info(spot: Spot, info: list[str]) -> list[str]:
    """``#Name#value`` lines of a tree, and those that were added to it."""
    told = {
        "Board": format_cards(spot.board, " "),
        "Pot": spot.pot,
        "EffectiveStacks": spot.stack,
        "Rake.Enabled": bool(spot.rake),
        "Rake.Fraction": spot.rake.share,
        **({"Rake.Cap": spot.rake.cap} if isfinite(spot.rake.cap) else {}),
        "Range0": format_range(spot.ranges[0]),
        "Range1": format_range(spot.ranges[1]),
    }
    lines = [f"#{name}#{value}" for name, value in told.items()]
    lines += [f"#Line#{format_line(line)}" for line in spot.sizing.lines]
    return lines + info


def effective_stack(session: UpiSession, words: list[str]) -> Answer:
    return [str(session.the_tree().spot.stack)]


def lines(session: UpiSession, words: list[str]) -> Answer:
    return all_lines(session.the_tree().betting)


def node(session: UpiSession, words: list[str]) -> Answer:
    tree = session.the_tree()
    return _described(tree, _find(tree, words[0]))


def children(session: UpiSession, words: list[str]) -> Answer:
    """Each child under a heading, with an empty line between two."""
    tree = session.the_tree()
    found: list[str] = []
    for number, child in enumerate(child_nodes(tree.betting, _find(tree, words[0]))):
        found += [*([""] if number else []), f"child {number}:", *_described(tree, child)]
    return found


def strategy(session: UpiSession, words: list[str]) -> Answer:
    """A line for each child."""
    tree = session.the_tree()
    found = find_decision(tree, words[0])
    return [numbers(shares) for shares in tree.values.strategy(found)]


def node_range(session: UpiSession, words: list[str]) -> Answer:
    """The weights at a node, or those of set_range where none is named."""
    player = position(words[0])
    if len(words) == 1:
        return [numbers(session.setup.ranges[player])]
    tree = session.the_tree()
    return [numbers(tree.values.reach(_find(tree, words[1]), player))]


def ev(session: UpiSession, words: list[str]) -> Answer:
    """Values, and the weights that go with them."""
    tree, player = session.the_tree(), position(words[0])
    found = _find(tree, words[1])
    return [
        numbers(tree.values.ev(found, player)),
        numbers(tree.values.matchups(found, player)),
    ]


def equity(session: UpiSession, words: list[str]) -> Answer:
    """Equities at a node, the weights that go with them, and the whole range's equity."""
    tree, player = session.the_tree(), position(words[0])
    found = _find(tree, words[1])
    values, weights = tree.values.equity(found, player), tree.values.matchups(found, player)
    return [numbers(values), numbers(weights), f"{weighted_mean(values, weights):.9g}"]


def equity_of_setup(session: UpiSession, words: list[str]) -> Answer:
    """Equities of the ranges on the board that are set, tree or none, and their weights."""
    player, setup = position(words[0]), session.setup
    own, other = (
        np.where(live_mask(setup.board), setup.ranges[who], 0.0) for who in (player, 1 - player)
    )
    weights = own * exact_unblocked_weight(other)
    values = np.where(weights > 0, equities(other, list(setup.board)), np.nan)
    return [numbers(values), numbers(weights)]


def frequency(session: UpiSession, words: list[str]) -> Answer:
    tree = session.the_tree()
    return [f"{tree.values.frequency(_find(tree, words[0])):.9g}"]


def results(session: UpiSession, words: list[str]) -> Answer:
    """What both players expect, by the strategies and by a best response to the other's."""
    solution = session.the_tree().solution
    pot = solution.spot.pot
    first, second = solution.evs
    best = [pot * (0.5 + solution.boards.best_value(player)) for player in (0, 1)]
    return [
        f"EV OOP: {first:.6f}",
        f"EV IP: {second:.6f}",
        f"OOP's MES: {best[0]:.6f}",
        f"IP's MES: {best[1]:.6f}",
        f"Exploitable for: {(best[0] + best[1] - first - second) / 2:.6f}",
    ]


def find_decision(tree: SessionTree, name: str) -> UpiNode:
    """The decision of a name."""
    found = _find(tree, name)
    if found.is_root or tree.betting.kind[found.number] != DECISION:
        raise EndspielError(f"no player decides at {found.name}")
    return found


def _find(tree: SessionTree, name: str) -> UpiNode:
    return find_node(tree.betting, tree.spot.board, name)


def _described(tree: SessionTree, found: UpiNode) -> list[str]:
    """A node in six lines: name, kind, board, chips of OOP, of IP and the pot, children, flags."""
    spent = tree.betting.spent[found.number]
    return [
        found.name,
        _kind(tree.betting, found),
        format_cards(found.board, " "),
        f"{spent[0]} {spent[1]} {tree.spot.pot}",
        f"{_num_children(tree.betting, found)} children",
        f"flags: {_flags(tree, found)}",
    ]


def _kind(betting: BettingTree, found: UpiNode) -> str:
    if found.is_root:
        return "ROOT"
    kind = betting.kind[found.number]
    if kind == DECISION:
        return DECIDES[betting.player[found.number]]
    return "SPLIT_NODE" if kind == CHANCE else "END_NODE"


def _num_children(betting: BettingTree, found: UpiNode) -> int:
    if found.is_root:
        return 1
    if betting.kind[found.number] == CHANCE:
        return NUM_CARDS - len(found.board)
    return int(betting.num_children[found.number])


def _flags(tree: SessionTree, found: UpiNode) -> str:
    """Whether any step was taken, and whether the node's strategy is held fixed."""
    solved = tree.loaded is not None or (tree.solve is not None and tree.solve.seconds > 0)
    locked = tree.solve is not None and found.name in tree.solve.locked
    return (SOLVED if solved else UNSOLVED) + (f" {LOCKED}" if locked else "")
