"""The page's files: no build made them, so that a list forgotten would go unseen."""

import re
from pathlib import Path

import endspiel.web

STATIC = Path(endspiel.web.__file__).parent / "static"


def addresses(folder: str) -> set[str]:
    return {f"/static/{path.relative_to(STATIC)}" for path in (STATIC / folder).rglob("*.js")}


def test_every_module_is_loaded_ahead() -> None:
    page = (STATIC / "index.html").read_text()
    ahead = set(re.findall(r'rel="modulepreload" href="([^"]+)"', page))
    scripts = set(re.findall(r'<script[^>]* src="([^"]+)"', page))
    assert ahead | scripts == addresses("js") | addresses("vendor")


def test_every_import_is_there() -> None:
    for path in STATIC.rglob("*.js"):
        for name in re.findall(r'from\s*"([^"]+)"', path.read_text()):
            assert (path.parent / name).is_file(), f"{path.name} imports {name}"


def test_nothing_is_inline_or_from_elsewhere() -> None:
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|<script>", page)
    assert not re.search(r'(src|href)="(?!/static/)', page)


def test_licenses_of_vendored_libraries() -> None:
    folder = STATIC / "vendor"
    assert "MIT" in (folder / "preact.LICENSE.txt").read_text()
    assert "Apache License" in (folder / "htm.LICENSE.txt").read_text()
    told = (folder / "README.md").read_text()
    assert all(f"`{path.name}`" in told for path in folder.glob("*.js"))
