"""The report for people: complete, self-contained, and alive in a browser."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from lethe.cases.case import Case, Mutation
from lethe.report.explorer import explorer_data
from lethe.report.page import render_page, render_replication
from lethe.run.trials import Trial
from lethe.tables.cells import DASH, NOT_RUN, label, points
from lethe.tables.replication import (
    other_suites_table,
    replicas_table,
    replication_summary_table,
    replication_table,
)
from lethe.tables.table import Table
from tests.support.tables import REPLICATION_ROWS as ROWS
from tests.support.tables import configuration, setup

CHROMIUM = shutil.which("chromium")
SETUP = setup(
    {"lethe": configuration("Lethe"), "lethe+llm@one": configuration("Lethe+LLM <one>", "mutation hook", model="one")}
)
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
    table = Table(
        "mine",
        "Caption with 50 % & _things_.",
        ("System", "Δ pt"),
        [[[label("A_b"), points(-0.03)]], [[label("<C>"), NOT_RUN], [label("D"), DASH]]],
        ["Not run: x."],
    )
    figure = tmp_path / "figure.png"
    figure.write_bytes(b"\x89PNG")
    data = explorer_data({"mine": CASES}, TRIALS, SETUP)
    path = tmp_path / "index.html"
    path.write_text(render_page([table], [figure], data, "f" * 64), encoding="utf-8")
    return path


def test_texts_stand_once_and_trials_point_at_them() -> None:
    data = explorer_data({"mine": CASES}, TRIALS, SETUP)
    assert data["systems"][1] == ["Lethe+LLM <one>", "mutation hook"]
    assert len(data["trials"]) == 3, "a trial of a suite that is not shown is left out"
    first, second, third = data["trials"]
    texts = data["cases"][first[0]]["texts"]
    assert [texts[place] for place in first[5]] == [FACTS[0], "not of the case"]
    assert len(texts) == len(set(texts)) == 4
    assert (second[1], third[1]) == (0, 1)
    assert third[3] == "na" and third[11] == ["supersede: replace"] and third[12] == "not offered: supersede"


def test_a_table_is_shown_with_what_its_cells_are(page: Path) -> None:
    html = page.read_text(encoding="utf-8").split('<article id="table-mine">')[1].split("</article>")[0]
    assert "<p>Caption with 50 % &amp; _things_.</p>" in html
    assert '<tr><th scope="row">A_b</th><td class="measured">−3</td></tr>' in html
    assert '<tr><th scope="row">&lt;C&gt;</th><td class="not-run">not run</td></tr>' in html
    assert html.count("<tbody>") == 2 and '<p class="note">Not run: x.</p>' in html


def test_the_replication_page_holds_every_number_and_needs_nothing_but_itself() -> None:
    rows = [{**row, "configuration": "<script>alert(1)</script>"} for row in ROWS]
    tables = {
        "replication_summary": replication_summary_table(rows),
        "replication": replication_table(rows),
        "replication_other_suites": other_suites_table(rows),
        "replicas": replicas_table([], {}, setup()),
    }
    html = render_replication(tables, "f" * 64)
    assert html.count("<tr class=") == len(rows) and html.count("<details") == 3
    assert re.findall(r'data-verdict="([^"]+)"', html) == ["equal", "not run", "differs"], "other suites come last"
    assert "<li><b>1</b> equal</li>" in html and "<li><b>0</b> reproduced case by case</li>" in html
    assert not re.search(r"(src|href)=|@import|url\(|<script>alert", html)


def test_the_page_asks_nobody_for_anything(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    asked = re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]+)""", html.split('<script type="application/json"')[0])
    assert all(target.startswith(("data:", "#")) for target in asked), asked
    assert "@import" not in html and "url(http" not in html


def test_data_cannot_end_the_element_it_stands_in(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    data = html.split('id="data">')[1].split("</script>")[0]
    assert "Ana's \\u003c/script> key" in data


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
