"""Which discounting needs the fewest iterations: a few schemes over six varied spots.

Iterations do not depend on the machine's speed. The last line is the geometric mean of iterations
relative to plain discounted CFR (1.5, 0, 2), measured in the same run.
"""

import argparse
import math

from endspiel.engine.schemes import SCHEMES, SPOT_SCHEMES, Scheme
from endspiel.solvers.boards.cfr import BoardCFR
from spots import load

CHOICES = {
    "dcfr 1.5, 0, 2": SCHEMES["dcfr"],
    "1.5, 0, 3": Scheme(1.5, 0, 3),
    "1.5, 0.5, 4": Scheme(1.5, 0.5, 4),
    "1.25, 0.25, 4": Scheme(1.25, 0.25, 4),
    "chosen "
    + ", ".join(
        f"{getattr(SPOT_SCHEMES['dcfr'], k):g}" for k in ("alpha", "beta", "gamma")
    ): SPOT_SCHEMES["dcfr"],
    "1, 0.5, 4": Scheme(1, 0.5, 4),
    "cfr+": SCHEMES["cfr+"],
}
SPOTS = {  # percent of the pot to reach, most iterations to try
    "river_a.toml": ([0.3, 0.1], 1500),
    "river_b.toml": ([0.3, 0.1], 1500),
    "libratus/subgame3.txt": ([0.3, 0.1], 1500),
    "turn.toml": ([0.5, 0.1], 500),
    "libratus/subgame1.txt": ([0.5], 300),
    "flop.toml": ([0.5], 150),
}


def iterations(name: str, scheme: Scheme) -> list[int]:
    """Iterations to each target, measured every ten; the cap where it is not reached."""
    targets, most = SPOTS[name]
    solver, found = BoardCFR(load(name), scheme, threads=2), list[int]()
    while len(found) < len(targets) and solver.iteration < most:
        solver.advance(10)
        percent = 100 * solver.exploitability()
        found += [solver.iteration for target in targets[len(found) :] if percent <= target]
    return found + [most] * (len(targets) - len(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spots", nargs="*", help="spots to use; all but the flop by default")
    names = [name for name in parser.parse_known_args()[0].spots if name in SPOTS]
    names = names or [name for name in SPOTS if name != "flop.toml"]
    logs: dict[str, float] = dict.fromkeys(CHOICES, 0.0)
    for name in names:
        print(f"{name}: iterations to {SPOTS[name][0]} percent of the pot", flush=True)
        base: list[int] = []
        for label, scheme in CHOICES.items():
            found = iterations(name, scheme)
            base = base or found
            logs[label] += sum(math.log(a / b) for a, b in zip(found, base, strict=True)) / len(
                found
            )
            print(f"  {label:24} {found}", flush=True)
    for label, total in logs.items():
        print(f"{label:26} {math.exp(total / len(names)):.2f}")


if __name__ == "__main__":
    main()
