"""Errata: a case is withdrawn from a version on, earlier versions are still built, and tables say how many."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.errata import ERRATA_FILE, newest_version, read_errata
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from tests.support.config import of, shipped
from tests.support.paths import ROOT

CASE = """
- id: {0}
  family: purge
  provenance: written_first
  setup_facts: [Ana lives in {0}., Ben lives in Rome.]
  mutations: [[purge, Ana]]
  final_query: Where does everybody live?
  must_contain: [Rome]
  must_not_contain: [{0}]
"""
ENTRY = "- {{suite: mine, case: {case}, date: 2026-11-24, reason: ambiguous, from_version: {version}}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A suite of three cases: Lima, Oslo, Paris."""
    path = tmp_path / "mine"
    path.mkdir()
    names = ("Lima", "Oslo", "Paris")
    (path / "substring_trap.yaml").write_text("".join(map(CASE.format, names)), encoding="utf-8")
    return path


def withdraw(folder: Path, *entries: tuple[str, int]) -> None:
    text = "".join(ENTRY.format(case=case, version=version) for case, version in entries)
    (folder.parent / ERRATA_FILE).write_text(text, encoding="utf-8")


def built(folder: Path, **options: Any) -> list[str]:
    return [case.case_id for case in build_suite("mine", {"folder": str(folder), **options})]


def test_each_version_lacks_what_was_withdrawn_up_to_it(folder: Path) -> None:
    assert built(folder) == ["Lima", "Oslo", "Paris"]
    withdraw(folder, ("Oslo", 2), ("Lima", 3))
    assert built(folder) == built(folder, suite_version=3) == ["Paris"]
    assert built(folder, suite_version=2) == ["Lima", "Paris"]
    assert built(folder, suite_version=1) == ["Lima", "Oslo", "Paris"]


def test_a_sample_is_drawn_from_what_is_left(folder: Path) -> None:
    withdraw(folder, ("Lima", 2))
    assert built(folder, cases_per_category=1) == ["Oslo"]


def test_errata_of_other_suites_do_not_count(folder: Path) -> None:
    withdraw(folder, ("Oslo", 2))
    assert read_errata(folder.parent / "other") == []
    assert newest_version(folder.parent / "other") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENTRY.format(case="Rome", version=2), "Rome is not a case of"),
        (ENTRY.format(case="Oslo", version=3), "must count 2, 3 and so on, not .3."),
        (ENTRY.format(case="Oslo", version=1), "must count 2, 3 and so on, not .1."),
        (ENTRY.replace("mine", "mien").format(case="Oslo", version=2), "no folder 'mien' stands beside it"),
        (2 * ENTRY.format(case="Oslo", version=2), "Oslo of mine is withdrawn twice"),
        ("- {suite: mine, case: Oslo}\n", r"errata.yaml:1: an entry has suite, case, date"),
        (ENTRY.format(case="Oslo", version="'2'"), "from_version: '2' is not of type int"),
        (ENTRY.format(case="Oslo", version=2).replace("2026-11-24", "soon"), "date: 'soon' is not of type date"),
    ],
)
def test_a_mistake_is_one_line(folder: Path, text: str, said: str) -> None:
    (folder.parent / ERRATA_FILE).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        built(folder)


def test_a_version_to_come_is_a_mistake_of_the_configuration(folder: Path) -> None:
    config = shipped()
    config["suites"]["mine"] = {"label": "Mine", "folder": str(folder), "suite_version": 2}
    with pytest.raises(UserError, match=r"suite_version: .*mine has no version 2; the newest is 1"):
        of(config)


def test_the_shipped_errata_are_those_of_cases_of_the_suites() -> None:
    for folder in sorted(path for path in (ROOT / "suites").iterdir() if list(path.glob("*.yaml"))):
        read_errata(folder)
