"""Writes `src/endspiel/native/core/layout.h`: the structures that kernels and Python share.

`python tools/native_layout.py` after a change of one of them; a test compares the two.
"""

from enum import IntEnum
from pathlib import Path

from endspiel.abstraction.clustering_kernels import Family
from endspiel.abstraction.river import RiverLimits
from endspiel.betting.tree import KIND_NAMES
from endspiel.blueprint import train_products
from endspiel.cards.board_hands import BoardSide
from endspiel.cards.isomorphism_kernels import RankSets, RoundTables
from endspiel.cards.strength import Evaluator
from endspiel.cards.strength_tables import StrengthTables
from endspiel.endgame.river.game import HeldHands
from endspiel.gpu.table_kernels import BoardLinks, Dealt, Filled, Slots
from endspiel.kernels import board_arrays
from endspiel.kernels.arrays import CompressedRows, DenseEnds, Discounts, PlexArrays, Side
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, ShortSums, Tables
from endspiel.kernels.packing import PackedShape
from endspiel.kernels.response import BoardHands, StreetLines
from endspiel.kernels.sampled_arrays import HANDS, BoardDeal, Lane, LaneTables, Lines, Rivers, Room
from endspiel.kernels.tree_newton import Factors, TreeArrays
from endspiel.native.boundary import header
from endspiel.values.flop_kernels import NearBuckets

HEADER = Path(__file__).parents[1] / "src" / "endspiel" / "native" / "core" / "layout.h"
SHARED = (
    *(Tables, ShortSums, KernelStore, BoardWalk),
    *(PlexArrays, Discounts, CompressedRows, DenseEnds, Side),
    *(StreetLines, BoardHands, HeldHands),
    *(TreeArrays, Factors),
    *(StrengthTables, Evaluator, BoardSide),
    *(RankSets, RoundTables),
    *(RiverLimits, Family),
    *(NearBuckets, Slots, Filled, Dealt, BoardLinks),
    PackedShape,
    *(LaneTables, BoardDeal, Lines, Rivers),
)
ROWS = Meta, Lane, Room  # of an array of integers, by the names of its columns
DISCOUNTS = ("POSITIVE", "NEGATIVE", "AVERAGE", "DITHER", "FRESH", "GROWN", "SCHEDULE_COLUMNS")
PRODUCTS = ("TILE", "COLUMNS")


def row(columns: type[IntEnum]) -> str:
    """The C text of a row of integers that has named columns."""
    fields = [f"  int64_t {column.name.lower()};" for column in columns]
    return "\n".join([f"struct {columns.__name__} {{", *fields, "};"])


def layout() -> str:
    """The text of the header."""
    kinds = [f"  {name.upper()} = {value}," for value, name in enumerate(KIND_NAMES)]
    discounts = [f"  {name} = {getattr(board_arrays, name)}," for name in DISCOUNTS]
    products = [f"constexpr int {name} = {getattr(train_products, name)};" for name in PRODUCTS]
    return "\n".join(
        [
            "// Made by tools/native_layout.py of the structures in Python: change them there.",
            "#pragma once",
            "#include <stdint.h>",
            "",
            "namespace columns {  // see kernels/board_arrays.py",
            "",
            "enum Schedule {",
            *discounts,
            "};",
            "",
            "}  // namespace columns",
            "",
            "namespace kinds {  // of nodes, see betting/tree.py",
            "",
            "enum Node {",
            *kinds,
            "};",
            "",
            "}  // namespace kinds",
            "",
            f"constexpr int64_t BOARD_HANDS = {HANDS};  // see kernels/sampled_arrays.py",
            "",
            "namespace products {  // see blueprint/train_products.py",
            "",
            *products,
            "",
            "}  // namespace products",
            "",
            "\n\n".join([*map(row, ROWS), *map(header, SHARED)]),
            "",
        ]
    )


if __name__ == "__main__":
    HEADER.write_text(layout())
