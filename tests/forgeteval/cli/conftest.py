"""The command in this process, in a folder with stores, a planner and a suite."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forgeteval.cli.main import build_app
from tests.support import stores
from tests.support.paths import ROOT
from tests.support.plugin import SUITE

PLANNER = '''
from forgeteval.planners.protocol import Meant, Unsure


class All:
    """Means everything that it is shown."""

    def purge(self, query, candidates):
        return Meant(tuple(range(len(candidates))))

    release = purge

    def supersede(self, query, new_fact, candidates):
        return self.purge(query, candidates)


class Hesitant(All):
    def purge(self, query, candidates):
        return Unsure("it cannot say")

    release = purge


class Broken:
    def __init__(self):
        raise RuntimeError("no weights")


made = All()


def makes():
    return All()
'''
EMBEDDER = '''
import numpy as np


def lengths(texts):
    return np.array([[len(text), text.count("a") + 1.0] for text in texts])


class Store:
    """Finds texts of the same length."""

    def __init__(self, embedder):
        self.embedder, self.texts = embedder, {}

    def reset(self):
        self.texts = {}

    def add(self, texts):
        self.texts.update(zip(texts, self.embedder.embed(texts), strict=True))

    def search(self, query, k):
        from forgeteval import Hit

        [asked] = self.embedder.embed([query])
        hits = [Hit(text, text, float(asked @ vector)) for text, vector in self.texts.items()]
        return sorted(hits, key=lambda hit: -hit.score)[:k]

    def delete(self, id):
        del self.texts[id]
'''
Command = Callable[..., Result]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, which is the current one: `shelves.py`, `planner.py`, `lengths.py`, `cases.jsonl`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path / "cache"))
    shutil.copy(str(stores.__file__), tmp_path / "shelves.py")
    (tmp_path / "planner.py").write_text(PLANNER, encoding="utf-8")
    (tmp_path / "lengths.py").write_text(EMBEDDER, encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(SUITE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def command(folder: Path) -> Command:
    """`forgeteval` with these arguments."""
    return lambda *arguments: CliRunner().invoke(build_app(), list(arguments))


@pytest.fixture
def run(command: Command) -> Command:
    """`forgeteval run` in this process, without controls."""
    return lambda *arguments: command("run", *arguments, "--in-process", "--no-controls", "--quiet")
