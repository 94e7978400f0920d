"""The audit of a results folder: every file against the manifest, every table against the Parquet it follows from."""

import csv
import io
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lethe import schemas
from lethe.audit.digests import table_digests
from lethe.audit.manifest import MANIFEST_FILE, VERSIONS_FILE, listed_files, sha256_of
from lethe.audit.recipes import follow_recipe, read_recipes
from lethe.errors import LetheError
from lethe.parquet import read_arrow, read_rows
from lethe.schemas import MANIFEST, Table

_SHOWN = 10
"""How many differing cells of one file are named."""
_TABLES: dict[str, Table] = {table.name: table for table in vars(schemas).values() if isinstance(table, Table)}


@dataclass(slots=True)
class Audit:
    """What was checked, and what was found wrong, one line each."""

    files: int = 0
    tables: int = 0
    findings: list[str] = field(default_factory=list)
    versions: Mapping[str, Any] = field(default_factory=dict)


def audit(root: Path) -> Audit:
    """Check everything below `root`, which holds `results` and, if they were handed on, `paper_tables` and `figures`.

    Raises:
        LetheError: where there is no manifest to check against.
    """
    if not (root / MANIFEST_FILE).is_file():
        mend = "name the folder that holds results/, or run `snakemake paper_tables`, which writes it"
        raise LetheError(f"{root / MANIFEST_FILE}: no manifest here; {mend}")
    entries = {row["file"]: row for row in read_rows(root / MANIFEST_FILE, MANIFEST)}
    found = Audit()
    for name, entry in entries.items():
        handed_on = (root / Path(name).parts[0]).is_dir()
        if handed_on:
            found.files += 1
            found.findings += _check_file(root, name, entry)
    found.findings += [
        f"{name}: not in the manifest" for name in map(Path.as_posix, listed_files(root)) if name not in entries
    ]
    found.findings += _check_tables(root, entries, found)
    versions = root / VERSIONS_FILE
    found.versions = json.loads(versions.read_text(encoding="utf-8")) if versions.is_file() else {}
    if not found.versions:
        found.findings.append(f"{VERSIONS_FILE}: missing")
    return found


def _check_file(root: Path, name: str, entry: Mapping[str, Any]) -> list[str]:
    path = root / name
    if not path.is_file():
        return [f"{name}: missing"]
    if sha256_of(path) == entry["sha256"]:
        return _check_kind(path, name, entry)
    if path.suffix != ".parquet":
        return [f"{name}: changed since it was written"]
    try:
        data = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        return [f"{name}: changed since it was written; cannot be read as Parquet ({error})"]
    return list(_changed_cells(name, data, entry)) or [f"{name}: written anew since; its cells are the same"]


def _check_kind(path: Path, name: str, entry: Mapping[str, Any]) -> list[str]:
    """Schema, key and number of rows of an unchanged Parquet file."""
    if path.suffix != ".parquet":
        return []
    table = _TABLES.get(entry["table"] or "")
    if table is None:
        return [f"{name}: holds {entry['table']!r}, which this version of the package does not know"]
    try:
        rows = read_arrow(path, table).num_rows
    except LetheError as error:
        return [f"{name}: {error}"]
    return [] if rows == entry["rows"] else [f"{name}: {rows} rows; the manifest says {entry['rows']}"]


def _changed_cells(name: str, data: pa.Table, entry: Mapping[str, Any]) -> Iterator[str]:
    """Name the cells, columns or rows that differ from what the manifest remembers."""
    digests = table_digests(data)
    remembered = dict(zip(entry["columns"], (int(d, 16) for d in entry["column_digests"]), strict=True))
    for column in remembered.keys() - digests.columns.keys():
        yield f"{name}: column {column} is gone"
    for column in digests.columns.keys() - remembered.keys():
        yield f"{name}: column {column} was added"
    if data.num_rows != entry["rows"]:
        yield f"{name}: {data.num_rows} rows; the manifest says {entry['rows']}"
        return
    columns = [column for column, digest in digests.columns.items() if remembered.get(column, digest) != digest]
    before = np.array([int(digest, 16) for digest in entry["row_digests"]], dtype=np.uint64)
    rows = np.flatnonzero(digests.rows != before).tolist()
    table = _TABLES.get(entry["table"] or "")
    for row in rows[:_SHOWN]:
        key = {column: data[column][row].as_py() for column in (table.key if table else ()) if column in remembered}
        value = "; ".join(f"{column} is now {data[column][row].as_py()!r}" for column in columns)
        place = ", ".join(f"{column} {part}" for column, part in key.items()) or f"row {row}"
        yield f"{name}: {place}: {value}"[:600]
    if len(rows) > _SHOWN:
        yield f"{name}: {len(rows) - _SHOWN} more rows differ in {', '.join(columns)}"


def _check_tables(root: Path, entries: Mapping[str, Mapping[str, Any]], found: Audit) -> Iterator[str]:
    """Make each table anew from the Parquet and compare it with the one that was handed on, or with its checksum."""
    for name, recipe in read_recipes(root).items():
        with tempfile.TemporaryDirectory(prefix="lethe-audit-") as folder:
            try:
                outputs = follow_recipe(recipe, root, Path(folder))
            except (SystemExit, Exception) as error:  # noqa: BLE001 - whatever tampered results make a script raise
                yield f"recipes/{name}.json: cannot be followed ({type(error).__name__}: {error})"
                continue
            for output in outputs:
                if Path(output).suffix not in (".csv", ".tex"):
                    continue
                found.tables += 1
                made, handed = Path(folder) / output, root / output
                if handed.is_file():
                    yield from _compare(output, made, handed)
                elif sha256_of(made) != entries.get(output, {}).get("sha256"):
                    yield f"{output}: does not follow from the results"


def _compare(name: str, made: Path, handed: Path) -> Iterator[str]:
    expected, given = made.read_text(encoding="utf-8"), handed.read_text(encoding="utf-8")
    if expected == given:
        return
    if handed.suffix != ".csv":
        yield f"{name}: does not follow from the results"
        return
    wanted, found = (list(csv.reader(io.StringIO(text))) for text in (expected, given))
    if [len(row) for row in wanted] != [len(row) for row in found]:
        yield f"{name}: has other rows or columns than follow from the results"
        return
    header = wanted[0]
    for wanted_row, found_row in zip(wanted, found, strict=True):
        for column, (cell, shown) in enumerate(zip(wanted_row, found_row, strict=True)):
            if cell != shown:
                yield f"{name}: {found_row[0]}, {header[column]}: says {shown!r}; the results give {cell!r}"
