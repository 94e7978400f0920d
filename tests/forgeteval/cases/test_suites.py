"""Suites by configuration, and their Parquet form."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, Case, Mutation
from forgeteval.cases.interchange import dump_jsonl
from forgeteval.cases.reading import read_cases
from forgeteval.cases.suites import build_suite
from forgeteval.cases.template.suite import generate_template_suite
from forgeteval.errors import UserError
from lethe.stored.cases import read_suite, write_suite
from tests.support.paths import ADVERSARIAL

SMALL = {"generator": "template", "seed": 7, "cases_per_family": 4, "distractors": 2}
IMPORTED = Case(
    case_id="imported-1",
    suite="mine",
    category="purge",
    setup_facts=("王小明 😀", "a NUL \x00 inside", "line\nbreak"),
    mutations=(Mutation("purge", "王小明"), Mutation("supersede", "q", "new\x00text")),
    final_query="who?",
    must_contain=(),
    must_not_contain=("王小明",),
)


def test_the_template_generator_takes_its_options() -> None:
    assert build_suite("small", SMALL) == generate_template_suite("small", 7, 4, 2)


def test_the_template_generator_defaults_to_the_papers_suite() -> None:
    assert build_suite("t", {"generator": "template"}) == generate_template_suite("t", 42, 200, 4)


def test_the_authored_suite_is_the_packages() -> None:
    assert build_suite("adv", {"folder": str(ADVERSARIAL), "label": "Adv"}) == read_cases(ADVERSARIAL, "adv")


@pytest.mark.parametrize("limit", [1, 5])
def test_cases_per_category_takes_the_first_of_each(limit: int) -> None:
    every = read_cases(ADVERSARIAL, "adv")
    cases = build_suite("adv", {"folder": str(ADVERSARIAL), "cases_per_category": limit})
    assert Counter(case.category for case in cases) == dict.fromkeys(ADVERSARIAL_CATEGORIES, limit)
    for category in ADVERSARIAL_CATEGORIES:
        whole = [case for case in every if case.category == category]
        assert [case for case in cases if case.category == category] == whole[:limit]


def test_more_cases_per_category_than_there_are_is_all_of_them() -> None:
    assert build_suite("adv", {"folder": str(ADVERSARIAL), "cases_per_category": 1000}) == read_cases(
        ADVERSARIAL, "adv"
    )


def test_a_source_is_imported_under_the_configured_name(tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(dump_jsonl([IMPORTED]), encoding="utf-8")
    assert build_suite("other", {"source": str(source)}) == [replace(IMPORTED, suite="other")]


def test_a_missing_source_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.jsonl: cannot be read"):
        build_suite("mine", {"source": str(tmp_path / "none.jsonl")})


@pytest.mark.parametrize(
    "options", [{"generator": "template"}, {"folder": str(ADVERSARIAL)}], ids=["template", "authored"]
)
def test_parquet_gives_the_same_cases_back(tmp_path: Path, options: dict[str, str]) -> None:
    cases = build_suite("any", options)
    write_suite(tmp_path / "cases.parquet", cases, "producer")
    assert read_suite(tmp_path / "cases.parquet") == cases


def test_parquet_keeps_odd_texts_and_what_is_missing(tmp_path: Path) -> None:
    cases = [
        IMPORTED,
        replace(IMPORTED, case_id="imported-2", gold_rows=()),
        replace(IMPORTED, case_id="imported-3", mutations=(), gold_rows=("x",), script="han"),
    ]
    write_suite(tmp_path / "cases.parquet", cases, "producer")
    back = read_suite(tmp_path / "cases.parquet")
    assert back == cases
    assert [case.gold_rows for case in back] == [None, (), ("x",)]
    assert [mutation.text for mutation in back[0].mutations] == [None, "new\x00text"]


def test_a_repeated_id_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not unique"):
        write_suite(tmp_path / "cases.parquet", [IMPORTED, IMPORTED], "producer")
    assert list(tmp_path.iterdir()) == []


def test_a_lone_surrogate_is_refused_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "cases.jsonl"
    source.write_text(dump_jsonl([IMPORTED]).replace("who?", "\\ud800"), encoding="utf-8")
    with pytest.raises(UserError, match=r"cases\.jsonl:1"):
        write_suite(tmp_path / "cases.parquet", build_suite("mine", {"source": str(source)}), "producer")


def test_a_seed_takes_any_cases_of_each_category_and_a_larger_number_takes_more() -> None:
    def sample(limit: int, seed: int) -> list[str]:
        options = {"folder": str(ADVERSARIAL), "cases_per_category": limit, "seed": seed}
        return [case.case_id for case in build_suite("adv", options)]

    three = sample(3, seed=1)
    assert len(three) == 3 * len(ADVERSARIAL_CATEGORIES) and three == sample(3, seed=1) != sample(3, seed=2)
    assert set(three) < set(sample(5, seed=1))
    every = [case.case_id for case in read_cases(ADVERSARIAL, "adv")]
    assert three == [case for case in every if case in three] and sample(1000, seed=1) == every
