"""Which outside cases no hook can pass, and which require nothing; the page's lists, where data are at hand."""

import re
from typing import Any

import pytest

from forgeteval.cases.library import load_suite
from forgeteval.cases.reading import read_cases
from lethe.study.released.reach import reason_no_hook_passes, requires_nothing
from tests.support.paths import ROOT

RELEASE = ROOT / "datasets/forgeteval"


def case(mutation: list[str], required: str, forbidden: str) -> Any:
    record = {
        "case_id": "one",
        "setup_facts": ["Ana may not enter the lab.", "Ben and Cy may enter the shed."],
        "mutations": [mutation],
        "final_query": "who may enter",
        "must_contain": [required] if required else [],
        "must_not_contain": [forbidden],
    }
    (found,) = load_suite([record])
    return found


@pytest.mark.parametrize(
    ("mutation", "required", "forbidden", "reason"),
    [
        (["supersede", "the lab", "Ana may enter the lab."], "shed", "may enter the lab", "last new fact"),
        (["release", "the lab"], "may not enter", "not enter the lab", "over the same words"),
        (["release", "Ben and the shed"], "the shed", "Ben and Cy", None),
        (["purge", "Ana"], "", "the lab", None),
    ],
)
def test_strings_alone_may_let_no_hook_pass(
    mutation: list[str], required: str, forbidden: str, reason: str | None
) -> None:
    found = reason_no_hook_passes(case(mutation, required, forbidden))
    assert found is None if reason is None else found is not None and reason in found


def test_what_requires_nothing_is_passed_by_returning_nothing() -> None:
    assert requires_nothing(case(["purge", "Ana"], "", "the lab"))
    assert not requires_nothing(case(["purge", "Ana"], "shed", "the lab"))


@pytest.mark.parametrize("suite", ["adversarial", "held_out"])
def test_a_hook_can_pass_every_case_of_ours(suite: str) -> None:
    assert not [one.case_id for one in load_suite(suite) if reason_no_hook_passes(one) or requires_nothing(one)]


def test_the_page_lists_what_the_cases_give() -> None:
    if not (RELEASE / "external_77.jsonl").is_file():
        pytest.skip("needs data that are not part of the project: datasets/forgeteval")
    cases = read_cases(RELEASE / "external_77.jsonl", "external")
    page = (ROOT / "docs/published.md").read_text(encoding="utf-8")
    section = page.partition("### What the outside cases can show of a hook\n")[2].partition("\n### ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "`ext_" in line]
    found = {row[0]: re.findall("`([^`]+)`", row[2]) for row in rows}
    reasons = {one.case_id: reason_no_hook_passes(one) for one in cases}
    expected: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason is not None:
            expected.setdefault(f"no hook passes: {reason}", []).append(name)
    none = {"nothing is required": [one.case_id for one in cases if requires_nothing(one)]}
    assert found == expected | none
    assert [int(row[1]) for row in rows] == [len(found[row[0]]) for row in rows]
    assert f"{sum(map(len, expected.values()))} of the {len(cases)} cases" in section
