"""The view of one system: how it stands, what it keeps, where it fails."""

from dataclasses import replace
from pathlib import Path

from forgeteval.cases.states import FactState
from lethe.study.states import state_rows
from tests.report.browser.conftest import IN_A_BROWSER, open_view
from tests.support.browser import Browser
from tests.support.report import CASES, FACTS, SETUP, suite_inputs, trial, write_page

pytestmark = IN_A_BROWSER


def test_a_system_says_at_the_top_what_it_passes_its_rank_and_what_the_best_control_passes(
    window: Browser, page: str, tmp_path: Path
) -> None:
    open_view(window, page, "#/system/lethe")
    beside = "Best control: null, 0.0 % [0.0, 49.0]"
    rank = "rank 1 to 2 of 2 systems not developed on it, by intervals that do not overlap"
    assert window.texts(".summary li") == [f"Mine: passes 0.0 % [0.0, 49.0], {rank}. {beside}."]
    equal = [trial(0, name, "fail") for name in ("lethe", "absent", "endless")]
    asked = [*equal, trial(0, "closed", "na")]
    open_view(window, write_page(tmp_path, suite_inputs(trials=asked)).as_uri(), "#/system/lethe")
    assert "rank 1 to 3 of 3 systems" in window.texts(".summary li")[0], "what is N/A has no rank"
    open_view(window, write_page(tmp_path, suite_inputs(trials=asked)).as_uri(), "#/system/closed")
    assert "since all of its cases are N/A or broke" in window.texts(".summary li")[0]
    open_view(window, page, "#/system/lethe%2Bmatcher")
    (line,) = window.texts(".summary li")
    assert line == f"Mine: passes 75.0 % [30.1, 95.4], which is not a measure: developed on these cases. {beside}."
    told = [trial(0, "oracle", "pass"), trial(0, "null", "fail"), trial(0, "lethe", "fail")]
    open_view(window, write_page(tmp_path, suite_inputs(trials=told)).as_uri(), "#/system/lethe")
    assert "Best control: null, 0.0 %" in window.texts(".summary li")[0], "the oracle is told what is right"
    passed = [*(trial(number, "null", "pass") for number in range(4)), trial(0, "lethe", "fail")]
    open_view(window, write_page(tmp_path, suite_inputs(trials=passed)).as_uri(), "#/system/lethe")
    assert window.texts(".summary li")[0].endswith("every system here, so that a pass proves little.")


def test_a_system_begins_with_what_goes_wrong_and_an_example(window: Browser, page: str) -> None:
    open_view(window, page, "#/system/lethe")
    said, example = window.texts(".answer p")
    assert said == "On Mine it does not pass 4 of 4 cases, most often in substring trap (2 of 2)."
    assert example.startswith(
        "For example, case-0: told to supersede “where is the key”, it recalls “at home”, which was to go."
    )


def test_an_oracle_before_a_store_is_no_control_that_a_pass_is_held_against(window: Browser, tmp_path: Path) -> None:
    entry = replace(SETUP.configurations["lethe"], label="Lethe+oracle", regime="control", hook="oracle")
    given = replace(SETUP, configurations={**SETUP.configurations, "lethe+oracle": entry})
    told = [trial(0, "lethe+oracle", "pass"), trial(0, "null", "fail"), trial(0, "lethe", "fail")]
    open_view(window, write_page(tmp_path, suite_inputs(trials=told), given=given).as_uri(), "#/system/lethe")
    assert "Best control: null, 0.0 %" in window.texts(".summary li")[0]


def test_a_system_says_what_it_is_what_it_keeps_and_where_it_fails(window: Browser, page: str) -> None:
    open_view(window, page, "#/system/lethe")
    assert window.texts("main h1") == ["Lethe"]
    shown = " ".join(window.texts("section.shown .view"))
    assert "Purge: its own operation." in shown
    assert "left in storage in 1 of 1 trial" in shown and "Erasure audit: not run." in shown
    assert window.texts(".category h3") == ["substring trap: 2 of 2 not passed", "prefix collision: 2 of 2 not passed"]
    assert window.texts(".category .examples li > a") == ["case-0", "case-2", "case-1", "case-3"]
    assert window.run("return document.querySelector('.category .reason').textContent") == "leaked: at home"
    assert "[object" not in shown


def test_a_system_says_how_it_stands_in_each_category(window: Browser, page: str) -> None:
    open_view(window, page, "#/system/lethe%2Bmatcher")
    rows = "section.shown tbody tr:has(th a[href*='category='])"
    assert window.texts(f"{rows} th") == ["prefix collision (2)", "substring trap (2)"], "the worst comes first"
    cells = window.texts(f"{rows} td")
    assert cells[:6] == ["50.0 [9, 91] 1 of 2 not passed", "–", "–", "–", "–", "–"]
    assert cells[6:] == ["100.0 [34, 100] 0 of 2 not passed", *["25.0 [10, 90] 1 of 4 facts"] * 3, "–", "–"]
    window.click('section.shown a[href="#/glossary"]')
    window.wait("document.activeElement.id === 'title-glossary'")
    assert {"leak", "collateral", "stale", "N/A", "A0", "A6", "Mine", "joint", "frozen", "Holm"} <= set(
        window.texts("section.shown dt")
    )


def test_no_more_than_three_cases_of_a_category_are_shown(window: Browser, tmp_path: Path) -> None:
    many = [replace(CASES[0], case_id=f"case-{number}") for number in range(7)]
    trials = [trial(number, "lethe", "fail") for number in range(7)]
    open_view(window, write_page(tmp_path, suite_inputs(many, trials)).as_uri(), "#/system/lethe")
    assert len(window.texts(".category .examples li")) == 3
    assert window.texts(".category p") == ["All 7 of substring trap"]


def test_a_rate_leads_to_the_facts_that_it_counts(window: Browser, tmp_path: Path) -> None:
    states = (
        FactState(0, "replaced", ("at home",)),
        FactState(1, "stays", ("Ben",)),
        FactState(2, "stays", ("office",)),
    )
    cases = [replace(case, states=states) for case in CASES]
    trials = [
        trial(0, "lethe", "fail", present=[True, False, True]),
        trial(1, "lethe", "pass", present=[False, True, True]),
    ]
    inputs = suite_inputs(cases, trials)
    page = write_page(tmp_path, replace(inputs, states=state_rows(cases, trials))).as_uri()
    open_view(window, page, "#/system/lethe")
    window.click("section.shown a[href='#/trials?suite=mine&system=lethe&facts=collateral']")
    window.wait("document.querySelectorAll('table.trials tbody tr').length === 1")
    window.click("table.trials th a")
    window.wait("document.querySelector('tr[aria-current]')")
    reasons = window.texts("tr[aria-current] .reason")
    assert f"facts to be kept that are not (collateral): {FACTS[1]}" in reasons
    assert f"old values that are there (stale): {FACTS[0]}" in reasons
