"""Runs the kernels under sanitizers: of addresses and undefined behavior, then of threads.

`make sanitize` runs this. Every build that this processor runs is tried by the kernel tests and by
three solves: a river, a turn, and a turn by two threads. Needs g++ and its sanitizers.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from endspiel.native.build import build, found_compiler
from endspiel.native.library import LIBRARY, VARIABLE, builds

ROOT = Path(__file__).parents[1]
TRAINED = ("test_sampled.py", "test_cfr_br.py")
TESTS = (
    *("tests/native", "tests/kernels/test_board.py", "tests/kernels/test_packing.py"),
    "tests/kernels/test_short_sums.py",
    *("tests/cards/test_strength.py", "tests/arena/test_shares.py"),
    *("tests/abstraction/test_clustering.py", "tests/abstraction/test_features.py"),
    "tests/blueprint/test_joint.py",
    *(f"tests/blueprint/{name}::test_every_build_learns_the_same" for name in TRAINED),
)
COMMON = ("-g", "-O1", "-fno-omit-frame-pointer")
ADDRESSES = (*COMMON, "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
THREADS = (*COMMON, "-fsanitize=thread")
SHORT = "river, 16 bits, dcfr", "turn, 16 bits, two threads"
SOLVES = """
import sys
sys.path.insert(0, "benchmarks")
import digest
known = digest.expected()
for name, make in digest.solves():
    if name in sys.argv[1:]:
        assert make() == known[name], name
        print(name, "is as expected", flush=True)
"""
OVERFLOW = """
import numpy as np
from endspiel.native.boundary import pointer
from endspiel.native.library import function
function("class_values")(pointer(np.zeros(7461, np.int64), np.int64))
"""


def runtime(name: str) -> str:
    """The file of a sanitizer's runtime, which must be loaded before Python."""
    compiler = found_compiler()
    if compiler is None:
        sys.exit("the sanitizers need g++")
    command = [*compiler, f"-print-file-name={name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_absolute():
        sys.exit(f"the compiler comes without {name}")
    return found


def run(what: str, command: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with a sanitized library, and print its status and seconds."""
    print(f"{what}: ", end="", flush=True)
    start = time.perf_counter()
    environment = os.environ | more
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"status {done.returncode}, {time.perf_counter() - start:.1f} s", flush=True)
    return done


def must_pass(done: subprocess.CompletedProcess[str]) -> None:
    """End with what a run said, unless it ended well."""
    if done.returncode != 0:
        sys.exit(done.stdout[-3000:] + done.stderr[-6000:])


def main() -> None:
    """Build, run and look."""
    with tempfile.TemporaryDirectory() as folder:
        checked, threaded = Path(folder) / "addresses.so", Path(folder) / "threads.so"
        build(checked, ADDRESSES)
        build(threaded, THREADS)
        addresses = {
            LIBRARY: str(checked),
            "LD_PRELOAD": f"{runtime('libasan.so')} {runtime('libubsan.so')}",
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "PYTHONMALLOC": "malloc",
        }
        planted = run("a planted overflow", ["-c", OVERFLOW], **addresses)
        if planted.returncode == 0 or "heap-buffer-overflow" not in planted.stderr:
            sys.exit("the planted overflow was not seen")
        must_pass(run("kernel tests", ["-m", "pytest", "-q", "-x", "-s", *TESTS], **addresses))
        for name in builds():
            solves = ["-c", SOLVES, "river, dcfr", "turn", "turn, two threads", *SHORT]
            must_pass(run(f"three solves, {name}", solves, **addresses, **{VARIABLE: name}))
        threads = {
            LIBRARY: str(threaded),
            "LD_PRELOAD": runtime("libtsan.so"),
            "TSAN_OPTIONS": "ignore_noninstrumented_modules=1:exitcode=66",
        }
        must_pass(run("two threads", ["-c", SOLVES, "turn, two threads", *SHORT], **threads))


if __name__ == "__main__":
    main()
