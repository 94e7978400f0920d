"""Parquet and JSON files of the workflow that were damaged: the same, or one line that names the file."""

import random
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.crosseval.reading_files import read_json
from lethe.stored.cases import read_suite, write_suite
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
