"""What an endpoint says when it refuses: its own reason, in whatever form, and whether asking again can ever help."""

import json
import re
from collections.abc import Collection
from html import unescape
from typing import Any

_SAYING = ("message", "msg", "detail", "error", "errors", "error_description", "description", "title", "reason")
"""Fields that hold a reason, or what holds one: OpenAI's, FastAPI's, Ollama's, problem+json's, Google's, …"""
_LIMITED = frozenset({408, 409, 425, 429})
_NEVER = frozenset({401, 402, 403, 404, 405, 410, 501})
_NO_MONEY = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|billing_(?:hard_limit_reached|not_active)|credit balance"
    r"|budget[_ ](?:has been )?exceeded|exceeded \w+ budget|all available credits|spend(?:ing)?[_ ]limit",
    re.I,
)
_OF_THIS_PROMPT = re.compile(
    r"context|too (?:long|large)|input tokens|flagged|moderation|content[_ ]?(?:policy|filter)", re.I
)
_OF_A_VALUE = re.compile(r"(?=.*\d).*(?:\brange\b|at most|\bmaximum\b|less than|between|exceeds?\b|[<>])", re.I | re.S)
"""What is said of a limit that is too large, which the endpoint takes in itself."""
_PAGE_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.I | re.S)
_TAG = re.compile(r"<[^>]*>")
_DEEPEST = 6
_LONGEST_TOLD = 4_000
"""Characters of a reason that are read: a page of an error has its title in them, and Python reads no number of many
more digits."""


def told_reason(body: str) -> str:
    """What the body of a refusal says, on one line; empty where it says nothing.

    >>> told_reason('[{"error": {"code": 400, "message": "no such model", "status": "NOT_FOUND"}}]')
    'no such model (NOT_FOUND)'
    >>> told_reason('{"detail": [{"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted"}]}')
    'top_k: Extra inputs are not permitted'
    >>> told_reason("<html><head><title>404 Not Found</title></head></html>")
    '404 Not Found'
    """
    told = _told(body, 0).lstrip()[:_LONGEST_TOLD]
    if told.startswith("<"):
        title = _PAGE_TITLE.search(told)
        told = unescape(title[1] if title else _TAG.sub(" ", told))
    return " ".join(told.split())


def never_succeeds(status: int, body: str, sent: Collection[str] = ()) -> bool:
    """Whether a refusal is one of every request: a wrong key or address, no money, an unknown model, a parameter that
    the endpoint does not take.

    Args:
        sent: names of the request's fields.
    """
    told = told_reason(body)
    if _NO_MONEY.search(told) or _NO_MONEY.search(_code(body)):
        return True
    if status in _LIMITED or status < 400 or _OF_THIS_PROMPT.search(told):
        return False
    return status in _NEVER or _refused(status, body, sent) is not None


def refused_field(status: int, body: str, sent: Collection[str]) -> str | None:
    """The field of the request that a refusal blames, if it names one of those sent, apart from `model` and `messages`,
    and not only the size of a limit.

    >>> refused_field(400, '{"error": {"message": "no", "param": "temperature"}}', ["messages", "temperature"])
    'temperature'
    >>> refused_field(400, '{"error": "does not support max_tokens; use max_completion_tokens"}', ["max_tokens"])
    'max_tokens'
    >>> refused_field(400, '{"error": "the valid range of max_tokens is [1, 8192]"}', ["max_tokens"])
    """
    refused = _refused(status, body, sent)
    is_too_large = refused is not None and "tokens" in refused and _OF_A_VALUE.match(told_reason(body))
    return None if is_too_large else refused


def _refused(status: int, body: str, sent: Collection[str]) -> str | None:
    """The field that a refusal blames, for itself or for its value."""
    told = told_reason(body)
    if status not in (400, 422) or _OF_THIS_PROMPT.search(told):
        return None
    fields = [name for name in sent if name not in ("model", "messages")]
    blamed = str(_field(body, "param") or "").split(".")[0]
    if blamed in fields:
        return blamed
    places = {name: found.start() for name in fields if (found := re.search(rf"(?<!\w){re.escape(name)}(?!\w)", told))}
    return min(places, key=places.__getitem__, default=None)


def _told(said: Any, depth: int) -> str:
    """The first reason in what was said; texts that are JSON are read."""
    if depth > _DEEPEST:
        return ""
    if isinstance(said, str):
        inner = _read(said)
        return said if inner is None else _told(inner, depth + 1)
    if isinstance(said, list):
        return "; ".join(told for one in said[:3] if (told := _told(one, depth + 1)))
    if not isinstance(said, dict):
        return ""
    told = next((told for name in _SAYING if (told := _told(said.get(name), depth + 1))), "")
    where = [str(part) for part in said["loc"] if part != "body"] if isinstance(said.get("loc"), list) else []
    metadata = said.get("metadata")
    raw = _told(metadata.get("raw"), depth + 1) if isinstance(metadata, dict) else ""
    told = ": ".join(part for part in (".".join(where), told, raw) if part)
    codes = [code for name in ("code", "status", "type") if isinstance(code := said.get(name), str) and code]
    return f"{told} ({codes[0]})" if told and codes and codes[0] not in told else told


def _code(body: str) -> str:
    return " ".join(str(_field(body, name) or "") for name in ("code", "type"))


def _field(body: str, name: str) -> Any:
    """A field of the error, wherever a body has it."""
    said = _read(body)
    if isinstance(said, list):
        said = said[0] if said else None
    error = said.get("error", said) if isinstance(said, dict) else None
    return error.get(name) if isinstance(error, dict) else None


def _read(text: str) -> Any:
    """A JSON object or list in a text, else None."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
