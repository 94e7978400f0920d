"""What holds in every view: addresses, headings, names for readers, widths, colours, print."""

from pathlib import Path

import pytest

from tests.report.browser.conftest import IN_A_BROWSER, open_view
from tests.support.browser import Browser
from tests.support.report import replication_page
from tests.support.tables import REPLICATION_ROWS

pytestmark = IN_A_BROWSER
_CUT_OFF = """return [...document.querySelectorAll("caption")].filter((each) => each.checkVisibility()
    && each.getBoundingClientRect().right > innerWidth).map((each) => each.textContent)"""


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
    open_view(window, page, address)
    assert window.texts("main h1") == ["There is no such page"]
    (said,) = window.texts("section.shown .warning")
    assert said.startswith(f"{address} leads nowhere.") and reason in said
    window.click('section.shown a[href="#/findings"]')
    window.wait("document.activeElement.id === 'title-findings'")


@pytest.mark.parametrize("view", ["run", "trust", "glossary"])
def test_a_view_opens_at_the_top_of_the_page(window: Browser, page: str, view: str) -> None:
    window.size(1000, 500)
    window.open("about:blank")
    window.open(f"{page}#/{view}")
    window.wait("document.querySelector('section.shown')")
    assert window.run("return new Promise((done) => setTimeout(() => done(scrollY), 0))") == 0
    window.run("document.getElementById(arguments[0]).scrollIntoView()", f"/{view}")
    assert window.run("return scrollY") == 0


def test_a_view_is_read_from_its_heading_and_every_control_has_a_name(window: Browser, page: str) -> None:
    open_view(window, page)
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
        assert window.run(_CUT_OFF) == [], address
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
    assert window.texts("#shown") == ["4 of 4 shown"] and window.problems() == []


def test_dark_mode_can_be_chosen_and_print_leaves_controls_out(window: Browser, page: str) -> None:
    window.media(prefers_color_scheme="light")
    open_view(window, page)
    window.select("Colours", "dark")
    assert window.run("return getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    window.media(media_type="print")
    assert window.texts("header nav a") == [] and window.texts(".filters label") == []
    assert len(window.texts(".leaderboard tbody tr")) == 4
    window.media(media_type="")
    window.select("Colours", "")
