"""How the project's prose reads: dialect words by file, and words a sentence by page.

    python tools/prose.py            # each page, those with the longest sentences first
    python tools/prose.py --words    # the lines with dialect words

Code blocks, tables and headings are no sentences. A sentence ends with a period, a question
mark or an exclamation mark before a space, or with its paragraph or list item.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIALECT = re.compile(
    r"\bso many\b|\b(?:is|are|was|were) told\b|\btells\b|\bnobody\b|\bwhoever\b|\banew\b"
    r'|"""The same\b|\bmuch hangs\b|\blooked at\b'
)
# Lines that may have such a word, by a part of them, and why.
ALLOWED: dict[str, str] = {}
_NO_PROSE = re.compile(r"```.*?```|^( {4}|\||#|:::|!\[).*?$", re.DOTALL | re.MULTILINE)
_END = re.compile(r"(?<=[.?!])[\"')*`]*\s+|\n\s*\n|\n\s*(?:[-*]|\d+\.)\s")
_WORD = re.compile(r"[\w'’%/.,-]*\w[\w'’%]*")


def pages() -> list[Path]:
    """Return the README and all pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sources() -> list[Path]:
    """Return the package's modules."""
    return sorted((ROOT / "src").rglob("*.py"))


def dialect(paths: list[Path]) -> Iterator[tuple[str, int, str]]:
    """Yield file, line number and text of every line with a dialect word that is not allowed."""
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if DIALECT.search(line) and not any(part in line for part in ALLOWED):
                yield str(path.relative_to(ROOT)), number, line.strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a page: blocks of code, tables and headings left out."""
    plain = re.sub(r"\]\([^)]*\)", "]", _NO_PROSE.sub("\n\n", text))
    return [part for part in _END.split(plain) if len(_WORD.findall(part)) > 1]


def words_a_sentence(text: str) -> float:
    """Return the mean number of words of a page's sentences."""
    found = sentences(text)
    return sum(len(_WORD.findall(one)) for one in found) / max(len(found), 1)


def main() -> None:
    """Print the figures of every page, or the lines with dialect words."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", action="store_true", help="list the lines with dialect words")
    if parser.parse_args().words:
        for name, number, line in dialect([*sources(), *pages()]):
            print(f"{name}:{number}: {line}")
        return
    rows = []
    for page in pages():
        text, hits = page.read_text(), sum(1 for _ in dialect([page]))
        rows.append((words_a_sentence(text), hits, len(text.split()), page.relative_to(ROOT)))
    for mean, hits, words, page in sorted(rows, reverse=True):
        print(f"{mean:5.1f} words a sentence, {hits:3} dialect, {words:6,} words  {page}")


if __name__ == "__main__":
    main()
