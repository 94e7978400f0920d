"""Results of the atlas: recorded whole, taken up as they were, and compared verdict by verdict."""

import json
import re
import shutil
import subprocess
from argparse import Namespace
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from forgeteval.cases.long.generate import generate_histories
from forgeteval.cases.long.material import read_material
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.cli import atlas as commands
from lethe.config import atlas as entries
from lethe.config import reading
from lethe.fingerprints import SHIPPED, sha256_of
from lethe.parquet import Row, read_rows, write_rows
from lethe.schemas import CASES, ERASURE_RECORDS, LONG_ANSWERS, TRIALS, Table
from lethe.stored.cases import cases_as_told, read_suite, suite_as_told
from lethe.stored.histories import event_rows
from lethe.study.atlas import atlas_of
from lethe.study.paths import TOLD_TRIALS
from lethe.systems.backends import backend_class
from lethe.trust import atlas
from lethe.trust.answers_and_records import check_erasures
from tests.support.bundle import OTHER, SUITE, config
from tests.support.commands import app, mark_clone
from tests.support.config import of

NAME = "naive_sql"
SYSTEM = {"label": "Naive SQL", "regime": "deterministic", "backend": f"atlas.{NAME}.adapter:Naive"}
SEED = 42
TRACES = ("text", "sentence", "token", "vector")
KEY: dict[str, Any] = {"system": NAME, "model": "", "rows": 10, "case_id": "erasure-01"}
AUDIT: dict[str, dict[str, str]] = {
    "before": {**dict.fromkeys(TRACES, "found"), "own text": "found", "bystander": "kept"},
    "A0": {"question": "absent", "bystander": "kept", "marker": "absent"},
    "A1": dict.fromkeys(("own text", "neighbour 1", "neighbour 2"), "absent"),
    "A2": dict.fromkeys(("get", "list", "history", "export", "graph", "summary"), "na"),
    "A3": {"claim": "says gone", **dict.fromkeys(TRACES, "found")},
    "A4": {**dict.fromkeys(TRACES, "absent"), "bystander": "kept"},
    "A5": {**dict.fromkeys(TRACES, "absent"), "question": "absent", "own text": "absent", "bystander": "kept"},
    "A6": {**dict.fromkeys(("background work", "undo", "summary", "second scope"), "na"), "fed again": "found"}
    | {"bystander": "kept"},
}
DETAIL = {"na": ["none"], "says gone": ["files", "erased"]}
RECORDS: list[dict[str, Any]] = [
    {**KEY, "level": level, "place": place, "outcome": outcome}
    | {"detail": ["store.db (free page): UTF-8"] if place in TRACES and outcome == "found" else DETAIL.get(outcome, [])}
    for level, places in AUDIT.items()
    for place, outcome in places.items()
]
"""Of a case of a system that leaves its text in a free page until it is compacted."""


@cache
def events() -> list[dict[str, Any]]:
    return event_rows(generate_histories(read_material(SHIPPED / "suites/long"), SEED, 1, [10]))


def answered() -> list[dict[str, Any]]:
    """Answers of a system that recalls a memory of each question of the long histories, and has all."""
    return [
        {"system": NAME, "model": "", "history": row["history"], "question_id": row["question_id"]}
        | {"recalled": [row["anchors"][0]["text"]], "present": [True] * len(row["anchors"])}
        | {"recall_ms": 1.0, "error": None}
        for row in events()
        if row["question_id"] is not None
    ]


@pytest.fixture
def kept(bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the atlas with the trials of a small workflow recorded in it."""
    monkeypatch.setattr(atlas, "SUITES", (SUITE, OTHER))
    monkeypatch.setattr(atlas, "_events", lambda seed: events())
    sizes = {"long": {"histories": 1, "k": [10]}, "erasure": {"rows": [10], "cases": [1]}}
    monkeypatch.setattr(atlas, "SIZES", sizes)
    folder = tmp_path / "atlas" / NAME
    folder.mkdir(parents=True)
    entry = {"package": "p", "version": "1", "released": "2026-10", "licence": "MIT", "promise": "Gone."}
    (folder / "entry.yaml").write_text(yaml.safe_dump({**entry, "systems": {NAME: SYSTEM}}), encoding="utf-8")
    write_rows(bundle / ERASURE_RECORDS.path.format(rows=10, system=NAME), ERASURE_RECORDS, RECORDS, "code")
    told = []
    for case in cases_as_told(read_suite(bundle / CASES.path.format(suite=SUITE))):
        recalled, there = list(case.setup_facts), [True] * len(case.setup_facts)
        trial = Trial(case.suite, NAME, "", 0, case.case_id, "pass", recalled=recalled, present=there)
        told.append({**trial.to_row(), "probed_verdict": "pass"})
    write_rows(bundle / TOLD_TRIALS.format(system=NAME), TRIALS, told, "code")
    write_rows(bundle / LONG_ANSWERS.path.format(system=NAME), LONG_ANSWERS, answered(), "code")
    (tmp_path / "environments").mkdir()
    (tmp_path / f"environments/atlas-{NAME}.freeze.txt").write_text("p==1\n", encoding="utf-8")
    atlas.record(folder, bundle, settings(tmp_path))
    return folder


def settings(tmp_path: Path) -> Any:
    run = {**config()["run"], "workloads": [*config()["run"]["workloads"], "long"]}
    return of({**config(), "seed": SEED, "environments_dir": str(tmp_path / "environments"), "run": run})


def taken_up(
    tmp_path: Path, bundle: Path, *suites: str, long: str | None = None, k: int = 10
) -> tuple[list[Any], list[Any], list[Any]]:
    trials, answers, records = (tmp_path / f"{name}.parquet" for name in ("trials", "answers", "records"))
    cases = {suite: bundle / CASES.path.format(suite=suite) for suite in suites}
    made_from = entries.long_fingerprint(settings(tmp_path)) if long is None else long
    atlas.take_up(tmp_path / "atlas", cases, made_from, SEED, k, trials, answers, records, "code")
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
    assert (answers, records) == (answered(), RECORDS)
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
    rows = len(read_rows(kept / "trials.parquet", TRIALS)) + len(answered()) + len(RECORDS)
    assert atlas.compare(kept, bundle, settings(tmp_path)) == atlas.Compared(rows, {}, [])
    first = break_first(bundle)
    compared = atlas.compare(kept, bundle, settings(tmp_path))
    ((key, words),) = compared.new.items()
    assert first["case_id"] in key and words == f"{first['verdict']} is recorded, error came now"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"k": 5}, "others are here: run.k, 5 in the record"),
        ({"long": "0" * 16}, "the long histories"),
        ({"suites": {SUITE: {"version": 1, "cases_sha256": "0" * 64}}}, f"the cases of {SUITE}"),
    ],
)
def test_what_was_asked_something_else_is_not_compared(
    kept: Path, bundle: Path, tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    edit_record(kept, **changes)
    with pytest.raises(UserError, match=says) as error:
        atlas.compare(kept, bundle, settings(tmp_path))
    assert "forgeteval atlas run naive_sql" in str(error.value)


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
        done = CliRunner().invoke(commands.atlas, ["check", NAME, *options, "--root", str(mark_clone(tmp_path))])
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


def test_what_was_recorded_of_another_version_is_not_that_of_the_entry(kept: Path, tmp_path: Path) -> None:
    """A new version in an entry is not measured by the numbers of the old one."""
    assert atlas_of(settings(tmp_path), kept.parent, {})[NAME].day
    entry = kept / entries.ENTRY_FILE
    entry.write_text(entry.read_text(encoding="utf-8").replace("version: '1'", "version: '2'"), encoding="utf-8")
    assert not atlas_of(settings(tmp_path), kept.parent, {})[NAME].day
    with pytest.raises(
        UserError, match=r"nothing is recorded, or not of the version in entry\.yaml; run `forgeteval atlas run"
    ):
        atlas.recorded(kept)


@pytest.mark.parametrize(
    ("package", "named", "class_name"),
    # A version of two numbers is a number to YAML; a module's name begins with no digit.
    [("some-memory==1.10", "some_memory", "SomeMemoryBackend"), ("3d-memory==1.0", "m3d_memory", "M3dMemoryBackend")],
)
def test_a_new_entry_is_read_whatever_its_name_and_version_look_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package: str, named: str, class_name: str
) -> None:
    monkeypatch.setattr(commands, "_lock", lambda folder: None)
    done = CliRunner().invoke(app, ["atlas", "new", package, "--root", str(mark_clone(tmp_path))])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "atlas" / named
    file = folder / entries.ENTRY_FILE
    file.write_text(file.read_text(encoding="utf-8").replace("YYYY-MM", "2026-10"), encoding="utf-8")
    entry = entries.read_entry(folder)
    assert f"{entry.package}=={entry.version}" == package
    ((name, system),) = entry.systems.items()
    assert (name, backend_class(system.backend)) == (named, f"atlas.{named}.adapter:{class_name}")
    compile((folder / "adapter.py").read_text(encoding="utf-8"), "adapter.py", "exec")


@pytest.mark.parametrize("ends", [UserError("no such package"), KeyboardInterrupt()])
def test_an_entry_whose_packages_were_not_resolved_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: BaseException
) -> None:
    def ended(folder: Path) -> None:
        raise ends

    monkeypatch.setattr(commands, "_lock", ended)
    done = CliRunner().invoke(app, ["atlas", "new", "some-memory==1.10", "--root", str(mark_clone(tmp_path))])
    assert done.exit_code != 0
    assert not list((tmp_path / "atlas").iterdir())


def test_the_cases_of_a_suite_that_a_system_skips_are_made(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The record names them all the same."""
    entry = kept / entries.ENTRY_FILE
    skips = {**yaml.safe_load(entry.read_text(encoding="utf-8")), "systems": {NAME: SYSTEM | {"skip_suites": [OTHER]}}}
    entry.write_text(yaml.safe_dump(skips), encoding="utf-8")
    monkeypatch.setattr(entries, "SUITES", (SUITE, OTHER))
    asked = list[str]()

    def snakemake(command: list[str], **_: Any) -> Namespace:
        asked.extend(command)
        return Namespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", snakemake)
    monkeypatch.setattr(reading, "read_config", lambda root, files: settings(tmp_path))
    commands._workflow(NAME, tmp_path, Path("out"), 1)
    assert f"out/{CASES.path.format(suite=OTHER)}" in asked
    assert f"out/{TRIALS.path.format(suite=OTHER, system=NAME)}" not in asked


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
    "verdicts": (lambda rows: [{**row, "verdict": "pass"} for row in rows], "it is 'fail'"),
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
        ("long", LONG_ANSWERS, {"recalled": list("abcdefghijk")}, "11 texts recalled; k is 10"),
        ("long", LONG_ANSWERS, {"present": []}, "present: 0 flags"),
        ("long", LONG_ANSWERS, {"recall_ms": -1e9}, "no number of milliseconds"),
        ("erasure", ERASURE_RECORDS, {"system": "lethe"}, "holds rows of"),
        ("erasure", ERASURE_RECORDS, {"rows": 1_000_000}, "0 of the 1 cases of the audit, and 1 others"),
        ("erasure", ERASURE_RECORDS, {"case_id": "mine"}, "0 of the 1 cases of the audit, and 1 others"),
        ("erasure", ERASURE_RECORDS, {"outcome": "perfect"}, "outcome 'perfect' is none that it has"),
    ],
)
def test_forged_answers_and_records_are_refused(
    kept: Path, bundle: Path, tmp_path: Path, name: str, table: Table, changes: dict[str, Any], said: str
) -> None:
    forge(kept, lambda rows: [{**row, **changes} for row in rows], table, name)
    with pytest.raises(UserError, match=said):
        taken_up(tmp_path, bundle, SUITE, OTHER)


def absent(row: Row) -> Row:
    return {**row, "outcome": "absent"} if (row["level"], row["outcome"]) == ("A3", "found") else row


FORGED_BESIDE: dict[str, tuple[str, Callable[[list[Row]], list[Row]], str]] = {
    "not there, though recalled": (
        "long",
        lambda rows: [{**row, "present": [False] * len(row["present"])} for row in rows],
        "says of a memory that was recalled that it is not there",
    ),
    "favourable answers alone": ("long", lambda rows: rows[::2], "questions that were asked"),
    "no answer": ("long", lambda rows: [], "answers 0 of the"),
    "an answer to another question": (
        "long",
        lambda rows: [*rows, {**rows[0], "question_id": "mine"}],
        "questions that were asked, and 1 others",
    ),
    "absent, with its traces": ("erasure", lambda rows: [*map(absent, rows)], "outcome absent, and 1 traces"),
    "found, without a trace": ("erasure", lambda rows: [{**row, "detail": []} for row in rows], "and 0 traces"),
    "without what was found": (
        "erasure",
        lambda rows: [row for row in rows if (row["level"], row["outcome"]) != ("A3", "found")],
        "no record of A3 sentence",
    ),
    "no record": ("erasure", lambda rows: [], "0 of the 1 cases"),
    "an unknown level": ("erasure", lambda rows: [*rows, {**rows[0], "level": "Z9"}], "Z9 'text': nothing that is"),
    "a claim of nothing": (
        "erasure",
        lambda rows: [{**row, "detail": []} if row["place"] == "claim" else row for row in rows],
        "does not say of what the claim is",
    ),
    "nothing told": (
        "trials",
        lambda rows: [row for row in rows if row["suite"] != suite_as_told(SUITE)],
        "0 trials; ",
    ),
}


@pytest.mark.parametrize("forged", FORGED_BESIDE)
def test_what_no_run_comes_to_is_refused(kept: Path, bundle: Path, tmp_path: Path, forged: str) -> None:
    name, change, said = FORGED_BESIDE[forged]
    forge(kept, change, {"long": LONG_ANSWERS, "erasure": ERASURE_RECORDS, "trials": TRIALS}[name], name)
    with pytest.raises(UserError, match=re.escape(said)) as error:
        taken_up(tmp_path, bundle, SUITE, OTHER)
    assert "\n" not in str(error.value) and str(kept / f"{name}.parquet") in str(error.value)


@pytest.mark.parametrize("name", entries.RESULT_FILES)
def test_a_file_that_the_record_leaves_out_is_named(kept: Path, bundle: Path, tmp_path: Path, name: str) -> None:
    path = kept / entries.RECORD_FILE
    record = json.loads(path.read_text(encoding="utf-8"))
    del record["files"][name]
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(UserError, match=f"files: lacks {re.escape(name)}"):
        taken_up(tmp_path, bundle, SUITE, OTHER)


def test_a_workload_that_a_system_skips_may_lack(kept: Path, bundle: Path, tmp_path: Path) -> None:
    entry = yaml.safe_load((kept / "entry.yaml").read_text(encoding="utf-8"))
    entry["systems"][NAME]["skip_suites"] = ["long", "erasure", "told"]
    (kept / "entry.yaml").write_text(yaml.safe_dump(entry), encoding="utf-8")
    forge(kept, lambda rows: [], LONG_ANSWERS, "long")
    forge(kept, lambda rows: [], ERASURE_RECORDS, "erasure")
    forge(kept, lambda rows: [row for row in rows if row["suite"] != suite_as_told(SUITE)])
    trials, answers, records = taken_up(tmp_path, bundle, SUITE, OTHER)
    assert {row["suite"] for row in trials} == {SUITE, OTHER} and not answers and not records


IN_MEMORY = {"A3": {"files": "na"}, "A4": {"compaction": "na"}, "A5": {"restart": "na"}}


@pytest.mark.parametrize(
    "changes",
    [
        {"before": {"own text": "found", "bystander": "kept"}, **IN_MEMORY},
        {"A4": {"compaction": "na"}},
        {"A4": {"compaction": "failed", **AUDIT["A4"]}},
        {"A0": {**AUDIT["A0"], "examination": "error"}, "A3": {}, "A4": {}},
    ],
)
def test_what_an_audit_comes_to_is_taken_up(changes: dict[str, dict[str, str]]) -> None:
    reasons = {**DETAIL, "failed": ["why"], "error": ["why"]}
    found = [
        {**KEY, "level": level, "place": place, "outcome": outcome}
        | {"detail": ["a.db"] if place in TRACES and outcome == "found" else reasons.get(outcome, [])}
        for level, places in {**AUDIT, **changes}.items()
        for place, outcome in places.items()
    ]
    assert not list(check_erasures("erasure.parquet", [10], ["erasure-01"], found))


def test_a_record_of_another_k_or_of_other_cases_is_left_out(kept: Path, bundle: Path, tmp_path: Path) -> None:
    assert taken_up(tmp_path, bundle, SUITE, k=5) == ([], [], [])
    edit_record(kept, suites={SUITE: {"version": 0, "cases_sha256": "0" * 64}})
    trials, _, records = taken_up(tmp_path, bundle, SUITE, OTHER)
    assert {row["suite"] for row in trials} == {OTHER} and records


def test_a_file_that_would_fill_the_memory_is_not_read(
    kept: Path, bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(atlas, "_MOST_UNPACKED", 1 << 20)

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
