"""The report for people: complete, self-contained, and made of texts alone."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from lethe.report.page import render_page
from lethe.report.words import WORDS
from lethe.tables.cells import label, share
from lethe.tables.table import Table
from tests.support.report import HOSTILE, MANIFEST, TRIALS, contents, replication_page, suite_inputs, write_page
from tests.support.tables import REPLICATION_ROWS as ROWS

PAGE_FOLDER = Path(__file__).parents[2] / "lethe/report/page"


class _Addresses(HTMLParser):
    """What elements of a page ask for or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]


@pytest.fixture(scope="module")
def html(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_page(tmp_path_factory.mktemp("page")).read_text(encoding="utf-8")


def test_a_table_is_shown_with_what_its_cells_are(html: str) -> None:
    article = html.split('<article class="table" id="/tables/mine">')[1].split("</article>")[0]
    assert "<caption>Caption with 50 % &amp; _things_.</caption>" in article
    assert '<tr><th scope="row">A_b</th><td>−3</td></tr>' in article
    assert '<tr><th scope="row">&lt;C&gt;</th><td class="not-run">not run</td></tr>' in article
    assert article.count("<tbody>") == 2 and '<p class="note">Not run: x.</p>' in article


def test_groups_stand_over_their_heads_and_the_best_value_is_bold() -> None:
    best = replace(share(0.46, 0.42, 0.51, 9), bold=True)
    header, groups = ["System", "Facts, <leak>", "Facts, stale"], ["", "Facts", "Facts"]
    table = Table("mine", "", header, [[[label("A"), best, share(0, 0, 0.3, 9)]]], groups=groups)
    html = render_page(contents(suite_inputs()), [table], [], MANIFEST)
    heads = html.split('<article class="table" id="/tables/mine">')[1].split("</thead>")[0]
    assert '<tr><td colspan="1"></td><th scope="colgroup" colspan="2">Facts</th></tr>' in heads
    assert re.findall(r'<th scope="col">([^<]+)</th>', heads) == ["System", "&lt;leak&gt;", "stale"]
    assert "<b>46</b> [42, 51]</td>" in html and ">0 [0, 30]</td>" in html


def test_the_replication_page_holds_every_number_and_needs_nothing_but_itself() -> None:
    rows = [{**row, "configuration": "<script>alert(1)</script>"} for row in ROWS]
    page = replication_page(rows)
    assert page.count("<tr class=") == len(rows) and page.count("<details") == 3
    assert re.findall(r'data-verdict="([^"]+)"', page) == ["differs", "no answer", "equal", "differs"]
    assert not re.search(r"(src|href)=|@import|url\(|<script>alert", page)


def test_the_page_asks_nobody_for_anything(html: str) -> None:
    parser = _Addresses()
    parser.feed(html)
    assert parser.found and all(target.startswith(("data:", "#")) for target in parser.found), parser.found
    assert "@import" not in html and "url(" not in html
    assert "content=\"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:;" in html


def test_the_page_opens_with_three_questions_that_views_of_its_answer(html: str) -> None:
    asked = html.split('aria-label="Three questions"')[1].split("</nav>")[0]
    answers = re.findall(r'href="#/(\w+)', asked)
    assert answers == ["system", "compare", "run"]
    assert set(answers) <= set(re.findall(r'data-view="(\w+)"', html))


def test_no_text_of_the_results_is_markup(html: str) -> None:
    assert HOSTILE not in html and "<img src=x" not in html
    overview = html.split('id="overview">')[1].split("</script>")[0]
    assert "<" not in overview
    (system,) = [each for each in json.loads(overview)["systems"] if each["name"] == "lethe+llm@one"]
    assert system["label"].startswith(HOSTILE)


def test_trials_stand_packed_in_the_page(html: str) -> None:
    packs = re.findall(r'<script type="application/octet-stream" id="suite-(\d+)">([A-Za-z0-9+/=]+)</script>', html)
    assert [place for place, _ in packs] == ["0"]
    assert all(trial["case_id"] not in html for trial in TRIALS)


def test_no_script_makes_markup_of_a_text() -> None:
    for path in (PAGE_FOLDER / "script").glob("*.js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", path.read_text()), path


def test_a_figure_is_said_in_words(tmp_path: Path) -> None:
    figure = tmp_path / "pass_worth.png"
    figure.write_bytes(b"\x89PNG")
    html = render_page(contents(suite_inputs()), [], [figure], MANIFEST)
    said = WORDS["figures"]["pass_worth"]
    assert f'alt="{said}"' in html and f"<figcaption>{said}</figcaption>" in html


def test_the_page_opens_with_the_figure_of_the_stores_where_it_was_drawn(tmp_path: Path) -> None:
    figure = tmp_path / "stores.png"
    figure.write_bytes(b"\x89PNG")
    opening = render_page(contents(suite_inputs()), [], [figure], MANIFEST).split('aria-label="Three questions"')[0]
    assert f'class="opening" alt="{WORDS["figures"]["stores"]}"' in opening
