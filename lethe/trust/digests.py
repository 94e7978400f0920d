"""Digests of a table's cells, so that a file that was changed afterwards names the cells that differ."""

import hashlib
import json
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Digests = NDArray[np.uint64]
_FOLD = np.uint64(1_000_003)


@dataclass(frozen=True, slots=True)
class TableDigests:
    """One 64-bit digest for each row (in order) and one for each column (by name)."""

    rows: Digests
    columns: dict[str, int]


def table_digests(data: pa.Table) -> TableDigests:
    """Digests of an Arrow table's rows and columns; equal cells have equal digests on every machine."""
    rows = np.zeros(data.num_rows, dtype=np.uint64)
    columns = {}
    for name in data.column_names:
        cells = _cell_digests(data[name])
        rows = rows * _FOLD ^ cells
        columns[name] = int.from_bytes(hashlib.blake2b(cells.tobytes(), digest_size=8).digest(), "little")
    return TableDigests(rows, columns)


def _cell_digests(column: pa.ChunkedArray) -> Digests:
    kind = column.type
    if pa.types.is_list(kind) and pa.types.is_floating(kind.value_type):
        texts = [b"" if cell is None else np.asarray(cell, dtype="<f4").tobytes() for cell in _arrays(column)]
        found = [int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little") for text in texts]
        return np.array(found, dtype=np.uint64)
    if pa.types.is_nested(kind):
        values = np.array([json.dumps(cell) for cell in column.to_pylist()], dtype=object)
    else:
        filled = pc.if_else(pc.is_null(column), "\0null", pc.cast(column, pa.string()))
        values = np.asarray(filled.to_pylist(), dtype=object)
    digests: Digests = pd.util.hash_array(values, categorize=False) if len(values) else np.zeros(0, dtype=np.uint64)
    return digests


def _arrays(column: pa.ChunkedArray) -> list[NDArray[np.float32] | None]:
    """The lists of numbers of a column as arrays, without a Python object for each number."""
    arrays: list[NDArray[np.float32] | None] = []
    for chunk in column.chunks:
        numbers, ends = chunk.values.to_numpy(zero_copy_only=False), chunk.offsets.to_numpy()
        for start, end, valid in zip(ends[:-1], ends[1:], chunk.is_valid().to_pylist(), strict=True):
            arrays.append(numbers[start:end] if valid else None)
    return arrays
