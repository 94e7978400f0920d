"""The jobs that Snakemake wants after an edit are those whose scripts load the edited file."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from lethe.config.model import RELEASED_FILES
from lethe.parquet import write_rows
from lethe.schemas import REPLICATION
from lethe.study.plan import STEPS
from tests.support.jobs import (
    MODEL,
    OF_FUNCTIONS,
    RUN_SCRIPT,
    STEP_SCRIPT,
    Job,
    configurations,
    copy_project,
    dataset_job,
    imported_files,
    run_job,
    step_job,
)
from tests.support.paths import ROOT
from tests.workflow.conftest import TWIN

pytestmark = pytest.mark.slow

RELEASE = "tests/crosseval/data/forgeteval"
EXTRA = {
    "models": {"m": MODEL},
    "run": {
        "systems": ["lethe", "mem0", "lethe+matcher", "lethe+llm"],
        "suites": ["template_small", "adversarial_small", "twins_small", "published"],
        "workloads": ["embedders", "long", "erasure", "memora", "locomo", "store_size"],
    },
    "suites": {"published": {"source": f"{RELEASE}/cases.jsonl", "labels": f"{RELEASE}/provenance.csv"}},
}
EDITED = (
    "lethe/study/scores.py",
    "forgeteval/scoring/scorers.py",
    "forgeteval/planners/llm/prompts/supersede.txt",
    "lethe/jobs/worker.py",
    "lethe/schemas.py",
    "lethe/systems/mem0.py",
)


@dataclass(frozen=True)
class Planned:
    """A job of a dry run: its rule, its wildcards, the name of its log and why it is wanted."""

    rule: str
    wildcards: str
    outputs: tuple[str, ...]
    log: str
    reason: str

    @property
    def job(self) -> Job:
        script = script_of(self.rule)
        values = dict(pair.split("=") for pair in self.wildcards.split(", ") if pair)
        if self.rule == "read_dataset":
            return dataset_job(values["benchmark"])
        if self.rule in OF_FUNCTIONS:
            return OF_FUNCTIONS[self.rule]
        if self.rule == "time_configurations":
            return run_job(*(CONFIGURATIONS[Path(output).stem] for output in self.outputs))
        if script == RUN_SCRIPT:
            return run_job(CONFIGURATIONS.get(self.log, CONFIGURATIONS["lethe+matcher"]))
        return step_job(self.rule) if script == STEP_SCRIPT else (script,)


CONFIGURATIONS = configurations()
NOT_PLANNED = {
    *("fetch_weights", "judge_suite", "train_matcher"),
    *("take_up_handed_in", "score_handed_in", "take_up_atlas", "score_atlas"),
}
"""Rules that the twin needs for no output: what they fetch is there, no run is split, no model is served, judges or
learns, nobody has handed anything in, and it has no atlas."""
SCRIPTS = {
    rule: script
    for path in (ROOT / "rules").glob("*.smk")
    for rule, script in re.findall(
        r"(?ms)^rule (\w+):(?:(?!^rule ).)*?workflow_scripts/(\w+\.py)", path.read_text(encoding="utf-8")
    )
}
RUNS = {
    *("run_lethe", "run_mem0", "run_lethe_matcher", "run_lethe_llm_m", "time_configurations"),
    *("run_without_evidence", "run_lethe_with_universal_sentence_encoder_multilingual"),
}
"""Some of the rules that are made for each configuration."""


def script_of(rule: str) -> str:
    """The script of a rule; empty for a rule without."""
    if rule in STEPS:
        return STEP_SCRIPT
    if rule in OF_FUNCTIONS:
        return OF_FUNCTIONS[rule][0]
    return RUN_SCRIPT if rule.startswith(("run_", "time_")) else SCRIPTS.get(rule, "")


@pytest.fixture(scope="module")
def planned_project(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Planned]]:
    """A copy of the project in which Snakemake takes every output, all of them empty, for made; and every job."""
    folder = copy_project(tmp_path_factory.mktemp("project"))
    (folder / "extra.yaml").write_text(yaml.safe_dump(EXTRA), encoding="utf-8")
    (folder / RELEASE).mkdir()
    for name in ("cases.jsonl", *RELEASED_FILES):
        (folder / RELEASE / name).touch()
    every = dry_run(folder, "--forceall")
    for planned in every:
        for output in planned.outputs:
            (folder / output).parent.mkdir(parents=True, exist_ok=True)
            (folder / output).touch()
            if output.endswith(REPLICATION.path):
                write_rows(folder / output, REPLICATION, [], "test")  # a run ends by reading it
    snakemake(folder, "--touch", "--forceall")
    assert not dry_run(folder)
    return folder, every


def snakemake(folder: Path, *options: str) -> str:
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "paper_tables", *options]
    done = subprocess.run(
        [*command, "--configfile", TWIN.relative_to(ROOT), "extra.yaml"],
        cwd=folder, env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def dry_run(folder: Path, *options: str) -> list[Planned]:
    return list(planned_jobs(snakemake(folder, "--dry-run", *options)))


def planned_jobs(said: str) -> Iterator[Planned]:
    for rule, text in re.findall(r"(?ms)^(?:local)?rule (\w+):\n((?: {4}.*?\n)+)", said):
        fields = dict(re.findall(r"(?m)^ {4}(\w+): (.*)$", text))
        if script_of(rule):
            outputs = tuple(fields["output"].split(", "))
            yield Planned(rule, fields.get("wildcards", ""), outputs, Path(fields["log"]).stem, fields["reason"])


def test_snakemake_wants_the_jobs_that_load_an_edited_file(planned_project: tuple[Path, list[Planned]]) -> None:
    project, every = planned_project
    rules = {planned.rule for planned in every}
    assert (
        rules & {*SCRIPTS, *STEPS, *OF_FUNCTIONS} == {*SCRIPTS, *STEPS, *OF_FUNCTIONS} - NOT_PLANNED and rules >= RUNS
    )
    loaded = imported_files(project, {planned.job for planned in every})
    for name in EDITED:
        path = project / name
        content = path.read_bytes()
        path.write_bytes(content + b"\n# edited\n")
        wanted = {(planned.rule, planned.wildcards): planned.reason for planned in dry_run(project)}
        path.write_bytes(content)
        loading = {(planned.rule, planned.wildcards) for planned in every if name in loaded[planned.job]}
        assert loading and loading <= wanted.keys(), name
        # Others are wanted for the outputs of these, and Snakemake gives no other reason then.
        others = [reason for job, reason in wanted.items() if job not in loading]
        assert all(re.fullmatch("Input files updated by another job: [^;]*", reason) for reason in others), name


@pytest.mark.parametrize("kind", ["runs", "analysis/scores", "embeddings"])
def test_a_removed_file_that_the_tables_follow_from_is_made_again(
    planned_project: tuple[Path, list[Planned]], kind: str
) -> None:
    project, every = planned_project
    named = f"results/{kind}/adversarial_small"
    removed = next(output for planned in every for output in planned.outputs if named in output)
    aside = (project / removed).rename(project / "aside")
    wanted = [output for planned in dry_run(project) for output in planned.outputs]
    aside.rename(project / removed)
    assert removed in wanted
