"""One container for everything saved: named arrays and a record, with version and checksum.

A file is a safetensors file whose metadata hold the kind, the version, a JSON record and two
checksums: one over record and arrays, one over all but the arrays' content. A file is written
beside its place and renamed, so a killed process leaves the old file or the new one, never half of
either. ``load`` copies the arrays, ``map_file`` maps them into memory; both check everything, a
gigabyte in about a second. Whether the arrays make sense together is for those to say who read them
(see ``checking``).
"""

import glob
import hashlib
import math
import mmap
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import save_file

from endspiel.errors import FileError
from endspiel.interrupts import held_back
from endspiel.locks import KNOWN as LOCKS_KNOWN
from endspiel.locks import try_lock, wait_for_lock
from endspiel.reading import open_file, reason

VERSION = 1
_LEAST_SPACE = 1 << 20  # bytes of a disk that is not full
_LEFTOVER = ".partial"  # how the folder of a file ends while it is written
_LOCK = ".lock"  # the file in it that the writer has locked
_REQUIRED = {"endspiel", "version", "record", "checksum"}  # early files have no "header"
_METADATA = "__metadata__"  # what safetensors calls them
_LEDGER = b'{"endspi'  # how the ledgers of jobs begin
_LENGTH_BYTES = 8  # of the header's length, with which a safetensors file begins
_DTYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16, "I64": np.int64, "I32": np.int32,
    "I16": np.int16, "I8": np.int8, "U64": np.uint64, "U32": np.uint32, "U16": np.uint16,
    "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip
Arrays = Mapping[str, NDArray[Any]]


def save(path: str | Path, kind: str, record: Mapping[str, Any], arrays: Arrays) -> None:
    """Write a file of a kind atomically; Ctrl-C waits until that is done."""
    path = _resolved(Path(path))  # a link stays, what it points to is replaced
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
        with held_back():
            _write(path, tidy, metadata)
    except (OSError, SafetensorError) as error:
        raise FileError(f"cannot write {path}: {reason(error)}") from error


def _write(path: Path, arrays: dict[str, NDArray[Any]], metadata: dict[str, str]) -> None:
    """Write a file in a folder of its own beside its place, and rename it.

    The library, too, writes beside the place it is given: whatever a killed process leaves is in
    the folder, under a name that `remove_leftovers` knows.
    """
    beside, lock = _own_folder(path)
    try:
        written = beside / path.name
        written.touch()
        permissions = written.stat().st_mode  # the user's; the library makes it private
        save_file(arrays, written, metadata)
        written.chmod(permissions)
        with written.open("r+b") as content:  # Windows syncs nothing that is only read
            _sort_metadata(content)
            os.fsync(content.fileno())
        written.replace(path)
    finally:
        os.close(lock)  # Windows removes no open file
        shutil.rmtree(beside, ignore_errors=True)


def _sort_metadata(content: BinaryIO) -> None:
    """Put the metadata of a file into one order: the library's differs from run to run.

    Files of the same content are then the same, byte for byte.
    """
    length = int.from_bytes(content.read(_LENGTH_BYTES), "little")
    table = msgspec.json.decode(content.read(length), type=dict[str, msgspec.Raw])
    metadata = msgspec.json.decode(table[_METADATA], type=dict[str, msgspec.Raw])
    table[_METADATA] = msgspec.Raw(msgspec.json.encode(dict(sorted(metadata.items()))))
    text = msgspec.json.encode(table)
    content.seek(_LENGTH_BYTES)
    content.write(text.ljust(length))
    content.flush()


def _own_folder(path: Path) -> tuple[Path, int]:
    """A new folder beside a file's place, and its lock, which ends with the process."""
    while True:
        beside = Path(tempfile.mkdtemp(_LEFTOVER, f".{path.name}.", path.parent))
        try:
            lock = os.open(beside / _LOCK, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:  # taken for a leftover before it was locked
            continue
        wait_for_lock(lock)
        if (beside / _LOCK).exists():
            return beside, lock
        os.close(lock)


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left half written beside a file's place.

    Where there are no locks, it looks like a file that is being written, and stays.
    """
    path = _resolved(path)
    found = path.parent.glob(f".{glob.escape(path.name)}.{'?' * 8}{_LEFTOVER}")
    for leftover in found if LOCKS_KNOWN else ():
        try:
            lock = os.open(leftover / _LOCK, os.O_RDWR | os.O_CREAT)
        except OSError:
            continue
        try:
            abandoned = try_lock(lock)
            if abandoned:
                shutil.rmtree(leftover, ignore_errors=True)
        finally:
            os.close(lock)
        if abandoned and os.name == "nt":  # which did not release the open lock
            shutil.rmtree(leftover, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, where there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise FileError(f"cannot make folder {folder}: {reason(error)}") from error


def check_place(path: Path) -> None:
    """Refuse a place where `save` could not write before the work, not after it."""
    target = _resolved(path)
    folder = target.parent
    if not folder.is_dir():
        raise FileError(f"cannot write {path}: there is no folder {folder}")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {path}: there is something else than a file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise FileError(f"cannot write {path}: folder {folder} is not writable")
    if shutil.disk_usage(folder).free < _LEAST_SPACE:
        raise FileError(f"cannot write {path}: the disk is full")


def _resolved(path: Path) -> Path:
    """The place that a name means, once links are followed."""
    try:
        found = path.resolve()
    except (OSError, RuntimeError) as error:
        raise FileError(f"cannot write {path}: its links lead nowhere") from error
    except ValueError as error:
        raise FileError(f"cannot write {path!r}: no file has such a name") from error
    if found.is_symlink():  # a ring of links, which is no error from Python 3.13 on
        raise FileError(f"cannot write {path}: its links lead nowhere")
    return found


def check_folder(path: Path) -> None:
    """Refuse a folder that could not be made, or not be written to, before the work."""
    if path.is_dir():
        check_place(path / "a file")
    elif path.exists():
        raise FileError(f"cannot write to {path}: it is a file, not a folder")
    else:
        check_place(path)


class Content(NamedTuple):
    """All of a file."""

    kind: str
    checksum: str
    record: dict[str, Any]
    arrays: dict[str, NDArray[Any]]  # mapped, read-only


def load(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Record and arrays of a file, once its kind, version and checksum are seen to be right."""
    record, arrays = map_file(path, kind)
    return record, {name: array.copy() for name, array in arrays.items()}


def map_file(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Open it with arrays that are mapped into memory, read-only."""
    content = verify(path, kind)
    return content.record, content.arrays


def map_header(path: str | Path, kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Open it with mapped arrays of which only the header is checked: its record is sound.

    What is read of the arrays must then be checked by what the record says of it.
    """
    path = Path(path)
    metadata, arrays = _map(path)
    _check_header(path, kind, metadata)
    if "header" not in metadata:
        raise FileError(f"{path} is of an early version: it cannot be read in parts")
    _check_head(path, metadata, arrays)
    return _record_of(path, kind, metadata), arrays


def _record_of(path: Path, kind: str, metadata: Mapping[str, str]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = msgspec.json.decode(metadata["record"], type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FileError(f"{path} is no whole {kind}: its record is none: {error}") from error
    return found


def verify(path: str | Path, kind: str | None = None) -> Content:
    """A file of a kind, or of any, once its whole content is seen to be right."""
    path = Path(path)
    metadata, arrays = _map(path)
    kind = metadata.get("endspiel", "") if kind is None else kind
    _check_header(path, kind, metadata)
    _check_content(path, metadata, arrays)
    return Content(kind, metadata["checksum"], _record_of(path, kind, metadata), arrays)


def _map(path: Path) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Metadata and mapped arrays of a safetensors file."""
    with open_file(path) as file:
        try:
            first = file.read(_LENGTH_BYTES)
            if first == _LEDGER:
                raise FileError(f"{path} is a list of finished work: name another file")
            length = int.from_bytes(first, "little")
            size = os.fstat(file.fileno()).st_size
            begin = _LENGTH_BYTES + length
            if not 2 <= length <= size - _LENGTH_BYTES:
                raise FileError(f"{path} is damaged or no Endspiel file: it has no header")
            table = msgspec.json.decode(file.read(length), type=dict[str, msgspec.Raw])
            metadata = msgspec.json.decode(table.pop(_METADATA, b"{}"), type=dict[str, str])
            entries = {name: msgspec.json.decode(raw, type=_Entry) for name, raw in table.items()}
            end = max((begin + entry.data_offsets[1] for entry in entries.values()), default=begin)
            if size != end:
                raise FileError(f"{path} is damaged: it has {size} bytes, not {end}")
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            arrays = {name: _view(content, begin, entry) for name, entry in entries.items()}
        except OSError as error:
            raise FileError(f"cannot read {path}: {reason(error)}") from error
        except RecursionError as error:
            raise FileError(f"{path} is no Endspiel file: its header is too deep") from error
        except (msgspec.MsgspecError, LookupError, ValueError, ArithmeticError) as error:
            raise FileError(f"{path} is damaged or no Endspiel file: {error}") from error
    return metadata, arrays


class _Entry(msgspec.Struct):
    """What a file's header says of one array."""

    dtype: str
    shape: list[Annotated[int, msgspec.Meta(ge=0)]]
    data_offsets: tuple[
        int, int
    ]  # of its first byte after the header, and of the one past its last


def _view(content: mmap.mmap, begin: int, entry: _Entry) -> NDArray[Any]:
    """One mapped array; ValueError where its bytes do not make one."""
    first, last = entry.data_offsets
    dtype = np.dtype(_DTYPES[entry.dtype])
    if last - first != dtype.itemsize * math.prod(entry.shape):
        raise ValueError("an array's bytes do not fit its type")
    if first < 0 or (begin + first) % dtype.itemsize:
        raise ValueError("an array does not begin where its type can")
    flat = np.frombuffer(content, dtype, math.prod(entry.shape), begin + first)
    if dtype == np.bool_ and flat.view(np.uint8).max(initial=0) > 1:
        raise ValueError("a truth is neither 0 nor 1")
    return flat.reshape(entry.shape)


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
