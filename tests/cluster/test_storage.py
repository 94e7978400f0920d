"""The workflow with its results on S3: what it writes there is what a local run writes."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from tests.cluster.s3 import KEYS, S3, running_s3
from tests.support.jobs import copy_project
from tests.workflow.conftest import SUITES_ALONE, write_cases

pytestmark = pytest.mark.slow
SAME = ("results/analysis/scores/mine.parquet", "paper_tables/states.csv", "paper_tables/controls.tex")
"""Files without times: equal byte for byte."""
SYSTEMS = ("lethe", "qdrant")


@pytest.fixture
def s3(tmp_path: Path) -> Iterator[S3]:
    with running_s3(tmp_path) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project with a small suite, of which one run is split."""
    folder = copy_project(tmp_path / "project")
    write_cases(folder / "mine.jsonl", 6)
    config = {
        "environments_dir": str(tmp_path / "environments"),
        "suites": {"mine": {"label": "Mine", "source": "mine.jsonl"}},
        "run": {"suites": ["mine"], "systems": list(SYSTEMS)} | SUITES_ALONE,
        "paper": {f"{name}_suite": "mine" for name in ("template", "adversarial", "held_out")},
        "resamples": 100,
    }
    (folder / "mine.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return folder


def run(
    project: Path, output: str, environment: dict[str, str], *options: str, targets: Sequence[str] = ("paper_tables",)
) -> str:
    """Make the targets below the folder `output`, and return all that was said."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--nolock", "--scheduler", "greedy", *targets]
    done = subprocess.run(
        [*command, "--configfile", "mine.yaml", "--config", f"output_dir={output}", *options],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def without_times(content: bytes) -> pa.Table:
    trials = pq.read_table(pa.BufferReader(content))
    return trials.drop_columns([name for name in trials.column_names if name.endswith("_ms")])


def test_results_on_s3_are_those_of_a_local_run(s3: S3, project: Path, tmp_path: Path) -> None:
    environment, options = s3.environment(project), s3.options("s3://bucket/stored")
    said = run(project, "out", environment, *options)

    def stored(path: str) -> bytes:
        return s3.read(f"bucket/stored/out/{path}")

    # Nothing of the results stays here, nor does what was fetched for a job.
    left = [path for path in project.rglob("*.parquet") if path.relative_to(project).parts[0] != "answers"]
    assert left == []
    freeze = (tmp_path / "environments" / "qdrant.freeze.txt").read_text(encoding="utf-8")
    assert "qdrant-client==" in freeze and '"qdrant"' in stored("results/versions.json").decode()

    runs = [f"results/runs/mine/{system}.parquet" for system in SYSTEMS]
    compared = [f"local/{path}" for path in (*SAME, *runs)]
    run(project, "local", os.environ | {"PYTHONPATH": str(project)}, targets=compared)
    for path in SAME:
        assert stored(path) == (project / "local" / path).read_bytes(), path
    for path in runs:
        assert without_times(stored(path)).equals(without_times((project / "local" / path).read_bytes())), path

    again = run(project, "out", environment, *options)
    assert "Nothing to be done" in again
    for name, secret in KEYS.items():
        holding = [path for path in tmp_path.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
        assert secret not in said + again and not [path for path in holding if path.name != "s3.log"], name
        # A signed request names the key's id, never the key.
        assert "SECRET" not in name or not holding
    assert re.search(r"s3://bucket/stored/out/results/runs/mine/lethe\.parquet", said)
