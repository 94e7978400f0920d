"""Suites by name, by path, and made of cases."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import CaseError, cases_sha256
from forgeteval.cases.library import Suite, known_suites, load_suite
from forgeteval.cases.packaged import packaged_suites
from forgeteval.cases.states import FactState
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


CASE = Case(
    "a", "mine", "purge", ("Ada lives in Ghent.", "Bo."), (Mutation("purge", "Ada"),), "Where?", ("Bo",), ("Ghent",)
)
WRONG_CASES: list[tuple[dict[str, Any], str]] = [
    ({"must_contain": "fact"}, "must_contain: must be a list of strings, not str"),
    ({"must_contain": ("",)}, r"must_contain\[0\]: must not be empty"),
    ({"must_contain": (5,)}, r"must_contain\[0\]: must be a string, not int"),
    ({"must_contain": (), "must_not_contain": None}, "must_contain: give at least one string"),
    ({"must_not_contain": (each for each in ["x"])}, "must_not_contain: must be a list of strings, not generator"),
    ({"setup_facts": "Ada"}, "setup_facts: must be a list of strings, not str"),
    ({"setup_facts": ()}, "setup_facts: needs at least 1 entry"),
    ({"setup_facts": ("\ud800",)}, r"setup_facts\[0\]: "),
    ({"mutations": (Mutation("delete", "x"),)}, r"mutations\[0\]\[0\]: unknown operation 'delete'"),  # type: ignore[arg-type]
    ({"mutations": (Mutation("supersede", "x"),)}, r"mutations\[0\]: supersede takes query and text"),
    ({"mutations": (Mutation("purge", "x", "y"),)}, r"mutations\[0\]: purge takes query"),
    ({"mutations": None}, "mutations: missing"),
    ({"mutations": "purge"}, "mutations: must be a list of arrays"),
    ({"final_query": None}, "final_query: missing"),
    ({"suite": 5}, "suite: must be a string, not int"),
    ({"category": ["x"]}, "category: must be a string, not list"),
    ({"states": (FactState(2, "stays", ("Bo",)),)}, "states: .* is not the FactState of a fact"),
    ({"states": (FactState(-1, "stays", ("Bo",)),)}, "states: .* is not the FactState of a fact"),
    ({"states": (FactState(0, "there", ("Bo",)),)}, "states: .* is not the FactState of a fact"),  # type: ignore[arg-type]
    ({"states": ({"stays": ["Bo"]},)}, "states: .* is not the FactState of a fact"),
    ({"states": (FactState(0, "stays", "Bo"),)}, "states.*stays: must be a list of strings, not str"),  # type: ignore[arg-type]
    ({"states": (FactState(1, "stays", ("Bo",)),)}, "states: fact 1 has no state"),
    ({"states": (FactState(0, "purged", ("a",)), FactState(0, "purged", ("b",)))}, "states: fact 1 is purged twice"),
    ({"states": 5}, "states: must be FactStates, not int"),
    ({"owners": ("ada", "bo")}, r"owners\[0\]: must be a list of strings, not str"),
    ({"owners": (("ada",),)}, "owners: must be a list of 2 lists of names"),
    ({"asker": "ada"}, "asker: a case with owners"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG_CASES)
def test_a_case_of_a_program_is_checked_as_one_of_a_file(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(CaseError, match=f"^case 2: {said}"):
        load_suite([other_case(), replace(CASE, **wrong)])


@pytest.mark.parametrize("name", OURS)
def test_a_sound_case_of_a_program_stays_as_it_is(name: str) -> None:
    cases = list(load_suite(name))
    taken = load_suite(cases)
    assert cases_sha256(taken) == cases_sha256(cases)
    # Its states come in the order of the facts, as those of a file.
    sort = [
        replace(case, states=case.states and tuple(sorted(case.states, key=lambda each: each.fact))) for case in cases
    ]
    assert [case.to_json() for case in taken] == [case.to_json() for case in cases] and list(taken) == sort


def test_what_a_program_leaves_out_of_a_case_is_what_a_file_leaves_out() -> None:
    (taken,) = load_suite([replace(CASE, case_id=None, suite=None, category=None, setup_facts=["Ada lives in Ghent."])])  # type: ignore[arg-type]
    assert (taken.case_id, taken.suite, taken.category) == ("cases-1", "cases", "uncategorised")
    assert taken.setup_facts == ("Ada lives in Ghent.",)


def test_a_case_has_no_more_states_than_facts(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mine.jsonl", sound_case(states=[{"stays": ["x"]}] * 5))
    for given in (path, [sound_case(states=[{"stays": ["x"]}] * 5)]):
        with pytest.raises(CaseError, match="states: 5 objects; there are 4 facts with the new texts"):
            load_suite(given)


def test_a_file_has_a_name_that_results_can_hold(tmp_path: Path) -> None:
    for name in ("b\udcff.jsonl", "folder\udcff"):
        folder = tmp_path / name
        (folder.mkdir() if folder.suffix == "" else write_lines(folder, sound_case()))
        with pytest.raises(UserError, match=r"suite: '.*\\udcff' is not UTF-8, and no file of results can hold it"):
            load_suite(folder)


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


@pytest.mark.parametrize("field", ["owners", "asked_by", "asker"])
def test_whose_a_memory_is_and_who_asks_count_in_the_checksum(field: str) -> None:
    case = next(case for case in load_suite("owners") if case.asked_by and case.asker)
    other: Any = {"owners": (("zora",),) * len(case.owners or ()), "asked_by": ("zora",), "asker": "zora"}[field]
    assert cases_sha256([replace(case, **{field: other})]) != cases_sha256([case])
