"""The audit of long histories and of the erasure audit: what was asked is built again, what was kept of it is held
against that."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lethe.config.configurations import Configuration
from lethe.config.reading import typed
from lethe.parquet import read_rows
from lethe.schemas import ERASURE_CASES, ERASURE_RECORDS, LONG_ANSWERS, LONG_EVENTS, LONG_REPLAYS
from lethe.stored.erasure import erasure_rows
from lethe.study.inputs import Files
from lethe.study.setup import Erasure, Long
from lethe.trust.judged import check_judged
from lethe.trust.record import Audit
from lethe.trust.suites import check_suites, long_events
from tests.support.bundle import config
from tests.support.config import put
from tests.support.findings import invented_setup
from tests.support.paths import ROOT

SYSTEM, SEED, HISTORIES, K, CASES = "agno", 42, 3, 10, 10
ANSWERS, REPLAYS = (table.path.format(system=SYSTEM) for table in (LONG_ANSWERS, LONG_REPLAYS))
RECORDS = ERASURE_RECORDS.path.format(rows=10, system=SYSTEM)
EVENTS, ERASURES = LONG_EVENTS.path, ERASURE_CASES.path

Row = dict[str, Any]
Change = Callable[[Row], Row | None]


def forgetful(row: Row) -> Row:
    return {**row, "present": [False for _ in row["present"]]}


def without(level: str, place: str, case: str) -> Change:
    return lambda row: None if (row["level"], row["place"], row["case_id"]) == (level, place, case) else row


def wordless(row: Row) -> Row:
    anchors = row["anchors"] and [{**each, "any_of": ["zzzz-nothing"]} for each in row["anchors"]]
    return {**row, "anchors": anchors}


FORGED: dict[str, tuple[str, Change, str]] = {
    "nothing": (ANSWERS, lambda row: row, ""),
    "flags against the texts": (ANSWERS, forgetful, "present: says of a memory that was recalled that it is not there"),
    "most answers are left out": (
        ANSWERS,
        lambda row: row if row["question_id"].startswith("long-000-m12-3") else None,
        "answers 1 of the 120 questions that were asked, and 0 others",
    ),
    "no flags": (ANSWERS, lambda row: {**row, "present": []}, "present: 0 flags; the question has "),
    "more texts than its question is for": (
        ANSWERS,
        lambda row: {**row, "recalled": ["x"] * 11},
        "11 texts recalled; the question is for 10",
    ),
    "answers of another": (ANSWERS, lambda row: {**row, "model": "large"}, "holds rows that are none of agno"),
    "a replay of less": (REPLAYS, lambda row: {**row, "inscribed": 1}, "long-000: 1 memories inscribed; the history"),
    "a replay is left out": (
        REPLAYS,
        lambda row: None if row["history"] == "long-000" else row,
        "2 of the 3 histories that were replayed, and 0 others",
    ),
    "a place is left out": (RECORDS, without("A0", "question", "erasure-01"), "erasure-01: no record of A0 question"),
    "a read is left out": (RECORDS, without("A2", "list", "erasure-04"), "erasure-04: no record of A2 list"),
    "a case is left out": (
        RECORDS,
        lambda row: None if row["case_id"] == "erasure-03" else row,
        "9 of the 10 cases of the audit, and 0 others",
    ),
    "an outcome that none has": (
        RECORDS,
        lambda row: {**row, "outcome": "absent"} if row["place"] == "bystander" else row,
        "outcome 'absent' is none that it has",
    ),
    "records of another": (RECORDS, lambda row: {**row, "model": "large"}, "holds rows that are none of agno"),
    "wordings that nothing shows": (EVENTS, wordless, "counted again from suites/long of this project, built again"),
    "an event is left out": (EVENTS, lambda row: row if row["position"] else None, "position 0: missing"),
    "a history is left out": (
        EVENTS,
        lambda row: None if row["history"] == "long-000" else row,
        "2 histories, with questions for [10] memories; the configuration says 3",
    ),
    "a text of a case": (
        ERASURES,
        lambda row: {**row, "target": "Nothing."},
        "counted again from suites/erasure of this project, built again",
    ),
    "a case of the audit": (
        ERASURES,
        lambda row: None if row["case_id"] == "erasure-10" else row,
        "9 cases; the configuration says 10",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_what_was_forged_of_histories_and_erasures_is_found(name: str) -> None:
    path, change, said = FORGED[name]
    rows = kept()
    rows[path] = [made for row in rows[path] if (made := change(row)) is not None]
    lines = audited(rows)
    assert (lines == []) if not said else any(line.startswith(path) and said in line for line in lines), lines


@pytest.mark.parametrize("places", [("own text, search", "neighbour 1, search"), ("own text, search",)])
def test_what_depends_on_the_system_is_looked_at_in_each_case(places: tuple[str, ...]) -> None:
    rows = kept()
    there = {(row["case_id"], row["place"]) for row in rows[RECORDS]}
    first = next(row for row in rows[RECORDS] if (row["level"], row["place"]) == ("A1", "own text"))
    every = [f"erasure-{number + 1:02}" for number in range(CASES)]
    more = [
        {**first, "case_id": case, "place": place} for case in every for place in places if (case, place) not in there
    ]
    rows[RECORDS] = [*rows[RECORDS], *more]
    assert audited(rows) == []
    rows[RECORDS] = [row for row in rows[RECORDS] if (row["case_id"], row["place"]) != ("erasure-07", places[0])]
    assert audited(rows) == [f"{RECORDS}: erasure-07: no record of A1 {places[0]}, which other cases have"]


def kept() -> dict[str, list[Row]]:
    """What is kept of Agno in the atlas, as if it had run here."""
    events = long_events(SEED, HISTORIES, (K,))
    counts = ("fallbacks", "llm_calls", "tokens_in", "tokens_out", "not_expressed")
    times = ("inscribe_ms", "mutate_ms", "cost_usd", "answer_ms")
    replays = []
    for name in dict.fromkeys(row["history"] for row in events):
        ops = Counter(row["op"] for row in events if row["history"] == name and row["op"])
        done = {"inscribed": ops["inscribe"], "mutated": ops.total() - ops["inscribe"], "error": None}
        zeros = {**dict.fromkeys(counts, 0), **dict.fromkeys(times, 0.0)}
        replays.append({"system": SYSTEM, "model": "", "history": name, **zeros, **done})
    atlas = ROOT / "atlas" / SYSTEM
    _, cases = erasure_rows(str(ROOT / "suites/erasure"), SEED, CASES)["cases"]
    return {
        EVENTS: events,
        ERASURES: [dict(row) for row in cases],
        ANSWERS: [dict(row) for row in read_rows(atlas / "long.parquet", LONG_ANSWERS)],
        REPLAYS: replays,
        RECORDS: [dict(row) for row in read_rows(atlas / "erasure.parquet", ERASURE_RECORDS)],
    }


def audited(rows: dict[str, list[Row]]) -> list[str]:
    """What the audit finds of these rows."""
    setup = replace(
        invented_setup(),
        seed=SEED,
        configurations={SYSTEM: Configuration(SYSTEM, "Agno")},
        suites={},
        atlas={},
        long=Long(HISTORIES, (K,), (SYSTEM,), {}),
        erasure=Erasure({SYSTEM: [[10, CASES]]}, {}, {}),
        benchmarks={},
        hook_pairs=[],
        told=[],
    )
    chosen = put(put(config(), "seed", SEED), "long", {"histories": HISTORIES, "k": [K]})
    chosen = put(chosen, "erasure", {"rows": [10], "cases": [CASES], "most_rows": {}})
    found, files = Audit(""), Files(Path("not there"), None, dict(rows))
    check_suites(setup, typed(chosen), files, found)
    check_judged(setup, K, files, found)
    return found.findings
