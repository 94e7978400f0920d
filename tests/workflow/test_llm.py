"""Rows with a chat model, through the workflow, against a scripted endpoint: never shown as a model's result."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response

from forgeteval.cases.reading import read_cases
from lethe.parquet import read_rows
from lethe.schemas import LLM_CALLS, TRIALS
from lethe.study.llm_runs import llm_run_rows
from tests.gateway.conftest import dead_url
from tests.support.paths import ADVERSARIAL
from tests.support.scripted_endpoint import (
    Behaviour,
    ScriptedEndpoint,
    ScriptedServer,
    answer,
    body,
    completion,
    refuse,
)
from tests.workflow.conftest import VERDICT_COLUMNS, Snakemake

pytestmark = pytest.mark.slow
__all__ = ["dead_url"]

KEY = "sk-workflow-secret-0123456789"
CASES = {mutation.query: case for case in read_cases(ADVERSARIAL, "adversarial") for mutation in case.mutations}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    started = ScriptedServer()
    yield started
    started.stop()


@pytest.fixture
def endpoint(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> ScriptedEndpoint:
    monkeypatch.setenv("SCRIPTED_KEY", KEY)
    fresh = server.fresh()
    fresh.otherwise = right_answers()
    return fresh


def block(asked: dict[str, Any]) -> dict[str, Any]:
    """The fenced JSON block that ends the prompt."""
    prompt = asked["messages"][-1]["content"]
    inputs: dict[str, Any] = json.loads(re.findall(r"```json\n(.*?)\n```", prompt, re.DOTALL)[-1])
    return inputs


def right_answer(asked: dict[str, Any]) -> str:
    """What the gold rows say, read from the prompt's own inputs."""
    inputs = block(asked)
    if inputs["task"] == "supersede":
        case = CASES[inputs["query"]]
        merged = [row for row in case.gold_rows or () if row not in case.setup_facts and row != inputs["new_fact"]]
        edits = case.category == "compound_fact" and merged
        return json.dumps({"mode": "edit", "text": merged[0]} if edits else {"mode": "replace"})
    gold = CASES[inputs["target"]].gold_rows or ()
    dead = [item["index"] for item in inputs["candidates"] if item["text"] not in gold]
    return json.dumps({"matching_indices": dead})


def right_answers(delay_s: float = 0.0) -> Behaviour:
    async def behave(asked: dict[str, Any]) -> Response:
        await asyncio.sleep(delay_s)
        return Response(json.dumps(completion(right_answer(asked))), media_type="application/json")

    return behave


def config(endpoint: ScriptedEndpoint, *, mode: str = "live", per_category: int = 3, **model: Any) -> dict[str, Any]:
    """A suite of authored cases and one scripted model."""
    suite = {"folder": str(ADVERSARIAL), "cases_per_category": per_category}
    scripted = {
        "family": "scripted",
        "base_url": endpoint.url,
        "model": "scripted-1",
        "api_key_env": "SCRIPTED_KEY",
        "usd_per_million_in": 1000.0,
        "suites": "all",
        "contract": "paper",
        "timeout_s": 5.0,
        **model,
    }
    llm = {"mode": mode, "agreed_usd": 10_000.0}
    return {"suites": {"few": suite}, "models": {"scripted": scripted}, "llm": llm}


def run_of(tmp_path: Path, system: str) -> Path:
    return tmp_path / "out" / "results" / "runs" / "few" / f"{system}.parquet"


def passed(path: Path) -> int:
    return sum(trial["verdict"] == "pass" for trial in read_rows(path, TRIALS))


def test_right_answers_lift_each_backend_and_replay_with_the_endpoint_down_gives_the_same(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = {"lethe": "lethe+llm@scripted", "langgraph": "langgraph+llm@scripted"}
    targets = [str(run_of(tmp_path, name)) for pair in pairs.items() for name in pair]
    done = snakemake(targets, config(endpoint))
    assert done.returncode == 0, done.stderr
    first = {}
    for base, hooked in pairs.items():
        trials = first[hooked] = read_rows(run_of(tmp_path, hooked), TRIALS)
        assert {(trial["system"], trial["model"]) for trial in trials} == {(f"{base}+llm", "scripted")}
        assert passed(run_of(tmp_path, hooked)) >= passed(run_of(tmp_path, base)) + 9
        assert all(trial["llm_calls"] >= 1 and trial["cost_usd"] == trial["llm_calls"] * 0.1 for trial in trials)

    asked = len(endpoint.asked)
    for hooked in pairs.values():
        run_of(tmp_path, hooked).unlink()
    monkeypatch.delenv("SCRIPTED_KEY")
    elsewhere = snakemake(targets, config(endpoint, mode="replay", base_url="http://127.0.0.1:9/v1"))
    assert elsewhere.returncode != 0 and f"kept is that of {endpoint.url}" in elsewhere.stderr
    replayed = snakemake(targets, config(endpoint, mode="replay"))
    assert replayed.returncode == 0, replayed.stderr
    assert len(endpoint.asked) == asked, "replay asked the endpoint"
    for hooked, trials in first.items():
        again = read_rows(run_of(tmp_path, hooked), TRIALS)
        for column in [*VERDICT_COLUMNS, "llm_calls", "llm_fallbacks", "tokens_in", "cost_usd"]:
            assert [trial[column] for trial in trials] == [trial[column] for trial in again], column


def test_replay_without_an_answer_names_the_case(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    done = snakemake([str(run_of(tmp_path, "lethe+llm@scripted"))], config(endpoint, mode="replay", per_category=1))
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and re.search(r"compound_fact-01|[a-z_]+-\d\d", lines[0]), done.stderr
    assert not endpoint.asked


def test_unusable_answers_fall_back_and_are_counted(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    async def prose(asked: dict[str, Any]) -> Response:
        return Response(json.dumps(completion("I would rather not say.")), media_type="application/json")

    endpoint.otherwise = prose
    base, hooked = run_of(tmp_path, "lethe"), run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(base), str(hooked)], config(endpoint))
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"(\d+) of \1 decisions fell back .*no result of the model", done.stderr)) == 2
    plain, fallen = read_rows(base, TRIALS), read_rows(hooked, TRIALS)
    assert [trial["verdict"] for trial in plain] == [trial["verdict"] for trial in fallen]
    mutations = Counter({case.case_id: len(case.mutations) for case in CASES.values()})
    assert all(trial["llm_fallbacks"] == mutations[trial["case_id"]] for trial in fallen)
    assert all(trial["llm_calls"] == 2 * trial["llm_fallbacks"] for trial in fallen), "one repair attempt each"


def test_an_endpoint_that_misbehaves_in_every_way_is_counted_and_not_cached(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    wrong = json.dumps({"matching_indices": [99]})
    endpoint.script = [
        refuse(429, {"Retry-After": "1"}),
        refuse(500),
        body("{}", delay_s=20.0),
        answer(f"Certainly! {wrong} I hope this helps."),
        body('{"choices": [{"mess'),
        body(""),
        answer("cut off", finish_reason="length"),
    ]
    target = run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(target)], config(endpoint, per_category=2, concurrency=1, timeout_s=5.0))
    assert done.returncode == 0, done.stderr
    trials = read_rows(target, TRIALS)
    assert len(trials) == 20 and {trial["verdict"] for trial in trials} <= {"pass", "fail"}
    with closing(sqlite3.connect(tmp_path / "out/results/llm/cache.sqlite")) as cache:
        kept = [response for (response,) in cache.execute("SELECT response FROM answers")]
        calls, attempts, most = cache.execute("SELECT count(*), sum(attempts), max(attempts) FROM calls").fetchone()
    assert sum(trial["llm_calls"] for trial in trials) == calls
    # On a busy machine a good answer may time out too, and is then asked for again.
    assert attempts == len(endpoint.asked) >= calls + 5
    assert most >= 4
    assert kept and not any("cut off" in response or '"choices": [{"mess' in response for response in kept)


@pytest.mark.parametrize("wrong", ["nobody", "key"])
def test_a_dead_endpoint_ends_a_small_suite_with_one_line(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path, dead_url: str, wrong: str
) -> None:
    endpoint.otherwise = refuse(401, message="no such key")
    options = config(endpoint, per_category=1, **({"base_url": dead_url} if wrong == "nobody" else {}))
    done = snakemake([str(run_of(tmp_path, "lethe+llm@scripted"))], options)
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    address, said = {
        "nobody": (dead_url, "nothing listens there; check models.scripted.base_url"),
        "key": (endpoint.url, "answered 401 (no such key); check the key in SCRIPTED_KEY"),
    }[wrong]
    assert f"model scripted: {address} " in line and said in line and "; kept: " in line
    assert KEY not in done.stderr
    assert "stopped; what is finished is kept, and the same command goes on from there" in done.stderr


def test_answers_without_their_tokens_cost_what_the_log_says(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = body(json.dumps({**completion("I would rather not say.", "length"), "usage": None}))
    hooked = run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(hooked)], config(endpoint, per_category=1))
    assert done.returncode == 0, done.stderr
    trials = read_rows(hooked, TRIALS)
    calls = sum(trial["llm_calls"] for trial in trials)
    with closing(sqlite3.connect(tmp_path / "out/results/llm/cache.sqlite")) as cache:
        spent = dict(cache.execute("SELECT case_id, sum(cost_usd) FROM calls GROUP BY case_id"))
    assert {trial["case_id"]: trial["cost_usd"] for trial in trials} == pytest.approx(spent) and min(spent.values()) > 0
    assert f"{hooked}: {calls} answers of the model came without their tokens, which count as none; " in done.stderr
    assert f"{hooked}: {calls} answers of the model were cut off (finish_reason length); " in done.stderr


def test_an_endpoint_that_never_answers_ends_the_configuration(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = refuse(429)
    target = run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(target)], config(endpoint, per_category=1))
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert "answered 429" in line and "; kept: 0 of 10 trials" in line
    assert not target.exists(), "the same command asks again"


def test_a_model_that_spends_its_tokens_on_thinking_ends_the_configuration_and_names_the_remedy(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.otherwise = answer("", finish_reason="length")
    target = run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(target)], config(endpoint, per_category=1, concurrency=1))
    assert done.returncode != 0 and not target.exists()
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert "cut off at 10 tokens (finish_reason length)" in line and "preset, such as openai_reasoning" in line
    assert len(endpoint.asked) == 3
    endpoint.otherwise = right_answers()
    assert snakemake([str(target)], config(endpoint, per_category=1)).returncode == 0


def test_trials_that_lack_an_answer_are_told_with_the_remedy(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    endpoint.script = [answer("", finish_reason="length")]
    target = run_of(tmp_path, "lethe+llm@scripted")
    done = snakemake([str(target)], config(endpoint, per_category=1, concurrency=1))
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stderr.splitlines() if "trials are errors" in line]
    assert "1 of 10 trials are errors" in line and f"; to run them again: rm {target} and the same command" in line


def test_a_spending_cap_stops_cleanly_and_the_rest_runs_once_it_is_raised(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    target = run_of(tmp_path, "lethe+llm@scripted")
    stopped = snakemake([str(target)], config(endpoint, max_usd=5.0, concurrency=2))
    assert stopped.returncode != 0
    lines = [line for line in stopped.stderr.splitlines() if line.startswith("error:")]
    assert len(lines) == 1 and "max_usd" in lines[0] and "kept: " in lines[0], stopped.stderr
    kept = (tmp_path / "out/results/trials/lethe+llm@scripted.trials").read_bytes().count(b"\n")
    assert 3 <= kept < 30
    assert len(endpoint.asked) * 0.1 <= 5.0

    raised = snakemake([str(target)], config(endpoint, max_usd=100.0, concurrency=2))
    assert raised.returncode == 0, raised.stderr
    assert f"{kept} of 30 trials are in" in raised.stderr
    assert {trial["verdict"] for trial in read_rows(target, TRIALS)} <= {"pass", "fail"}


def test_the_key_is_in_no_file_the_calls_are_exported_and_a_second_model_runs_its_own_jobs_alone(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    options = config(endpoint, per_category=1)
    options["run"] = {"systems": ["lethe", "lethe+llm", "oracle"], "suites": ["few"]}
    options["paper"] = {"template_suite": "few", "adversarial_suite": "few"}
    done = snakemake(["paper_tables"], options)
    assert done.returncode == 0, done.stderr
    assert all(headers["authorization"] == f"Bearer {KEY}" for headers in endpoint.headers)
    calls = read_rows(tmp_path / "out/results/llm/calls.parquet", LLM_CALLS)
    assert len(calls) >= len(endpoint.asked) > 0
    assert {(call["suite"], call["system"], call["model"]) for call in calls} == {("few", "lethe+llm", "scripted")}
    held = [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    assert not held
    assert KEY not in done.stderr + done.stdout

    options["models"]["other"] = {**options["models"]["scripted"], "family": "other", "model": "scripted-2"}
    listed = snakemake(["paper_tables"], options, "--dry-run")
    runs = re.findall(r"output: \S*/results/runs/few/([^\s,]+)\.parquet", listed.stdout + listed.stderr)
    assert runs == ["lethe+llm@other"]


def test_repetitions_are_asked_anew_and_give_a_spread(
    snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path
) -> None:
    options = config(endpoint, per_category=1)
    options["models"]["scripted"]["repetitions"] = 2
    done = snakemake([str(run_of(tmp_path, "lethe+llm@scripted"))], options)
    assert done.returncode == 0, done.stderr
    trials = read_rows(run_of(tmp_path, "lethe+llm@scripted"), TRIALS)
    assert Counter(trial["repetition"] for trial in trials) == {0: 10, 1: 10}
    assert len(endpoint.asked) == sum(trial["llm_calls"] for trial in trials), "a repetition was served from the cache"
    (run,) = llm_run_rows(trials)
    assert (run["repetitions"], run["rate_sd"]) == (2, 0.0)


def test_requests_overlap(snakemake: Snakemake, endpoint: ScriptedEndpoint, tmp_path: Path) -> None:
    endpoint.otherwise = right_answers(delay_s=2.0)
    done = snakemake([str(run_of(tmp_path, "lethe+llm@scripted"))], config(endpoint, per_category=4, concurrency=16))
    assert done.returncode == 0, done.stderr
    assert endpoint.most_at_once == 16
