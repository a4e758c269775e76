"""The control groups that this process is in: where a container's limits are written."""

from pathlib import Path

GROUPS = Path("/sys/fs/cgroup")


def group_folders(root: Path) -> set[Path]:
    """The groups of this process below a root, from its own up to the root; some may not exist."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        lines = []
    folders = {root}
    for path in [line.split(":", 2)[2] for line in lines if line.count(":") >= 2]:
        folder = root / path.lstrip("/")
        folders |= {folder, *(above for above in folder.parents if above.is_relative_to(root))}
    return folders
