"""The audit of what judge models and annotators said: each case once, and the verdict that its conditions give."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from lethe.people.annotation.sample import CASES_PER_CATEGORY, draw_sample, sample_rows
from lethe.people.judging import judge_prompt, prompt_hash
from lethe.schemas import ANNOTATION_SAMPLE, ANNOTATIONS, CASES, JUDGEMENTS
from lethe.stored.cases import suite_rows
from lethe.study.inputs import Files
from lethe.study.setup import Judge
from lethe.trust.judgements import check_annotations, check_judgements, check_sample
from tests.support.findings import invented_setup

FILE = JUDGEMENTS.path.format(suite="mine", model="j")
MADE = [
    Case(name, "mine", "any", ("Ada is in Ghent.",), (Mutation("purge", "Ada"),), "Where?", (), ("Ghent",))
    for name in ("c1", "c2", "c3")
]
CONDITIONS = ("must_contain_survive", "forbidden_absent", "answerable")

Row = dict[str, Any]


def judgement(case: Case, verdict: str, conditions: tuple[Any, Any, Any], reason: str | None, error: str | None) -> Row:
    return {
        "suite": "mine",
        "case_id": case.case_id,
        "category": case.category,
        "provenance": case.provenance,
        "judge": "j",
        "family": "f",
        "verdict": verdict,
        "reason": reason,
        "error": error,
        "llm_calls": 1,
        **dict(zip(CONDITIONS, conditions, strict=True)),
        "prompt_hash": prompt_hash(judge_prompt(case)),
        "tokens_in": 1,
        "tokens_out": 1,
        "cost_usd": 0.0,
        "answer_ms": 1.0,
    }


GIVEN = [
    judgement(MADE[0], "reject", (True, False, True), "It leaks.", None),
    judgement(MADE[1], "unusable", (True, True, True), "contradictory answer: It holds.", None),
    judgement(MADE[2], "error", (None, None, None), None, "no answer"),
]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: row, ""),
        (
            lambda row: {**row, "verdict": "admit"},
            "case_id c1, judge j: verdict: this file says 'admit'; it is 'reject'",
        ),
        (lambda row: {**row, "verdict": "unusable"}, "case_id c1, judge j: verdict: this file says 'unusable'"),
        (lambda row: None if row["case_id"] == "c1" else row, "case_id c1, judge j: missing"),
        (lambda row: {**row, "judge": "other"}, "judge other: does not follow"),
        (lambda row: {**row, "prompt_hash": "0" * 16}, "prompt_hash: this file says '0000000000000000'"),
        (lambda row: {**row, "category": "other"}, "category: this file says 'other'; it is 'any'"),
        (lambda row: {**row, "tokens_in": -1}, "a count below zero"),
    ],
)
def test_what_was_forged_of_judgements_is_found(change: Callable[[Row], Row | None], said: str) -> None:
    setup = replace(invented_setup(), adversarial_suite="mine", judges={"j": Judge("J", "f", False, {})})
    given = [made for row in GIVEN if (made := change(row)) is not None]
    rows = {CASES.path.format(suite="mine"): suite_rows(MADE), FILE: given}
    lines = list(check_judgements(FILE, "mine", "j", setup, Files(Path("not there"), None, rows)))
    assert (lines == []) if not said else any(line.startswith(FILE) and said in line for line in lines), lines


SAMPLED = [replace(MADE[0], case_id=f"c{number}", final_query=f"Where, {number}?") for number in range(12)]
SAMPLE = sample_rows(draw_sample(SAMPLED, CASES_PER_CATEGORY, 42))
LABELLED = [
    {
        "annotator": name,
        **{key: row[key] for key in ("case_id", "category", "provenance")},
        "label": "wf",
        "comment": "",
    }
    for name in ("ada", "ben")
    for row in SAMPLE
]


@pytest.mark.parametrize(
    ("sample", "labels", "said"),
    [
        (SAMPLE, LABELLED, ""),
        (
            SAMPLE[:5],
            [row for row in LABELLED if row["case_id"] in {each["case_id"] for each in SAMPLE[:5]}],
            "missing",
        ),
        ([{**SAMPLE[0], "item": "c123"}, *SAMPLE[1:]], LABELLED, "item c123: does not follow"),
        ([{**SAMPLE[0], "category": "other"}, *SAMPLE[1:]], LABELLED, "category: this file says 'other'"),
        (SAMPLE, LABELLED[1:], f"annotator ada, case_id {LABELLED[0]['case_id']}: missing"),
        (SAMPLE, [*LABELLED, {**LABELLED[0], "case_id": "c99"}], "annotator ada, case_id c99: does not follow"),
        (SAMPLE, [{**LABELLED[0], "label": "good"}, *LABELLED[1:]], "label: this file says 'good'"),
        (SAMPLE, [{**LABELLED[0], "category": "other"}, *LABELLED[1:]], "category: this file says 'other'"),
    ],
)
def test_what_was_forged_of_annotations_is_found(sample: list[Row], labels: list[Row], said: str) -> None:
    setup = replace(invented_setup(), adversarial_suite="mine", seed=42)
    rows = {
        CASES.path.format(suite="mine"): suite_rows(SAMPLED),
        ANNOTATION_SAMPLE.path: sample,
        ANNOTATIONS.path: labels,
    }
    files = Files(Path("not there"), None, rows)
    lines = [*check_sample(setup, files), *check_annotations(files)]
    assert (lines == []) if not said else any(said in line for line in lines), lines
