"""One container for everything saved: named arrays and a record, with version and checksum.

A file is a safetensors file whose metadata hold the kind, the version, a JSON record and a
checksum over record and arrays. It is written beside its place and renamed, so a killed process
leaves the old file or the new one, never half of either.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from endspiel.errors import FileError

VERSION = 1
Arrays = Mapping[str, NDArray[Any]]


def save(path: str | Path, kind: str, record: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file of a kind atomically."""
    path = Path(path).resolve()  # a link stays, what it points to is replaced
    if path.exists() and not path.is_file():
        raise FileError(f"cannot write {path}: there is something else than a file")
    about = msgspec.json.encode(dict(record)).decode()
    tidy = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    metadata = {
        "endspiel": kind,
        "version": str(VERSION),
        "record": about,
        "checksum": _checksum(kind, about, tidy),
    }
    beside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        save_file(tidy, beside, metadata)
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except (OSError, SafetensorError) as error:
        beside.unlink(missing_ok=True)
        raise FileError(f"cannot write {path}: {_reason(error)}") from error


def load(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Record and arrays of a file, once its kind, version and checksum are seen to be right."""
    path = Path(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            _check_header(path, kind, metadata)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except FileNotFoundError as error:
        raise FileError(f"there is no file {path}") from error
    except (OSError, SafetensorError) as error:
        raise FileError(f"{path} is damaged or no Endspiel file: {_reason(error)}") from error
    if _checksum(kind, metadata["record"], arrays) != metadata["checksum"]:
        raise FileError(f"{path} is damaged: its checksum does not match its content")
    return msgspec.json.decode(metadata["record"]), arrays


def _check_header(path: Path, kind: str, metadata: Mapping[str, str]) -> None:
    if not {"endspiel", "version", "record", "checksum"} <= metadata.keys():
        raise FileError(f"{path} is no Endspiel file: its header lacks Endspiel's entries")
    if metadata["endspiel"] != kind:
        raise FileError(f"{path} holds a {metadata['endspiel']}, not a {kind}")
    if metadata["version"] != str(VERSION):
        raise FileError(
            f"{path} has version {metadata['version']}, this program reads version {VERSION}"
        )


def _checksum(kind: str, record: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{VERSION}\0{kind}\0{record}".encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
