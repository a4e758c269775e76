"""Trees before the flop that the page asks for: solved at once, in the command's records."""

import math
from typing import Any, Final

from msgspec import Struct

from endspiel.batch.preflop_solve import (
    CHIPS,
    Preflop,
    prize_map,
    push_fold_record,
)
from endspiel.engine.limits import Limits
from endspiel.games.preflop_tree import MOST_BLINDS, PreflopSetting
from endspiel.games.push_or_fold import PushFoldStakes
from endspiel.preflop.solving import PlayLimits, uncharted
from endspiel.preflop.whole import CHARTS, solve_whole
from endspiel.web.messages import FieldProblem, Fields, PreflopAsked, Refused
from endspiel.web.spots import read_rake

MOST_NODES: Final = 400  # of the betting: a payoff of all pairs of classes belongs to each end
SECONDS: Final = 60.0
OF_TREES_ALONE: Final = "this is of whole trees, not of push or fold"
OF_TREES: Final = (
    "straddle", "opens", "reraises", "max_raises", "limp",
    "rake", "rake_cap", "prizes", "others", "stacks", "flops_by", "flops",
)  # fmt: skip


class PreflopAnswer(Struct):
    """The charts of every decision and the flops that follow, as `endspiel preflop` writes them."""

    value: float
    rake: float
    exploitability: float
    error_bb: float | None
    prizes: dict[str, Any] | None
    method: str
    iterations: int
    seconds: float
    stack: float
    ante: float
    straddle: float
    flop_value: dict[str, Any]
    charts: list[dict[str, Any]]
    flops: list[dict[str, Any]]


def answer_preflop(asked: PreflopAsked) -> PreflopAnswer:
    """Solve a tree within a minute; a refusal is at the field that it comes from."""
    if asked.push_fold:
        return PreflopAnswer(**push_fold_record(_read_stakes(asked), "lp", Limits()))
    return solved_tree(asked, read_preflop(asked), PlayLimits(seconds=SECONDS))


def solved_tree(asked: PreflopAsked, preflop: Preflop, limits: PlayLimits) -> PreflopAnswer:
    """A tree's charts, its flops valued as asked for."""
    return PreflopAnswer(**solve_whole(preflop, asked.flops_by, asked.flops, limits).record())


def _read_stakes(asked: PreflopAsked) -> PushFoldStakes:
    """What is posted where players push or fold; what is of trees alone is refused."""
    fields, usual = Fields(), PreflopAsked(asked.stack)
    for name in OF_TREES:
        if getattr(asked, name) != getattr(usual, name):
            fields.problems.append(FieldProblem(OF_TREES_ALONE, name))
    stakes = fields.make("stack", lambda: _stakes(asked))
    fields.check()
    assert stakes is not None
    return stakes


def _stakes(asked: PreflopAsked) -> PushFoldStakes:
    if asked.stack > MOST_BLINDS:
        raise Refused(f"a stack is at most {MOST_BLINDS:,} big blinds", "stack")
    return PushFoldStakes(asked.stack, asked.ante, asked.small_blind)


def read_preflop(asked: PreflopAsked) -> Preflop:
    """What is to be solved."""
    fields = Fields()
    setting = fields.make("stack", lambda: _setting(asked))
    rake = fields.make("rake", lambda: read_rake(asked.rake, asked.rake_cap, CHIPS))
    fields.check()
    assert setting is not None
    assert rake is not None
    prizes = fields.make(
        "prizes", lambda: prize_map(asked.prizes, asked.others, asked.stacks, setting)
    )
    fields.check()
    preflop = Preflop(setting, prizes, rake)
    fields.make("opens", lambda: _check_size(setting))
    fields.make("prizes", preflop.game)  # refuses what does not go together
    fields.check()
    why = uncharted(preflop) if asked.flops_by == CHARTS and preflop.game().flop_nodes else ""
    if why:
        raise Refused(f"no charts fit: {why}", "flops_by")
    return preflop


def _setting(asked: PreflopAsked) -> PreflopSetting:
    amounts = (asked.stack, asked.small_blind, asked.ante, asked.straddle)
    if not all(math.isfinite(x) and 0 <= x <= MOST_BLINDS for x in amounts):
        raise Refused(f"stacks and what is posted are 0 to {MOST_BLINDS:g} big blinds", "stack")
    stack, small_blind, ante, straddle = (round(CHIPS * x) for x in amounts)
    return PreflopSetting(
        stack, small_blind, CHIPS, ante, straddle,
        asked.opens, asked.reraises, asked.max_raises, asked.limp,
    )  # fmt: skip


def _check_size(setting: PreflopSetting) -> None:
    nodes = setting.tree().num_nodes
    if nodes > MOST_NODES:
        raise Refused(
            f"the tree has {nodes} nodes, more than {MOST_NODES}: give fewer raises",
            "opens",
        )
