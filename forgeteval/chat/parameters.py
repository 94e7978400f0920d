"""What becomes of a request's fields on the way to a model: an endpoint's own names, and what it does not take."""

import functools
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from forgeteval.chat.counts import wrong_count
from forgeteval.chat.refusals import refused_field
from forgeteval.errors import UserError
from forgeteval.planners.chat import Structured
from forgeteval.yaml_data import read_yaml_data

DATA_FILES = ("presets.yaml",)
MAX_TOKENS = 1024
"""Limit of an answer, unless a preset or the caller says otherwise."""
REASONING_TOKENS = 16_384
"""Limit that leaves room for reasoning."""
_OTHER_NAMES = {"max_tokens": "max_completion_tokens"}
"""What is sent in place of a field that is refused, so that an answer keeps its limit."""
LIMITS = frozenset({*_OTHER_NAMES, *_OTHER_NAMES.values()})
"""Fields that limit an answer's length."""
_OF_EVERY_REQUEST = frozenset({"messages", "model"})
_OF_A_KEY = re.compile(r"(?:\w+[-_])*(?:api[-_]?key|authorization|access[-_]?token|secret|password)", re.IGNORECASE)
_SENT_HERE = frozenset({"temperature", "max_tokens", "seed", "response_format"})


@dataclass(frozen=True, slots=True)
class Preset:
    """What a family of endpoints takes.

    Attributes:
        drop: fields that are left out.
        rename: a field to its name there.
        set: fields that are added where the request lacks them.
        structured: how an answer's form is asked for.
        max_tokens: of an answer, where reasoning is part of it.
        source: where that is said.
    """

    drop: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    set: Mapping[str, Any] = field(default_factory=dict)
    structured: Structured = "object"
    max_tokens: int | None = None
    source: str = ""

    def sent(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request as the endpoint gets them.

        >>> preset("openai_reasoning").sent({"messages": [], "max_tokens": 512, "temperature": 0})
        {'messages': [], 'max_completion_tokens': 512}
        """
        named = {self.rename.get(name, name): value for name, value in {**self.set, **fields}.items()}
        return {name: value for name, value in named.items() if name not in self.drop}

    def joined(self, drop: Collection[str], rename: Mapping[str, str]) -> "Preset":
        """The preset with what an entry says besides; a field that the entry renames is not dropped."""
        dropped = tuple(name for name in dict.fromkeys((*self.drop, *drop)) if name not in rename.values())
        return replace(self, drop=dropped, rename={**self.rename, **rename})


@functools.cache
def presets() -> Mapping[str, Preset]:
    """The known families, by name."""
    read = read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))
    return {name: Preset(**entry) for name, entry in read.items()}


def preset(name: str) -> Preset:
    """A family by its name; without one, an endpoint that takes everything.

    Raises:
        UserError: where it is not known.
    """
    if name and name not in presets():
        raise UserError(f"preset {name!r}: unknown; known: {', '.join(presets())}")
    return presets()[name] if name else Preset()


def field_problem(drop: Collection[str], rename: Mapping[str, str], extra_body: Mapping[str, Any]) -> str:
    """What of a model's settings makes requests that cannot be sent or cannot be told apart; empty where nothing does.

    >>> field_problem(["messages"], {}, {})
    'drop: messages is part of every request as it is; remove it'
    """
    if wrong := wrong_count(extra_body):
        return f"extra_body.{wrong[0]}: {wrong[1]}, not {extra_body[wrong[0]]!r:.80}"
    if extra_body.get("stream"):
        return "extra_body.stream: an answer is asked for as a whole; remove it"
    try:
        json.dumps(extra_body, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return f"extra_body: cannot be sent as JSON ({type(error).__name__}: {error})"
    if any(map(_OF_A_KEY.fullmatch, _names(extra_body))):
        return (
            "extra_body: holds a key, which caches and results would show; it belongs into the variable that "
            "api_key_env names"
        )
    names = list(rename.values())
    for key, given in (("drop", drop), ("rename", [*rename, *names]), ("extra_body", extra_body)):
        for name in _OF_EVERY_REQUEST.intersection(given):
            return f"{key}: {name} is part of every request as it is; remove it"
    for name in names:
        if names.count(name) > 1:
            return f"rename: two fields become {name}; rename one of them alone"
    sent = {*_SENT_HERE, *extra_body} - {*rename, *drop}
    for name, new in rename.items():
        if new in sent and not {name, new} <= LIMITS:
            return f"rename: {name} becomes {new}, which is sent itself; drop or rename {new} too"
    return ""


def _names(value: Any) -> Iterator[str]:
    """The names of all fields in a value of JSON."""
    if isinstance(value, Mapping):
        yield from map(str, value)
    for inner in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _names(inner)


class Refusals:
    """The fields that an endpoint has refused by name, left out from then on; standard error says which."""

    def __init__(self, model: str) -> None:
        self._model, self._refused = model, dict[str, str]()

    def sent(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields without those that were refused; a refused limit goes by its other name, unless that was too."""
        named = {self._refused.get(name, name): value for name, value in fields.items()}
        return {name: value for name, value in named.items() if name and name not in self._refused}

    def learn(self, status: int, body: str, sent: Collection[str]) -> bool:
        """Whether asking again without the field that a refusal names may help.

        Args:
            sent: names of what was sent.
        """
        refused = refused_field(status, body, sent)
        if refused is None:
            return False
        if refused in self._refused:
            return True  # By another call, meanwhile.
        other = _OTHER_NAMES.get(refused, "")
        self._refused[refused] = "" if other in sent else other
        done = f"{other} is sent in its place" if self._refused[refused] else "it is left out from here on"
        remedy = f"rename: {{{refused}: {other}}}" if self._refused[refused] else f"drop: [{refused}]"
        print(f"model {self._model}: the endpoint refuses {refused}; {done} ({remedy} in its entry)", file=sys.stderr)
        return True
