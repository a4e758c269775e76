"""One container for everything saved: named arrays and a record, with version and checksum.

A file is a safetensors file whose metadata hold the kind, the version, a JSON record and two
checksums: one over record and arrays, one over all but the arrays' content. A file is written
beside its place and renamed, so a killed process leaves the old file or the new one, never half of
either. ``load`` copies the arrays and checks everything; ``map_file`` maps them into memory in
milliseconds, whatever their size, and checks the header and the file's length alone.
"""

import fcntl
import glob
import hashlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from endspiel.errors import FileError

VERSION = 1
_LEAST_SPACE = 1 << 20  # bytes of a disk that is not full
_LEFTOVER = ".partial"  # how the folder of a file ends while it is written
_REQUIRED = {"endspiel", "version", "record", "checksum"}  # early files have no "header"
_LENGTH_BYTES = 8  # of the header's length, with which a safetensors file begins
_DTYPES = {
    "F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "I16": np.int16,
    "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8,
    "BOOL": np.bool_,
}  # fmt: skip
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
        "header": _header_checksum(kind, about, tidy),
    }
    try:
        _write(path, tidy, metadata)
    except (OSError, SafetensorError) as error:
        raise FileError(f"cannot write {path}: {_reason(error)}") from error


def _write(path: Path, arrays: dict[str, NDArray[Any]], metadata: dict[str, str]) -> None:
    """Write a file in a folder of its own beside its place, and rename it.

    The library, too, writes beside the place it is given: whatever a killed process leaves is in
    the folder, under a name that `remove_leftovers` knows.
    """
    beside, lock = _own_folder(path)
    try:
        written = beside / path.name
        written.touch()
        permissions = written.stat().st_mode  # the user's; the library lets nobody else read
        save_file(arrays, written, metadata)
        written.chmod(permissions)
        with written.open("rb") as content:
            os.fsync(content.fileno())
        written.replace(path)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        os.close(lock)


def _own_folder(path: Path) -> tuple[Path, int]:
    """A new folder beside a file's place, and its lock, which ends with the process."""
    while True:
        beside = Path(tempfile.mkdtemp(_LEFTOVER, f".{path.name}.", path.parent))
        try:
            lock = os.open(beside, os.O_RDONLY)
        except FileNotFoundError:  # taken for a leftover before it was locked
            continue
        fcntl.flock(lock, fcntl.LOCK_EX)
        if beside.is_dir():
            return beside, lock
        os.close(lock)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left half written beside a file's place."""
    path = path.resolve()
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.{'?' * 8}{_LEFTOVER}"):
        try:
            lock = os.open(leftover, os.O_RDONLY)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(leftover, ignore_errors=True)
        except BlockingIOError:
            pass  # somebody is writing
        finally:
            os.close(lock)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, where there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make folder {folder}: {_reason(error)}") from error


def check_place(path: Path) -> None:
    """Refuse a place where `save` could not write before the work, not after it."""
    try:
        target = path.resolve()
    except (OSError, RuntimeError) as error:
        raise FileError(f"cannot write {path}: its links lead nowhere") from error
    folder = target.parent
    if not folder.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {folder}")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {path}: there is something else than a file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"cannot write {path}: folder {folder} is not writable")
    if shutil.disk_usage(folder).free < _LEAST_SPACE:
        raise FileError(f"cannot write {path}: the disk is full")


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
    _check_content(path, metadata, arrays)
    return msgspec.json.decode(metadata["record"]), arrays


def map_file(
    path: str | Path, kind: str | None = None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Record and read-only arrays of a file, mapped; their content is not checked.

    Without a kind, every kind is taken.
    """
    path = Path(path)
    metadata, arrays = _map(path)
    kind = metadata.get("endspiel", "") if kind is None else kind
    _check_header(path, kind, metadata)
    if "header" not in metadata:
        raise FileError(f"{path} cannot be mapped: its header has no checksum of its own")
    _check_head(path, metadata, arrays)
    return msgspec.json.decode(metadata["record"]), arrays


class Content(NamedTuple):
    """All of a file."""

    kind: str
    checksum: str
    record: dict[str, Any]
    arrays: dict[str, NDArray[Any]]  # mapped, read-only


def verify(path: str | Path) -> Content:
    """A file of any kind, once its whole content is seen to be right."""
    path = Path(path)
    metadata, arrays = _map(path)
    kind = metadata.get("endspiel", "")
    _check_header(path, kind, metadata)
    _check_content(path, metadata, arrays)
    return Content(kind, metadata["checksum"], msgspec.json.decode(metadata["record"]), arrays)


def _map(path: Path) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Metadata and mapped arrays of a safetensors file."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            size = os.fstat(file.fileno()).st_size
            begin = _LENGTH_BYTES + length
            if not 2 <= length <= size - _LENGTH_BYTES:
                raise FileError(f"{path} is damaged or no Endspiel file: it has no header")
            table = msgspec.json.decode(file.read(length), type=dict[str, dict[str, Any]])
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        metadata = table.pop("__metadata__", {})
        ends = [begin + entry["data_offsets"][1] for entry in table.values()]
        if size != max(ends, default=begin):
            raise FileError(f"{path} is damaged: it has {size} bytes, not {max(ends)}")
        arrays = {name: _view(content, begin, entry) for name, entry in table.items()}
    except FileNotFoundError as error:
        raise FileError(f"there is no file {path}") from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {_reason(error)}") from error
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError, UnicodeError) as error:
        raise FileError(f"{path} is damaged or no Endspiel file: {_reason(error)}") from error
    return metadata, arrays


def _view(content: mmap.mmap, begin: int, entry: Mapping[str, Any]) -> NDArray[Any]:
    """One mapped array; ValueError where its bytes do not make one."""
    first, last = entry["data_offsets"]
    dtype = np.dtype(_DTYPES[entry["dtype"]])
    count, rest = divmod(last - first, dtype.itemsize)
    if rest or first < 0:
        raise ValueError("an array's bytes do not fit its type")
    flat = np.frombuffer(content, dtype, count, begin + first)
    return flat.reshape(entry["shape"])


def _check_header(path: Path, kind: str, metadata: Mapping[str, str]) -> None:
    if not _REQUIRED <= metadata.keys() <= _REQUIRED | {"header"}:
        raise FileError(f"{path} is no Endspiel file: its header has not the entries of one")
    if metadata["endspiel"] != kind:
        raise FileError(f"{path} holds a {metadata['endspiel']}, not a {kind}")
    if metadata["version"] != str(VERSION):
        raise FileError(
            f"{path} has version {metadata['version']}, this program reads version {VERSION}"
        )


def _check_content(path: Path, metadata: Mapping[str, str], arrays: Arrays) -> None:
    if "header" in metadata:
        _check_head(path, metadata, arrays)
    if _checksum(metadata["endspiel"], metadata["record"], arrays) != metadata["checksum"]:
        raise FileError(f"{path} is damaged: its checksum does not match its content")


def _check_head(path: Path, metadata: Mapping[str, str], arrays: Arrays) -> None:
    if _header_checksum(metadata["endspiel"], metadata["record"], arrays) != metadata["header"]:
        raise FileError(f"{path} is damaged: its header's checksum does not match")


def _checksum(kind: str, record: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{VERSION}\0{kind}\0{record}".encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\0{name}\0{array.dtype.str}\0{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def _header_checksum(kind: str, record: str, arrays: Arrays) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(f"{VERSION}\0{kind}\0{record}".encode())
    for name in sorted(arrays):
        digest.update(f"\0{name}\0{arrays[name].dtype.str}\0{arrays[name].shape}".encode())
    return digest.hexdigest()


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
