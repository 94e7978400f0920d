"""The judge audit and the matrix of agreement."""

import csv
import io
from typing import Any

from lethe.analysis.judges import equal_verdicts, tallies
from lethe.tables.cells import PaperTable
from lethe.tables.judges import judge_audit_table, judge_matrix_table

JUDGES = {"q": "Qwen", "c": "Claude", "unused": "Unused"}
NOT_RUN = "not run: no judge configured (llm.judges)"


def row(judge: str, case_id: str, verdict: str, category: str = "negation_trap", provenance: str = "core") -> Any:
    return {
        "suite": "s",
        "case_id": case_id,
        "category": category,
        "provenance": provenance,
        "judge": judge,
        "family": f"family of {judge}",
        "verdict": verdict,
    }


JUDGEMENTS = [
    row("q", "1", "admit"),
    row("q", "2", "reject"),
    row("q", "3", "admit", "substring_trap", "expansion"),
    row("q", "4", "unusable", "substring_trap", "expansion"),
    row("c", "1", "admit"),
    row("c", "2", "admit"),
    row("c", "3", "error", "substring_trap", "expansion"),
    row("c", "4", "admit", "substring_trap", "expansion"),
]


def cells(table: PaperTable) -> list[list[str]]:
    return list(csv.reader(io.StringIO(table.to_csv())))


def test_agreement_with_stage_1_leaves_out_what_is_no_verdict() -> None:
    found = tallies(JUDGEMENTS, lambda row: row["category"])
    assert found["q", "negation_trap"].agreement == 0.5
    assert (found["q", "substring_trap"].judged, found["q", "substring_trap"].unusable) == (1, 1)
    assert found["c", "substring_trap"].errors == 1


def test_equal_verdicts_count_cases_that_both_judged() -> None:
    assert equal_verdicts(JUDGEMENTS) == {
        ("q", "q"): (3, 3),
        ("q", "c"): (1, 2),
        ("c", "q"): (1, 2),
        ("c", "c"): (3, 3),
    }


def test_the_audit_table() -> None:
    assert cells(judge_audit_table(JUDGEMENTS, "Adversarial", JUDGES))[1:] == [
        ["Qwen", "substring_trap", "1/1", "100.0", "1", "0"],
        ["Qwen", "negation_trap", "1/2", "50.0", "0", "0"],
        ["Qwen", "all", "2/3", "66.7", "1", "0"],
        ["Qwen", "all core", "1/2", "50.0", "0", "0"],
        ["Qwen", "all expansion", "1/1", "100.0", "1", "0"],
        ["Claude", "substring_trap", "1/1", "100.0", "0", "1"],
        ["Claude", "negation_trap", "2/2", "100.0", "0", "0"],
        ["Claude", "all", "3/3", "100.0", "0", "1"],
        ["Claude", "all core", "2/2", "100.0", "0", "0"],
        ["Claude", "all expansion", "1/1", "100.0", "0", "1"],
    ]


def test_the_matrix_table() -> None:
    assert cells(judge_matrix_table(JUDGEMENTS, "Adversarial", JUDGES)) == [
        ["Judge", "family", "vs. Stage 1", "vs. Qwen", "vs. Claude", "admit/reject"],
        ["Qwen", "family of q", "2/3", "–", "1/2", "2/1"],
        ["Claude", "family of c", "3/3", "1/2", "–", "3/0"],
    ]


def test_a_judge_that_never_answered_shows_errors_alone() -> None:
    table = judge_audit_table([row("q", "1", "error")], "Adversarial", JUDGES)
    assert cells(table)[1:] == [
        ["Qwen", "negation_trap", "0/0", "–", "0", "1"],
        ["Qwen", "all", "0/0", "–", "0", "1"],
    ]


def test_without_rows_both_tables_say_so() -> None:
    for build in (judge_audit_table, judge_matrix_table):
        head, only = cells(build([], "Adversarial", {}))
        assert (only[0], len(only)) == (NOT_RUN, len(head))
        assert "llm.judges" in build([], "Adversarial", {}).to_latex()
        assert cells(build([], "Adversarial", {}, "not run: llm.mode is off"))[1][0] == "not run: llm.mode is off"
