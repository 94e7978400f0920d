"""README's first block, and docs/test-your-store.md, block by block, with the `forgeteval` of this environment.

As a stranger installs it, it is run by tests/forgeteval/wheel.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.markdown import blocks
from tests.support.plugin import LOADED
from tests.support.reader import Reader, Step, steps

PAGE = Path("docs/test-your-store.md")
INSTALLING = ("python -m venv", ". .venv", "pip install")


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("reader")
    own = {"PYTEST_ADDOPTS": " ".join(LOADED), "FORGETEVAL_CACHE": str(folder / "cache"), "OPENBLAS_NUM_THREADS": "1"}
    found = Reader(folder, own, without=INSTALLING)
    found.activate(Path(sys.executable).parents[1])
    return found


@pytest.mark.parametrize("step", steps(PAGE), ids=lambda step: f"{step.block.line}-{step.file or step.block.kind}")
def test_the_page_says_what_happens(reader: Reader, step: Step) -> None:
    reader.does(step)


def test_the_page_shows_what_it_says() -> None:
    kinds = [step.block.kind for step in steps(PAGE)]
    assert kinds.count("sh") >= 10 and kinds.count("text") >= 7


def test_readme_tests_a_store_in_four_lines(tmp_path: Path) -> None:
    first = next(block for block in blocks("sh") if block.page == Path("README.md"))
    lines = [line for line in first.said.splitlines() if line.startswith("forgeteval ")]
    assert [line.split()[1] for line in lines] == ["init", "run", "show"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-e"],
        input="\n".join(lines),
        env={**os.environ, "PATH": path},
        cwd=tmp_path,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    summary = results["summary"]
    assert f"{summary['passed']} of {summary['cases']}" in done.stdout
    assert "prefix_collision-02" in done.stdout
