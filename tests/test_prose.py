"""Prose stays plain: dialect words are kept out, pages of the manual have short sentences."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROSE = runpy.run_path(str(ROOT / "tools" / "prose.py"))
MEAN = 18.0  # words a sentence
# Records of experiments, and pages that were not rewritten yet.
LONGER = ("lessons.md", "mutants.md", "reproduction/")


def test_no_line_has_a_dialect_word() -> None:
    found = PROSE["dialect"]([*PROSE["sources"](), *PROSE["pages"]()])
    assert [f"{name}:{number}: {line}" for name, number, line in found] == []


def test_every_exception_is_needed() -> None:
    text = "\n".join(path.read_text() for path in [*PROSE["sources"](), *PROSE["pages"]()])
    assert [part for part in PROSE["ALLOWED"] if part not in text] == []
    assert len(PROSE["ALLOWED"]) <= 50


def test_a_dialect_word_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("The page tells it.\nPlain.\nAs so many times, anew.\n")
    monkeypatch.setitem(PROSE["dialect"].__globals__, "ROOT", tmp_path)
    assert [number for _, number, _ in PROSE["dialect"]([page])] == [1, 3]


@pytest.mark.parametrize(
    ("text", "mean"),
    [
        ("One two three. Four five!", 2.5),
        ("# A heading of six words here\n\nOne two.\n\n| a table | of words |\n", 2.0),
        ("- one two three\n- four five six\n\n```sh\nsome code that is long\n```\n", 3.0),
        ("A [link here](to/some/place.md) is 3.5% of it.", 7.0),
    ],
)
def test_words_a_sentence_are_counted(text: str, mean: float) -> None:
    assert PROSE["words_a_sentence"](text) == pytest.approx(mean)


@pytest.mark.parametrize("path", PROSE["pages"](), ids=lambda path: path.stem)
def test_sentences_of_the_manual_are_short(path: Path) -> None:
    name = str(path.relative_to(ROOT))
    if not name.removeprefix("docs/").startswith(LONGER):
        assert PROSE["words_a_sentence"](path.read_text()) <= MEAN, name
