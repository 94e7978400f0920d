"""The small twin of the whole job, as CI runs it."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from lethe.config.reading import read_config
from lethe.config.selection import all_configurations, reasons_not_run
from lethe.folders import locked
from lethe.parquet import read_rows
from lethe.report.packing import unpack
from lethe.schemas import SCORERS, TRIALS
from lethe.study.configured import setup_of
from lethe.tables.paper.nineteen import LAYOUTS
from lethe.tables.registry import table_specs
from lethe.tables.table import Table
from lethe.trust.check import audit
from tests.support.latex import compiled_file, fits, needs_pdflatex, pages
from tests.support.paths import BUILDING
from tests.workflow.conftest import ROOT, TWIN, VERDICT_COLUMNS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def twin() -> Path:
    """The folder of a finished twin run."""
    folder = ROOT / CONFIG.output_dir
    shutil.rmtree(folder, ignore_errors=True)
    with locked(BUILDING):
        done = _twin("paper_tables")
    assert done.returncode == 0, done.stderr
    return folder


def _twin(*arguments: str, extra: Path | None = None) -> "subprocess.CompletedProcess[str]":
    configuration = [str(TWIN)] if extra is None else [str(TWIN), str(extra)]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments, "--configfile", *configuration]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def _cells(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


MODEL_TABLES = {
    "llm_cost",
    "model_size",
    "hook_choices",
    "judge_audit",
    "judge_matrix",
}
CONFIG = read_config(ROOT, [TWIN])
SPECS = table_specs(setup_of(CONFIG))
TABLES = {spec.name for spec in SPECS}
NOT_PRINTED = {spec.name for spec in SPECS if not spec.latex}
ENTRIES = all_configurations(CONFIG)
REASONS = reasons_not_run(CONFIG, "adversarial_small")
FIGURES = {
    "atlas",
    "erasure",
    "heatmap",
    "heatmap_all",
    "long",
    "model_size",
    "pass_worth",
    "store_size",
    "stores",
    "trade_off",
}


def test_every_table_and_figure_is_written(twin: Path) -> None:
    assert MODEL_TABLES | {layout.name for layout in LAYOUTS} < TABLES
    written = sorted((twin / "paper_tables").iterdir())
    assert {path.name for path in written} == {
        *(f"{name}.csv" for name in TABLES),
        *(f"{name}.tex" for name in (TABLES | {"paper", "beyond"}) - NOT_PRINTED),
        "tables.sty",
    }
    typed = (twin / "results" / "tables").iterdir()
    assert {path.name for path in typed} == {f"{name}.json" for name in TABLES}
    for path in written:
        if path.stem in ("paper", "beyond"):
            continue
        if path.suffix == ".tex":
            assert path.stat().st_size > 300, path.name
            assert re.search(r"\\measuredtable\[\*?\]", path.read_text(encoding="utf-8")), path.name
        else:
            assert _cells(path), path.name
    figures = sorted((twin / "figures").iterdir())
    assert {path.name for path in figures} == {f"{name}.{kind}" for name in FIGURES for kind in ("pdf", "png")}
    for path in figures:
        assert path.read_bytes().startswith(b"%PDF" if path.suffix == ".pdf" else b"\x89PNG"), path.name


def test_every_light_system_has_numbers_and_every_other_says_why_not(twin: Path) -> None:
    rows = {row["System"]: row for row in _cells(twin / "paper_tables" / "ecosystem.csv")}
    assert rows.keys() == {entry.label for entry in ENTRIES.values() if entry.regime != "control"}
    typed = (twin / "results" / "tables" / "ecosystem.json").read_text(encoding="utf-8")
    notes = "\n".join(Table.from_json(typed).notes)
    for name, entry in ENTRIES.items():
        if name in REASONS:
            assert rows[entry.label]["Passed/evaluable (%)"] == "not run"
            assert re.search(rf"{re.escape(entry.label)}[,:].*{re.escape(REASONS[name])}\.", notes), name
        elif entry.regime != "control":
            assert rows[entry.label]["Passed (%)"].split("/")[1].startswith("20 "), name


def test_the_matcher_is_measured_on_both_suites_and_without_each_kind_of_evidence(twin: Path) -> None:
    total = _cells(twin / "paper_tables" / "matcher_held_out.csv")[-1]
    parts = [total[f"Lethe+matcher, {part}"] for part in ("adversarial (small)", "held-out (small)")]
    assert [int(cell.split("/")[1].split()[0]) for cell in parts] == [20, 10]
    said = "developed on these very cases"
    assert said in (twin / "paper_tables" / "own_adversarial.tex").read_text(encoding="utf-8")
    others = Table.from_json((twin / "results/tables/suites_by_category.json").read_text(encoding="utf-8"))
    assert not any(said in note and note.startswith("Held-out") for note in others.notes)
    ablation = _cells(twin / "paper_tables" / "matcher_ablation.csv")[-1]
    assert all("/20 (" in cell for name, cell in ablation.items() if name != "Category")
    for trial in read_rows(twin / "results/runs/adversarial_small/lethe+matcher.parquet", TRIALS):
        assert trial["decisions"] and trial["llm_calls"] == 0
        assert trial["matcher_fallbacks"] <= len(trial["decisions"])


def test_the_audit_finds_nothing_and_names_a_changed_cell(twin: Path, tmp_path: Path) -> None:
    found = audit(twin)
    assert found.findings == []
    assert found.checked["tables"] == len(TABLES) and found.checked["suites built again"] == 4
    assert found.versions is not None and {"pipeline", "mem0", "chroma"} <= found.versions.environments.keys()

    changed = tmp_path / "changed"
    shutil.copytree(twin / "results", changed / "results")
    run = changed / "results/runs/adversarial_small/lethe.parquet"
    data = pq.read_table(run)
    verdicts = data["verdict"].to_pylist()
    verdicts[3] = "fail" if verdicts[3] == "pass" else "pass"
    position = data.column_names.index("verdict")
    pq.write_table(data.set_column(position, data.schema.field("verdict"), pa.array(verdicts)), run)
    named = f"case_id {data['case_id'][3].as_py()}: verdict is now '{verdicts[3]}'"
    assert any(named in finding for finding in audit(changed).findings)


def test_the_report_holds_every_trial_and_table(twin: Path) -> None:
    page = (twin / "results/report/index.html").read_text(encoding="utf-8")
    packs = [json.loads(unpack(text, 1 << 24)) for text in re.findall(r'id="suite-\d+">([^<]*)<', page)]
    assert sum(len(pack["cases"]) for pack in packs) == 60
    ran = [name for name in ENTRIES if name not in REASONS]
    assert [len(pack["trials"]["case"]) for pack in packs][1] == 20 * len(ran)
    measured = sum(ENTRIES[name].regime != "control" for name in ran)
    assert len(packs[2]["pairs"]["first"]) >= (measured - 3) * (measured - 4) / 2, "but what is N/A on every case"
    for table in TABLES:
        assert f'id="/tables/{table}"' in page
    assert len(page.encode()) < 5_000_000


@needs_pdflatex
@pytest.mark.parametrize(("room", "most"), [("paper", 32), ("beyond", 60)])
def test_the_documents_of_both_parts_compile_and_fit(twin: Path, tmp_path: Path, room: str, most: int) -> None:
    for folder in ("paper_tables", "figures"):
        shutil.copytree(twin / folder, tmp_path / folder)
    said = compiled_file(tmp_path / f"paper_tables/{room}.tex")
    assert fits(said)
    assert 0 < pages(said) <= most


@pytest.mark.parametrize("table", sorted(MODEL_TABLES - NOT_PRINTED))
def test_a_table_about_models_says_that_none_ran(twin: Path, table: str) -> None:
    latex = (twin / "paper_tables" / f"{table}.tex").read_text(encoding="utf-8")
    assert any(
        f"not run: {why}" in latex
        for why in ("no configuration with a chat model", "no answers recorded", "the model is not for")
    )


def test_every_system_came_to_a_verdict_on_every_case(twin: Path) -> None:
    for suite, cases in (("template_small", 20), ("adversarial_small", 20), ("held_out_small", 10)):
        ceilings = {name for name, entry in ENTRIES.items() if entry.is_ceiling and suite == "template_small"}
        for system in (name for name in ENTRIES if name not in {*REASONS, *ceilings}):
            trials = read_rows(twin / "results" / "runs" / suite / f"{system}.parquet", TRIALS)
            verdicts = {trial["verdict"] for trial in trials}
            assert len(trials) == cases
            paper = ENTRIES[system].contract == "paper"
            assert verdicts <= ({"pass", "fail", "na"} if paper else {"pass", "fail"}), (suite, system, verdicts)


def test_controls_pass_nothing_and_the_oracle_everything_under_each_scorer(twin: Path) -> None:
    rows = _cells(twin / "paper_tables" / "controls.csv")
    assert [(row["Suite"], row["Scorer"]) for row in rows] == [
        (f"{suite} (small) (n={cases})", scorer)
        for suite, cases in (("Template", 20), ("Adversarial", 20), ("Held-out", 10), ("Twins", 10))
        for scorer in SCORERS
    ]
    for row in rows:
        every = "10 (100)" if "n=10" in row["Suite"] else "20 (100)"
        # Nothing may be forgotten on a twin.
        kept = every if row["Suite"].startswith("Twins") else "0 (0)"
        assert [row["null"], row["nuke"], row["verbatim"], row["oracle"]] == ["0 (0)", "0 (0)", kept, every]
        assert row["frozen"] == "0 (0)" or row["Suite"].startswith("Twins")


def test_a_second_call_has_nothing_to_do(twin: Path) -> None:
    assert "Nothing to be done" in _twin("paper_tables").stderr


def test_a_new_system_runs_its_own_jobs_alone(twin: Path, tmp_path: Path) -> None:
    entry = {"label": "Second", "regime": "deterministic", "backend": "naive_sql", "environment": "pipeline"}
    extra = tmp_path / "extra.yaml"
    extra.write_text(yaml.safe_dump({"systems": {"second": entry}}), encoding="utf-8")
    counted = _twin("paper_tables", "--dry-run", extra=extra)
    assert counted.returncode == 0, counted.stderr
    jobs = {
        line.split()[0]: int(line.split()[1])
        for line in (counted.stdout + counted.stderr).splitlines()
        if len(line.split()) == 2 and line.split()[1].isdigit()
    }
    assert {name: count for name, count in jobs.items() if name.startswith(("run_", "time_"))} == {
        "run_second": 1,
        "time_configurations": 1,
    }
    assert not {"build_suite", "embed_suite", "build_environment", "prepare_embedder"} & jobs.keys()


def test_two_runs_from_scratch_give_the_same_verdicts(twin: Path, tmp_path: Path) -> None:
    suite = twin / "results" / "runs" / "adversarial_small"
    first = {path.stem: read_rows(path, TRIALS) for path in suite.glob("*.parquet")}
    extra = tmp_path / "extra.yaml"
    extra.write_text(yaml.safe_dump({"output_dir": str(tmp_path / "again")}), encoding="utf-8")
    targets = [f"{tmp_path}/again/results/runs/adversarial_small/{system}.parquet" for system in first]
    done = _twin(*targets, extra=extra)
    assert done.returncode == 0, done.stderr
    for system, trials in first.items():
        second = read_rows(tmp_path / "again/results/runs/adversarial_small" / f"{system}.parquet", TRIALS)
        for column in VERDICT_COLUMNS:
            assert [trial[column] for trial in trials] == [trial[column] for trial in second], (system, column)
