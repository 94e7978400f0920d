"""The released cases: read from Python source as data, patched, and reduced as the later runs were."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.interchange import case_from_json, cases_sha256
from forgeteval.cases.released import one_surface_form, read_released
from forgeteval.errors import UserError

SOURCE = Path(__file__).parent / "data" / "released.py.txt"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source file in the form of the release."""
    path = tmp_path / "adversarial.py"
    shutil.copy(SOURCE, path)
    return path


def patch(folder: Path, **cases: Any) -> Path:
    path = folder / "patch.json"
    path.write_text(json.dumps(cases), encoding="utf-8")
    return path


def test_python_source_is_read_as_data(source: Path) -> None:
    cases = [case_from_json(record, "published", "here") for record in read_released([source])]
    assert [case.case_id for case in cases] == [
        "adv_substring_trap_01",
        "adv_cross_lingual_identifier_02",
        "adv_negation_trap_03",
    ]
    assert [case.category for case in cases] == ["substring_trap", "cross_lingual_identifier", "negation_trap"]
    assert cases[0].setup_facts == ("The gate code is 7741.", "Line 77 of the tram stops at the harbour.")
    assert cases[1].mutations == (
        Mutation("purge", "Anna aka Анна"),
        Mutation("supersede", "coat", "The coat was fetched."),
        Mutation("release", "x"),
    )
    assert cases[0].family == "purge" and cases[0].must_not_contain == ("7741",)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('A = [GeneratedCase(id=open("x"), mutations=[])]', ":1: not a case of literals"),
        ("A = [\n GeneratedCase(mutations=[])]", ":2: not a case of literals with an id"),
        ('A = [GeneratedCase(id="adv_a_1", mutations=3)]', ":1: not a case of literals"),
        ("A = [", "cannot be read as Python source"),
        ("\0", "cannot be read as Python source"),
    ],
)
def test_what_is_no_literal_is_refused_by_its_line(tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "adversarial.py"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(UserError, match=r"adversarial\.py") as caught:
        read_released([path])
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_patches_add_facts_and_replace_what_they_name(source: Path, tmp_path: Path) -> None:
    repaired = patch(
        tmp_path,
        adv_cross_lingual_identifier_02={
            "category": "cross_lingual_identifier",
            "script_family": "Cyrillic",
            "add_facts": ["Guest Boris stayed."],
            "final_query": "List every guest, including Boris.",
            "must_contain": ["Boris"],
        },
    )
    first, second, _ = read_released([source, repaired])
    assert first == read_released([source])[0]
    assert second["setup_facts"][-1] == "Guest Boris stayed." and len(second["setup_facts"]) == 3
    assert second["final_query"].endswith("including Boris.") and second["must_contain"] == ["Boris"]
    assert second["must_not_contain"] == ["Anna"] and "script_family" not in second


@pytest.mark.parametrize("cases", [{"adv_none_01": {}}, {"adv_substring_trap_01": 3}])
def test_a_patch_of_no_case_is_refused(source: Path, tmp_path: Path, cases: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"patch\.json: adv_.*patches no case of adversarial\.py"):
        read_released([source, patch(tmp_path, **cases)])


def test_admitted_cases_come_from_json(tmp_path: Path) -> None:
    record = {
        "id": "ext_a_01", "category": "negation_trap", "setup_facts": ["a"], "mutations": [["purge", "a"]],
        "final_query": "q", "must_contain": [], "must_not_contain": ["a"],
    }  # fmt: skip
    path = tmp_path / "cases.json"
    path.write_text("\ufeff" + json.dumps({"n_raw": 1, "admitted_cases": [record]}), encoding="utf-8")
    assert read_released([path]) == [record]
    for content in ("[]", '{"admitted_cases": {}}', '{"admitted_cases": [3]}', "{"):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(UserError, match=r"cases\.json"):
            read_released([path])


@pytest.mark.parametrize(
    ("query", "reduced"),
    [
        ("Anna aka Анна", "Anna"),
        ("Анна / Anna, and", "Anna,"),
        ("Anna vs. Анна or", "Anna"),
        ("Li Na (李娜) account", "Li Na account"),
        ("李娜", "李娜"),
        ("客户 42", "客户 42"),
        ("plain query", "plain query"),
    ],
)
def test_a_cross_lingual_query_keeps_one_surface_form(query: str, reduced: str) -> None:
    mutations = (Mutation("purge", query), Mutation("release", query), Mutation("supersede", query, "new"))
    case = Case("c", "s", "cross_lingual_identifier", ("a",), mutations, "q", (), ())
    assert [mutation.query for mutation in one_surface_form(case).mutations] == [reduced, reduced, query]
    other = Case("c", "s", "negation_trap", ("a",), mutations, "q", (), ())
    assert one_surface_form(other) == other


def test_the_checksum_is_of_what_the_cases_say(source: Path) -> None:
    cases = [case_from_json(record, "published", "here") for record in read_released([source])]
    renamed = [case_from_json({**case.to_json(), "suite": "x"}, "other", "there") for case in cases]
    assert cases_sha256(cases) == cases_sha256(renamed)
    changed = [case_from_json({**cases[0].to_json(), "must_contain": ["Line 78"]}, "published", "x"), *cases[1:]]
    assert cases_sha256(cases) == cases_sha256(cases[::-1]) != cases_sha256(changed)
