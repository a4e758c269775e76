"""Nothing needs what only POSIX systems have; the version is told everywhere alike."""

import ast
import os
import re
import sys
from pathlib import Path

import endspiel
from tests.children import output_of

ROOT = Path(__file__).parents[1]
PACKAGE = Path(endspiel.__file__).parent
# Modules and names that Python has on POSIX systems alone (its library's documentation says so).
MODULES = {
    "fcntl",
    "grp",
    "posix",
    "pty",
    "pwd",
    "readline",
    "resource",
    "syslog",
    "termios",
    "tty",
}
NAMES = {
    "os": "fork forkpty getuid geteuid getgid getpgid getppgid killpg mkfifo mlock nice openpty "
    "posix_spawn register_at_fork sched_getaffinity sched_setaffinity setsid setuid statvfs "
    "sysconf uname wait4 waitpid",
    "signal": "SIGALRM SIGCHLD SIGHUP SIGKILL SIGQUIT SIGUSR1 SIGUSR2 alarm pthread_kill "
    "pthread_sigmask setitimer sigwait",
    "select": "epoll kqueue poll",
    "asyncio": "add_signal_handler",
    "time": "tzset",
}
USED = {  # each with a way around, tried below
    "os": ["sched_getaffinity", "sysconf"],
    "signal": ["pthread_kill", "pthread_sigmask"],
}
WITHOUT = """
import builtins, importlib, os, pkgutil, sys, tempfile
from pathlib import Path
hidden, used = eval(sys.argv[1])
truly = builtins.__import__
def without(name, globals=None, *rest):
    ours = (globals or {}).get("__name__", "").startswith("endspiel")
    if ours and name.partition(".")[0] in hidden:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    return truly(name, globals, *rest)
builtins.__import__ = without
import endspiel
count = 0
for found in pkgutil.walk_packages(endspiel.__path__, "endspiel."):
    if found.name.endswith("__main__"):
        continue
    importlib.import_module(found.name)
    count += 1
for module, names in used.items():
    for name in names:
        delattr(sys.modules[module], name)
from endspiel import interrupts, locks
from endspiel.processors import peak_memory
from endspiel.processors import processors
from endspiel.solvers.memory import address_space_left, available_memory
from endspiel.executor.processes import _born_deaf
assert locks.fcntl is None and not locks.KNOWN
with _born_deaf():
    pass
try:
    interrupts._send_again()
    while True:
        pass
except KeyboardInterrupt:
    pass
with tempfile.TemporaryFile() as file:
    assert locks.try_lock(file.fileno())
sys.platform = "win32"
assert processors() >= 1 and peak_memory() == 0 and address_space_left() is None
available_memory()
print(count)
"""


def test_every_module_loads_without_posix() -> None:
    asked = repr((MODULES, USED))
    told = output_of([sys.executable, "-c", WITHOUT, asked])
    modules = [path for path in PACKAGE.rglob("*.py") if path.name != "__main__.py"]
    assert int(told) >= len(modules) - 1


def posix_names(path: Path) -> set[tuple[str, str]]:
    """The names of a file that POSIX systems alone have, as (module, name)."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.attr in NAMES.get(node.value.id, "").split():
                found.add((node.value.id, node.attr))
        elif isinstance(node, ast.ImportFrom) and node.module in NAMES:
            names = {alias.name for alias in node.names} & set(NAMES[node.module].split())
            found |= {(str(node.module), name) for name in names}
    return found


def test_posix_names_are_those_that_the_test_above_hides() -> None:
    found = set().union(*(posix_names(path) for path in PACKAGE.rglob("*.py")))
    assert found == {(module, name) for module, names in USED.items() for name in names}


def test_the_changelog_begins_with_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE)
    assert versions == sorted(versions, key=lambda text: [int(n) for n in text.split(".")])[::-1]
    assert endspiel.__version__.partition(".dev")[0] == versions[0]
    assert len(versions) >= 2


def test_the_shell_completes_commands_and_the_version_is_told() -> None:
    def told(*words: str, **more: str) -> str:
        command = [str(Path(sys.executable).with_name("endspiel")), *words]
        return output_of(command, env=os.environ | more)

    assert told("--version") == f"endspiel {endspiel.__version__}\n"
    typed = {"COMP_WORDS": "endspiel re", "COMP_CWORD": "1"}
    commands = told(_ENDSPIEL_COMPLETE="complete_bash", **typed).split()
    assert commands == ["report", "review", "replay", "reproduce"]
