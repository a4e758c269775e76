"""Counts lines of code by package at one or more commits: no docstrings, comments or blank lines.

python tools/count_source.py 92b621e HEAD      solvers and what they stand on; all of it
python tools/count_source.py 92b621e HEAD --same-features   without modules of features since then

python tools/count_source.py de0c2f3 HEAD --core   the core's layers: all lines, and modules

A module of a feature that came after 92b621e is one whose whole purpose is that feature: the list
below names each with its feature. What such features added to older modules stays counted.
"""

import argparse
import ast
import io
import subprocess
import tokenize

PACKAGES = (
    *("blueprint", "endgame", "engine", "game", "kernels"),
    *("ranges", "reproduce", "solvers", "strategy"),
)
NEWER = {
    "limit hold'em solved whole": (
        *("kernels/packing.py", "reproduce/limit_holdem.py", "solvers/boards/block_files.py"),
        *("solvers/boards/holdem.py", "solvers/boards/subgames.py", "solvers/boards/trunk.py"),
    ),
    "CFR-BR and limit strategies": (
        *("blueprint/cfr_br.py", "blueprint/cfr_br_boards.py", "blueprint/cfr_br_walk.py"),
        *("blueprint/fixed.py", "abstraction/kinds.py", "abstraction/textures.py"),
        *("blueprint/training_cfr_br.py", "kernels/cfr_br.py"),
    ),
    "exploitability on real cards": ("kernels/response.py",),
    "opponents that err, and responses to them": (
        *("endgame/safe/response.py", "ranges/fitting.py"),
    ),
    "rake and prizes": ("game/general.py",),
    "pictures in notebooks": ("solving/notebook.py",),
}
CORE = (
    *("betting", "cards", "endgame", "engine", "executor", "game", "games", "gpu"),
    *("kernels", "ranges", "rules", "solvers", "solving", "strategy"),
)
NOT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT),
    *(tokenize.DEDENT, tokenize.ENDMARKER),
}


def code_lines(text: str) -> int:
    """How many lines of a module have code on them."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=int(last)):
                lines.difference_update(range(first, last + 1))  # a docstring
    return len(lines)


def modules(revision: str) -> dict[str, int]:
    """Lines of code of every module at a commit, by its path below src/endspiel."""
    listed = _git("ls-tree", "-r", "--name-only", revision, "src/endspiel").split()
    return {
        path.removeprefix("src/endspiel/"): code_lines(_git("show", f"{revision}:{path}"))
        for path in listed
        if path.endswith(".py")
    }


def count(revision: str, left_out: set[str]) -> dict[str, int]:
    """Lines of code by package, of these together and of the whole source."""
    found = {path: size for path, size in modules(revision).items() if path not in left_out}
    by_package = {
        package: sum(size for path, size in found.items() if path.startswith(package + "/"))
        for package in PACKAGES
    }
    return {**by_package, "together": sum(by_package.values()), "source": sum(found.values())}


def core(revision: str) -> dict[str, int]:
    """Lines of the core's layers, comments and all, and modules."""
    found = dict.fromkeys(CORE, 0) | {"lines": 0, "modules": 0}
    listed = _git("ls-tree", "-r", "--name-only", revision, "src/endspiel").split()
    for path in listed:
        layer = path.removeprefix("src/endspiel/").partition("/")[0]
        if layer in CORE and path.endswith(".py"):
            lines = _git("show", f"{revision}:{path}").count("\n")
            found[layer] += lines
            found["lines"] += lines
            found["modules"] += 1
    return found


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def main() -> None:
    """Print a table: a row a package, a column a commit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revisions", nargs="+")
    parser.add_argument("--same-features", action="store_true")
    parser.add_argument("--core", action="store_true")
    chosen = parser.parse_args()
    left_out = {path for paths in NEWER.values() for path in paths if chosen.same_features}
    columns = [
        core(revision) if chosen.core else count(revision, left_out)
        for revision in chosen.revisions
    ]
    print(f"{'':12}", *(f"{revision[:12]:>12}" for revision in chosen.revisions))
    for row in columns[0]:
        print(f"{row:12}", *(f"{column[row]:12,}" for column in columns))


if __name__ == "__main__":
    main()
