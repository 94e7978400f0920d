"""Files against the manifest: what was changed is named down to the cell."""

import os
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forgeteval.files import write_text
from forgeteval.limits import MOST_BYTES_OF_OTHERS
from forgeteval.run.trials import Trial
from lethe.parquet import read_rows, write_rows
from lethe.schemas import AGREEMENT, MANIFEST, TRIALS, VECTORS
from lethe.trust.digests import table_digests
from lethe.trust.folder import MANIFEST_FILE, Folder
from lethe.trust.manifest import write_manifest
from lethe.trust.record import Audit
from lethe.trust.unchanged import check_unchanged
from tests.support.bundle import change_cell as change


def trial(case: int, **changed: Any) -> dict[str, Any]:
    row = Trial("mine", "lethe", "", 0, f"case-{case}", verdict="pass", recalled=["one", "two"]).to_row()
    return {**row, **changed}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A few files with their manifest."""
    write_rows(tmp_path / "results/runs/mine/lethe.parquet", TRIALS, [trial(n) for n in range(5)], "code")
    vectors = [{"text": f"text {n}", "vector": [0.5, float(n)]} for n in range(3)]
    write_rows(tmp_path / "results/embeddings/mine.parquet", VECTORS, vectors, "code")
    write_text(tmp_path / "paper_tables/mine.csv", "System,Pass\nLethe,5\n")
    write_text(tmp_path / "results/logs/run.log", "started\n")
    write_manifest(tmp_path, {"run": {"k": 10}}, [], "code")
    return tmp_path


def findings(root: Path) -> list[str]:
    entries = {row["file"]: row for row in read_rows(root / MANIFEST_FILE, MANIFEST)}
    audit = Audit("")
    check_unchanged(Folder.of(root), entries, audit)
    return audit.findings


def test_nothing_is_found_where_nothing_was_changed(root: Path) -> None:
    assert findings(root) == []
    write_text(root / "results/logs/run.log", "started again\n")
    assert findings(root) == []


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("verdict", "fail", "verdict is now 'fail'"),
        ("recalled", ["one", "too"], "recalled is now ['one', 'too']"),
        ("residue", 2, "residue is now 2"),
        ("inscribe_ms", 0.1, "inscribe_ms is now 0.1"),
        ("error", "it broke", "error is now 'it broke'"),
    ],
)
def test_one_changed_cell_is_named(root: Path, column: str, value: Any, named: str) -> None:
    change(root / "results/runs/mine/lethe.parquet", column, 3, value)
    (finding,) = findings(root)
    assert finding.startswith("results/runs/mine/lethe.parquet: ")
    assert "case_id case-3" in finding
    assert finding.endswith(named)


def test_a_changed_vector_is_named(root: Path) -> None:
    change(root / "results/embeddings/mine.parquet", "vector", 1, [0.5, 1.0000001])
    (finding,) = findings(root)
    assert "embeddings/mine.parquet: text text 1: vector is now" in finding


def test_a_cell_changed_with_pandas_is_named(root: Path) -> None:
    path = root / "results/runs/mine/lethe.parquet"
    frame = pd.read_parquet(path)
    frame.loc[0, "llm_calls"] = 7
    frame.to_parquet(path)
    found = findings(root)
    assert any("case_id case-0: llm_calls is now 7" in finding for finding in found), found


def test_a_lost_row_a_lost_column_and_a_lost_file_are_named(root: Path) -> None:
    path = root / "results/runs/mine/lethe.parquet"
    data = pq.read_table(path)
    pq.write_table(data.slice(1), path)
    assert "results/runs/mine/lethe.parquet: 4 rows; the manifest says 5" in findings(root)
    pq.write_table(data.drop_columns(["leaked"]), path)
    assert "results/runs/mine/lethe.parquet: column leaked is gone" in findings(root)
    path.unlink()
    assert findings(root) == ["results/runs/mine/lethe.parquet: missing"]


def test_a_file_that_was_added_is_named(root: Path) -> None:
    shutil.copy(root / "results/runs/mine/lethe.parquet", root / "results/runs/mine/better.parquet")
    write_text(root / "figures/.hidden", "")
    assert findings(root) == [
        "figures/.hidden: not in the manifest",
        "results/runs/mine/better.parquet: not in the manifest",
    ]


def test_what_was_not_handed_on_is_no_finding(root: Path) -> None:
    shutil.rmtree(root / "paper_tables")
    assert findings(root) == []


@pytest.mark.parametrize("name", ["paper_tables/mine.csv", "results/versions.json"])
def test_a_changed_text_is_found(root: Path, name: str) -> None:
    path = root / name
    write_text(path, path.read_text(encoding="utf-8") + " ")
    assert findings(root) == [f"{name}: changed since it was written"]


def test_digests_do_not_depend_on_how_a_file_is_laid_out() -> None:
    rows = [trial(n, error=None if n % 2 else "x") for n in range(10)]
    data = pa.Table.from_pylist(rows, schema=TRIALS.arrow)
    chunked = pa.concat_tables([data.slice(0, 3), data.slice(3)])
    first, second = table_digests(data), table_digests(chunked)
    assert first.columns == second.columns
    assert (first.rows == second.rows).all()
    assert len(set(first.rows.tolist())) == 10


def test_an_empty_table_has_digests() -> None:
    assert table_digests(pa.Table.from_pylist([], schema=AGREEMENT.arrow)).rows.size == 0


def test_a_listed_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    name = "results/logs/run.log"
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.touch()
    size = MOST_BYTES_OF_OTHERS + 1
    os.truncate(path, size)
    found = Audit("")
    entry = {"sha256": "0" * 64, "bytes": size, "table": None}
    assert check_unchanged(Folder.of(tmp_path), {name: entry}, found) == frozenset()
    assert found.findings == [f"{name}: too large to be read: {size} bytes"]
