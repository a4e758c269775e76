"""A small report, as `endspiel report --json` writes it."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from endspiel.cli.report import report
from endspiel.games.spot import parse_spot

SPOT: dict[str, Any] = {
    "board": "Qs Jh 2h",
    "pot": 200,
    "stack": 300,
    "ranges": ["AA-TT,AJs-A9s", "AQs+,JJ-77"],
    "flop": {"bet": "75%"},
    "turn": {"bet": ""},
    "river": {"bet": "a"},
}
FLOPS = ["Ks 7h 2d", "9s 8s 7s", "Ts Th 4d", "As 9s 3d", "Qs Jh 2h"]


@cache
def report_json() -> bytes:
    """Five flops, two iterations each."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "flop.toml").write_text(parse_spot(SPOT).dump())
        (folder / "flops.txt").write_text(
            "".join(f"{flop} {at + 1}\n" for at, flop in enumerate(FLOPS))
        )
        out = folder / "report.json"
        flops = str(folder / "flops.txt")
        report(str(folder / "flop.toml"), flops, iterations=2, workers=1, json=str(out))
        return out.read_bytes()


def rows() -> list[dict[str, Any]]:
    """Its rows."""
    found: list[dict[str, Any]] = json.loads(report_json())["flops"]
    return found
