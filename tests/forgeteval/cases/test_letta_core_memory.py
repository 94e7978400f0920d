"""Letta's core_memory_update as cases: which questions need no judge, and the kinds of update."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.imported import LETTA, imported_cases
from forgeteval.cases.interchange import CaseError
from forgeteval.cases.letta_core_memory import read_letta
from forgeteval.errors import UserError

FACTS = ["Mara is a potter in Lisbon.", "Mara and Ivo met at a fair in 2011.", "Ivo collects stamps."]


def question(new: str, answer: str, replaced: list[int], facts: list[str] | None = None) -> dict[str, Any]:
    return {
        "input": "Where is Mara?",
        "ground_truth": answer,
        "agent_args": {
            "extra": {
                "facts": FACTS if facts is None else facts,
                "contradicting_fact": new,
                "contradicting_answer": answer,
                "supporting_fact_indices": replaced,
            }
        },
    }


def read(folder: Path, *records: Any) -> list[Any]:
    path = folder / "questions.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return read_letta(path, "letta")


def test_a_question_becomes_a_case(tmp_path: Path) -> None:
    (case,) = read(tmp_path, question('"Mara is a potter in Porto."', "Porto", [0]))
    assert case.case_id == "letta_one_span_001" and case.category == "one_span" and case.suite == "letta"
    assert case.setup_facts == tuple(FACTS)
    assert [mutation.to_json() for mutation in case.mutations] == [
        ["supersede", "Where is Mara?", "Mara is a potter in Porto."]
    ]
    assert (case.final_query, case.must_contain) == ("Where is Mara?", ("Porto",))
    assert case.must_not_contain == (FACTS[0],) and case.gold_rows is None


def test_the_kinds_of_update(tmp_path: Path) -> None:
    cases = read(
        tmp_path,
        question("Mara is a potter in Porto.", "Porto", [0]),
        question("Mara was a weaver once in Porto.", "Porto", [0]),
        question("Mara left the fair for Porto.", "Porto", [0, 1]),
        question("Mara is a potter in Braga.", "braga", [0]),
    )
    assert [case.case_id for case in cases] == [
        "letta_one_span_001",
        "letta_reworded_001",
        "letta_several_facts_001",
        "letta_one_span_002",
    ]


def test_what_needs_a_judge_is_left_out(tmp_path: Path) -> None:
    in_an_old_fact = question("Ivo is a potter in Lisbon.", "Lisbon", [2])
    not_in_the_new = question("Mara moved north.", "Porto", [0])
    assert read(tmp_path, in_an_old_fact, not_in_the_new) == []


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({}, "line: not a question of core_memory_update"),
        (3, "line: not a question of core_memory_update"),
        ({**question("x", "x", [0]), "agent_args": {"extra": {}}}, "line: not a question of core_memory_update"),
        (question("x", "x", [7]), "supporting_fact_indices: must be a list of numbers below 3"),
        (question("x", "x", [True]), "supporting_fact_indices: must be a list of numbers below 3"),
        (question("x", "x", [0], [1]), "facts[0]: must be a string"),  # type: ignore[list-item]
    ],
)
def test_another_form_is_refused_by_its_line(tmp_path: Path, record: Any, said: str) -> None:
    with pytest.raises(CaseError, match=re.escape(f"questions.jsonl:1: {said}")):
        read(tmp_path, record)


def test_a_file_without_a_question_that_can_be_scored_is_no_suite(tmp_path: Path) -> None:
    assert read(tmp_path, question("Mara moved north.", "Porto", [0])) == []
    with pytest.raises(UserError, match=r"questions\.jsonl: contains no case that can be scored"):
        imported_cases("mine", {"source": tmp_path / "questions.jsonl", "form": LETTA})
