"""Each file against the manifest: where it differs, the cells that were changed."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa

from forgeteval.errors import UserError
from forgeteval.foreign import reading
from lethe.fingerprints import sha256_of
from lethe.parquet import Row, check_foreign, read_arrow, read_foreign
from lethe.schemas import TABLES
from lethe.trust.digests import table_digests
from lethe.trust.folder import FOLDERS, Folder, is_too_large
from lethe.trust.record import Audit

_SHOWN = 10
"""How many differing cells of one file are named."""
_LONGEST = 600
_TABLES = {table.name: table for table in TABLES}


def check_unchanged(
    folder: Folder, entries: Mapping[str, Row], audit: Audit, ending: Mapping[str, str] | None = None
) -> frozenset[str]:
    """Look at each file once: one finding for each that is missing, was changed or added, or is named by a path out of
    the folder.

    Args:
        ending: files that ended a process that read them, with how; they are not read.

    Returns:
        The files that may be read: listed, regular, and none that would fill the memory.
    """
    audit.findings += folder.findings
    readable: set[str] = set()
    for name, entry in audit.each("files", entries.items()):
        how = (ending or {}).get((folder.root / name).as_posix())
        audit.collect(name, [f"{name}: {how}"] if how else _check_listed(folder, name, entry, readable))
    audit.findings += [f"{name}: not in the manifest" for name in folder.unlisted(entries)]
    audit.checked["files"] = len(folder.files.intersection(entries))
    return frozenset(readable)


def _check_listed(folder: Folder, name: str, entry: Row, readable: set[str]) -> Iterator[str]:
    if not _is_inside(name):
        yield f"{name}: the manifest names a path that is not in {', '.join(FOLDERS)}"
    elif name in folder.files:
        yield from _check_file(folder.root / name, name, entry, readable)
    elif (folder.root / Path(name).parts[0]).is_dir():
        yield f"{name}: missing"


def _is_inside(name: str) -> bool:
    path = Path(name)
    return name == path.as_posix() and path.parts[:1] in {(top,) for top in FOLDERS} and ".." not in path.parts


def _check_file(path: Path, name: str, entry: Row, readable: set[str]) -> Iterator[str]:
    size = path.stat().st_size
    # What no audit reads may be of any size, unless the manifest lists it.
    if is_too_large(name, size):
        yield f"{name}: too large to be read: {size} bytes"
        return
    reading(path.as_posix())
    same = sha256_of(path) == entry["sha256"]
    if same and size != entry["bytes"]:
        yield f"{name}: {size} bytes; the manifest says {entry['bytes']}"
    if path.suffix != ".parquet":
        readable.add(name)
        if not same:
            yield f"{name}: changed since it was written"
        return
    since = "" if same else "changed since it was written; "
    try:
        check_foreign(path)
        readable.add(name)
        yield from _check_kind(path, name, entry) if same else _changed(name, read_foreign(path), entry)
    except UserError as error:
        yield f"{name}: {since}{error}"
    except (ValueError, OverflowError) as error:
        yield f"{name}: {since}the manifest's digests of it are damaged ({error})"


def _changed(name: str, data: pa.Table, entry: Row) -> list[str]:
    return list(_changed_cells(name, data, entry)) or [f"{name}: written again since; its cells are the same"]


def _check_kind(path: Path, name: str, entry: Row) -> Iterator[str]:
    """Schema, key and number of rows of an unchanged Parquet file."""
    table = _TABLES.get(entry["table"] or "")
    if table is None:
        yield f"{name}: holds {entry['table']!r}, which this version of the package does not know"
        return
    try:
        rows = read_arrow(path, table).num_rows
    except UserError as error:
        yield f"{name}: {error}"
        return
    if rows != entry["rows"]:
        yield f"{name}: {rows} rows; the manifest says {entry['rows']}"
    elif any(_changed_cells(name, read_foreign(path), entry)):
        yield f"{name}: the manifest's digests are not those of its cells"


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
        yield f"{name}: {place}: {value}"[:_LONGEST]
    if len(rows) > _SHOWN:
        yield f"{name}: {len(rows) - _SHOWN} more rows differ in {', '.join(columns)}"
