"""The papers' tables: carried by the package, the same as in the documentation."""

from pathlib import Path

from endspiel.web.papers import list_papers, read_report
from tests.web.conftest import Page

ROOT = Path(__file__).parents[2]


def test_the_package_carries_the_reports() -> None:
    documented = ROOT / "docs" / "reproduction"
    carried = ROOT / "src" / "endspiel" / "web" / "data" / "papers"
    for path in documented.iterdir():
        copy = carried / path.name
        assert copy.exists(), f"copy {path} to {carried}"
        assert copy.read_bytes() == path.read_bytes(), f"copy {path} to {carried}"


def test_reports_have_tables_and_figures(page: Page) -> None:
    papers = {paper["name"]: paper for paper in page.get("/api/papers")["papers"]}
    assert {"coin-toss", "reverse-mapping"} <= set(papers)
    table = papers["coin-toss"]["tables"][0]
    assert table["columns"][:2] == ["technique", "paper"]
    assert table["rows"][0][:2] == ["base", "0.5"]
    for paper in papers.values():
        assert paper["title"]
        assert paper["tables"]
        for table in paper["tables"]:
            assert all(len(row) == len(table["columns"]) for row in table["rows"])
        for figure in paper["figures"]:
            picture = page.client.get(figure["url"])
            assert picture.content.startswith(b"\x89PNG")
    assert any(paper["figures"] for paper in papers.values())


def test_a_table_is_read_from_markdown() -> None:
    report = read_report("x", "# Title\n\nWords:\n\n| a | paper |\n|---|---|\n| 1 | 2 |\n\nEnd\n")
    assert report.title == "Title"
    assert [(t.title, t.columns, t.rows) for t in report.tables] == [
        ("Words", ["a", "paper"], [["1", "2"]])
    ]
    assert list_papers() is list_papers()
