"""Reading the answer of an endpoint: its text, whether it may be cached, and the tokens it used."""

import json
import math
from dataclasses import dataclass
from typing import Any

from forgeteval.planners.llm.reading import is_good
from lethe.gateway.context import Usage

MOST_TOKENS = 10**9
"""Usage beyond it is none that an answer can have."""


class UnusableAnswerError(ValueError):
    """A 2xx answer that is not a chat completion; `is_page` means that it is a page for people."""

    is_page = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion as JSON, with what it cost.

    Tokens are those that the endpoint reported, else None. `latency_ms` is the time of the attempt that was answered,
    without queueing and back-off; `attempts` is the number of requests made, `broken` of those before it that broke
    off, which may have cost something. `keep` is False for an answer that must not be cached.
    """

    response: str
    finish_reason: str
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float = 0.0
    latency_ms: float = 0.0
    attempts: int = 0
    keep: bool = True
    broken: int = 0

    @property
    def usage(self) -> Usage:
        """What one call with this answer used."""
        return Usage(1, self.tokens_in or 0, self.tokens_out or 0, self.cost_usd, self.latency_ms)


def read_completion(text: str) -> Answer:
    """Read the body of a 2xx answer; cost, latency and attempts are left at 0.

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
    return Answer(
        response=response,
        finish_reason=choices[0].get("finish_reason") or "",
        tokens_in=_count(usage, "prompt_tokens"),
        tokens_out=_count(usage, "completion_tokens"),
        keep=all(map(is_good, choices)),
    )


def _is_choice(choice: Any) -> bool:
    if not isinstance(choice, dict) or not isinstance(choice.get("message"), dict):
        return False
    reason, calls = choice.get("finish_reason"), choice["message"].get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(isinstance(call, dict) for call in calls)):
        return False
    return reason is None or (isinstance(reason, str) and reason.isascii())


def _count(usage: Any, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        return None
    if value > MOST_TOKENS:
        raise UnusableAnswerError(f"a usage of more than {MOST_TOKENS:,} tokens")
    return math.ceil(value)
