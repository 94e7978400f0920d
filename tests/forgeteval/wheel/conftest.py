"""The wheel, and an empty environment that it is installed into, for each Python that this machine has."""

import json
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.forgeteval.wheel.machine import interpreters
from tests.support.paths import ROOT
from tests.support.reader import Reader, Step, steps

PAGE = Path("docs/test-your-store.md")
ENVIRONMENT = ".venv-forgeteval"
"""As the page names it."""
PACKAGES = """
import importlib.metadata, json
found = {}
for package in importlib.metadata.distributions():
    files = [str(file) for file in package.files or ()]
    found[package.metadata["Name"].lower()] = [file for file in files if file.endswith((".so", ".pyd", ".dylib"))]
print(json.dumps(found))
"""
HERE = Path(__file__).parent
STORES = (HERE / "stores.py").read_text(encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without LETHE_PYTHONS=all, each test of a store that breaks is tried on one Python, which its name chooses, and
    the page on the newest; tests/docs/test_first_page.py has it on that of the project."""
    if os.environ.get("LETHE_PYTHONS") == "all":
        return
    left = [item for item in items if item.path.parent == HERE and not _is_chosen(item)]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in {*left}]


def _is_chosen(item: pytest.Item) -> bool:
    assert isinstance(item, pytest.Function)
    every, page = interpreters(), item.originalname == "test_the_first_page_does_what_it_says"
    if not page and item.path.name != "test_breaking.py":
        return True
    python = Path(str(item.callspec.params["stranger"]))
    chosen = zlib.crc32(item.name.replace(python.name, "").encode()) % len(every)
    return python == every[-1 if page else chosen]


@dataclass(frozen=True)
class Stranger:
    """Somebody who has installed the wheel and nothing else, as the page says.

    Attributes:
        reader: who has done the first of `steps`, the installation.
        folder: empty but for the environment.
        steps: of the page, but for the first.
        packages: what was installed by that, and the compiled files of each.
    """

    reader: Reader
    folder: Path
    steps: Sequence[Step]
    environment: dict[str, str]
    packages: dict[str, list[str]]

    @property
    def bin(self) -> Path:
        """Where the commands of the environment are."""
        return self.folder / ENVIRONMENT / "bin"

    def python(self, program: str) -> str:
        """What a program prints."""
        command = [str(self.bin / "python"), "-c", program]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def run(self, *arguments: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
        """`forgeteval` with these arguments."""
        return subprocess.run(
            [self.bin / "forgeteval", *arguments],
            cwd=folder or self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "flit_core.wheel", "--outdir", str(folder), str(ROOT)], check=True)
    [found] = folder.glob("forgeteval-*.whl")
    return found


@pytest.fixture(scope="session", params=interpreters(), ids=lambda python: python.name)
def stranger(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Stranger:
    """Somebody in an empty folder who did what the page says first; the index has the wheel, as after a release."""
    folder = tmp_path_factory.mktemp("stranger")
    commands = tmp_path_factory.mktemp("commands")
    python = commands / "python"
    python.write_text(f'#!/bin/sh\nexec "{request.param}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment |= {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": f"{os.environ.get('PIP_FIND_LINKS', '')} {wheel.parent}".strip(),
        "FORGETEVAL_CACHE": str(commands / "cache"),
        "HOME": str(commands),
    }
    reader = Reader(folder, environment)
    first, *others = steps(PAGE)
    reader.does(first)
    reader.activate(folder / ENVIRONMENT)
    found = Stranger(reader, folder, others, environment, {})
    found.packages.update(json.loads(found.python(PACKAGES)))
    return found


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    """A folder with stores that break."""
    (tmp_path / "stores.py").write_text(STORES, encoding="utf-8")
    return tmp_path
