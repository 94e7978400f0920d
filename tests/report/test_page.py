"""The report for people: complete, self-contained, and alive in a browser."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lethe.cases.case import Case, Mutation
from lethe.report.explorer import explorer_data
from lethe.report.page import read_table, render_page
from lethe.run.trials import Trial
from lethe.tables.cells import PaperTable, caption_and_notes, escape_latex, unescape_latex

CHROMIUM = shutil.which("chromium")
SYSTEMS = {
    "lethe": {"label": "Lethe", "regime": "deterministic"},
    "lethe+llm@one": {"label": "Lethe+LLM <one>", "regime": "mutation hook"},
}
FACTS = ("Ana's </script> key is at home.", "Ben swims & runs.")
CASES = [
    Case(
        case_id=f"case-{number}",
        suite="mine",
        category="prefix_collision" if number else "substring_trap",
        setup_facts=FACTS,
        mutations=(Mutation("supersede", "where is the key", "The key is in the office."),),
        final_query="where is the key?",
        must_contain=("office",),
        must_not_contain=("at home",),
        gold_rows=("The key is in the office.", FACTS[1]),
    )
    for number in range(3)
]


def trial(case: str, system: str, model: str = "", **changed: Any) -> dict[str, Any]:
    return Trial("mine", system, model, 0, case, **changed).to_row()


TRIALS = [
    trial(
        "case-0",
        "lethe",
        verdict="fail",
        recalled=[FACTS[0], "not of the case"],
        leaked=["at home"],
        missing=["office"],
    ),
    trial("case-1", "lethe", verdict="pass", recalled=["The key is in the office."]),
    trial("case-1", "lethe+llm", "one", verdict="na", error="not offered: supersede", decisions=["supersede: replace"]),
    trial("elsewhere", "lethe", verdict="pass"),
]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    table = PaperTable(
        "mine", "Caption with 50 % & _things_.", ("System", "Δ pt"), [[["A_b", "−3"]], [["C", "±1"]]], ["Not run: x."]
    )
    table.write(tmp_path / "mine.tex", tmp_path / "mine.csv")
    figure = tmp_path / "figure.png"
    figure.write_bytes(b"\x89PNG")
    data = explorer_data({"mine": CASES}, TRIALS, SYSTEMS, {"mine": "Mine"})
    path = tmp_path / "index.html"
    path.write_text(render_page([read_table(tmp_path / "mine.csv")], [figure], data), encoding="utf-8")
    return path


def test_texts_stand_once_and_trials_point_at_them() -> None:
    data = explorer_data({"mine": CASES}, TRIALS, SYSTEMS, {"mine": "Mine"})
    assert data["systems"][1] == ["Lethe+LLM <one>", "mutation hook"]
    assert len(data["trials"]) == 3, "a trial of a suite that is not shown is left out"
    first, second, third = data["trials"]
    texts = data["cases"][first[0]]["texts"]
    assert [texts[place] for place in first[5]] == [FACTS[0], "not of the case"]
    assert len(texts) == len(set(texts)) == 4
    assert (second[1], third[1]) == (0, 1)
    assert third[3] == "na" and third[11] == ["supersede: replace"] and third[12] == "not offered: supersede"


def test_a_table_is_shown_as_it_was_written(page: Path) -> None:
    table = read_table(page.parent / "mine.csv")
    assert table.caption == "Caption with 50 % & _things_."
    assert (table.header, table.rows, table.notes) == (
        ["System", "Δ pt"],
        [["A_b", "−3"], ["C", "±1"]],
        ["Not run: x."],
    )


def test_the_page_asks_nobody_for_anything(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    asked = re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]+)""", html.split('<script type="application/json"')[0])
    assert all(target.startswith(("data:", "#")) for target in asked), asked
    assert "@import" not in html and "url(http" not in html


def test_data_cannot_end_the_element_it_stands_in(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    data = html.split('id="data">')[1].split("</script>")[0]
    assert "Ana's <\\/script> key" in data


PLAIN = st.text(st.sampled_from("ab -–Δ−±&%$#_{}~^\\[`.×"), max_size=30).filter(lambda text: "-–" not in text)


@given(PLAIN)
def test_text_survives_latex(text: str) -> None:
    assert unescape_latex(escape_latex(text)) == text


@given(PLAIN.map(str.strip), st.lists(PLAIN.map(str.strip).filter(bool), max_size=2))
def test_caption_and_notes_are_found_again(caption: str, notes: list[str]) -> None:
    table = PaperTable("x", caption, ("A",), [[["b"]]], notes)
    assert caption_and_notes(table.to_latex()) == (caption, notes)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_shows_trials_filters_and_a_linked_case(page: Path, tmp_path: Path) -> None:
    def dom(address: str) -> str:
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [str(CHROMIUM), *flags, profile, "--virtual-time-budget=20000", "--dump-dom", address]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout

    shown = dom(page.as_uri())
    assert len(re.findall(r'data-trial="\d', shown)) == 3
    assert "Lethe+LLM &lt;one&gt;" in shown
    (systems,) = re.findall(r'<select data-column="3">(.*?)</select>', shown)
    assert re.findall(r"<option[^>]*>([^<]*)</option>", systems) == ["all", "Lethe", "Lethe+LLM &lt;one&gt;"]
    assert '<div class="detail">' not in shown

    opened = dom(f"{page.as_uri()}#case={quote('Mine/case-0')}")
    detail = opened.split('id="case-body">')[1]
    assert '<li class="leak">Ana\'s &lt;/script&gt; key is at home.</li>' in detail
    assert "leaked: at home" in detail and "missing: office" in detail
