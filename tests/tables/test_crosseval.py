"""The tables: measured cells from the scores, published ones beside them, and what stands there without data."""

from dataclasses import replace
from typing import Any

import pytest

from lethe.study.published import read_published
from lethe.study.setup import Benchmark
from lethe.tables.beyond.crosseval import (
    CrossevalResults,
    EvidenceResults,
    factcons_table,
    locomo_categories_table,
    locomo_table,
    longmemeval_table,
    memora_readings_table,
    memora_table,
)
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Table
from tests.support.paths import PUBLISHED
from tests.support.tables import by_header as rows
from tests.support.tables import configurations, setup

TABLES = {
    "memora_systems": memora_table,
    "memora_readings": memora_readings_table,
    "factcons_systems": factcons_table,
    "longmemeval_systems": longmemeval_table,
}
PRINTED = read_published(PUBLISHED)
SYSTEMS = configurations(
    {
        "null": {"label": "null", "regime": "control"},
        "lethe": {"label": "Lethe", "regime": "deterministic"},
        "langgraph": {"label": "LangGraph", "regime": "deterministic"},
        "mempalace": {"label": "MemPalace", "regime": "no deletion"},
    }
)
EMPTY = {
    **dict.fromkeys(("failed", "na", "errors", "joined"), 0),
    **dict.fromkeys(("recall_rate", "forgetting_rate", "ndcg_at_10", "recall_at_1", "recall_at_5", "recall_at_10")),
    **dict.fromkeys(("not_expressed", "wall_s")),
}


def score(system: str, cut: str, value: str, passed: int, questions: int, **more: Any) -> dict[str, Any]:
    key = {"system": system, "model": "", "cut": cut, "value": value}
    return {**key, **EMPTY, "passed": passed, "questions": questions, "rate": passed / questions, **more}


def results(
    scores: list[dict[str, Any]], absent: str | None = None, not_run: dict[str, str] | None = None
) -> CrossevalResults:
    return CrossevalResults(scores, Benchmark(bool(scores), absent, not_run or {}), setup(SYSTEMS), PRINTED)


def crosseval_table(name: str, results: CrossevalResults) -> Table:
    return TABLES[name](results)


MEMORA = [
    score(name, *place, passed, questions, **more)
    for name in ("null", "lethe")
    for place, passed, questions, more in (
        (("overall", "all"), 3, 9, {"recall_rate": 0.5, "forgetting_rate": 0.25, "not_expressed": 4, "wall_s": 1.26}),
        (("part", "remembering"), 2, 3, {}),
        (("part", "reasoning"), 1, 3, {}),
        (("part", "recommending"), 0, 3, {}),
        (("history", "sailor"), 3, 9, {}),
        (("reading", "released"), 7, 9, {}),
    )
]


def test_memora_by_task_controls_last_and_published_below() -> None:
    table = crosseval_table("memora_systems", results(MEMORA))
    found = rows(table)
    assert [row["System"] for row in found[:2]] == ["Lethe", "null"]
    assert list(found[0].values()) == ["Lethe", "2/3", "1/3", "0/3", "3/9 (33.3%)", "50.0", "25.0", "4", "1.3"]
    below = {row["System"]: row for row in found[2:]}
    assert below["Lethe (published)"]["Total"] == "47/150" and below["MemPalace (published)"]["Remembering"] == "28/50"
    assert "reading released" in table.caption


def test_memora_by_reading() -> None:
    lethe, null = rows(crosseval_table("memora_readings", results(MEMORA)))
    assert (lethe["Released"], lethe["Named values"], null["System"]) == ("7/9", "–", "null")


def test_factconsolidation_by_hops_in_the_order_of_length() -> None:
    scores = [score("lethe", "part", bucket, 9, 10) for bucket in ("sh_262k", "mh_6k", "sh_6k", "mh_262k")]
    scores.append(score("lethe", "overall", "all", 36, 40, wall_s=2.0))
    scores += [score("null", "part", "sh_6k", 0, 10), score("null", "overall", "all", 0, 10, wall_s=0.0)]
    found = rows(crosseval_table("factcons_systems", results(scores)))
    assert list(found[0]) == [
        "System",
        "Single hop, 6K",
        "Single hop, 262K",
        "Several hops, 6K",
        "Several hops, 262K",
        "Time (s)",
    ]
    assert list(found[1].values()) == ["null", "0/10", "–", "–", "–", "0.0"]
    assert list(found[2].values()) == ["Lethe (published)", "100/100", "", "28/100", "", ""]


def test_longmemeval_by_type() -> None:
    ranks = {"recall_at_1": 0.5, "recall_at_5": 1.0, "recall_at_10": 1.0, "ndcg_at_10": 0.75}
    scores = [
        score("lethe", "part", "multi-session", 2, 3, na=1, **ranks),
        score("lethe", "overall", "all", 2, 3, **ranks),
    ]
    found = rows(crosseval_table("longmemeval_systems", results(scores)))
    assert list(found[0].values()) == ["Lethe", "Multi-session", "2", "0.500", "1.000", "1.000", "0.750"]
    assert found[1]["Question type"] == "All"
    printed = {row["Question type"]: row for row in found if row["System"] == "Lethe (published)"}
    assert (printed["All"]["N"], printed["All"]["R@1"], printed["All"]["R@5"]) == ("500", "0.796", "0.938")
    assert printed["Multi-session"]["R@10"] == ""


@pytest.mark.parametrize("name", TABLES)
def test_without_data_every_table_says_so_and_keeps_what_was_published(name: str) -> None:
    absent = "not run: no data at crosseval.x.path (y)"
    table = crosseval_table(name, results([], absent=absent, not_run={"lethe": "not run: heavy"}))
    latex = render_latex(table).replace(r"\allowbreak{}", "")
    assert absent in latex and "heavy" not in latex
    printed = {"memora_systems": "47/150", "factcons_systems": "37/100", "longmemeval_systems": "0.938"}
    assert printed.get(name, "") in render_csv(table)


def test_rows_that_did_not_run_or_broke_are_noted() -> None:
    broken = [score("lethe", "overall", "all", 0, 9, errors=2, joined=4, not_expressed=0, wall_s=0.0)]
    table = crosseval_table("memora_systems", results(broken, not_run={"mempalace": "not run: heavy"}))
    assert list(table.notes) == [
        "MemPalace: not run: heavy.",
        "Lethe: 2 of 9 questions broke (error).",
        "Lethe: 4 of 9 questions were answered with texts that hold more than k memories: several stand in one text, "
        "so that k says little.",
    ]
    assert "0/9 (0.0%), 2 broke" in {cell.text for cell in table.sections[0][0]}


def test_data_that_are_not_the_released_ones_are_noted_below_every_table() -> None:
    sizes = [{"history": "conv-26", "released": False}, {"history": "conv-48", "released": False}]
    said = "The data are not those that their authors released: their checksum is another."
    for name in TABLES:
        own = results(MEMORA if "memora" in name else [score("lethe", "overall", "all", 1, 2, wall_s=1.0)])
        assert said in crosseval_table(name, replace(own, sizes=sizes)).notes
        known = [{**row, "released": released} for row, released in zip(sizes, (True, None), strict=True)]
        assert said not in crosseval_table(name, replace(own, sizes=known)).notes
    locomo = EvidenceResults([], Benchmark(True, None, {}), setup(SYSTEMS), sizes)
    ran = "Conversations that were run: of the first five, conv-26; of the other five, conv-48."
    assert list(locomo_table(locomo).notes) == [ran, said]


def evidence(system: str, half: str, category: str, share: float, mode: str = "own") -> dict[str, Any]:
    key = {"system": system, "model": "", "mode": mode, "half": half, "category": category, "questions": 8}
    key["errors"] = 0
    return {**key, "turns_at_5": share, "turns_at_10": share, "sessions_at_5": share, "sessions_at_10": 1.0}


def test_locomo_by_half_and_mode_and_who_did_not_run() -> None:
    found = EvidenceResults(
        [
            evidence("langgraph", "other five", "all", 0.5),
            evidence("lethe", "first five", "all", 0.25, "hybrid"),
            evidence("lethe", "first five", "all", 0.125),
            evidence("lethe", "first five", "temporal", 0.75),
        ],
        Benchmark(True, None, {"mempalace": "not run: left out"}),
        setup(SYSTEMS),
    )
    assert not locomo_table(found).notes
    broken = [*found.evidence, {**evidence("langgraph", "first five", "all", 0.5), "errors": 3}]
    assert list(locomo_table(replace(found, evidence=broken)).notes) == [
        "LangGraph, First five: 3 of 8 questions broke (error); they recall nothing."
    ]
    first, other, left_out = locomo_table(found).sections
    assert [[cell.text for cell in row][:5] for row in first] == [
        ["Lethe", "First five", "8", "12.5", "12.5"],
        ["Lethe, hybrid", "First five", "8", "25.0", "25.0"],
    ]
    assert [cell.text for cell in other[0]][3:] == ["50.0", "50.0", "50.0", "100.0"]
    assert [cell.text for cell in left_out[0]][:2] == ["MemPalace", "not run: left out"]
    ((row,),) = locomo_categories_table(found).sections
    assert [cell.text for cell in row][:5] == ["Lethe", "First five", "Temporal", "8", "75.0"]
    absent = locomo_table(EvidenceResults([], Benchmark(False, "not run: no data at x", {}), setup(SYSTEMS)))
    assert absent.sections[0][0][0].text == "not run: no data at x"
