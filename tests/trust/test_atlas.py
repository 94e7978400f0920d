"""Results of the atlas: recorded whole, taken up as they were, and compared verdict by verdict."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.cli import atlas as commands
from lethe.config import atlas as entries
from lethe.fingerprints import sha256_of
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS, Table
from lethe.stored.cases import cases_as_told, read_suite, suite_as_told
from lethe.study.paths import TOLD_TRIALS
from lethe.trust import atlas
from tests.support.bundle import OTHER, SUITE, config
from tests.support.config import of

NAME = "naive_sql"
SYSTEM = {"label": "Naive SQL", "regime": "deterministic", "backend": f"atlas.{NAME}.adapter:Naive"}
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
    told = []
    for case in cases_as_told(read_suite(bundle / CASES.path.format(suite=SUITE))):
        recalled, there = list(case.setup_facts), [True] * len(case.setup_facts)
        trial = Trial(case.suite, NAME, "", 0, case.case_id, "pass", recalled=recalled, present=there)
        told.append({**trial.to_row(), "probed_verdict": "pass"})
    write_rows(bundle / TOLD_TRIALS.format(system=NAME), TRIALS, told, "code")
    write_rows(bundle / LONG_ANSWERS.path.format(system=NAME), LONG_ANSWERS, [ANSWER], "code")
    (tmp_path / "environments").mkdir()
    (tmp_path / f"environments/atlas-{NAME}.freeze.txt").write_text("p==1\n", encoding="utf-8")
    atlas.record(folder, bundle, settings(tmp_path))
    return folder


def settings(tmp_path: Path) -> Any:
    return of({**config(), "environments_dir": str(tmp_path / "environments")})


def taken_up(
    tmp_path: Path, bundle: Path, *suites: str, long: str = "", k: int = 10
) -> tuple[list[Any], list[Any], list[Any]]:
    trials, answers, records = (tmp_path / f"{name}.parquet" for name in ("trials", "answers", "records"))
    cases = {suite: bundle / CASES.path.format(suite=suite) for suite in suites}
    atlas.take_up(tmp_path / "atlas", cases, long, k, trials, answers, records, "code")
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
    rows = len(read_rows(kept / "trials.parquet", TRIALS)) + 2
    assert atlas.compare(kept, bundle, settings(tmp_path)) == atlas.Compared(rows, {}, [])
    first = break_first(bundle)
    compared = atlas.compare(kept, bundle, settings(tmp_path))
    ((key, words),) = compared.new.items()
    assert first["case_id"] in key and words == f"{first['verdict']} is recorded, error came now"


def break_first(bundle: Path) -> Row:
    """The first trial of a suite, as it was before its verdict became another."""
    path = bundle / TRIALS.path.format(suite=SUITE, system=NAME)
    first, *rest = read_rows(path, TRIALS)
    write_rows(path, TRIALS, [{**first, "verdict": "error", "error": "it broke"}, *rest], "code")
    return first


def test_what_differed_in_a_run_that_was_kept_counts_apart(kept: Path, bundle: Path, tmp_path: Path) -> None:
    atlas.note(kept, atlas.compare(kept, bundle, settings(tmp_path)))
    assert (atlas.recorded(kept).runs, atlas.recorded(kept).varying) == (2, [])
    break_first(bundle)
    differed = atlas.compare(kept, bundle, settings(tmp_path))
    atlas.note(kept, differed)
    assert (atlas.recorded(kept).runs, atlas.recorded(kept).varying) == (3, [*differed.new])
    again = atlas.compare(kept, bundle, settings(tmp_path))
    assert again == atlas.Compared(differed.rows, {}, [*differed.new])
    atlas.note(kept, again)
    assert (atlas.recorded(kept).runs, atlas.recorded(kept).varying) == (4, [*differed.new])


def test_a_check_fails_for_what_is_not_known_to_vary(
    kept: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def workflow(name: str, root: Path, output: Path, cores: int) -> Any:
        shutil.copytree(bundle, root / output, dirs_exist_ok=True)
        ran.append(output.name)
        return settings(tmp_path)

    def checked(*options: str) -> tuple[int, str]:
        done = CliRunner().invoke(commands.atlas, ["check", NAME, *options, "--root", str(tmp_path)])
        return done.exit_code, done.output.splitlines()[-1].removeprefix(f"{NAME}: ")

    ran = list[str]()
    monkeypatch.setattr(commands, "_workflow", workflow)
    monkeypatch.setattr(commands, "_write_page", lambda folder, root, asked: None)
    monkeypatch.setattr(atlas.Asked, "of", lambda config: None)
    break_first(bundle)
    rows = atlas.compare(kept, bundle, settings(tmp_path)).rows
    assert checked() == (1, f"1 of {rows} differ")
    assert checked("--keep") == (0, f"1 of {rows} differ")
    varied = f"1 of {rows} vary between runs, as recorded; every other verdict is the one that is recorded"
    assert checked() == (0, varied)
    assert ran == ["1", "1", "2"]


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
        atlas.compare(empty, bundle, settings(tmp_path))


def forge(kept: Path, change: Callable[[list[Row]], list[Row]], table: Table = TRIALS, name: str = "trials") -> None:
    """Change a file that is kept, and its checksum in the record."""
    path = kept / f"{name}.parquet"
    write_rows(path, table, change([dict(row) for row in read_rows(path, table)]), "code")
    edit_record(kept, files={path.name: sha256_of(path)})


def edit_record(kept: Path, **changes: Any) -> None:
    path = kept / entries.RECORD_FILE
    record = json.loads(path.read_text(encoding="utf-8"))
    for name, value in changes.items():
        record[name] = {**record[name], **value} if isinstance(value, dict) else value
    path.write_text(json.dumps(record), encoding="utf-8")


FORGED: dict[str, tuple[Callable[[list[Row]], list[Row]], str]] = {
    "verdicts": (lambda rows: [{**row, "verdict": "pass"} for row in rows], "the results give 'fail'"),
    "without those that failed": (lambda rows: [row for row in rows if row["verdict"] == "pass"], "trials; "),
    "a suite left out": (lambda rows: [row for row in rows if row["suite"] != OTHER], "0 trials; "),
    "a case twice": (lambda rows: [*rows, {**rows[0], "repetition": 1}], "trials; "),
    "another system": (lambda rows: [{**row, "system": "lethe"} for row in rows], "holds rows of 'lethe@'"),
    "a model": (lambda rows: [{**rows[0], "model": "gpt"}, *rows[1:]], f"holds rows of '{NAME}@gpt'"),
    "an unknown case": (lambda rows: [{**rows[0], "case_id": "none-01"}, *rows[1:]], "none-01"),
    "an unknown suite": (lambda rows: [*rows, {**rows[0], "suite": "none"}], "holds trials of 'none'"),
    "more than k texts": (
        lambda rows: [{**rows[0], "recalled": [*rows[0]["recalled"], *"abcdefghijk"]}, *rows[1:]],
        "texts recalled; k is 10",
    ),
    "a time without end": (lambda rows: [{**rows[0], "recall_ms": float("inf")}, *rows[1:]], "no number of millisec"),
}


@pytest.mark.parametrize("forged", FORGED)
def test_forged_trials_are_refused(kept: Path, bundle: Path, tmp_path: Path, forged: str) -> None:
    change, said = FORGED[forged]
    forge(kept, change)
    with pytest.raises(UserError, match=re.escape(said)) as error:
        taken_up(tmp_path, bundle, SUITE, OTHER)
    assert "\n" not in str(error.value) and str(kept / "trials.parquet") in str(error.value)
    assert not (tmp_path / "trials.parquet").exists()


@pytest.mark.parametrize(
    ("name", "table", "changes", "said"),
    [
        ("long", LONG_ANSWERS, {"system": "lethe"}, "holds rows of"),
        ("long", LONG_ANSWERS, {"recalled": list("abcdefghijk")}, "more than 10 texts recalled"),
        ("erasure", ERASURE_RECORDS, {"system": "lethe"}, "holds rows of"),
    ],
)
def test_forged_answers_and_records_are_refused(
    kept: Path, bundle: Path, tmp_path: Path, name: str, table: Table, changes: dict[str, Any], said: str
) -> None:
    forge(kept, lambda rows: [{**row, **changes} for row in rows], table, name)
    with pytest.raises(UserError, match=said):
        taken_up(tmp_path, bundle, SUITE, OTHER)


def test_a_record_of_another_k_or_of_other_cases_is_left_out(kept: Path, bundle: Path, tmp_path: Path) -> None:
    assert taken_up(tmp_path, bundle, SUITE, k=5) == ([], [], [])
    edit_record(kept, suites={SUITE: {"version": 0, "cases_sha256": "0" * 64}})
    trials, _, records = taken_up(tmp_path, bundle, SUITE, OTHER)
    assert {row["suite"] for row in trials} == {OTHER} and records


def test_a_file_that_would_fill_the_memory_is_not_read(
    kept: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lethe.parquet.MOST_BYTES", 1 << 20)

    def flood(rows: list[Row]) -> list[Row]:
        return [{**rows[0], "repetition": number, "error": "x" * 20_000} for number in range(100)]

    forge(kept, flood)
    assert (kept / "trials.parquet").stat().st_size < 100_000
    with pytest.raises(UserError, match=r"trials\.parquet: too large to be read"):
        taken_up(tmp_path, bundle, SUITE)


def test_what_is_no_regular_file_of_bounded_size_is_not_read(kept: Path, bundle: Path, tmp_path: Path) -> None:
    path = kept / "trials.parquet"
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(UserError, match=r"reading .*trials\.parquet"):
        taken_up(tmp_path, bundle, SUITE)
    path.unlink()
    with path.open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(UserError, match="larger than"):
        taken_up(tmp_path, bundle, SUITE)
