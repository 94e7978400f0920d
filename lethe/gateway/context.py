"""On whose behalf a call is made, and what the calls of a trial came to.

Nothing but the standard library is imported here: a worker, in its system's environment, writes the headers.
"""

import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import quote, unquote

from lethe.gateway.errors import bad_request

HEADERS = {
    "suite": "X-Lethe-Suite",
    "system": "X-Lethe-System",
    "case_id": "X-Lethe-Case",
    "repetition": "X-Lethe-Repetition",
    "purpose": "X-Lethe-Purpose",
}


@dataclass(frozen=True, slots=True)
class CallContext:
    """The trial that a call belongs to (suite, system, case, repetition), and the purpose of the call."""

    suite: str = ""
    system: str = ""
    case_id: str = ""
    repetition: int = 0
    purpose: str = ""

    def headers(self, purpose: str) -> dict[str, str]:
        """The X-Lethe-* headers of a call for `purpose` in this context; values are percent-encoded."""
        given = {**asdict(self), "purpose": purpose}
        return {header: quote(str(given[name])) for name, header in HEADERS.items()}

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> "CallContext | None":
        """The context of a request; None if it has no X-Lethe-* header.

        Raises:
            GatewayError: if the repetition is not a whole number from 0.
        """
        given = {name: unquote(headers[header]) for name, header in HEADERS.items() if header in headers}
        if not given:
            return None
        repetition = given.pop("repetition", "0")
        if not (repetition.isascii() and repetition.isdigit()):
            raise bad_request(f"{HEADERS['repetition']} must be a whole number from 0")
        return cls(**given, repetition=int(repetition))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the chat calls of one trial used.

    A cached answer counts as one call, with the tokens and the cost of the original call; a call that ended in an
    error counts as one call without tokens. Cost is in US dollars.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0

    def columns(self) -> dict[str, int | float]:
        """The usage by the names of the columns of `lethe.schemas.TRIALS` and `CROSSEVAL_HISTORIES`."""
        tokens = {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
        return {"llm_calls": self.calls, **tokens, "cost_usd": self.cost_usd}


class UsageMeter:
    """Sum of usage by suite, system, case and repetition (whatever the purpose); safe to read from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage: dict[tuple[str, str, str, int], Usage] = {}

    def add(self, context: CallContext, tokens_in: int, tokens_out: int, cost_usd: float) -> None:
        with self._lock:
            before = self._usage.get(_trial(context), Usage())
            self._usage[_trial(context)] = Usage(
                before.calls + 1,
                before.tokens_in + tokens_in,
                before.tokens_out + tokens_out,
                before.cost_usd + cost_usd,
            )

    def of(self, context: CallContext) -> Usage:
        with self._lock:
            return self._usage.get(_trial(context), Usage())


def _trial(context: CallContext) -> tuple[str, str, str, int]:
    return context.suite, context.system, context.case_id, context.repetition
