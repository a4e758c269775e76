"""Hostile versions of sound inputs: bytes, text, and containers that lie with a right checksum."""

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = (
    "0", "-1", "1", "2", "255", "65535", "65536", "2147483647", "2147483648", "9223372036854775807",
    "9223372036854775808", "-9223372036854775809", "1e308", "1e999", "-1e999", "1e-999", "nan",
    "inf", "-inf", "0.5", "-0.0", "9" * 5000, "1/0", "0/0", "0x10", "1_0", "٣", "½", "",
)  # fmt: skip
SCRAPS = (
    "\0", "\ufeff", "\r\n", "\n\n", "\t", " ", "\\", '"', "'", '"""', "{", "}", "[", "]", "[[", "(",
    ")", ",", ":", ";", "=", "#", "/", "|", "%", "+", "-", "*", "..", "\u202e", "é", "\U0001f0a1",
    "AA", "AsAs", "22+", "AKs:1.5", "b", "r", "c", "f", "a", "e", "x", "STATE:", "SCORE:", "true",
    "null", "None", "[" * 3000, "{" * 3000, '{"a":' * 2000, "a." * 500, "A" * 20_000, "END GAMEDEF",
)  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_WORD = re.compile(r"\w+")
Arrays = dict[str, NDArray[Any]]


def hostile_text(text: str, rng: random.Random) -> str:
    """A text with one to four things done to it."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(_TEXT)(text, rng)
    return text


def _number(text: str, rng: random.Random) -> str:
    return _replace(_NUMBER, text, rng, rng.choice(NUMBERS))


def _word(text: str, rng: random.Random) -> str:
    return _replace(_WORD, text, rng, rng.choice(SCRAPS + NUMBERS))


def _other_word(text: str, rng: random.Random) -> str:
    """One word of the text in place of another."""
    words = _WORD.findall(text)
    return _replace(_WORD, text, rng, rng.choice(words)) if words else text


def _replace(pattern: re.Pattern[str], text: str, rng: random.Random, by: str) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text + by
    match = rng.choice(found)
    return text[: match.start()] + by + text[match.end() :]


def _insert(text: str, rng: random.Random) -> str:
    at = rng.randint(0, len(text))
    return text[:at] + rng.choice(SCRAPS + NUMBERS) + text[at:]


def _cut(text: str, rng: random.Random) -> str:
    first, last = sorted(rng.randint(0, len(text)) for _ in range(2))
    return text[:first] + (text[last:] if rng.random() < 0.7 else "")


def _double(text: str, rng: random.Random) -> str:
    first, last = sorted(rng.randint(0, len(text)) for _ in range(2))
    return text[:last] + text[first:last] * rng.choice((1, 1, 3)) + text[last:]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    match rng.randrange(3):
        case 0:
            del lines[rng.randrange(len(lines))]
        case 1:
            lines.insert(rng.randint(0, len(lines)), rng.choice(lines))
        case _:
            rng.shuffle(lines)
    return "\n".join(lines)


def _character(text: str, rng: random.Random) -> str:
    if not text:
        return chr(rng.randrange(1, 0x3000))
    at = rng.randrange(len(text))
    return (
        text[:at]
        + chr(rng.choice((rng.randrange(1, 128), rng.randrange(1, 0x3000))))
        + text[at + 1 :]
    )


_TEXT: tuple[Callable[[str, random.Random], str], ...] = (
    _number, _number, _word, _other_word, _other_word, _insert, _cut, _double, _lines, _character,
)  # fmt: skip


def hostile_bytes(data: bytes, rng: random.Random) -> bytes:
    """Bytes with bits flipped, parts cut out, doubled or overwritten."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 3))):
        at = rng.randint(0, max(0, len(changed) - 1))
        match rng.randrange(5):
            case 0 | 1:
                changed[at : at + 1] = bytes(
                    [changed[at] ^ 1 << rng.randrange(8)] if changed else b""
                )
            case 2:
                del changed[at : at + rng.choice((1, 8, len(data)))]
            case 3:
                changed[at : at + 8] = rng.choice((b"\xff" * 8, bytes(8), rng.randbytes(8)))
            case _:
                changed[at:at] = changed[at : at + rng.randrange(1, 64)]
    return bytes(changed)


def hostile_array(array: NDArray[Any], rng: random.Random) -> NDArray[Any]:
    """An array of another content, shape or type."""
    array = array.copy()
    flat = array.reshape(-1)
    if flat.size and rng.random() < 0.6:
        places = rng.choice(([rng.randrange(flat.size)], slice(None)))
        if array.dtype.kind == "f":
            flat[places] = rng.choice((np.nan, np.inf, -np.inf, -1.0, 1e30, 0.0))
        elif array.dtype.kind == "b":
            flat[places] = ~flat[places]
        else:
            about = np.iinfo(array.dtype)
            near = int(flat[0]) + rng.choice((-1, 1, 7))
            value = rng.choice(
                (about.min, about.max, 0, -1, 1, 2, 13, 255, near, rng.randrange(2000))
            )
            flat[places] = min(max(value, about.min), about.max)
        return array
    match rng.randrange(5):
        case 0:
            return flat[: rng.randint(0, flat.size)]
        case 1:
            return np.concatenate([flat, flat[:3]])
        case 2:
            kind = rng.choice((np.float64, np.float32, np.int64, np.uint8, np.bool_))
            with np.errstate(invalid="ignore"):
                return array.astype(kind)
        case 3:
            return array.reshape((1, *array.shape))
        case _:
            return flat[rng.sample(range(flat.size), flat.size)].reshape(array.shape)


VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**62, -(2**62), 1.5, 1e300, "", "nan", "x" * 3000, [],
    [None], {}, {"a": 1}, [[1, 2]], [1, 2, 3, 4], "\0",
)  # fmt: skip


def hostile_value(value: Any, rng: random.Random) -> Any:
    """A JSON value with one entry, at any depth, gone or made something else."""
    inner = isinstance(value, dict | list) and value and rng.random() < 0.85
    if isinstance(value, dict) and inner:
        key = rng.choice(sorted(value))
        changed = dict(value)
        if rng.random() < 0.15:
            del changed[key]
        else:
            changed[key] = hostile_value(value[key], rng)
        return changed
    if isinstance(value, list) and inner:
        at = rng.randrange(len(value))
        return [*value[:at], hostile_value(value[at], rng), *value[at + 1 :]]
    if isinstance(value, str) and value and rng.random() < 0.5:
        return hostile_text(value, rng)
    if isinstance(value, int | float) and rng.random() < 0.4:
        return rng.choice((value + 1, value - 1, -value, 2 * value))
    return rng.choice(VALUES)
