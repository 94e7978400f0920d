"""Parquet and JSON files of the workflow that were damaged: the same, or one line that names the file."""

import random
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.crosseval.reading_files import read_json
from lethe.stored.cases import read_suite, write_suite
from lethe.tables.table import Cell, Table, read_table
from lethe.trust.manifest import write_manifest
from tests.support.paths import ADVERSARIAL

CASES = read_cases(ADVERSARIAL, "adversarial")[:60]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    write_suite(path := tmp_path / "cases.parquet", CASES, "test")
    return path


def refused(path: Path, read: Any) -> str:
    with pytest.raises(UserError) as caught:
        read(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_parquet_file_is_the_same_or_named(table: Path, seed: int) -> None:
    chance, content = random.Random(seed), bytearray(table.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 5, 50])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    table.write_bytes(content[: chance.randrange(len(content))] if seed % 3 == 0 else content)
    try:
        assert read_suite(table) == CASES
    except UserError as error:
        assert str(table) in str(error) and "\n" not in str(error)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"\0" * 100, b"PAR1" + b"\xff" * 50 + b"PAR1"])
def test_what_is_no_parquet_file_is_named(table: Path, content: bytes) -> None:
    table.write_bytes(content)
    assert "remove it and run the workflow again" in refused(table, read_suite)


DAMAGED_JSON = [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1, "a": 2}']


@pytest.mark.parametrize("content", DAMAGED_JSON)
def test_a_damaged_data_set_is_named(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "data.json").write_bytes(content)
    assert "cannot be read as JSON" in refused(path, read_json)


def test_a_table_that_is_cut_off_anywhere_is_named(tmp_path: Path) -> None:
    whole = Table("mine", "Mine", ["System", "Pass"], [[[Cell("Lethe"), Cell("5", "measured", 5.0)]]])
    text, path = whole.to_json(), tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    assert read_table(path).to_json() == text
    for length in range(len(text.rstrip())):
        path.write_text(text[:length], encoding="utf-8")
        assert "cannot be read as a table" in refused(path, read_table)


@pytest.mark.parametrize("content", [*DAMAGED_JSON, b"[]", b"{}", b'{"sections": 5}'])
def test_what_is_no_table_is_named_with_the_remedy(tmp_path: Path, content: bytes) -> None:
    (path := tmp_path / "mine.json").write_bytes(content)
    assert refused(path, read_table).endswith("; remove it and run the workflow again")


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "mine.json", read_table)


@pytest.mark.parametrize("kept", [0, 4, 200])
def test_the_manifest_names_a_damaged_parquet_file(tmp_path: Path, kept: int) -> None:
    write_suite(path := tmp_path / "results/suites/mine/cases.parquet", CASES, "test")
    path.write_bytes(path.read_bytes()[:kept])
    told = refused(path, lambda _: write_manifest(tmp_path, {}, [], "test"))
    assert "remove it and run the workflow again" in told
