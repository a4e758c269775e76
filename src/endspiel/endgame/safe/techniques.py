"""The techniques of the 2017 paper as data: what each asks of the opponent's entries.

An *entry* is a way for the opponent into an endgame: an infoset and an action, a hand, a class of
hands. A safe technique says on what terms the opponent may take each. The gadget that holds it to
them is the same for all: as a `Game` (`gadgets`), or as the root above any backend
(`engine.gadget`). Arrays are by entry [..., Q]; many endgames may stand side by side.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from endspiel.endgame.safe.reach import Alternatives
from endspiel.engine.gadget import Terms, Values
from endspiel.errors import GameError

FAINT = 1e-6  # chances below are those of hands that the player never meets
SMALL_GIFT = 1e-3  # of the largest margin there could be: less is no reason to let an entry go


@dataclass(frozen=True)
class Entries:
    """What there is to know of an endgame's entries."""

    alternatives: Alternatives  # [..., Q]
    weight: Values  # [..., Q] chance that the others bring the endgame about after each; positive
    possible: Values  # [..., Q] where that is more than rounding
    count: Values = 1.0  # [..., Q] states of the opponent that each stands for
    small: Values = 0.0  # [..., 1] gifts by weight that are no reason to let an entry go
    rounding: Values = 0.0  # [..., Q] what a limit may be below its target by rounding


@dataclass(frozen=True)
class Technique:
    """A way to solve an endgame again.

    Examples:
        >>> import endspiel as es
        >>> technique = es.TECHNIQUES["reach-maxmargin"]
        >>> technique.is_safe, technique.uses_gifts
        (True, True)
    """

    name: str
    rule: Callable[[Entries], Terms] | None = None  # none trusts the ranges, and has no gadget
    uses_gifts: bool = False  # whether targets count what the opponent gave away before
    by_program: bool = False  # whether rivers are solved by linear programs, in buckets of hands

    @property
    def is_safe(self) -> bool:
        return self.rule is not None

    def terms(self, entries: Entries) -> Terms:
        """On what terms the opponent may take each entry [..., Q]."""
        if self.rule is None:
            raise GameError(f"{self.name!r} is no safe technique: it trusts the ranges")
        return self.rule(entries)


def resolve_terms(entries: Entries) -> Terms:
    """Re-solve (Burch et al. 2014): no entry may give more than it did."""
    asked, possible = entries.alternatives, entries.possible
    each = entries.count + 0.0 * entries.weight
    return Terms(~possible & possible, asked.target, entries.weight, possible, asked.limit, each)


def maximize_margins(entries: Entries) -> Terms:
    """Maxmargin (Moravcik et al. 2016): the smallest margin is as large as can be."""
    return _margins(entries, entries.possible)


def reach_maxmargin_terms(entries: Entries) -> Terms:
    """The paper's improvement: no margins for entries that a good opponent never takes.

    They are held to their limits only. Where that leaves no entry, all are free as before.
    """
    free = entries.possible & (entries.alternatives.gifts / entries.weight <= entries.small)
    none = free.sum(axis=-1, keepdims=True) == 0
    return _margins(entries, free | (none & entries.possible))


def deal_half(entries: Entries) -> Terms:
    """Entries chosen as in Maxmargin, and each dealt as often besides, as in Re-solve.

    Where every hand can be kept from gaining, that is Maxmargin, as dealt hands stay out. Where
    none can, Maxmargin cares for the hand that gains most and lets all others gain as much; here
    their mean counts too, and that is what the opponent wins.
    """
    possible, weight, target = entries.possible, entries.weight, entries.alternatives.target
    chance = 1 / (possible * weight).sum(axis=-1, keepdims=True).clip(min=FAINT)  # of a hand
    return Terms(possible, target, weight, possible, target, chance)


def _margins(entries: Entries, free: Values) -> Terms:
    """Free entries by choice; the others, and limits below targets, held by penalties."""
    asked = entries.alternatives
    held = entries.possible & (~free | (asked.limit < asked.target - entries.rounding))
    return Terms(free, asked.target, entries.weight, held, asked.limit, 1.0 / entries.weight)


UNSAFE_LP = Technique("unsafe-lp", by_program=True)
UNSAFE = Technique("unsafe")
RESOLVE = Technique("resolve", resolve_terms)
MAXMARGIN = Technique("maxmargin", maximize_margins)
REACH_MAXMARGIN = Technique("reach-maxmargin", maximize_margins, uses_gifts=True)
IMPROVED = Technique("reach-maxmargin-improved", reach_maxmargin_terms, uses_gifts=True)


def by_name(*techniques: Technique) -> dict[str, Technique]:
    """Techniques to be found by their names."""
    return {technique.name: technique for technique in techniques}


HALF_DEALT = Technique("reach-maxmargin, half dealt", deal_half, uses_gifts=True)
TECHNIQUES = by_name(UNSAFE, RESOLVE, MAXMARGIN, REACH_MAXMARGIN, IMPROVED)  # the paper's
SAFE = tuple(name for name, technique in TECHNIQUES.items() if technique.is_safe)
# Those of the agent. Reach-Maxmargin is without the improvement at the table, which asks for a
# lower bound on what hands get elsewhere once everything is solved; gifts there are estimates.
PLAYED = by_name(UNSAFE_LP, UNSAFE, RESOLVE, MAXMARGIN, REACH_MAXMARGIN)


def half_dealt(technique: Technique) -> Technique:
    """A technique for trees in which the opponent may do more than its alternatives allow for.

    Some hand may then gain whatever is played: techniques that maximize margins deal hands, too.
    """
    margins = technique.rule is maximize_margins
    return replace(technique, rule=deal_half) if margins else technique


def named(name: str, among: Mapping[str, Technique] = TECHNIQUES) -> Technique:
    """The technique of a name."""
    if name not in among:
        raise GameError(f"there is no technique {name!r}: techniques are {', '.join(among)}")
    return among[name]
