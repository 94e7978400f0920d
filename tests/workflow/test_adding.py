"""A system, a suite, a model, a table and an axis are each added in few places besides files of their own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.jobs import COPIED, MODEL, copy_project
from tests.support.paths import ROOT
from tests.workflow.conftest import TWIN, write_cases

pytestmark = pytest.mark.slow

SYSTEM = '''
"""Shelf: texts in a list, found by words in common."""

from collections.abc import Sequence

from forgeteval.stores.contract import Backend, Hit


class ShelfBackend(Backend):
    """A dictionary by number."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._texts: dict[int, str] = {}
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        for text in texts:
            self._added += 1
            self._texts[self._added] = text

    def search(self, query: str, k: int) -> list[Hit]:
        words = set(query.lower().split())
        hits = [Hit(number, text, len(words & set(text.lower().split()))) for number, text in self._texts.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def delete(self, id: str | int) -> None:
        del self._texts[int(id)]

    def close(self) -> None:
        pass
'''
SYSTEM_ENTRY = {
    "label": "Shelf",
    "regime": "deterministic",
    "backend": "lethe.systems.shelf:ShelfBackend",
    "environment": "pipeline",
    "policies": {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"},
}
TABLE = '''
"""How many configurations there are."""

from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import record
from lethe.tables.table import Table


@table("configurations", inputs=(record,))
def configurations_table(setup: Setup) -> Table:
    """The number of configurations."""
    return Table("configurations", "Configurations.", ("Number",), [[[cells.count(len(setup.configurations))]]])
'''
AXIS = '''
"""The adversarial suite twice."""

from collections.abc import Iterator

from lethe.jobs.work import Work
from lethe.study.axis import Axis, Study

TRIALS = "results/twice/{system}.parquet"


def _works(study: Study, name: str) -> Iterator[Work]:
    suite = study.setup.adversarial_suite
    if name == "naive_sql" and study.setup.runs(name, suite):
        yield study.suite(name, suite, trials=TRIALS.format(system=name), repetitions=2)


AXIS = Axis(_works)
'''
STEP = '''
"""Cases whose second verdict is another than the first."""

from collections.abc import Mapping

from lethe.schemas import TRIALS, TWICE
from lethe.study.axes import twice
from lethe.study.setup import Setup
from lethe.study.step import Rows, Step, Work


def _compute(trials: Rows) -> Mapping[str, Rows]:
    verdicts: dict[str, set[str]] = {}
    for trial in trials:
        verdicts.setdefault(trial["case_id"], set()).add(trial["verdict"])
    changed = sum(len(found) > 1 for found in verdicts.values())
    return {"counts": [{"system": "naive_sql", "cases": len(verdicts), "changed": changed}]}


def _work(_: Setup) -> Work:
    return Work({"trials": [twice.TRIALS.format(system="naive_sql")]})


STEP = Step({"trials": TRIALS}, {"counts": TWICE}, _compute, _work)
'''
SCHEMA = """
  twice:
    path: results/analysis/twice.parquet
    meaning: Cases whose second verdict is another.
    key: [system]
    columns:
      system: [text, "name of the system in config"]
      cases: [count, "cases"]
      changed: [count, "cases with two verdicts"]
"""
AXIS_TABLE = '''
"""The adversarial suite twice."""

from collections.abc import Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import rows
from lethe.tables.table import Table


@table("twice", inputs=(rows(schemas.TWICE),))
def twice_table(counts: Sequence[Row]) -> Table:
    """Cases, and those whose verdict changed."""
    shown = [[cells.count(count[name]) for name in ("cases", "changed")] for count in counts]
    return Table("twice", "Cases run twice.", ("Cases", "Changed"), [shown])
'''
OWN_FILES = {
    "lethe/systems/shelf.py": SYSTEM,
    "lethe/tables/beyond/configurations.py": TABLE,
    "lethe/tables/beyond/twice.py": AXIS_TABLE,
    "lethe/study/axes/twice.py": AXIS,
    "lethe/study/steps/count_twice.py": STEP,
}
PLACES = {
    "config/systems.yaml": "system",
    "config/suites.yaml": "suite",
    "config/models.yaml": "model",
    "lethe/schemas.yaml": "axis",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with one more of each."""
    folder = copy_project(tmp_path_factory.mktemp("project"))
    for name, content in OWN_FILES.items():
        (folder / name).write_text(content.lstrip(), encoding="utf-8")
    write_cases(folder / "suites" / "mine.jsonl", 2)
    _append(folder / "config/systems.yaml", "systems", "shelf", SYSTEM_ENTRY)
    _append(folder / "config/suites.yaml", "suites", "mine", {"source": "suites/mine.jsonl"})
    _append(folder / "config/models.yaml", "models", "m", MODEL)
    with (folder / "lethe/schemas.yaml").open("a", encoding="utf-8") as stream:
        stream.write(SCHEMA)
    extra = {
        "environments_dir": str(ROOT / ".environments"),
        "run": {
            "suites": ["adversarial_small", "mine"],
            "systems": ["lethe", "naive_sql", "shelf", "lethe+llm"],
            "workloads": [],
        },
    }
    (folder / "extra.yaml").write_text(yaml.safe_dump(extra), encoding="utf-8")
    return folder


def _append(path: Path, section: str, name: str, entry: dict[str, object]) -> None:
    """Add an entry at the end of the file's section, as an editor would."""
    lines = path.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"{section}:")
    end = next((n for n in range(start + 1, len(lines)) if lines[n][:1] not in ("", " ", "#")), len(lines))
    lines[end:end] = [f"  {name}: {json.dumps(entry)}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_each_is_added_in_one_place_besides_its_own_files(project: Path) -> None:
    changed = set(_changed(project))
    assert changed == {*PLACES, *OWN_FILES, "suites/mine.jsonl"}
    assert len(set(PLACES.values())) == len(PLACES)


def test_what_was_added_runs(project: Path) -> None:
    wanted = ["results/runs/mine/shelf.parquet", "results/tables/twice.json", "results/tables/configurations.json"]
    done = _snakemake(project, *(f"build/test/{name}" for name in wanted[:1]))
    assert done.returncode == 0, done.stderr
    planned = _snakemake(project, "paper_tables", "--dry-run")
    assert planned.returncode == 0, planned.stderr
    assert all(f"build/test/{name}" in planned.stdout + planned.stderr for name in wanted[1:])
    assert {"run_shelf", "run_lethe_llm_m", "count_twice"} <= set(planned.stdout.split())
    done = _snakemake(project, "build/test/results/analysis/twice.parquet")
    assert done.returncode == 0, done.stderr


def _changed(folder: Path) -> Iterator[str]:
    """The files of a copy that differ from the project's, or are not there."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name.startswith(COPIED) and "__pycache__" not in name:
            own = ROOT / name
            if not own.is_file() or own.read_bytes() != path.read_bytes():
                yield name


def _snakemake(folder: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *options]
    return subprocess.run(
        [*command, "--configfile", TWIN.relative_to(ROOT), "extra.yaml"],
        cwd=folder, env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
