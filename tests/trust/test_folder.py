"""Somebody else's folder may be closed, and what their Parquet files say of themselves is looked at first."""

import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.errors import UserError
from lethe.parquet import check_foreign, read_foreign
from lethe.trust.folder import Folder, listed_files


def test_a_column_whose_name_is_no_text_is_no_table_of_results(tmp_path: Path) -> None:
    path = tmp_path / "named.parquet"
    pq.write_table(pa.table({"column": [1]}), path, store_schema=False)
    check_foreign(path)
    path.write_bytes(path.read_bytes().replace(b"column", b"\xff\xfe\xff\xfe\xff\xfe"))
    with pytest.raises(UserError, match="is not UTF-8 text"):
        check_foreign(path)


def test_a_folder_that_may_not_be_looked_into_is_a_finding_and_makes_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results" / "closed").mkdir(parents=True)
    (tmp_path / "results" / "open.csv").touch()
    iterdir = Path.iterdir

    def as_nobody(path: Path) -> Iterator[Path]:
        if path.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", as_nobody)
    found = Folder.of(tmp_path)
    assert found.findings == ["results/closed: cannot be looked into (Permission denied)"]
    assert found.files == {"results/open.csv"}
    with pytest.raises(UserError, match=r"results/closed: cannot be looked into .*; make it readable"):
        listed_files(tmp_path)


def test_a_file_whose_name_is_not_utf8_makes_no_manifest(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / os.fsdecode(b"caf\xe9.png")).touch()
    with pytest.raises(UserError, match=r"'figures/caf.udce9.png' is not UTF-8, and no file of results .*; rename it"):
        listed_files(tmp_path)


def test_what_latex_writes_beside_the_tables_is_passed_over_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "paper_tables").mkdir()
    for name in ("paper.aux", "paper.pdf", "beyond.log", "beyond.out", "other.pdf", "paper.csv"):
        (tmp_path / "paper_tables" / name).touch()
    assert Folder.of(tmp_path).unlisted([]) == ["paper_tables/other.pdf", "paper_tables/paper.csv"]


@pytest.mark.parametrize("rows_a_group", [4, 2, 1])
def test_texts_in_lists_are_counted_in_however_many_row_groups(tmp_path: Path, rows_a_group: int) -> None:
    path = tmp_path / "lists.parquet"
    row = {"texts": ["x" * 1000] * 100, "inner": {"texts": [["y" * 1000] * 100]}, "text": "z" * 1000}
    pq.write_table(pa.Table.from_pylist([row] * 4), path, row_group_size=rows_a_group)
    check_foreign(path, most_bytes=804_000)
    assert read_foreign(path).num_rows == 4
    with pytest.raises(UserError, match=r"too large to be read: 4 rows, .* 804000 bytes"):
        check_foreign(path, most_bytes=803_999)


@pytest.mark.parametrize("kind", [pa.large_list(pa.string()), pa.list_(pa.string(), 10)])
def test_texts_in_lists_of_any_kind_are_counted_as_often_as_they_are_named(tmp_path: Path, kind: pa.DataType) -> None:
    path = tmp_path / "lists.parquet"
    pq.write_table(pa.table({"texts": pa.array([["y" * 1000] * 10] * 6, kind)}), path)
    with pytest.raises(UserError, match="too large to be read: 6 rows, 1 columns, 60 values, 60000 bytes"):
        check_foreign(path, most_bytes=59_999)
