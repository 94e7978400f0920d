"""What is said of a file of trials with a chat model."""

from pathlib import Path
from typing import Any

import pytest

from forgeteval.run.trials import Trial
from lethe.cli.answers import record
from lethe.cli.reasons import Job, told
from lethe.findings.ending import column_lines
from lethe.parquet import write_rows
from lethe.schemas import TRIALS
from lethe.stored.closing import closing_lines, usage_lines


def rows(model: str = "mine", **columns: Any) -> list[dict[str, Any]]:
    made = [Trial("few", "lethe+llm" if model else "lethe", model, 0, f"c{n}", verdict="pass") for n in range(2)]
    return [{**trial.to_row(), **columns} for trial in made]


def test_errors_and_their_remedy_are_said() -> None:
    broken = rows(verdict="error", error="purge: no answer")
    path = Path("runs/few.parquet")
    (line,) = closing_lines(path, broken, live=True)
    assert line == (
        "runs/few.parquet: 2 of 2 trials are errors, the first: purge: no answer; to run them again: rm "
        "runs/few.parquet and the same command"
    )
    (line,) = closing_lines(path, broken, live=False)
    assert "rm " not in line, "asking again helps nothing where nobody may be asked"
    assert list(closing_lines(path, rows(), live=True)) == []


def test_answers_without_tokens_are_said_and_those_cut_off_where_somebody_may_be_asked() -> None:
    path = Path("few.parquet")
    unreported = (
        "few.parquet: 3 answers of the model came without their tokens, which count as none; their price, where there "
        "is one, is the most that they may cost"
    )
    assert list(usage_lines(path, 3, 0, live=True)) == list(usage_lines(path, 3, 2, live=False)) == [unreported]
    (line,) = usage_lines(path, 0, 2, live=True)
    assert line.startswith("few.parquet: 2 answers of the model were cut off (finish_reason length); a reasoning model")
    assert list(usage_lines(path, 0, 0, live=True)) == []


@pytest.mark.parametrize(("fallbacks", "no_result"), [(0, None), (1, False), (2, True)])
def test_the_closing_comparison_says_what_fell_back(tmp_path: Path, fallbacks: int, no_result: bool | None) -> None:
    folder = tmp_path / "results" / "runs" / "few"
    hooked = rows(decisions=["purge"])
    for trial in hooked[:fallbacks]:
        trial["llm_fallbacks"] = 1
    write_rows(folder / "lethe+llm@mine.parquet", TRIALS, hooked, "test")
    write_rows(folder / "lethe.parquet", TRIALS, rows(model=""), "test")
    (line,) = column_lines(tmp_path, ["mine"])
    assert (f"{fallbacks} of 2 decisions fell back" in line) == (no_result is not None)
    assert ("no result of the model" in line) == bool(no_result)


def test_a_column_that_did_not_run_is_not_compared(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "runs" / "few"
    write_rows(folder / "lethe+llm@mine.parquet", TRIALS, rows(), "test")
    write_rows(folder / "lethe.parquet", TRIALS, rows(model=""), "test")
    written = (folder / "lethe+llm@mine.parquet").stat().st_mtime
    assert len(column_lines(tmp_path, ["mine"], written - 1)) == 1
    assert column_lines(tmp_path, ["mine"], written + 1) == []


def test_two_mappings_that_changed_are_compared_key_by_key() -> None:
    was = "{'system': 'lethe+llm', 'hook_contract': 'rows'}, {'base_url': 'x', 'contract': 'rows'}"
    now = was.replace("rows", "paper")
    job = Job("run", "a.parquet", f"Params have changed since last execution: before: {was} now: {now}")
    assert told(job, Path(), Path()) == [
        "hook_contract was 'rows' and is 'paper'",
        "contract was 'rows' and is 'paper'",
    ]


def test_recording_says_that_answers_of_endpoints_are_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "suites.yaml").write_text("suites: {}\n")
    (tmp_path / "models.yaml").write_text("models: {served: {serve: {}}}\n")
    mine = tmp_path / "mine.yaml"
    mine.write_text("models: {my-model: {base_url: http://127.0.0.1:8080/v1}}\n")
    with pytest.raises(Exception, match="served"):
        record(tmp_path, tmp_path, tmp_path, None, [mine], tmp_path)
    assert "my-model: an endpoint's answers are not recorded; share" in capsys.readouterr().out
