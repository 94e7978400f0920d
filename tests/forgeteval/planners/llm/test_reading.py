"""One reader of answers: whatever an endpoint wraps a known answer in, the answer comes out, or it is refused."""

import hashlib
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgeteval.planners.llm.planner import LlmPlanner
from forgeteval.planners.llm.reading import (
    LONGEST_ANSWER,
    Said,
    UnusableAnswer,
    only_object,
    only_value,
    read_said,
)
from forgeteval.planners.protocol import Candidate, Meant
from lethe.people.judging import parse_answer
from lethe.stored.answers import read_answers
from tests.support.paths import ROOT

_REPLACE = '{"mode": "replace"}'
_WORDS = st.text(st.characters(exclude_characters="{}[]<>◁", exclude_categories=["Cs"]), max_size=30)
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(
    ["</think>", "<think>", "```json", '{"mode": "replace"}', "[THINK]", "</think> {"]
)
_OBJECTS = st.fixed_dictionaries({"mode": st.just("edit"), "text": _TEXTS})
_TAGS = st.sampled_from(
    [
        *(("<think>", "</think>"), ("", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]")),
        ("<|channel|>analysis<|message|>", "<|end|><|channel|>final<|message|>"),
    ]
)
_DRAFTS = st.sampled_from(["", _REPLACE, '{"mode": "edit", "text": ', "```json\n{}\n```", '[{"a": 1}, ', "Hm. {"])


@st.composite
def _texts_around(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    answer = draw(_OBJECTS)
    text = json.dumps(answer, indent=draw(st.sampled_from([None, 1])), ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = f"```{draw(st.sampled_from(['', 'json', 'JSON']))}\n{text}\n```"
    text = f"{draw(_WORDS)}{text}{draw(_WORDS)}"
    if draw(st.booleans()):
        opens, closes = draw(_TAGS)
        text = f"{opens}{draw(_WORDS)}{draw(_DRAFTS)}{draw(_WORDS)}{closes}{text}"
    return text, answer


def _message(text: str, kind: str) -> dict[str, Any]:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": f"Perhaps {_REPLACE}."}]}
    call = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": text}}
    messages: dict[str, dict[str, Any]] = {
        "a string": {"content": text},
        "reasoning beside": {"content": text, "reasoning_content": f"Perhaps {_REPLACE}?"},
        "parts": {"content": [thinking, {"type": "text", "text": text}]},
        "halves": {"content": [{"type": "text", "text": text[:5]}, {"type": "text", "text": text[5:]}]},
        "a call": {"content": None, "tool_calls": [call]},
        "a call and words": {"content": "I call the tool.", "tool_calls": [call]},
        "an old call": {"content": "", "function_call": call["function"]},
        "reasoning alone": {"content": None, "reasoning": text},
    }
    return messages[kind]


_KINDS = ("a string", "reasoning beside", "parts", "halves", "a call", "a call and words", "an old call")


@settings(deadline=None, max_examples=200)
@given(_texts_around(), st.sampled_from([*_KINDS, "reasoning alone"]))
def test_a_known_answer_comes_out_of_every_envelope(given_: tuple[str, dict[str, Any]], kind: str) -> None:
    text, answer = given_
    said = read_said(json.dumps({"choices": [{"message": _message(text, kind), "finish_reason": "stop"}]}).encode())
    assert said is not None and only_object(said).value == answer


@settings(deadline=None, max_examples=200)
@given(_texts_around(), _texts_around(), st.sampled_from(_KINDS))
def test_two_answers_are_refused(one: tuple[str, Any], other: tuple[str, Any], kind: str) -> None:
    text = f"{json.dumps(one[1])} or rather {json.dumps(other[1])}"
    said = read_said({"choices": [{"message": _message(text, kind)}]})
    with pytest.raises(UnusableAnswer, match="more than one"):
        only_object(said or "")


@pytest.mark.parametrize(
    ("message", "shape"),
    [
        ({"content": _REPLACE}, ""),
        ({"content": f"```json\n{_REPLACE}\n```"}, "fenced"),
        ({"content": f"{_REPLACE}."}, "with words around"),
        ({"content": f"<think>{_REPLACE}?</think>{_REPLACE}"}, "after reasoning"),
        ({"content": [{"type": "text", "text": _REPLACE}]}, "a list of parts"),
        ({"content": {"mode": "replace"}}, "a list of parts"),
        ({"content": None, "tool_calls": [{"function": {"name": "f", "arguments": _REPLACE}}]}, "a tool call"),
        ({"content": "", "tool_calls": [{"function": {"arguments": {"mode": "replace"}}}]}, "a tool call"),
        ({"content": None, "reasoning_content": _REPLACE}, "reasoning without content"),
        ({"content": "", "thinking": f"```\n{_REPLACE}\n```"}, "reasoning without content, fenced"),
    ],
)
def test_the_shape_of_an_answer_is_said_with_the_decision(message: dict[str, Any], shape: str) -> None:
    said = read_said({"choices": [{"message": message, "finish_reason": "stop"}]})
    assert said is not None
    decision = LlmPlanner(lambda purpose, prompt, contract=None: said).supersede("q", "new", [Candidate("old")])
    assert decision == Meant(whole=(0,), reason=f"answer: {shape}" if shape else None)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"content": None},
        {"content": " \n"},
        {"content": []},
        {"content": [{"type": "refusal", "refusal": "no"}]},
        {"content": None, "refusal": "no", "reasoning_content": _REPLACE},
        {"content": None, "tool_calls": []},
        {"content": 7},
        {"content": None, "reasoning": 7},
    ],
)
def test_what_says_nothing_is_no_answer(message: dict[str, Any]) -> None:
    assert read_said({"choices": [{"message": message, "finish_reason": "stop"}]}) is None


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b'{"choices": []}', b'{"choices": [{"message": null}]}'])
def test_what_is_no_completion_is_no_answer(body: bytes) -> None:
    assert read_said(body) is None


@pytest.mark.parametrize("reason", ["length", "max_tokens", "content_filter", "insufficient_system_resource"])
def test_reasoning_that_did_not_end_well_is_no_answer(reason: str) -> None:
    message = {"content": None, "reasoning_content": _REPLACE}
    assert read_said({"choices": [{"message": message, "finish_reason": reason}]}) is None
    with pytest.raises(UnusableAnswer, match="did not end"):
        only_object(f"<think>Perhaps {_REPLACE}")


@pytest.mark.parametrize(
    ("before", "is_read"),
    [
        ("</think>" * 40_000, True),
        ("<think>a</think>" * 30_000, True),
        ('{"a": [' * 450 + "1," * 200_000 + "</think>", False),
        ('{"a": "</think>", "b": ' * 450 + "[" + "1," * 200_000, False),
        ("[{" * 200_000 + "</think>", False),
        (" " * LONGEST_ANSWER, False),
    ],
    ids=["tags", "reasonings", "nested", "nested with tags", "starts", "long"],
)
def test_no_text_takes_long_to_read(before: str, is_read: bool) -> None:
    started = time.process_time()
    try:
        found: object = only_object(before + _REPLACE).value
    except UnusableAnswer as reason:
        found = str(reason)
    assert time.process_time() - started < 5
    assert found == json.loads(_REPLACE) if is_read else isinstance(found, str)


def test_calls_of_two_tools_are_refused() -> None:
    call = {"function": {"name": "f", "arguments": _REPLACE}}
    with pytest.raises(UnusableAnswer, match="more than one"):
        only_object(read_said({"choices": [{"message": {"tool_calls": [call, call]}}]}) or "")


def test_judge_and_drafter_read_by_the_same_rules() -> None:
    verdict = {"admit": True, "must_contain_survive": True, "forbidden_absent": True, "answerable": True, "reason": "r"}
    for text in (json.dumps(verdict), f"<think>{{}}</think>\n```json\n{json.dumps(verdict)}\n```", f"{verdict}"):
        assert (parse_answer(text) is not None) is ('"' in text)
    assert parse_answer(f"My verdict: {json.dumps(verdict)}.") is not None
    assert only_value(f"<think>[</think>[{_REPLACE}]").value == [{"mode": "replace"}]


def test_what_was_said_is_a_text_with_its_shape() -> None:
    assert Said("a") == "a" and Said("a").shape == "" and Said("a", "a tool call").shape == "a tool call"


def test_recorded_answers_read_as_when_they_were_recorded() -> None:
    """The digest is that of the reader with which the recorded columns were made."""
    digest, unusable, read = hashlib.sha256(), 0, 0
    for path in sorted((ROOT / "answers").glob("*.parquet")):
        for row in read_answers(path):
            if row["task"] != "system":
                value = _value(json.loads(row["answer"])["content"])
                read, unusable = read + 1, unusable + isinstance(value, str)
                digest.update(json.dumps([row["key"], value], sort_keys=True).encode())
    assert (read, unusable) == (6887, 136)
    assert digest.hexdigest() == "bc96bddedebe845d2e0121cdcc37901c4800eb9d4ecd9dcc9b6e255269382920"


def _value(text: str) -> object:
    try:
        return only_object(text).value
    except UnusableAnswer as reason:
        return str(reason)
