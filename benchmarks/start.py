"""Start-up: processor time of short commands, each beside `import numpy` in the same round."""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROUNDS = 7
RIVER = """
board = "Qs Jh 2h 4c 7d"
pot = 200
stack = 900
ranges = ["22+,A2s+,K7s+,Q9s+,JTs,ATo+", "22+,A5s+,K9s+,QTs+,ATo+,KQo"]
[river]
bet = "33%, 75%, a"
raise = "60%, a"
"""
SOLVE = "solve river.toml to 0.3%"


def processor_seconds(command: list[str]) -> float:
    """User and system time of a command and what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the least time of each command, and its ratio to the import."""
    with tempfile.TemporaryDirectory() as folder:
        spot = Path(folder) / "river.toml"
        spot.write_text(RIVER)
        endspiel = ["-m", "endspiel"]
        commands = {
            "import numpy": ["-c", "import numpy"],
            "--version": [*endspiel, "--version"],
            "--help": [*endspiel, "--help"],
            SOLVE: [*endspiel, "solve", str(spot), "--target", "0.3", "--json", "-"],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(ROUNDS):
            for name, command in commands.items():
                best[name] = min(best[name], processor_seconds(command))
    for name, seconds in best.items():
        ratio = seconds / best["import numpy"]
        print(f"{name:26} {seconds:.3f} s of processor time, {ratio:.1f} times import numpy")


if __name__ == "__main__":
    main()
