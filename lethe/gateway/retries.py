"""Retries: which failures may pass, and how long to wait before the next attempt."""

import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import openai

from lethe.gateway.answers import UnusableAnswerError
from lethe.gateway.redaction import Redactor

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
LONGEST_RETRY_AFTER_S = 120.0
"""Longest wait that an endpoint may ask for; if it asks for more, the call fails."""

PASSING_STATUSES = frozenset({408, 429})
CREDENTIAL_STATUSES = frozenset({401, 403})
_NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
"""How a request fails that no endpoint has seen."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one attempt failed.

    `status` is the gateway's own answer. `passing`: another attempt may succeed. `reached`: the endpoint may have
    worked on this one. `silent`: it gave no sign of life. `retry_after_s`: the wait that it asked for, in seconds.
    """

    status: int
    message: str
    passing: bool
    reached: bool
    silent: bool
    retry_after_s: float | None = None


def classify(error: Exception, timeout_s: float, redact: Redactor) -> Failure:
    """The failure that an exception of the OpenAI client, the time limit or the reading of the answer stands for."""
    if isinstance(error, openai.APIConnectionError) and isinstance(error.__cause__, UnusableAnswerError):
        error = error.__cause__
    reached = not isinstance(error.__cause__, _NOTHING_SENT)
    match error:
        case TimeoutError() | openai.APITimeoutError():
            message = f"timed out after {timeout_s:g} s" if reached else f"let nobody connect within {timeout_s:g} s"
            return Failure(504, message, passing=True, reached=reached, silent=True)
        case openai.APIConnectionError():
            cause = error.__cause__ or error
            message = f"connection failed ({type(cause).__name__}: {cause})"
            return Failure(502, message, passing=True, reached=reached, silent=True)
        case UnusableAnswerError():
            return Failure(502, f"answered with {error}", passing=True, reached=True, silent=False)
        case openai.APIStatusError():
            return _classify_status(error, redact)
        case _:
            message = f"cannot be asked ({type(error).__name__}: {error})"
            return Failure(502, message, passing=False, reached=True, silent=False)


def _classify_status(error: openai.APIStatusError, redact: Redactor) -> Failure:
    status = error.status_code
    wait_s = seconds_to_wait(error.response.headers.get("retry-after"))
    too_long = wait_s is not None and wait_s > LONGEST_RETRY_AFTER_S
    message = f"answered {status} ({redact(error.message)[:500]})"
    if too_long:
        message += f"; it asks to wait {wait_s:.0f} s"
    # A client of the gateway would take the endpoint's 401 for a wrong gateway token.
    shown = 502 if status >= 500 or status in CREDENTIAL_STATUSES else status
    passing = (status >= 500 or status in PASSING_STATUSES) and not too_long
    return Failure(shown, message, passing=passing, reached=True, silent=False, retry_after_s=wait_s)


def seconds_to_wait(retry_after: str | None) -> float | None:
    """Seconds that a Retry-After header (seconds or an HTTP date) asks for; None if it is unusable."""
    if retry_after is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", retry_after.strip()):
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return None
    # "-0000" yields a time without zone; HTTP dates are in UTC.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def back_off_s(failed_attempts: int) -> float:
    """Seconds to wait after this many failed attempts: doubled each time, less a random part of up to half."""
    wait = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (failed_attempts - 1))
    return wait * random.uniform(0.5, 1.0)
