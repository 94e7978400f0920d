"""docs/test-your-store.md, block by block, with the `forgeteval` of this environment.

As a stranger installs it, it is run by tests/forgeteval/wheel.
"""

import sys
from pathlib import Path

import pytest

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
