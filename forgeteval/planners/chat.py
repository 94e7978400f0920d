"""What a planner with a chat model is told of it; nothing but the standard library is imported here."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Literal, Protocol

from forgeteval.planners.protocol import CANDIDATES

Structured = Literal["schema", "strict", "object", "none"]
"""How an answer's form is asked for: by the JSON Schema of its contract, by as much of it as strict endpoints take, as
any JSON object, or by the prompt alone."""

Contract = Mapping[str, Any]
"""JSON Schema of an answer."""


class Ask(Protocol):
    """Sends a prompt to a chat model; raises PlannerUnavailable where there is no answer."""

    def __call__(self, purpose: str, prompt: str, contract: Contract | None = None) -> str:
        """The text of the answer, which is to keep to the contract."""


@dataclass(slots=True)
class Used:
    """What was asked of a chat model, and what its endpoint reported of that.

    A kept answer counts as when it was given; a call that ended in an error is one without tokens.

    Attributes:
        unreported: answers whose tokens, or a part of them, nobody reported; those count as none.
        kept: calls that an answer of before replied to, so that nobody was asked.
        cut_off: answers that ended at their limit of tokens.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    unreported: int = 0
    kept: int = 0
    cut_off: int = 0

    def __add__(self, other: "Used") -> "Used":
        return Used(*(one + more for one, more in zip(astuple(self), astuple(other), strict=True)))

    def add(self, tokens_in: int | None, tokens_out: int | None) -> None:
        """Count the tokens of an answer."""
        self.tokens_in += tokens_in or 0
        self.tokens_out += tokens_out or 0
        self.unreported += tokens_in is None or tokens_out is None


HookContract = Literal["paper", "rows"]
"""What a model is shown of a mutation, and what it may answer: as in the paper, or every row that it may need."""


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What every request to a chat model holds besides the prompt, and the contract by which it plans mutations.

    Attributes:
        candidates: how many rows the contract `rows` shows.
    """

    model: str
    temperature: float
    max_tokens: int
    structured: Structured = "object"
    contract: HookContract = "rows"
    candidates: int = CANDIDATES


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a chat model is asked.

    Attributes:
        url: of the API's root, such as http://127.0.0.1:8000/v1.
        token: bearer token.
        timeout_s: seconds without a byte after which a request is given up.
    """

    url: str
    token: str
    timeout_s: float
