"""Errors in the format of OpenAI's API, which every OpenAI client understands."""

import json

from forgeteval.chat.completions import Attempts


class GatewayError(Exception):
    """An error that is the answer to a request; `status` is the HTTP status, `kind` the error's type and code."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message

    def body(self) -> bytes:
        error = {"message": self.message, "type": self.kind, "param": None, "code": self.kind}
        return json.dumps({"error": error}).encode("ascii")


class UpstreamError(GatewayError):
    """A call without a usable answer, after some attempts."""

    def __init__(self, status: int, message: str, attempts: Attempts) -> None:
        super().__init__(status, "upstream_error", message)
        self.attempts = attempts


def bad_request(message: str) -> GatewayError:
    return GatewayError(400, "invalid_request_error", message)
