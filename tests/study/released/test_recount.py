"""Printed numbers counted again from the release: each way of counting on a few rows, and the release itself."""

import re
from decimal import Decimal
from typing import Any

import pytest

from forgeteval.cases.reading import read_cases
from lethe.config.model import RELEASED_FILES
from lethe.study.agreement import agreement_rows
from lethe.study.published import Published, PublishedNumber, read_published
from lethe.study.released.labels import as_annotations
from lethe.study.released.reading import (
    read_labels,
    read_memora,
    read_origins,
    read_rejections,
    read_summaries,
    read_verdicts,
)
from lethe.study.released.recount import Recounted, Recounts
from lethe.study.replication.compare import printed_places
from tests.support.config import released_folder
from tests.support.paths import PUBLISHED, ROOT

RELEASE = released_folder()
FILES = {"adversarial": "adversarial_385.jsonl", "repaired": "repaired_385.jsonl", "external": "external_77.jsonl"}
FINDING = re.compile(r"^\| (\w+/\S+/\S+) \| (\d+) \| (\d+(?: of \d+)?) \|$", re.MULTILINE)
LISTED_ELSEWHERE = ("text_agreement", "external_ecosystem")
"""Tables whose differences the page lists by run, or in words."""
DEEPSEEK = "deepseek-ai/DeepSeek-V3"
LETHE, LANGGRAPH, MEM0 = (f"adversarial: {name} (v0.5, substring)" for name in ("lethe", "langgraph", "mem0"))
HOOKED = "adversarial: lethe+llm (DeepSeek-V3, v0.5, substring)"
HOOKED_LANGGRAPH = "adversarial: langgraph+llm (DeepSeek-V3, v0.5, substring)"
CATEGORIES = {
    "s0": "substring_trap",
    "s1": "substring_trap",
    "c0": "compound_fact",
    "i0": "identifier_obfuscation",
    "x0": "cross_lingual_identifier",
}
WORDS = {"P": "pass", "f": "fail", "n": "na"}


def number(table: str, row: str, column: str, unit: str, value: str | None = "0") -> PublishedNumber:
    return PublishedNumber(table, row, column, None if value is None else Decimal(value), None, unit)


def run(system: str, letters: str, model: str = "", **about: str) -> list[dict[str, Any]]:
    """The verdicts of a run on the five cases, or on the first of them."""
    named = {
        "suite": "adversarial",
        "system": system,
        "model": model,
        "scorer": "substring",
        "release": "v0.5",
        **about,
    }
    return [
        {**named, "case_id": case, "verdict": WORDS[verdict]}
        for case, verdict in zip(CATEGORIES, letters, strict=False)
    ]


def origin(case: str, provenance: str, difficulty: str = "") -> dict[str, str]:
    return {"case_id": case, "provenance": provenance, "difficulty": difficulty}


def labels(case: str, well_formed: int, claude: bool, qwen: bool, deepseek: bool) -> dict[str, Any]:
    judges = {"claude": claude, "qwen": qwen, "deepseek": deepseek}
    return {"case_id": case, "well_formed": well_formed, "ill_formed": 10 - well_formed, **judges}


def stated(file: str, system: str, category: str, passed: int, n: int, suite: str = "adversarial") -> dict[str, Any]:
    return {"file": file, "system": system, "category": category, "passed": passed, "n": n, "suite": suite}


def answered(system: str, task: str, verdict: str) -> dict[str, str]:
    return {"system": system, "persona": "p", "task": task, "verdict": verdict}


@pytest.fixture(scope="module")
def small() -> Recounts:
    """Five cases, of which the last came to the suite later and three are hand-crafted."""
    external = {"suite": "external", "release": "v0.7", "scorer": "probed"}
    return Recounts(
        verdicts=[
            *run("lethe", "PPfff"),
            *run("langgraph", "PfPff"),
            *run("mem0", "PffPf"),
            *run("amem", "nPfPP"),
            *run("lethe+llm", "PPPfP", DEEPSEEK),
            *run("langgraph+llm", "PPPPP", DEEPSEEK),
            *run("lethe+llm", "PPff", "meta-llama/Meta-Llama-3.1-70B-Instruct", release="v0.5-365"),
            *run("letta", "PPPff", suite="repaired", scorer="probed", release="v0.7"),
            *(row for name in ("lethe", "langgraph", "mempalace", "mem0") for row in run(name, "Pffff", **external)),
            *run("lethe+llm", "PPfff", DEEPSEEK, suite="external"),
            *run("langgraph+llm", "PPfff", "deepseek/deepseek-v4-flash", **external),
        ],
        origins=[
            origin("s0", "handcrafted"),
            origin("s1", "generated", "easy"),
            origin("c0", "generated", "unsolvable"),
            origin("i0", "handcrafted"),
            origin("x0", "handcrafted"),
        ],
        cases={
            suite: [{"case_id": case, "category": category} for case, category in CATEGORIES.items()]
            for suite in ("adversarial", "external")
        },
        memora=[answered("lethe", "reasoning", "pass"), answered("lethe", "remembering", "fail")],
        labels=[labels("s0", 9, True, True, True), labels("c0", 2, False, True, False)],
        agreement=[{"part": "all", "measure": "fleiss_kappa", "value": 0.9582}],
        rejections=[{"case_id": "i0", "failure_mode": "A_semantic_equivalence"}],
        summaries=[
            stated("data/full_1000.json", "lethe", "all", 993, 1000, "template_1000 seed 42"),
            stated("data/full_1000.json", "lethe", "all", 990, 1000, "template_1000 seed 43"),
            stated("data/handcrafted_subset_breakdown.json", "letta", "handcrafted", 1, 2),
            stated("data/handcrafted_subset_breakdown.json", "letta", "generated", 1, 2),
        ],
    )


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (("adversarial", "substring_trap", "lethe", "cases"), Recounted(2, 2, LETHE)),
        (("adversarial", "all", "lethe", "percent"), Recounted(40.0, 5, LETHE)),
        (("adversarial", "without_compound_fact", "lethe+llm", "cases"), Recounted(3, 4, HOOKED)),
        (("a_mem", "evaluable", "a_mem", "cases"), Recounted(3, 4, "adversarial: amem (v0.5, substring)")),
        (("a_mem", "all", "a_mem", "cases"), Recounted(3, 5, "adversarial: amem (v0.5, substring)")),
        (("a_mem", "substring_trap", "na", "count"), Recounted(1, 2, "adversarial: amem (v0.5, substring)")),
        (("a_mem", "substring_trap", "a_mem", "na"), Recounted(1, 1, "adversarial: amem (v0.5, substring)")),
        (("provenance", "lethe", "core", "cases"), Recounted(1, 3, LETHE)),
        (("label_partition", "manual", "lethe", "cases"), Recounted(1, 2, LETHE)),
        (("label_partition", "unsolvable", "lethe+llm", "cases"), Recounted(1, 1, HOOKED)),
        (("label_partition", "total", "n", "count"), Recounted(4, None, "the released cases")),
        (("cross_llm", "langgraph", "deepseek-v3", "cases"), Recounted(5, 5, HOOKED_LANGGRAPH)),
        (("text_label_partition", "unsolvable", "share", "percent"), Recounted(25.0, 4, "the released cases")),
        (("text_headline", "cross_lingual_identifier", "deterministic_highest", "percent"), Recounted(0.0, 1, LETHE)),
        (("text_headline", "pass_band", "low", "percent"), Recounted(40.0, 5, LETHE)),
        (("text_paired", "lethe_langgraph", "first_only", "cases"), Recounted(1, 5, f"{LETHE}; {LANGGRAPH}")),
        (("text_paired", "lethe_langgraph", "discordant", "cases"), Recounted(2, 5, f"{LETHE}; {LANGGRAPH}")),
        (("memora", "lethe", "total", "cases"), Recounted(1, 2, "memora_verdicts.csv")),
        (("memora_task", "remembering", "lethe", "cases"), Recounted(0, 1, "memora_verdicts.csv")),
        (("template", "lethe", "pass", "cases"), Recounted(993, 1000, "data/full_1000.json")),
        (("letta", "evaluable", "letta", "cases"), Recounted(2, 4, "data/handcrafted_subset_breakdown.json")),
        (("letta", "all", "letta", "percent"), Recounted(40.0, 5, "data/handcrafted_subset_breakdown.json")),
        (("judge_agreement", "qwen-2.5-72b", "human_majority", "cases"), Recounted(1, 2, "annotations.csv")),
        (("judge_agreement", "deepseek-v3", "ill_formed", "cases"), Recounted(1, 2, "annotations.csv")),
        (("text_agreement", "fleiss", "kappa", "kappa"), Recounted(0.9582, None, "annotations.csv")),
        (("text_agreement", "sample", "annotators", "count"), Recounted(10, None, "annotations.csv")),
        (("text_agreement", "three_judges", "unanimous", "cases"), Recounted(1, 2, "annotations.csv")),
        (
            ("text_agreement", "judge_qwen-2.5-72b", "disagreements_compound_fact", "cases"),
            Recounted(1, 1, "annotations.csv"),
        ),
        (("text_judge_audit", "core", "rejected", "cases"), Recounted(1, 2, "judge_rejections.csv")),
        (("text_judge_audit", "core", "admitted", "percent"), Recounted(50.0, 2, "judge_rejections.csv")),
        (("text_judge_audit", "mode_a", "identifier_obfuscation", "cases"), Recounted(1, 1, "judge_rejections.csv")),
    ],
)  # fmt: skip
def test_each_way_of_counting(small: Recounts, place: tuple[str, str, str, str], expected: Recounted) -> None:
    assert small.of(number(*place)) == expected


def test_differences_are_of_the_counts_and_name_both_runs(small: Recounts) -> None:
    lift = small.of(number("cross_llm", "lethe_delta", "deepseek-v3", "points"))
    assert lift is not None and lift.value == pytest.approx(40) and lift.run == f"{HOOKED}; {LETHE}"
    low = small.of(number("adversarial", "wilson_low", "lethe", "percent"))
    assert low is not None and low.value == pytest.approx(11.76, abs=0.01) and low.n is None


def test_what_all_systems_fail_is_counted_with_the_later_runs(small: Recounts) -> None:
    found = small.of(number("text_external", "universal_failures", "all", "cases"))
    assert found is not None and (found.value, found.n) == (3, 5)
    assert "mem0 (v0.7, probed)" in found.run and "deepseek-v4-flash" in found.run


def test_a_later_run_stands_beside_the_printed_cell_and_not_for_it(small: Recounts) -> None:
    printed = number("letta", "substring_trap", "letta", "cases")
    assert small.of(printed) is None
    assert small.rerun(printed) == Recounted(2, 2, "repaired: letta (v0.7, probed)")
    assert small.rerun(number("adversarial", "all", "lethe", "cases")) is None


@pytest.mark.parametrize(
    "place",
    [
        ("adversarial", "all", "hipporag", "cases"),
        ("adversarial", "wall_per_case", "lethe", "ms"),
        ("longmemeval", "all", "r@5", "score"),
        ("judge_agreement", "deepseek-v3", "deepseek-v3", "na"),
        ("cross_llm", "lethe_delta", "no_llm", "na"),
    ],
)
def test_what_was_not_released_has_no_answer(small: Recounts, place: tuple[str, str, str, str]) -> None:
    assert small.of(number(*place, value=None if place[-1] == "na" else "1")) is None


def test_without_a_release_nothing_is_answered() -> None:
    names = ("verdicts", "origins", "memora", "labels", "agreement", "rejections", "summaries")
    recounts = Recounts(cases={}, **{name: [] for name in names})
    assert not any(recounts.of(printed) or recounts.rerun(printed) for printed in read_published(PUBLISHED))


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture(scope="module")
def released() -> Recounts:
    if not all((RELEASE / file).is_file() for file in RELEASED_FILES):
        pytest.skip("needs data that are not part of the project: datasets/forgeteval")
    own = read_labels(RELEASE)
    sample = [{"case_id": row["case_id"], "category": "all", "provenance": "core"} for row in own]
    cases = {
        suite: [{"case_id": case.case_id, "category": case.category} for case in read_cases(RELEASE / file, suite)]
        for suite, file in FILES.items()
    }
    return Recounts(
        verdicts=read_verdicts(RELEASE),
        origins=read_origins(RELEASE),
        cases=cases,
        memora=read_memora(RELEASE),
        labels=own,
        agreement=agreement_rows(as_annotations(own, sample), 1, 1),
        rejections=read_rejections(RELEASE),
        summaries=read_summaries(RELEASE),
    )


@pytest.mark.parametrize(
    ("table", "row", "column", "value", "n"),
    [
        ("adversarial", "all", "lethe+llm", 353, 385),
        ("cross_llm", "lethe", "qwen-2.5-72b", 295, 385),
        ("cross_llm", "langgraph", "deepseek-v3", 359, 385),
        ("cross_llm", "langgraph", "qwen-2.5-72b", 292, 385),
        ("a_mem", "evaluable", "a_mem", 219, 310),
        ("mem0_modes", "all", "mem0_infer", 168, 385),
        ("text_heatmap", "evaluable", "hipporag", 31, 326),
        ("label_partition", "manual", "lethe+llm", 109, 112),
        ("label_partition", "llm_lift", "lethe+llm", 51, 55),
        ("label_partition", "unsolvable", "lethe+llm", 1, 24),
        ("label_partition", "easy", "mem0", 161, 174),
        ("label_partition", "llm_lift", "mem0", 16, 55),
        ("label_partition", "unsolvable", "mem0", 0, 24),
        ("external", "all", "lethe+llm", 35, 77),
        ("external_ecosystem", "evaluable", "graphiti", 11, 32),
        ("memora", "langgraph", "total", 67, 150),
        ("text_judge_audit", "core", "rejected", 16, 112),
        ("text_judge_audit", "mode_a", "all", 11, 16),
        ("text_judge_audit", "mode_b", "all", 1, 16),
        ("text_judge_audit", "mode_c", "all", 4, 16),
        ("text_embedder", "mem0", "paraphrase-multilingual-MiniLM-L12-v2", 7, 16),
        ("text_external", "universal_failures", "all", 38, 77),
        ("text_external", "universal_failures", "recursive_supersession", 7, 8),
    ],
)
def test_the_release_gives_these_counts(
    released: Recounts, paper: Published, table: str, row: str, column: str, value: int, n: int
) -> None:
    printed = paper.find(table, row, column, "cases")
    assert printed is not None
    found = released.of(printed)
    assert found is not None and (found.value, found.n) == (value, n)


def test_whole_tables_agree_with_the_release(released: Recounts, paper: Published) -> None:
    whole = {"memora", "memora_persona", "memora_task", "factconsolidation", "provenance", "a_mem", "naive_sql"}
    for printed in paper:
        if printed.table in whole and printed.value is not None:
            found = released.of(printed)
            assert found is not None, printed
            assert abs(found.value - float(printed.value)) <= printed.half_step * (printed.unit != "cases") + 1e-9, (
                printed
            )


NOT_OF_THE_LABELS = {
    ("sample", "core"): 36,
    ("sample", "expansion"): 64,
    ("judge_qwen-2.5-72b", "judge_wf_humans_ill"): 13,
    ("judge_qwen-2.5-72b", "judge_wf_humans_ill_compound_fact"): 10,
    ("judge_qwen-2.5-72b", "accepted_and_claude_rejected"): 12,
    ("judge_claude-opus-4.7", "judge_ill_humans_wf"): 0,
    ("three_judges", "unanimous"): 56,
    ("three_judges", "not_unanimous"): 44,
}
"""Numbers on the annotated sample that the released labels do not give, and what they give."""


def test_the_labels_give_the_printed_numbers_on_judges_and_annotators_but_for_these(
    released: Recounts, paper: Published
) -> None:
    differ = {}
    for printed in printed_places(paper):
        if printed.table in ("judge_agreement", "text_agreement"):
            found = released.of(printed)
            assert found is not None, printed
            tolerance = 0 if printed.unit in ("cases", "count") else printed.half_step
            of_others = printed.unit == "cases" and found.n != printed.n
            if of_others or abs(found.value - float(printed.value or 0)) > tolerance:
                differ[printed.row, printed.column] = found.value
    assert differ == NOT_OF_THE_LABELS


def test_the_gap_on_the_reported_failures_is_of_both_runs(released: Recounts, paper: Published) -> None:
    printed = paper.find("text_real_world", "hook_gap", "low", "points")
    assert printed is not None
    found = released.of(printed)
    assert found is not None and found.value == pytest.approx(100 * (135 - 34) / 155)


def test_the_page_lists_every_other_count_that_differs(released: Recounts, paper: Published) -> None:
    listed = {line[0]: line[1:] for line in FINDING.findall((ROOT / "docs/published.md").read_text(encoding="utf-8"))}
    found = {}
    for printed in paper:
        counted = released.of(printed) if printed.unit == "cases" and printed.table not in LISTED_ELSEWHERE else None
        if counted is None or (counted.value, counted.n or printed.n) == (float(printed.value or 0), printed.n):
            continue
        of = "" if counted.n is None else f" of {counted.n}"
        found["/".join(printed.place)] = (str(printed.value), f"{counted.value:.0f}{of}")
    universal = found.pop("text_external/universal_failures/all")
    assert universal == ("23", "38 of 77")
    assert found == listed


def test_the_page_says_what_the_release_passes_of_cells_printed_na(released: Recounts, paper: Published) -> None:
    passed = []
    for category in ("substring_trap", "prefix_collision"):
        printed = paper.find("external_ecosystem", category, "letta+llm", "na")
        assert printed is not None
        found = released.of(printed)
        assert found is not None
        passed.append(f"{found.value:.0f} of {found.n}")
    page = (ROOT / "docs/published.md").read_text(encoding="utf-8")
    assert f"the released run passes {' and '.join(passed)} there" in page
