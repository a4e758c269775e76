"""A report as files: JSON, CSV, one row a board, and a page that sorts by any column."""

import csv
import html
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from endspiel.batch.report import BoardReport, Row
from endspiel.errors import FileError

PLAYERS = ("OOP", "IP")


def report_record(made: BoardReport, kind: str) -> dict[str, Any]:
    """A report over flops, turns or rivers in plain values."""
    mean = made.mean
    return {
        f"{kind}s": made.rows,
        "mean": mean,
        "mean_dealt": made.mean_dealt,
        "failed": made.failures,
        "missing": len(made.boards) - len(made.rows) - len(made.failures),
        "node": made.node,
        "spot": tomllib.loads(made.spot.dump()),
        "pot": made.spot.pot,
        "stack": made.spot.stack,
        "exploitability": mean["exploitability"],
        "iterations": sum(row["iterations"] for row in made.rows),
        "seconds": made.batch.seconds,
        "workers": made.batch.plan.workers,
        "memory_bytes": made.batch.plan.memory_bytes,
    }


def flat_row(row: Row, first: str, scale: float = 1.0) -> dict[str, Any]:
    """A row's or a mean's values by column; shares times `scale`, as in percent."""

    def share(value: float | None) -> float | None:
        return None if value is None else scale * value

    flat: dict[str, Any] = {first: row.get("board", "mean"), "weight": row.get("weight")}
    flat |= {word: share(value) for word, value in row["frequencies"].items()}
    for name, values in (("EV", row["evs"]), ("equity", row["equities"]), ("EQR", row["eqrs"])):
        for player, value in zip(PLAYERS, values, strict=True):
            flat[f"{name} {player}"] = value if name == "EV" else share(value)
    flat["exploitability"] = share(row["exploitability"])
    return flat


def write_report_csv(path: Path, rows: Sequence[Row], mean: Row, first: str) -> None:
    """One row a board and the mean last; frequencies, equities and EQR are shares of 1."""
    try:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            for at, row in enumerate([*rows, mean]):
                flat = flat_row(row, first)
                if at == 0:
                    writer.writerow(flat)
                writer.writerow("" if value is None else value for value in flat.values())
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def write_page(path: Path, rows: Sequence[Row], mean: Row, about: dict[str, str]) -> None:
    """A page with the table, which a click on a column's head sorts."""
    try:
        path.write_text(page(rows, mean, about), encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def table_html(rows: Sequence[Row], mean: Row, first: str) -> str:
    """The table alone, as a notebook shows it."""
    total = flat_row(mean, first, 100.0)
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in total)
    body = "".join(f"<tr>{_cells(flat_row(row, first, 100.0))}</tr>" for row in rows)
    foot = f"<tfoot><tr>{_cells(total)}</tr></tfoot>"
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody>{foot}</table>"


def page(rows: Sequence[Row], mean: Row, about: dict[str, str]) -> str:
    """The text of the page; `about` has the name of the first column, the title and facts."""
    first = about["first"]
    flat = [flat_row(row, first, 100.0) for row in rows]
    total = flat_row(mean, first, 100.0)
    facts = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(text)}</dd>"
        for name, text in about.items()
        if name not in ("first", "title")
    )
    heads = "".join(f"<th>{html.escape(name)}</th>" for name in total)
    body = "\n".join(f"<tr>{_cells(row)}</tr>" for row in flat)
    return _PAGE.format(
        title=html.escape(about["title"]),
        facts=facts,
        heads=heads,
        body=body,
        mean=f"<tr>{_cells(total)}</tr>",
    )


def _cells(row: dict[str, Any]) -> str:
    return "".join(_cell(value) for value in row.values())


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td data-value="{value!r}">{value:.4g}</td>'
    text = "" if value is None else str(value)
    return f'<td data-value="{html.escape(text)}">{_suited(text)}</td>'


def _suited(text: str) -> str:
    """A board's cards, each in the color of its suit; other texts as they are."""
    words = text.split()
    if not all(len(word) == 2 and word[1] in "cdhs" for word in words):
        return html.escape(text)
    return " ".join(f'<b class="{word[1]}">{word}</b>' for word in words)


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; color: #222; }}
h1 {{ font-size: 1.3rem; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }}
dt {{ color: #666; }}
dd {{ margin: 0; overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .15rem .6rem; text-align: right; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
thead th {{ position: sticky; top: 0; background: #eee; }}
thead button {{ all: unset; cursor: pointer; font-weight: 600; }}
thead button:focus-visible {{ outline: 2px solid #06c; }}
th[aria-sort=ascending] button::after {{ content: " \\2191"; }}
th[aria-sort=descending] button::after {{ content: " \\2193"; }}
tbody tr:nth-child(even) {{ background: #f7f7f7; }}
tfoot td {{ border-top: 2px solid #888; font-weight: 600; }}
.c {{ color: #167a2f; }} .d {{ color: #1450b8; }} .h {{ color: #b81414; }} .s {{ color: #222; }}
</style>
</head>
<body>
<h1>{title}</h1>
<dl>{facts}</dl>
<p>Frequencies, equities, EQR and exploitability in percent, EVs in chips.</p>
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{body}
</tbody>
<tfoot>{mean}</tfoot>
</table>
<script>
const body = document.querySelector("tbody");
document.querySelectorAll("thead th").forEach((head, column) => {{
  const button = document.createElement("button");
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.addEventListener("click", () => {{
    const up = head.getAttribute("aria-sort") === "descending";
    document.querySelectorAll("thead th").forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const value = row => row.children[column].dataset.value;
    const order = (a, b) => value(a) - value(b) || value(a).localeCompare(value(b)) || 0;
    const rows = [...body.rows].sort((a, b) => up ? order(a, b) : order(b, a));
    body.append(...rows);
  }});
}});
</script>
</body>
</html>
"""
