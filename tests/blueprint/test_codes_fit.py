"""Codes of a strategy file that stand for no row are found, wherever they lie in the stream."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from endspiel.blueprint.checked_file import _codes_fit


@given(st.data())
def test_a_code_at_or_over_its_grid_is_found(data: st.DataObject) -> None:
    spans, sizes, word, fits = [], [], 0, True
    at = data.draw(st.integers(0, 20))
    for grid in range(data.draw(st.integers(1, 4))):
        bits = data.draw(st.integers(1, 32))
        size = data.draw(st.integers(1, 1 << bits))
        codes = data.draw(st.lists(st.integers(0, (1 << bits) - 1), min_size=1, max_size=5))
        spans.append((at, bits, len(codes), grid))
        sizes.append(size)
        for code in codes:
            word |= code << at
            at += bits
            fits &= code < size
    stream = np.frombuffer(word.to_bytes((at + 7) // 8 + 5, "little"), np.uint8).copy()
    assert _codes_fit(stream, np.array(spans), np.array(sizes)) == fits
