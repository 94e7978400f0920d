"""The judge audit and the matrix of agreement."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lethe.study.judges import equal_verdicts, tallies
from lethe.tables.beyond.judges import judge_audit_table, judge_matrix_table
from lethe.tables.table import Table
from tests.support.tables import configuration, judges, rows_of, setup

JUDGES = judges(q="Qwen", c="Claude")
REASON = "not run: no answers recorded; switch the model on with llm.serve: [unused]"
SETUP = setup(judges=JUDGES | judges({"mine": REASON}, unused="Unused"))
NOT_RUN = "not run: no judge configured (models.NAME.systems: [])"


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
    assert rows_of(judge_audit_table(JUDGEMENTS, SETUP)) == [
        ["Qwen", "Substring trap", "1/1", "100.0", "1", "0"],
        ["Qwen", "Negation trap", "1/2", "50.0", "0", "0"],
        ["Qwen", "All", "2/3", "66.7", "1", "0"],
        ["Qwen", "All core", "1/2", "50.0", "0", "0"],
        ["Qwen", "All expansion", "1/1", "100.0", "1", "0"],
        ["Claude", "Substring trap", "1/1", "100.0", "0", "1"],
        ["Claude", "Negation trap", "2/2", "100.0", "0", "0"],
        ["Claude", "All", "3/3", "100.0", "0", "1"],
        ["Claude", "All core", "2/2", "100.0", "0", "0"],
        ["Claude", "All expansion", "1/1", "100.0", "0", "1"],
        ["Unused", REASON, "", "", "", ""],
    ]


def test_the_matrix_table() -> None:
    table = judge_matrix_table(JUDGEMENTS, SETUP)
    assert table.header == ("Judge", "Family", "vs. Stage 1", "vs. Qwen", "vs. Claude", "Admit/reject")
    assert rows_of(table) == [
        ["Qwen", "family of q", "2/3", "–", "1/2", "2/1"],
        ["Claude", "family of c", "3/3", "1/2", "–", "3/0"],
        ["Unused", REASON, "", "", "", ""],
    ]


def test_a_judge_of_a_hooked_models_family_is_marked_where_that_runs() -> None:
    hooked = configuration("Lethe+LLM", "mutation hook", system="lethe+llm", model="m", hook="llm")
    own = replace(SETUP, judges=JUDGES, models={"m": "Model"}, families={"m": "Family of Q "})
    table = judge_matrix_table(JUDGEMENTS, replace(own, configurations={"lethe+llm@m": hooked}))
    assert [row[0] for row in rows_of(table)] == ["Qwen†", "Claude"]
    note, *_ = table.notes
    assert note.startswith("†: of the model family family of q, like what plans mutations on this suite (Model).")
    assert rows_of(judge_matrix_table(JUDGEMENTS, own))[0][0] == "Qwen"


def test_recorded_answers_are_said() -> None:
    recorded = setup(judges={"q": replace(JUDGES["q"], recorded=True)})
    assert rows_of(judge_audit_table(JUDGEMENTS, recorded))[0][0] == "Qwen, recorded"


def test_a_judge_that_never_answered_shows_errors_alone() -> None:
    table = judge_audit_table([row("q", "1", "error")], setup(judges=judges(q="Qwen")))
    assert rows_of(table) == [
        ["Qwen", "Negation trap", "0/0", "–", "0", "1"],
        ["Qwen", "All", "0/0", "–", "0", "1"],
    ]


@pytest.mark.parametrize("build", [judge_audit_table, judge_matrix_table])
@pytest.mark.parametrize(
    ("verdicts", "kinds"),
    [(["unusable"] * 10, (10, 0)), (["error", "unusable", *["admit"] * 8], (1, 1)), (["error", *["admit"] * 9], None)],
    ids=["none", "two of ten", "one of ten"],
)
def test_a_judge_of_too_few_verdicts_is_remarked(
    build: Callable[..., Table], verdicts: list[str], kinds: tuple[int, int] | None
) -> None:
    judged = [row("q", str(number), verdict) for number, verdict in enumerate(verdicts)]
    table = build([*judged, *JUDGEMENTS[4:6]], setup(judges=JUDGES | {"q": replace(JUDGES["q"], recorded=True)}))
    if kinds is None:
        assert table.notes == []
        return
    unusable, errors = kinds
    assert table.notes == [
        f"Qwen, recorded on s: {unusable + errors} of 10 judgements are no verdict, more than a tenth ({unusable} "
        f"without a usable answer, {errors} without any); its numbers say little of it."
    ]


def test_without_rows_both_tables_say_so() -> None:
    off = setup(no_judge="not run: llm.mode is off")
    for build in (judge_audit_table, judge_matrix_table):
        table = build([], setup())
        (only,) = rows_of(table)
        assert (only[0], len(only)) == (NOT_RUN, len(table.header))
        assert rows_of(build([], off))[0][0] == "not run: llm.mode is off"
