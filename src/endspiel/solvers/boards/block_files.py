"""A decomposed run on disk: a file a flop in two versions, and a manifest that says which counts.

Blocks of the next version are written beside those that count; the manifest is replaced last. Each
of these is written whole and renamed, with a checksum. A process that is killed at any moment
leaves one version that is complete, and a run goes on from it.
"""

from pathlib import Path
from typing import Any

from endspiel import files
from endspiel.checking import check_finite, take
from endspiel.engine.run import Checkpoint
from endspiel.errors import FileError
from endspiel.solvers.boards.trunk import part_of

MANIFEST_KIND, BLOCK_KIND = "manifest", "block"
MANIFEST = "manifest.es"
TRUNK = "trunk"


class BlockCheckpoint(Checkpoint):
    """A checkpoint that is a folder: `path` names it."""

    def write(self, record: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Write the version that does not count, then let it count."""
        version = 1 - self._manifest().get("version", 1)
        blocks: dict[str, dict[str, Any]] = {}
        for key, array in arrays.items():
            flop = part_of(key)[1]
            blocks.setdefault(TRUNK if flop < 0 else f"flop-{flop}", {})[key] = array
        about = {"version": version, "iteration": int(arrays["iteration"][0])}
        files.make_folder(self.path)
        for name, parts in blocks.items():
            files.save(self._block(name, version), BLOCK_KIND, about, parts)
        files.save(self._place, MANIFEST_KIND, {**record, **about, "blocks": list(blocks)}, {})

    def read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The manifest and all arrays, mapped, of the version that counts, if there is one."""
        files.check_folder(self.path)
        manifest, arrays = self._manifest(), {}
        for name in manifest.get("blocks", ()):
            for version in (0, 1):
                files.remove_leftovers(self._block(name, version))
            place = self._block(name, manifest["version"])
            about, parts = files.map_file(place, BLOCK_KIND)
            if about["iteration"] != manifest["iteration"]:
                raise FileError(
                    f"{place} is of iteration {about['iteration']}, not {manifest['iteration']}"
                )
            arrays.update(parts)
        return (manifest, arrays) if manifest else None

    def check(self, own: dict[str, Any], arrays: dict[str, Any]) -> None:
        """Refuse arrays that are not such as a solver's own; packed ones have any length."""
        if own.keys() != arrays.keys():
            raise FileError(f"it has the arrays of another deck: {len(arrays)}, not {len(own)}")
        for name, array in arrays.items():
            shape = array.shape if part_of(name)[0].startswith("packed") else own[name].shape
            take(arrays, name, own[name].dtype, shape)
            check_finite(name, array)

    @property
    def _place(self) -> Path:
        return self.path / MANIFEST

    def _block(self, name: str, version: int) -> Path:
        return self.path / f"{name}.{version}.es"

    def _manifest(self) -> dict[str, Any]:
        files.remove_leftovers(self._place)
        return files.load(self._place, MANIFEST_KIND)[0] if self._place.exists() else {}
