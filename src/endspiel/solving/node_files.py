"""Nodes of a solution as files: CSV, one row a hand, and JSON."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from endspiel.errors import FileError
from endspiel.solving.views import NodeView

COLUMNS = ("node", "board", "player", "hand", "weight", "equity", "action", "probability", "ev")


def write_csv(path: Path, views: Iterable[NodeView], named: bool) -> None:
    """One row a hand; of many nodes, one row a node, hand and action.

    A single node's file has a column for each action, as locks read it. Nodes have different
    actions, which is why nodes share the columns node, board, player, hand, weight, action.
    """
    try:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            if named:
                _write_many(writer, views)
                return
            for view in views:
                for i, row in enumerate(view.rows()):
                    if i == 0:
                        writer.writerow(row)
                    writer.writerow("" if cell is None else cell for cell in row.values())
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error


def _write_many(writer: Any, views: Iterable[NodeView]) -> None:
    writer.writerow(COLUMNS)
    for view in views:
        about = [view.node, view.summary()["board"], view.player]
        for row in view.rows():
            hand = [*about, row["hand"], row["weight"], row["equity"]]
            for word in view.actions:
                cells = [*hand, word, row[word], row[f"ev {word}"]]
                writer.writerow("" if cell is None else cell for cell in cells)


def write_nodes(path: Path, views: Iterable[NodeView], many: bool) -> None:
    """One node as a JSON object, or many as a list."""
    try:
        with path.open("wb") as file:
            if many:
                for i, view in enumerate(views):
                    file.write(b",\n" if i else b"[\n")
                    file.write(msgspec.json.encode(view.record()))
                file.write(b"\n]\n")
                return
            for view in views:
                file.write(msgspec.json.format(msgspec.json.encode(view.record())) + b"\n")
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
