"""The audit names what was changed: a cell, a file, a table that does not follow; and nothing where all is well."""

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from lethe.audit.check import audit
from lethe.audit.digests import table_digests
from lethe.audit.manifest import write_manifest
from lethe.audit.recipes import follow_recipe, output_root, read_recipes
from lethe.cli.main import app
from lethe.errors import LetheError
from lethe.files import write_text
from lethe.parquet import write_rows
from lethe.run.trials import Trial
from lethe.schemas import AGREEMENT, SCORER_AUDIT, TRIALS, VECTORS
from tests.tables import test_scorer_audit_table


def trial(case: int, **changed: Any) -> dict[str, Any]:
    row = Trial("mine", "lethe", "", 0, f"case-{case}", verdict="pass", recalled=["one", "two"]).to_row()
    return {**row, **changed}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Results of a small workflow."""
    write_rows(tmp_path / "results/runs/mine/lethe.parquet", TRIALS, [trial(n) for n in range(5)], "code")
    vectors = [{"text": f"text {n}", "vector": [0.5, float(n)]} for n in range(3)]
    write_rows(tmp_path / "results/embeddings/mine.parquet", VECTORS, vectors, "code")
    write_text(tmp_path / "paper_tables/mine.csv", "System,Pass\nLethe,5\n")
    freeze = tmp_path / "mem0.freeze.txt"
    freeze.write_text("mem0ai==2.2.1\nnumpy==2.0.0\n")
    write_manifest(tmp_path, {"run": {"k": 10}}, [freeze], "code")
    return tmp_path


def change(path: Path, column: str, row: int, value: Any) -> None:
    """Change one cell the way a hand would: read, set, write."""
    data = pq.read_table(path)
    values = data[column].to_pylist()
    values[row] = value
    place = data.column_names.index(column)
    data = data.set_column(place, data.schema.field(column), pa.array(values, type=data.schema.field(column).type))
    pq.write_table(data, path)


def test_nothing_is_found_where_nothing_was_changed(root: Path) -> None:
    found = audit(root)
    assert found.findings == []
    assert found.files == 3
    assert found.versions["environments"]["mem0"][0] == "mem0ai==2.2.1"
    assert found.versions["config"] == {"run": {"k": 10}}


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
    (finding,) = audit(root).findings
    assert finding.startswith("results/runs/mine/lethe.parquet: ")
    assert "case_id case-3" in finding
    assert finding.endswith(named)


def test_a_changed_vector_is_named(root: Path) -> None:
    change(root / "results/embeddings/mine.parquet", "vector", 1, [0.5, 1.0000001])
    (finding,) = audit(root).findings
    assert "embeddings/mine.parquet: text text 1: vector is now" in finding


def test_a_cell_changed_with_pandas_is_named(root: Path) -> None:
    path = root / "results/runs/mine/lethe.parquet"
    frame = pd.read_parquet(path)
    frame.loc[0, "llm_calls"] = 7
    frame.to_parquet(path)
    findings = audit(root).findings
    assert any("case_id case-0: llm_calls is now 7" in finding for finding in findings), findings


def test_a_lost_row_a_lost_column_and_a_lost_file_are_named(root: Path) -> None:
    path = root / "results/runs/mine/lethe.parquet"
    data = pq.read_table(path)
    pq.write_table(data.slice(1), path)
    assert "results/runs/mine/lethe.parquet: 4 rows; the manifest says 5" in audit(root).findings
    pq.write_table(data.drop_columns(["leaked"]), path)
    assert "results/runs/mine/lethe.parquet: column leaked is gone" in audit(root).findings
    path.unlink()
    assert audit(root).findings == ["results/runs/mine/lethe.parquet: missing"]


def test_a_file_that_was_added_is_named(root: Path) -> None:
    shutil.copy(root / "results/runs/mine/lethe.parquet", root / "results/runs/mine/better.parquet")
    assert audit(root).findings == ["results/runs/mine/better.parquet: not in the manifest"]


def test_results_without_tables_can_be_audited(root: Path) -> None:
    shutil.rmtree(root / "paper_tables")
    assert audit(root).findings == []


def test_a_changed_table_is_found(root: Path) -> None:
    write_text(root / "paper_tables/mine.csv", "System,Pass\nLethe,6\n")
    assert audit(root).findings == ["paper_tables/mine.csv: changed since it was written"]


def test_without_a_manifest_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(LetheError, match=r"manifest\.parquet: no manifest here; name the folder that holds results/"):
        audit(tmp_path)


def test_the_command_prints_versions_and_findings(root: Path) -> None:
    done = CliRunner().invoke(app, ["audit", str(root)])
    assert done.exit_code == 0, done.output
    assert "mem0: 2 packages: mem0ai==2.2.1, numpy==2.0.0" in done.output
    assert done.output.strip().endswith("3 files and 0 tables checked, 0 findings")
    change(root / "results/runs/mine/lethe.parquet", "verdict", 0, "fail")
    done = CliRunner().invoke(app, ["audit", str(root)])
    assert done.exit_code == 1
    assert "case_id case-0: verdict is now 'fail'" in done.output


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


def test_the_root_of_an_output() -> None:
    assert output_root(Path("build/test/paper_tables/x.tex")) == Path("build/test")
    assert output_root(Path("figures/x.pdf")) == Path()
    assert output_root(Path("results/runs/x.parquet")) is None


RECIPE = {
    "script": "write_scorer_audit.py",
    "input": {"audit": "results/analysis/scorer_audit/mine.parquet"},
    "output": {
        "latex": "paper_tables/scorer_audit.tex",
        "csv": "paper_tables/scorer_audit.csv",
        "cases": "paper_tables/scorer_audit_cases.csv",
    },
    "params": {"label": "Mine"},
    "wildcards": {},
}


def test_a_table_that_does_not_follow_is_named_by_cell(root: Path) -> None:
    rows = test_scorer_audit_table.TRIALS
    write_rows(root / "results/analysis/scorer_audit/mine.parquet", SCORER_AUDIT, rows, "code")
    write_text(root / "results/recipes/scorer_audit.json", json.dumps(RECIPE))
    assert list(read_recipes(root)) == ["scorer_audit"]
    follow_recipe(RECIPE, root, root)
    write_manifest(root, {}, [], "code")
    assert audit(root).findings == []
    assert audit(root).tables == 3

    path = root / "paper_tables/scorer_audit.csv"
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    cells = lines[1].split(",")
    lines[1] = ",".join([*cells[:-1], "999"])
    write_text(path, "\n".join(lines) + "\n")
    findings = audit(root).findings
    assert f"paper_tables/scorer_audit.csv: {cells[0]}, {lines[0].split(',')[-1]}: says '999'" in findings[1]
