"""The audit's account of a suite's version."""

from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.cases.suites import build_suite
from lethe.config.reading import typed
from lethe.schemas import CASES
from lethe.stored.cases import write_suite
from lethe.study.inputs import Files
from lethe.study.setup import Setup, Suite
from lethe.trust import suites
from lethe.trust.record import Audit
from tests.support.bundle import PRODUCER, config, setup
from tests.support.config import put
from tests.support.paths import ROOT

OPTIONS = {"label": "Mine", "folder": "suites/adversarial"}
FIRST = "substring_trap-01"


@pytest.fixture
def own_suites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's suites with one case of `adversarial` withdrawn from version 2 on."""
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "adversarial").symlink_to(ROOT / "suites" / "adversarial")
    entry = f"- {{suite: adversarial, case: {FIRST}, date: 2026-11-24, reason: unclear, from_version: 2}}\n"
    (folder / "errata.yaml").write_text(entry, encoding="utf-8")
    monkeypatch.setattr(suites, "_SUITES", folder)
    return folder


def check(root: Path, folder: Path, version: int, withdrawn: int, said: tuple[int, int]) -> list[str]:
    """The findings on cases of a version whose record says `said`."""
    cases = build_suite("mine", {"folder": str(folder / "adversarial"), "suite_version": version})
    assert (FIRST in {case.case_id for case in cases}) is (withdrawn == 0)
    write_suite(root / CASES.path.format(suite="mine"), cases, PRODUCER)
    record: Setup = replace(setup(), suites={"mine": Suite("Mine", {}, version=said[0], withdrawn=said[1])})
    found = Audit("")
    suites.check_suites(record, typed(put(config(), "suites", {"mine": OPTIONS})), Files(root), found)
    return found.findings


@pytest.mark.parametrize(("version", "withdrawn"), [(1, 0), (2, 1)])
def test_results_of_each_version_are_built_again(
    tmp_path: Path, own_suites: Path, version: int, withdrawn: int
) -> None:
    assert check(tmp_path, own_suites, version, withdrawn, (version, withdrawn)) == []


def test_a_record_that_hides_a_withdrawal_is_found(tmp_path: Path, own_suites: Path) -> None:
    (said,) = check(tmp_path, own_suites, 2, 1, (2, 0))
    assert "says version 2 of mine, 0 cases withdrawn; the errata give 1 for version 2" in said


def test_cases_of_another_version_than_said_are_found(tmp_path: Path, own_suites: Path) -> None:
    (said,) = check(tmp_path, own_suites, 1, 0, (2, 1))
    assert FIRST in said
