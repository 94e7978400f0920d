"""The table about judges on the cases that people labelled."""

from typing import Any

from lethe.study.agreement import rater_rows
from lethe.study.released.labels import measured
from lethe.study.setup import Release, Suite
from lethe.tables.beyond.judge_labels import judge_labels_table
from tests.support.annotations import SAMPLE, annotate, judge
from tests.support.tables import by_header, judges, rows_of, setup

REASON = "not run: no answers recorded; switch the model on with llm.serve: [off]"
SETUP = setup(
    suites={"mine": Suite("Mine", {}), "theirs": Suite("Theirs", {})},
    release=Release(None, {"adversarial": "theirs"}),
    judges=judges(small="Small", large="Large") | judges({"theirs": REASON}, off="Off"),
)
USED = {"llm_calls": 2, "tokens_in": 900, "tokens_out": 100, "cost_usd": 0.0, "answer_ms": 2500.0}
JUDGEMENTS = [{**row, **USED} for row in (*judge("small", "aaaa"), *judge("large", "ruae"))]
PAIRS: list[dict[str, Any]] = rater_rows(
    annotate(x="wwwi", y="wwwi", z="wwii"), [*judge("qwen-2.5-72b", "aarr"), *measured(JUDGEMENTS)], SAMPLE
)


def test_judges_stand_below_people_and_the_papers() -> None:
    table = judge_labels_table(PAIRS, JUDGEMENTS, SETUP)
    people, paper, small, large, off = by_header(table)
    verdicts = [f"Verdicts, {what}" for what in ("admit", "reject", "none")]
    assert people["Judge"] == "majority of people" and [people[name] for name in verdicts] == ["3", "1", "0"]
    assert (paper["Judge"], paper["Equal verdicts (κ), people"]) == ("Qwen-2.5-72B, released", "3/4 (κ 0.50)")
    assert small == {
        "Judge": "Small",
        "Verdicts, admit": "4",
        "Verdicts, reject": "0",
        "Verdicts, none": "0",
        "Equal verdicts (κ), people": "3/4 (κ 0.00)",
        "Equal verdicts (κ), Claude Opus 4.7": "–",
        "Equal verdicts (κ), Qwen-2.5-72B": "2/4 (κ 0.00)",
        "Equal verdicts (κ), DeepSeek-V3": "–",
        "s/case": "2.5",
    }
    assert [large[name] for name in verdicts] == ["1", "1", "2"]
    assert (off["Judge"], off["Verdicts, admit"], off["Verdicts, reject"]) == ("Off", REASON, "")
    assert table.notes == [
        "Who admits every case agrees with people on 3 of 4.",
        "Large on s: 2 of 4 judgements are no verdict, more than a tenth (1 without a usable answer, 1 without any); "
        "its numbers say little of it.",
    ]


def test_without_labels_the_reason_stands_there() -> None:
    assert rows_of(judge_labels_table([], [], setup()))[0][0] == "not run: no release"


def test_without_judges_the_papers_alone() -> None:
    silent = setup(suites=SETUP.suites, release=SETUP.release)
    rows = rows_of(judge_labels_table(PAIRS, [], silent))
    assert [row[0] for row in rows] == [
        "majority of people",
        "Qwen-2.5-72B, released",
        "not run: no judge configured (models.NAME.systems: [])",
    ]
