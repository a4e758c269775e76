"""Speed of this version beside another's: processor time of iterations, in turn, one thread.

`python benchmarks/versions.py OTHER/.venv/bin/python [NAME ...]`, where OTHER is a checkout of the
other version with an environment of its own. Both run the same solves in short turns, so that both
meet the same machine; the ratio of each pair of turns is taken, and the median of those ratios.
"""

import os
import subprocess
import sys
from pathlib import Path
from statistics import median, quantiles

WORK = Path(__file__).with_name("_version_work.py")
TURNS = 41  # pairs of turns a solve
STEPS = {  # iterations a turn: some 20 to 200 milliseconds
    "river_a": 60,
    "river_b": 600,
    "turn": 8,
    "flop": 1,
    "Leduc": 2000,
    "Liar's Dice": 100,
    "training": 2,
}
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


class Version:
    """A version of the package at work in a process of its own."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(
            [python, str(WORK)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | ONE_THREAD,
        )

    def seconds(self, name: str, steps: int) -> float:
        """Processor time of an iteration."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{name} {steps}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline()) / steps


def main() -> None:
    """Compare and print a row a solve."""
    if not sys.argv[1:]:
        print("versions is left out: name the python of another version, as the docstring says")
        return
    wanted = sys.argv[2:] or list(STEPS)
    for name in wanted:
        this, other = Version(sys.executable), Version(sys.argv[1])
        pairs = [
            (this.seconds(name, STEPS[name]), other.seconds(name, STEPS[name]))
            for _ in range(TURNS)
        ][1:]
        ratios = [theirs / ours for ours, theirs in pairs]
        low, _, high = quantiles(ratios, n=4)
        ours, theirs = (1e3 * median(side) for side in zip(*pairs, strict=True))
        print(
            f"{name:12} {ours:9.4f} ms an iteration, other {theirs:9.4f} ms: "
            f"{median(ratios):.3f} times as fast ({low:.3f} to {high:.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main()
