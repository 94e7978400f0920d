"""The audit of a results folder: every file against the manifest, every table against the Parquet it follows from."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lethe import schemas
from lethe.analysis.inputs import PROJECT_PUBLISHED, PUBLISHED_FILE, Files, paths_of
from lethe.analysis.setup import Setup
from lethe.audit.compare import compare_form
from lethe.audit.digests import table_digests
from lethe.audit.manifest import MANIFEST_FILE, VERSIONS_FILE, listed_files
from lethe.audit.recipe import RECIPE_FILE, read_recipe
from lethe.errors import LetheError
from lethe.fingerprints import sha256_of
from lethe.parquet import Row, read_arrow, read_rows
from lethe.schemas import MANIFEST, Table
from lethe.tables.registry import TableSpec, all_paths, build, table_specs
from lethe.tables.writing import RENDERERS, TABLE_FORMS

_SHOWN = 10
"""How many differing cells of one file are named."""
_TABLES: dict[str, Table] = {table.name: table for table in vars(schemas).values() if isinstance(table, Table)}


@dataclass(slots=True)
class Audit:
    """Counts of what was checked, and what was found wrong, one line each."""

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
        remedy = "name the folder that holds results/, or run `snakemake paper_tables`, which writes it"
        raise LetheError(f"{root / MANIFEST_FILE}: no manifest here; {remedy}")
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


def _check_file(root: Path, name: str, entry: Row) -> list[str]:
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
    return list(_changed_cells(name, data, entry)) or [f"{name}: written again since; its cells are the same"]


def _check_kind(path: Path, name: str, entry: Row) -> list[str]:
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


def _changed_cells(name: str, data: pa.Table, entry: Row) -> Iterator[str]:
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


def _check_tables(root: Path, entries: Mapping[str, Row], found: Audit) -> Iterator[str]:
    """Rebuild each table of the registry from the Parquet and compare its forms with those that were handed on."""
    if not (root / RECIPE_FILE).is_file():
        return
    try:
        recipe = read_recipe(root)
        specs = table_specs(Setup.from_json(recipe.setup))
    except Exception as error:  # noqa: BLE001 - whatever a tampered record makes the registry raise
        yield f"{RECIPE_FILE}: {type(error).__name__}: {error}"
        return
    own = sha256_of(PROJECT_PUBLISHED)
    if recipe.published_sha256 != own:
        built_from = f"the tables were built from a {PUBLISHED_FILE} of SHA-256 {recipe.published_sha256}"
        yield f"{RECIPE_FILE}: {built_from}; the project's is of {own}"
    expected = all_paths(specs)
    for path in sorted({*recipe.inputs} ^ {*expected}):
        fault = "is not named, but is read" if path in expected else "is named, but no table reads it"
        yield f"{RECIPE_FILE}: {path} {fault}"
    outside = {path for path in {*recipe.inputs, *expected} - {PUBLISHED_FILE} if _leaves(root, path)}
    for path in sorted(outside):
        yield f"{RECIPE_FILE}: {path}: leaves the folder"
    files = Files(root)
    for spec in specs:
        if outside.isdisjoint(paths_of(spec.inputs)):
            found.tables += 1
            yield from _check_table(spec, files, entries)


def _leaves(root: Path, path: str) -> bool:
    return not (root / path).resolve().is_relative_to(root.resolve())


def _check_table(spec: TableSpec, files: Files, entries: Mapping[str, Row]) -> Iterator[str]:
    try:
        table = build(spec, files)
        forms = {path.format(name=spec.name): RENDERERS[form](table) for form, path in TABLE_FORMS.items()}
    except Exception as error:  # noqa: BLE001 - whatever tampered results make a builder raise
        yield f"{RECIPE_FILE}: table {spec.name} cannot be rebuilt ({type(error).__name__}: {error})"
        return
    for path, made in forms.items():
        handed = files.root / path
        if _leaves(files.root, path):
            yield f"{path}: leaves the folder"
        elif handed.is_file():
            yield from compare_form(path, made, handed.read_text(encoding="utf-8", errors="replace"))
        elif hashlib.sha256(made.encode()).hexdigest() != entries.get(path, {}).get("sha256"):
            yield f"{path}: does not follow from the results"
