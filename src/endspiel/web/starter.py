"""A library in the server's folder, built by a command: reports with every solution."""

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import msgspec

from endspiel.batch.boards import WeightedBoard
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.report_files import report_record
from endspiel.batch.running import BatchSetting
from endspiel.games.spot import Spot
from endspiel.ledger import key_of
from endspiel.progress import Observe
from endspiel.solvers.memory import format_bytes
from endspiel.web.reports import read_report, report_shelf
from endspiel.web.spots import file_bytes
from endspiel.web.store import ID_LETTERS, ServerFolder
from endspiel.web.stored_solutions import StoredSolutions

STATES = "library"  # the folder of what is finished


def starter_spots() -> list[Path]:
    """The spots that come with the package: single-raised and 3-bet pots at 100 big blinds."""
    folder = Path(str(resources.files("endspiel.web"))) / "data" / "starter"
    return sorted(folder.glob("*.toml"), reverse=True)


class LibraryPart(NamedTuple):
    """One spot on all boards."""

    name: str
    made: BoardReport
    report: str  # its id, the same whenever the same is asked
    file_bytes: int  # of all its solutions, about


class LibraryMaker:
    """Makes reports whose solutions stay; what is finished is not solved again."""

    def __init__(self, folder: Path, device: str) -> None:
        self.store, self.device = ServerFolder(folder), device
        (folder / STATES).mkdir(exist_ok=True)
        self.shelf = report_shelf(self.store)

    def part(
        self, name: str, spot: Spot, boards: Sequence[WeightedBoard], how: SpotMethod
    ) -> LibraryPart:
        """A report in the making; its state is a file that its question names."""
        asked = key_of(how.key(spot), [(board.name, board.weight) for board in boards])
        report = asked[:ID_LETTERS]
        sink = StoredSolutions(self.store, report, name, self.store.save)
        state = self.store.folder / STATES / f"{report}.jsonl"
        made = BoardReport(spot, boards, how, BatchSetting(1, self.device, state), sink=sink)
        return LibraryPart(name, made, report, file_bytes(how.prepare(made.spots[0])) * len(boards))

    def check(self, parts: Sequence[LibraryPart]) -> None:
        """Refuse a library that the disk has no space for; files of an earlier run count."""
        there = sum(path.stat().st_size for path in (self.store.folder / "jobs").glob("*.es"))
        needed = sum(part.file_bytes for part in parts)
        self.store.check_room(max(0, needed - there), f"a library of {format_bytes(needed)}")

    def make(self, part: LibraryPart, observe: Observe) -> None:
        """Solve what is missing; the report has what is done, also after Ctrl-C."""
        try:
            part.made.run(observe)
        finally:
            if part.made.rows:
                record = msgspec.json.encode(report_record(part.made, "flop"))
                self.shelf.put(read_report(part.name, record, part.report))
