"""Handing in and taking in: what follows is admitted, a forged verdict is named, and a sample is run again."""

import errno
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval import load_suite
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.embed.embedder import CachedEmbedder
from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.run.trials import Trial, judge
from lethe.config.atlas import atlas_labels
from lethe.config.configurations import Configuration
from lethe.config.model import Config
from lethe.config.reading import typed
from lethe.config.submission import (
    ADAPTER_FILE,
    ADMISSION_FILE,
    LOCK_FILE,
    SUBMISSION_FILE,
    TRIALS_FILE,
    HandedSuite,
    Submission,
    faults_of_own_adapter,
)
from lethe.parquet import read_rows
from lethe.schemas import CASES, TRIALS
from lethe.trust.admit import _work_folder, admit
from lethe.trust.bundle import unpack_bundle
from lethe.trust.check import audit
from lethe.trust.judging import cases_of, is_of_this_project
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.rerun import Rerun
from lethe.trust.submit import submit
from lethe.trust.trials import check_suite, judged_again
from tests.support.bench import HashEmbedder
from tests.support.bundle import OTHER, SUITE, config, edit, sign_off
from tests.support.config import of, put
from tests.support.paths import ROOT

Change = Callable[[dict[str, Any]], Mapping[str, Any] | None]


def test_what_follows_is_admitted_as_it_was_handed_in(bundle: Path, handed: Path, tmp_path: Path) -> None:
    submission, found = admit(handed, of(config()), tmp_path / "into")
    assert (found.findings, found.own_adapter, found.rerun) == ([], False, 0)
    assert submission.suites.keys() == {SUITE, OTHER}
    folder = tmp_path / "into/Ana/naive_sql"
    kept = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    trials = {TRIALS_FILE.format(suite=suite) for suite in (SUITE, OTHER)}
    assert kept == {SUBMISSION_FILE, ADMISSION_FILE, LOCK_FILE, *trials}
    of_bundle = bundle / TRIALS.path.format(suite=SUITE, system="naive_sql")
    assert read_rows(folder / TRIALS_FILE.format(suite=SUITE), TRIALS) == read_rows(of_bundle, TRIALS)
    assert [path.name for path in (tmp_path / "into").iterdir()] == ["Ana"], "nothing half-written stays"


def test_a_fact_that_the_question_recalled_is_there_whatever_the_trial_says() -> None:
    case = next(iter(load_suite("adversarial")))
    assert case.states is not None
    facts = [state.any_of[0] for state in case.states]
    trial = Trial(case.suite, "shelf", "", 0, case.case_id, "fail", recalled=facts[:1], present=[False] * len(facts))
    assert judged_again(trial.to_row(), case)["present"] == [True] + [False] * (len(facts) - 1)
    said = replace(trial, present=[True] * len(facts))
    assert judged_again(said.to_row(), case)["present"] == [True] * len(facts), "they may have been asked for directly"
    assert judged_again(replace(trial, present=[True]).to_row(), case)["present"] == []


@pytest.mark.parametrize(
    ("present", "gateway", "said"),
    [
        ([[], [True] * 4], "", "present: 0 flags; the case has 4 states"),
        ([[True] * 4, [True] * 3], "", "present: 3 flags; the case has 4 states"),
        ([[], []], "", "present: 0 flags; the case has 4 states"),
        ([[], [True] * 4], "chat", "present: 0 flags; the case has 4 states"),
        ([[], []], "chat", ""),
        ([[True] * 4, [False] * 4], "", ""),
    ],
)
def test_a_trial_has_a_flag_for_each_state_of_its_case(present: list[list[bool]], gateway: str, said: str) -> None:
    cases = [case for case in load_suite("adversarial") if len(case.states or ()) == 4][:2]
    rows = [
        Trial(case.suite, "shelf", "", 0, case.case_id, "fail", list(case.must_contain), present=flags).to_row()
        for case, flags in zip(cases, present, strict=True)
    ]
    rows = [{**row, "probed_verdict": "fail"} for row in rows]
    found = list(check_suite("trials", cases, rows, Configuration("shelf", gateway=gateway), 1, 10))
    assert any(said in line for line in found) if said else not found, found


def test_the_bytes_are_the_same_each_time(bundle: Path, handed: Path, tmp_path: Path) -> None:
    submit(bundle, "naive_sql", "Ana", tmp_path / "again.tar.gz", ROOT)
    assert (tmp_path / "again.tar.gz").read_bytes() == handed.read_bytes()


def test_no_credential_of_what_broke_leaves_the_run(bundle: Path, tmp_path: Path) -> None:
    path = TRIALS.path.format(suite=SUITE, system="naive_sql")
    broke = {"error": "refused: password=secret", "traceback": "token: secret", "decisions": ["purge: token=secret"]}
    edit(bundle, path, TRIALS, lambda row: {**row, **broke})
    sign_off(bundle)
    submit(bundle, "naive_sql", "Ana", tmp_path / "file", ROOT)
    unpacked = tmp_path / "unpacked"
    unpacked.mkdir()
    unpack_bundle(tmp_path / "file", unpacked)
    rows = read_rows(unpacked / TRIALS_FILE.format(suite=SUITE), TRIALS)
    assert {row["error"] for row in rows} == {"refused: password="} and "secret" not in str(rows)


def test_trials_that_are_not_those_of_the_run_are_not_handed_in(bundle: Path, tmp_path: Path) -> None:
    """A file may be of an earlier run, or of a later one of it alone, with other settings."""
    path = TRIALS.path.format(suite=SUITE, system="naive_sql")
    edit(bundle, path, TRIALS, lambda row: row.update(recall_ms=7.5))
    with pytest.raises(
        UserError, match=r"naive_sql\.parquet: is not the one that results/manifest\.parquet lists; run"
    ):
        submit(bundle, "naive_sql", "Ana", tmp_path / "file", ROOT)
    sign_off(bundle)
    cases = CASES.path.format(suite=SUITE)
    before = (bundle / cases).read_bytes()
    edit(bundle, cases, CASES, lambda row: row.update(query="something else"))
    with pytest.raises(UserError, match=r"cases.*: is not the one that results/manifest\.parquet lists; run"):
        submit(bundle, "naive_sql", "Ana", tmp_path / "file", ROOT)
    (bundle / cases).write_bytes(before)
    (bundle / path).rename(tmp_path / "moved")
    with pytest.raises(
        UserError, match=r"naive_sql\.parquet: is not the one that results/manifest\.parquet lists; run"
    ):
        submit(bundle, "naive_sql", "Ana", tmp_path / "file", ROOT)
    (tmp_path / "moved").rename(bundle / path)
    recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
    for suite in recipe["setup"]["suites"].values():
        suite["not_run"]["naive_sql"] = "not in run.systems"
    (bundle / RECIPE_FILE).write_text(json.dumps(recipe), encoding="utf-8")
    with pytest.raises(UserError, match="no trials of naive_sql in this run; run it first"):
        submit(bundle, "naive_sql", "Ana", tmp_path / "file", ROOT)
    assert f"{path}: of nothing that this run names; not looked at" in audit(bundle).taken


def test_what_is_there_already_is_not_replaced(handed: Path, tmp_path: Path) -> None:
    admit(handed, of(config()), tmp_path / "into")
    with pytest.raises(UserError, match="already there; remove it first"):
        admit(handed, of(config()), tmp_path / "into")


def forged(bundle: Path, tmp_path: Path, change: Change) -> list[str]:
    """The findings on a bundle of trials that somebody changed before handing them in."""
    edit(bundle, TRIALS.path.format(suite=SUITE, system="naive_sql"), TRIALS, change)
    sign_off(bundle)
    file = tmp_path / "forged.tar.gz"
    submit(bundle, "naive_sql", "Ana", file, ROOT)
    _, found = admit(file, of(config()), tmp_path / "into")
    assert not (tmp_path / "into/Ana").exists()
    return list(found.findings)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: {**row, "verdict": "pass", "missing": [], "leaked": []}, "verdict: this file says 'pass'; it is"),
        (lambda row: None if row["verdict"] == "fail" else row, "5 cases, 1 times each"),
        (lambda row: {**row, "case_id": row["case_id"] + "x"}, "holds a trial that is none of naive_sql on mine"),
        (lambda row: {**row, "system": "lethe"}, "holds a trial that is none of naive_sql on mine"),
        (lambda row: {**row, "verdict": "na", "recalled": [], "missing": [], "leaked": [], "present": [],
                      "probed_verdict": None, "error": None}, "na without a reason"),
        (lambda row: {**row, "verdict": "na", "recalled": [], "missing": [], "leaked": [], "present": [],
                      "probed_verdict": None, "error": " \u200b"}, "na without a reason"),
        (lambda row: {**row, "probed_verdict": "maybe"}, "probed_verdict: this file says 'maybe'; it is 'pass'"),
        (lambda row: {**row, "probed_verdict": None}, "probed_verdict: this file says None; it is 'pass'"),
        (lambda row: {**row, "cost_usd": float("nan")}, "cost_usd: no number of milliseconds or dollars"),
        (lambda row: {**row, "cost_usd": 1e300}, "cost_usd: no number of milliseconds or dollars"),
        (lambda row: {**row, "residue": 1 << 62}, "so many forbidden strings the case has not"),
        (lambda row: {**row, "recall_ms": -1.0}, "recall_ms: no number of milliseconds or dollars"),
        (lambda row: {**row, "llm_calls": -(1 << 62)}, "a count below zero, or beyond"),
        (lambda row: {**row, "tokens_in": 1 << 62}, "a count below zero, or beyond"),
        (lambda row: {**row, "recalled": row["recalled"] * 11}, "texts recalled; k is 10"),
    ],
)  # fmt: skip
def test_a_forgery_is_named_and_nothing_is_kept(bundle: Path, tmp_path: Path, change: Change, said: str) -> None:
    said = said.replace("5 cases", f"{len(read_rows(bundle / _run(), TRIALS))} cases")
    findings = forged(bundle, tmp_path, change)
    assert any(said in finding for finding in findings), findings


def _run() -> str:
    return TRIALS.path.format(suite=SUITE, system="naive_sql")


def test_other_cases_than_this_projects_are_refused(handed: Path, tmp_path: Path) -> None:
    _, found = admit(handed, of(put(config(), f"suites/{SUITE}/seed", 7)), tmp_path / "into")
    assert any("have another checksum here" in finding for finding in found.findings)
    known = config()["suites"]
    _, found = admit(handed, typed(put(config(), "suites", {OTHER: known[OTHER]})), tmp_path / "into")
    assert any(f"no suite {SUITE}" in finding for finding in found.findings)


def test_a_system_that_is_none_of_this_project_is_judged_by_its_trials_and_never_loaded(
    bundle: Path, handed: Path, tmp_path: Path
) -> None:
    adapter = tmp_path / "theirs.py"
    adapter.write_text("open('witness', 'w').close()\n", encoding="utf-8")
    file = tmp_path / "theirs.tar.gz"
    submit(bundle, "naive_sql", "Ben", file, ROOT, adapter)
    changed = put(config(), "systems/naive_sql/backend", "chroma")
    _, found = admit(file, of(changed), tmp_path / "into")
    assert found.findings == ["submission.json: configuration: label: 'Naive SQL' is that of naive_sql here"]
    blanks = of(put(changed, "systems/naive_sql/label", " Naive  SQL"))
    assert "is that of naive_sql here" in admit(file, blanks, tmp_path / "into")[1].findings[0]
    own = of(put(changed, "systems/naive_sql/label", "Naive SQL on Chroma"))
    _, found = admit(file, own, tmp_path / "into")
    assert (found.own_adapter, found.findings) == (True, [])
    assert (tmp_path / "into/Ben/naive_sql" / ADAPTER_FILE).read_text(encoding="utf-8").startswith("open")
    assert not list(Path.cwd().glob("witness"))
    with pytest.raises(UserError, match="not a system of this project; leave out --rerun"):
        admit(handed, own, tmp_path / "elsewhere", again(2))
    assert not (tmp_path / "elsewhere/Ana").exists()


@pytest.mark.parametrize(
    ("label", "name", "said"),
    [
        ("plugmem", "mine", "label: 'plugmem' is that of plugmem here"),
        ("PlugMem", "mine", "label: 'PlugMem' is that of plugmem here"),
        ("Mine", "plugmem", "'plugmem' is a system of the atlas here; choose another name"),
    ],
)
def test_a_system_of_the_atlas_keeps_its_name_and_its_label(label: str, name: str, said: str) -> None:
    atlas = atlas_labels(ROOT / "atlas")
    assert faults_of_own_adapter("Ben", name, label, of(config()), atlas) == [f"configuration: {said}"]
    assert faults_of_own_adapter("Ben", "mine", "Mine", of(config()), atlas) == []


def test_a_label_that_looks_like_one_of_this_project_is_refused(bundle: Path, tmp_path: Path) -> None:
    def findings(label: str, own: str) -> list[str]:
        """What is found of a system of that label where this project has one called `own`."""
        recipe = json.loads((bundle / RECIPE_FILE).read_text(encoding="utf-8"))
        recipe["setup"]["configurations"]["naive_sql"]["label"] = label
        (bundle / RECIPE_FILE).write_text(json.dumps(recipe), encoding="utf-8")
        file = tmp_path / "named.tar.gz"
        submit(bundle, "naive_sql", "Ben", file, ROOT)
        changed = put(put(config(), "systems/naive_sql/backend", "chroma"), "systems/naive_sql/label", own)
        _, found = admit(file, of(changed), tmp_path / "into" / label)
        return list(found.findings)

    lisu, marked, blank = "\ua4dfem0", "Mem\u03320", "Mem0\u2800"
    cyrillic, greek = "\u041c\u0435\u043c0", "\u039c\u0395\u039c0"
    for label in (cyrillic, greek, f"{cyrillic} store", lisu, marked, "MemO"):
        own = "Mem0 store" if "store" in label else "MEM0" if label == greek else "Mem0"
        said = f"label: {label!r} looks like {own!r}, that of naive_sql here; choose another"
        assert findings(label, own) == [f"submission.json: configuration: {said}"]
    assert findings(blank, "Mem0") == [f"submission.json: configuration: label: {blank!r} is that of naive_sql here"]
    nko, thai, telugu, adlam = "Mem\u07c0", "Mem\u0e50", "Mem\u0c66", "Mem\U0001e950"
    small, modified = "Mem\u1d0f", "\u1d0dem0"
    for label in (nko, thai, telugu, adlam, small, modified):
        said = f"label: {label!r} looks like 'Mem0', that of naive_sql here; choose another"
        assert findings(label, "Mem0") == [f"submission.json: configuration: {said}"]
    for label in (
        "\u8bb0\u5fc6",
        "\u041f\u0430\u043c\u044f\u0442\u044c",
        "\u039c\u03bd\u03ae\u03bc\u03b7",
        "Mem1",
        "Mem\u0e51",
    ):
        assert findings(label, "Mem0") == []


def left_by_a_killed_process(into: Path) -> Path:
    """The folder that an `admit` leaves behind which was killed while it checked."""
    hold = "from lethe.trust.admit import _work_folder\nwith _work_folder(Path(sys.argv[1])) as work:"
    code = f"import sys, time\nfrom pathlib import Path\n{hold}\n    print(work, flush=True)\n    time.sleep(600)"
    command = [sys.executable, "-c", code, str(into)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
    with running:
        assert running.stdout is not None
        work = Path(running.stdout.readline().strip())
        assert work.is_dir()
        running.kill()
    return work


def test_what_a_killed_admit_left_is_removed_by_the_next_and_nothing_that_is_in_use(
    handed: Path, tmp_path: Path
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (into / ".being-checked-link").symlink_to(elsewhere)
    left = left_by_a_killed_process(into)
    (left / "trials").mkdir()
    with _work_folder(into) as used:
        assert not left.exists()
        admit(handed, of(config()), into)
        assert used.is_dir()
    assert sorted(path.name for path in into.iterdir()) == [".being-checked-link", "Ana"]
    assert elsewhere.is_dir()


def test_a_system_with_a_credential_in_its_options_is_this_projects_without_it(handed: Path, tmp_path: Path) -> None:
    submission, _ = admit(handed, of(config()), tmp_path / "into")
    without = replace(submission, configuration=replace(submission.configuration, options={"password": ""}))
    own = of(put(config(), "systems/naive_sql/options", {"password": "hush"}))
    assert is_of_this_project(without, own)
    assert not is_of_this_project(submission, own)


def again(cases: int) -> Rerun:
    return Rerun(cases, CachedEmbedder({}, HashEmbedder()), ROOT / "no-environments")


def test_a_sample_is_run_again_and_what_differs_is_named(
    bundle: Path, hand_in: Callable[[str], Path], tmp_path: Path
) -> None:
    _, found = admit(hand_in("oracle"), of(config()), tmp_path / "into", again(3))
    assert (found.rerun, found.same, found.findings) == (6, 6, [])
    path = TRIALS.path.format(suite=SUITE, system="oracle")
    first = read_rows(bundle / path, TRIALS)[0]["case_id"]
    edit(bundle, path, TRIALS, lambda row: _failed(row) if row["case_id"] == first else row)
    sign_off(bundle)
    file = tmp_path / "lower.tar.gz"
    submit(bundle, "oracle", "Ben", file, ROOT)
    _, found = admit(file, of(config()), tmp_path / "elsewhere", again(3))
    assert found.findings == [f"{SUITE}: {first}: 'fail' was handed in; run again it is 'pass'"]
    assert not (tmp_path / "elsewhere/Ben").exists()


def _failed(row: dict[str, Any]) -> dict[str, Any]:
    """A trial that recalled nothing, which follows from its case."""
    from forgeteval.cases.suites import build_suite

    case = next(c for c in build_suite(SUITE, config()["suites"][SUITE]) if c.case_id == row["case_id"])
    found = judge([], case)
    return {
        **row, "recalled": [], "verdict": "fail", "missing": found.missing, "leaked": found.leaked,
        "probed_verdict": "fail",
    }  # fmt: skip


def test_a_signature_counts_for_those_who_are_asked_for(bundle: Path, handed: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"ana@example.org {key.with_suffix('.pub').read_text(encoding='utf-8')}", encoding="utf-8")
    file = tmp_path / "signed.tar.gz"
    submit(bundle, "oracle", "Ana", file, ROOT, key=key)
    _, found = admit(file, of(config()), tmp_path / "into", signers=signers)
    assert found.signer == "ana@example.org"
    text = signers.read_text(encoding="utf-8")
    signers.write_text(f"# of ana\n{text.replace('ana', 'zoe')}\n{text}", encoding="utf-8")
    assert admit(file, of(config()), tmp_path / "second", signers=signers)[1].signer == "ana@example.org"
    signers.write_text(text, encoding="utf-8")
    submit(bundle, "oracle", "Ben", tmp_path / "as_ben.tar.gz", ROOT, key=key)
    with pytest.raises(UserError, match=r"signature: of ana@example\.org, not of Ben, who hands in"):
        admit(tmp_path / "as_ben.tar.gz", of(config()), tmp_path / "into", signers=signers)
    with pytest.raises(UserError, match="/dev/zero: no such file, or a pipe or device"):
        admit(file, of(config()), tmp_path / "elsewhere", signers=Path("/dev/zero"))
    with pytest.raises(UserError, match="bears no signature"):
        admit(handed, of(config()), tmp_path / "into", signers=signers)
    signers.write_text("ana@example.org", encoding="utf-8-sig")
    with pytest.raises(UserError, match=r"signers: begins with a byte order mark; save it as UTF-8 without one"):
        admit(file, of(config()), tmp_path / "other", signers=signers)
    signers.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match=r"^signature: "):
        admit(file, of(config()), tmp_path / "other", signers=signers)
    assert not list((tmp_path / "other").iterdir())


def test_nobody_hands_in_what_another_did_or_under_a_name_that_looks_like_theirs(
    bundle: Path, handed: Path, tmp_path: Path
) -> None:
    admit(handed, of(config()), tmp_path / "into")
    for by, name in (("Ben", "naive_sql"), ("ana", "oracle"), ("A-na", "oracle"), ("Ben", "oracle"), ("Ana", "lethe")):
        submit(bundle, name, by, tmp_path / f"{by}-{name}", ROOT)

    def findings(file: str) -> list[str]:
        return list(admit(tmp_path / file, of(config()), tmp_path / "into")[1].findings)

    assert findings("Ben-naive_sql") == ["submission.json: files: holds trials that Ana handed in before"]
    for by in ("ana", "A-na"):
        assert findings(f"{by}-oracle") == [
            f"submission.json: by: {by} looks like Ana, who handed in before; choose another"
        ]
    assert findings("Ben-oracle") == findings("Ana-lethe") == []


def test_trials_of_another_k_stand_in_no_table_of_this_one(handed: Path, tmp_path: Path) -> None:
    here = of(put(config(), "run/k", 5))
    _, found = admit(handed, here, tmp_path / "into")
    assert "k: 10 memories a recall; the tables here are of k = 5: run it with that" in found.findings


def test_what_cannot_be_handed_in_is_one_line(bundle: Path, tmp_path: Path) -> None:
    def attempt(name: str, by: str) -> None:
        submit(bundle, name, by, tmp_path / "file", ROOT)

    with pytest.raises(UserError, match="no configuration nonesuch; the results have lethe, naive_sql, oracle"):
        attempt("nonesuch", "Ana")
    with pytest.raises(UserError, match=r"the name '../x' has letters"):
        attempt("lethe", "../x")
    with pytest.raises(UserError, match=r"no lock of the environment of lethe there; name the project's folder by"):
        submit(bundle, "lethe", "Ana", tmp_path / "file", tmp_path)
    assert not (tmp_path / "file").exists()


def test_the_record_says_what_ran(handed: Path, tmp_path: Path) -> None:
    admit(handed, of(config()), tmp_path / "into")
    record = json.loads((tmp_path / "into/Ana/naive_sql" / SUBMISSION_FILE).read_text(encoding="utf-8"))
    assert (record["k"], record["repetitions"], record["configuration"]["backend"]) == (10, 1, "naive_sql")
    assert any(package.startswith("numpy==") for package in record["packages"])


def test_a_full_disk_is_one_line_and_nothing_stays(
    handed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UserError, match=r"unpacking .*: No space left on device; free space") as error:
        admit(handed, of(config()), tmp_path / "into")
    assert "\n" not in str(error.value)
    assert list((tmp_path / "into").iterdir()) == []


def test_a_written_suite_of_version_0_is_named() -> None:
    cases = list(load_suite("adversarial"))
    handed = HandedSuite(0, cases_sha256(cases))
    with pytest.raises(UserError, match="version 0 of adversarial, which no suite has"):
        cases_of("adversarial", handed, of(put(config(), "suites/adversarial", {"folder": "suites/adversarial"})))


def test_a_version_of_a_suite_that_has_none_is_named() -> None:
    made = {"seed": 42, "cases_per_family": 1}
    handed = HandedSuite(7, cases_sha256(build_suite("template", made)))
    with pytest.raises(UserError, match="version 7 of template, which has none"):
        cases_of("template", handed, of(put(config(), "suites/template", made)))


@pytest.mark.parametrize(
    ("by", "said"), [("Ana", "already there; remove it first"), ("ANA", "by: Ana looks like ANA, who handed in before")]
)
def test_who_comes_second_at_the_same_time_is_told_so(
    bundle: Path, handed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str, said: str
) -> None:
    submit(bundle, "naive_sql", by, tmp_path / "first.tar.gz", ROOT)
    into, waiting = tmp_path / "into", [tmp_path / "first.tar.gz"]

    def meanwhile(submission: Submission, ours: Config) -> bool:
        if waiting:
            assert not admit(waiting.pop(), ours, into)[1].findings
        return is_of_this_project(submission, ours)

    monkeypatch.setattr("lethe.trust.admit.is_of_this_project", meanwhile)
    try:
        found = admit(handed, of(config()), into)[1].findings
    except UserError as error:
        found = [str(error)]
    assert said in found[0]
    assert [path.name for path in into.glob("[!.]*")] == [by]


def test_no_credential_of_an_address_is_handed_in_with_the_lock(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "envs").mkdir()
    for lock in (ROOT / "envs").glob("*.lock"):
        write_text(tmp_path / "envs" / lock.name, "--find-links https://ana:secret@files/here\nredis==1.0 \\\n")
    submit(bundle, "naive_sql", "Ana", tmp_path / "out.tar.gz", tmp_path)
    with tarfile.open(tmp_path / "out.tar.gz") as archive:
        lock_handed_in = archive.extractfile("environment.lock")
        assert lock_handed_in is not None
        assert lock_handed_in.read() == b"--find-links https://files/here\nredis==1.0 \\\n"
