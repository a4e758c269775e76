"""A version of an agent against another, by their endgames."""

from pathlib import Path
from typing import Any

from endspiel.arena.estimators.estimates import Estimate
from endspiel.arena.estimators.paired import ESTIMATORS
from endspiel.arena.plan import MatchPlan
from endspiel.arena.trunks import DECISIONS, LEVEL
from endspiel.arena.versions import Comparison, compare
from endspiel.errors import EndspielError
from endspiel.jobs.job import Result
from endspiel.progress import Observe

UNITS = {"either": "hand", "both": "endgame", "same": "endgame"}  # what differences are counted per


class VersionsFound(Result):
    """What a version wins more than its base."""

    def __init__(self, found: Comparison, estimator: str) -> None:
        self._record = record(found, estimator)

    def record(self) -> dict[str, Any]:
        return self._record

    def lines(self) -> list[str]:
        return [words(self._record)]


def compare_versions(
    plan: MatchPlan,
    base: tuple[str, int],
    estimator: str,
    kept: tuple[Path | None, bool, Any],  # log, whether to resume, workers
    observe: Observe,
) -> VersionsFound:
    """Play agent A and its base (spec and seed) against B; return what A wins more."""
    if estimator not in ESTIMATORS:
        known = ", ".join(ESTIMATORS)
        raise EndspielError(f"there is no estimator {estimator!r}: there are {known}")
    return VersionsFound(compare(plan, base, *kept, observe), estimator)


def record(found: Comparison, estimator: str) -> dict[str, Any]:
    """The comparison as JSON: agent A's own result, and its difference from the base's."""
    plan, base, main = found.new.plan, found.base.plan, found.new.main
    counts, bias = found.counts(), found.bias(estimator)
    return {
        "agents": list(plan.agents),
        "base": base.agents[0],
        "game": plan.game.name,
        "hands": plan.hands,
        "seed": plan.seed,
        "base_seed": base.seed,
        "mbb_per_hand": main.mean,
        "interval": main.interval,
        "base_result": {"mbb_per_hand": found.base.main.mean, "interval": found.base.main.interval},
        "estimator": estimator,
        "difference": _told(found.estimate(estimator), UNITS[estimator]),
        "unbiased": bias is None,
        "bias": bias,
        "trunks": found.trunks.as_dict(),
        "all_hands": _told(found.all_hands(), "hand"),
        "same_endgames": found.same_endgames,
        "counts": counts,
        "resumed": found.new.resumed + found.base.resumed,
        "seconds": found.new.seconds + found.base.seconds,
    }


def words(result: dict[str, Any]) -> str:
    """The result as text; the last line is the difference."""
    (a, b), base, estimator = result["agents"], result["base"], result["estimator"]
    counts = ", ".join(f"{name} {count:,}" for name, count in result["counts"].items())
    lines = [
        f"{a} against {b}: {_span(result, 'mbb_per_hand')} mbb/h, {result['hands']:,} hands",
        f"{base} against {b}: {_span(result['base_result'], 'mbb_per_hand')} mbb/h",
        f"difference over all hands: {_span(result['all_hands'])} mbb per hand",
        f"hands that come to endgames: {counts}",
    ]
    lines.append(_trunks(result["trunks"]))
    if result["bias"] is not None:
        lines.append(f"the estimate by {estimator} is biased: {result['bias']}; {_advice(result)}")
    found = result["difference"]
    lines.append(
        f"{a} wins {_span(found)} mbb per {found['per']} more than {base} ({estimator}, "
        f"{found['units']:,} {'deals' if found['per'] == 'hand' else 'hands'})"
    )
    return "\n".join(lines)


def _trunks(check: dict[str, Any]) -> str:
    """How far the versions were seen to play alike before the last round."""
    compared, different = check["compared"], check["different"]
    if check["by"] == DECISIONS:
        return (
            f"decisions before the last round: {different:,} of {compared:,} differ after the same "
            "cards, seed and betting"
        )
    return (
        f"betting before the last round: {different:,} of {compared:,} lines differ in frequency "
        f"(sign tests, {LEVEL:.1%} for all together)"
    )


def _advice(result: dict[str, Any]) -> str:
    """What to take in place of a biased estimate."""
    check, estimator = result["trunks"], result["estimator"]
    if not check["different"]:
        return "take either" + (", or another --base-seed" if estimator == "both" else "")
    best = "the difference over all hands has no bias"
    if check["by"] == DECISIONS:
        best += ", and if only their dice differ, another --base-seed compares frequencies"
    return best


def _told(found: Estimate, per: str) -> dict[str, Any]:
    return {"mbb": found.mean, "per": per, "interval": found.interval, "units": found.units}


def _span(found: dict[str, Any], key: str = "mbb") -> str:
    if found["interval"] is None:
        return f"{found[key]:+.1f}"
    low, high = found["interval"]
    return f"{found[key]:+.1f} ± {(high - low) / 2:.1f}"
