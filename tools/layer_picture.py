"""Draws docs/images/layers.svg from the list of layers in docs/design.md.

python tools/layer_picture.py
"""

import re
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PICTURE = DOCS / "images" / "layers.svg"
# Rows of the picture by the layer that each begins with; a layer not named here joins a row.
ROWS = {
    "native": ("What poker is", "rules and bets as data, what players hold", "#e8f1ec"),
    "kernels": ("What a game is", "flat arrays, one protocol, builders", "#e6eef7"),
    "solvers": ("How it is solved", "programs, the CFR family, lookup", "#f3ecf8"),
    "abstraction": ("What is played", "buckets, blueprints, endgames", "#fbf0e2"),
    "agent": ("Who plays", "players on a clock, matches", "#f8e7e7"),
    "reproduce": ("Doors", "tables, the page, the commands", "#eeeeee"),
}
WIDTH, HEIGHT, BOX = 900, 96, 112


def layers() -> list[str]:
    """The layers in their order, as the design lists them."""
    return re.findall(r"^(\w+)/ ", (DOCS / "design.md").read_text(), re.MULTILINE)


def rows(names: list[str]) -> list[list[str]]:
    """The layers of each row."""
    found: list[list[str]] = []
    for name in names:
        if name in ROWS:
            found.append([])
        found[-1].append(name)
    return found


def draw(names: list[str]) -> str:
    """The picture as SVG."""
    drawn = [_row(12 + at * HEIGHT, row) for at, row in enumerate(rows(names))]
    height = len(drawn) * HEIGHT + 40
    arrows = [_arrow(12 + at * HEIGHT) for at in range(1, len(drawn))]
    note = (
        'An arrow is "imports from". Above all rows: errors, files and other modules that '
        "import no layer."
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            'font-family="system-ui, sans-serif" role="img" aria-labelledby="t">',
            '<title id="t">The layers of Endspiel: each imports only from those before it</title>',
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            *drawn,
            *arrows,
            _text(WIDTH // 2, height - 20, 12.5, note, 'text-anchor="middle" fill="#444"'),
            "</svg>\n",
        ]
    )


def _row(top: int, names: list[str]) -> str:
    title, text, color = ROWS[names[0]]
    parts = [
        f'<rect x="12" y="{top}" width="{WIDTH - 24}" height="{HEIGHT - 22}" rx="8" '
        f'fill="{color}"/>',
        _text(26, top + 28, 17, title, 'font-weight="600" fill="#222"'),
        _text(26, top + 52, 12.5, text, 'fill="#444"'),
    ]
    left = WIDTH - 24 - BOX * len(names)
    for at, name in enumerate(names):
        x = left + BOX * at
        parts.append(
            f'<rect x="{x}" y="{top + 22}" width="{BOX - 8}" height="30" rx="5" fill="#fff" '
            'stroke="#777"/>'
        )
        style = 'text-anchor="middle" font-family="ui-monospace, monospace" fill="#111"'
        parts.append(_text(x + (BOX - 8) // 2, top + 42, 14, name, style))
    return "\n".join(parts)


def _arrow(top: int) -> str:
    path = f"M {WIDTH // 2} {top - 2} v -14 m -5 6 l 5 -7 l 5 7"
    return f'<path d="{path}" fill="none" stroke="#777" stroke-width="1.5"/>'


def _text(x: int, y: int, size: float, text: str, style: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size:g}" {style}>{text}</text>'


if __name__ == "__main__":
    PICTURE.write_text(draw(layers()))
