"""`forgeteval why`."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from lethe.cli import why as command
from lethe.cli.reasons import Job, told, what_is_wrong
from lethe.fingerprints import keep_listings, script_fingerprint
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from tests.support.commands import app
from tests.support.paths import ROOT

CHANGED = "Params have changed since last execution: Union of exclusive params before and now across all output: "


def test_a_changed_module_is_named(tmp_path: Path) -> None:
    before, now = tmp_path / "before", tmp_path / "now"
    for folder in (before, now):
        folder.mkdir()
    (before / "0123456789abcdef.txt").write_text("lethe/files.py aa\nlethe/old.py bb\nlethe/same.py cc\n")
    (now / "fedcba9876543210.txt").write_text("lethe/files.py ab\nlethe/new.py bb\nlethe/same.py cc\n")
    job = Job("run_lethe", "a.parquet", CHANGED + "before: '0123456789abcdef' now: 'fedcba9876543210'")
    assert told(job, before, now) == [
        "code changed: lethe/files.py",
        "code new: lethe/new.py",
        "code gone: lethe/old.py",
    ]
    assert "what it was made of is not listed" in told(job, tmp_path, now)[0]


def test_a_changed_module_is_named_beside_a_package_that_stayed_or_changed(tmp_path: Path) -> None:
    (tmp_path / "0123456789abcdef.txt").write_text("my_store.py aa\n")
    (tmp_path / "fedcba9876543210.txt").write_text("my_store.py ab\n")
    package, other = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"
    before = f"{CHANGED}before: '0123456789abcdef {package}' now: "
    stayed = Job("run_mine", "a.parquet", f"{before}'fedcba9876543210 {package}'")
    assert told(stayed, tmp_path, tmp_path) == ["code changed: my_store.py"]
    changed = Job("run_mine", "a.parquet", f"{before}'fedcba9876543210 {other}'")
    unlisted, module = told(changed, tmp_path, tmp_path)
    assert "a package that it has" in unlisted and module == "code changed: my_store.py"
    alone = Job("run_mine", "a.parquet", f"{before}'0123456789abcdef {other}'")
    assert told(alone, tmp_path, tmp_path) == [unlisted]


def test_a_changed_key_is_named(tmp_path: Path) -> None:
    params = "before: {'k': 10, 'model': {'name': 'a', 'cap': 1}} now: {'k': 5, 'model': {'name': 'b', 'cap': 1}}"
    job = Job("run_lethe", "a.parquet", CHANGED + params)
    assert told(job, tmp_path, tmp_path) == ["k was 10 and is 5", "model.name was 'a' and is 'b'"]
    job = Job("run_lethe", "a.parquet", "Updated input files: cases.parquet; " + CHANGED + "before: 1 now: 2,'x'")
    assert told(job, tmp_path, tmp_path) == [
        "updated input files: cases.parquet",
        "a parameter was [1] and is [2, 'x']",
    ]


def test_listings_say_what_a_fingerprint_is_made_of(tmp_path: Path) -> None:
    keep_listings(tmp_path)
    try:
        fingerprint = script_fingerprint("build_suite.py")
    finally:
        keep_listings(None)
    listed = (tmp_path / f"{fingerprint}.txt").read_text()
    assert "workflow_scripts/build_suite.py " in listed and "forgeteval/cases/suites.py " in listed


def said(*words: str) -> list[str]:
    done = CliRunner().invoke(app, ["why", *words, "--root", str(ROOT)], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output.splitlines()


def test_a_configuration_that_does_not_run_says_why() -> None:
    (line,) = said("results/runs/adversarial/graphiti@qwen2.5-coder-1.5b.parquet")
    assert "not run: the model is not for this suite (models.qwen2.5-coder-1.5b.suites)" in line
    (line,) = said("results/runs/adversarial/cognee.parquet")
    assert "there is no configuration cognee; did you mean cognee@qwen2.5-coder-1.5b" in line


def trial(case_id: str, error: str) -> dict[str, Any]:
    found = Trial("adversarial", "lethe+llm", "m", 0, case_id, "error" if error else "pass")
    found.error = error or None
    return found.to_row()


def test_trials_that_lack_an_answer_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "results/runs/adversarial/lethe+llm@m.parquet"
    errors = {"a": "no answer recorded for a", "b": "it broke", "c": ""}
    write_rows(path, TRIALS, [trial(case_id, error) for case_id, error in errors.items()], "test")
    told = "2 trials are errors, 1 of them about an answer; the first: no answer recorded for a"
    assert list(command._lacking(path, lambda model: False)) == [told]
    (line,) = command._lacking(path, lambda model: True)
    assert line == f"{told}; to run them again: rm {path} and the same command"


def test_what_is_to_be_done_is_grouped(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [Job("embed_suite", "b", "Updated input files: x")]
    jobs += [Job("score", "c", "Input files updated by another job: b")]
    jobs += [Job("run_lethe", f"r{number}", f"Missing output files: r{number}") for number in range(5)]
    monkeypatch.setattr(command, "jobs_to_run", lambda *given: jobs)
    assert said("everything") == [
        "b (embed_suite): updated input files: x",
        "not made yet (run_lethe): r0, r1, r2 and 2 more",
        "after these, as inputs change: 1 score",
    ]
    monkeypatch.setattr(command, "jobs_to_run", lambda *given: [])
    assert said("everything") == ["everything: up to date"]


STARTS = """Using workflow specific profile profiles/default for setting default command line arguments.
Assuming unrestricted shared filesystem usage.

SNAKEMAKE
=========
  Date: 2026-01-01 00:00:00
  Command: snakemake --dry-run
Config file config/config.yaml is extended by additional config specified via the command line.
"""


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("error: mine.py, line 1: not Python (invalid syntax)\n", "mine.py, line 1: not Python (invalid syntax)"),
        (f"error: config: k: {'x' * 400}\n", f"config: k: {'x' * 400}"),
        ('SyntaxError in file "a.py", line 2:\ninvalid:\n', 'SyntaxError in file "a.py", line 2: invalid:'),
        ("host: here\nBuilding DAG of jobs...\nMissingRuleException:\nNo rule to produce x\n",
         "MissingRuleException: No rule to produce x"),
    ],
)  # fmt: skip
def test_of_what_snakemake_says_the_mistake_is_shown(said: str, problem: str) -> None:
    assert what_is_wrong(STARTS + said) == problem


@pytest.mark.slow
def test_snakemake_is_asked() -> None:
    with pytest.raises(UserError, match=r"nonsense: Snakemake cannot plan this: .*No rule to produce nonsense"):
        said("nonsense")
    assert any("build_suite" in line or "up to date" in line for line in said("results/suites/held_out/cases.parquet"))
