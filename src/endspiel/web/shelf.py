"""Small things kept on disk, a JSON file each: reports, ranges, what was drilled."""

import threading
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from msgspec import Struct

from endspiel.errors import FileError
from endspiel.web.messages import Refused
from endspiel.web.store import ID, new_id


class Kept(Struct, kw_only=True):
    """Base of what is kept: its id is its file's name."""

    id: str


Thing = TypeVar("Thing", bound=Kept)


class Shelf(Generic[Thing]):
    """The things of one kind in a folder; read once, written whenever one changes."""

    def __init__(self, folder: Path, kind: type[Thing], what: str, most: int) -> None:
        self.folder, self.kind, self.what, self.most = folder, kind, what, most
        self._lock = threading.RLock()
        self._things: dict[str, Thing] = {}
        self.look_again()

    def look_again(self) -> None:
        """Take over what others have put into the folder."""
        with self._lock:
            self._things |= {thing.id: thing for thing in self._read()}

    def _read(self) -> list[Thing]:
        """What is there and not yet known; what cannot be read is left alone."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            if not ID.fullmatch(path.stem) or path.stem in self._things:
                continue
            try:
                thing = msgspec.json.decode(path.read_bytes(), type=self.kind)
            except (OSError, msgspec.MsgspecError):
                continue
            if thing.id == path.stem:
                found.append(thing)
        return found

    def all(self) -> list[Thing]:
        """All of them."""
        with self._lock:
            return list(self._things.values())

    def get(self, name: str) -> Thing:
        """The one of an id."""
        with self._lock:
            found = self._things.get(name)
        if found is None:
            raise Refused(f"there is no {self.what} {name[:20]!r}", "id", 404)
        return found

    def put(self, thing: Thing) -> None:
        """Keep a thing, new or changed, atomically."""
        with self._lock:
            if thing.id not in self._things and len(self._things) >= self.most:
                raise Refused(f"there are {self.most} of a {self.what}: delete some", "", 409)
            write_json(self.folder / f"{thing.id}.json", thing)
            self._things[thing.id] = thing

    def forget(self, name: str) -> None:
        """Delete a thing."""
        with self._lock:
            thing = self.get(name)
            (self.folder / f"{thing.id}.json").unlink(missing_ok=True)
            del self._things[thing.id]


def write_json(path: Path, content: Struct) -> None:
    """Write a file whole or not at all."""
    beside = path.with_name(f"{new_id()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(msgspec.json.encode(content))
        beside.replace(path)
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
