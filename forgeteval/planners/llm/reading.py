"""What a chat model said, out of whatever an endpoint wraps it in; planners, judges and drafters read answers here.

Two wrappers. The message: its content is a string, a list of parts or null, the answer may be a tool call, and
reasoning stands beside. The text: reasoning in tags before the answer, a fence or words around it. What could be read
in two ways is refused. Only the standard library is imported here.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from forgeteval.json_records import unique_keys

REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
"""Where reasoning stands beside the content: DeepSeek and llama.cpp; OpenRouter and vLLM; Ollama."""
_CUT_OFF = re.compile(r"length|max\w*tokens|context_window", re.IGNORECASE)
"""Finish reasons of answers that reached a limit, OpenAI's and those of others."""
_NOT_GOOD = re.compile(
    rf"{_CUT_OFF.pattern}|filter|error|abort|cancel|refusal|safety|recitation|prohibited|blocklist|spii|sensitive|toxic"
    "|guardrail|insufficient",
    re.IGNORECASE,
)
"""Finish reasons of answers that are cut off, refused or broken."""
MORE_TOKENS = (
    "a reasoning model needs more: give its entry in config/models.yaml a preset, such as openai_reasoning, or more "
    "max_tokens"
)
LONGEST_ANSWER = 1 << 20
"""Characters of a text in which JSON is looked for; an answer of 100,000 tokens has half of them."""
_MOST_BROKEN = 16 * LONGEST_ANSWER
"""How many characters may be read of what turns out to be no JSON, where every start is tried: many count often."""
_FOR_EACH = 8192
"""As how many a start of no JSON counts besides: Python counts the lines before the place where it broke."""
_TEXT_PARTS = ("text", "output_text")
_JSON_START = re.compile(r'\{\s*["}]|\[\s*\{')
_OPENS = re.compile(r"<(?:think|thinking|thought|reasoning|seed:think)>|\[THINK\]|◁think▷|<\|channel\|>analysis")
_CLOSES = re.compile(
    r"</(?:think|thinking|thought|reasoning|seed:think)>|\[/THINK\]|◁/think▷|<\|channel\|>final<\|message\|>"
)
_FENCE = re.compile(r"\s*```\w*\s*|\s*")
_NOT_THE_SHAPE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)


class UnusableAnswer(ValueError):
    """An answer that breaks its contract; the message says how, without quoting the answer."""


class Said(str):
    """A text that a model said.

    Attributes:
        shape: where in the message it stood; empty where it is the content.
    """

    __slots__ = ("shape",)
    shape: str

    def __new__(cls, text: str, shape: str = "") -> "Said":
        said = super().__new__(cls, text)
        said.shape = shape
        return said


@dataclass(frozen=True, slots=True)
class Found:
    """A JSON value in an answer.

    Attributes:
        shape: what it was wrapped in, for people: "a tool call, fenced"; empty for the bare value.
    """

    value: Any
    shape: str


def read_said(completion: bytes | Mapping[str, Any]) -> Said | None:
    """What a chat completion says; None where it says nothing, or is none.

    >>> read_said({"choices": [{"message": {"content": [{"type": "text", "text": "yes"}]}}]})
    'yes'
    """
    try:
        body = json.loads(completion) if isinstance(completion, bytes) else completion
        choice = body["choices"][0]
        return said_in(choice["message"], str(choice.get("finish_reason") or ""))
    except _NOT_THE_SHAPE:
        return None


def was_cut_off(completion: bytes | Mapping[str, Any]) -> bool:
    """Whether a chat completion ended at its limit of tokens, which reasoning counts towards."""
    try:
        body = json.loads(completion) if isinstance(completion, bytes) else completion
        return is_cut_off(str(body["choices"][0].get("finish_reason")))
    except _NOT_THE_SHAPE:
        return False


def is_cut_off(finish_reason: str) -> bool:
    """Whether a finish reason is that of an answer which reached a limit of tokens.

    >>> is_cut_off("length"), is_cut_off("MAX_TOKENS"), is_cut_off("stop")
    (True, True, False)
    """
    return _CUT_OFF.search(finish_reason) is not None


def why_silent(completion: bytes | Mapping[str, Any]) -> str:
    """Why a chat completion says nothing, and what may help in the entry of its model.

    >>> why_silent({"choices": [{"message": {"content": ""}, "finish_reason": "stop"}]})
    'an answer without content'
    """
    reason = "an answer without content"
    if not was_cut_off(completion):
        return reason
    body = json.loads(completion) if isinstance(completion, bytes) else completion
    usage = body.get("usage")
    used = usage.get("completion_tokens") if isinstance(usage, Mapping) else None
    at = f" at {used} tokens" if isinstance(used, int) else ""
    return f"{reason}, cut off{at} (finish_reason length); {MORE_TOKENS}"


def said_in(message: Mapping[str, Any], finish_reason: str = "") -> Said | None:
    """What a message says; None where it says nothing.

    Content and tool calls are one text, so that whoever looks for one object refuses two. Reasoning is read where
    nothing else is said and it ended well: some servers take a whole answer for reasoning.
    """
    content, parts = _content(message.get("content"))
    calls = list(_arguments(message))
    spoken = [text for text in (content, *calls) if text.strip()]
    if spoken:
        shape = "a tool call" if len(calls) and spoken[-1] is calls[-1] else "a list of parts" if parts else ""
        return Said("\n".join(spoken), shape)
    if message.get("refusal") or _NOT_GOOD.search(finish_reason):
        return None
    reasoning = (message.get(name) for name in REASONING_FIELDS)
    alone = next((text for text in reasoning if isinstance(text, str) and text.strip()), None)
    return None if alone is None else Said(alone, "reasoning without content")


def says_something(completion: str) -> bool:
    """Whether a chat completion, as JSON, says something or calls a tool."""
    choices = json.loads(completion)["choices"]
    return any(read_said({"choices": [one]}) is not None or one["message"].get("tool_calls") for one in choices)


def is_good(choice: Mapping[str, Any]) -> bool:
    """Whether a choice of a chat completion may be kept: no refusal, not cut off, and not empty, which some endpoints
    call `stop`."""
    reason, message = choice.get("finish_reason"), choice["message"]
    if _NOT_GOOD.search(reason or "") or message.get("refusal"):
        return False
    return said_in(message, reason or "") is not None or bool(message.get("tool_calls"))


def _content(content: object) -> tuple[str, bool]:
    """The text of a content, and whether it was not a string."""
    match content:
        case str():
            return content, False
        case dict() if "type" not in content:
            return json.dumps(content), True
        case dict():
            return _content([content])
        case list():
            texts = map(_text_of, content)
            return "".join(texts), True
    return "", False


def _text_of(part: object) -> str:
    if not isinstance(part, Mapping) or part.get("type") not in _TEXT_PARTS:
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def _arguments(message: Mapping[str, Any]) -> Iterator[str]:
    """The arguments of each call of a tool, as JSON: OpenAI sends a string, others the object itself."""
    calls = message.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    for function in (*functions, message.get("function_call")):
        if isinstance(function, Mapping):
            arguments = function.get("arguments")
            yield arguments if isinstance(arguments, str) else json.dumps(arguments)


def only_object(answer: str) -> Found:
    """The one JSON object in an answer, after reasoning, with a fence or words around it.

    >>> only_object('<think>{"mode": "edit"}? No.</think> ```json\\n{"mode": "replace"}\\n```').value
    {'mode': 'replace'}

    Raises:
        UnusableAnswer: for no object, a second one, one that is cut off or repeats a key, a list, reasoning that
            does not end, or a text that takes too long to read.
    """
    found = only_value(answer)
    if not isinstance(found.value, dict):
        raise UnusableAnswer("the JSON was a list, not an object")
    return found


def only_value(answer: str) -> Found:
    """The one JSON object, or list of objects, in an answer.

    Raises:
        UnusableAnswer: as `only_object`, but for a list.
    """
    if len(answer) > LONGEST_ANSWER:
        raise UnusableAnswer(f"it had more than {LONGEST_ANSWER:,} characters")
    told, reasoned = _after_reasoning(answer)
    found: list[tuple[Any, int, int]] = []
    position = 0
    while start := _JSON_START.search(told, position):
        try:
            value, position = _decoder(unique_keys).raw_decode(told, start.start())
        except (ValueError, RecursionError):
            raise UnusableAnswer("the JSON was broken or cut off") from None
        found.append((value, start.start(), position))
    if not found:
        raise UnusableAnswer("there was no JSON object in it")
    if len(found) > 1:
        raise UnusableAnswer("there was more than one JSON object in it")
    value, begins, ends = found[0]
    shapes = [
        getattr(answer, "shape", ""),
        "after reasoning" if reasoned else "",
        _around(told[:begins], told[ends:]),
    ]
    return Found(value, ", ".join(filter(None, shapes)))


def _around(before: str, after: str) -> str:
    if not f"{before}{after}".strip():
        return ""
    return "fenced" if _FENCE.fullmatch(before) and _FENCE.fullmatch(after) else "with words around"


def _after_reasoning(text: str) -> tuple[str, bool]:
    """What follows reasoning in tags, whose first one a server may have kept; and whether there was any.

    A tag in a text of the JSON itself is part of that text.
    """
    begins = broken = 0
    for closes in _CLOSES.finditer(text):
        is_within, broken = _within_json(text, begins, closes.start(), broken)
        if is_within:
            break
        begins = closes.end()
    opens = _OPENS.search(text, begins)
    if opens and not _within_json(text, begins, opens.start(), broken)[0]:
        raise UnusableAnswer("the reasoning did not end")
    return text[begins:], begins > 0


def _within_json(text: str, begins: int, at: int, broken: int) -> tuple[bool, int]:
    """Whether the tag at a place stands in JSON that starts after another place; and how much was read in vain.

    Args:
        broken: how much was before.
    """
    position = begins
    while start := _JSON_START.search(text, position, at):
        try:
            position = _decoder(None).raw_decode(text, start.start())[1]
        except (ValueError, RecursionError) as error:
            broken += _FOR_EACH + getattr(error, "pos", len(text)) - start.start()
            if broken > _MOST_BROKEN:
                raise UnusableAnswer("there was too much broken JSON in it") from None
            position = start.start() + 1
        if position > at:
            return True, broken
    return False, broken


def _decoder(pairs: Callable[[Sequence[tuple[str, Any]]], dict[str, Any]] | None) -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=pairs)
