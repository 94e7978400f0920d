"""Results of the atlas: recorded whole, taken up as they were, and compared verdict by verdict."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from forgeteval.errors import UserError
from lethe.config import atlas as entries
from lethe.parquet import read_rows, write_rows
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS
from lethe.stored.cases import suite_as_told
from lethe.study.paths import TOLD_TRIALS
from lethe.trust import atlas
from tests.support.bundle import OTHER, SUITE, config
from tests.support.config import of

NAME = "naive_sql"
SYSTEM = {"label": "Naive SQL", "regime": "deterministic", "backend": "naive_sql"}
RECORD: dict[str, Any] = {
    "system": NAME,
    "model": "",
    "rows": 10,
    "case_id": "one",
    "level": "A3",
    "place": "text",
    "outcome": "absent",
    "detail": [],
}
ANSWER: dict[str, Any] = {
    "system": NAME,
    "model": "",
    "history": "long-000",
    "question_id": "one",
    "recalled": ["a fact"],
    "present": [True],
    "recall_ms": 1.0,
    "error": None,
}


@pytest.fixture
def kept(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the atlas with the trials of a small workflow recorded in it."""
    monkeypatch.setattr(atlas, "SUITES", (SUITE, OTHER))
    folder = tmp_path / "atlas" / NAME
    folder.mkdir(parents=True)
    entry = {"package": "p", "version": "1", "released": "2026-10", "licence": "MIT", "promise": "Gone."}
    (folder / "entry.yaml").write_text(yaml.safe_dump({**entry, "systems": {NAME: SYSTEM}}), encoding="utf-8")
    write_rows(bundle / ERASURE_RECORDS.path.format(rows=10, system=NAME), ERASURE_RECORDS, [RECORD], "code")
    told = [
        {**row, "suite": suite_as_told(SUITE)}
        for row in read_rows(bundle / TRIALS.path.format(suite=SUITE, system=NAME), TRIALS)
    ]
    write_rows(bundle / TOLD_TRIALS.format(system=NAME), TRIALS, told, "code")
    write_rows(bundle / LONG_ANSWERS.path.format(system=NAME), LONG_ANSWERS, [ANSWER], "code")
    (tmp_path / "environments").mkdir()
    (tmp_path / f"environments/atlas-{NAME}.freeze.txt").write_text("p==1\n", encoding="utf-8")
    atlas.record(folder, bundle, settings(tmp_path))
    return folder


def settings(tmp_path: Path) -> Any:
    return of({**config(), "environments_dir": str(tmp_path / "environments")})


def taken_up(tmp_path: Path, bundle: Path, *suites: str, long: str = "") -> tuple[list[Any], list[Any], list[Any]]:
    trials, answers, records = (tmp_path / f"{name}.parquet" for name in ("trials", "answers", "records"))
    cases = {suite: bundle / CASES.path.format(suite=suite) for suite in suites}
    atlas.take_up(tmp_path / "atlas", cases, long, trials, answers, records, "code")
    return read_rows(trials, TRIALS), read_rows(answers, LONG_ANSWERS), read_rows(records, ERASURE_RECORDS)


def test_what_is_recorded_is_taken_up_whole(kept: Path, bundle: Path, tmp_path: Path) -> None:
    trials, answers, records = taken_up(tmp_path, bundle, SUITE, OTHER)
    ran = [
        row
        for suite in (SUITE, OTHER)
        for row in read_rows(bundle / TRIALS.path.format(suite=suite, system=NAME), TRIALS)
    ]
    told = ("suite", "case_id", "verdict", "recalled", "present", "residue")
    assert [[row[name] for name in told] for row in trials[: len(ran)]] == [[row[name] for name in told] for row in ran]
    assert {row["suite"] for row in trials[len(ran) :]} == {suite_as_told(SUITE)}
    assert (answers, records) == ([ANSWER], [RECORD])
    found = entries.read_record(kept)
    assert found is not None and list(found.suites) == [SUITE, OTHER] and found.packages == ["p==1"]


def test_a_suite_that_is_not_run_here_is_left_out(kept: Path, bundle: Path, tmp_path: Path) -> None:
    trials, answers, _ = taken_up(tmp_path, bundle, OTHER, long="other histories")
    assert {row["suite"] for row in trials} == {OTHER} and not answers


def test_a_file_that_was_changed_is_named(kept: Path, bundle: Path, tmp_path: Path) -> None:
    rows = read_rows(kept / "trials.parquet", TRIALS)
    write_rows(kept / "trials.parquet", TRIALS, [{**rows[0], "verdict": "pass"}, *rows[1:]], "code")
    with pytest.raises(UserError, match=r"trials\.parquet: changed since it was recorded"):
        taken_up(tmp_path, bundle, SUITE)


def test_another_run_is_compared_verdict_by_verdict(kept: Path, bundle: Path, tmp_path: Path) -> None:
    assert list(atlas.differences(kept, bundle, settings(tmp_path))) == []
    path = bundle / TRIALS.path.format(suite=SUITE, system=NAME)
    first, *rest = read_rows(path, TRIALS)
    write_rows(path, TRIALS, [{**first, "verdict": "error", "error": "it broke"}, *rest], "code")
    (line,) = atlas.differences(kept, bundle, settings(tmp_path))
    assert first["case_id"] in line and line.endswith(f"{first['verdict']} is recorded, error came now")


def test_results_that_are_not_all_there_are_not_recorded(kept: Path, bundle: Path, tmp_path: Path) -> None:
    before = json.loads((kept / entries.RECORD_FILE).read_text(encoding="utf-8"))
    (bundle / TRIALS.path.format(suite=OTHER, system=NAME)).unlink()
    with pytest.raises(UserError, match="not there"):
        atlas.record(kept, bundle, settings(tmp_path))
    assert json.loads((kept / entries.RECORD_FILE).read_text(encoding="utf-8")) == before


def test_nothing_recorded_is_said(kept: Path, bundle: Path, tmp_path: Path) -> None:
    empty = kept.with_name("copy")
    shutil.copytree(kept, empty)
    (empty / entries.RECORD_FILE).unlink()
    assert entries.read_record(empty) is None
    with pytest.raises(UserError, match="nothing is recorded"):
        list(atlas.differences(empty, bundle, settings(tmp_path)))
