"""What `pip install forgeteval` brings, on each Python that this machine has, and on the newest, or with
LETHE_PYTHONS=all on each, the first page word for word."""

from pathlib import Path

import pytest

from tests.forgeteval.wheel.conftest import Stranger
from tests.forgeteval.wheel.machine import interpreters

pytestmark = pytest.mark.slow

MOST_PACKAGES = 16
COMPILED = {"numpy", "pyyaml"}
WITH_PYTHON = {"pip", "setuptools"}
"""What `python -m venv` brings, by version."""
IMPORTS = """
import sys
before = set(sys.modules)
import forgeteval
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
"""
LATER = {"numpy", "yaml", "typer", "sqlite3", "asyncio", "openai", "pytest"}


def test_this_machine_has_a_python() -> None:
    assert interpreters()


def test_it_brings_few_packages_and_no_others_that_are_compiled(stranger: Stranger) -> None:
    brought = {name: compiled for name, compiled in stranger.packages.items() if name not in WITH_PYTHON}
    assert "forgeteval" in brought and len(brought) <= MOST_PACKAGES, sorted(brought)
    assert {name for name, compiled in brought.items() if compiled} == COMPILED


def test_importing_it_imports_nothing_large(stranger: Stranger) -> None:
    imported = set(stranger.python(IMPORTS).split())
    assert "forgeteval" in imported
    assert not imported & LATER


def test_every_name_is_there(stranger: Stranger) -> None:
    said = stranger.python("import forgeteval as f; print(*(getattr(f, name).__name__ for name in f.__all__))")
    assert said.split() == ["Backend", "Case", "Hit", "Planner", "Results", "compare", "evaluate", "load_suite"]


def test_the_version_is_said(stranger: Stranger) -> None:
    done = stranger.run("--version")
    said = stranger.python("import importlib.metadata as m; print('forgeteval', m.version('forgeteval'))")
    assert (done.returncode, done.stdout) == (0, said)


def test_the_packages_files_are_all_there(stranger: Stranger, stores: Path) -> None:
    """Suites, templates, prompts: a command of each kind reads them."""
    for arguments in (["list"], ["init", "new"], ["run", "stores:Good", "--suite", "owners", "--quiet"]):
        done = stranger.run(*arguments, folder=stores)
        assert (done.returncode, done.stderr) == (0, ""), arguments


def test_the_first_page_does_what_it_says(stranger: Stranger) -> None:
    for step in stranger.steps:
        stranger.reader.does(step)
