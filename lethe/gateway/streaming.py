"""Conversion of a complete chat completion to the server-sent events of a streamed one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any


def sse_events(response: str, asked: Mapping[str, Any]) -> Iterator[str]:
    """The events for `response`, a chat completion's JSON: contents and ends of choices, usage if asked for, [DONE].

    The text of a choice is one event, since it is complete before the first event is sent.
    """
    completion = json.loads(response)
    for choice in completion["choices"]:
        told = {"index": choice.get("index", 0), "delta": _delta(choice["message"]), "finish_reason": None}
        if "logprobs" in choice:
            told["logprobs"] = choice["logprobs"]
        yield _event(completion, [told])
    for choice in completion["choices"]:
        ended = {"index": choice.get("index", 0), "delta": {}, "finish_reason": choice.get("finish_reason")}
        yield _event(completion, [ended])
    options = asked.get("stream_options")
    if isinstance(options, dict) and options.get("include_usage") is True:
        yield _event(completion, [], usage=completion.get("usage"))
    yield "data: [DONE]\n\n"


def _delta(message: dict[str, Any]) -> dict[str, Any]:
    delta = {"role": "assistant", **message}
    if message.get("tool_calls"):
        delta["tool_calls"] = [{"index": index, **call} for index, call in enumerate(message["tool_calls"])]
    return delta


def _event(completion: dict[str, Any], choices: list[dict[str, Any]], **more: Any) -> str:
    same = {name: completion[name] for name in ("id", "created", "model", "system_fingerprint") if name in completion}
    return f"data: {json.dumps({**same, 'object': 'chat.completion.chunk', 'choices': choices, **more})}\n\n"
