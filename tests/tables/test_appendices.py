"""The tables of the paper's appendices of examples and readings."""

from dataclasses import replace
from typing import Any

import pytest

from forgeteval.planners.llm.planner import TASKS, build_prompt
from lethe.study.inputs import paths_of
from lethe.study.published import Published, read_published
from lethe.study.released.universal import PRINTED_SYSTEMS
from lethe.study.setup import Release, Suite
from lethe.tables.paper.appendices import (
    external_failures_table,
    prompts_table,
    real_world_table,
    worked_examples_table,
)
from lethe.tables.registry import table_specs
from tests.support.paths import PUBLISHED
from tests.support.tables import by_header, configuration, setup, texts

RELEASED = {"adversarial": "pub", "external": "outside"}
SETUP = setup(
    {
        "lethe": configuration("Lethe"),
        "naive_sql": configuration("Naive SQL"),
        "mempalace": configuration("MemPalace", "no deletion"),
        "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
        "null": configuration("null", "control"),
    },
    suites={name: Suite(name.capitalize(), {}) for name in ("mine", "pub", "outside")},
    release=Release(None, RELEASED),
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def case(name: str, category: str, family: str = "purge") -> dict[str, Any]:
    return {
        "case_id": name,
        "category": category,
        "family": family,
        "setup_facts": ["Ann has key A1.", "Bob has key B2."],
        "mutations": [{"op": "supersede", "query": "Ann's key", "text": "Ann has key C3."}],
        "final_query": "Which key has Ann?",
        "must_contain": ["C3"],
        "must_not_contain": ["A1"],
    }


def verdict(system: str, name: str, found: str, scorer: str = "substring") -> dict[str, Any]:
    return {"system": system, "model": "", "repetition": 0, "case_id": name, "verdict": found, "scorer": scorer}


def released(suite: str, system: str, model: str, release: str, scorer: str, verdicts: dict[str, str]) -> list[Any]:
    run = {"suite": suite, "system": system, "model": model, "release": release, "scorer": scorer}
    return [{**run, "case_id": name, "verdict": found} for name, found in verdicts.items()]


def trial(name: str, found: str, *recalled: str, repetition: int = 0) -> dict[str, Any]:
    kept = {"case_id": name, "verdict": found, "recalled": list(recalled), "repetition": repetition}
    return {**kept, "leaked": ["A1"] if found == "fail" else [], "missing": []}


DEEPSEEK = ("deepseek-ai/DeepSeek-V3", "v0.5", "substring")


def test_reported_failures_have_the_range_here_and_the_hooks_as_released(paper: Published) -> None:
    cases = [case("p1", "prefix_collision"), case("i1", "identifier_obfuscation"), case("d1", "other", "drift")]
    verdicts = [
        *(verdict("lethe", name, found) for name, found in (("p1", "pass"), ("i1", "fail"), ("d1", "pass"))),
        *(verdict("naive_sql", name, "fail") for name in ("p1", "i1", "d1")),
        *(verdict("lethe+matcher", name, "pass") for name in ("p1", "i1", "d1")),
        *(verdict("lethe", name, "pass", "identifier") for name in ("p1", "i1", "d1")),
    ]
    runs = released("adversarial", "lethe+llm", *DEEPSEEK, dict.fromkeys(("p1", "i1", "d1"), "pass"))
    table = real_world_table(cases, verdicts, runs, SETUP, paper)
    lines = {(row["Class"], row["Category or family"]): list(row.values())[3:] for row in by_header(table)}
    none = ["0", *["–"] * 6, ""]
    assert lines["Right to be forgotten", "Prefix collision"] == [
        *("1", "0/1 (0)", "1/1 (100)", "1/1 (100)", "1/1 (100)", "–", "+0", "")
    ]
    assert lines["Right to be forgotten", "Identifier obfuscation"][3:] == ["0/1 (0)", "1/1 (100)", "–", "+100", ""]
    assert lines["Right to be forgotten", "Compound fact"] == none
    assert lines["Right to be forgotten", ""][0] == "2"
    assert lines["Right to be forgotten", ""][-2:] == ["+50", "22 to 24"]
    assert lines["Contradictory profiles", "Drift"][:3] == ["1", "0/1 (0)", "1/1 (100)"]
    assert lines["Stale credentials and one-time codes", "Cases named"] == none
    states = {cell.state for row in table.rows() for cell in row[7:9] if cell.value is not None}
    assert states == {"published"}
    assert "(Lethe, Naive SQL;" in table.caption


def test_failures_everywhere_stand_by_the_cause_that_the_paper_gives(paper: Published) -> None:
    cases = [case("n1", "negation_trap"), case("t1", "temporal_qualifier"), case("t2", "temporal_qualifier")]
    found = {"n1": "fail", "t1": "fail", "t2": "pass"}
    runs = [
        row
        for run in PRINTED_SYSTEMS
        for row in released("external", run.system, run.model, run.release, run.scorer, found)
    ]
    runs += released("external", "letta", "", "v0.7", "probed", {"n1": "pass", "t1": "fail", "t2": "fail"})
    verdicts = [
        verdict(system, name, "pass" if system == "null" else "fail") for system in ("lethe", "null") for name in found
    ]
    reference = [trial("n1", "pass"), trial("t1", "fail"), trial("t2", "fail")]
    table = external_failures_table(cases, verdicts, reference, runs, SETUP, paper)
    assert texts(table) == [
        [["The forbidden string fires on a negated form", "Negation trap", *"11100000", "8/8"]],
        [["No cause given", "Temporal qualifier", *"21111100", ""]],
        [["Together", "All", *"32211100", "23/77"]],
    ]
    assert "7 runs" in table.caption and "1 configurations" in table.caption


def test_without_one_of_the_six_the_table_says_which(paper: Published) -> None:
    (row,) = external_failures_table([case("n1", "negation_trap")], [], [], [], SETUP, paper).rows()
    assert row[0].text.startswith("not run: no released verdicts of lethe (v0.7, probed), langgraph")


def test_an_example_shows_what_was_told_and_what_each_system_made_of_it() -> None:
    trials = {
        "lethe": [trial("c1", "pass", "Ann has key C3."), trial("c1", "fail", "Ann has key A1.", repetition=1)],
        "naive_sql": [trial("c1", "pass", "Ann has key C3.")],
        "mempalace": [trial("c1", "na")],
    }
    runs = [
        *released("adversarial", "lethe+llm", *DEEPSEEK, {"c1": "pass"}),
        *released("adversarial", "langgraph+llm", *DEEPSEEK, {"c1": "fail"}),
        *released("adversarial", "langgraph+llm", "other", "v0.5", "substring", {"c1": "pass"}),
    ]
    table = worked_examples_table([case("c1", "negation_trap")], trials, runs, SETUP)
    title = "Negation trap, c1"
    assert texts(table) == [
        [
            [title, "Facts", "", "Ann has key A1. | Bob has key B2."],
            [title, "Mutations", "", "supersede “Ann's key” by “Ann has key C3.”"],
            [title, "Question", "", "Which key has Ann?"],
            [title, "Required", "", "“C3”"],
            [title, "Forbidden", "", "“A1”"],
            [title, "Lethe, Naive SQL", "pass", "Ann has key C3."],
            [title, "MemPalace", "N/A", "cannot express an operation"],
            [title, "Lethe+LLM", "pass", "released verdict, DeepSeek-V3"],
            [title, "LangGraph+LLM", "fail", "released verdict, DeepSeek-V3"],
        ]
    ]
    assert "pub suite" in table.caption


def test_what_was_recalled_is_shortened() -> None:
    recalled = [f"{number} {'word ' * 40}" for number in range(6)]
    trials = {"lethe": [trial("c1", "fail", *recalled)], "naive_sql": [trial("c1", "fail")]}
    lines = by_header(worked_examples_table([case("c1", "negation_trap")], trials, [], SETUP))
    shown = {line[""]: line["Text"] for line in lines}
    assert shown["Naive SQL"] == "nothing"
    *first, last = shown["Lethe"].split(" | ")
    assert [text[0] for text in first] == ["0", "1", "2", "3"] and last == "2 more"
    assert all(text.endswith(" …") and len(text) <= 72 for text in first)


def test_without_the_release_the_examples_are_of_the_own_suite() -> None:
    alone = replace(SETUP, release=Release("not run: no release", RELEASED))
    read = {spec.name: list(paths_of(spec.inputs)) for spec in table_specs(alone)}
    assert read["worked_examples"] == [
        "results/suites/mine/cases.parquet",
        *(f"results/runs/mine/{name}.parquet" for name in ("lethe", "naive_sql", "mempalace")),
    ]
    assert read["external_failures"] == read["real_world_mapping"] == read["scorer_audit"] == []


def test_the_prompts_are_those_that_are_sent() -> None:
    table = prompts_table()
    assert [section[0][0].name for section in table.sections] == list(TASKS)
    for task, section in zip(TASKS, table.sections, strict=True):
        sent = build_prompt(task, {}).partition("\n\n```json")[0]
        assert [row[1].text for row in section] == [line for line in sent.splitlines() if line]
