"""The views of trials, of one case, and of one table."""

from tests.report.browser.conftest import IN_A_BROWSER, open_view
from tests.support.browser import Browser
from tests.support.report import HOSTILE, TRIALS

pytestmark = IN_A_BROWSER


def test_filters_are_kept_in_the_address(window: Browser, page: str) -> None:
    open_view(window, page, "#/trials")
    assert len(window.texts("table.trials tbody tr")) == len(TRIALS)
    window.select("Verdict", "not passed")
    window.wait("location.hash.includes('verdict=not+passed')")
    window.select("System", "lethe+matcher")
    window.wait("document.querySelectorAll('table.trials tbody tr').length === 1")
    kept = window.run("return location.hash")
    open_view(window, page, kept)
    assert window.texts("table.trials tbody th") == ["case-3"]
    open_view(window, page, "#/trials?text=NOTHING+OF+THE+KIND")
    assert window.texts("#count")[0].startswith("0 trials of 16")


def test_a_case_is_linked_to_with_what_each_recalled_as_text(window: Browser, page: str) -> None:
    open_view(window, page, "#/case/mine/case-0?system=lethe")
    assert window.texts("main h1") == ["case-0 (Mine)"]
    assert window.texts("tr[aria-current] li.leak") == ["leaked: Ana's </script> key is at home."]
    assert window.texts("tr[aria-current] .reason")[:2] == ["leaked: at home", "missing: office"]
    assert any(text.startswith(HOSTILE) for text in window.texts(".recalls tbody th"))
    assert "supersede: replace <b>" in window.texts(".recalls .reason")
    assert window.run("return document.querySelectorAll('main img[src=x], main b b').length") == 0
    open_view(window, page, "#/case/mine/none")
    assert "There is no such case" in " ".join(window.texts("section.shown .view"))


def test_one_table_is_shown_at_a_time(window: Browser, page: str) -> None:
    window.open(f"{page}#/tables")
    window.wait("document.querySelector('section.shown')")
    assert window.texts("section.shown article h2") == []
    assert window.texts(".contents li") == ["mine Caption with 50 % & _things_"]
    window.click(".contents a")
    window.wait("document.querySelector('article.table.shown')")
    assert window.texts("section.shown article h2") == ["mine"]
