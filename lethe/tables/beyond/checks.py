"""The table that checks a suite: how alike its cases are."""

from collections.abc import Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import main, record
from lethe.tables.table import Cell, Table


def _suite(setup: Setup) -> str:
    return setup.suite_labels[setup.adversarial_suite].lower()


@table("near_duplicates", inputs=(main(schemas.NEAR_DUPLICATES), record))
def near_duplicates_table(measures: Sequence[Row], setup: Setup) -> Table:
    """Each measure with its threshold, the pairs at or above it, and the most alike pair.

    Args:
        measures: rows of `lethe.schemas.NEAR_DUPLICATES`.
    """

    def shown(row: Row) -> list[Cell]:
        pair = cells.DASH if row["first"] is None else cells.text(f"{row['first']}, {row['second']}")
        return [
            cells.label(row["measure"]),
            cells.number(row["threshold"], 2),
            cells.count(row["pairs"]),
            pair,
            cells.number(row["similarity"], 3),
        ]

    return Table(
        "near_duplicates",
        f"Near-duplicates in the {_suite(setup)} suite: meaning compares all memories of two cases by embedding, row "
        "their most alike memories, shape their texts with names and numbers masked.",
        ("Measure", "Threshold", "Pairs", "Most alike", "Similarity"),
        [[shown(row) for row in measures]],
        wide=True,
        kinds=("label", "number", "number", "id", "number"),
    )
