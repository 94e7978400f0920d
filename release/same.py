"""A finished run beside the one in another folder, by what their manifests say of each row; times are left out."""

import argparse
import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from forgeteval.errors import UserError, one_line_errors
from lethe.parquet import Row, read_rows
from lethe.schemas import MANIFEST
from lethe.trust.digests import table_digests
from lethe.trust.folder import MANIFEST_FILE

COMPARED = tuple(
    f"results/{name}/" for name in ("runs", "analysis", "tables", "long", "erasure", "crosseval", "store_size")
)
_TIME = re.compile(r".*_(ms|s)|wall_.*|.*fingerprint|producer")
"""Columns that differ from run to run, or from code to code."""
_TIMED_HEAD = re.compile(r"\b(ms|s)(/|\)|$)")
"""Heads of such columns in a written table."""
_UNITS_OF_TIME = ("ms", "s")
_TIMED_CELL = re.compile(r"(^| )(ms|s)\b")
"""In a written cell the unit of a time, wherever it stands."""
_LONGEST = 300


@dataclass(slots=True)
class Comparison:
    """What two runs have in common.

    Attributes:
        equal: how many files are equal, times aside.
        different: each other file, with the first row that differs.
        only_here, only_there: files that one of the runs lacks.
    """

    equal: int = 0
    different: dict[str, str] = field(default_factory=dict)
    only_here: list[str] = field(default_factory=list)
    only_there: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """What is said of it."""
        yield from (f"{name}: {said:.{_LONGEST}}" for name, said in self.different.items())
        yield from (f"{name}: only here" for name in self.only_here)
        yield from (f"{name}: only there" for name in self.only_there)
        here, there = len(self.only_here), len(self.only_there)
        yield f"{self.equal} files equal, {len(self.different)} differ, {here} only here, {there} only there"


def compare_runs(here: Path, there: Path) -> Comparison:
    """Compare the results of two finished runs, file by file.

    Raises:
        UserError: where one of the folders has no manifest.
    """
    own, other = _listed(here), _listed(there)
    found = Comparison(only_here=sorted(own.keys() - other.keys()), only_there=sorted(other.keys() - own.keys()))
    for name in sorted(own.keys() & other.keys()):
        said = None if _same_digests(own[name], other[name]) else first_difference(name, here / name, there / name)
        if said is None:
            found.equal += 1
        else:
            found.different[name] = said
    return found


def _listed(root: Path) -> dict[str, Row]:
    path = root / MANIFEST_FILE
    if not path.is_file():
        raise UserError(f"{path}: missing; name the folder of a finished run")
    return {row["file"]: row for row in read_rows(path, MANIFEST) if row["file"].startswith(COMPARED)}


def _same_digests(own: Row, other: Row) -> bool:
    """Whether the manifests alone say that two files are the same, times aside."""
    if own["sha256"] == other["sha256"]:
        return True
    if own["rows"] is None or own["rows"] != other["rows"]:
        return False
    mine, theirs = (
        {name: digest for name, digest in zip(row["columns"], row["column_digests"], strict=True) if not _is_time(name)}
        for row in (own, other)
    )
    return mine == theirs


def first_difference(name: str, own: Path, other: Path) -> str | None:
    """The first row that differs, in words; none where only times do."""
    if name.endswith(".parquet"):
        return _first_row(own, other)
    if name.endswith(".json"):
        return _first_line(own, other)
    return "other bytes"


def _first_row(own: Path, other: Path) -> str | None:
    mine, theirs = (_without_times(pq.read_table(path)) for path in (own, other))
    if mine.column_names != theirs.column_names:
        return f"columns {', '.join(sorted({*mine.column_names} ^ {*theirs.column_names})) or 'in another order'}"
    shared = min(mine.num_rows, theirs.num_rows)
    rows = (table_digests(data).rows[:shared] for data in (mine, theirs))
    differing = np.flatnonzero(np.not_equal(*rows))
    if differing.size:
        row = int(differing[0])
        return _said(row, *(data.slice(row, 1).to_pylist()[0] for data in (mine, theirs)))
    return f"{mine.num_rows} rows here, {theirs.num_rows} there" if mine.num_rows != theirs.num_rows else None


def _without_times(data: Any) -> Any:
    """The table without columns of times, and without rows whose unit is one of time."""
    kept = data.select([name for name in data.column_names if not _is_time(name)])
    if "unit" not in kept.column_names:
        return kept
    return kept.filter([unit not in _UNITS_OF_TIME for unit in kept["unit"].to_pylist()])


def _first_line(own: Path, other: Path) -> str | None:
    mine, theirs = (_table(json.loads(path.read_text(encoding="utf-8"))) for path in (own, other))
    for row, (ours, others) in enumerate(zip(mine, theirs, strict=False)):
        if ours != others:
            return _said(row, ours, others)
    return f"{len(mine) - 1} rows here, {len(theirs) - 1} there" if len(mine) != len(theirs) else None


def _table(data: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """What a table says around its rows, then each row by the heads of its columns; times are left out."""
    groups = data.get("groups") or [""] * len(data["header"])
    heads = [f"{group} {head}" if group else head for group, head in zip(groups, data["header"], strict=True)]
    kept = [place for place, head in enumerate(heads) if not _TIMED_HEAD.search(head)]
    rows = [row for section in data["sections"] for row in section if not _is_timed(row)]
    around = {name: value for name, value in data.items() if name != "sections"}
    return [around, *({heads[place]: row[place] for place in kept} for row in rows)]


def _is_timed(row: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a row compares times, as a published one with the one that was measured."""
    return any(_TIMED_CELL.search(str(cell.get("text", ""))) for cell in row)


def _is_time(column: str) -> bool:
    return _TIME.fullmatch(column) is not None


def _said(row: int, own: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
    return f"row {row}: " + "; ".join(f"{name} is {own.get(name)!r} here, {other.get(name)!r} there" for name in names)


def main() -> None:
    """Compare from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=Path())
    parser.add_argument("reference", type=Path)
    given = parser.parse_args()
    with one_line_errors():
        found = compare_runs(given.results, given.reference)
        print("\n".join(found.lines()))
        sys.exit(1 if found.different or found.only_there else 0)


if __name__ == "__main__":
    main()
