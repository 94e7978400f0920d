"""The replication report: what stands beside each published number, and the verdict."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from forgeteval.scoring.intervals import newcombe, wilson
from lethe.parquet import read_rows, write_rows
from lethe.schemas import REPLICATION
from lethe.study.inputs import Files, paths_of
from lethe.study.published import Published, PublishedNumber, read_published
from lethe.study.replication.compare import (
    CASE_BY_CASE,
    DIFFERS,
    EQUAL,
    NOT_RUN,
    VERDICTS,
    WITHIN,
    cause,
    compare,
    like_with_like,
    replication_rows,
    verdict_counts,
)
from lethe.study.replication.counterparts import counterparts
from lethe.study.replication.measured import (
    OWN,
    RELEASED,
    Counterpart,
    Found,
    Measured,
    Missing,
    Quantity,
    measured_inputs,
)
from lethe.study.results import SuiteResults
from lethe.study.setup import Benchmark, EmbedderAblation, EmptySuite
from tests.support.paths import PUBLISHED
from tests.support.tables import configurations, results, score, setup, write_inputs

Key = tuple[str, str, str]
SYSTEMS = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic", "system": "lethe", "model": ""},
        "langgraph": {"label": "LangGraph", "regime": "deterministic", "system": "langgraph", "model": ""},
        "mempalace": {"label": "MemPalace", "regime": "no deletion", "system": "mempalace", "model": ""},
        "lethe+llm@m": {"label": "Lethe+LLM (M)", "regime": "mutation hook", "system": "lethe+llm", "model": "m"},
        "lethe+llm@n": {"label": "Lethe+LLM (N)", "regime": "mutation hook", "system": "lethe+llm", "model": "n"},
        "a_mem": {"label": "A-MEM", "regime": "inscribe LLM", "system": "a_mem", "model": ""},
    }
)
LEFT_OUT = {"lethe+llm@n": "not run: llm.mode is off"}


def suite(label: str, *scores: Mapping[str, Any]) -> SuiteResults:
    return results(scores, SYSTEMS, LEFT_OUT, label)


def crosseval(system: str, cut: str, value: str, passed: int, questions: int, **more: Any) -> dict[str, Any]:
    return {
        "system": system,
        "model": "",
        "cut": cut,
        "value": value,
        "questions": questions,
        "passed": passed,
        "na": 0,
    } | more


PAIR = {
    "scorer": "substring", "first": "lethe", "second": "lethe+llm@m", "cases": 385, "first_only": 0, "second_only": 100,
    "chi_squared": 98.0, "p_corrected": 0.0, "difference": -0.26, "low": -0.31, "high": -0.22,
}  # fmt: skip

MEASURED = Measured(
    released=False,
    case_rows={},
    memora=[],
    replicas={},
    setup=setup(
        SYSTEMS,
        empty_suites={"published_external": EmptySuite("External", "not run: no data at x")},
        benchmarks={
            "memora": Benchmark(False, "not run: no data", {}),
            "factcons": Benchmark(True, None, {"mempalace": "not run: it broke"}),
            "longmemeval": Benchmark(True, None, {}),
        },
    ),
    suites={
        "template": suite("Template", score("lethe", "all", 992, 1000)),
        "adversarial": suite(
            "Adversarial",
            score("lethe", "all", 143, 385),
            score("lethe", "prefix_collision", 20, 39),
            score("lethe", "written_first", 66, 132, cut="provenance"),
            score("lethe", "written_later", 77, 253, cut="provenance"),
            score("lethe+llm@m", "all", 243, 385),
            score("mempalace", "all", 0, 385, na=385),
            score("a_mem", "all", 210, 385, na=75),
            score("a_mem", "substring_trap", 18, 36, na=16),
        ),
    },
    crosseval={
        "factcons": [crosseval("lethe", "part", "mh_6k", 28, 100), crosseval("langgraph", "part", "mh_6k", 27, 100)],
        "longmemeval": [
            crosseval("lethe", "overall", "all", 0, 500, recall_at_5=0.9384, recall_at_1=None, recall_at_10=None)
        ],
    },
    paired=[PAIR],
    latency=[{"system": "lethe", "model": "", "wall_ms": 70.0, "wall_low": 65.0, "wall_high": 75.0, "mutate_ms": 9.0}],
    partition=[],
    llm_runs=[{"system": "lethe+llm", "model": "m", "cost_usd": 0.34, "repetitions": 2}],
    agreement=[
        {"part": "all", "measure": m, "value": v, "low": v - 0.02, "high": v + 0.02, "cases": 100, "annotators": 10}
        for m, v in (("fleiss_kappa", 0.95), ("observed_agreement", 0.90))
    ],
    raters=[],
    labels=[],
    embedders=[],
)
LOST = ("adv_substring_trap_01", "adv_prefix_collision_01")
"""Two of the 385 cases; the replica of LangGraph differs on the second."""


def replica(configuration: str, case_id: str, agree: bool) -> dict[str, Any]:
    return {"configuration": configuration, "case_id": case_id, "agree": agree, "scorer": "substring"}


PUBLISHED_CASES = replace(
    MEASURED,
    released=True,
    suites={
        "adversarial": suite(
            "Published",
            score("lethe", "all", 244, 385),
            score("lethe", "prefix_collision", 32, 39),
            score("langgraph", "all", 242, 385),
            score("langgraph", "prefix_collision", 30, 39),
            score("mempalace", "all", 3, 385),
            score("a_mem", "all", 219, 385, na=75),
        )
    },
    case_rows={"adversarial": [{"case_id": case, "category": case[4:-3]} for case in LOST]},
    replicas={
        "adversarial": [
            *(replica("lethe", case, True) for case in LOST),
            *(replica("langgraph", case, case == LOST[0]) for case in LOST),
        ]
    },
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture(scope="module")
def rows(paper: Published) -> list[dict[str, Any]]:
    return replication_rows(paper, PUBLISHED_CASES, MEASURED)


def at(rows: list[dict[str, Any]], *place: str, other: bool = False) -> list[dict[str, Any]]:
    """The rows of a printed cell: those of the published cases, or those of other suites."""
    found = [row for row in rows if (row["table"], row["row"], row["column"]) == place]
    return [row for row in found if like_with_like(row) is not other]


def test_every_printed_cell_has_a_row_and_they_fit_their_schema(
    paper: Published, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    printed = {place for place, units in paper.by_place.items() if "na" not in units}
    assert {(row["table"], row["row"], row["column"]) for row in rows} == printed
    assert {row["verdict"] for row in rows} == set(VERDICTS)
    assert all(row["note"] for row in rows if row["verdict"] == NOT_RUN)
    write_rows(tmp_path / "r.parquet", REPLICATION, rows, "test")
    assert len(read_rows(tmp_path / "r.parquet", REPLICATION)) == len(rows)


def test_like_stands_beside_like_first(rows: list[dict[str, Any]]) -> None:
    (same,) = at(rows, "adversarial", "all", "lethe")
    assert (same["source"], same["same_data"], same["measured"]) == ("Published", True, 244)
    assert (same["agree"], same["compared"], same["verdict"]) == (2, 2, CASE_BY_CASE)
    (other,) = at(rows, "adversarial", "all", "lethe", other=True)
    assert (other["source"], other["same_data"], other["verdict"]) == ("Adversarial", False, DIFFERS)
    assert other["difference"] == pytest.approx(100 * (143 - 244) / 385)
    assert (other["low"], other["high"]) == pytest.approx([100 * end for end in newcombe(143, 385, 244, 385)])


def test_an_equal_share_is_reproduced_case_by_case_only_where_every_verdict_agrees(rows: list[dict[str, Any]]) -> None:
    (equal,) = at(rows, "adversarial", "all", "langgraph")
    assert (equal["measured"], equal["agree"], equal["compared"], equal["verdict"]) == (242, 1, 2, EQUAL)
    (near,) = at(rows, "adversarial", "prefix_collision", "langgraph")
    assert (near["agree"], near["compared"]) == (0, 1), "of the category's cases alone"
    assert near["verdict"] in (WITHIN, EQUAL)
    (unknown,) = at(rows, "a_mem", "all", "a_mem")
    assert (unknown["compared"], unknown["verdict"]) == (None, EQUAL), "no verdict was released case by case"


def test_the_version_that_the_paper_ran_stands_beside_the_present_one(paper: Published) -> None:
    entries = configurations(
        {
            "mem0": {"label": "Mem0", "regime": "deterministic"},
            "mem0_paper": {"label": "Mem0 2.0.2", "regime": "deterministic"},
        }
    )
    scores = [score("mem0", "all", 281, 385), score("mem0_paper", "all", 263, 385)]
    found = results(scores, entries, label="Published")
    both = replace(PUBLISHED_CASES, setup=setup(entries), suites={"adversarial": found}, replicas={})
    own = replace(MEASURED, setup=setup(entries), suites={"adversarial": found})
    rows = at(replication_rows(paper, both, own), "adversarial", "all", "mem0")
    assert [(row["configuration"], row["verdict"]) for row in rows] == [("Mem0 2.0.2", EQUAL), ("Mem0", WITHIN)]
    assert rows[1]["note"].startswith("Mem0 2.2.1 by vectors alone")
    elsewhere = at(replication_rows(paper, both, own), "adversarial", "all", "mem0", other=True)
    assert [row["configuration"] for row in elsewhere] == ["Mem0"]


def test_a_share_of_a_suite_that_the_paper_does_not_share(rows: list[dict[str, Any]]) -> None:
    (row,) = at(rows, "template", "lethe", "pass", other=True)
    assert (row["configuration"], row["source"], row["verdict"]) == ("Lethe", "Template", WITHIN)
    assert row["low"] < 0 < row["high"]


def test_na_counts_as_not_passed_where_the_paper_counts_it_so(rows: list[dict[str, Any]]) -> None:
    (palace,) = at(rows, "adversarial", "all", "mempalace", other=True)
    assert (palace["measured"], palace["measured_n"], palace["verdict"]) == (0, 385, WITHIN)
    (strict,) = at(rows, "a_mem", "all", "a_mem", other=True)
    (evaluable,) = at(rows, "a_mem", "evaluable", "a_mem", other=True)
    assert (strict["measured_n"], evaluable["measured_n"]) == (385, 310)
    (category,) = at(rows, "a_mem", "substring_trap", "a_mem", other=True)
    assert (category["measured"], category["measured_n"]) == (18, 20)
    (missing,) = at(rows, "a_mem", "substring_trap", "na", other=True)
    assert (missing["measured"], missing["verdict"]) == (16, EQUAL)


def test_a_row_for_each_model(rows: list[dict[str, Any]]) -> None:
    (ran,) = at(rows, "cross_llm", "lethe", "deepseek-v3", other=True)
    assert (ran["configuration"], ran["measured"]) == ("Lethe+LLM (M)", 243)
    _, left_out = at(rows, "cross_llm", "lethe", "deepseek-v3")
    assert (left_out["configuration"], left_out["note"]) == ("Lethe+LLM (N)", "llm.mode is off")
    (lift, *_) = at(rows, "cross_llm", "lethe_delta", "deepseek-v3")
    assert (lift["measured"], lift["verdict"]) == (pytest.approx(26.0), WITHIN), "28.3 lies in [22, 31]"


def test_the_same_questions_must_come_out_equal(rows: list[dict[str, Any]]) -> None:
    (equal,) = at(rows, "factconsolidation", "lethe", "mh_6k")
    (other,) = at(rows, "factconsolidation", "langgraph", "mh_6k")
    assert (equal["same_data"], equal["verdict"], equal["source"]) == (True, EQUAL, "FactConsolidation")
    assert (other["verdict"], other["difference"]) == (WITHIN, pytest.approx(-1.0))
    (recall,) = at(rows, "longmemeval", "all", "r@5")
    assert recall["verdict"] == EQUAL, "0.9384 is printed 0.938"
    assert at(rows, "longmemeval", "all", "r@1")[0]["verdict"] == NOT_RUN


@pytest.mark.parametrize(
    ("place", "note"),
    [
        (("memora", "lethe", "total"), "no data"),
        (("external", "all", "lethe"), "no data at x"),
        (("factconsolidation", "mempalace", "mh_6k"), "it broke"),
        (("factconsolidation", "mem0", "mh_6k"), "no such system configured"),
        (("text_embedder", "lethe", "paraphrase-multilingual-MiniLM-L12-v2"), "no such embedder configured"),
        (("label_partition", "easy", "lethe"), "no hooked twin of the reference system ran"),
        (("text_scorer_audit", "artifacts", "lethe"), "nothing here measures this"),
        (("text_headline", "pass_band", "low"), "not all of Lethe, Mem0 and LangGraph ran"),
    ],
)
def test_what_was_not_run_says_why(rows: list[dict[str, Any]], place: Key, note: str) -> None:
    (row,) = at(rows, *place)
    assert (row["verdict"], row["note"], row["measured"]) == ("not run", note, None)


def test_an_embedder_that_was_run_stands_beside_the_published_one() -> None:
    name, reason = "paraphrase-multilingual-MiniLM-L12-v2", "not run: left out"
    number = read_published(PUBLISHED).find("text_embedder", "lethe", name)
    assert number is not None

    def found(why: str, *runs: dict[str, Any]) -> Found:
        record = replace(MEASURED.setup, embedder_ablation=EmbedderAblation({name: why}, ["lethe"]))
        return counterparts(number, replace(MEASURED, setup=record, embedders=runs))[0]

    run = {"embedder": name, "configuration": "lethe", "category": "cross_lingual_identifier", "cases": 38, "passed": 3}
    assert found(reason) == Missing(reason)
    beside = found("", run, run | {"category": "all", "passed": 9})
    assert isinstance(beside, Counterpart) and (beside.quantity.value, beside.quantity.n) == (3, 38)


def test_other_numbers_by_their_interval_or_the_printed_digit(rows: list[dict[str, Any]]) -> None:
    verdicts = {
        place: at(rows, *place)[0]["verdict"]
        for place in (
            ("text_agreement", "fleiss", "kappa"),
            ("text_agreement", "fleiss", "observed_agreement"),
            ("text_suites", "adversarial", "cases"),
            ("text_headline", "cost_per_run", "lethe+llm"),
        )
    }
    assert list(verdicts.values()) == [WITHIN, DIFFERS, EQUAL, EQUAL]
    place = ("text_latency", "lethe", "wall_per_case")
    assert at(rows, *place)[0]["note"] == "time is taken on cases of this project"
    assert at(rows, *place, other=True)[0]["verdict"] == WITHIN
    (gap,) = at(rows, "provenance", "lethe", "delta", other=True)
    assert gap["measured"] == pytest.approx(100 * (66 / 132 - 77 / 253))
    assert gap["low"] < gap["difference"] < gap["high"] and gap["verdict"] == DIFFERS


def number(value: str, unit: str, n: int | None = None) -> PublishedNumber:
    return PublishedNumber("t", "r", "c", Decimal(value), n, unit)


def test_a_percent_without_n_lies_in_the_measured_interval_or_not() -> None:
    low, high = (100 * end for end in wilson(30, 60))
    assert compare(number("50", "percent"), Quantity(30, 60), False) == (0, low - 50, high - 50, WITHIN)
    assert compare(number("90", "percent"), Quantity(30, 60), False)[3] == DIFFERS


@pytest.mark.parametrize(
    ("printed", "unit", "quantity", "verdict"),
    [
        ("33.3", "percent", Quantity(50, 150), EQUAL),
        ("33.4", "percent", Quantity(50, 150), WITHIN),
        ("50", "cases", Quantity(50, 150, compared=150, agree=150), CASE_BY_CASE),
        ("50", "cases", Quantity(50, 150, compared=150, agree=148), EQUAL),
        ("50", "cases", Quantity(51, 150, compared=150, agree=149), WITHIN),
        ("50", "cases", Quantity(90, 150), DIFFERS),
    ],
)
def test_verdicts_on_the_same_cases(printed: str, unit: str, quantity: Quantity, verdict: str) -> None:
    assert compare(number(printed, unit, 150), quantity, True)[3] == verdict


def test_a_cause_is_that_of_the_first_pattern_that_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [{"table": "t", "configuration": "Mem0.*", "cause": "its threshold"}, {"table": "t|u", "cause": "other"}]
    monkeypatch.setattr("lethe.study.replication.compare._CAUSES", entries)
    assert cause(number("1", "count"), "Mem0 2.0.2") == "its threshold"
    assert cause(number("1", "count"), "Lethe") == "other"
    monkeypatch.setattr("lethe.study.replication.compare._CAUSES", entries[:1])
    assert cause(number("1", "count"), "Lethe") == ""


def test_without_the_released_cases_every_number_is_still_accounted_for(paper: Published) -> None:
    nothing = replace(PUBLISHED_CASES, suites={}, case_rows={}, replicas={}, paired=[], latency=[], llm_runs=[])
    rows = replication_rows(paper, nothing, MEASURED)
    (row,) = at(rows, "adversarial", "all", "lethe")
    assert (row["verdict"], row["note"]) == (NOT_RUN, "the suite published_adversarial is not run")
    assert at(rows, "adversarial", "all", "lethe", other=True)[0]["measured"] == 143


def test_verdicts_are_counted(rows: list[dict[str, Any]]) -> None:
    counts = verdict_counts(rows)
    assert counts == [sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS]
    assert sum(counts) == len(rows)
    assert verdict_counts([]) == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("place", [OWN, RELEASED])
def test_all_of_it_is_read_from_the_files_it_names(tmp_path: Path, place: str) -> None:
    record = setup(SYSTEMS)
    write_inputs(tmp_path, paths_of(measured_inputs(record).values()))
    measured = Measured.of(record, place, Files(tmp_path))
    assert list(measured.suites) == (["template", "adversarial"] if place == OWN else ["template"])
    assert measured.crosseval == {} and measured.released is (place == RELEASED)
