"""The betting tree of a spot, node by node: what may be done, what each branch costs, and edits."""

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from msgspec import Struct

from endspiel.arrays import Float64s
from endspiel.betting.edits import NodeEdit, bounds, parse_edit
from endspiel.betting.grow import Point, TreeSetting
from endspiel.betting.menu import STREET_NAMES, Sizing, StreetMenu
from endspiel.betting.no_limit import bet_amounts
from endspiel.betting.tree import BY_CHANCE, DECISION, BettingTree
from endspiel.errors import EndspielError
from endspiel.solving.spots import TREE_LIMIT
from endspiel.solving.views import action_name
from endspiel.web.lines import MAX_WORDS, Kind, kind_of
from endspiel.web.messages import Asked, Refused, SpotText, Text
from endspiel.web.spots import read_spot

_CARDS_LEFT: Final = (49, 48)  # turns after a flop, rivers after a turn


class TreeAsked(Asked):
    """A node of a spot's tree, and perhaps a size to add or an action to remove there."""

    spot: SpotText
    line: Text = ""
    add: Text = ""  # sizes as menus have them
    remove: Text = ""  # an action's word


class TreeStep(Struct):
    """One step from the root to a node."""

    line: str
    name: str
    player: int | None


class TreeAction(Struct):
    """What a player may do, and what the branch costs: its share of the tree on all boards."""

    word: str
    name: str
    line: str
    leads_to: Kind
    percent: float | None  # of a bet or raise beyond the call, of the pot after it
    added: bool
    share: float
    decisions: int


class TreeAnswer(Struct):
    """A node of a tree, and the edits that make the tree."""

    line: str
    kind: Kind
    player: int | None
    street: str
    pot: int
    to_call: int
    least: int | None  # chips on the street of a bet or raise; null where none can be made
    most: int | None
    path: list[TreeStep]
    actions: list[TreeAction]
    removed: list[str]  # names of the menu's sizes that are removed here
    edits: list[str]


def answer_tree(asked: TreeAsked) -> TreeAnswer:
    """The node, after the size asked for is added or removed."""
    spot = asked.spot
    if spot.lines:
        raise Refused("this spot's tree is given line by line: it has no menus to edit", "edits")
    line = " ".join(asked.line.split())
    if len(line.split()) > MAX_WORDS:
        raise Refused("the line is longer than any tree is deep", "line")
    if asked.add.strip() or asked.remove.strip():
        spot = msgspec.structs.replace(spot, edits=_edited(spot, line, asked))
    tree = _tree(spot)
    return _answer(tree, _find(tree, line), [parse_edit(text) for text in spot.edits])


def _tree(spot: SpotText) -> BettingTree:
    game = read_spot(spot)
    try:
        return game.tree(TREE_LIMIT)
    except EndspielError as error:
        raise Refused(str(error), "edits" if spot.edits else "spot") from error


def _find(tree: BettingTree, line: str) -> int:
    try:
        return tree.find(line)
    except EndspielError as error:
        raise Refused(str(error), "line") from error


def _edited(spot: SpotText, line: str, asked: TreeAsked) -> list[str]:
    """The edits of a spot with one change more."""
    tree = _tree(spot)
    node = _find(tree, line)
    if tree.kind[node] != DECISION:
        raise Refused(f"no player decides after {line!r}", "line")
    edits = {edit.node: edit for edit in map(parse_edit, spot.edits)}
    here = edits.get(line, NodeEdit(line))
    added, removed = set(here.added), set(here.removed)
    present = {int(word[1:]) for word in tree.words(node) if word[0] in "br"}
    if asked.remove:
        chips = _chips_of(asked.remove, tree.words(node))
        (added.discard if chips in added else removed.add)(chips)
        gone = f"{line} {asked.remove}".strip()
        edits = {at: one for at, one in edits.items() if not f"{at} ".startswith(f"{gone} ")}
    for chips in _sizes(tree, node, asked.add) if asked.add.strip() else []:
        if chips in present:
            raise Refused(f"{chips} is there already", "add")
        (removed.discard if chips in removed else added.add)(chips)
    edits[line] = NodeEdit(line, tuple(sorted(added)), tuple(sorted(removed)))
    return [str(edit) for edit in edits.values() if edit.added or edit.removed]


def _chips_of(word: str, words: Sequence[str]) -> int:
    if word not in words or word[0] not in "br":
        raise Refused(f"{word[:20]!r} is no bet or raise here", "remove")
    return int(word[1:])


def _sizes(tree: BettingTree, node: int, text: str) -> list[int]:
    """Sizes as typed, in chips on the street."""
    point, table = point_at(tree, node)
    if not bounds(point, table)[1]:
        raise Refused("everything is in: there is nothing to bet", "add")
    raising = point.last_bet > 0
    try:
        menu = StreetMenu.parse("" if raising else text, text if raising else "")
    except EndspielError as error:
        raise Refused(str(error), "add") from error
    return bet_amounts(table, point, Sizing.same(menu))


def point_at(tree: BettingTree, node: int) -> tuple[Point, TreeSetting]:
    """Where the betting stands at a decision."""
    first, raises, step = node, 0, 1
    while first > 0 and tree.action[first] != BY_CHANCE:
        parent = int(tree.parent[first])
        if tree.action[first] > 0:
            raises += 1
            step = max(step, int(tree.spent[first].max() - tree.spent[parent].max()))
        first = parent
    spent = (int(tree.spent[node, 0]), int(tree.spent[node, 1]))
    begun = int(tree.spent[first].max())
    street, player = int(tree.street[node]), int(tree.player[node])
    table = TreeSetting(tree.pot, tree.stack, (0,) * len(STREET_NAMES), min_bet=1)
    return Point(street, player, spent, begun, step, raises), table


def _answer(tree: BettingTree, node: int, edits: list[NodeEdit]) -> TreeAnswer:
    line, kind = tree.line(node), kind_of(tree, node)
    here = next((edit for edit in edits if edit.node == line), NodeEdit(line))
    point, table = point_at(tree, node)
    decides = kind == "decision"
    least, most = bounds(point, table) if decides else (0, 0)
    costs, counts = _branches(tree)
    actions = []
    for child, word in zip(tree.children(node), tree.words(node), strict=True):
        bets = int(tree.action[child]) > 0
        after = tree.pot + 2 * point.level
        actions.append(
            TreeAction(
                word=word,
                name=action_name(word, point.to_call) if decides else "next card",
                line=tree.line(child),
                leads_to=kind_of(tree, child),
                percent=100 * (int(word[1:]) - point.last_bet) / after if bets else None,
                added=bets and int(word[1:]) in here.added,
                share=float(costs[child] / costs[0]) if costs[0] else 0.0,
                decisions=int(counts[child]),
            )
        )
    verb = "raise to" if point.last_bet else "bet"
    return TreeAnswer(
        line=line,
        kind=kind,
        player=int(tree.player[node]) if decides else None,
        street=STREET_NAMES[tree.street[node]],
        pot=tree.pot + int(tree.spent[node].sum()),
        to_call=point.to_call if decides else 0,
        least=least if most else None,
        most=most or None,
        path=_path(tree, node),
        actions=actions,
        removed=[f"{verb} {chips}" for chips in here.removed],
        edits=[str(edit) for edit in edits],
    )


def _path(tree: BettingTree, node: int) -> list[TreeStep]:
    steps = []
    while node > 0:
        parent = int(tree.parent[node])
        decided = tree.kind[parent] == DECISION
        to_call = int(tree.spent[parent].max() - tree.spent[parent, tree.player[parent]])
        name = action_name(tree.word(node), to_call) if decided else "next card"
        steps.append(TreeStep(tree.line(node), name, int(tree.player[parent]) if decided else None))
        node = parent
    return steps[::-1]


def _branches(tree: BettingTree) -> tuple[Float64s, Float64s]:
    """What each node's branch takes over all boards, and its decisions: [N] each."""
    boards = np.ones(len(STREET_NAMES))
    for street in range(int(tree.street[0]) + 1, len(STREET_NAMES)):
        boards[street] = boards[street - 1] * _CARDS_LEFT[street - 2]
    decides = (tree.kind == DECISION).astype(np.float64)
    costs = decides * boards[tree.street] * tree.num_children
    first, after = 0, 1
    levels = []
    while first < after:
        levels.append((first, after))
        ends = tree.first_child[first:after] + tree.num_children[first:after]
        first, after = after, max(after, int(ends.max()))
    for first, after in levels[:0:-1]:
        for total in (costs, decides):
            parents = tree.parent[first:after]
            np.add.at(total, parents, total[first:after])
    return costs, decides
