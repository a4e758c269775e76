"""Writes `src/endspiel/native/core/layout.h`: the structures that kernels and Python share.

`python tools/native_layout.py` after a change of one of them; a test compares the two.
"""

from pathlib import Path

from endspiel.abstraction.clustering_kernels import Family
from endspiel.abstraction.river import RiverLimits
from endspiel.blueprint import train_products
from endspiel.cards.board_hands import BoardSide
from endspiel.cards.isomorphism_kernels import RankSets, RoundTables
from endspiel.cards.strength import Evaluator
from endspiel.cards.strength_tables import StrengthTables
from endspiel.gpu.table_kernels import BoardLinks, Dealt, Filled, Slots
from endspiel.kernels import board_arrays
from endspiel.kernels.board_arrays import BoardWalk, KernelStore, Meta, Tables
from endspiel.native.boundary import header
from endspiel.values.flop_kernels import NearBuckets

HEADER = Path(__file__).parents[1] / "src" / "endspiel" / "native" / "core" / "layout.h"
SHARED = (
    *(Tables, KernelStore, BoardWalk),
    *(StrengthTables, Evaluator, BoardSide),
    *(RankSets, RoundTables),
    *(RiverLimits, Family),
    *(NearBuckets, Slots, Filled, Dealt, BoardLinks),
)
DISCOUNTS = ("POSITIVE", "NEGATIVE", "AVERAGE", "FRESH", "SCHEDULE_COLUMNS")
PRODUCTS = ("TILE", "COLUMNS")


def layout() -> str:
    """The text of the header."""
    columns = [f"  {column.name} = {column.value}," for column in Meta]
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
            "enum Meta {",
            *columns,
            f"  META_COLUMNS = {len(Meta)}",
            "};",
            "",
            "enum Schedule {",
            *discounts,
            "};",
            "",
            "}  // namespace columns",
            "",
            "namespace products {  // see blueprint/train_products.py",
            "",
            *products,
            "",
            "}  // namespace products",
            "",
            "\n\n".join(header(kind) for kind in SHARED),
            "",
        ]
    )


if __name__ == "__main__":
    HEADER.write_text(layout())
