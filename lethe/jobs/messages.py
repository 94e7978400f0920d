"""The messages between a run's process and its worker, one JSON object a line: {"KIND": {...}, "lane": N}.

    process: Start                                  worker: Built
    process: Tell, any number of times a trial      worker: Done
    While that is being done, any number of times:  worker: Embed, Complete or Plan
    process: EmbeddedTexts, Completion or Decision

What a store is told holds nothing of what its answers are judged by; see `forgeteval.run.replay` and
`lethe.jobs.erasing`. Every `Done` names the trial that it is of by a number that nobody can guess, so that no trial is
answered for another.

This module is imported in the systems' own environments: nothing is imported here that they do not have.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from forgeteval.embed.embedder import Embedder, Vectors
from forgeteval.json_records import fields_of, from_json
from forgeteval.planners.chat import ChatOptions, Endpoint
from forgeteval.planners.protocol import SHOWN, Shown
from forgeteval.planners.remote import check_message
from forgeteval.run.replay import Look, Looked, ReplayOptions, Step, Stepped
from forgeteval.run.storable import check_came, check_storable
from forgeteval.stores.contract import Services
from lethe.jobs.acting import Act, Acted

MOST_BYTES = 64 << 20
"""What a message of a worker may be long; the longest that systems need are a thousandth of it."""
MOST_TEXTS = 256
"""What the run embeds at once, so that no reply of it takes long."""
MOST_CHARACTERS = 1 << 20
"""How long these texts may be together."""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Texts and their vectors, float32 of shape (texts, dim), as base64; the reply to Embed."""

    texts: list[str]
    vectors: str

    @classmethod
    def of(cls, texts: Sequence[str], embedder: Embedder) -> "EmbeddedTexts":
        """The texts with the vectors that `embedder` gives them."""
        vectors = np.ascontiguousarray(embedder.embed(texts), dtype="<f4")
        return cls(list(texts), base64.b64encode(vectors.tobytes()).decode())

    def array(self, dim: int) -> Vectors:
        """The vectors, shape (texts, dim)."""
        return np.frombuffer(base64.b64decode(self.vectors), dtype="<f4").reshape(-1, dim).astype(np.float32)

    def by_text(self, dim: int) -> dict[str, Vectors]:
        """Each text's vector, shape (dim,)."""
        return dict(zip(self.texts, self.array(dim), strict=True))


@dataclass(frozen=True, slots=True)
class PlannerSetup:
    """The planner of a worker's mutations: a chat model, or (without `chat`) one in the run's own process.

    Attributes:
        chat: what the model's requests hold.
        endpoint: where the model is asked; None where the run's own process answers its requests.
        shown: how many memories the planner in the run's own process is shown.
    """

    chat: ChatOptions | None = None
    endpoint: Endpoint | None = None
    shown: Shown = SHOWN


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: the system that each of a worker's lanes builds, and what holds for every trial.

    Attributes:
        planner: who decides mutations; None where the system's own policies do.
        keeps_na: nothing is composed that the system itself has not (the contract `paper`): no operation by a hook, and
            no scopes.
        services: the gateway, where the system itself asks it.
        keys: environment variables with API keys that a process outside of the worker may have been started with.
        dim: length of a vector.
        haystack: unrelated memories that stand in the store before each history.
    """

    backend: str
    policies: dict[str, str]
    options: dict[str, Any]
    keeps_na: bool
    planner: PlannerSetup | None
    services: Services | None
    keys: list[str]
    dim: int
    lanes: int
    replay: ReplayOptions
    haystack: EmbeddedTexts


@dataclass(frozen=True, slots=True)
class Tell:
    """What a lane's store is told: a part of a trial, with the vectors of its texts that the lane has not.

    Attributes:
        trial: name of the trial, which nobody can guess: the reply has to name it, and what a chat model is asked
            meanwhile is asked in it. A new one begins an empty store.
    """

    trial: str
    told: Step | Look | Act
    embedded: EmbeddedTexts


@dataclass(frozen=True, slots=True)
class Completion:
    """The reply to Complete: a chat completion as an OpenAI-compatible server gives it, or the reason for none."""

    body: dict[str, Any] | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The reply to Plan; see `forgeteval.planners.remote.answer`."""

    decided: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Built:
    """The reply to Start: why a lane's system could not be built, or None."""

    failure: str | None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of what was told; ValueError where no file could hold it, or a number or a time is negative."""

    trial: str
    came: "Came"

    def __post_init__(self) -> None:
        if not isinstance(self.came, Acted):
            check_came(self.came)


@dataclass(frozen=True, slots=True)
class Embed:
    """Texts whose vectors the worker was not sent; ValueError for too many, too long ones, what no tokenizer takes."""

    texts: list[str]

    def __post_init__(self) -> None:
        if len(self.texts) > MOST_TEXTS or sum(map(len, self.texts)) > MOST_CHARACTERS:
            raise ValueError(f"more than {MOST_TEXTS} texts or {MOST_CHARACTERS:,} characters to embed at once")
        check_storable(self.texts)

    @classmethod
    def parts(cls, texts: Sequence[str]) -> "Iterator[Embed]":
        """Requests for all of `texts`, in order, each within the limits."""
        part: list[str] = []
        characters = 0
        for text in texts:
            characters += len(text)
            if len(part) == MOST_TEXTS or (part and characters > MOST_CHARACTERS):
                yield cls(part)
                part, characters = [], len(text)
            part.append(text)
        if part:
            yield cls(part)


@dataclass(frozen=True, slots=True)
class Complete:
    """A chat request that the run's own process answers."""

    request: dict[str, Any]
    purpose: str

    def __post_init__(self) -> None:
        if not isinstance(self.request.get("messages"), list):
            raise ValueError("no completion is asked for")
        check_storable([self.request, self.purpose])


@dataclass(frozen=True, slots=True)
class Plan:
    """A request for a decision to the planner of the run's own process; see `forgeteval.planners.remote`."""

    wanted: dict[str, Any]

    def __post_init__(self) -> None:
        check_message(self.wanted)
        check_storable(self.wanted)


Came = Stepped | Looked | Acted
"""What comes of what a worker is told."""
Request = Embed | Complete | Plan
"""A worker's requests while a trial runs."""
Reply = EmbeddedTexts | Completion | Decision
Message = Start | Tell | Built | Done | Request | Reply

_KINDS: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(Message)}


def encode(message: Message, lane: int = 0) -> bytes:
    """A message to or from a lane as a line."""
    return json.dumps({type(message).__name__: message, "lane": lane}, default=fields_of).encode() + b"\n"


def decode(line: bytes | bytearray) -> tuple[int, Message]:
    """The lane and the message of a line.

    Raises:
        ValueError: where the line is not a message.
    """
    try:
        fields = json.loads(line)
        lane = fields.pop("lane")
        ((name, content),) = fields.items()
        if type(lane) is int:
            return lane, from_json(_KINDS[name], content)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        pass
    raise ValueError(f"no message: {bytes(line[:60])!r}")
