"""Which needs of a run this machine meets, and what each lack costs."""

import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from forgeteval.errors import UserError
from forgeteval.run.confinement import confine
from lethe.config.answering import reason_unanswered
from lethe.config.keys import key_variables
from lethe.config.model import Config, Suite
from lethe.config.selection import all_configurations, lacking_keys, no_data, reason_suite_empty
from lethe.crosseval.datasets import missing_data
from lethe.crosseval.selection import BENCHMARKS, data_path
from lethe.environments.build import try_index
from lethe.environments.extras import BUILD_LOCK
from lethe.jobs.homes import MEMORY
from lethe.store import Store
from lethe.stored.answers import JUDGE

GIGABYTE = 1e9
DISK = 6 * GIGABYTE
"""What the environments of the default job, uv's cache of their packages and the results take, rounded up."""
MEMORY_OF_JOB = 0.7 * GIGABYTE
"""The largest peak of a job of the default run (docs/scale.md)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        what: what was looked for.
        found: what there is.
        costs: what its lack costs and how it is mended; empty where nothing lacks.
        needed: without it the default job does not run.
    """

    what: str
    found: str
    costs: str = ""
    needed: bool = False


def examine(config: Config, root: Path) -> Iterator[Finding]:
    """Look for everything that a run with this configuration needs, the necessary first.

    Args:
        root: folder of the Snakefile.
    """
    yield _store()
    yield _disk(Path(config.environments_dir))
    for name, folder in (("output_dir", config.output_dir), ("environments_dir", config.environments_dir)):
        yield _writable(f"folder {folder} ({name})", Path(folder), f"nothing can be made there: set {name} to another")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    yield _writable(
        f"folder {cache}", cache, "Snakemake does not start: set XDG_CACHE_HOME or HOME to a folder of yours"
    )
    yield _index(root)
    yield _memory()
    yield _memory_folder()
    yield _landlock(config)
    yield from _data(config)
    yield from _answers(config)
    yield from _programs(config)


def _store() -> Finding:
    what = "a store in SQLite, with full-text search"
    try:
        with Store(embed=lambda texts: np.ones((len(texts), 1), dtype=np.float32), dim=1) as store:
            store.inscribe("A memory of this machine.")
            found = store.recall("memory")
    except UserError as error:
        return Finding(what, str(error), "no store works: install the packages again with `make env`", needed=True)
    return Finding(what, f"works ({len(found)} memory recalled)")


def _existing(folder: Path) -> Path:
    return next(part for part in (folder.absolute(), *folder.absolute().parents) if part.exists())


def _writable(what: str, folder: Path, lack: str) -> Finding:
    existing = _existing(folder)
    may = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
    return Finding(what, "can be written" if may else f"{existing} cannot be written", "" if may else lack, not may)


def _disk(environments: Path) -> Finding:
    existing = _existing(environments)
    free = shutil.disk_usage(existing).free
    lack = f"the default job takes some {_gigabytes(DISK)}: set environments_dir or output_dir to a larger disk"
    return Finding(
        f"disk at {environments}", f"{_gigabytes(free)} free", lack if free < DISK else "", needed=free < DISK
    )


def _index(root: Path) -> Finding:
    try:
        with tempfile.TemporaryDirectory() as folder:
            try_index(root / "envs" / BUILD_LOCK, Path(folder))
    except UserError as error:
        lack = "only environments that are built already can be used: set PIP_INDEX_URL, or a proxy, and try again"
        return Finding("package index", str(error), lack, needed=True)
    return Finding("package index", "reached")


def _memory() -> Finding:
    available, processors = psutil.virtual_memory().available, multiprocessing.cpu_count()
    jobs = max(1, int(available // MEMORY_OF_JOB))
    lack = f"no more than {jobs} jobs at once: `make paper_tables CORES={jobs}`" if jobs < processors else ""
    return Finding("processors and memory", f"{processors}, {_gigabytes(available)} available", lack)


def _memory_folder() -> Finding:
    lack = "" if os.access(MEMORY, os.W_OK) else "systems that keep files on disk take up to twice as long"
    return Finding(f"files in memory at {MEMORY}", "missing" if lack else "writable", lack)


def _landlock(config: Config) -> Finding:
    """Whether systems can be kept from seeing other processes; tried in a process of its own, which stays confined."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        problem = pool.apply(confine)
    exported = key_variables(config.models)
    lack = "while a model's key is exported, no system starts" if problem else ""
    return Finding("confinement of systems (Landlock)", problem or "works", lack, bool(problem and exported))


def _data(config: Config) -> Iterator[Finding]:
    for name, suite in config.suites.items():
        if suite.url and suite.source:
            there = Path(suite.source).is_file()
            yield Finding(f"suite {name}", "found" if there else "missing", "" if there else _suite_lack(name, suite))
    for name in BENCHMARKS:
        missing = missing_data(name, data_path(config, name))
        there, lack = missing is None, f"its tables say `{no_data(missing or Path(), name)}`"
        yield Finding(f"benchmark {name}", "found" if there else "missing", "" if there else lack)


def _suite_lack(name: str, suite: Suite) -> str:
    return f"its tables say `{reason_suite_empty(name, suite)}`"


def _answers(config: Config) -> Iterator[Finding]:
    entries, keys = [entry for entry in all_configurations(config).values() if entry.model], lacking_keys(config)
    for model in dict.fromkeys([*(entry.model for entry in entries), *config.judges]):
        judges = model in config.judges
        systems = [JUDGE] if judges else [entry.system for entry in entries if entry.model == model]
        reasons = {reason_unanswered(config, model, suite, system) for suite in config.suites for system in systems}
        if "" not in reasons:
            yield Finding(f"model {model}", "no answers", f"its rows say `not run: {min(reasons)}`")
        elif model in keys:
            lost = "its judgements are" if judges else "its configurations are"
            yield Finding(f"model {model}", keys[model], f"{lost} not made, and the run ends with exit code 1")
        else:
            yield Finding(f"model {model}", "answers recorded, or asked live")


def _programs(config: Config) -> Iterator[Finding]:
    heavy = config.run.heavy
    for program, systems in (("make", "Graphiti on FalkorDB"), ("g++", "OpenMemory"), ("npm", "OpenMemory")):
        path = shutil.which(program)
        lack = "" if path else f"{systems} cannot be built" + ("" if heavy else " once run.heavy is switched on")
        yield Finding(program, path or "missing", lack, needed=heavy and not path)


def _gigabytes(size: float) -> str:
    return f"{size / GIGABYTE:.1f} GB"
