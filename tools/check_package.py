"""Builds sdist and wheel, installs the wheel in a fresh environment and tries it there.

`make package` runs this. The wheel is built from the sdist, so that both are whole; every
file of the package that git tracks must be in it. The files stay in `build/dist`.
"""

import os
import shutil
import subprocess
import sys
import time
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "build" / "dist"
FRESH = ROOT / "build" / "fresh"
TRIED = (  # what is run in the fresh environment, and what it must say
    (("--version",), "endspiel "),
    (("game", "kuhn", "--method", "lp"), "-0.05555"),
    (("serve", "--help"), "browser"),
    (("solve", "river.toml", "--iterations", "20", "--json", "-"), '"iterations": 20'),
)
RIVER = """
board = "Qs Jh 2h 4c 7d"
pot = 200
stack = 900
ranges = ["22+,A2s+,K7s+", "22+,A5s+,K9s+"]
[river]
bet = "75%, a"
"""
PAGE = (
    "from endspiel.web.server import static_folder as f; print((f() / 'index.html').stat().st_size)"
)


def run(command: list[str], **more: str) -> str:
    """What a command says; it ends everything if it fails."""
    at = time.perf_counter()
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        cwd=FRESH.parent,
        env=os.environ | more,
        check=False,
    )
    print(f"{time.perf_counter() - at:6.1f} s  {' '.join(command)[:90]}", flush=True)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def missing_files(wheel: Path) -> list[str]:
    """Files of the package that git tracks and the wheel lacks."""
    listed = subprocess.run(
        ["git", "ls-files", "src/endspiel"], capture_output=True, text=True, cwd=ROOT, check=True
    )
    tracked = {path.removeprefix("src/") for path in listed.stdout.splitlines()}
    return sorted(tracked - set(zipfile.ZipFile(wheel).namelist()))


def main() -> None:
    """Build, install, try."""
    for folder in (DIST, FRESH):
        shutil.rmtree(folder, ignore_errors=True)
    FRESH.parent.mkdir(exist_ok=True)
    run([sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT)])
    (wheel,), (_sdist,) = DIST.glob("*.whl"), DIST.glob("*.tar.gz")
    if lost := missing_files(wheel):
        sys.exit(f"the wheel lacks {', '.join(lost)}")
    if not wheel.name.split("-", 2)[2].startswith("py3-none-") or wheel.stem.endswith("-any"):
        sys.exit(f"{wheel.name} is not tagged as one of a platform for every Python")
    (FRESH.parent / "river.toml").write_text(RIVER)
    venv.create(FRESH, with_pip=True)
    programs = FRESH / ("Scripts" if os.name == "nt" else "bin")
    python, endspiel = str(programs / "python"), str(programs / "endspiel")
    run([python, "-m", "pip", "install", "--quiet", "--no-compile", f"{wheel}[web]"])
    for words, said in TRIED:
        if said not in (answer := run([endspiel, *words])):
            sys.exit(f"endspiel {' '.join(words)} does not say {said!r}:\n{answer}")
    typed = {"_ENDSPIEL_COMPLETE": "complete_bash", "COMP_WORDS": "endspiel re", "COMP_CWORD": "1"}
    if "report" not in run([endspiel], **typed):
        sys.exit("the shell's completion does not know `endspiel report`")
    run([python, "-c", PAGE])
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
