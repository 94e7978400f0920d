"""The jobs of the workflow as the fingerprints know them: a script, and the modules that a configuration chooses."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from lethe.config.configurations import Configuration
from lethe.config.reading import typed
from lethe.config.selection import all_configurations
from lethe.crosseval.selection import BENCHMARKS
from lethe.study.axis import chosen_modules
from lethe.study.plan import STEPS, module_of
from tests.support.config import shipped
from tests.support.paths import ROOT

Job = tuple[str, ...]
"""A script of workflow_scripts, and dotted names of modules."""
RUN_SCRIPT, STEP_SCRIPT = "run_configuration.py", "run_step.py"
EMBED_SCRIPT, ROWS_SCRIPT = "embed.py", "write_rows.py"
OF_FUNCTIONS: dict[str, Job] = {
    "embed_suite": (EMBED_SCRIPT, "lethe.stored.cases"),
    "embed_suite_further": (EMBED_SCRIPT, "lethe.stored.cases"),
    "embed_long": (EMBED_SCRIPT, "lethe.stored.histories"),
    "embed_crosseval": (EMBED_SCRIPT, "lethe.crosseval.records"),
    "embed_haystack": (EMBED_SCRIPT, "lethe.stored.haystack"),
    "embed_erasure": (EMBED_SCRIPT, "lethe.stored.erasure"),
    "build_long": (ROWS_SCRIPT, "lethe.stored.histories"),
    "build_erasure": (ROWS_SCRIPT, "lethe.stored.erasure"),
    "read_release": (ROWS_SCRIPT, "lethe.study.released.reading"),
}
"""The jobs of rules that name a function."""
MODEL = {"family": "f", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
COPIED = (
    "forgeteval",
    "lethe",
    "workflow_scripts",
    "rules",
    "config",
    "envs",
    "suites",
    "profiles/default",
    "Snakefile",
    "tests/crosseval/data",
)


def copy_project(folder: Path) -> Path:
    """Copy what the workflow consists of, so that a test may edit it; what is compiled is not compiled again."""
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def configurations() -> dict[str, Configuration]:
    """Every configuration that can run, each that asks a model with the model `m`."""
    config = typed(shipped() | {"models": {"m": MODEL}})
    return {name: entry for name, entry in all_configurations(config).items() if entry.backend}


def run_job(*entries: Configuration) -> Job:
    """The job that runs configurations: it needs their own backends, planners and gateways, and no other's."""
    return RUN_SCRIPT, *dict.fromkeys(module for entry in entries for module in chosen_modules(entry))


def step_job(step: str) -> Job:
    """The job that runs a step of the analysis."""
    return STEP_SCRIPT, module_of(step)


def dataset_job(benchmark: str) -> Job:
    """The job that reads a data set of other authors."""
    return ROWS_SCRIPT, "lethe.crosseval.datasets", f"lethe.crosseval.{benchmark}"


def all_jobs() -> list[Job]:
    """Each script with each choice of modules that changes what it runs."""
    plain = sorted(path.name for path in (ROOT / "workflow_scripts").glob("*.py"))
    jobs: list[Job] = [
        (script,) for script in plain if script not in (RUN_SCRIPT, STEP_SCRIPT, EMBED_SCRIPT, ROWS_SCRIPT)
    ]
    jobs += [step_job(step) for step in STEPS]
    jobs += [dataset_job(benchmark) for benchmark in BENCHMARKS]
    jobs += OF_FUNCTIONS.values()
    jobs += [run_job(entry) for entry in configurations().values()]
    return list(dict.fromkeys(jobs))


def imported_files(project: Path, jobs: Iterable[Job]) -> dict[Job, frozenset[str]]:
    """The files, relative to `project`, that each job really loads there; see `tests.support.imported_files`."""
    jobs = list(jobs)
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "support" / "imported_files.py"],
        cwd=project, env={"PYTHONPATH": str(project), "MPLBACKEND": "agg"}, input=json.dumps(jobs),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return {job: frozenset(files) for job, files in zip(jobs, json.loads(done.stdout), strict=True)}
