"""The authored adversarial cases, and the errors of whoever writes more of them."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from forgeteval.admission.structure import rejections
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case
from forgeteval.cases.interchange import CaseError
from forgeteval.cases.reading import read_cases
from forgeteval.errors import UserError
from tests.support.paths import ADVERSARIAL

CATEGORY_COUNTS = {
    "substring_trap": 36,
    "prefix_collision": 39,
    "paraphrase_supersession": 38,
    "negation_trap": 40,
    "temporal_qualifier": 37,
    "shared_attribute": 40,
    "compound_fact": 40,
    "identifier_obfuscation": 38,
    "cross_lingual_identifier": 38,
    "recursive_supersession": 39,
}


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return read_cases(ADVERSARIAL, "adversarial")


def of_category(cases: list[Case], category: str) -> list[Case]:
    return [case for case in cases if case.category == category]


def test_counts_by_category(cases: list[Case]) -> None:
    assert len(cases) == 385
    assert Counter(case.category for case in cases) == CATEGORY_COUNTS
    assert set(CATEGORY_COUNTS) == set(ADVERSARIAL_CATEGORIES)


def test_counts_by_provenance(cases: list[Case]) -> None:
    assert Counter(case.provenance for case in cases) == {"written_first": 132, "written_later": 253}
    first = Counter(case.category for case in cases if case.provenance == "written_first")
    assert set(first) == set(ADVERSARIAL_CATEGORIES)
    assert min(first.values()) >= 8


def test_every_case_is_admitted(cases: list[Case]) -> None:
    assert [found for case in cases for found in rejections(case)] == []


def test_every_case_is_complete(cases: list[Case]) -> None:
    for case in cases:
        assert case.suite == "adversarial"
        assert case.family, case.case_id
        assert case.mechanism, case.case_id


def test_no_two_cases_say_the_same(cases: list[Case]) -> None:
    assert len({frozenset(case.setup_facts) for case in cases}) == len(cases)
    assert len({case.case_id for case in cases}) == len(cases)


def test_identifier_obfuscation_covers_many_kinds(cases: list[Case]) -> None:
    kinds = Counter(case.identifier_type for case in of_category(cases, "identifier_obfuscation"))
    assert None not in kinds
    assert len(kinds) >= 25


def test_cross_lingual_covers_many_scripts(cases: list[Case]) -> None:
    scripts = Counter(case.script for case in of_category(cases, "cross_lingual_identifier"))
    assert None not in scripts
    assert len(scripts) >= 12
    assert sum(count >= 3 for count in scripts.values()) >= 10


def test_one_file_holds_one_category(cases: list[Case]) -> None:
    for category in ADVERSARIAL_CATEGORIES:
        written = yaml.safe_load((ADVERSARIAL / f"{category}.yaml").read_text(encoding="utf-8"))
        assert [case["id"] for case in written] == [case.case_id for case in of_category(cases, category)]


GOOD = """\
- id: mine-1
  setup_facts: ["The bus leaves at 12:30.", "The tram leaves at 13:05."]
  mutations: [[purge, "the bus"]]
  final_query: "What leaves when?"
  must_contain: ["13:05"]
  must_not_contain: ["12:30"]
  gold_rows: ["The tram leaves at 13:05."]
"""


def read(folder: Path, text: str, name: str = "negation_trap") -> list[Case]:
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return read_cases(folder, "mine")


def test_the_category_is_that_of_the_file(tmp_path: Path) -> None:
    (case,) = read(tmp_path, GOOD)
    assert (case.case_id, case.category, case.suite) == ("mine-1", "negation_trap", "mine")
    assert case.must_not_contain == ("12:30",)


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "substring_trap")
    cases = read(tmp_path, GOOD.replace("mine-1", "mine-2"), "compound_fact")
    assert [case.category for case in cases] == ["compound_fact", "substring_trap"]


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        # YAML 1.1 reads an unquoted 12:30 as the number 750, and an unquoted date as a date.
        ('must_not_contain: ["12:30"]', "must_not_contain: [12:30]", ["must_not_contain[0]", "string", "750"]),
        ('"13:05"]', "2026-03-05]", ["must_contain[0]", "must be a string, not date"]),
        ('"13:05"]', "4417]", ["must_contain[0]", "must be a string, not int (4417)"]),
        ('"13:05"]', "yes]", ["must_contain[0]", "must be a string, not bool"]),
        ('"the bus"', "12:30", ["mutations[0][1]", "must be a string, not int (750)"]),
        ('"What leaves when?"', "{what: leaves}", ["final_query", "must be a string, not dict"]),
        ("id: mine-1", "id: mine-1\n  category: compound_fact", ["category", "is in the file of negation_trap"]),
        ("id: mine-1", "id: mine-1\n  category: trap", ["category", "unknown value 'trap'"]),
        ("id: mine-1", "id: mine-1\n  note: x", ["note", "unknown field"]),
        ("purge,", "forget,", ["mutations[0][0]", "unknown operation 'forget'"]),
    ],
)
def test_a_mistake_names_the_file_the_case_and_the_field(tmp_path: Path, old: str, new: str, parts: list[str]) -> None:
    assert old in GOOD
    second = GOOD.replace(old, new, 1).replace("mine-1", "mine-2")
    with pytest.raises(CaseError) as caught:
        read(tmp_path, GOOD + second)
    message = str(caught.value)
    line = 1 + GOOD.count("\n")
    assert message.startswith(f"{tmp_path / 'negation_trap.yaml'}:{line}: mine-2: ")
    for part in parts:
        assert part in message


def test_a_file_named_after_no_category_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="category: unknown value 'traps'"):
        read(tmp_path, GOOD, "traps")


@pytest.mark.parametrize("text", ["", "a: 1\n", "just text\n"])
def test_a_file_without_a_list_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=r"negation_trap\.yaml: must be a list of cases"):
        read(tmp_path, text)


def test_an_entry_that_is_no_mapping_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match=r":1: not a mapping: "):
        read(tmp_path, "- text\n")


def test_broken_yaml_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"negation_trap\.yaml: not YAML"):
        read(tmp_path, '- id: "mine\n')


def test_an_id_used_twice_names_both_places(tmp_path: Path) -> None:
    read(tmp_path, GOOD, "compound_fact")
    with pytest.raises(CaseError) as caught:
        read(tmp_path, GOOD, "negation_trap")
    for name in ("compound_fact.yaml", "negation_trap.yaml", "duplicate id 'mine-1'"):
        assert name in str(caught.value)


@pytest.mark.parametrize("content", [b"\xff- id: mine-1\n", b"- id: 2024-13-45\n"], ids=["not-utf8", "impossible-date"])
def test_an_unreadable_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "negation_trap.yaml").write_bytes(content)
    with pytest.raises(UserError, match=r"negation_trap\.yaml"):
        read_cases(tmp_path, "mine")
