"""The suites in the package are what `suites/` says."""

import json
from pathlib import Path

import pytest

from forgeteval.cases.library import load_suite
from forgeteval.cases.packaged import packaged_suites, write_packaged
from lethe.matcher.training.material import AUTHORS, HOUSE
from release.suites import PACKAGED, our_suites
from tests.support.paths import ROOT

DEVELOPMENT = (AUTHORS, HOUSE, "development_twins")


@pytest.fixture(scope="module")
def ours() -> dict[str, tuple[object, list[object]]]:
    return {entry.name: (entry, [*cases]) for entry, cases in our_suites()}


def test_a_suite_is_the_one_that_the_yaml_says(ours: dict[str, tuple[object, list[object]]]) -> None:
    assert list(ours) == list(packaged_suites())
    for name, (entry, cases) in ours.items():
        assert entry == packaged_suites()[name], "run python -m release.suites"
        assert [*load_suite(name)] == cases, "run python -m release.suites"


def test_the_files_are_those_that_the_program_writes(tmp_path: Path) -> None:
    write_packaged(tmp_path, our_suites())
    written, packaged = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in (tmp_path, PACKAGED))
    assert written == packaged, "run python -m release.suites"


def test_no_case_to_develop_on_is_in_the_package() -> None:
    facts = {fact for name in packaged_suites() for case in load_suite(name) for fact in case.setup_facts}
    files = [path for name in DEVELOPMENT for path in (ROOT / "suites" / name).rglob("*.jsonl")]
    developing = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines() if line]
    assert len(developing) > 3000
    assert not [case["id"] for case in developing if facts.issuperset(case["setup_facts"])]
