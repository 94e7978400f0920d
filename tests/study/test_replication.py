"""The replication: what stands beside each published number, where it comes from, and the verdict."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from forgeteval.scoring.intervals import newcombe, wilson
from forgeteval.scoring.paired import mcnemar_exact
from lethe.parquet import read_rows, write_rows
from lethe.schemas import REPLICATION
from lethe.study.inputs import Files
from lethe.study.published import Published, PublishedNumber, read_published
from lethe.study.released.recount import Recounted, Recounts
from lethe.study.replication.compare import (
    CASE_BY_CASE,
    DIFFERS,
    EQUAL,
    UNANSWERED,
    VERDICTS,
    WITHIN,
    printed_places,
    replication_rows,
    verdict_counts,
)
from lethe.study.replication.measured import Counterpart, Measured, Quantity, measured_inputs
from lethe.study.replication.printed_systems import SYSTEMS as SYSTEMS_PRINTED
from lethe.study.results import SuiteResults
from lethe.study.setup import Benchmark, EmptySuite, Suite
from tests.support.paths import PUBLISHED
from tests.support.tables import configurations, results, score, setup, write_inputs

Rows = list[dict[str, Any]]
SYSTEMS = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic"},
        "langgraph": {"label": "LangGraph", "regime": "deterministic"},
        "mempalace": {"label": "MemPalace", "regime": "no deletion"},
        "mem0": {"label": "Mem0", "regime": "deterministic"},
        "mem0_paper": {"label": "Mem0 2.0.2", "regime": "deterministic"},
        "lethe+llm@small": {"label": "Lethe+LLM (Small)", "regime": "mutation hook"},
        "lethe+llm@deepseek": {"label": "Lethe+LLM (DeepSeek-V3)", "regime": "mutation hook"},
        "a_mem@small": {"label": "A-MEM (Small)", "regime": "inscribe LLM"},
    }
)
CASES = ("adv_substring_trap_01", "adv_prefix_collision_01", "adv_identifier_obfuscation_30")


def suite(label: str, *scores: Mapping[str, Any], **not_run: str) -> SuiteResults:
    return results(scores, SYSTEMS, not_run, label)


def replica(configuration: str, case_id: str, published: str, measured: str) -> dict[str, Any]:
    agree = (published == "pass") == (measured == "pass")
    given = {"configuration": configuration, "case_id": case_id, "scorer": "substring"}
    return {**given, "published": published, "measured": measured, "agree": agree}


def crosseval(system: str, value: str, passed: int, **more: Any) -> dict[str, Any]:
    given = {"model": "", "cut": "part", "questions": 100, "na": 0, "errors": 0}
    return {**given, "system": system, "value": value, "passed": passed, **more}


MEASURED = Measured(
    setup=setup(
        SYSTEMS,
        models={"small": "Small 1B", "deepseek": "DeepSeek-V3"},
        suites={"published": Suite("Published", {}), "mine": Suite("Mine", {})},
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
            "Published",
            score("lethe", "all", 244, 385),
            score("lethe", "prefix_collision", 32, 39),
            score("langgraph", "all", 242, 385),
            score("langgraph", "prefix_collision", 30, 39),
            score("mem0", "all", 281, 385),
            score("mem0_paper", "all", 264, 385),
            score("mem0_paper", "identifier_obfuscation", 19, 38),
            score("mempalace", "all", 0, 385),
            score("mempalace", "core", 0, 132, cut="provenance"),
            score("lethe+llm@small", "all", 100, 385),
            score("lethe+llm@deepseek", "all", 340, 385),
            score("a_mem@small", "all", 210, 385, na=75),
        ),
    },
    crosseval={
        "factcons": [
            crosseval("lethe", "mh_6k", 28),
            crosseval("langgraph", "mh_6k", 27),
            crosseval("lethe+llm", "mh_6k", 28, model="small"),
        ],
        "longmemeval": [
            crosseval("lethe", "all", 0, cut="overall", recall_at_5=0.9384, recall_at_1=None, recall_at_10=None)
        ],
    },
    paired=[],
    latency=[
        {"system": "lethe", "model": "", "wall_ms": 70.0, "wall_low": 65.0, "wall_high": 75.0, "mutate_ms": 9.0},
        {"system": "mem0_paper", "model": "", "wall_ms": 9.0, "wall_low": 8.0, "wall_high": 10.0, "mutate_ms": 9.0},
    ],
    llm_runs=[{"system": "lethe+llm", "model": "deepseek", "cost_usd": 0.34, "repetitions": 2}],
    case_rows={
        "adversarial": [
            {"case_id": case, "category": case[4:-3], "family": "purge", "mutations": [{"op": "release"}]}
            for case in CASES
        ]
    },
    replicas={
        "adversarial": [
            *(replica("lethe", case, "pass", "pass") for case in CASES),
            replica("langgraph", CASES[0], "pass", "pass"),
            replica("langgraph", CASES[1], "pass", "fail"),
            *(replica("mem0_paper", case, "fail", "pass" if case == CASES[2] else "fail") for case in CASES),
        ]
    },
    memora=[],
    sizes=[],
)


class _Released(Recounts):
    """A release that gives what a test says, by place."""

    def __init__(self, printed: Mapping[Any, Recounted], later: Mapping[Any, Recounted]) -> None:
        self._given, self._later = printed, later

    def of(self, number: PublishedNumber) -> Recounted | None:
        return self._given.get(number.place)

    def rerun(self, number: PublishedNumber) -> Recounted | None:
        return self._later.get(number.place)


RELEASED = _Released(
    {
        ("adversarial", "all", "lethe"): Recounted(244, 385, "lethe (v0.5)"),
        ("template", "lethe", "pass"): Recounted(993, 1000, "full_1000.json"),
        ("cross_llm", "lethe", "qwen-2.5-72b"): Recounted(295, 385, "lethe+llm (Qwen)"),
        ("label_partition", "manual", "lethe+llm"): Recounted(109, 112, "lethe+llm (v0.5)"),
        ("cross_llm", "langgraph_delta", "deepseek-v3"): Recounted(30.3896, None, "langgraph+llm"),
    },
    {("letta", "all", "letta"): Recounted(127, 385, "letta (v0.7)")},
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture(scope="module")
def rows(paper: Published) -> Rows:
    return replication_rows(paper, MEASURED, RELEASED)


def at(rows: Rows, *place: str) -> dict[str, Any]:
    """The row of a printed cell."""
    (found,) = [row for row in rows if (row["table"], row["row"], row["column"]) == place]
    return found


def test_every_printed_number_has_one_row_and_they_fit_their_schema(
    paper: Published, rows: Rows, tmp_path: Path
) -> None:
    assert len(rows) == len(list(printed_places(paper)))
    printed = {place for place, units in paper.by_place.items() if "na" not in units or place[2] in SYSTEMS_PRINTED}
    assert sum(row["unit"] == "na" for row in rows) > 0
    assert {(row["table"], row["row"], row["column"]) for row in rows} == printed
    assert {row["verdict"] for row in rows} == set(VERDICTS)
    assert all(row["note"] for row in rows if row["verdict"] == UNANSWERED)
    write_rows(tmp_path / "r.parquet", REPLICATION, rows, "test")
    assert len(read_rows(tmp_path / "r.parquet", REPLICATION)) == len(rows)


def test_a_share_is_reproduced_case_by_case_only_where_every_verdict_agrees(rows: Rows) -> None:
    lethe = at(rows, "adversarial", "all", "lethe")
    assert (lethe["state"], lethe["source"], lethe["measured"]) == ("measured", "Published", 244)
    assert (lethe["compared"], lethe["verdict"], lethe["p"]) == (3, CASE_BY_CASE, 1.0)
    assert (lethe["recounted"], lethe["recounted_run"]) == (244, "lethe (v0.5)"), "the recount stands beside"
    langgraph = at(rows, "adversarial", "all", "langgraph")
    assert (langgraph["only_published"], langgraph["only_here"], langgraph["verdict"]) == (1, 0, EQUAL)


def test_on_the_same_cases_a_number_is_equal_or_differs_with_the_paired_test(rows: Rows) -> None:
    row = at(rows, "adversarial", "prefix_collision", "langgraph")
    assert (row["measured"], row["compared"], row["verdict"]) == (30, 1, DIFFERS), "of the category's cases alone"
    assert row["p"] == mcnemar_exact(1, 0) and row["low"] is None
    assert row["note"] == "cause not known", "nothing explains it"


def test_cases_that_are_na_here_and_failed_there_are_not_reproduced_case_by_case(paper: Published) -> None:
    def found(*verdicts: tuple[str, str]) -> dict[str, Any]:
        own = [replica("mempalace", case, *pair) for case, pair in zip(CASES, verdicts, strict=True)]
        return at(replication_rows(paper, replace(MEASURED, replicas={"adversarial": own}), RELEASED), *place)

    place = ("adversarial", "all", "mempalace")
    row = found(("fail", "na"), ("na", "na"), ("fail", "fail"))
    assert (row["compared"], row["only_published"], row["only_here"], row["verdict"]) == (3, 0, 0, EQUAL)
    assert row["note"] == "N/A here, failures there; both count as not passed"
    row = found(("na", "fail"), ("na", "na"), ("fail", "fail"))
    assert (row["verdict"], row["note"]) == (EQUAL, "failures here, N/A there; both count as not passed")
    row = found(("na", "na"), ("na", "na"), ("fail", "fail"))
    assert (row["verdict"], row["note"]) == (CASE_BY_CASE, "")


def test_a_cell_printed_na_is_compared_too(paper: Published) -> None:
    place = ("external_ecosystem", "substring_trap")
    given = {
        (*place, "letta+llm"): Recounted(8, 8, "letta+llm (v0.5)"),
        (*place, "graphiti"): Recounted(0, 0, "graphiti (v0.5)"),
    }
    external = suite("External", score("mempalace", "negation_trap", 0, 8, na=8))
    measured = replace(MEASURED, suites={**MEASURED.suites, "external": external})
    found = replication_rows(paper, measured, _Released(given, {}))
    row = at(found, *place, "letta+llm")
    assert (row["state"], row["printed"], row["published"]) == ("recounted", "N/A", None)
    assert (row["recounted"], row["recounted_n"], row["difference"], row["verdict"]) == (8, 8, None, DIFFERS)
    assert row["note"] == "printed N/A; what the authors released has verdicts of these cases"
    assert at(found, *place, "graphiti")["verdict"] == EQUAL
    row = at(found, "external", "negation_trap", "mempalace")
    assert (row["state"], row["measured"], row["measured_n"], row["verdict"]) == ("measured", 0, 0, EQUAL)
    row = at(found, *place, "a_mem")
    assert (row["state"], row["verdict"], row["note"]) == ("printed", UNANSWERED, "no run here asks DeepSeek-V3")


def test_an_equal_share_of_other_cases_differs(rows: Rows) -> None:
    row = at(rows, "provenance", "mempalace", "core")
    assert row["note"].startswith("out of the hand-crafted cases before more were added")
    assert (row["published_n"], row["measured_n"], row["difference"], row["verdict"]) == (112, 132, 0, DIFFERS)


def test_the_version_that_the_paper_ran_stands_for_it_and_no_other(rows: Rows) -> None:
    row = at(rows, "adversarial", "all", "mem0")
    assert (row["configuration"], row["measured"], row["verdict"]) == ("Mem0 2.0.2", 264, DIFFERS)
    assert row["note"].endswith("in one run adv_identifier_obfuscation_30 differs")
    assert at(rows, "adversarial", "identifier_obfuscation", "mem0")["note"] == row["note"]


def test_no_other_model_stands_in_the_place_of_the_papers(rows: Rows) -> None:
    hooked = at(rows, "adversarial", "all", "lethe+llm")
    assert (hooked["configuration"], hooked["measured"]) == ("Lethe+LLM (DeepSeek-V3)", 340)
    assert at(rows, "cross_llm", "lethe", "deepseek-v3")["measured"] == 340
    assert at(rows, "a_mem", "all", "a_mem")["note"] == "no run here asks DeepSeek-V3"
    assert at(rows, "text_headline", "cost_per_run", "lethe+llm")["measured"] == 0.17


def test_each_number_says_how_many_trials_behind_it_broke(paper: Published) -> None:
    partly = suite(
        "Published", score("lethe", "all", 244, 385, errors=1), score("lethe+llm@deepseek", "all", 330, 385, errors=10)
    )
    rows = replication_rows(paper, replace(MEASURED, suites={"adversarial": partly}), RELEASED)
    broken = {
        place[1]: at(rows, "cross_llm", *place)["broken"]
        for place in (("lethe", "no_llm"), ("lethe_delta", "deepseek-v3"))
    }
    assert broken == {"no_llm": 1, "deepseek-v3": 11}
    assert at(rows, "cross_llm", "lethe", "deepseek-v3")["broken"] == 10
    assert at(rows, "cross_llm", "langgraph", "deepseek-v3")["broken"] is None


def test_cases_that_ran_several_times_are_compared_by_case(paper: Published) -> None:
    def found(passed: int) -> dict[str, Any]:
        scores = (score("lethe", "all", passed, 770), score("mempalace", "all", 0, 770, na=6))
        again = replace(suite("Published", *scores), repetitions={"lethe": 2, "mempalace": 2})
        measured = replace(MEASURED, suites={"adversarial": again})
        skipped = measured.not_applicable("mempalace", "adversarial")
        assert isinstance(skipped, Counterpart) and skipped.quantity == Quantity(3, 385)
        return at(replication_rows(paper, measured, RELEASED), "adversarial", "all", "lethe")

    once = at(replication_rows(paper, MEASURED, RELEASED), "adversarial", "all", "lethe")
    assert {name: found(488)[name] for name in ("measured", "measured_n", "verdict")} == {
        name: once[name] for name in ("measured", "measured_n", "verdict")
    }
    assert (found(489)["measured"], found(489)["verdict"]) == (244.5, DIFFERS)


def test_where_no_model_is_asked_any_one_stands_for_it(rows: Rows) -> None:
    row = at(rows, "factconsolidation", "lethe+llm", "mh_6k")
    assert (row["configuration"], row["verdict"]) == ("Lethe+LLM (Small)", EQUAL)


def test_released_verdicts_of_the_printed_run_are_counted_again(rows: Rows) -> None:
    qwen = at(rows, "cross_llm", "lethe", "qwen-2.5-72b")
    assert (qwen["state"], qwen["recounted"], qwen["verdict"], qwen["measured"]) == ("recounted", 295, EQUAL, None)
    manual = at(rows, "label_partition", "manual", "lethe+llm")
    assert (manual["printed"], manual["recounted"], manual["verdict"]) == ("108", 109, DIFFERS)
    assert manual["note"] == "what the authors released gives another number than they printed"
    lift = at(rows, "cross_llm", "langgraph_delta", "deepseek-v3")
    assert (lift["verdict"], lift["note"]) == (DIFFERS, "within one step of the last printed digit")


def test_a_later_run_stands_beside_and_for_nothing(rows: Rows) -> None:
    row = at(rows, "letta", "all", "letta")
    assert (row["state"], row["verdict"]) == ("printed", UNANSWERED)
    assert (row["later"], row["later_n"], row["later_run"]) == (127, 385, "letta (v0.7)")


def test_cases_of_the_same_kind_are_compared_as_another_sample(paper: Published) -> None:
    row = at(replication_rows(paper, MEASURED, _Released({}, {})), "template", "lethe", "pass")
    assert (row["state"], row["source"], row["verdict"]) == ("other cases", "Template", WITHIN)
    assert (row["low"], row["high"]) == pytest.approx([100 * end for end in newcombe(992, 1000, 993, 1000)])
    time = at(replication_rows(paper, MEASURED, RELEASED), "text_latency", "lethe", "wall_per_case")
    assert (time["state"], time["source"], time["verdict"]) == ("other cases", "Mine", WITHIN)
    assert time["low"] < 0 < time["high"]


def test_what_was_released_of_the_printed_run_goes_before_other_cases(rows: Rows) -> None:
    row = at(rows, "template", "lethe", "pass")
    assert (row["state"], row["recounted"], row["measured"], row["verdict"]) == ("recounted", 993, 992, EQUAL)


def test_a_number_is_counted_where_it_is_first_printed(rows: Rows) -> None:
    assert at(rows, "adversarial", "all", "lethe")["restates"] == ""
    for place in (("a_mem", "evaluable", "lethe"), ("letta", "all", "lethe"), ("cross_llm", "lethe", "no_llm")):
        assert at(rows, *place)["restates"] == "adversarial", place
    assert at(rows, "memora_task", "reasoning", "lethe")["restates"] == "memora"
    assert at(rows, "mem0_modes", "all", "mem0_infer")["restates"] == ""


def test_na_cases_are_those_that_need_what_the_system_lacks(rows: Rows) -> None:
    row = at(rows, "a_mem", "substring_trap", "na")
    assert (row["measured"], row["configuration"], row["verdict"]) == (1, "", DIFFERS)
    assert row["state"] == "counted in the cases"
    assert row["note"].startswith("counted: the cases that need an operation")


def test_the_same_questions_must_come_out_equal(rows: Rows) -> None:
    assert at(rows, "factconsolidation", "lethe", "mh_6k")["verdict"] == EQUAL
    other = at(rows, "factconsolidation", "langgraph", "mh_6k")
    assert (other["verdict"], other["difference"]) == (DIFFERS, pytest.approx(-1.0))
    assert at(rows, "longmemeval", "all", "r@5")["verdict"] == EQUAL, "0.9384 is printed 0.938"
    assert at(rows, "longmemeval", "all", "r@1")["verdict"] == UNANSWERED


def test_a_printed_interval_that_does_not_follow_from_its_count_is_said(rows: Rows) -> None:
    row = at(rows, "adversarial", "wilson_low", "lethe")
    assert row["measured"] == pytest.approx(100 * wilson(244, 385)[0]) and row["verdict"] == DIFFERS
    assert row["note"] == "the printed interval does not follow from the count printed with it"


def test_an_interval_differs_by_the_case_that_its_count_differs_by(paper: Published) -> None:
    place = ("adversarial", "wilson_low", "mem0")
    of_release = _Released({place: Recounted(100 * wilson(263, 385)[0], None, "mem0 (v0.5)")}, {})
    row = at(replication_rows(paper, MEASURED, of_release), *place)
    assert row["measured"] == pytest.approx(100 * wilson(264, 385)[0]) and row["verdict"] == DIFFERS
    assert row["note"].startswith("as its count, which differs by adv_identifier_obfuscation_30")
    other = {"adversarial": [replica("mem0_paper", case, "fail", "pass") for case in CASES]}
    row = at(replication_rows(paper, replace(MEASURED, replicas=other), of_release), *place)
    assert row["note"] == "cause not known", "more than that one case differ"


def test_a_share_that_is_cut_off_and_not_rounded_is_said(paper: Published) -> None:
    passed = (score("lethe", "all", 26, 77), score("langgraph", "all", 25, 77), score("mem0_paper", "all", 22, 77))
    measured = replace(MEASURED, suites={**MEASURED.suites, "external": suite("External", *passed)})
    found = replication_rows(paper, measured, RELEASED)
    for place in (("pass_band_table_caption", "low"), ("pass_band_table_caption", "high")):
        row = at(found, "text_external", *place)
        assert (row["verdict"], row["note"]) == (DIFFERS, "cut off after the last printed digit, not rounded")


@pytest.mark.parametrize(("first", "known"), [(158, True), (150, False)])
def test_sessions_of_the_first_persona_stand_for_each(paper: Published, first: int, known: bool) -> None:
    sizes = [{"questions": 15, "sources": sources} for sources in (first, *[154] * 9)]
    found = replication_rows(paper, replace(MEASURED, sizes=sizes), RELEASED)
    for column in ("sessions", "sessions_per_persona"):
        row = at(found, "text_memora", "data", column)
        assert (row["state"], row["verdict"]) == ("counted in the cases", DIFFERS)
        note = "the sessions of the first persona, printed for each of them" if known else "cause not known"
        assert row["note"] == note


@pytest.mark.parametrize(
    ("place", "note"),
    [
        (("memora", "lethe", "total"), "no data"),
        (("external", "all", "lethe"), "no data at x"),
        (("factconsolidation", "mempalace", "mh_6k"), "it broke"),
        (("letta", "all", "letta"), "the system is not configured"),
        (("cross_llm", "langgraph", "llama-3.1-70b"), "no run here asks Llama-3.1-70B"),
        (("text_external", "authors", "number"), "known to the authors alone"),
        (("text_provenance", "gap", "deterministic"), "nothing here measures this"),
    ],
)
def test_what_has_no_answer_says_why(rows: Rows, place: tuple[str, str, str], note: str) -> None:
    row = at(rows, *place)
    assert (row["verdict"], row["note"], row["measured"]) == (UNANSWERED, note, None)


def test_without_the_released_cases_every_number_is_still_accounted_for(paper: Published) -> None:
    nothing = replace(MEASURED, suites={}, case_rows={}, replicas={}, latency=[], llm_runs=[])
    found = replication_rows(paper, nothing, _Released({}, {}))
    row = at(found, "adversarial", "all", "lethe")
    assert (row["verdict"], row["note"]) == (UNANSWERED, "the suite published_adversarial is not run")


def test_verdicts_are_counted(rows: Rows) -> None:
    counts = verdict_counts(rows)
    assert counts == [sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS]
    assert sum(counts) == len(rows)
    assert verdict_counts([]) == [0, 0, 0, 0, 0]


def test_all_of_it_is_read_from_the_files_it_names(tmp_path: Path) -> None:
    record = setup(SYSTEMS)
    write_inputs(tmp_path, measured_inputs(record).paths)
    measured = Measured.of(record, Files(tmp_path))
    assert list(measured.suites) == ["template"] and measured.crosseval == {}


def test_a_cell_of_two_units_is_one_number() -> None:
    place = {
        unit: PublishedNumber("t", "r", "c", Decimal(value), 39, unit)
        for unit, value in (("cases", "32"), ("percent", "82"))
    }
    alone = {"percent": PublishedNumber("t", "r", "d", Decimal("82"), 39, "percent")}
    dash, absent = ({"na": PublishedNumber("t", "r", name, None, None, "na")} for name in ("e", "letta"))
    cells = (place, alone, dash, absent)
    published = Published({next(iter(cell.values())).place: cell for cell in cells})
    assert [(number.column, number.unit) for number in printed_places(published)] == [
        ("c", "cases"),
        ("d", "percent"),
        ("letta", "na"),
    ]
