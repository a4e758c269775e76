"""Builds the kernels' library inside the package: `python -m endspiel.native.build`.

Needs a C++ compiler, as $CXX says, else g++ or clang++; where there is none, the one that the
package ziglang brings along. Runs without any other package, for it runs before they are installed;
`--compiler` only looks for a compiler, with status 2 where there is none.
Sources in `core/` are compiled once, those in `core/builds/` once for each instruction set that the
machine's family of processors may have.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

CORE = Path(__file__).parent / "core"
FLAGS = (
    *("-std=c++17", "-O3", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti"),
    *("-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-psabi"),
)
AVX2 = ("-mavx2", "-mfma")
AVX512 = (
    *("-mavx512f", "-mavx512vl", "-mavx512dq", "-mavx512bw", "-mfma"),
    "-mprefer-vector-width=512",
)
BUILDS: dict[str, dict[str, Sequence[str]]] = {  # of `core/builds/`, by family of processors
    "x86_64": {"base": (), "avx2": AVX2, "avx512": AVX512},
    "other": {"base": ()},
}
ZIG = "ziglang"  # a package with a C++ compiler


class BuildError(Exception):
    """Why the kernels cannot be built, in one sentence."""


def family() -> str:
    """The processors that this Python runs on."""
    return "x86_64" if platform.machine().lower() in ("x86_64", "amd64") else "other"


def library_name() -> str:
    """What the library is called on this system."""
    ending = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return f"libendspiel{ending}"


def library_path() -> Path:
    """Where the library lies: in a folder of its own, for Python takes a `.so` for a module."""
    return Path(__file__).parent / "lib" / library_name()


def found_compiler() -> list[str] | None:
    """The command of the C++ compiler of this machine, if it has one."""
    given = os.environ.get("CXX")
    if given:
        return shlex.split(given)
    found = next(filter(None, map(shutil.which, ("g++", "clang++"))), None)
    return None if found is None else [found]


def compiler() -> list[str]:
    """The command of a C++ compiler: this machine's, else that of the package ziglang."""
    found = found_compiler()
    if found is not None:
        return found
    if not has_zig():
        raise BuildError(
            f"there is no C++ compiler: install g++ or clang++, name one in $CXX, or pip install "
            f"{ZIG}"
        )
    print(f"endspiel: no C++ compiler on the PATH, so {ZIG}'s compiles the kernels", flush=True)
    # pip builds with a path of modules of its own, which hides those of the environment: -I
    isolation = ["-I"] if find_spec(ZIG) is None else []
    return [sys.executable, *isolation, "-m", ZIG, "c++"]


def has_zig() -> bool:
    """Whether the package ziglang is here, or in the environment that pip builds for."""
    return find_spec(ZIG) is not None or Path(sysconfig.get_path("platlib"), ZIG).is_dir()


def sources_digest() -> str:
    """A digest of all sources in `core/`, which the library built from them names."""
    found = 0
    for source in sorted((*CORE.rglob("*.cpp"), *CORE.rglob("*.h"))):
        found = zlib.crc32(source.read_bytes(), found)
    return f"{found:08x}"


def build(out: Path | None = None, more: Sequence[str] = ()) -> Path:
    """Compile the library; the flags `more` go to every command."""
    out, command = out or library_path(), compiler()
    out.parent.mkdir(parents=True, exist_ok=True)
    flags = [*FLAGS, *more] if sys.platform == "win32" else [*FLAGS, "-fPIC", *more]
    own_builds = BUILDS[family()].items()
    plain = sorted(CORE.glob("*.cpp"))
    named = {"processor": (f'-DSOURCES="{sources_digest()}"',)}
    pieces: list[tuple[Path, str, Sequence[str]]] = [
        *((source, source.stem, named.get(source.stem, ())) for source in plain),
        *(
            (source, f"{source.stem}_{name}", (f"-DBUILD={name}", *own))
            for source in sorted(CORE.glob("builds/*.cpp"))
            for name, own in own_builds
        ),
    ]
    from concurrent.futures import ThreadPoolExecutor  # not needed to find the library

    with tempfile.TemporaryDirectory() as folder:
        objects = [str(Path(folder) / f"{name}.o") for _, name, _ in pieces]
        commands = [
            [*command, *flags, *own, f"-I{CORE}", "-c", str(source), "-o", made]
            for (source, _, own), made in zip(pieces, objects, strict=True)
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(_run, commands))
        partial = out.with_name(f"{out.name}.partial")
        math = [] if sys.platform == "win32" else ["-lm"]
        _run([*_linker(command), "-shared", *more, "-o", str(partial), *objects, *math])
        partial.replace(out)
    return out


def _linker(command: list[str]) -> list[str]:
    """The command that links: zig's for C, for its C++ compiles a whole standard library first."""
    return ["cc" if word == "c++" else word for word in command] if ZIG in command else command


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BuildError(f"{shlex.join(command)} failed:\n{done.stderr[-4000:]}")


def is_current() -> bool:
    """Whether the library is there and none of its sources is newer."""
    path = library_path()
    if not path.is_file():
        return False
    sources = [*CORE.rglob("*.*"), Path(__file__)]
    return path.stat().st_mtime >= max(source.stat().st_mtime for source in sources)


def main() -> int:
    """Build the library unless it is current; one sentence and status 2 where that fails."""
    try:
        if sys.argv[1:] == ["--compiler"]:
            compiler()
            return 0
        if is_current() and not sys.argv[1:]:
            return 0
        print(f"endspiel: built {build(None, sys.argv[1:])}")
    except BuildError as error:
        print(f"endspiel: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
