"""`forgeteval run` with a baseline: which code it ends with, and what it writes for the next run."""

import codecs
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forgeteval.cli.exits import Exit
from forgeteval.cli.main import build_app
from forgeteval.errors import UserError
from forgeteval.run.baseline import Baseline
from forgeteval.run.trials import Verdict
from tests.support.paths import ROOT
from tests.support.plugin import STORE, SUITE, VERDICTS

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the toy store, in a process of its own, on the toy suite."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "toy.py").write_text(STORE, encoding="utf-8")
    (tmp_path / "cases.jsonl").write_text(SUITE, encoding="utf-8")
    command = ["run", "toy:Store", "--suite", "cases.jsonl", "--quiet", "--no-controls"]
    return lambda *arguments: CliRunner().invoke(build_app(), [*command, *arguments])


def change(path: Path, case_id: str, verdict: Verdict) -> None:
    """Let a baseline say something else of a case."""
    known = Baseline.read(path)
    Baseline(known.suite, known.sha256, {**known.verdicts, case_id: verdict}).save(path)


def test_what_is_written_is_a_baseline_of_the_run(run: Run) -> None:
    assert run("--write-baseline", "known.json").exit_code == Exit.broke
    assert Baseline.read("known.json").verdicts == VERDICTS


@pytest.mark.parametrize("option", ["--write-baseline", "--out"])
def test_the_same_again_is_fine(run: Run, option: str) -> None:
    run(option, "known.json")
    assert run("--baseline", "known.json").exit_code == Exit.fine


@pytest.mark.parametrize(
    ("case_id", "before", "code", "said"),
    [
        ("keeps-2", "pass", Exit.worse, "worse than asked: keeps-2 was pass, is fail"),
        ("case 4", "pass", Exit.worse, "worse than asked: case 4 was pass, is na"),
        ("case 3", "fail", Exit.broke, "worse than asked: case 3 was fail, is error"),
    ],
)
def test_what_got_worse_is_named(run: Run, case_id: str, before: Verdict, code: Exit, said: str) -> None:
    run("--write-baseline", "known.json")
    change(Path("known.json"), case_id, before)
    result = run("--baseline", "known.json")
    assert (result.exit_code, [line for line in result.output.splitlines() if line.startswith("worse")]) == (
        code,
        [said],
    )


def test_what_got_better_is_fine(run: Run) -> None:
    run("--write-baseline", "known.json")
    change(Path("known.json"), "keeps-1", "fail")
    assert run("--baseline", "known.json").exit_code == Exit.fine


def test_a_baseline_is_compared_with_and_written_anew_at_once(run: Run) -> None:
    run("--write-baseline", "known.json")
    change(Path("known.json"), "keeps-2", "pass")
    assert run("--baseline", "known.json", "--write-baseline", "known.json").exit_code == Exit.worse
    assert run("--baseline", "known.json").exit_code == Exit.fine


def test_a_part_of_the_cases_is_compared_with_that_part(run: Run) -> None:
    run("--write-baseline", "known.json")
    change(Path("known.json"), "keeps-2", "pass")
    assert run("--baseline", "known.json", "--limit", "1").exit_code == Exit.fine


def test_a_baseline_of_other_cases_is_refused_before_anything_runs(run: Run) -> None:
    Baseline("others", "0" * 64, {}).save("known.json")
    result = run("--baseline", "known.json", "--out", "results.json")
    assert isinstance(result.exception, UserError)
    assert "the baseline is of other cases (others, 000000000000)" in str(result.exception)
    assert not Path("results.json").exists()


def test_a_baseline_without_any_of_the_cases_is_no_comparison(run: Run) -> None:
    run("--write-baseline", "known.json")
    known = Baseline.read("known.json")
    Baseline(known.suite, known.sha256, {}).save("known.json")
    result = run("--baseline", "known.json", "--write-baseline", "new.json")
    assert result.exit_code == Exit.usage
    assert result.stderr.startswith("error: the baseline has none of the")
    assert not Path("new.json").exists()


def test_cases_that_only_one_of_both_has_are_counted(run: Run) -> None:
    run("--limit", "1", "--write-baseline", "known.json")
    assert "3 of 4 cases are not in known.json, and were not compared with it" in run("--baseline", "known.json").output
    run("--write-baseline", "known.json")
    result = run("--limit", "1", "--baseline", "known.json", "--write-baseline", "known.json")
    assert "3 cases of known.json did not run, and are not in the baseline that was written" in result.output


@pytest.mark.parametrize("option", ["--write-baseline", "--out"])
def test_a_baseline_of_another_k_is_compared_and_a_line_says_so(run: Run, option: str) -> None:
    run("-k", "3", option, "known.json")
    assert "known.json is of k 3, this run of k 10: what differs" in run("--baseline", "known.json").output
    assert "is of k" not in run("--baseline", "known.json", "-k", "3").output


def test_a_baseline_with_a_byte_order_mark_is_one(run: Run) -> None:
    run("--write-baseline", "known.json")
    Path("known.json").write_bytes(codecs.BOM_UTF8 + Path("known.json").read_bytes())
    assert run("--baseline", "known.json").exit_code == Exit.fine


def compared(result: Result) -> str:
    return result.output.splitlines()[-1]


def test_the_last_line_says_how_many_are_worse_and_better_and_what_to_do(run: Run) -> None:
    run("--write-baseline", "known.json")
    change(Path("known.json"), "keeps-2", "pass")
    change(Path("known.json"), "keeps-1", "fail")
    begins = "1 case worse, 1 better than known.json"
    accept = "to accept them: --write-baseline known.json"
    shows = "with --out OUT, forgeteval show OUT ID shows one"
    assert compared(run("--baseline", "known.json")) == f"{begins}; {shows}; {accept}"
    shows = "forgeteval show new.json ID shows one"
    assert compared(run("--baseline", "known.json", "--out", "new.json")) == f"{begins}; {shows}; {accept}"
    done = run("--baseline", "known.json", "--out", "new.json", "--write-baseline", "other.json")
    assert compared(done) == f"{begins}; {shows}"
    change(Path("known.json"), "keeps-2", "fail")
    better = "0 cases worse, 1 better than known.json; to accept this: --write-baseline known.json"
    assert compared(run("--baseline", "known.json")) == better
