"""What the tests of the page need, and the spot they solve."""

import shutil
from typing import Any

import pytest

PATIENCE = 300_000  # milliseconds that a wait may take on a busy machine; none is slept through
RIVER: dict[str, Any] = {
    "board": "Qs Jh 2h 4c 9d",
    "pot": 200,
    "stack": 400,
    "ranges": ["QQ-99,AQs,KQs,A5s,KTs,87s", "JJ-88,AJs,QJs,A4s,76s"],
    "river": {"bet": "50%, 100%", "raise": "60%"},
}
TARGET = "0.05"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)


def need() -> None:
    """Skip the module that asks, and say why, unless the page can be tested here."""
    if CHROMIUM is None:
        pytest.skip("the page is not tested: no Chromium found", allow_module_level=True)
    for module in ("playwright.sync_api", "starlette", "uvicorn"):
        name = module.partition(".")[0]
        pytest.importorskip(module, reason=f"the page is not tested: {name} is not installed")
