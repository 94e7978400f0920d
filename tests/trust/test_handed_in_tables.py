"""What was admitted is in a table of its own, in no other, and the audit computes it again."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from forgeteval.errors import UserError
from lethe.config.submission import ADMISSION_FILE, SUBMISSION_FILE, TRIALS_FILE, read_handed_in
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CASES, HANDED_IN, TRIALS
from lethe.study.configured import setup_of
from lethe.study.inputs import Files
from lethe.study.paths import HANDED_TRIALS
from lethe.study.plan import STEPS
from lethe.study.setup import Setup
from lethe.tables.registry import build, table_specs
from lethe.tables.table import Table
from lethe.trust.admit import admit
from lethe.trust.check import audit
from lethe.trust.crate import CRATE_FILE
from lethe.trust.take_up import take_up
from tests.support import bundle as support
from tests.support.bundle import OTHER, PRODUCER, SUITE, change_cell, config, sign_off, tabulate
from tests.support.config import of, put

SHOWN = ("Naive SQL", "Ana")
TAKEN_UP = HANDED_TRIALS.format(by="Ana", system="naive_sql", suite=SUITE)


@pytest.fixture
def taken(handed: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The small results with what was handed in taken up."""
    admit(handed, of(config()), tmp_path / "into")
    monkeypatch.setattr(support, "handed_in", tmp_path / "into")
    for suite in (SUITE, OTHER):
        _take_up(bundle, tmp_path, suite)
        planned = STEPS["score_handed_in"].on(support.setup(), by="Ana", system="naive_sql", suite=suite)
        for path, rows in planned.repeat(Files(bundle)).items():
            write_rows(bundle / path, HANDED_IN, rows, PRODUCER)
    tabulate(bundle)
    sign_off(bundle)
    yield bundle


def _take_up(root: Path, tmp_path: Path, suite: str, cases: str | None = None) -> None:
    record = tmp_path / "into/Ana/naive_sql/submission.json"
    stored = root / CASES.path.format(suite=cases or suite)
    out = root / HANDED_TRIALS.format(by="Ana", system="naive_sql", suite=suite)
    take_up(record, suite, stored, out, PRODUCER)


def _tables(root: Path, setup: Setup) -> dict[str, Table]:
    return {spec.name: build(spec, Files(root)) for spec in table_specs(setup)}


def test_rows_are_marked_and_in_no_other_table(taken: Path) -> None:
    before, tables = _tables(taken, replace(support.setup(), handed_in=[])), _tables(taken, support.setup())
    table = tables.pop("handed_in")
    assert [(row[0].text, row[1].text) for row in table.rows()] == [SHOWN, SHOWN]
    trials = read_rows(taken / TRIALS.path.format(suite=SUITE, system="naive_sql"), TRIALS)
    passed = sum(row["verdict"] == "pass" for row in trials)
    (row,) = (row for row in table.rows() if row[2].text == SUITE.capitalize())
    assert (row[3].value, row[3].count, row[3].state) == (passed, len(trials), "handed in")
    assert (row[-1].text, row[-1].state) == ("not run", "not run")
    nothing = before.pop("handed_in")
    assert tables == before, "what was measured stays as it was"
    assert [row[0].text for row in nothing.rows()] == ["nothing has been handed in (docs/handing-in.md)"]


def test_a_kept_folder_without_its_record_stops_the_run(taken: Path, tmp_path: Path) -> None:
    (tmp_path / "into/README.md").write_text("what others handed in", encoding="utf-8")
    assert len(read_handed_in(tmp_path / "into")) == 1
    (tmp_path / "into/Ana/naive_sql" / SUBMISSION_FILE).unlink()
    with pytest.raises(
        UserError, match=r"into/Ana/naive_sql: not what .* keeps .*submission\.json: no such file.*remove"
    ):
        read_handed_in(tmp_path / "into")


def test_a_system_of_this_project_bears_its_label_here_whatever_the_bundle_calls_it(
    taken: Path, tmp_path: Path
) -> None:
    record = tmp_path / "into/Ana/naive_sql/submission.json"
    told = json.loads(record.read_text(encoding="utf-8"))
    told["configuration"]["label"] = "Mem0"
    record.write_text(json.dumps(told), encoding="utf-8")
    table = _tables(taken, support.setup())["handed_in"]
    assert [(row[0].text, row[1].text) for row in table.rows()] == [SHOWN, SHOWN]


def test_the_audit_computes_it_again_and_says_that_it_ran_elsewhere(taken: Path) -> None:
    found = audit(taken)
    assert found.findings == []
    assert f"{TAKEN_UP}: ran elsewhere, handed in by Ana" in found.taken
    rows = read_rows(taken / TAKEN_UP, TRIALS)
    first = next(number for number, row in enumerate(rows) if row["verdict"] == "fail")
    rows[first] |= {"verdict": "pass"}
    write_rows(taken / TAKEN_UP, TRIALS, rows, PRODUCER)
    sign_off(taken)
    findings = audit(taken).findings
    assert any(line.startswith(f"{TAKEN_UP}: ") and "verdict: this file says 'pass'" in line for line in findings), (
        findings
    )


def test_the_crate_says_who_handed_it_in_and_not_that_the_workflow_ran_it(taken: Path) -> None:
    graph = json.loads((taken / CRATE_FILE).read_text(encoding="utf-8"))["@graph"]
    entities = {entity["@id"]: entity for entity in graph}
    name = PurePosixPath(TAKEN_UP).relative_to("results").as_posix()
    assert entities[name]["description"].endswith("ran elsewhere, handed in by Ana")
    results = [result["@id"] for action in graph if action["@type"] == "CreateAction" for result in _listed(action)]
    assert len(results) > 10 and name not in results


def _listed(action: dict[str, Any]) -> list[dict[str, str]]:
    found = action["result"]
    return found if isinstance(found, list) else [found]


def test_trials_that_were_changed_since_are_not_taken_up(taken: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"of other cases than {SUITE} has here"):
        _take_up(taken, tmp_path, SUITE, cases=OTHER)
    change_cell(tmp_path / "into/Ana/naive_sql" / TRIALS_FILE.format(suite=SUITE), "verdict", 0, "error")
    with pytest.raises(UserError, match="changed since it was admitted"):
        _take_up(taken, tmp_path, SUITE)


def test_notes_say_what_is_not_shown_and_whose_adapter_it_was(taken: Path, tmp_path: Path) -> None:
    path = tmp_path / "into/Ana/naive_sql" / ADMISSION_FILE
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), "own_adapter": True}), encoding="utf-8")
    record = path.with_name(SUBMISSION_FILE)
    told = json.loads(record.read_text(encoding="utf-8"))
    told["configuration"]["label"] = "Ana's store"
    record.write_text(json.dumps(told), encoding="utf-8")
    (table,) = (t for name, t in _tables(taken, support.setup()).items() if name == "handed_in")
    assert table.notes == ["Ana's store, handed in by Ana: no system of this project; judged by its trials alone."]
    fewer = put(support.config(), "run/suites", [SUITE])
    fewer = put(fewer, "paper/template_suite", SUITE)
    (handed,) = setup_of(of(fewer), support.handed_in).handed_in
    assert (handed.suites, handed.not_shown) == ([SUITE], {OTHER: "the suite is not run here"})


@pytest.mark.parametrize("damaged", [SUBMISSION_FILE, ADMISSION_FILE])
def test_a_damaged_record_is_named_with_its_folder(taken: Path, tmp_path: Path, damaged: str) -> None:
    (tmp_path / "into/Ana/naive_sql" / damaged).write_text("{}", encoding="utf-8")
    with pytest.raises(
        UserError, match=r"into/Ana/naive_sql: not what `forgeteval admit` keeps .*; remove it and admit"
    ):
        support.setup()


def test_a_folder_under_another_name_is_one_line(taken: Path, tmp_path: Path) -> None:
    shutil.move(tmp_path / "into/Ana", tmp_path / "into/Ben")
    with pytest.raises(UserError, match="is of Ana/naive_sql; move the folder there"):
        support.setup()
