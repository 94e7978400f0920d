"""Errors in the format of OpenAI's API, which every OpenAI client understands."""

import json
from dataclasses import dataclass


class GatewayError(Exception):
    """An error that is the answer to a request; `status` is the HTTP status, `kind` the error's type and code."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message

    def body(self) -> bytes:
        error = {"message": self.message, "type": self.kind, "param": None, "code": self.kind}
        return json.dumps({"error": error}).encode("ascii")


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a call's attempts: `made`, `broken` off without a status, so that nobody knows what they cost,
    `reached` if the endpoint may have worked on one; `final` if no further call can succeed. `latency_ms` is that of
    the last."""

    made: int
    broken: int
    reached: bool
    final: bool
    latency_ms: float


class UpstreamError(GatewayError):
    """A call without a usable answer."""

    def __init__(self, status: int, message: str, tried: Tried) -> None:
        super().__init__(status, "upstream_error", message)
        self.tried = tried


def bad_request(message: str) -> GatewayError:
    return GatewayError(400, "invalid_request_error", message)
