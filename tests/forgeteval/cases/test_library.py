"""Suites by name, by path, and made of cases."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import CaseError, cases_sha256
from forgeteval.cases.library import Suite, known_suites, load_suite
from forgeteval.cases.packaged import packaged_suites
from forgeteval.errors import UserError
from tests.support.example_cases import other_case, sound_case, write_lines
from tests.support.paths import ROOT

OURS = {
    "template": 1000,
    "adversarial": 385,
    "held_out": 300,
    "twins": 150,
    "owners": 120,
    "languages": 200,
    "adversarial_sample": 10,
}
SECONDS = 0.2
"""Processor time that reading a suite may take in a new process; others may use the machine too."""
TIMED = """
import time
from forgeteval.cases.library import load_suite
begun = time.process_time()
load_suite({name!r})
print(time.process_time() - begun)
"""


@pytest.mark.parametrize("name", OURS)
def test_a_suite_of_ours_is_known_by_name(name: str) -> None:
    suite = load_suite(name)
    assert (suite.name, len(suite), suite.version) == (name, OURS[name], 0 if name == "template" else 1)
    assert suite.sha256 == cases_sha256(suite)
    assert {case.suite for case in suite} == {name}


@pytest.mark.parametrize("name", OURS)
def test_a_suite_of_ours_is_read_at_once_in_a_new_process(name: str) -> None:
    def seconds() -> float:
        command = [sys.executable, "-c", TIMED.format(name=name)]
        return float(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)

    assert min(seconds() for _ in range(3)) < SECONDS


def test_a_suite_is_a_sequence_of_its_cases() -> None:
    suite = load_suite("owners")
    assert isinstance(suite, Sequence)
    assert list(suite) == [*suite.cases] and suite[-1] is suite.cases[-1] and suite[:2] == suite.cases[:2]
    assert suite.cases[3] in suite and suite.index(suite.cases[3]) == 3
    assert "setup_facts" not in repr(suite)
    assert load_suite(suite) is suite


def test_categories_of_ours_come_in_their_order_and_others_as_they_come() -> None:
    names = ["gdpr_request", "purge", "court_order", "substring_trap", "purge"]
    suite = load_suite([sound_case(id=str(number), category=name) for number, name in enumerate(names)])
    assert suite.categories == ["purge", "substring_trap", "gdpr_request", "court_order"]


@pytest.mark.parametrize("kind", ["cases", "mappings", "a generator"])
def test_a_suite_is_made_of_cases(kind: str) -> None:
    mappings = [sound_case(), other_case(id=None)]
    cases = [*load_suite(mappings)]
    given: dict[str, Any] = {"cases": cases, "mappings": mappings, "a generator": (case for case in cases)}
    suite = load_suite(given[kind])
    assert [case.case_id for case in suite] == ["lockers", "cases-2"]
    assert (suite.name, suite.version, suite.sha256) == ("cases", 0, cases_sha256(cases))


def test_a_file_of_anybody_is_a_suite(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", sound_case(category="gdpr_request"), other_case())
    for given in (path, str(path)):
        suite = load_suite(given)
        assert (suite.name, suite.label, suite.version, len(suite)) == ("mine", "mine", 0, 2)
        assert suite.categories == ["paraphrase_supersession", "gdpr_request"] and suite[0].suite == "mine"


def test_a_folder_of_written_cases_is_a_suite_that_says_the_same() -> None:
    suite = load_suite(ROOT / "suites" / "owners")
    assert isinstance(suite, Suite) and suite.sha256 == load_suite("owners").sha256


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            "nothing",
            "suite 'nothing': no such suite, file or folder; known are template, .*fetch NAME.*published",
        ),
        ([], "suite: there is no case"),
        ([sound_case(), sound_case()], "case 2: case_id: duplicate id 'lockers', first used at case 1"),
        ([sound_case(), {"id": "a"}], "case 2: setup_facts: missing"),
    ],
)
def test_a_mistake_is_one_line(given: Any, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        load_suite(given)
    assert "\n" not in str(caught.value)


def test_a_malformed_file_is_named_by_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", sound_case(), json.dumps({"id": "a"}))
    with pytest.raises(CaseError, match=r"mine\.jsonl:2: setup_facts: missing"):
        load_suite(path)


def test_every_known_suite_says_how_many_cases_it_has_and_whether_it_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORGETEVAL_DATA", raising=False)
    (tmp_path / "data/forgeteval").mkdir(parents=True)
    (tmp_path / "data/forgeteval/external_77.jsonl").touch()
    known = known_suites(tmp_path / "data")
    assert {each.name: each.cases for each in known if each.name in packaged_suites()} == OURS
    assert [(each.name, each.cases) for each in known if each.name not in OURS] == [
        ("published", 385),
        ("published_repaired", 385),
        ("published_external", 77),
        ("letta_core_memory", 498),
    ]
    assert {each.name for each in known if each.here} == {*OURS, "published_external"}


def test_a_case_is_what_it_was_before_it_was_packaged() -> None:
    twin = load_suite("twins")[0]
    assert isinstance(twin, Case) and twin.states is not None
    assert [state.fact for state in twin.states] == [1, 3, 0, 2, 4], "in the order of the anchors that are asked for"
