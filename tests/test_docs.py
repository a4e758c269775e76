"""The documentation says what is so: its names exist, its examples run, the site misses nothing."""

import doctest
import re
import runpy
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import endspiel as es

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PACKAGE = ROOT / "src" / "endspiel"
SITE = (ROOT / "mkdocs.yml").read_text()
PAGES = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
GLOSSARY = (DOCS / "glossary.md").read_text()
DESIGN = (DOCS / "design.md").read_text()


def test_every_public_name_is_in_the_reference_once() -> None:
    pages = [path.read_text() for path in (DOCS / "reference").glob("*.md")]
    shown = [name for page in pages for name in re.findall(r"^::: endspiel\.(\w+)$", page, re.M)]
    numbers = {"CALL", "FOLD"}  # which have no docstring to show
    assert sorted(shown) == sorted(set(es.__all__) - numbers)


def test_the_site_has_every_page() -> None:
    assert sorted(re.findall(r"[\w/.-]+\.md$", SITE, re.M)) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str) -> None:
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", (DOCS / page).read_text(), re.DOTALL))
    example = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    told: list[str] = []
    assert doctest.DocTestRunner().run(example, out=told.append).failed == 0, told


def test_some_pages_have_examples() -> None:
    assert sum("```pycon" in (DOCS / page).read_text() for page in PAGES) >= 4


def names_of_the_glossary() -> list[str]:
    """What the last column of every table names."""
    rows = re.findall(r"^\| [^|]+ \| [^|]+ \|[^|]*\|([^|]+)\|$", GLOSSARY, re.MULTILINE)
    return [name for cell in rows for name in re.findall(r"`([\w.]+)`", cell)]


def found(name: str) -> Any:
    """What a dotted name means, the package's own first; fields of a class by their kinds."""
    parts, here = name.split("."), import_module("endspiel")
    for at, part in enumerate(parts):
        path = PACKAGE.joinpath(*parts[: at + 1])
        if path.is_dir() or path.with_suffix(".py").exists():
            here = import_module(".".join(("endspiel", *parts[: at + 1])))
        elif part in getattr(here, "__annotations__", {}):
            here = here.__annotations__[part]
        else:
            here = getattr(here, part)
    return here


@pytest.mark.parametrize("name", sorted(set(names_of_the_glossary())))
def test_a_name_of_the_glossary_exists(name: str) -> None:
    assert found(name) is not None


def test_the_glossary_has_the_fields_words() -> None:
    words = re.findall(r"^\| ([^|]+) \|", GLOSSARY, re.MULTILINE)
    known = {word.strip() for cell in words for word in cell.split(",")}
    wanted = {"reach", "infoset", "counterfactual value", "public node", "subgame", "gadget"}
    assert wanted | {"off-tree action", "margin", "gift", "range", "blueprint", "trunk"} <= known
    assert len(names_of_the_glossary()) > 50


def modules_of_the_design() -> list[str]:
    """Files that the design names by their place in the package."""
    return sorted(set(re.findall(r"`((?:\w+/)+[\w.]*)`", DESIGN)))


@pytest.mark.parametrize("name", modules_of_the_design())
def test_a_module_of_the_design_exists(name: str) -> None:
    assert (PACKAGE / name).exists() or (ROOT / name).exists()


def test_the_design_shows_the_layers_and_three_walks() -> None:
    picture = runpy.run_path(str(ROOT / "tools" / "layer_picture.py"))
    drawn = (DOCS / "images" / "layers.svg").read_text()
    assert drawn == picture["draw"](picture["layers"]()), "run python tools/layer_picture.py"
    assert "images/layers.svg" in DESIGN
    walks = re.findall(r"^## A (spot|river decision|web solve)\b", DESIGN, re.MULTILINE)
    assert walks == ["spot", "river decision", "web solve"]
    assert len(modules_of_the_design()) > 60


CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`((?:[\w.]+/)+[\w.]*)`", CONTRIBUTING))))
def test_a_file_of_the_guide_exists(name: str) -> None:
    assert (PACKAGE / name).exists() or (ROOT / name).exists()


def test_the_targets_of_the_guide_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        name for line in re.findall(r"^make ([\w -]+)", CONTRIBUTING, re.M) for name in line.split()
    }
    assert named >= {"test", "docs"}
    assert named <= targets
