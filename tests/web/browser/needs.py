"""What the tests of the page need: a module that imports this one is skipped where it lacks."""

import shutil

import pytest

PATIENCE = 20_000  # milliseconds that a wait may take on a busy machine; none is slept through
_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, _NAMES)), None)


def need() -> None:
    """Skip the module that asks, and say why, unless the page can be tested here."""
    if CHROMIUM is None:
        pytest.skip("the page is not tested: no Chromium found", allow_module_level=True)
    for module in ("playwright.sync_api", "starlette", "uvicorn"):
        name = module.partition(".")[0]
        pytest.importorskip(module, reason=f"the page is not tested: {name} is not installed")
