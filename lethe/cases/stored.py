"""Cases as Parquet."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lethe.cases.case import Case, Mutation
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CASES


def write_suite(path: Path, cases: Sequence[Case], producer: str) -> None:
    """Write a suite's cases to Parquet."""
    rows = []
    for case in cases:
        row = {column.name: getattr(case, column.name) for column in CASES.columns}
        row["mutations"] = [{"op": m.op, "query": m.query, "text": m.text} for m in case.mutations]
        rows.append({name: list(value) if isinstance(value, tuple) else value for name, value in row.items()})
    write_rows(path, CASES, rows, producer)


def read_suite(path: Path) -> list[Case]:
    """Read a suite's cases from Parquet."""
    cases = []
    for row in read_rows(path, CASES):
        mutations = tuple(Mutation(**mutation) for mutation in row.pop("mutations"))
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
        }
        cases.append(Case(mutations=mutations, **values))
    return cases
