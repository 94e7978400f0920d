"""The audit of what is taken up from the atlas: nothing that is recorded may be missing, nor be other rows."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.cases.errata import suite_version
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.run.trials import Trial
from lethe.config.reading import read_config
from lethe.parquet import read_rows
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS
from lethe.stored.cases import suite_of_trials, suite_rows
from lethe.study.atlas import AtlasSystem, atlas_of
from lethe.study.inputs import Files
from lethe.study.paths import ATLAS_LONG, ATLAS_RECORDS, ATLAS_TRIALS
from lethe.study.setup import Setup, Suite
from lethe.trust.judged import check_judged
from lethe.trust.record import Audit
from tests.support.findings import invented_setup
from tests.support.paths import ROOT

CASE = Case("c1", "adversarial", "any", ("Ada is in Ghent.",), (Mutation("purge", "Ada"),), "Where?", (), ("Ghent",))
RAN = Trial("adversarial", "agno", "", 0, "c1", "pass", probed_verdict="pass")
TOLD = Trial(
    "adversarial+told",
    "agno",
    "",
    0,
    "c1",
    "fail",
    missing=["Ada is in Ghent."],
    probed_verdict="fail",
    present=[False],
)
AGNO = AtlasSystem("agno", "1", {"agno": "Agno"}, "Gone.", "2026-11-28", ["adversarial"], {}, True)

Row = dict[str, Any]
Change = Callable[[Row], Row | None]


def _same(row: Row) -> Row:
    return row


LACKING: dict[str, tuple[str, Change, str]] = {
    "nothing": (ATLAS_TRIALS, _same, ""),
    "the trials of a suite": (
        ATLAS_TRIALS,
        lambda row: row if row["suite"] == TOLD.suite else None,
        "lacks trials of agno on adversarial",
    ),
    "the trials as told": (
        ATLAS_TRIALS,
        lambda row: row if row["suite"] == RAN.suite else None,
        "lacks trials of agno on adversarial+told",
    ),
    "an answer": (
        ATLAS_LONG,
        lambda row: None if row["question_id"] == "long-000-m12-3-k10" else row,
        "agno: answers 119 of the 120 questions that were asked, and 0 others",
    ),
    "all answers": (ATLAS_LONG, lambda row: None, "agno: answers 0 of the 120 questions that were asked"),
    "a flag": (
        ATLAS_LONG,
        lambda row: {**row, "present": [False for _ in row["present"]]},
        "present: says of a memory that was recalled that it is not there",
    ),
    "a text too many": (ATLAS_LONG, lambda row: {**row, "recalled": ["x"] * 11}, "11 texts recalled; k is 10"),
    "answers of another": (ATLAS_LONG, lambda row: {**row, "system": "other"}, "holds answers of other"),
    "a case": (
        ATLAS_RECORDS,
        lambda row: None if row["case_id"] == "erasure-03" else row,
        "agno: 9 of the 10 cases of the audit, and 0 others",
    ),
    "a place of one case": (
        ATLAS_RECORDS,
        lambda row: None if (row["case_id"], row["level"]) == ("erasure-10", "A5") else row,
        "agno: erasure-10: no record of A5 bystander",
    ),
    "all records": (ATLAS_RECORDS, lambda row: None, "agno: 0 of the 10 cases of the audit"),
    "records of another": (ATLAS_RECORDS, lambda row: {**row, "system": "other"}, "holds records of other"),
}


@pytest.mark.parametrize("name", LACKING)
def test_what_is_missing_of_the_atlas_is_named(name: str) -> None:
    path, change, said = LACKING[name]
    lines, _ = _audited(AGNO, path, change)
    assert (lines == []) if not said else any(line.startswith(path) and said in line for line in lines), lines


def test_what_an_entry_leaves_out_is_said_and_not_asked_for() -> None:
    skipping = replace(AGNO, skipped={"agno": ["long", "told"]})
    lines, taken = _audited(skipping, ATLAS_LONG, lambda row: None)
    assert lines == []
    assert taken == [f"atlas: agno is not recorded on {place}, by its entry" for place in ("long", "told")]


def test_of_other_cases_than_the_recorded_no_trials_are_asked_for() -> None:
    other = replace(AGNO, cases={"adversarial": "0" * 64})
    assert _audited(other, ATLAS_TRIALS, lambda row: None)[0] == []


def _audited(system: AtlasSystem, changed: str, change: Change) -> tuple[list[str], list[str]]:
    """What an audit finds of the atlas, and what it takes as it is, after a change to each row of a file."""
    system = replace(system, cases=system.cases or {"adversarial": cases_sha256([CASE])})
    setup = _setup({"of another project": system})
    agno = ROOT / "atlas" / "agno"
    rows = {
        CASES.path.format(suite="adversarial"): suite_rows([CASE]),
        ATLAS_TRIALS: [RAN.to_row(), TOLD.to_row()],
        ATLAS_LONG: read_rows(agno / "long.parquet", LONG_ANSWERS),
        ATLAS_RECORDS: read_rows(agno / "erasure.parquet", ERASURE_RECORDS),
    }
    rows[changed] = [made for row in rows[changed] if (made := change(row)) is not None]
    found = _found(setup, rows)
    return [line for line in found.findings if line.startswith("results/atlas")], found.taken


def _setup(atlas: dict[str, AtlasSystem]) -> Setup:
    return replace(invented_setup(), configurations={}, suites={"adversarial": Suite("Adversarial", {})}, atlas=atlas)


def _found(setup: Setup, rows: dict[str, list[Row]]) -> Audit:
    found = Audit("")
    check_judged(setup, 10, Files(Path("not there"), None, {TRIALS.path: [], **rows}), found)
    return found


SWAPPED = {"agno": "areev", "areev": "agno"}

CHANGED: dict[str, tuple[str, Change, str]] = {
    "nothing": (ATLAS_TRIALS, _same, ""),
    "records of two systems": (
        ATLAS_RECORDS,
        lambda row: {**row, "system": SWAPPED[row["system"]]},
        "system agno, model , rows 10, case_id erasure-01, level before, place text: detail: this file says",
    ),
    "what the erasure audit found": (
        ATLAS_RECORDS,
        lambda row: {**row, "outcome": "absent", "detail": []} if row["outcome"] == "found" else row,
        "outcome: this file says 'absent'; it is 'found', counted again from atlas/agno/erasure.parquet",
    ),
    "what long histories recalled": (
        ATLAS_LONG,
        lambda row: {**row, "present": [True for _ in row["present"]]},
        "counted again from atlas/agno/long.parquet of this project",
    ),
    "answers that broke": (
        ATLAS_LONG,
        lambda row: (
            {**row, "error": "broke", "recalled": [], "present": []} if "-m12-3-" in row["question_id"] else row
        ),
        "error: this file says 'broke'; it is None, counted again from atlas/agno/long.parquet",
    ),
    "a time": (
        ATLAS_LONG,
        lambda row: {**row, "recall_ms": row["recall_ms"] + 1000},
        "counted again from atlas/agno/long.parquet of this project",
    ),
    "texts of trials": (
        ATLAS_TRIALS,
        lambda row: {**row, "recalled": ["Something else."]} if row["verdict"] == "fail" else row,
        "recalled: this file says ['Something else.']; it is",
    ),
}


@pytest.fixture(scope="module")
def originals() -> tuple[dict[str, AtlasSystem], dict[str, list[Row]]]:
    """What is taken up of two systems of this project, by file, and what tables know of them."""
    config = read_config(ROOT)
    options = config.suites["adversarial"].options()
    cases = build_suite("adversarial", options)
    systems = atlas_of(config, ROOT / "atlas", {"adversarial": suite_version(options)})
    rows: dict[str, list[Row]] = {CASES.path.format(suite="adversarial"): suite_rows(cases)}
    for path, table, name in (
        (ATLAS_TRIALS, TRIALS, "trials"),
        (ATLAS_LONG, LONG_ANSWERS, "long"),
        (ATLAS_RECORDS, ERASURE_RECORDS, "erasure"),
    ):
        kept = [row for system in SWAPPED for row in read_rows(ROOT / "atlas" / system / f"{name}.parquet", table)]
        rows[path] = [row for row in kept if table is not TRIALS or suite_of_trials(row["suite"]) == "adversarial"]
    return {name: systems[name] for name in SWAPPED}, rows


@pytest.mark.parametrize("name", CHANGED)
def test_rows_of_this_projects_systems_are_those_that_it_keeps(
    name: str, originals: tuple[dict[str, AtlasSystem], dict[str, list[Row]]]
) -> None:
    path, change, said = CHANGED[name]
    systems, rows = originals
    found = _found(_setup(systems), {**rows, path: [made for row in rows[path] if (made := change(row)) is not None]})
    lines = [line for line in found.findings if line.startswith("results/atlas")]
    assert (lines == []) if not said else any(line.startswith(path) and said in line for line in lines), lines
