"""Judging through the gateway."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.interchange import case_from_json
from forgeteval.errors import UserError
from forgeteval.planners.llm.contracts import strict
from lethe.config.chat_models import ModelConfig
from lethe.gateway.server import Gateway
from lethe.parquet import read_rows, write_rows
from lethe.people.judge_run import judge_cases, judging_lines
from lethe.people.judging import CONTRACT, judge_prompt, prompt_hash
from lethe.schemas import JUDGEMENTS
from tests.people.conftest import CONDITIONS, answering, block_of, judge_model, rejects_walnuts, verdict
from tests.support.example_cases import sound_case
from tests.support.gateway_logs import rows as logged
from tests.support.scripted_endpoint import Behaviour, ScriptedEndpoint, answer, body, completion, echo, refuse

OpenGateway = Callable[..., Gateway]
SILENT = "judge: an answer without content"


@pytest.fixture
def judge(open_gateway: OpenGateway) -> Callable[..., list[dict[str, Any]]]:
    def run(cases: list[Case], model: ModelConfig, mode: str = "live") -> list[dict[str, Any]]:
        advanced: list[int] = []
        with open_gateway(model, mode=mode) as gateway:
            rows = judge_cases(cases, gateway, model, advanced.append)
        assert sum(advanced) == len(cases)
        return rows

    return run


Judge = Callable[..., list[dict[str, Any]]]


def test_verdicts_follow_the_answers(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case], cache: Path, tmp_path: Path
) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    rows = judge(cases, judge_model(endpoint.url, temperature=0.5, max_tokens=77))
    assert [(row["case_id"], row["verdict"], row["reason"]) for row in rows] == [
        ("lockers", "admit", "Because."),
        ("club", "reject", "Because."),
    ]
    assert [row["provenance"] for row in rows] == ["expansion", "core"]
    assert rows[1] == {
        "suite": "s",
        "case_id": "club",
        "category": "paraphrase_supersession",
        "provenance": "core",
        "judge": "j",
        "family": "other",
        "verdict": "reject",
        **dict.fromkeys(CONDITIONS, False),
        "reason": "Because.",
        "prompt_hash": prompt_hash(judge_prompt(cases[1])),
        "error": None,
        "llm_calls": 1,
        **{name: rows[1][name] for name in ("tokens_in", "tokens_out", "cost_usd", "answer_ms")},
    }
    assert rows[1]["tokens_in"] > 0 and rows[1]["tokens_out"] > 0 and rows[1]["answer_ms"] > 0
    assert {(asked["temperature"], asked["max_tokens"]) for asked in endpoint.asked} == {(0.5, 77)}
    calls = {(call["suite"], call["system"], call["case_id"], call["purpose"]) for call in logged(cache, "calls")}
    assert calls == {("s", "judge", "lockers", "judge"), ("s", "judge", "club", "judge")}
    path = tmp_path / "judgements.parquet"
    write_rows(path, JUDGEMENTS, rows, "test")
    assert read_rows(path, JUDGEMENTS) == rows


def test_a_replay_gives_the_same_rows(judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    rows = judge(cases, judge_model(endpoint.url))
    assert judge(cases, judge_model(endpoint.url), "replay") == rows
    assert len(endpoint.asked) == len(cases)


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("I would admit it.", "exactly the five fields"),
        (verdict(True)[:-5], "exactly the five fields"),
        (verdict(True, answerable=False), "all three conditions"),
    ],
    ids=["prose", "cut off", "contradictory"],
)
def test_an_unusable_answer_is_asked_for_once_more(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case], cache: Path, bad: str, told: str
) -> None:
    endpoint.script = [answer(bad)]
    endpoint.otherwise = answering(rejects_walnuts)
    (row,) = judge(cases[:1], judge_model(endpoint.url))
    assert row["verdict"] == "admit"
    first, second = (asked["messages"][-1]["content"] for asked in endpoint.asked)
    assert (told in second, block_of(first)) == (True, block_of(second))
    assert row["prompt_hash"] == prompt_hash(first)
    assert [call["purpose"] for call in logged(cache, "calls")] == ["judge", "judge_repair"]
    assert row["llm_calls"] == 2 and row["tokens_in"] == sum(call["tokens_in"] for call in logged(cache, "calls"))


def test_the_form_of_an_answer_goes_along_where_it_is_asked_for_by_schema(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]
) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    judge(cases[:1], judge_model(endpoint.url, structured="schema"))
    (asked,) = endpoint.asked
    assert asked["response_format"]["json_schema"]["schema"] == strict(CONTRACT)
    assert CONTRACT["required"] == list(json.loads(verdict(True)))


def test_two_unusable_answers_are_no_verdict(judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]) -> None:
    endpoint.otherwise = answer("It is sound.")
    rows = judge(cases, judge_model(endpoint.url))
    assert [(row["verdict"], row["reason"], row["error"]) for row in rows] == [
        ("unusable", "unusable answer", None)
    ] * 2
    assert {row[name] for row in rows for name in CONDITIONS} == {None}
    assert len(endpoint.asked) == 4


def unreported(text: str) -> Behaviour:
    return body(json.dumps({**completion(text), "usage": None}))


def test_a_judgement_without_tokens_costs_what_is_logged(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case], cache: Path
) -> None:
    endpoint.script = [unreported("It is sound.")]
    endpoint.otherwise = unreported(verdict(True))
    (row,) = judge(cases[:1], judge_model(endpoint.url, usd_per_million_in=1000.0))
    assert (row["verdict"], row["llm_calls"], row["tokens_in"]) == ("admit", 2, 0)
    assert (
        row["cost_usd"] == pytest.approx(sum(call["cost_usd"] for call in logged(cache, "calls"))) and row["cost_usd"]
    )


CUT_OFF = (
    "j.parquet: {} answers of the model were cut off (finish_reason length); a reasoning model needs more: give its "
    "entry in config/models.yaml a preset, such as openai_reasoning, or more max_tokens"
)
NONE_USABLE = "j.parquet: {} of 2 cases got no answer that could be used, when asked once more either"
AGAIN = "; to ask again: rm j.parquet and the same command"
KEPT = (
    "; to ask again, delete its rows of `answers` in the cache (docs/models.md, Cache and log), then rm j.parquet and "
    "the same command"
)


@pytest.mark.parametrize(
    ("said", "live", "lines"),
    [
        (answer(verdict(True)), True, []),
        (answer(verdict(True)[:20]), True, [NONE_USABLE.format(2) + KEPT]),
        (answer(verdict(True)[:20], "length"), True, [NONE_USABLE.format(2) + KEPT, CUT_OFF.format(4)]),
        (answer(verdict(True)[:20], "length"), False, [NONE_USABLE.format(2)]),
        (answer(None, refusal="No."), True, [f"j.parquet: 2 of 2 cases got no answer, the first: {SILENT}{AGAIN}"]),
        (
            unreported(verdict(True)),
            True,
            [
                "j.parquet: 2 answers of the model came without their tokens, which count as none; their price, where "
                "there is one, is the most that they may cost"
            ],
        ),
    ],
    ids=["verdicts", "unusable", "cut off", "cut off, replayed", "refused", "unreported"],
)
def test_the_closing_lines_say_what_was_wrong_with_the_answers(
    open_gateway: OpenGateway,
    endpoint: ScriptedEndpoint,
    cases: list[Case],
    said: Behaviour,
    live: bool,
    lines: list[str],
) -> None:
    endpoint.otherwise = said
    model = judge_model(endpoint.url)
    with open_gateway(model) as gateway:
        rows = judge_cases(cases, gateway, model, lambda done: None)
    assert list(judging_lines(Path("j.parquet"), rows, gateway.usage, live)) == lines


def test_a_reason_that_utf8_cannot_write(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case], tmp_path: Path
) -> None:
    endpoint.otherwise = answer(verdict(True, reason="half \ud83d a pair\nand more"))
    rows = judge(cases, judge_model(endpoint.url))
    assert rows[0]["reason"] == "half ? a pair and more"
    write_rows(tmp_path / "judgements.parquet", JUDGEMENTS, rows, "test")


def test_an_answer_without_content_is_an_error(judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]) -> None:
    endpoint.otherwise = answer("")
    (row,) = judge(cases[:1], judge_model(endpoint.url))
    assert (row["verdict"], row["reason"], row["error"]) == ("error", None, "judge: an answer without content")


def test_a_dead_endpoint_ends_the_judging(judge: Judge, dead_url: str, cases: list[Case]) -> None:
    with pytest.raises(UserError, match=f"{dead_url}.* cannot be reached: nothing listens there"):
        judge(cases, judge_model(dead_url))


def test_an_endpoint_that_dies_before_the_repair_makes_an_error(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]
) -> None:
    endpoint.script = [answer("It is sound.")]
    endpoint.otherwise = refuse(500)
    (row,) = judge(cases[:1], judge_model(endpoint.url))
    assert (row["verdict"], row["reason"]) == ("error", None)


def test_a_cap_stops_the_run(judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    with pytest.raises(UserError, match="max_calls"):
        judge(cases, judge_model(endpoint.url, max_calls=1, concurrency=1))
    assert len(endpoint.asked) == 1
    rows = judge(cases, judge_model(endpoint.url, max_calls=2))
    assert [row["verdict"] for row in rows] == ["admit", "reject"]
    assert len(endpoint.asked) == 2


def test_a_miss_in_replay_stops_the_run(judge: Judge, dead_url: str, cases: list[Case]) -> None:
    with pytest.raises(UserError, match="replay"):
        judge(cases, judge_model(dead_url), "replay")


def test_a_lacking_recorded_answer_is_an_error_of_its_case_alone(
    judge: Judge, endpoint: ScriptedEndpoint, cases: list[Case]
) -> None:
    endpoint.otherwise = answering(rejects_walnuts)
    judge(cases[:1], judge_model(endpoint.url))
    rows = judge(cases, judge_model(endpoint.url), "recorded")
    assert [row["verdict"] for row in rows] == ["admit", "error"]
    assert len(endpoint.asked) == 1
    assert "case 'club'" in rows[1]["error"]


def test_requests_overlap_up_to_the_limit(judge: Judge, endpoint: ScriptedEndpoint) -> None:
    endpoint.otherwise = echo(0.1)
    rows = [sound_case(id=f"case-{number}", final_query=f"What of {number}?") for number in range(12)]
    judge([case_from_json(row, "s", "here") for row in rows], judge_model(endpoint.url, concurrency=4))
    assert endpoint.most_at_once == 4
