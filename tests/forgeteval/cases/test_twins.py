"""Twins: the facts of a case, and a request for something that is not there."""

from pathlib import Path

import pytest

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.cases.interchange import CaseError
from forgeteval.cases.reading import read_cases
from forgeteval.cases.suites import build_suite, suite_files
from forgeteval.errors import UserError
from tests.support.paths import ROOT

OPTIONS = {"folder": str(ROOT / "suites/twins"), "twins_of": str(ROOT / "suites/adversarial")}


@pytest.fixture(scope="module")
def twins() -> list[Case]:
    return build_suite("twins", OPTIONS)


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    return {case.case_id: case for case in build_suite("adversarial", {"folder": OPTIONS["twins_of"]})}


def test_there_are_fifteen_of_each_category(twins: list[Case]) -> None:
    counts = {category: sum(twin.category == category for twin in twins) for category in ADVERSARIAL_CATEGORIES}
    assert counts == dict.fromkeys(ADVERSARIAL_CATEGORIES, 15)
    assert len({twin.twin_of for twin in twins}) == 150


def test_every_twin_is_admitted(twins: list[Case]) -> None:
    assert [found for twin in twins for found in rejections(twin, strict=True)] == []


def test_a_twin_keeps_every_fact_of_its_case(twins: list[Case], cases: dict[str, Case]) -> None:
    for twin in twins:
        case = cases[twin.twin_of or ""]
        assert twin.setup_facts == case.setup_facts and twin.final_query == case.final_query
        assert twin.mutations != case.mutations
        assert set(twin.gold_rows or ()) >= set(case.setup_facts)
        assert {state.state for state in twin.states or ()} <= {"stays", "either"}


def test_what_a_twin_names_is_said_in_no_fact(twins: list[Case]) -> None:
    """The last word of a purge, which is the identifier in nearly all of them."""
    for twin in twins:
        (mutation,) = twin.mutations
        if mutation.op == "purge":
            assert not any(mutation.query.lower() in fact.lower() for fact in twin.setup_facts), twin.case_id


def test_files_of_both_suites_are_inputs() -> None:
    assert {path.parent.name for path in suite_files(OPTIONS)} == {"twins", "adversarial"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("twin_of: nobody, mutations: [[purge, x]]", "twin_of: nobody is not a case with states"),
        ("twin_of: substring_trap-01, mutations: [[purge, x]], facts: []", "facts: unknown field; known fields of a"),
        ('twin_of: substring_trap-01, mutations: [[supersede, x, "y z"]]', "anchors: 0 anchors for 1 new texts"),
        ("mutations: [[purge, x]]", "twin_of: must be a string"),
        ("twin_of: substring_trap-01", "mutations: must be a list"),
    ],
)
def test_a_malformed_twin_is_named(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "substring_trap.yaml").write_text(f"- {{id: t, {text}}}\n")
    with pytest.raises(CaseError) as error:
        build_suite("twins", {**OPTIONS, "folder": str(tmp_path)})
    assert f"substring_trap.yaml:1: t: {problem}" in str(error.value)


def test_an_empty_folder_of_twins_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="contains no file of cases"):
        build_suite("twins", {**OPTIONS, "folder": str(tmp_path)})


def test_a_twin_that_is_read_as_a_case_says_how_it_is_read() -> None:
    with pytest.raises(CaseError, match=r"compound_fact\.yaml:1: .*: twin_of: this is a twin, .*--twins-of FOLDER"):
        read_cases(Path(OPTIONS["folder"]), "twins")
