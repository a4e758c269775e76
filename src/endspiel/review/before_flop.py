"""Trees before the flop of two who play alone: the menus, and the raises that were made.

Trees are counted in hundredths of a big blind and solved as `endspiel preflop` solves them: flops
are worth what the charts that come with the package say, or what play gives them, and every line
has its error (docs/preflop.md). A tree without flops is solved exactly.
"""

import hashlib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel.arrays import Ints
from endspiel.batch.preflop_solve import CHIPS, TARGET, Preflop
from endspiel.betting.rake import NO_RAKE, Rake
from endspiel.betting.sequences import NumberedDecision
from endspiel.betting.tree import DECISION, BettingTree
from endspiel.errors import StateError
from endspiel.files import load, save
from endspiel.game import Profile
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.kernels.arrays import Floats
from endspiel.preflop.shipped import OPENS, RAISES, RERAISES, share_of, shipped_mark
from endspiel.preflop.street import beyond_equity
from endspiel.preflop.whole import solve_whole
from endspiel.review.played import FOLDED, PlayedHand

KIND: Final = "preflop strategy with flops"
_OFF: Final = 2  # hundredths of a big blind by which counting in them may move a raise


class PreflopMenus(NamedTuple):
    """Raises that the solution may use besides those made."""

    opens: str = OPENS
    reraises: str = RERAISES


USUAL_MENUS: Final = PreflopMenus()


class PlayedStep(NamedTuple):
    """An action as the tree counts it."""

    player: int
    chips: int  # besides the ante, or FOLDED


class PlayedTree(NamedTuple):
    """The tree of a hand, and what was done in it."""

    preflop: Preflop
    steps: tuple[PlayedStep, ...]

    def asked(self, line: str) -> dict[str, Any]:
        """What the study page is asked for to solve the same tree and show a line of it."""
        setting, rake = self.preflop.setting, self.preflop.rake
        amounts = {"stack": setting.stack, "ante": setting.ante, "small_blind": setting.small_blind,
                   "straddle": setting.straddle}  # fmt: skip
        taken = tomllib.loads("\n".join(rake.dump()))
        if "rake_cap" in taken:
            taken["rake_cap"] = rake.cap / CHIPS
        return {
            **{name: chips / CHIPS for name, chips in amounts.items()},
            "opens": setting.opens,
            "reraises": setting.reraises,
            "max_raises": setting.max_raises,
            **taken,
            "line": line,
        }


def played_tree(hand: PlayedHand, menus: PreflopMenus, rake: Rake = NO_RAKE) -> PlayedTree:
    """The tree of a hand that two played alone; the rake is in the hand's chips."""
    before = hand.preflop
    if before is None:
        raise StateError("more than two played before the flop, or posts were unusual")

    def count(chips: float) -> int:
        return round(CHIPS * chips / hand.big_blind)

    stack, ante = count(min(hand.stacks)), count(before.ante)
    level, most = max(CHIPS, count(before.straddle)), stack - ante
    sizes, steps, raises = ([menus.opens], [menus.reraises]), list[PlayedStep](), 0
    for action in before.actions:
        folds = action.chips == FOLDED
        chips = FOLDED if folds else min(count(action.chips - before.ante), most)
        steps.append(PlayedStep(action.player, chips))
        if chips > level:
            sizes[raises > 0].append("a" if chips == most else f"{chips - level}c")
            level, raises = chips, raises + 1
    setting = PreflopSetting(
        stack, count(before.small_blind), CHIPS, ante, count(before.straddle), *menus,
        max(RAISES, raises),
    )  # fmt: skip
    if not _holds(setting, steps):
        opens, reraises = (", ".join(filter(None, texts)) for texts in sizes)
        setting = replace(setting, opens=opens, reraises=reraises)
    scaled = replace(rake, cap=count(rake.cap)) if isfinite(rake.cap) else rake
    return PlayedTree(Preflop(setting, rake=scaled), tuple(steps))


def _holds(setting: PreflopSetting, steps: Sequence[PlayedStep]) -> bool:
    """Whether the menus have all that was done: one tree then serves many hands."""
    try:
        follow(setting.tree(), steps)
    except StateError:
        return False
    return True


def follow(tree: BettingTree, steps: Sequence[PlayedStep]) -> list[int]:
    """The nodes that a hand comes through, the root first; an error says what does not fit."""
    nodes = [0]
    for step in steps:
        node = nodes[-1]
        if tree.kind[node] != DECISION or int(tree.player[node]) != step.player:
            raise StateError("before the flop somebody acts out of turn")
        children = tree.children(node)
        spent = tree.spent[children.start : children.stop, step.player]
        nodes.append(children[_taken(spent, step, tree.words(node))])
    return nodes


def _taken(spent: Ints, step: PlayedStep, words: list[str]) -> int:
    """Which child of a decision an action leads to, by the chips [A] that each brings in."""
    if step.chips == FOLDED:
        if "f" not in words:
            raise StateError("somebody folds where checking is free")
        return words.index("f")
    call = words.index("c")
    if step.chips <= int(spent[call]):
        return call
    raises = [at for at, word in enumerate(words) if word[0] == "r"]
    near = min(raises, key=lambda at: abs(int(spent[at]) - step.chips), default=call)
    if abs(int(spent[near]) - step.chips) > _OFF:
        chips = step.chips / CHIPS
        raise StateError(f"a raise to {chips:g} big blinds is none of {', '.join(words)}")
    return near


class JudgedTree(NamedTuple):
    """Charts by which decisions are judged, and how far off their flops may be."""

    charts: PreflopCharts
    errors: dict[str, float]  # big blinds, by line that sees a flop

    @property
    def name(self) -> str:
        """What they are, in a few words."""
        setting = self.charts.preflop.setting
        return f"charts of {setting.stack / setting.big_blind:g} big blinds"

    def error(self, decision: NumberedDecision, kind: int) -> Floats:
        """How far off what each action [A] is worth to a class may be, in big blinds."""
        found = np.zeros(decision.actions)
        for line, chances in self.charts.flop_chances(decision, kind).items():
            found += chances * self.errors.get(line, 0.0)
        return found


@dataclass
class PreflopTrees:
    """Solved trees; one that comes again is solved once, or taken from a folder."""

    folder: Path | None = None
    solved: dict[str, JudgedTree] = field(default_factory=dict)  # the newest
    most: int = 64  # that are held: each takes some megabytes
    count: int = 0  # solved, or taken from the folder

    def tree(self, preflop: Preflop) -> JudgedTree:
        """A tree's charts."""
        key = f"{preflop.setting} {preflop.rake} {TARGET} {shipped_mark()}"
        if key not in self.solved:
            self.solved[key] = self._kept_or_solved(preflop, key)
            self.count += 1
            if len(self.solved) > self.most:
                del self.solved[next(iter(self.solved))]
        return self.solved[key]

    def _kept_or_solved(self, preflop: Preflop, key: str) -> JudgedTree:
        path = None
        if self.folder is not None:
            name = hashlib.blake2b(key.encode(), digest_size=12).hexdigest()
            path = self.folder / f"preflop-{name}.es"
            if path.exists():
                return _read(path, preflop)
        found = solve_whole(preflop)
        judged = JudgedTree(found.charts, found.errors)
        if path is not None:
            _write(path, key, judged)
        return judged


def _write(path: Path, key: str, tree: JudgedTree) -> None:
    """Keep a tree: its strategy, and what each line that sees a flop is worth."""
    first, second = tree.charts.profile.behavior
    lines = [tree.charts.preflop.tree.line(node) for node in tree.charts.preflop.flop_nodes]
    shares = tree.charts.preflop.shares
    beyond = [beyond_equity(shares[line]) for line in lines]
    arrays = {"first": first, "second": second, "beyond": np.array(beyond)}
    save(path, KIND, {"tree": key, "lines": [[one, tree.errors[one]] for one in lines]}, arrays)


def _read(path: Path, preflop: Preflop) -> JudgedTree:
    """What `_write` kept."""
    record, arrays = load(path, KIND)
    game = preflop.game()
    for (line, _), beyond in zip(record["lines"], arrays["beyond"], strict=True):
        game.shares[line] = share_of(beyond)
    profile = Profile((arrays["first"], arrays["second"]))
    return JudgedTree(PreflopCharts(game, game.game(), profile), dict(record["lines"]))
