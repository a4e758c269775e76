"""The library is refused where it was built from other sources than those beside it."""

import pytest

from endspiel.errors import EndspielError
from endspiel.native import build, library


def test_a_library_of_other_sources_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.library.__wrapped__()
    monkeypatch.setattr(library, "sources_digest", lambda: "00000000")
    with pytest.raises(EndspielError, match="built from other sources: build them by"):
        library.library.__wrapped__()


def test_every_source_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    found = build.sources_digest()
    monkeypatch.setattr(build, "CORE", build.CORE / "builds")
    assert build.sources_digest() != found
