"""The small twin of the whole job, as CI runs it."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from lethe.parquet import read_rows
from lethe.schemas import TRIALS
from tests.workflow.conftest import ROOT, TWIN, VERDICT_COLUMNS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def twin() -> Path:
    """The folder of a finished twin run."""
    folder = ROOT / yaml.safe_load(TWIN.read_text(encoding="utf-8"))["output_dir"]
    shutil.rmtree(folder, ignore_errors=True)
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


def test_every_table_and_figure_is_written(twin: Path) -> None:
    for table in ("template", "adversarial", "naive_sql", "controls"):
        assert (twin / "paper_tables" / f"{table}.tex").stat().st_size > 300
        assert _cells(twin / "paper_tables" / f"{table}.csv")
    assert (twin / "figures" / "heatmap.pdf").read_bytes().startswith(b"%PDF")
    assert (twin / "figures" / "heatmap.png").read_bytes().startswith(b"\x89PNG")


def test_every_system_came_to_a_verdict_on_every_case(twin: Path) -> None:
    for suite, cases in (("template_small", 20), ("adversarial_small", 20)):
        for system in yaml.safe_load((ROOT / "config" / "systems.yaml").read_text(encoding="utf-8"))["systems"]:
            trials = read_rows(twin / "results" / "runs" / suite / f"{system}.parquet", TRIALS)
            verdicts = {trial["verdict"] for trial in trials}
            assert len(trials) == cases
            assert verdicts <= ({"na"} if system == "mempalace" else {"pass", "fail"}), (suite, system, verdicts)


def test_controls_pass_nothing_and_the_oracle_everything(twin: Path) -> None:
    for row in _cells(twin / "paper_tables" / "controls.csv"):
        assert [row["null"], row["nuke"], row["verbatim"], row["oracle"]] == ["0 (0)", "0 (0)", "0 (0)", "20 (100)"]


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
    assert jobs["run_system"] == 2
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
