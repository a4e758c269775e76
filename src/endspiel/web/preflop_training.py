"""Drills before the flop: decisions by the charts of a depth, judged where these are certain."""

from typing import Final

import numpy as np

from endspiel.batch.preflop_solve import CHIPS, Preflop
from endspiel.betting.tree import DECISION
from endspiel.cards.classes import hand_classes
from endspiel.cards.deck import hand_cards, hand_index
from endspiel.cards.removal import conflicts
from endspiel.cards.text import format_hand, parse_cards
from endspiel.errors import EndspielError
from endspiel.games.preflop_charts import PreflopCharts, action_name
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop.shipped import OPENS, RAISES, RERAISES, shipped
from endspiel.review.before_flop import JudgedTree, PreflopTrees
from endspiel.review.links import tree_link
from endspiel.web.lines import ActionAnswer, Kind, PathStep
from endspiel.web.messages import Refused
from endspiel.web.training import Question, Verdict, verdict_of

SOURCE: Final = "preflop"  # what stands before the depth where a drill is of a solve elsewhere
TRIES: Final = 200  # hands dealt before a player who never decides is reported
REMEMBERED: Final = 16  # depths


class PreflopDrills:
    """Charts by depth, solved when they are first asked for."""

    def __init__(self) -> None:
        self._trees = PreflopTrees(most=REMEMBERED)

    def tree(self, stack: float) -> JudgedTree:
        """The charts of a depth in big blinds."""
        low, high = shipped().reach
        if not low <= stack <= high:
            raise Refused(f"charts are of {low:g} to {high:g} big blinds", "preflop")
        setting = PreflopSetting(
            round(CHIPS * stack), opens=OPENS, reraises=RERAISES, max_raises=RAISES
        )
        return self._trees.tree(Preflop(setting))


def source_of(stack: float) -> str:
    """The name under which a depth's drills are remembered."""
    return f"{SOURCE} {stack:g}"


def stack_of(source: str) -> float | None:
    """The depth of such a name; None of a solve's."""
    kind, _, stack = source.partition(" ")
    return float(stack) if kind == SOURCE else None


def deal_preflop(
    charts: PreflopCharts, player: int | None, dice: np.random.Generator
) -> tuple[str, str]:
    """Line and hand of a decision, each as often as play comes there."""
    tree = charts.preflop.tree
    for _ in range(TRIES):
        drilled = int(dice.integers(2)) if player is None else player
        node, hands, found = 0, _two_hands(dice), list[tuple[str, int]]()
        while tree.kind[node] == DECISION:
            own = int(tree.player[node])
            if own == drilled:
                found.append((tree.line(node), hands[own]))
            shares = charts.shares(charts.decision(node))[:, hand_classes()[hands[own]]]
            children = charts.children(node)
            node = children[int(dice.choice(len(children), p=shares / shares.sum()))]
        if found:
            line, hand = found[int(dice.integers(len(found)))]
            return line, format_hand(hand_cards()[hand].tolist())
    raise Refused("this player has nothing to decide here: drill the other one", "player", 409)


def _two_hands(dice: np.random.Generator) -> tuple[int, int]:
    while True:
        one, two = dice.integers(len(hand_cards()), size=2).tolist()
        if not conflicts()[one, two]:
            return one, two


def ask_preflop(tree: JudgedTree, line: str, hand: str) -> Question:
    """The question of a decision; who keeps it gives it its id."""
    charts = tree.charts
    betting, node = charts.preflop.tree, charts.preflop.tree.find(line)
    if betting.kind[node] != DECISION:
        raise EndspielError(f"no player decides after {line!r}")
    spent, player = betting.spent[node], int(betting.player[node])
    return Question(
        id="",
        job="",
        name=f"{tree.name}, chips are hundredths of a big blind",
        line=line,
        board=[],
        hand=[hand[:2], hand[2:]],
        player=player,
        pot=charts.preflop.pot(node),
        to_call=int(spent.max() - spent[player]),
        behind=[betting.stack - int(chips) for chips in spent],
        path=_path(charts, node),
        actions=[_action(charts, node, child) for child in charts.children(node)],
        again=False,
        due=0,
        link=tree_link(_asked(charts, line)),
    )


def _asked(charts: PreflopCharts, line: str) -> dict[str, float | str]:
    """What the page is asked for to show the charts of a line."""
    return {"stack": charts.preflop.setting.stack / CHIPS, "line": line}


def _path(charts: PreflopCharts, node: int) -> list[PathStep]:
    """The steps from the blinds to a decision."""
    tree, found = charts.preflop.tree, list[PathStep]()
    while node > 0:
        parent = int(tree.parent[node])
        word = tree.word(node)
        name = _name(charts, parent, word)
        found.append(PathStep(tree.line(parent), int(tree.player[parent]), "decision", word, name))
        node = parent
    return found[::-1]


def _name(charts: PreflopCharts, node: int, word: str) -> str:
    """An action in words, in big blinds."""
    spent = charts.preflop.tree.spent[node]
    to_call = float(spent.max() - spent[charts.preflop.tree.player[node]])
    return action_name(word, to_call, CHIPS)


def _action(charts: PreflopCharts, node: int, child: int) -> ActionAnswer:
    tree, player = charts.preflop.tree, int(charts.preflop.tree.player[node])
    word, amount = tree.word(child), int(tree.spent[child, player])
    leads: Kind = "decision" if tree.kind[child] == DECISION else "end"
    kind = {"f": "fold", "c": "call"}.get(word, "raise")
    allin = word != "f" and amount == tree.stack
    return ActionAnswer(
        word, _name(charts, node, word), kind, amount, allin, tree.line(child), leads
    )


def judge_preflop(tree: JudgedTree, line: str, hand: str, word: str) -> Verdict:
    """What an action loses by the charts; not judged where they may be off by more than that."""
    charts = tree.charts
    node = charts.preflop.tree.find(line)
    words, decision = charts.preflop.words(node), charts.decision(node)
    if word not in words:
        raise Refused(f"no action {word[:20]!r}: there are {', '.join(words)}", "word")
    kind = int(hand_classes()[hand_index(*parse_cards(hand))])
    values, errors = charts.at(decision), tree.error(decision, kind)
    evs = values.evs()[:, kind]
    if np.isnan(evs).any():
        raise EndspielError(f"{hand} meets no hand after {line!r}: there is no answer")
    names = [_name(charts, node, one) for one in words]
    verdict = verdict_of(word, words, names, values.shares[:, kind], evs, charts.preflop.pot(node))
    best, taken = int(evs.argmax()), words.index(word)
    verdict.by, verdict.ranges = tree.name, list(charts.held(decision))
    verdict.error = CHIPS * float(errors[best] + errors[taken]) if best != taken else 0.0
    verdict.judged = not 0 < verdict.lost <= verdict.error
    return verdict
