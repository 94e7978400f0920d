"""A chat client for OpenAI-compatible servers on the standard library, for the environments of third-party systems."""

import http.client
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from forgeteval.planners.chat import Ask, ChatOptions, Contract, Endpoint
from forgeteval.planners.llm.contracts import strict
from forgeteval.planners.llm.reading import read_said, why_silent
from forgeteval.planners.protocol import PlannerUnavailable

LONGEST_MESSAGE = 200
_NOT_THE_SHAPE = (ValueError, LookupError, TypeError, RecursionError)


def chat_body(options: ChatOptions, prompt: str, contract: Contract | None = None) -> dict[str, Any]:
    """The request for one answer that is a JSON object, whose form is asked for as the options say.

    Args:
        contract: what the answer must be; without one, a schema asks for any object.
    """
    body = {
        "model": options.model,
        "temperature": options.temperature,
        "max_tokens": options.max_tokens,
        "messages": [{"role": "user", "content": prompt}],
    }
    if options.structured == "none":
        return body
    if options.structured == "object" or contract is None:
        return {**body, "response_format": {"type": "json_object"}}
    schema = strict(contract) if options.structured == "strict" else contract
    named = {"name": "answer", "strict": True, "schema": schema}
    return {**body, "response_format": {"type": "json_schema", "json_schema": named}}


def chat_client(options: ChatOptions, endpoint: Endpoint, headers: Callable[[str], Mapping[str, str]]) -> Ask:
    """Build a function from (purpose, prompt, contract) to what the answer says, by one POST to /chat/completions.

    Each thread keeps its connection. The function raises PlannerUnavailable, with a short reason that never holds the
    token, for any status other than 200, a connection that is refused or lost, too long a silence, or a body without
    content. Retries are the server's business: a request is only sent again where a kept
    connection turns out to have been closed.

    Args:
        headers: returns further headers of a request for a purpose; its Authorization takes the place of the
            endpoint's.
    """
    connections = _Connections(endpoint.url, endpoint.timeout_s)

    def ask(purpose: str, prompt: str, contract: Contract | None = None) -> str:
        body = chat_body(options, prompt, contract)
        sent_headers = {
            "Authorization": f"Bearer {endpoint.token}",
            "Content-Type": "application/json",
            **headers(purpose),
        }
        try:
            status, answer = connections.post(json.dumps(body).encode(), sent_headers)
        except TimeoutError:
            reason = f"no answer within {endpoint.timeout_s:g} s"
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Not the error's own text: one about a header would quote the token.
            reason = type(error).__name__
        else:
            said = read_said(answer) if status == http.client.OK else None
            if said is not None:
                return said
            told = _told(answer, sent_headers["Authorization"].removeprefix("Bearer "))
            reason = why_silent(answer) if status == http.client.OK else f"HTTP {status}{told}"
        raise PlannerUnavailable(f"{purpose}: {reason}")

    return ask


class _Connections(threading.local):
    """One kept connection for each thread."""

    def __init__(self, url: str, timeout_s: float) -> None:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
        self._path = f"{parts.path.rstrip('/')}/chat/completions"

    def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Status and body of the answer."""
        try:
            response = self._response(body, headers)
            return response.status, response.read()
        except BaseException:
            # Half an exchange must not be read as the answer to the next request.
            self._connection.close()
            raise

    def _response(self, body: bytes, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        was_kept = self._connection.sock is not None
        try:
            self._connection.request("POST", self._path, body, headers)
            return self._connection.getresponse()
        except (ConnectionResetError, BrokenPipeError):
            self._connection.close()
            if not was_kept:
                raise
        self._connection.request("POST", self._path, body, headers)
        return self._connection.getresponse()


def _told(answer: bytes, token: str) -> str:
    """What an OpenAI-compatible error body says, on one line, shortened, without the token."""
    try:
        message = json.loads(answer)["error"]["message"]
    except _NOT_THE_SHAPE:
        return ""
    line = " ".join(str(message).split())
    if token:
        line = line.replace(token, "***")
    return f": {line[:LONGEST_MESSAGE]}"
