"""How many small faults the tests let pass: a seeded sample of mutants, each run against its tests.

``make mutants`` runs it, ``docs/mutants.md`` says what it found. mutmut makes the mutants of the
packages named in ``pyproject.toml`` and tells which functions a test calls. A process that has
imported the tests, but run none, is forked for each mutant and runs its tests, quick ones first.
The other tests of a file follow those that made the call, because they may look at a result that
was cached by it.

The sample is stratified: as many mutants of each package, whichever packages are run. What became
of them is kept in ``mutants/results.json``, so that packages can be run one after the other.
"""

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from unittest.mock import patch

import pytest
from mutmut import __main__ as mutmut
from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.mutation.trampoline import set_mutant_under_test
from mutmut.runners.harness import PytestRunner
from mutmut.state import state
from mutmut.stats import status_by_exit_code
from mutmut.utils.file_utils import (
    change_cwd,
    copy_also_copy_files,
    copy_src_dir,
    setup_source_paths,
)
from mutmut.utils.format_utils import mangled_name_from_mutant_name
from mutmut.workers import isolation
from mutmut.workers.isolation import ForkServerRunner
from mutmut.workers.timeout import register_timeout
from scipy.stats import binomtest

FOLDER = Path("mutants")
RESULTS = FOLDER / "results.json"
KILLED, TIMEOUT, SURVIVED, UNTESTED, CRASHED = STATES = (
    "killed", "timeout", "survived", "no tests", "crashed",
)  # fmt: skip
DEAD = (KILLED, TIMEOUT, CRASHED)
NOT_RUN = 255  # how a worker ends when pytest refuses its arguments; mutmut takes it for a timeout
PATIENCE = 10  # a mutant may take so many times its tests' processor time, and a minute more
ASLEEP = 20  # and by the wall's clock so many times that: a busy machine is no endless loop

Results = dict[str, str]  # what became of each mutant, by name


class Recorder:
    """A pytest plugin: the mutated functions that each test calls, and its processor time."""

    def __init__(self) -> None:
        self.begun = 0.0

    def pytest_runtest_logstart(self) -> None:
        self.begun = time.process_time()

    def pytest_runtest_teardown(self, item: pytest.Item) -> None:
        for function in state()._stats:
            state().tests_by_mangled_function_name[function].add(item.nodeid)
        state()._stats.clear()
        state().duration_by_test[item.nodeid] = time.process_time() - self.begun


class Runner(PytestRunner):
    """mutmut's own, whose recorder wants an older pytest and tells wall time."""

    def run_stats(self, *, tests: Iterable[str]) -> int:
        arguments = self._pytest_args_regular_run(tests)
        with change_cwd(FOLDER):
            return int(self.execute_pytest(arguments, plugins=[Recorder()]))


def make_mutants(workers: int) -> None:
    """Write the mutated copy of the source and the tests beside it."""
    FOLDER.mkdir(exist_ok=True)
    copy_src_dir()
    copy_also_copy_files()
    setup_source_paths()
    mutmut.create_mutants(workers)


def mutants_by_package() -> dict[str, list[str]]:
    """Names of all mutants: a module, ".x_", a function, "__mutmut_" and a number."""
    found, _ = mutmut.collect_source_file_mutation_data(mutant_names=())
    packages: dict[str, list[str]] = {}
    for name in sorted(name for _, name, _ in found):
        packages.setdefault(name.split(".")[1], []).append(name)
    return packages


def sample(names: Sequence[str], size: int, seed: str) -> list[str]:
    """So many of the names, or all."""
    return random.Random(seed).sample(names, min(size, len(names)))


def tests_of(mutant: str, seconds: float) -> list[str]:
    """Tests that call the function, quick ones first, then others of the same files; in all so
    many seconds of processor time, the first test in any case."""
    cost = state().duration_by_test
    function = mangled_name_from_mutant_name(mutant)
    calling = state().tests_by_mangled_function_name.get(function, set())
    files = {test.split("::")[0] for test in calling}
    beside = {test for test in cost if test.split("::")[0] in files} - set(calling)
    chosen: list[str] = []
    for test in [*sorted(calling, key=cost.__getitem__), *sorted(beside, key=cost.__getitem__)]:
        seconds -= cost[test]
        if chosen and seconds < 0:
            break
        chosen.append(test)
    return chosen


def _patient(pid: int, timeout_s: float) -> None:
    """mutmut's limit by the wall's clock, which is half the processor time, put off."""
    register_timeout(pid, ASLEEP * timeout_s)


def run(runner: ForkServerRunner, names: Sequence[str], seconds: float) -> Iterator[Results]:
    """What became of each mutant, one after the other as they end."""
    set_mutant_under_test("")
    with patch.object(isolation, "register_timeout", _patient):
        runner.startup()
    waiting = list(reversed(names))
    while waiting or runner.pending_count():
        while waiting and runner.has_capacity():
            tests = tests_of(waiting[-1], seconds)
            estimate = sum(state().duration_by_test[test] for test in tests)
            runner.submit(waiting.pop(), tests, int(PATIENCE * estimate + 60), estimate)
        result = runner.wait_for_result()
        if result.exit_code == NOT_RUN:
            sys.exit(f"pytest does not find the tests of {result.mutant_name}: remove {FOLDER}/")
        status = status_by_exit_code[result.exit_code]
        yield {result.mutant_name: status if status in STATES else CRASHED}
    runner.shutdown()


def report(results: Results, made: dict[str, list[str]]) -> Iterator[str]:
    """The table by package, in Markdown; in the last line packages weigh by their mutants."""
    yield f"| package | made | tested | {' | '.join(STATES)} | survive | 95% interval |"
    yield "|---|" + "---:|" * (len(STATES) + 3) + "---|"
    total, share, variance = Counter[str](), 0.0, 0.0
    everything = sum(len(made[package]) for package in made)
    for package, names in made.items():
        row = Counter(results[name] for name in names if name in results)
        alive, tested = row[SURVIVED] + row[UNTESTED], row.total()
        if not tested:
            continue
        low, high = binomtest(alive, tested).proportion_ci(method="wilson")
        yield _line(package, len(names), row, alive / tested, low, high)
        weight, guess = len(names) / everything, (alive + 1) / (tested + 2)
        total, share = total + row, share + weight * alive / tested
        variance += weight**2 * guess * (1 - guess) / tested * (1 - tested / len(names))
    wide = 1.96 * variance**0.5
    yield _line("all", everything, total, share, max(share - wide, 0.0), share + wide)


def _line(package: str, made: int, row: Counter[str], share: float, low: float, high: float) -> str:
    counts = " | ".join(str(row[status]) for status in STATES)
    shares = f"{share:.1%} | {low:.1%} to {high:.1%}"
    return f"| {package} | {made} | {row.total()} | {counts} | {shares} |"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--sample", default="400", help="how many mutants in all, or `all`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--package", default="", help="these only, with their part: a,b")
    parser.add_argument("--again", action="store_true", help="only what survived the last time")
    parser.add_argument("--seconds", type=float, default=20.0, help="of tests for each mutant")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


def main() -> None:
    """Make the mutants, run the sample, print the survivors and the table."""
    arguments = _arguments()
    begun = time.monotonic()
    make_mutants(arguments.workers)
    runner = ForkServerRunner(arguments.workers, Runner, {})
    mutmut.collect_or_load_stats(runner)
    made = mutants_by_package()
    size = int(1e9 if arguments.sample == "all" else -(-int(arguments.sample) // len(made)))
    whole = {package: sample(made[package], size, f"{arguments.seed}") for package in made}
    known: Results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    chosen = [name for names in zip_longest(*whole.values()) for name in names if name]
    wanted = arguments.package.split(",") if arguments.package else list(made)
    todo = [name for name in chosen if name.split(".")[1] in wanted]
    if arguments.again:
        todo = [name for name in todo if known.get(name, KILLED) not in DEAD]
    print(f"{len(todo)} mutants, {time.monotonic() - begun:.0f} s to prepare", flush=True)
    for number, ended in enumerate(run(runner, todo, arguments.seconds), start=1):
        known |= ended
        for name, status in ended.items():
            print(f"{number} {status} {name}", flush=True)
            if status not in DEAD:
                print(get_diff_for_mutant(name), flush=True)
        RESULTS.write_text(json.dumps(known, indent=1))
    print("\n".join(report({name: known[name] for name in chosen if name in known}, made)))
    print(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()
