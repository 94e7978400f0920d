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

from lethe.analysis.setup import Setup, Suite
from lethe.audit.check import audit
from lethe.audit.digests import table_digests
from lethe.audit.manifest import write_manifest
from lethe.audit.recipe import RECIPE_FILE, write_recipe
from lethe.cli.main import app
from lethe.errors import LetheError
from lethe.files import write_text
from lethe.parquet import write_rows
from lethe.run.trials import Trial
from lethe.schemas import ABLATION, AGREEMENT, SCORES, TRIALS, VECTORS
from lethe.tables.registry import all_paths, table_specs
from lethe.tables.writing import write_tables
from tests.support.tables import configuration, score, setup, write_inputs


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


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A results folder with every table of a small workflow; all but two of the analysis files are empty."""
    record = setup(ENTRIES, suites={"mine": Suite("Mine", {"mem0": "not run: left out"})})
    write_inputs(tmp_path, all_paths(table_specs(record)))
    write_rows(tmp_path / SCORES.path.format(suite="mine"), SCORES, [score("lethe", "all", 3, 4)], "code")
    write_rows(tmp_path / ABLATION.path, ABLATION, ABLATED, "code")
    write_tables(record, tmp_path)
    write_recipe(tmp_path, record)
    write_manifest(tmp_path, {}, [], "code")
    return tmp_path


ENTRIES = {"lethe": configuration("Lethe"), "mem0": configuration("Mem0"), "lethe+matcher": configuration("Matcher")}
ABLATED = [{"left_out": "none", "category": "all", "cases": 4, "passed": 2}]


def tamper(root: Path, **changes: Any) -> None:
    """Change the recipe and write the manifest again, as one who hands on forged results would."""
    path = root / RECIPE_FILE
    write_text(path, json.dumps({**json.loads(path.read_text(encoding="utf-8")), **changes}))
    (root / "results/manifest.parquet").unlink()
    write_manifest(root, {}, [], "code")


def test_every_table_is_rebuilt(tables: Path) -> None:
    found = audit(tables)
    assert found.findings == []
    recipe = json.loads((tables / RECIPE_FILE).read_text(encoding="utf-8"))
    assert found.tables == len(table_specs(Setup.from_json(recipe["setup"]))) > 30
    assert str(tables) not in json.dumps(recipe) and ".py" not in json.dumps(recipe)


def test_tables_that_were_not_handed_on_are_compared_by_checksum(tables: Path) -> None:
    shutil.rmtree(tables / "paper_tables")
    assert audit(tables).findings == []
    change(tables / ABLATION.path, "passed", 0, 3)
    assert "paper_tables/matcher_ablation.csv: does not follow from the results" in audit(tables).findings


def test_a_cell_that_does_not_follow_is_named_in_every_form(tables: Path) -> None:
    path, typed = tables / "paper_tables/matcher_ablation.csv", tables / "results/tables/matcher_ablation.json"
    write_text(path, path.read_text(encoding="utf-8").replace("2/4 (50)", "4/4 (100)"))
    write_text(typed, typed.read_text(encoding="utf-8").replace('"value": 2', '"value": 4'))
    findings = audit(tables).findings
    cell = "matcher_ablation.{}: Overall, all evidence: says {}; the results give {}"
    assert "paper_tables/" + cell.format("csv", "'4/4 (100)'", "'2/4 (50)'") in findings
    assert "results/tables/" + cell.format("json", {"value": 4}, {"value": 2}) in findings


def test_a_forged_table_with_a_forged_manifest_is_found(tables: Path) -> None:
    for name in ("paper_tables/template.tex", "results/tables/template.json"):
        path = tables / name
        write_text(path, path.read_text(encoding="utf-8").replace("3/4 (75.00)", "4/4 (100.0)"))
    tamper(tables)
    assert [finding.partition(":")[0] for finding in audit(tables).findings] == [
        "results/tables/template.json",
        "paper_tables/template.tex",
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"setup": 1}', '{"setup": {}, "inputs": [3], "published_sha256": ""}'])
def test_what_is_no_recipe_is_a_finding(tables: Path, text: str) -> None:
    write_text(tables / RECIPE_FILE, text)
    assert any("recipe.json: LetheError: no recipe" in finding for finding in audit(tables).findings)


def test_a_recipe_that_names_a_script_executes_nothing(tables: Path, tmp_path: Path) -> None:
    witness = tmp_path.parent / "witness"
    script = tables / "results/evil.py"
    write_text(script, f"open({str(witness)!r}, 'w').close()")
    tamper(tables, script=str(script))
    (finding,) = audit(tables).findings
    assert finding.startswith("results/recipe.json: LetheError: no recipe") and "script" in finding
    assert not witness.exists()


@pytest.mark.parametrize("path", ["../outside.parquet", "/etc/passwd", "results/../../outside.parquet"])
def test_an_input_that_leaves_the_folder_is_a_finding(tables: Path, path: str) -> None:
    recipe = json.loads((tables / RECIPE_FILE).read_text(encoding="utf-8"))
    tamper(tables, inputs=[*recipe["inputs"], path])
    assert audit(tables).findings == [
        f"results/recipe.json: {path} is named, but no table reads it",
        f"results/recipe.json: {path}: leaves the folder",
    ]


def test_an_input_that_is_a_link_out_of_the_folder_is_not_read(tables: Path) -> None:
    ablation = tables / ABLATION.path
    outside = tables.parent / "outside.parquet"
    shutil.move(ablation, outside)
    ablation.symlink_to(outside)
    assert f"results/recipe.json: {ABLATION.path}: leaves the folder" in audit(tables).findings


def test_a_name_that_leaves_the_folder_is_not_followed(tables: Path) -> None:
    outside = tables.parent / "results/analysis/scores/mine.parquet"
    write_rows(outside, SCORES, [], "code")
    recipe = json.loads((tables / RECIPE_FILE).read_text(encoding="utf-8"))
    name = "../../../../results/analysis/scores/mine"
    suites = {**recipe["setup"]["suites"], name: {"label": "Forged", "not_run": {}}}
    before = sorted(tables.parent.rglob("*"))
    tamper(tables, setup={**recipe["setup"], "suites": suites})
    findings = audit(tables).findings
    assert any("leaves the folder" in finding and name in finding for finding in findings)
    assert sorted(tables.parent.rglob("*")) == before


def test_other_published_numbers_than_the_projects_are_a_finding(tables: Path) -> None:
    tamper(tables, published_sha256="0" * 64)
    (finding,) = audit(tables).findings
    assert "built from a config/published.csv of SHA-256 000000" in finding
