"""What a planner with a chat model is told of it; nothing but the standard library is imported here."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What every request to a chat model holds besides the prompt."""

    model: str
    temperature: float
    max_tokens: int


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
