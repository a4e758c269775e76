"""The reproduced tables and figures, ours beside the paper's, as the package carries them.

`web/data/papers` holds a Markdown report each, as `docs/reproduction` has them, and the figures.
A report's tables are read from its text, so that there is one source of every number.
"""

import re
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from msgspec import Struct

from endspiel.web.messages import Refused

SOURCES: Final = {
    "nlfh-table1": "Brown and Sandholm, Safe and Nested Subgame Solving, 2017",
    "reverse-mapping": "Ganzfried and Sandholm, Tartanian5, 2012",
    "coin-toss": "Brown and Sandholm, Safe and Nested Subgame Solving, 2017",
    "limit-holdem": "Bowling, Burch, Johanson and Tammelin, supplement, 2015",
    "endgame-property": "Ganzfried and Sandholm, Endgame Solving in Large Games, 2015",
}
_FIGURE: Final = re.compile(r"!\[(?P<title>[^\]]*)\]\((?P<name>[\w.-]+\.png)\)")


class TableAnswer(Struct):
    """A table of a report."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class PaperAnswer(Struct):
    """A report: its words, tables and figures."""

    name: str
    title: str
    source: str
    text: str
    tables: list[TableAnswer]
    figures: list[dict[str, str]]


def _folder() -> Traversable:
    return resources.files("endspiel.web") / "data" / "papers"


@cache
def list_papers() -> list[PaperAnswer]:
    """Every report, by name."""
    folder = _folder()
    if not folder.is_dir():
        return []
    files = sorted(folder.iterdir(), key=lambda file: file.name)
    return [
        read_report(file.name.removesuffix(".md"), file.read_text(encoding="utf-8"))
        for file in files
        if file.name.endswith(".md")
    ]


def figure(name: str) -> bytes:
    """The picture of a name that some report shows."""
    known = {shown["name"] for paper in list_papers() for shown in paper.figures}
    if name not in known:
        raise Refused(f"there is no figure {name[:40]!r}", "name", 404)
    return (_folder() / name).read_bytes()


def read_report(name: str, text: str) -> PaperAnswer:
    """A report of its Markdown."""
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    figures = [
        {
            "name": match["name"],
            "title": match["title"],
            "url": f"/api/papers/figures/{match['name']}",
        }
        for match in _FIGURE.finditer(text)
    ]
    return PaperAnswer(
        name=name,
        title=title[1] if title else name,
        source=SOURCES.get(name, ""),
        text=text,
        tables=_tables(text),
        figures=figures,
    )


def _tables(text: str) -> list[TableAnswer]:
    """The tables of a Markdown text, each titled by the line or heading before it."""
    found, above, rows = [], "", list[list[str]]()
    for line in [*text.splitlines(), ""]:
        if line.lstrip().startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        if len(rows) > 2:
            found.append(TableAnswer(above, rows[0], rows[2:]))
        rows = []
        if line.strip():
            above = line.strip("# :").strip()
    return found
