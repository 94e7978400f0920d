"""Reading and writing the workflow's Parquet tables: schema and key checked, written whole or not at all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from forgeteval.errors import UserError
from forgeteval.files import atomic_write
from lethe.schemas import SCHEMA_VERSION, Table

Row = Mapping[str, Any]
"""One row of a Parquet file; `lethe.schemas` names and types its columns."""


def write_rows(path: Path, table: Table, rows: Sequence[Mapping[str, Any]], producer: str) -> None:
    """Write `rows` as a Parquet file of the given kind.

    Args:
        producer: fingerprint of the code that made the rows, for the file's metadata.

    Raises:
        UserError: if a row violates the schema or the key, or the file cannot be written.
    """
    names = {column.name for column in table.columns}
    integers = [column.name for column in table.columns if column.type == pa.int64()]
    for row in rows:
        if row.keys() - names:
            raise UserError(f"{path}: {table.name} has no columns {sorted(row.keys() - names)}")
        for name in integers:
            if row.get(name) is not None and not isinstance(row[name], int):
                raise UserError(
                    f"{path}: rows do not fit the schema of {table.name} ({name}: {row[name]!r} is not a whole number)"
                )
    try:
        data = pa.Table.from_pylist(list(rows), schema=table.arrow)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowKeyError) as error:
        raise UserError(f"{path}: rows do not fit the schema of {table.name} ({error})") from error
    write_arrow(path, table, data, producer)


def write_arrow(path: Path, table: Table, data: pa.Table, producer: str) -> None:
    """Write an Arrow table of the given kind; see `write_rows`."""
    _check(path, table, data)
    metadata = {"schema_version": str(SCHEMA_VERSION), "table": table.name, "producer": producer}
    with atomic_write(path) as stream:
        pq.write_table(data.replace_schema_metadata(metadata), stream, compression="zstd", write_page_checksum=True)


def read_arrow(path: Path, table: Table) -> pa.Table:
    """Read a Parquet file of the given kind.

    Raises:
        UserError: if it is missing, damaged, of another kind, or of another schema version.
    """
    try:
        data = pq.read_table(path, page_checksum_verification=True)
        data.validate(full=True)
    except (OSError, MemoryError, ValueError, pa.ArrowException) as error:
        problem = " ".join(str(error).split())
        raise UserError(
            f"{path}: cannot be read as Parquet ({problem}); remove it and run the workflow again"
        ) from error
    found = metadata_of(data)
    if found.get("table") != table.name or found.get("schema_version") != str(SCHEMA_VERSION):
        raise UserError(
            f"{path}: contains {found.get('table', 'an unknown table')} of schema version "
            f"{found.get('schema_version', 'none')}, not {table.name} of {SCHEMA_VERSION}; remove it and run again"
        )
    _check(path, table, data)
    return data


def read_rows(path: Path, table: Table) -> list[dict[str, Any]]:
    """Read a Parquet file of the given kind as dictionaries; see `read_arrow`."""
    rows: list[dict[str, Any]] = read_arrow(path, table).to_pylist()
    return rows


def metadata_of(data: pa.Table) -> dict[str, str]:
    """What `write_rows` notes of a file: its kind, schema version and producer."""
    metadata = data.schema.metadata or {}
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}


def _check(path: Path, table: Table, data: pa.Table) -> None:
    if not data.schema.equals(table.arrow):
        raise UserError(f"{path}: columns do not match the schema of {table.name}")
    for column in table.columns:
        if not column.nullable and data[column.name].null_count:
            raise UserError(f"{path}: column {column.name} of {table.name} contains a null")
    keys = data.select(table.key).group_by(list(table.key)).aggregate([([], "count_all")])
    if keys.num_rows < data.num_rows:
        raise UserError(f"{path}: key ({', '.join(table.key)}) of {table.name} is not unique")
