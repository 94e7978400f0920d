"""A hook whose model gives no usable answer, and what a model was asked, in the results of `forgeteval run`."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from forgeteval.cli.exits import Exit
from forgeteval.cli.main import build_app
from forgeteval.run.results import Results
from tests.support.paths import ROOT
from tests.support.scripted_endpoint import ScriptedEndpoint, answer

NONE = '{"whole": [], "in_part": []}'


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("FORGETEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def run(endpoint: ScriptedEndpoint, *further: str) -> Result:
    store = ["run", "tests.support.scripted_planner:ListBackend", "--limit", "3", "--out", "new.json"]
    how = ["--model", "small", "--base-url", endpoint.url, "--key-env", "", "--no-controls", "--quiet"]
    return CliRunner().invoke(build_app(), [*store, *how, *further])


def test_a_model_without_a_usable_answer_is_said_and_ends_with_its_code(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer("{}")
    done = run(endpoint)
    results = Results.load("new.json")
    decisions = sum(len(trial.decisions) for trial in results.trials)
    note = (
        f"hook small: {decisions} of {decisions} decisions fell back to the store's own policy "
        "(no answer could be used)"
    )
    assert decisions >= 3 and done.exit_code == Exit.nothing_ran
    assert results.notes[1:] == (note,) and f"note: {note}" in done.output.splitlines()
    assert CliRunner().invoke(build_app(), ["show", "new.json"]).output.count(note) == 1


def test_a_model_that_decides_once_is_no_failure(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer("{}")
    endpoint.script = [answer(NONE)]
    done = run(endpoint)
    *_, note = Results.load("new.json").notes
    assert done.exit_code == Exit.fine and "decisions fell back" in note


def test_an_unusable_answer_of_a_hook_whose_caller_is_asked_is_no_question(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer("{}")
    done = run(endpoint, "--unsure", "ask")
    *_, note = Results.load("new.json").notes
    assert done.exit_code == Exit.nothing_ran
    assert note.endswith("were left to the caller, so that nothing was forgotten (no answer could be used)")


def test_trials_have_what_their_model_was_asked_kept_or_not(endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer(NONE)
    done = run(endpoint)
    live, asked = Results.load("new.json").trials, len(endpoint.asked)
    assert sum(trial.llm_calls for trial in live) >= asked >= 3 and {trial.model for trial in live} == {"small"}
    assert all(trial.tokens_in and trial.tokens_out for trial in live)
    used = [sum(getattr(trial, name) for trial in live) for name in ("llm_calls", "tokens_in", "tokens_out")]
    assert f"hook small: {used[0]:,} calls, {used[1]:,} tokens in, {used[2]:,} out" in done.output.splitlines()
    run(endpoint)
    again = Results.load("new.json").trials
    assert len(endpoint.asked) == asked
    assert [(one.llm_calls, one.tokens_in, one.tokens_out) for one in again] == [
        (one.llm_calls, one.tokens_in, one.tokens_out) for one in live
    ]


def test_a_key_that_is_not_set_is_said_with_the_way_to_need_none(endpoint: ScriptedEndpoint) -> None:
    done = run(endpoint, "--key-env", "OPENAI_API_KEY")
    assert "--key-env '' (api_key_env=None) for an endpoint that needs none" in str(done.exception)


@pytest.mark.parametrize("words", [["show", "none.json"], ["compare", "none.json", "none.json"]])
def test_missing_results_are_said_with_what_writes_them(words: list[str]) -> None:
    said = str(CliRunner().invoke(build_app(), words).exception)
    assert said == "none.json: no such file; `forgeteval run STORE --out none.json` writes it"
