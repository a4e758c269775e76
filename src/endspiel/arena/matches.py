"""A match in one call: two agents by name, a number of hands, and the result with its interval."""

from pathlib import Path

from endspiel.arena.match import MatchResult, run_match
from endspiel.arena.plan import MatchPlan
from endspiel.bounds import DEFAULT_SEED
from endspiel.executor import GivenWorkers
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef

DEFAULT_RULES = "nolimit-holdem"


def play_match(
    first: str,
    second: str,
    hands: int = 1000,
    *,
    seed: int = DEFAULT_SEED,
    rules: str | Path | GameDef = DEFAULT_RULES,
    duplicate: bool = True,
    aivat: bool = False,
    workers: GivenWorkers = None,
) -> MatchResult:
    """Play two agents, named as `make_agent` names them, against each other.

    The same seed gives the same hands on any number of `workers` (all processors by default).
    A duplicate match plays every deal twice, with the seats exchanged. `run_match` takes a whole
    `MatchPlan`, a log to resume from, and reports progress.

    Examples:
        >>> import endspiel as es
        >>> result = es.play_match("always-raise", "always-fold", hands=100, workers=1)
        >>> result.main.mean  # mbb a hand: half a blind and a whole one in turn
        750.0
        >>> result.main.interval
        (750.0, 750.0)
    """
    game = rules if isinstance(rules, GameDef) else load_rules(rules)
    plan = MatchPlan(game, (first, second), hands, seed, duplicate, aivat)
    return run_match(plan, workers=workers)
