"""The label partition table: cases by what the reference row and its hooked twin make of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from lethe.analysis.label_partition import LABELS
from lethe.analysis.published import Published
from lethe.tables.cells import PaperTable

Row = Mapping[str, Any]

_PUBLISHED = {"lethe": "Lethe", "mem0": "Mem0", "lethe+llm": "Lethe+LLM"}
_TOTAL = "total"


def label_partition_table(
    partition: Sequence[Row], systems: Mapping[str, Mapping[str, Any]], reference: str, label: str, published: Published
) -> PaperTable:
    """Passes of each row on each label (paper, Table "label_partition", rows and columns exchanged), and the paper's.

    Args:
        partition: rows of `lethe.schemas.LABEL_PARTITION` of one suite.
        systems: the rows of the tables by name, with their labels.
        reference: label of the reference system.
        label: the suite's name in tables.
    """
    by_key = {(row["hooked"], row["label"], row["row"]): row for row in partition}
    rows = [name for name in systems if any(name == row["row"] for row in partition)]
    hooked = list(dict.fromkeys(row["hooked"] for row in partition))
    present = {row["label"] for row in partition} | set(published.rows("label_partition"))
    labels = [name for name in LABELS if name in present]

    def section(split: str) -> list[list[str]]:
        name = str(systems[split]["label"]) if split else "–"
        found = {row: [by_key.get((split, part, row)) for part in labels] for row in rows}
        sizes = ["" if cell is None else str(cell["cases"]) for cell in found[rows[0]]]
        return [
            ["cases", name, *sizes, str(sum(cell["cases"] for cell in found[rows[0]] if cell))],
            *([str(systems[row]["label"]), name, *map(_cell, cells), _total(cells)] for row, cells in found.items()),
        ]

    return PaperTable(
        "label_partition",
        f"Post-hoc label partition of the {label.lower()} suite, measured here, substring scorer: cases passed "
        f"(percent). Core cases are manual; of the others, easy are those that {reference} passes; those that it fails "
        "are llm_lift where its hooked twin passes them and unsolvable where that fails them too, and hard where no "
        "hooked twin ran. The labels restate these two rows' verdicts; they serve to read the other rows by. Below, "
        "what the paper published, on cases of its own.",
        ("System", "split by", *labels, _TOTAL),
        [*map(section, hooked), _printed(published, labels)],
        [] if any(hooked) else [f"No hooked twin of {reference} ran: no model configured."],
        wide=True,
    )


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    if row["na"] == row["cases"]:
        return "N/A"
    return f"{row['passed']} ({100 * row['passed'] / row['cases']:.0f})" + (f" [{row['na']}]" if row["na"] else "")


def _total(cells: Sequence[Row | None]) -> str:
    found = [row for row in cells if row is not None]
    return _cell({name: sum(row[name] for row in found) for name in ("cases", "passed", "na")})


def _printed(published: Published, labels: Sequence[str]) -> list[list[str]]:
    table = "label_partition"

    def cell(part: str, system: str) -> str:
        cases, percent = (published.find(table, part, system, unit) for unit in ("cases", "percent"))
        return "" if cases is None or percent is None else f"{cases.value} ({percent.value})"

    parts = [*labels, _TOTAL]
    sizes = (published.find(table, part, "n", "count") for part in parts)
    return [
        ["published: cases", "Lethe+LLM", *("" if size is None else str(size.value) for size in sizes)],
        *(
            [f"published: {name}", "Lethe+LLM", *(cell(part, key) for part in parts)]
            for key, name in _PUBLISHED.items()
        ),
    ]
