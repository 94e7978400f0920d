"""The Parquet tables of the workflow, as schemas.yaml declares them: columns, what they mean, and unique keys.

    from lethe.schemas import TRIALS  # the table `trials`

`docs/data.md` is generated from there (`forgeteval docs`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("schemas.yaml",)
SCHEMA_VERSION = 1

ALL, WITHOUT_COMPOUND = "all", "without_compound_fact"
"""Values of the cut `overall`. The paper's headline excludes compound_fact, which tests whether an edit primitive
exists (Table "adv", dagger)."""
SCORERS = ("substring", "probed", "identifier")
MAJORITY = "human_majority"
"""The annotators' majority, among the judges."""

_KINDS = {
    "text": pa.string(),
    "count": pa.int64(),
    "real": pa.float64(),
    "flag": pa.bool_(),
    "texts": pa.list_(pa.string()),
    "counts": pa.list_(pa.int64()),
    "vector": pa.list_(pa.float32()),
    "mutations": pa.list_(pa.struct([("op", pa.string()), ("query", pa.string()), ("text", pa.string())])),
    "lists": pa.list_(pa.list_(pa.string())),
    "flags": pa.list_(pa.bool_()),
    "states": pa.list_(pa.struct([("fact", pa.int64()), ("state", pa.string()), ("any_of", pa.list_(pa.string()))])),
    "anchors": pa.list_(pa.struct([("text", pa.string()), ("any_of", pa.list_(pa.string())), ("role", pa.string())])),
    "evidence": pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())])),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its Arrow type, its meaning (with unit), and whether it may be null."""

    name: str
    type: pa.DataType
    meaning: str
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of Parquet file: its path, columns and unique key."""

    name: str
    path: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type, c.nullable) for c in self.columns])


def _column(name: str, kind: str, meaning: str) -> Column:
    plain = kind.removesuffix(" or null")
    return Column(name, _KINDS[plain], meaning, nullable=plain != kind)


def _table(name: str, entry: Mapping[str, Any]) -> Table:
    columns = tuple(_column(column, *declared) for column, declared in entry["columns"].items())
    return Table(name, entry["path"], entry["meaning"], tuple(entry["key"]), columns)


_DECLARED = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
_BY_NAME = {name: _table(name, entry) for name, entry in _DECLARED["tables"].items()}
TABLES = tuple(_BY_NAME.values())


def __getattr__(name: str) -> Table:
    """The table of a name in capitals: `lethe.schemas.TRIALS` is what schemas.yaml declares as `trials`."""
    if name.isupper() and name.lower() in _BY_NAME:
        return _BY_NAME[name.lower()]
    raise AttributeError(f"schemas.yaml declares no table {name.lower()}")
