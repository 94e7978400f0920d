"""The judging rules, in a workflow of their own that shares the project's rules and scripts."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from lethe.config.model import RELEASED_FILES
from lethe.parquet import read_rows
from lethe.schemas import JUDGEMENTS, RELEASED_JUDGES
from lethe.study.judges import require_judgements
from lethe.study.released.reading import LABELS_FILE
from lethe.tables.beyond.judges import judge_audit_table, judge_matrix_table
from tests.gateway.conftest import endpoint, server
from tests.people.conftest import answering, rejects_walnuts, verdict
from tests.support.example_cases import other_case, sound_case, write_lines
from tests.support.paths import ROOT
from tests.support.scripted_endpoint import ScriptedEndpoint, answer
from tests.support.tables import judges, rows_of, setup

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
include: "rules/environments.smk"
include: "rules/suites.smk"
include: "rules/embedders.smk"
include: "rules/embeddings.smk"
include: "rules/judging.smk"
include: "rules/runs.smk"
include: "rules/analysis.smk"

rule all:
    default_target: True
    input: JUDGEMENTS, rules.score_released_labels.output if SETUP.labelled_suite else []
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
    return {name: {**entry, "label": name.upper(), "family": name, "systems": []} for name in ("a", "b")}


def test_judgements_make_both_tables(run: Run, endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    done = run(models=models(endpoint))
    assert done.returncode == 0, done.stderr
    judgements = [
        row
        for judge in ("a", "b")
        for row in read_rows(tmp_path / f"out/results/judging/adversarial_small/{judge}.parquet", JUDGEMENTS)
    ]
    record = setup(judges=judges(a="A", b="B"))
    assert ["A", "All", "20/20", "100.0", "0", "0"] in rows_of(judge_audit_table(judgements, record))
    assert rows_of(judge_matrix_table(judgements, record)) == [
        ["A", "family of a", "20/20", "–", "20/20", "20/0"],
        ["B", "family of b", "20/20", "20/20", "–", "20/0"],
    ]


def test_a_judge_whose_answers_are_cut_off_says_so_in_its_log_and_below_the_table(
    run: Run, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answer(verdict(True)[:20], finish_reason="length")
    done = run(models={"a": models(endpoint)["a"]})
    assert done.returncode == 0, done.stderr
    path = tmp_path / "out/results/judging/adversarial_small/a.parquet"
    rows = read_rows(path, JUDGEMENTS)
    assert {row["verdict"] for row in rows} == {"unusable"}
    log = (tmp_path / "out/results/logs/judging/adversarial_small/a.log").read_text()
    assert "20 of 20 cases got no answer that could be used" in log
    assert "40 answers of the model were cut off (finish_reason length); a reasoning model needs more: " in log
    (note,) = judge_audit_table(rows, setup(judges=judges(a="A"))).notes
    assert note.startswith("A on adversarial_small: 20 of 20 judgements are no verdict")
    with pytest.raises(UserError, match=f"{path.parent.name}/a.parquet and run it again"):
        require_judgements(rows)


def test_a_judge_that_cannot_answer_does_not_run(run: Run) -> None:
    done = run(llm={"answers": "none"})
    assert done.returncode == 0 and "judge_suite" not in done.stdout + done.stderr, done.stderr


def test_of_a_released_suite_the_cases_that_people_labelled_are_judged(
    run: Run, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    write_lines(tmp_path / "cases.jsonl", sound_case(), other_case(), sound_case(id="unlabelled", final_query="Which?"))
    sha256 = cases_sha256(read_cases(tmp_path / "cases.jsonl", "published"))
    (tmp_path / "labels.csv").write_text(
        "case_id,provenance,family\n"
        + "".join(f"{name},generated,drift\n" for name in ("lockers", "club", "unlabelled"))
    )
    release = tmp_path / "data/forgeteval"
    release.mkdir(parents=True)
    for name in RELEASED_FILES:
        (release / name).write_text("suite\n")
    (release / LABELS_FILE).write_text(
        "case_id,qwen,deepseek,claude,n_wf,n_ill\nlockers,true,false,true,9,1\nclub,true,true,true,8,2\n"
    )
    done = run(
        models={"a": models(endpoint)["a"]},
        suites={"published": {"source": "cases.jsonl", "labels": "labels.csv", "sha256": sha256}},
        run={"suites": ["template_small", "adversarial_small", "held_out_small", "published"]},
        datasets="data",
    )
    assert done.returncode == 0, done.stderr
    judgements = read_rows(tmp_path / "out/results/judging/published/a.parquet", JUDGEMENTS)
    assert [(row["case_id"], row["verdict"]) for row in judgements] == [("lockers", "admit"), ("club", "reject")]
    assert all(row["llm_calls"] == 1 and row["tokens_in"] for row in judgements)
    pairs = read_rows(tmp_path / "out/results/analysis/released/judges.parquet", RELEASED_JUDGES)
    found = {(row["first"], row["second"]): (row["equal"], row["cases"]) for row in pairs}
    assert found["measured: a", "human_majority"] == (1, 2) and found["measured: a", "deepseek-v3"] == (0, 2)
