"""`forgeteval fetch` in a clone: which of the configured suites and benchmarks it asks for, and where they go."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.cli.fetch import fetch
from lethe.crosseval.released import Released

ROOT = Path(__file__).parents[2]
PAPER = ["published", "published_repaired", "published_external"]


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is asked for, each with the path where it is to stand."""
    found: list[tuple[str, str]] = []

    def note_suite(name: str, options: dict[str, Any]) -> str:
        found.append((name, options["source"]))
        return name

    def note_dataset(name: str, released: Released, path: Path) -> str:
        found.append((name, str(path)))
        return name

    for name in ("Snakefile", "config", "envs", "suites"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORGETEVAL_DATA", raising=False)
    monkeypatch.setattr("lethe.cli.fetch.fetch_suite", note_suite)
    monkeypatch.setattr("lethe.cli.fetch.fetch_dataset", note_dataset)
    return found


def test_everything_one_or_the_papers(asked: list[tuple[str, str]]) -> None:
    fetch()
    assert [name for name, _ in asked] == [*PAPER, "letta_core_memory", "memora", "factcons", "longmemeval", "locomo"]
    assert {Path(path).parts[0] for _, path in asked} == {"datasets"}
    asked.clear()
    fetch("published")
    assert [name for name, _ in asked] == PAPER
    asked.clear()
    fetch("memora", Path("there"))
    assert asked == [("memora", "there/memora/weekly")]


def test_an_unknown_name_is_told_the_known(asked: list[tuple[str, str]]) -> None:
    with pytest.raises(UserError, match=r"nothing: cannot be fetched; known: published, published_.*longmemeval"):
        fetch("nothing")
    assert asked == []
