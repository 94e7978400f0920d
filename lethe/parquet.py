"""Reading and writing the workflow's Parquet tables: schema and key checked, written whole or not at all."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from forgeteval.errors import UserError
from forgeteval.files import atomic_write
from forgeteval.foreign import reading, room
from forgeteval.limits import MOST_BYTES, MOST_COLUMNS, MOST_ROWS, MOST_VALUES
from lethe.schemas import SCHEMA_VERSION, Table

_ROOM = MOST_BYTES + (256 << 20)
"""Memory in which a file is read to see how large it is."""
_DAMAGE = (OSError, MemoryError, ValueError, pa.ArrowException)
Row = Mapping[str, Any]
"""One row of a Parquet file; `lethe.schemas` names and types its columns."""
Rows = Mapping[str, tuple[Table, Sequence[Row]]]
"""What is written: the kind and the rows of each file, by its name."""


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
    data = read_any(path)
    found = metadata_of(data)
    if found.get("table") != table.name or found.get("schema_version") != str(SCHEMA_VERSION):
        raise UserError(
            f"{path}: contains {found.get('table', 'an unknown table')} of schema version "
            f"{found.get('schema_version', 'none')}, not {table.name} of {SCHEMA_VERSION}; name another, "
            "or remove it and run again"
        )
    data = _with_later_columns(table, data)
    _check(path, table, data)
    named = named_by(path, table)
    for name in named.keys() & {"suite", "benchmark"} & {*data.column_names}:
        if other := set(data[name].unique().to_pylist()) - {named[name]}:
            raise UserError(f"{path}: holds {table.name} of the {name} {min(other)}; remove it and run again")
    return data


def named_by(path: Path, table: Table) -> dict[str, str]:
    """What the path of a file in a folder of results says that it is of, such as the suite, by the table's names."""
    place = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(table.path))
    found = re.search(rf"(?:^|/){place}$", path.as_posix())
    return found.groupdict() if found else {}


def read_any(path: Path) -> pa.Table:
    """Read a Parquet file of the workflow, of whatever kind.

    Raises:
        UserError: if it is missing or damaged.
    """
    try:
        data = pq.read_table(path.absolute(), page_checksum_verification=True)
        data.validate(full=True)
    except _DAMAGE as error:
        if not path.exists():
            raise UserError(f"{path}: is not there; run the workflow, or name another file") from error
        problem = " ".join(str(error).split())
        raise UserError(
            f"{path}: cannot be read as Parquet ({problem}); remove it and run the workflow again, or name a Parquet "
            "file of the workflow where it is a file of your own"
        ) from error
    return data


def read_rows(path: Path, table: Table) -> list[dict[str, Any]]:
    """Read a Parquet file of the given kind as dictionaries; see `read_arrow`."""
    rows: list[dict[str, Any]] = read_arrow(path, table).to_pylist()
    return rows


def read_foreign(path: Path) -> pa.Table:
    """Read a Parquet file of somebody else, of whatever kind.

    Raises:
        UserError: where it is damaged, or would fill the memory.
    """
    try:
        check_foreign(path)
        data = pq.read_table(path.absolute(), page_checksum_verification=True)
        data.validate(full=True)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    except _DAMAGE as error:
        raise UserError(f"{path}: cannot be read as Parquet ({' '.join(str(error).split())})") from error
    return data


def check_foreign(path: Path, most_bytes: int | None = None) -> None:
    """Look at what a Parquet file of somebody else says of itself, and at how large it is, before it is read.

    Args:
        most_bytes: that it may unpack to; without it, as many as any file of results.

    Raises:
        UserError: where it is not a Parquet file, holds what no table of results does, or would fill the memory.
    """
    reading(path.as_posix())
    most = MOST_BYTES if most_bytes is None else most_bytes
    try:
        account = pq.read_metadata(path.absolute())
        groups = [account.row_group(number) for number in range(account.num_row_groups)]
        size = sum(group.total_byte_size for group in groups)
        values = sum(group.column(number).num_values for group in groups for number in range(group.num_columns))
        fits = account.num_rows <= MOST_ROWS and values <= MOST_VALUES and account.num_columns <= MOST_COLUMNS
        if fits and size <= most:
            size = _unpacked_bytes(path, account)
    except UnicodeDecodeError as error:
        raise UserError(f"cannot be read as Parquet (a column's name is not UTF-8 text: {error})") from error
    except _DAMAGE as error:
        raise UserError(f"cannot be read as Parquet ({' '.join(str(error).split())})") from error
    if not fits or size > most:
        counted = f"{account.num_rows} rows, {account.num_columns} columns, {values} values, {size} bytes"
        raise UserError(f"too large to be read: {counted}")


def _unpacked_bytes(path: Path, account: pq.FileMetaData) -> int:
    """Bytes of a file's cells.

    The file's own account may be false, and counts a text of a dictionary once, however many rows name it; so texts are
    read as dictionaries here, and counted as often as they are named.
    """
    columns = [account.schema.column(number) for number in range(account.num_columns)]
    if any(column.physical_type == "FIXED_LEN_BYTE_ARRAY" for column in columns):
        raise pa.ArrowNotImplementedError("values of a fixed number of bytes")
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    with room(_ROOM), pq.ParquetFile(path.absolute(), read_dictionary=texts) as file:
        # Dictionaries inside of lists are read of one row group at a time alone.
        groups = (file.read_row_group(number) for number in range(account.num_row_groups))
        return sum(_bytes(chunk) for group in groups for column in group.columns for chunk in column.chunks)


def _bytes(cells: pa.Array) -> int:
    kind = cells.type
    if pa.types.is_map(kind):
        return _bytes(cells.keys) + _bytes(cells.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _bytes(cells.flatten())
    if pa.types.is_struct(kind):
        return sum(map(_bytes, cells.flatten()))
    if pa.types.is_nested(kind):
        raise pa.ArrowNotImplementedError(f"cells of type {kind}")
    if not pa.types.is_dictionary(kind):
        return int(cells.nbytes)
    lengths = pc.binary_length(cells.dictionary).take(cells.indices)
    return pc.sum(lengths).as_py() or 0


def _lists_null(cells: pa.Array) -> bool:
    """Whether a list among these cells has an item that is null."""
    if not pa.types.is_list(cells.type):
        return False
    items = cells.flatten()
    return items.null_count > 0 or _lists_null(items)


def metadata_of(data: pa.Table) -> dict[str, str]:
    """What `write_rows` notes of a file: its kind, schema version and producer."""
    metadata = data.schema.metadata or {}
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, value in metadata.items()}


def _with_later_columns(table: Table, data: pa.Table) -> pa.Table:
    """The table with what a file of an earlier state lacks: columns that may be null, in which all is null."""
    lacking = [column for column in table.columns if column.nullable and column.name not in data.column_names]
    if not lacking:
        return data
    for column in lacking:
        data = data.append_column(pa.field(column.name, column.type), pa.nulls(data.num_rows, column.type))
    names = [column.name for column in table.columns]
    return data.select(names) if set(names) == set(data.column_names) else data


def _check(path: Path, table: Table, data: pa.Table) -> None:
    if not data.schema.equals(table.arrow):
        raise UserError(f"{path}: columns do not match the schema of {table.name}")
    for column in table.columns:
        if not column.nullable and data[column.name].null_count:
            raise UserError(f"{path}: column {column.name} of {table.name} contains a null")
        if any(map(_lists_null, data[column.name].chunks)):
            raise UserError(f"{path}: column {column.name} of {table.name} contains a null in a list")
    keys = data.select(table.key).group_by(list(table.key)).aggregate([([], "count_all")])
    if keys.num_rows < data.num_rows:
        raise UserError(f"{path}: key ({', '.join(table.key)}) of {table.name} is not unique")
