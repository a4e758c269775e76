"""A solution's record: the facts that the command line writes for every solve."""

from typing import Any

from endspiel.cards.text import format_cards
from endspiel.solving.solution import SpotSolution

# What the parameters of a river's exact solve tell beside its exploitability on real cards.
IN_BUCKETS = (
    *("exploitability_in_buckets", "clustering", "buckets", "T", "alpha"),
    *("made_by", "scouting_iterations"),
)


def solution_record(solution: SpotSolution) -> dict[str, Any]:
    """A solve in plain values, without the strategies."""
    said = solution.parameters  # of a scheme, alpha is something else
    names = IN_BUCKETS if IN_BUCKETS[0] in said else ()
    return {
        "method": solution.method,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "exploitability": solution.exploitability,
        **{name: said[name] for name in names if name in said},
        "value": solution.value,
        "evs": list(solution.evs),
        **({"rake": solution.rake} if solution.spot.rake else {}),
        **_prizes(solution),
        "threads": solution.threads,
        "memory_bytes": solution.memory_bytes,
        "storage": solution.boards.storage,
        "nodes": solution.game.num_nodes,
        "infosets": solution.game.num_infosets,
        "board": format_cards(solution.spot.board, " "),
        "pot": solution.spot.pot,
        "stack": solution.spot.stack,
        "stopped": solution.stopped,
        "locks": list(solution.locks),
        "warnings": list(solution.warnings),
    }


def _prizes(solution: SpotSolution) -> dict[str, Any]:
    """What is played for where that is not chips, and what both expect of it."""
    prizes, expected = solution.spot.prizes, solution.prize_equities
    if prizes is None or expected is None:
        return {}
    return {
        "prizes": {
            "stacks": list(prizes.stacks),  # half of the pot counted as either player's
            "others": list(prizes.others),
            "prizes": list(prizes.prizes),
            "split": prizes.before[:2],
            "expected": list(expected),
        }
    }
