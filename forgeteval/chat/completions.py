"""Chat completions as endpoints send them: whether one is usable, may be kept, what it used, and the attempts at it."""

import json
import math
from dataclasses import dataclass
from typing import Any

from forgeteval.planners.llm.reading import REASONING_FIELDS, is_good

FAILS_AFTER = 3
"""Number of calls in a row without an answer after which no further one is made; where the first call of all finds
nobody, that is enough."""
MOST_TOKENS = 10**9
"""Usage beyond it is none that an answer can have."""
_OF_TOKENS = ("content", "tool_calls", "function_call", "refusal", *REASONING_FIELDS)
"""What a message says; where there is any of it, it took at least one token."""


class UnusableAnswerError(ValueError):
    """A 2xx answer that is not a chat completion; `is_page` means that it is a page for people."""

    is_page = False


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion as JSON. Tokens are those that the endpoint reported, else None, as where it reported none of
    what was there; `keep` is False for one that must not be kept."""

    response: str
    finish_reason: str
    tokens_in: int | None
    tokens_out: int | None
    keep: bool = True


@dataclass(slots=True)
class Attempts:
    """What became of the attempts at one call so far.

    `fields`: names of what was sent. `reached`: how many attempts the endpoint may have worked on. `broken`: how many
    of those ended without a status, so that nobody knows what they cost. `silent`: it gave no sign of life. `final`: it
    refused in a way that no further call will change. `latency_ms` is the time of the last one, without waiting for its
    place.
    """

    fields: frozenset[str] = frozenset()
    key: str = ""
    made: int = 0
    reached: int = 0
    broken: int = 0
    silent: bool = True
    final: bool = False
    latency_ms: float = 0.0
    answer: Completion | None = None


def read_completion(text: str) -> Completion:
    """Read the body of a 2xx answer.

    Raises:
        UnusableAnswerError: if it is empty, cut off, not a chat completion, or of impossible usage.
    """
    if not text.strip():
        raise UnusableAnswerError("an empty body")
    try:
        body = json.loads(text)
        # Escaped throughout, so that lone surrogates can be stored and sent; Python reads NaN, which no JSON has.
        response = json.dumps(body, allow_nan=False)
    except (ValueError, RecursionError):
        error = UnusableAnswerError("a body that is not JSON")
        error.is_page = text.lstrip().startswith("<")
        raise error from None
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not all(map(_is_choice, choices)):
        raise UnusableAnswerError(f"JSON that is not a chat completion: {text.strip()[:200]}")
    usage = body.get("usage") or {}
    tokens_in, tokens_out = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    tokens_out = _with_reasoning(tokens_in, tokens_out, _count(usage, "total_tokens"))
    if not tokens_out and any(_has_tokens(choice["message"]) for choice in choices):
        tokens_out = None
    return Completion(
        response=response,
        finish_reason=choices[0].get("finish_reason") or "",
        # No request is of none.
        tokens_in=tokens_in or None,
        tokens_out=tokens_out,
        keep=all(map(is_good, choices)),
    )


def _is_choice(choice: Any) -> bool:
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        return False
    reason, calls = choice.get("finish_reason"), choice["message"].get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
        return False
    return reason is None or (isinstance(reason, str) and reason.isascii())


def _has_tokens(message: dict[str, Any]) -> bool:
    return any(message.get(name) for name in _OF_TOKENS)


def _with_reasoning(tokens_in: int | None, tokens_out: int | None, total: int | None) -> int | None:
    """The tokens of an answer; those of reasoning are in the total alone at some endpoints (Gemini's, xAI's)."""
    if tokens_in is None or tokens_out is None or total is None:
        return tokens_out
    return max(tokens_out, total - tokens_in)


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        return None
    if value > MOST_TOKENS:
        raise UnusableAnswerError(f"a usage of more than {MOST_TOKENS:,} tokens")
    return math.ceil(value)
