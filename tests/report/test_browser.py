"""The report in a browser: what a visitor sees, chooses, links to and prints."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lethe.analysis.states import state_rows
from lethe.cases.states import FactState
from lethe.findings.lines import TOPICS
from tests.support.browser import MISSING, Browser, browser
from tests.support.report import (
    CASES,
    FACTS,
    HOSTILE,
    LEFT_OUT,
    SETUP,
    TRIALS,
    replication_page,
    suite_inputs,
    trial,
    write_page,
)
from tests.support.tables import REPLICATION_ROWS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(MISSING), reason=MISSING)]
CUT_OFF = """return [...document.querySelectorAll("caption")].filter((each) => each.checkVisibility()
    && each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)"""
SHOWN = "document.querySelector('section.shown .view')?.children.length"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(tmp_path_factory.mktemp("page")).as_uri()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def _open(window: Browser, page: str, address: str = "") -> None:
    window.open(page + address)
    window.wait(SHOWN)


def _column(window: Browser, name: str) -> list[str]:
    heads = [text.rstrip(" ▲▼") for text in window.texts(".leaderboard thead th")]
    return window.texts(f".leaderboard tbody tr > :nth-child({heads.index(name) + 1})")


def test_it_opens_with_findings_and_a_leaderboard_whose_heads_and_cells_agree(window: Browser, page: str) -> None:
    _open(window, page)
    assert window.texts("main h1") == ["What agent-memory stores forget when they are told to"]
    assert [text.split(".")[0] for text in window.texts(".sentences li")] == list(TOPICS)
    assert _column(window, "pass")[-2:] == ["75.0 [30, 95]", "0.0 [0, 49]"]
    assert _column(window, "leak")[1] == "50.0 [10, 90]"
    assert _column(window, "N/A")[0] == "1" and _column(window, "errors")[0] == "2"
    assert f"Absent, oracle, Closed, Endless: {LEFT_OUT}" in window.run(
        "return document.querySelector('section.shown details').textContent"
    )
    assert window.problems() == [] and window.requests() == []


def test_rows_that_are_no_measure_of_others_are_hatched_and_say_why(window: Browser, page: str) -> None:
    _open(window, page)
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
    _open(window, page)
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
    _open(window, page)
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


def test_a_system_says_what_it_is_what_it_keeps_and_where_it_fails(window: Browser, page: str) -> None:
    _open(window, page, "#/system/lethe")
    assert window.texts("main h1") == ["Lethe"]
    shown = " ".join(window.texts("section.shown .view"))
    assert "Purge: its own operation." in shown
    assert "left in storage in 1 of 1 trial" in shown and "Erasure audit: not run." in shown
    assert window.texts(".category h3") == ["substring trap: 2 of 2 not passed", "prefix collision: 2 of 2 not passed"]
    assert window.texts(".category .examples li > a") == ["case-0", "case-2", "case-1", "case-3"]
    assert window.run("return document.querySelector('.category .reason').textContent") == "leaked: at home"
    assert "[object" not in shown


def test_a_system_says_how_it_stands_in_each_category(window: Browser, page: str) -> None:
    _open(window, page, "#/system/lethe%2Bmatcher")
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


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("#/nothing", "no such part"),
        ("#/tables/nothing", "no such part"),
        ("#/compare/nothing", "no such part"),
        ("#/unknown", "no such part"),
        ("#/system/nothing", "no configuration “nothing”"),
        ("#/compare?a=nothing", "no configuration “nothing”"),
        ("#/findings?suite=nothing", "no suite “nothing”"),
        ("#/findings?suite=every", "no suite “every”"),
        ("#/findings?sort=toString", "no column “toString”"),
        ("#/system?name=nothing", "nothing called “name”"),
        ("#/trials?sytem=lethe", "nothing called “sytem”"),
        ("#/trials?category=nothing", "no category “nothing”"),
        ("#/trials?verdict=nothing", "no verdict “nothing”"),
        ("#/trials?regime=nothing", "no regime “nothing”"),
        ("#/trust?page=1", "nothing called “page”"),
    ],
)
def test_an_address_that_leads_nowhere_says_so_and_offers_the_overview(
    window: Browser, page: str, address: str, reason: str
) -> None:
    _open(window, page, address)
    assert window.texts("main h1") == ["There is no such page"]
    (said,) = window.texts("section.shown .warning")
    assert said.startswith(f"{address} leads nowhere.") and reason in said
    window.click('section.shown a[href="#/findings"]')
    window.wait("document.activeElement.id === 'title-findings'")


def test_two_are_asked_for_before_anything_is_compared(window: Browser, page: str) -> None:
    _open(window, page, "#/compare")
    assert window.texts(".answer") == ["Choose two, A and B."] and window.texts(".beside") == []
    (example,) = window.texts("section.shown p a")
    assert example == f"{HOSTILE} (One, recorded) and Lethe", "the planner that was developed on the cases is none"
    window.select("A", "null")
    window.wait("document.querySelector('.answer').textContent.startsWith('Choose another')")
    window.select("B", "lethe")
    window.wait("document.querySelector('.answer').textContent.includes('The analysis has no test of these two')")
    assert "a=null&b=lethe" in window.run("return location.hash")
    _open(window, page, "#/compare?a=absent&b=lethe")
    assert window.texts("section.shown .warning") == ["Absent did not run on the suite Mine."]


def test_no_more_than_three_cases_of_a_category_are_shown(window: Browser, tmp_path: Path) -> None:
    many = [replace(CASES[0], case_id=f"case-{number}") for number in range(7)]
    trials = [trial(number, "lethe", "fail") for number in range(7)]
    _open(window, write_page(tmp_path, suite_inputs(many, trials)).as_uri(), "#/system/lethe")
    assert len(window.texts(".category .examples li")) == 3
    assert window.texts(".category p") == ["All 7 of substring trap"]


def test_the_page_rounds_as_the_figures_do(window: Browser, tmp_path: Path) -> None:
    passed = {"lethe": 1, "lethe+matcher": 3}
    trials = [
        trial(number, name, "pass" if number < most else "fail") for name, most in passed.items() for number in range(8)
    ]
    cases = [replace(CASES[0], case_id=f"case-{number}") for number in range(8)]
    _open(window, write_page(tmp_path, suite_inputs(cases, trials)).as_uri())
    assert sorted(window.texts(".heatmap td a")) == [f"{12.5:.0f}", f"{37.5:.0f}"] == ["12", "38"]


def test_two_are_compared_with_the_counts_of_the_analysis(window: Browser, page: str) -> None:
    _open(window, page, "#/compare?a=lethe%2Bmatcher&b=lethe&suite=mine")
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
    _open(window, write_page(tmp_path, replace(inputs, pairs=pairs)).as_uri(), "#/compare?a=lethe&b=lethe%2Bllm%40one")
    (answer,) = window.texts(".answer")
    assert answer.startswith(f"Lethe passes 25.0 points fewer than {HOSTILE} (One, recorded). ") and shown in answer


def test_what_controls_pass_is_said_before_what_can_be_shown(window: Browser, tmp_path: Path) -> None:
    told = [row for row in TRIALS if row["system"] != "null"]
    passed = [*(trial(number, "null", "pass") for number in range(3)), trial(3, "null", "fail")]
    page = write_page(tmp_path, suite_inputs(trials=[*told, *passed])).as_uri()
    _open(window, page, "#/compare?a=lethe&b=lethe%2Bllm%40one")
    assert window.texts(".answer")[0].endswith("That says little, since controls pass most of these cases.")
    (warning, *_) = window.texts("section.shown .warning")
    assert warning.startswith("3 of the 4 cases are passed by a control")
    assert warning.endswith(f"Of the other 1, Lethe passes 0 and {HOSTILE} (One, recorded) passes 1.")


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
    _open(window, page, "#/system/lethe")
    window.click("section.shown a[href='#/trials?suite=mine&system=lethe&facts=collateral']")
    window.wait("document.querySelectorAll('table.trials tbody tr').length === 1")
    window.click("table.trials th a")
    window.wait("document.querySelector('tr[aria-current]')")
    reasons = window.texts("tr[aria-current] .reason")
    assert f"facts to be kept that are not (collateral): {FACTS[1]}" in reasons
    assert f"old values that are there (stale): {FACTS[0]}" in reasons


def test_one_table_is_shown_at_a_time(window: Browser, page: str) -> None:
    window.open(f"{page}#/tables")
    window.wait("document.querySelector('section.shown')")
    assert window.texts("section.shown article h2") == []
    assert window.texts(".contents li") == ["mine Caption with 50 % & _things_"]
    window.click(".contents a")
    window.wait("document.querySelector('article.table.shown')")
    assert window.texts("section.shown article h2") == ["mine"]


def test_a_caveat_is_marked_and_said_and_makes_no_example(window: Browser, tmp_path: Path) -> None:
    given = replace(SETUP, caveats={"lethe": "Not for judging."})
    page = write_page(tmp_path, given=given).as_uri()
    _open(window, page)
    marks = "[...document.querySelectorAll('.leaderboard .caveat')]"
    assert window.run(f"return {marks}.map((each) => each.closest('th').textContent)") == ["LetheNot for judging."]
    _open(window, page, "#/system/lethe")
    assert window.texts("section.shown .warning") == ["Not for judging."]
    _open(window, page, "#/compare")
    assert window.texts("section.shown p a") == [], "no two are left"


def test_a_system_says_at_the_top_what_it_passes_its_rank_and_what_the_best_control_passes(
    window: Browser, page: str, tmp_path: Path
) -> None:
    _open(window, page, "#/system/lethe")
    beside = "Best control: null, 0.0 % [0.0, 49.0]"
    rank = "rank 1 to 2 of 2 systems not developed on it, by intervals that do not overlap"
    assert window.texts(".summary li") == [f"Mine: passes 0.0 % [0.0, 49.0], {rank}. {beside}."]
    equal = [trial(0, name, "fail") for name in ("lethe", "absent", "endless")]
    asked = [*equal, trial(0, "closed", "na")]
    _open(window, write_page(tmp_path, suite_inputs(trials=asked)).as_uri(), "#/system/lethe")
    assert "rank 1 to 3 of 3 systems" in window.texts(".summary li")[0], "what is N/A has no rank"
    _open(window, write_page(tmp_path, suite_inputs(trials=asked)).as_uri(), "#/system/closed")
    assert "since all of its cases are N/A or broke" in window.texts(".summary li")[0]
    _open(window, page, "#/system/lethe%2Bmatcher")
    (line,) = window.texts(".summary li")
    assert line == f"Mine: passes 75.0 % [30.1, 95.4], which is no measure: developed on these cases. {beside}."
    told = [trial(0, "oracle", "pass"), trial(0, "null", "fail"), trial(0, "lethe", "fail")]
    _open(window, write_page(tmp_path, suite_inputs(trials=told)).as_uri(), "#/system/lethe")
    assert "Best control: null, 0.0 %" in window.texts(".summary li")[0], "the oracle is told what is right"
    passed = [*(trial(number, "null", "pass") for number in range(4)), trial(0, "lethe", "fail")]
    _open(window, write_page(tmp_path, suite_inputs(trials=passed)).as_uri(), "#/system/lethe")
    assert window.texts(".summary li")[0].endswith("every system here, so that a pass proves little.")


@pytest.mark.parametrize("view", ["run", "trust", "glossary"])
def test_a_view_opens_at_the_top_of_the_page(window: Browser, page: str, view: str) -> None:
    window.size(1000, 500)
    window.open("about:blank")
    window.open(f"{page}#/{view}")
    window.wait("document.querySelector('section.shown')")
    assert window.run("return new Promise((done) => setTimeout(() => done(scrollY), 0))") == 0
    window.run("document.getElementById(arguments[0]).scrollIntoView()", f"/{view}")
    assert window.run("return scrollY") == 0


def test_a_pair_without_a_test_says_so(window: Browser, page: str) -> None:
    _open(window, page, "#/compare?a=lethe%2Bmatcher&b=null")
    (said,) = window.texts("section.shown .said")
    assert said.startswith("Lethe+matcher passes 75.0 points more than null. The analysis has no test of these two")
    assert window.texts(".beside h3 a") == ["case-0", "case-1", "case-2"]


def test_filters_are_kept_in_the_address(window: Browser, page: str) -> None:
    _open(window, page, "#/trials")
    assert len(window.texts("table.trials tbody tr")) == len(TRIALS)
    window.select("Verdict", "not passed")
    window.wait("location.hash.includes('verdict=not+passed')")
    window.select("System", "lethe+matcher")
    window.wait("document.querySelectorAll('table.trials tbody tr').length === 1")
    kept = window.run("return location.hash")
    _open(window, page, kept)
    assert window.texts("table.trials tbody th") == ["case-3"]
    _open(window, page, "#/trials?text=NOTHING+OF+THE+KIND")
    assert window.texts("#count")[0].startswith("0 trials of 16")


def test_a_case_is_linked_to_with_what_each_recalled_as_text(window: Browser, page: str) -> None:
    _open(window, page, "#/case/mine/case-0?system=lethe")
    assert window.texts("main h1") == ["case-0 (Mine)"]
    assert window.texts("tr[aria-current] li.leak") == ["leaked: Ana's </script> key is at home."]
    assert window.texts("tr[aria-current] .reason")[:2] == ["leaked: at home", "missing: office"]
    assert any(text.startswith(HOSTILE) for text in window.texts(".recalls tbody th"))
    assert "supersede: replace <b>" in window.texts(".recalls .reason")
    assert window.run("return document.querySelectorAll('main img[src=x], main b b').length") == 0
    _open(window, page, "#/case/mine/none")
    assert "There is no such case" in " ".join(window.texts("section.shown .view"))


def test_a_view_is_read_from_its_heading_and_every_control_has_a_name(window: Browser, page: str) -> None:
    _open(window, page)
    window.click('header nav a[href="#/compare"]')
    window.wait("document.activeElement.id === 'title-compare'")
    assert window.texts("header [aria-current=page]") == ["Compare two"]
    for address in ("", "#/system/lethe", "#/compare", "#/trials", "#/case/mine/case-1", "#/tables/mine"):
        window.open(page + address)
        window.wait("document.querySelector('section.shown')")
        unnamed = """const controls = document.querySelectorAll("section.shown :is(a, button, select, input)");
            return [...controls].filter((each) =>
            !each.textContent.trim() && !each.getAttribute("aria-label") && !each.labels?.length).length
            + [...document.querySelectorAll("section.shown table:not(:has(caption))")].length
            + [...document.querySelectorAll("section.shown th:not([scope])")].length"""
        assert window.run(unnamed) == 0, address


@pytest.mark.parametrize("width", [360, 900, 1600])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_view_is_wider_than_its_window_and_texts_can_be_read(
    window: Browser, page: str, width: int, theme: str
) -> None:
    window.size(width, 900)
    window.media(prefers_color_scheme=theme)
    for address in (
        "",
        "#/system/lethe",
        "#/compare",
        "#/trials",
        "#/case/mine/case-0",
        "#/tables",
        "#/tables/mine",
        "#/run",
        "#/trust",
        "#/glossary",
        "#/nothing",
    ):
        window.open(page + address)
        window.wait("document.querySelector('section.shown')")
        assert window.run("return document.documentElement.scrollWidth <= innerWidth"), address
        assert window.run(CUT_OFF) == [], address
    paper = window.run("return getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") is (theme == "light")


@pytest.mark.parametrize("width", [360, 900, 1600])
def test_the_replication_has_the_colours_of_the_report_and_no_page_wider_than_its_window(
    window: Browser, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "replication.html"
    path.write_text(replication_page(REPLICATION_ROWS), encoding="utf-8")
    window.size(width, 900)
    parts = "['body', 'th', 'form'].map((each) => document.querySelector(each))"
    colours = f"return {parts}.map((each) => getComputedStyle(each).backgroundColor)"
    for theme in ("light", "dark"):
        window.media(prefers_color_scheme=theme)
        window.open(path.as_uri())
        assert window.run("return document.documentElement.scrollWidth <= innerWidth")
        assert all((colour == "rgb(255, 255, 255)") is (theme == "light") for colour in window.run(colours))
    window.select("Colours", "light")
    assert window.run(colours)[0] == "rgb(255, 255, 255)"
    window.select("Colours", "")
    assert window.texts("#shown") == ["3 of 3 shown"] and window.problems() == []


def test_dark_mode_can_be_chosen_and_print_leaves_controls_out(window: Browser, page: str) -> None:
    window.media(prefers_color_scheme="light")
    _open(window, page)
    window.select("Colours", "dark")
    assert window.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    window.media(media_type="print")
    assert window.texts("header nav a") == [] and window.texts(".filters label") == []
    assert len(window.texts(".leaderboard tbody tr")) == 4
    window.media(media_type="")
    window.select("Colours", "")
