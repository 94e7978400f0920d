"""Parquet tables: checked on the way in and out, written whole or not at all."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe import parquet
from lethe.parquet import read_arrow, read_rows, write_arrow, write_rows
from lethe.schemas import CASES, SCHEMA_VERSION, SCORES, TABLES, TRIALS, VECTORS

SCORE: dict[str, Any] = {
    "suite": "s",
    "system": "lethe",
    "model": "",
    "scorer": "substring",
    "cut": "overall",
    "value": "all",
    "cases": 2,
    "passed": 1,
    "failed": 1,
    "na": 0,
    "errors": 0,
    "leaks": 0,
    "collateral": 0,
    "rate": 0.5,
    "wilson_low": 0.1,
    "wilson_high": 0.9,
    "evaluable_rate": None,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results" / "scores.parquet"


def refused(path: Path, *rows: dict[str, Any]) -> str:
    """The message of a refused write, which must leave nothing behind."""
    with pytest.raises(UserError) as caught:
        write_rows(path, SCORES, rows, "p")
    assert not path.exists()
    assert not path.parent.exists() or list(path.parent.iterdir()) == []
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_rows_survive(path: Path) -> None:
    rows = [SCORE, {**SCORE, "system": "mem0 王😀\x00", "evaluable_rate": None}]
    write_rows(path, SCORES, rows, "p")
    assert read_rows(path, SCORES) == rows


def test_a_column_that_may_be_null_and_came_later_is_null_in_an_earlier_file(path: Path) -> None:
    write_rows(path, SCORES, [{**SCORE, "evaluable_rate": 0.5}], "p")
    pq.write_table(pq.read_table(path).drop_columns(["evaluable_rate"]), path)
    assert read_rows(path, SCORES) == [SCORE]
    pq.write_table(pq.read_table(path).drop_columns(["rate"]), path)
    with pytest.raises(UserError, match="columns do not match the schema of scores"):
        read_rows(path, SCORES)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_can_be_empty(path: Path, table: Any) -> None:
    write_rows(path, table, [], "p")
    assert read_rows(path, table) == []
    assert read_arrow(path, table).schema.equals(table.arrow)


def test_metadata_names_version_table_and_producer(path: Path) -> None:
    write_rows(path, SCORES, [SCORE], "abc123")
    metadata = pq.read_schema(path).metadata
    assert metadata[b"schema_version"] == str(SCHEMA_VERSION).encode()
    assert metadata[b"table"] == b"scores"
    assert metadata[b"producer"] == b"abc123"


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_key_is_made_of_columns_that_are_never_null(table: Any) -> None:
    nullable = {column.name: column.nullable for column in table.columns}
    assert table.key
    assert not any(nullable[name] for name in table.key)
    assert all(column.meaning for column in table.columns)


@pytest.mark.parametrize("change", [{"cases": "two"}, {"rate": "half"}, {"suite": 3}, {"suite": ["s"]}])
def test_a_value_of_the_wrong_type_is_refused(path: Path, change: dict[str, Any]) -> None:
    assert "do not fit the schema of scores" in refused(path, {**SCORE, **change})


def test_a_fraction_in_an_integer_column_is_refused(path: Path) -> None:
    assert "cases" in refused(path, {**SCORE, "cases": 1.5})


def test_a_null_in_a_list_is_refused(path: Path) -> None:
    with pytest.raises(UserError, match="column vector of vectors contains a null in a list"):
        write_rows(path, VECTORS, [{"text": "a", "vector": [1.0, None]}], "test")
    assert not path.exists()


@pytest.mark.parametrize("column", ["suite", "model", "cases", "rate"])
def test_a_null_or_a_missing_value_is_refused(path: Path, column: str) -> None:
    expected = f"column {column} of scores contains a null"
    assert expected in refused(path, SCORE, {**SCORE, "system": "x", column: None})
    assert expected in refused(path, {key: value for key, value in SCORE.items() if key != column})


def test_a_nullable_column_may_be_left_out(path: Path) -> None:
    write_rows(path, SCORES, [{key: value for key, value in SCORE.items() if key != "evaluable_rate"}], "p")
    assert read_rows(path, SCORES)[0]["evaluable_rate"] is None


def test_a_repeated_key_is_refused(path: Path) -> None:
    message = refused(path, SCORE, {**SCORE, "system": "other"}, {**SCORE, "passed": 2})
    assert "key (suite, system, model, scorer, cut, value) of scores is not unique" in message


def test_the_sample_row_has_every_column_in_order() -> None:
    assert list(SCORE) == [column.name for column in SCORES.columns]


def test_rows_that_differ_in_one_part_of_the_key_are_fine(path: Path) -> None:
    parts = ("suite", "system", "model", "scorer", "cut", "value")
    rows = [SCORE, *({**SCORE, part: "other"} for part in parts)]
    write_rows(path, SCORES, rows, "p")
    assert read_rows(path, SCORES) == rows


@pytest.mark.parametrize(
    "columns",
    [
        {"text": pa.array(["a"])},
        {"text": pa.array(["a"]), "vector": pa.array([[1.0]], pa.list_(pa.float64()))},
        {"vector": pa.array([[1.0]], pa.list_(pa.float32())), "text": pa.array(["a"])},
        {
            "text": pa.array(["a"]),
            "vector": pa.array([[1.0]], pa.list_(pa.float32())),
            "more": pa.array([1]),
        },
    ],
    ids=["missing", "type", "order", "more"],
)
def test_an_arrow_table_of_another_schema_is_refused(path: Path, columns: dict[str, pa.Array]) -> None:
    with pytest.raises(UserError, match="columns do not match the schema of vectors"):
        write_arrow(path, VECTORS, pa.table(columns), "p")
    assert not path.exists()


def test_a_file_of_another_kind_is_refused(path: Path) -> None:
    write_rows(path, SCORES, [SCORE], "p")
    with pytest.raises(UserError) as caught:
        read_rows(path, TRIALS)
    assert f"{path}: contains scores of schema version {SCHEMA_VERSION}, not trials" in str(caught.value)


def test_another_schema_version_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows(path, SCORES, [SCORE], "p")
    monkeypatch.setattr(parquet, "SCHEMA_VERSION", SCHEMA_VERSION + 1)
    with pytest.raises(UserError) as caught:
        read_rows(path, SCORES)
    expected = (
        f"schema version {SCHEMA_VERSION}, not scores of {SCHEMA_VERSION + 1}; name another, or remove it and run again"
    )
    assert expected in str(caught.value)


def test_a_parquet_file_of_somebody_else_is_refused(path: Path) -> None:
    path.parent.mkdir()
    pq.write_table(pa.table({"x": [1]}), path)
    with pytest.raises(UserError, match="contains an unknown table of schema version none, not cases"):
        read_rows(path, CASES)


def test_metadata_alone_does_not_make_a_file_valid(path: Path) -> None:
    path.parent.mkdir()
    found = pa.table({"x": [1]}).replace_schema_metadata({"table": "scores", "schema_version": str(SCHEMA_VERSION)})
    pq.write_table(found, path)
    with pytest.raises(UserError, match="columns do not match the schema of scores"):
        read_rows(path, SCORES)


@pytest.mark.parametrize("content", [b"", b"not Parquet", b"PAR1 cut off"])
def test_a_damaged_file_is_named(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UserError) as caught:
        read_rows(path, SCORES)
    assert f"{path}: cannot be read as Parquet" in str(caught.value)


def test_a_file_that_was_put_in_place_of_another_suites_is_named(tmp_path: Path) -> None:
    path = tmp_path / SCORES.path.format(suite="mine")
    write_rows(path, SCORES, [{**SCORE, "suite": "mine"}], "p")
    assert read_rows(path, SCORES)
    other = tmp_path / SCORES.path.format(suite="held_out")
    other.write_bytes(path.read_bytes())
    with pytest.raises(UserError, match=r"held_out\.parquet: holds scores of the suite mine; remove it and run again"):
        read_rows(other, SCORES)


def test_a_cut_off_file_is_named(path: Path) -> None:
    write_rows(path, SCORES, [SCORE], "p")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(UserError, match="cannot be read as Parquet"):
        read_rows(path, SCORES)


def test_a_missing_file_is_named(path: Path) -> None:
    with pytest.raises(UserError) as caught:
        read_rows(path, SCORES)
    assert str(path) in str(caught.value)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    target = tmp_path / "file" / "below" / "scores.parquet"
    with pytest.raises(UserError) as caught:
        write_rows(target, SCORES, [SCORE], "p")
    assert f"writing {target}: " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_text() == "x"
