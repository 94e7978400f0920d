"""The judging rules, in a workflow of their own that shares the project's rules and scripts."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from lethe.parquet import read_rows
from lethe.schemas import JUDGEMENTS
from lethe.tables.judges import judge_audit_table, judge_matrix_table
from tests.admission.conftest import answering, rejects_walnuts
from tests.gateway.conftest import endpoint, server
from tests.support.paths import ROOT
from tests.support.scripted_endpoint import ScriptedEndpoint
from tests.support.tables import rows_of, setup

__all__ = ["endpoint", "server"]

SNAKEFILE = """
configfile: "config/config.yaml"
configfile: "config/suites.yaml"
configfile: "config/systems.yaml"
configfile: "config/models.yaml"
configfile: "config/embedders.yaml"
configfile: "config/test.yaml"

include: "rules/common.smk"
include: "rules/serving.smk"
include: "rules/suites.smk"
include: "rules/judging.smk"

rule all:
    default_target: True
    input: JUDGEMENTS
"""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the workflow; outputs stand below tmp_path/out."""
    for name in ("config", "rules", "workflow_scripts", "envs", "lethe", "suites"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "Snakefile").write_text(SNAKEFILE)

    def start(**config: Any) -> "subprocess.CompletedProcess[str]":
        extra = {"output_dir": "out", **config}
        extra["run"] = {"systems": ["lethe"]} | config.get("run", {})
        (tmp_path / "extra.yaml").write_text(yaml.safe_dump(extra))
        command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", "extra.yaml"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    return start


def models(endpoint: ScriptedEndpoint) -> dict[str, Any]:
    entry = {"base_url": endpoint.url, "model": "m"}
    return {name: {**entry, "label": name.upper(), "family": name} for name in ("a", "b")}


def test_judgements_make_both_tables(run: Run, endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    done = run(models=models(endpoint), llm={"judges": ["a", "b"]})
    assert done.returncode == 0, done.stderr
    judgements = [
        row
        for judge in ("a", "b")
        for row in read_rows(tmp_path / f"out/results/judging/adversarial_small/{judge}.parquet", JUDGEMENTS)
    ]
    record = setup(judges={"a": "A", "b": "B"})
    assert ["A", "all", "20/20", "100.0", "0", "0"] in rows_of(judge_audit_table(judgements, record))
    assert rows_of(judge_matrix_table(judgements, record)) == [
        ["A", "a", "20/20", "–", "20/20", "20/0"],
        ["B", "b", "20/20", "20/20", "–", "20/0"],
    ]


def test_no_judge_and_a_refused_one(run: Run, endpoint: ScriptedEndpoint) -> None:
    done = run()
    assert done.returncode == 0 and "judge_suite" not in done.stdout + done.stderr, done.stderr
    known = models(endpoint)
    known["c"] = {**known["a"], "model": "another"}
    done = run(models=known, llm={"judges": ["a"]}, run={"systems": ["lethe+llm"]})
    told = done.stdout + done.stderr
    assert done.returncode != 0
    assert "error: config: llm.judges: a is of the model family 'a', like the hooked model c" in told
    assert "Traceback" not in told
