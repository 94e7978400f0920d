"""On whose behalf a call is made, and what the calls of a trial came to.

Nothing but the standard library is imported here: a worker, in its system's environment, writes the headers.
"""

import threading
from dataclasses import asdict, astuple, dataclass

PURPOSE_HEADER = "X-Lethe-Purpose"
JUDGE = "judge"
"""The system of a call that a judge makes."""


@dataclass(frozen=True, slots=True)
class CallContext:
    """The trial that a call belongs to (suite, system, case, repetition), and the purpose of the call."""

    suite: str = ""
    system: str = ""
    case_id: str = ""
    repetition: int = 0
    purpose: str = ""


def call_headers(token: str, purpose: str) -> dict[str, str]:
    """The headers of a call: the token says whose it is, and none of what it says besides changes that."""
    return {"Authorization": f"Bearer {token}", PURPOSE_HEADER: purpose}


@dataclass(frozen=True, slots=True)
class Usage:
    """What the chat calls of one trial used.

    A cached answer counts as one call, with the tokens, cost and time of the original; a call that ended in an error is
    one call without tokens. Cost is in US dollars, `answer_ms` the sum of the answers' times.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    answer_ms: float = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def columns(self) -> dict[str, int | float]:
        """The usage by the names of the columns of `lethe.schemas.TRIALS` and `CROSSEVAL_HISTORIES`."""
        named = asdict(self)
        return {"llm_calls": named.pop("calls"), **named}


class UsageMeter:
    """Usage by suite, system, case and repetition (whatever the purpose), and the answer that each lacks; safe to read
    from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: dict[tuple[str, str, str, int], Usage] = {}
        self._lacking: dict[tuple[str, str, str, int], str] = {}

    def add(self, context: CallContext, used: Usage) -> None:
        with self._lock:
            self._usage[_trial(context)] = self._usage.get(_trial(context), Usage()) + used

    def of(self, context: CallContext) -> Usage:
        with self._lock:
            return self._usage.get(_trial(context), Usage())

    def lack(self, context: CallContext, message: str) -> None:
        """Keep that a call had no recorded answer; of several, the first."""
        with self._lock:
            self._lacking.setdefault(_trial(context), message)

    def lacking(self, context: CallContext) -> str | None:
        """What a trial lacks."""
        with self._lock:
            return self._lacking.get(_trial(context))


def _trial(context: CallContext) -> tuple[str, str, str, int]:
    return context.suite, context.system, context.case_id, context.repetition
