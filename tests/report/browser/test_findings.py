"""The view that the report opens with: findings, leaderboard, heatmap."""

from dataclasses import replace
from pathlib import Path

import pytest

from lethe.findings.lines import TOPICS
from tests.report.browser.conftest import IN_A_BROWSER, open_view
from tests.support.browser import Browser
from tests.support.report import CASES, HOSTILE, LEFT_OUT, SETUP, SYSTEMS, suite_inputs, trial, write_page

pytestmark = IN_A_BROWSER
_CONTRASTS = """
    const full = (colour) => (colour.startsWith("rgb") ? 255 : 1);
    const parts = (colour) => colour.match(/[0-9.]+/g).slice(0, 3).map((part) => part / full(colour));
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = [0.2126, 0.7152, 0.0722];
    const light = (colour) => {
        const [r, g, b] = parts(colour).map(linear);
        return 0.05 + red * r + green * g + blue * b;
    };
    return [...document.querySelectorAll(".heatmap td:not(.empty) a")].map((each) => {
        const one = light(getComputedStyle(each).color);
        const other = light(getComputedStyle(each.parentElement).backgroundColor);
        return Math.max(one, other) / Math.min(one, other);
    })"""
"""Of each cell, the contrast of its number with its colour (WCAG 2.2, "contrast ratio")."""


def _column(window: Browser, name: str) -> list[str]:
    heads = [text.rstrip(" ▲▼") for text in window.texts(".leaderboard thead th")]
    return window.texts(f".leaderboard tbody tr > :nth-child({heads.index(name) + 1})")


def test_it_opens_with_findings_and_a_leaderboard_whose_heads_and_cells_agree(window: Browser, page: str) -> None:
    open_view(window, page)
    assert window.texts("main h1") == ["What agent-memory stores forget when they are told to"]
    assert len(window.texts(".sentences > b, .sentences > li > b")) == len(TOPICS)
    assert _column(window, "pass")[-2:] == ["75.0 [30, 95]", "0.0 [0, 49]"]
    assert _column(window, "leak")[1] == "50.0 [10, 90]"
    assert _column(window, "N/A")[0] == "1" and _column(window, "errors")[0] == "2"
    assert f"Absent, oracle, Closed, Endless: {LEFT_OUT}" in window.run(
        "return document.querySelector('section.shown details').textContent"
    )
    assert window.problems() == [] and window.requests() == []


def test_rows_that_are_no_measure_of_others_are_hatched_and_say_why(window: Browser, page: str) -> None:
    open_view(window, page)
    hatched = window.texts(".leaderboard tr.hatched th")
    assert (
        len(hatched) == 1 and hatched[0].startswith("Lethe+matcher") and "developed on these very cases" in hatched[0]
    )
    drawn = "return getComputedStyle(document.querySelector(arguments[0])).backgroundImage"
    assert "repeating-linear-gradient" in window.run(drawn, ".leaderboard tr.hatched")
    assert window.run(drawn, ".leaderboard tr:not(.hatched)") == "none"
    window.size(360, 900)
    assert "repeating-linear-gradient" in window.run(drawn, ".leaderboard tr.hatched th"), "above what scrolls below it"
    window.size(1600, 900)
    asking = next(text for text in window.texts(".leaderboard tbody th") if text.startswith(HOSTILE))
    assert "2 trials of 4 broke (error)" in asking


def test_sorting_is_kept_in_the_address_and_said_to_readers(window: Browser, page: str) -> None:
    open_view(window, page)
    window.click('[data-focus="sort system"]')
    window.wait("document.querySelector('[aria-sort=ascending]')?.textContent.startsWith('system')")
    assert window.run("return location.hash") == "#/findings?sort=system"
    assert [text[:5] for text in _column(window, "system")] == ["Lethe", "Lethe", "Lethe", "null"]
    first = _column(window, "system")[0]
    window.click('[data-focus="sort system"]')
    window.wait("document.querySelector('[aria-sort=descending]')?.textContent.startsWith('system')")
    assert _column(window, "system")[0] != first
    assert window.run("return document.getElementById('status').textContent") == "Sorted by system"


def test_the_heatmap_leads_to_its_trials_and_is_walked_by_arrows(window: Browser, page: str) -> None:
    open_view(window, page)
    window.run("document.querySelector('.heatmap td a').focus()")
    window.press("right")
    window.press("down")
    focused = window.run("return document.activeElement.getAttribute('aria-label')")
    assert focused == "Lethe+matcher, prefix collision: 1 of 2 passed"
    assert window.run("return document.querySelectorAll('.heatmap td a[tabindex=\"0\"]').length") == 1
    window.press("enter")
    window.wait("document.querySelectorAll('table.trials tbody tr').length")
    assert window.texts("table.trials tbody th") == ["case-1", "case-3"]
    assert "system=lethe%2Bmatcher" in window.run("return location.hash")


def test_the_page_rounds_as_the_figures_do(window: Browser, tmp_path: Path) -> None:
    passed = {"lethe": 1, "lethe+matcher": 3}
    trials = [
        trial(number, name, "pass" if number < most else "fail") for name, most in passed.items() for number in range(8)
    ]
    cases = [replace(CASES[0], case_id=f"case-{number}") for number in range(8)]
    open_view(window, write_page(tmp_path, suite_inputs(cases, trials)).as_uri())
    assert sorted(window.texts(".heatmap td a")) == [f"{12.5:.0f}", f"{37.5:.0f}"] == ["12", "38"]


def test_a_caveat_is_marked_and_said_and_makes_no_example(window: Browser, tmp_path: Path) -> None:
    given = replace(SETUP, caveats={"lethe": "Not for judging."})
    page = write_page(tmp_path, given=given).as_uri()
    open_view(window, page)
    marks = "[...document.querySelectorAll('.leaderboard .caveat')]"
    assert window.run(f"return {marks}.map((each) => each.closest('th').textContent)") == ["LetheNot for judging."]
    open_view(window, page, "#/system/lethe")
    assert window.texts("section.shown .warning") == ["Not for judging."]
    open_view(window, page, "#/compare")
    assert window.texts(".answer") == ["Choose two, A and B."], "no two are left"


def test_a_system_that_its_name_does_not_describe_is_marked(window: Browser, tmp_path: Path) -> None:
    named = {**SETUP.configurations, "lethe": replace(SETUP.configurations["lethe"], backend="mem0")}
    open_view(window, write_page(tmp_path, given=replace(SETUP, configurations=named)).as_uri())
    assert window.texts(".leaderboard th .mark") == ["infer=False"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_numbers_of_the_heatmap_stand_out_from_every_colour(window: Browser, tmp_path: Path, theme: str) -> None:
    cases = [replace(CASES[0], case_id=f"case-{number}") for number in range(50)]
    passed = dict(zip(SYSTEMS, (0, 21, 25, 29, 30, 35, 38, 50), strict=True))
    told = {name: ["pass"] * most + ["fail"] * (50 - most) for name, most in passed.items()}
    trials = [trial(number, name, verdict) for name, each in told.items() for number, verdict in enumerate(each)]
    window.media(prefers_color_scheme=theme)
    open_view(window, write_page(tmp_path, suite_inputs(cases, trials)).as_uri())
    contrasts = window.run(_CONTRASTS)
    window.media(prefers_color_scheme="light")
    assert len(contrasts) == len(passed) and min(contrasts) >= 4.5, contrasts


def test_rows_that_do_alike_stand_under_the_first_until_they_are_unfolded(window: Browser, tmp_path: Path) -> None:
    trials = [trial(number, name, "fail") for name in ("lethe", "absent", "endless") for number in range(4)]
    open_view(window, write_page(tmp_path, suite_inputs(trials=trials)).as_uri())
    shown = (
        "return [...document.querySelectorAll('.leaderboard tbody tr:not([hidden]) th a')].map((a) => a.textContent)"
    )
    assert window.run(shown) == ["Lethe"]
    assert window.texts(".leaderboard .unfold") == ["and 2 alike"]
    window.click(".leaderboard .unfold")
    window.wait("document.querySelector('.unfold').getAttribute('aria-expanded') === 'true'")
    assert window.run(shown) == ["Lethe", "Absent", "Endless"]
