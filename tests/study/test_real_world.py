"""The paper's classes of reported failures, and the cases that each is tied to."""

import csv
from collections import Counter

import pytest

from forgeteval.cases.reading import read_cases
from lethe.study.published import read_published
from lethe.study.real_world import FailureClass, Part, failure_classes, passed
from tests.support.paths import PUBLISHED, ROOT

CASES = [
    {"case_id": "p1", "category": "prefix_collision", "family": "purge"},
    {"case_id": "d1", "category": "temporal_qualifier", "family": "drift"},
    {"case_id": "d2", "category": "prefix_collision", "family": "drift"},
    {"case_id": "o1", "category": "other", "family": None},
]


def test_a_part_is_tied_by_category_family_or_name() -> None:
    assert Part("f", category="prefix_collision").tied(CASES) == ["p1", "d2"]
    assert Part("f", family="drift").tied(CASES) == ["d1", "d2"]
    assert Part("f", cases=("o1",)).tied(CASES) == ["o1"]


def test_a_case_of_two_parts_counts_once() -> None:
    both = FailureClass("c", [Part("f", category="prefix_collision"), Part("g", family="drift")])
    assert sorted(both.tied(CASES)) == ["d1", "d2", "p1"]


def test_only_a_pass_is_passed() -> None:
    verdicts = {"p1": "pass", "d1": "na", "d2": "fail", "o1": "pass"}
    assert passed(verdicts, ["p1", "d1", "d2"]) == 1


def test_each_part_of_the_three_classes_is_tied_in_one_way_and_each_printed_gap_is_there() -> None:
    classes = failure_classes()
    assert [len(one.parts) for one in classes] == [4, 3, 3]
    assert all(sum(map(bool, (part.category, part.family, part.cases))) == 1 for one in classes for part in one.parts)
    published = read_published(PUBLISHED)
    for table, row in (one.printed for one in classes if one.printed):
        assert [published.value(table, row, end, "points") for end in ("low", "high")] == [22, 24]


def test_the_page_gives_the_gap_of_the_released_verdicts() -> None:
    release = ROOT / "datasets/forgeteval"
    if not (release / "verdicts.csv").is_file():
        pytest.skip("needs data that are not part of the project: datasets/forgeteval")
    parts = ("prefix_collision", "identifier_obfuscation", "cross_lingual_identifier", "compound_fact")
    tied = {
        one.case_id for one in read_cases(release / "adversarial_385.jsonl", "adversarial") if one.category in parts
    }
    with (release / "verdicts.csv").open(encoding="utf-8", newline="") as stream:
        runs = Counter(
            (row["system"], row["model"])
            for row in csv.DictReader(stream)
            if (row["suite"], row["release"], row["scorer"]) == ("adversarial", "v0.5", "substring")
            and row["verdict"] == "pass"
            and row["case_id"] in tied
        )
    alone, hooked = runs["lethe", ""], runs["lethe+llm", "deepseek-ai/DeepSeek-V3"]
    page = " ".join((ROOT / "docs/published.md").read_text(encoding="utf-8").split())
    assert f"it is {100 * (hooked - alone) / len(tied):.0f}: Lethe passes {alone} of these {len(tied)} cases" in page
    assert f"Lethe+LLM {hooked} (table" in page
