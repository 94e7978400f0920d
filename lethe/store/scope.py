"""Whose memories: owner, session and source, and the moment from which a memory has expired."""

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import apsw

from lethe.store.arguments import check_encodable, string
from lethe.store.connection import fetch_all, fetch_only
from lethe.store.normalisation import name_form

if TYPE_CHECKING:
    from lethe.store.scan import VectorIndex


class Kept(NamedTuple):
    """What a memory is given besides its text when it is inscribed; a purge erases all of it."""

    owner: str | None = None
    session: str | None = None
    source: str | None = None
    expires_at: float | None = None


class Scope(NamedTuple):
    """What memories have in common; None where it does not matter."""

    owner: str | None = None
    session: str | None = None
    source: str | None = None

    def narrowed(self, owner: str | None, session: str | None, source: str | None) -> "Scope":
        """This scope with more given; `ValueError` where it has another already."""
        return Scope(*map(_both, self._fields, self, (owner, session, source)))

    def kept(self, expires_at: float | None) -> Kept:
        """What is written beside a memory that is inscribed in this scope."""
        return Kept(self.owner, self.session, self.source, expires_at)


EVERYTHING = Scope()
Span = tuple[float, float]
"""A time from its first moment on and before its last one, in seconds since the epoch."""
EVER: Span = (-math.inf, math.inf)


def _both(name: str, first: str | None, second: str | None) -> str | None:
    if second is None:
        return first
    second = name_form(string(f"the {name} of a scope", second))
    if not second:
        raise ValueError(f"the {name} of a scope may not be empty")
    check_encodable(f"the {name} of a scope", second)
    if first not in (None, second):
        raise ValueError(f"a scope has one {name}, not {first!r} and {second!r}")
    return second


@dataclass(frozen=True, slots=True)
class Sight:
    """The memories that count: those of a scope that have not expired at `now`; None counts the expired ones too.

    `sources`: those of which they are; None for any.
    """

    scope: Scope = EVERYTHING
    now: float | None = None
    sources: tuple[str, ...] | None = None

    def condition(self) -> tuple[str, tuple[str | float, ...]]:
        """The SQL condition that a row of `memory` meets, with its bindings; `true` if every memory counts."""
        if self.whole:
            return "true", ()
        given: dict[str, str | float | None] = {
            f"memory.{name} = ?": mark for name, mark in zip(Scope._fields, self.scope, strict=True)
        }
        if self.now is not None:
            given["coalesce(memory.expires_at > ?, true)"] = self.now
        if self.sources is not None:
            given["memory.source IN (SELECT value FROM json_each(?))"] = json.dumps(self.sources)
        meant = {condition: value for condition, value in given.items() if value is not None}
        return " AND ".join(meant), tuple(meant.values())

    @property
    def whole(self) -> bool:
        """Whether every memory counts."""
        return self.now is None and self.sources is None and self.scope == EVERYTHING


@dataclass(frozen=True, slots=True)
class View:
    """A store as an operation sees it: its connection in a transaction, its vectors, the memories that count.

    `some_sink`: whether any live memory may have a depth below the surface.
    """

    connection: apsw.Connection
    index: "VectorIndex"
    sight: Sight
    some_sink: bool


@dataclass(frozen=True, slots=True)
class Change(View):
    """A view within a transaction that changes the store at a moment, in seconds since the epoch."""

    at: float


class Ageing(NamedTuple):
    """Whether any memory has a moment at which it expires, and whether any live one may be below the surface."""

    some_expire: bool
    some_sink: bool


def ageing(connection: apsw.Connection) -> Ageing:
    expiring = "EXISTS (SELECT 1 FROM memory WHERE expires_at IS NOT NULL)"
    below = "EXISTS (SELECT 1 FROM memory WHERE depth < 1.0 AND depth > 0.0)"
    query = f"SELECT {expiring}, EXISTS (SELECT 1 FROM consolidation) OR {below}"
    return Ageing(*map(bool, fetch_only(connection, query)))


def scopes(connection: apsw.Connection, sight: Sight) -> list[Scope]:
    """Those of the live memories that count, in order."""
    condition, bindings = sight.condition()
    query = f"SELECT DISTINCT owner, session, source FROM memory WHERE depth > 0.0 AND {condition} ORDER BY 1, 2, 3"
    return [Scope(*row) for row in fetch_all(connection, query, bindings)]


def in_scope(connection: apsw.Connection, sight: Sight) -> list[int]:
    """The memories that count, of any depth."""
    condition, bindings = sight.condition()
    query = f"SELECT memory_id FROM memory WHERE depth IS NOT NULL AND {condition} ORDER BY memory_id"
    return [memory_id for (memory_id,) in fetch_all(connection, query, bindings)]


def expired(connection: apsw.Connection, scope: Scope, now: float) -> list[int]:
    """The memories of a scope, of any depth, that have expired."""
    condition, bindings = Sight(scope).condition()
    query = f"SELECT memory_id FROM memory WHERE expires_at <= ? AND {condition} ORDER BY memory_id"
    return [memory_id for (memory_id,) in fetch_all(connection, query, (now, *bindings))]
