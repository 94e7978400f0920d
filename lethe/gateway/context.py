"""On whose behalf a call is made, and what the calls of a trial came to.

Nothing but the standard library is imported here: a worker, in its system's environment, writes the headers.
"""

import secrets
from dataclasses import asdict, astuple, dataclass, replace

PURPOSE_HEADER = "X-Lethe-Purpose"


@dataclass(frozen=True, slots=True)
class CallContext:
    """The trial that a call belongs to (suite, system, case, repetition), and the purpose of the call."""

    suite: str = ""
    system: str = ""
    case_id: str = ""
    repetition: int = 0
    purpose: str = ""


def call_headers(token: str, purpose: str) -> dict[str, str]:
    """The headers of a call: the token says whose it is, and nothing that it says besides changes that."""
    return {"Authorization": f"Bearer {token}", PURPOSE_HEADER: purpose}


@dataclass(frozen=True, slots=True)
class Usage:
    """What the chat calls of one trial used.

    A cached answer counts as one call, with the tokens, cost and time of the original; a call that ended in an error is
    one call without tokens. Cost is in US dollars, `answer_ms` the sum of the answers' times. `unreported` answers came
    without their tokens, `cut_off` ones reached their limit.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    answer_ms: float = 0.0
    unreported: int = 0
    cut_off: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def columns(self) -> dict[str, int | float]:
        """The usage by the names of the columns of `lethe.schemas.TRIALS` and `CROSSEVAL_HISTORIES`."""
        named = asdict(self)
        del named["unreported"], named["cut_off"]
        return {"llm_calls": named.pop("calls"), **named}


_Trial = tuple[str, str, str, int]


def _trial(context: CallContext) -> _Trial:
    return context.suite, context.system, context.case_id, context.repetition


class Trials:
    """Whose a call is, and by trial what its calls used and lack. One thread writes, and any may read.

    Attributes:
        token: the bearer token (API key) of a system that asks by itself.
        context: the trial that requests with this token belong to; may be set at any time.
        stop: one line on why the run must stop (a spending cap is reached, replay has no answer, the cache cannot be
            written), else None.
        answered: an answer said something so far, or one was looked for that is not recorded.
    """

    def __init__(self) -> None:
        self.token, self.context = "", CallContext()
        self.stop: str | None = None
        self.answered = False
        self._issued = dict[str, CallContext]()
        self._usage, self._lacking = dict[_Trial, Usage](), dict[_Trial, str]()

    def issue(self, context: CallContext) -> str:
        """A token of its own for a trial: whatever else they say, requests with it belong to that trial."""
        token = secrets.token_urlsafe(32)
        self._issued[token] = context
        return token

    def whose(self, token: str, purpose: str) -> CallContext | None:
        """The trial of a request with a token; None for a token that nobody was given."""
        # Found by a hash that differs in each process, so that the time it takes says nothing of a token.
        if token in {self.token}:
            return self.context
        issued = self._issued.get(token)
        return None if issued is None else replace(issued, purpose=purpose)

    def add(self, context: CallContext, used: Usage) -> None:
        """Count a call of a trial, whatever its purpose."""
        self._usage[_trial(context)] = self.usage(context) + used

    def usage(self, context: CallContext) -> Usage:
        """What the chat calls for the suite, system, case and repetition of `context` used in this process so far."""
        return self._usage.get(_trial(context), Usage())

    def lack(self, context: CallContext, message: str) -> None:
        """Keep that a call had no recorded answer; of several, the first."""
        # No sign that the model has nothing to say: its trials that break are what was recorded of it.
        self.answered = True
        self._lacking.setdefault(_trial(context), message)

    def lacking(self, context: CallContext) -> str | None:
        """The first answer that a trial lacks in mode `recorded`; whoever asked may have swallowed the error."""
        return self._lacking.get(_trial(context))

    def halt(self, reason: str) -> None:
        """The run must stop; of several reasons, the first."""
        self.stop = self.stop or reason
