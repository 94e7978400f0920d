"""The pages of the atlas: made from what is recorded, up to date, and with everything that an entry says."""

from datetime import date
from typing import Any

import pytest

from forgeteval import load_suite
from forgeteval.run.trials import Trial, Verdict
from lethe.cli.atlas import PAGES
from lethe.config.atlas import Change, Recorded, Review, entry_folders, read_entry, read_record
from lethe.config.reading import read_config
from lethe.report.atlas import atlas_page
from lethe.stored.cases import suite_rows
from lethe.study.steps.score_atlas import STEP
from lethe.trust.atlas import page, page_fingerprint
from tests.support.paths import ROOT

FOLDERS = {name: folder for name, folder in entry_folders(ROOT / "atlas").items() if read_record(folder)}
CASES = list(load_suite("adversarial"))[:20]
FOUND = Recorded("2026-11-27", {"platform": "Linux", "python": "3.11"}, ["plugmem==1"], "c", 10, {}, {})


def made(verdict: Verdict = "fail", error: str | None = None, **told: Any) -> str:
    """The page of a system that recalls whatever it was told, and nothing of it where asked for by its own text."""
    trials = []
    for case in CASES:
        there = [state.state != "stays" for state in case.states or ()]
        trial = Trial(case.suite, "plugmem", "", 0, case.case_id, verdict, recalled=list(case.facts()), present=there)
        trials.append({**trial.to_row(), "error": error})
    key = {"system": "plugmem", "model": "", "rows": 10, "case_id": "c"}
    records = [
        {**key, "level": "before", "place": "text", "outcome": "found", "detail": []},
        {**key, "level": "A3", "place": "text", "outcome": "found", "detail": ["store.db (free page): UTF-8"]},
        {**key, "level": "A3", "place": "claim", "outcome": "says gone", "detail": ["files", "1 | row erased"]},
        {**key, "level": "A4", "place": "claim", "outcome": "error", "detail": ["no proof"]},
    ]
    rows: dict[str, Any] = {"trials": trials, "events": [], "answers": [], "records": records, "scorer": "substring"}
    counted = STEP.compute(cases=suite_rows(CASES), **rows)
    entry = read_entry(ROOT / "atlas/plugmem").model_copy(update=told)
    return atlas_page("plugmem", entry, FOUND, {"adversarial": CASES}, trials, records, counted, "f" * 16)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_page_of_each_system_is_of_its_entry_and_record(name: str) -> None:
    text = (ROOT / PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page_fingerprint(FOLDERS[name]) in text, f"run `forgeteval atlas page {name}`"


def test_a_page_is_made_again_as_it_is() -> None:
    name = min(FOLDERS, key=lambda each: (FOLDERS[each] / "trials.parquet").stat().st_size)
    assert page(FOLDERS[name], read_config(ROOT, [])) == (ROOT / PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_a_page_has_the_first_case_of_each_kind_and_what_is_left() -> None:
    text = made()
    first = next(case for case in CASES if any(state.state == "replaced" for state in case.states or ()))
    assert f"### Stale: {first.case_id}" in text and f"### Collateral: {CASES[0].case_id}" in text
    assert first.final_query in text and all(fact in text for fact in first.setup_facts)
    assert "| its deletion | text | store.db (free page): UTF-8 | 1 |" in text
    assert "`1 | row erased`: **false**, in 1 cases" in text
    assert "it says, as it broke, `no proof`: **unchecked**" in text and "Nobody has tried yet." in text


def test_a_page_has_all_that_an_entry_says() -> None:
    review = {name: f"{name} was read." for name in ("native_forget", "waits", "stable_ids", "floor", "dedup")}
    text = made(
        home="https://example.org/shelf",
        changes=[Change(what="no telemetry", why="it has no network")],
        reviewed=Review.model_validate({"by": "A. Reader", "day": date(2026, 11, 27), **review}),
        findings=["By its own steps the word was there."],
        remedy="VACUUM",
        reply="It is mended in 1.1.",
        report="What: a word stays.",
    )
    for said in ("https://example.org/shelf", "no telemetry: it has no network.", "A. Reader", *review.values()):
        assert said in text
    for said in ("By its own steps the word was there.", "VACUUM", "It is mended in 1.1.", "What: a word stays."):
        assert said in text


@pytest.mark.parametrize("key", ["promise", "remedy", "reply", "licence", "package"])
def test_text_of_an_entry_is_no_html_and_no_link(key: str) -> None:
    hostile: dict[str, Any] = {key: "\\`<script>` <script> [here](javascript:alert(1))\n\n# big &lt; ``a[0] < `b` ``"}
    said = r"\\`<script>` &lt;script&gt; \[here\](javascript:alert(1)) # big &amp;lt; ``a[0] < `b` ``"
    assert said in made(**hostile)


def test_nothing_in_a_report_ends_its_block() -> None:
    text = made(report="What:\n\n````\n<script>\n````\n")
    assert "\n`````markdown\nWhat:\n\n````\n<script>\n````\n`````\n" in text


def test_a_page_says_what_broke() -> None:
    text = made("error", error="it\nbroke")
    assert f"Error on adversarial, {len(CASES)}: `it broke`" in text and "There is none." in text
