"""Where a model's endpoint is, which a server on this machine says when it is asked."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Address:
    """Where an endpoint is, up to and including /v1, and the key that it wants."""

    base_url: str
    key: str | None


Locate = Callable[[], Address]
"""Says where an endpoint is, after starting it where need be; raises UserError where it cannot be started."""
