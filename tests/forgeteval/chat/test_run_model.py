"""`forgeteval run --model`: its options, when it ends, whom it blames, and what it says of asked and kept answers."""

import json
import traceback
from pathlib import Path

import pytest
from typer.testing import Result

from forgeteval import Results, evaluate
from forgeteval.chat import LLM
from forgeteval.chat.answers import FILE
from forgeteval.cli.exits import Exit
from forgeteval.errors import UserError
from forgeteval.run.trials import Trial
from tests.forgeteval.chat.conftest import RunModel
from tests.forgeteval.cli.conftest import Command
from tests.support.scripted_endpoint import ScriptedEndpoint, answer, body, refusal, refuse
from tests.support.scripted_planner import ListBackend

NONE = '{"whole": [], "in_part": []}'
REMEDY = "a reasoning model needs more: --max-tokens 16384 or --preset NAME"


def failed(done: Result) -> str:
    """What is said of a model that ended the run, in one line."""
    assert (done.exit_code, done.stdout) == (Exit.broke, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: adversarial, ")
    return line


def test_a_preset_and_a_limit(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer(NONE)
    for arguments in ((), ("--max-tokens", "4096"), ("--preset", "openai_reasoning")):
        assert run_model(*arguments, limit=1).exit_code == Exit.fine
    told = [(asked.get("max_tokens"), asked.get("max_completion_tokens")) for asked in endpoint.asked]
    assert list(dict.fromkeys(told)) == [(1024, None), (4096, None), (None, 16384)]


def test_a_preset_that_is_not_known(run_model: RunModel) -> None:
    assert str(run_model("--preset", "other").exception).startswith("preset 'other': unknown; known: openai_reasoning")


@pytest.mark.parametrize("option", [("--preset", "vllm"), ("--max-tokens", "99")])
def test_what_is_said_of_a_model_needs_one(run: Command, option: tuple[str, str]) -> None:
    assert "name one by --model" in str(run("shelves:Shelf", *option).exception)


def test_a_model_that_says_nothing_ends_the_run_and_the_limit_is_named(
    run_model: RunModel, endpoint: ScriptedEndpoint
) -> None:
    endpoint.otherwise = answer("", "length")
    said = failed(run_model("--max-tokens", "512", limit=9))
    assert said.endswith(
        "the model said nothing in its first 3 answers: small: an answer that was cut off at 512 tokens "
        f"(finish_reason length); {REMEDY}"
    )
    assert len(endpoint.asked) == 3


def test_answers_without_content_between_others_end_nothing(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    endpoint.script, endpoint.otherwise = [answer(NONE)], answer("")
    done = run_model(limit=6)
    assert done.exit_code == Exit.broke and len(endpoint.asked) > 4
    assert "errors (the model failed)" in done.stdout and "the store broke" not in done.stdout


def test_a_model_that_fails_in_every_case_is_blamed_and_not_the_store(
    run_model: RunModel, endpoint: ScriptedEndpoint
) -> None:
    endpoint.otherwise = answer("", "length")
    done = run_model("--annotations", limit=1)
    assert done.exit_code == Exit.broke
    assert done.stderr.splitlines()[-1] == "nothing ran: the model failed in every case"
    assert f"was cut off at 1024 tokens (finish_reason length); {REMEDY}" in done.stdout
    assert "the store broke" not in done.stdout and "the model failed::" in done.stdout


def test_reasoning_that_does_not_end_is_told_with_the_limit(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = answer("<think>let me see", "length")
    done = run_model(limit=2)
    assert done.exit_code == Exit.nothing_ran and " decisions fell back" in done.stdout
    note = f"{len(endpoint.asked)} answers of the model were cut off at 1024 tokens (finish_reason length); {REMEDY}"
    assert note in done.stdout


@pytest.mark.parametrize("ending", ["/chat/completions", "/chat/completions/", "/"])
def test_an_address_of_the_method(run_model: RunModel, endpoint: ScriptedEndpoint, ending: str) -> None:
    endpoint.otherwise = answer(NONE)
    run_model(limit=1)
    asked = len(endpoint.asked)
    assert run_model(base_url=endpoint.url + ending, limit=1).exit_code == Exit.fine
    assert len(endpoint.asked) == asked, "it is another endpoint to those that keep its answers"
    assert run_model("--max-tokens", "99", base_url=endpoint.url + ending, limit=1).exit_code == Exit.fine


def test_an_address_of_the_method_in_the_environment(
    run: Command, endpoint: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{endpoint.url}/chat/completions")
    endpoint.otherwise = answer(NONE)
    assert run("shelves:Shelf", "--model", "small", "--key-env", "", "--limit", "1").exit_code == Exit.fine


def test_an_address_without_a_version(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    said = failed(run_model(base_url=endpoint.url.removesuffix("/v1")))
    assert said.endswith(f"; its address has no version, try {endpoint.url}")


def test_a_page_for_people_ends_the_run_at_once(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = body("<!doctype html><title>Chat</title>")
    assert "not JSON; check the model's name and its address" in failed(run_model())


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1", "ftp://127.0.0.1:1"])
def test_a_proxy_of_another_kind_is_one_line(run_model: RunModel, monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    said = str(run_model(base_url="http://model.invalid/v1").exception)
    assert "ALL_PROXY" in said and "mend or unset them" in said and "\n" not in said


@pytest.mark.parametrize(
    "proxy",
    ["http://u:hunter2-Secret#x@proxy:3128", "http://u:hunter2-Secret/x@proxy:3128", "hunter2-Secret://u@proxy"],
)
def test_a_proxy_with_a_password_of_signs_is_named_without_it(
    run_model: RunModel, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    done = run_model(base_url="http://model.invalid/v1")
    assert done.exception is not None
    assert "ALL_PROXY" in str(done.exception) and "# is %23" in str(done.exception)
    assert "hunter2" not in "".join(traceback.format_exception(done.exception)).lower()
    assert "hunter2" not in done.output.lower()


@pytest.mark.parametrize("status", [400, 429])
def test_a_model_that_always_refuses_ends_the_run_after_three_calls(
    run_model: RunModel, endpoint: ScriptedEndpoint, status: int
) -> None:
    endpoint.otherwise = refusal(status, {"error": {"message": "not today"}})
    assert f"answered {status} (not today)" in failed(run_model(limit=9))
    calls = {json.dumps(asked, sort_keys=True) for asked in endpoint.asked}
    assert len(calls) == 3


def test_a_rate_limit_in_the_middle_keeps_what_was_answered(run_model: RunModel, endpoint: ScriptedEndpoint) -> None:
    endpoint.script, endpoint.otherwise = [answer(NONE)] * 2, refuse(429)
    assert "the same command goes on from there when the limit has passed" in failed(run_model(limit=9))
    endpoint.otherwise = answer(NONE)
    done = run_model(limit=9)
    assert done.exit_code == Exit.fine and ", 2 were kept" in done.stdout


def test_an_endpoint_that_dies_in_the_middle_is_a_model_that_failed(
    run_model: RunModel, endpoint: ScriptedEndpoint, folder: Path
) -> None:
    endpoint.script, endpoint.otherwise = [answer(NONE)] * 2, refuse(500, message="out of memory")
    assert "out of memory" in failed(run_model("--out", "out.json", limit=9))
    assert not (folder / "out.json").exists()


def test_asked_now_and_kept_are_told_apart_and_where_answers_are(
    run_model: RunModel, endpoint: ScriptedEndpoint, folder: Path
) -> None:
    endpoint.otherwise = answer(NONE)
    first, second = run_model(), run_model()
    calls = len(endpoint.asked)
    assert f"of the {calls} calls of the model {calls} were asked now, 0 were kept" in first.stdout
    assert f"of the {calls} calls of the model 0 were asked now, {calls} were kept" in second.stdout
    where = folder / "cache" / FILE
    assert where.is_file() and f"answers of small are kept in {where}" in second.stdout


def test_a_replay_at_another_address_says_whose_answers_are_kept(
    endpoint: ScriptedEndpoint, folder: Path, dead_url: str
) -> None:
    endpoint.otherwise = answer(NONE)
    live, elsewhere = LLM("small", endpoint.url, api_key_env=None), LLM("small", dead_url, mode="replay")
    evaluate(ListBackend, "adversarial", hook=live, limit=1, controls=False)
    with pytest.raises(UserError, match=f"one of {endpoint.url} is: name it by base_url, or run with mode live"):
        evaluate(ListBackend, "adversarial", hook=elsewhere, limit=1, controls=False)


def test_the_score_names_the_hook_and_so_does_a_comparison(
    run_model: RunModel, command: Command, endpoint: ScriptedEndpoint, run: Command
) -> None:
    endpoint.otherwise = answer(NONE)
    done = run_model("--out", "hooked.json")
    assert done.stdout.startswith("shelves:Shelf with small on adversarial version 1")
    alone = run("shelves:Shelf", "--limit", "5", "--out", "alone.json")
    assert alone.stdout.startswith("shelves:Shelf on adversarial version 1")
    said = command("compare", "hooked.json", "alone.json").stdout
    assert "passed by shelves:Shelf with small alone" in said and "(hooked.json)" not in said
    assert "shelves:Shelf with small (hooked.json)" in command("compare", "hooked.json", "hooked.json").stdout


def test_a_store_that_broke_under_a_model_is_the_one_blamed(
    run: Command, endpoint: ScriptedEndpoint, folder: Path
) -> None:
    asked = ("--model", "small", "--base-url", endpoint.url, "--key-env", "", "--limit", "2", "--out", "out.json")
    done = run("shelves:Raises", *asked)
    assert "nothing ran: the store broke in every case" in done.stderr
    trials: tuple[Trial, ...] = Results.load(folder / "out.json").trials
    assert [trial.model for trial in trials] == ["small", "small"]
