"""The view that compares two systems."""

from dataclasses import replace
from pathlib import Path

import pytest

from forgeteval.cases.states import FactState
from lethe.study.states import state_rows
from tests.report.browser.conftest import IN_A_BROWSER, open_view
from tests.support.browser import Browser
from tests.support.report import CASES, HOSTILE, TRIALS, suite_inputs, trial, write_page

pytestmark = IN_A_BROWSER


def test_it_opens_on_an_example_and_asks_for_another_where_one_is_given(window: Browser, page: str) -> None:
    open_view(window, page, "#/compare")
    assert window.texts("section.shown .view > p.note") == ["An example, two that pass much. Choose others above."]
    compared = window.texts(".counts th[scope=row]")
    assert compared == [f"{HOSTILE} (One, recorded) passes", f"{HOSTILE} (One, recorded) does not"], (
        "the planner that was developed on the cases is none"
    )
    open_view(window, page, "#/compare?a=null")
    assert window.texts(".answer") == ["Choose another one to compare with."] and window.texts(".beside") == []
    window.select("B", "lethe")
    window.wait("document.querySelector('.answer').textContent.includes('The analysis has no test of these two')")
    assert "a=null&b=lethe" in window.run("return location.hash")
    open_view(window, page, "#/compare?a=absent&b=lethe")
    assert window.texts("section.shown .warning") == ["Absent did not run on the suite Mine."]


def test_two_are_compared_with_the_counts_of_the_analysis(window: Browser, page: str) -> None:
    open_view(window, page, "#/compare?a=lethe%2Bmatcher&b=lethe&suite=mine")
    (pair,) = [
        row
        for row in suite_inputs().pairs
        if (row["first"], row["second"], row["scorer"]) == ("lethe", "lethe+matcher", "substring")
    ]
    cells = [int(text) for text in window.texts(".counts td.number")]
    assert cells == [pair["both"], pair["second_only"], pair["first_only"], pair["neither"]] == [0, 3, 0, 1]
    assert window.texts(".answer") == ["Not a measure: Lethe+matcher was developed on these cases."]
    (said,) = window.texts("section.shown .said")
    assert said == "Lethe+matcher passes 75.0 points more than Lethe. No difference in passes can be shown."
    (tests,) = window.texts("section.shown .tests")
    assert f"+75.0 percentage points [+{-100 * pair['high']:.1f}, +{-100 * pair['low']:.1f}]" in tests
    assert f"p = {pair['p_exact']:.3f} for these two alone" in tests
    assert window.texts(".rates tbody td")[:4] == [
        "75.0 [30, 95] 1 of 4 not passed",
        *["25.0 [10, 90] 1 of 4 facts"] * 3,
    ]
    assert window.texts(".rates tbody td")[6:10] == [
        "0.0 [0, 49] 4 of 4 not passed",
        *["50.0 [10, 90] 2 of 4 facts"] * 3,
    ]
    beside = window.texts("[aria-label='Passes on every suite'] th[aria-current] ~ td")
    assert beside[0].startswith("developed on these very cases") and beside[0].endswith("75.0 [30, 95]")
    assert beside[1:] == ["0.0 [0, 49]", "null 0.0"]
    assert window.texts(".beside h3 a") == ["case-0", "case-1", "case-2"]
    assert len(window.texts(".beside .sides > div")) == 6
    assert "developed on these very cases" in " ".join(window.texts(".warning.hatched"))


@pytest.mark.parametrize(
    ("p", "holm", "shown"),
    [(0.2, 1.0, "No difference"), (0.01, 0.2, "only if you chose these two"), (0.001, 0.01, "That can be shown, even")],
)
def test_which_passes_more_is_said_before_whether_it_can_be_shown(
    window: Browser, tmp_path: Path, p: float, holm: float, shown: str
) -> None:
    inputs = suite_inputs()
    pairs = [{**row, "p_exact": p, "p_exact_holm": holm} for row in inputs.pairs]
    open_view(
        window, write_page(tmp_path, replace(inputs, pairs=pairs)).as_uri(), "#/compare?a=lethe&b=lethe%2Bllm%40one"
    )
    (answer,) = window.texts(".answer")
    assert answer.startswith(f"Lethe passes 25.0 points fewer than {HOSTILE} (One, recorded). ") and shown in answer


def test_what_controls_pass_is_said_before_what_can_be_shown(window: Browser, tmp_path: Path) -> None:
    told = [row for row in TRIALS if row["system"] != "null"]
    passed = [*(trial(number, "null", "pass") for number in range(3)), trial(3, "null", "fail")]
    page = write_page(tmp_path, suite_inputs(trials=[*told, *passed])).as_uri()
    open_view(window, page, "#/compare?a=lethe&b=lethe%2Bllm%40one")
    assert window.texts(".answer")[0].endswith("That says little, since controls pass most of these cases.")
    (warning, *_) = window.texts("section.shown .warning")
    assert warning.startswith("3 of the 4 cases are passed by a control")
    assert warning.endswith(f"Of the other 1, Lethe passes 0 and {HOSTILE} (One, recorded) passes 1.")


def test_a_pair_without_a_test_says_so(window: Browser, page: str) -> None:
    open_view(window, page, "#/compare?a=lethe%2Bmatcher&b=null")
    (said,) = window.texts("section.shown .said")
    assert said.startswith("Lethe+matcher passes 75.0 points more than null. The analysis has no test of these two")
    assert window.texts(".beside h3 a") == ["case-0", "case-1", "case-2"]


def test_rates_of_facts_are_named_where_their_intervals_are_apart(window: Browser, tmp_path: Path) -> None:
    states = (FactState(0, "purged", ("at home",)), FactState(1, "stays", ("Ben",)))
    cases = [replace(CASES[0], case_id=f"case-{number}", states=states) for number in range(20)]
    present = {"lethe": [True, True], "lethe+llm@one": [False, True]}
    trials = [trial(number, name, "fail", present=there) for name, there in present.items() for number in range(20)]
    inputs = replace(suite_inputs(cases, trials), states=state_rows(cases, trials))
    page = write_page(tmp_path, inputs).as_uri()
    open_view(window, page, "#/compare?a=lethe&b=lethe%2Bllm%40one")
    (said,) = window.texts("section.shown .facts")
    assert said.startswith("In what becomes of facts they differ: Lethe leaks more (100.0 and 0.0 %) than "), said
    assert "loses" not in said and said.endswith("these intervals do not overlap.")
