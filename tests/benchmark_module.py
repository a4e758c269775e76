"""Benchmarks as modules: those whose figures stand in documents, or that reckon, are tested."""

import importlib
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def load_benchmark(name: str) -> Any:
    """A file of benchmarks/, which is no package."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)
