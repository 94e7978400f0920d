"""Who changed a memory, and why: beside the log, which commits to it, so that a purge erases it with the memory.

It is what a view was given (`Store.within`), and every event that the view logs has it, each under a salt of its own.
"""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import apsw

from lethe.store.arguments import check_encodable, string
from lethe.store.connection import fetch_only, fetch_value
from lethe.store.normalisation import forms, is_blank

SALT_BYTES = 16
_ABOUT = """
SELECT seq FROM event WHERE memory_id IN (SELECT value FROM json_each(?1))
UNION SELECT seq FROM event WHERE successor_id IN (SELECT value FROM json_each(?1)) AND operation <> 'purge'
UNION SELECT told.seq FROM event AS led JOIN event AS told ON told.memory_id = led.successor_id
    WHERE led.memory_id IN (SELECT value FROM json_each(?1)) AND led.operation IN ('supersede', 'derive')
    AND told.operation IN ('inscribe', 'relearn')
"""
"""The events about some memories: their own, those that name them, and the inscription of what they led to."""
ERASED = """
event.operation <> 'purge' AND EXISTS (
    SELECT 1 FROM memory WHERE memory.depth IS NULL AND memory.memory_id IN (event.memory_id, event.successor_id)
    UNION ALL
    SELECT 1 FROM event AS led JOIN memory USING (memory_id)
    WHERE event.operation IN ('inscribe', 'relearn') AND led.successor_id = event.memory_id
    AND led.operation IN ('supersede', 'derive') AND memory.depth IS NULL
)
"""
"""Whether an event is about a memory that was purged."""


class Cause(NamedTuple):
    """Who does something, and why; None where nobody says."""

    actor: str | None = None
    reason: str | None = None

    def narrowed(self, actor: str | None, reason: str | None) -> "Cause":
        """With what is given besides: a reason takes the place of another; `ValueError` for another actor."""
        actor, reason = _checked("an actor", actor), _checked("a reason", reason)
        if None not in (actor, self.actor) and actor != self.actor:
            raise ValueError(f"a view has one actor, not {self.actor!r} and {actor!r}")
        return Cause(actor or self.actor, reason or self.reason)


def _checked(what: str, given: str | None) -> str | None:
    if given is None:
        return None
    if is_blank(string(what, given)):
        raise ValueError(f"{what} may not be blank")
    check_encodable(what, given)
    return given


def attach(connection: apsw.Connection, cause: Callable[[], Cause]) -> None:
    """Tell the connection, by the SQL functions `actor` and `reason`, who changes the store at the moment, and why."""
    connection.create_scalar_function("actor", lambda *_: cause().actor, 0)
    connection.create_scalar_function("reason", lambda *_: cause().reason, 0)


def present(connection: apsw.Connection) -> Cause:
    """Who changes the store at the moment, and why."""
    return Cause(*fetch_only(connection, "SELECT actor(), reason()"))


def commitment(salt: bytes, seq: int, actor: str | None, reason: str | None) -> bytes:
    """What the leaf of an event holds of who and why."""
    return hashlib.sha256(salt + json.dumps([seq, actor, reason]).encode()).digest()


def add(connection: apsw.Connection, seqs: Sequence[int], cause: Cause) -> list[bytes]:
    """Store who and why for events of these numbers; returns the commitments."""
    drawn = secrets.token_bytes(SALT_BYTES * len(seqs))
    salts = [drawn[start : start + SALT_BYTES] for start in range(0, len(drawn), SALT_BYTES)]
    rows = ((seq, *cause, salt) for seq, salt in zip(seqs, salts, strict=True))
    connection.executemany("INSERT INTO cause (seq, actor, reason, salt) VALUES (?, ?, ?, ?)", rows)
    return [commitment(salt, seq, *cause) for seq, salt in zip(seqs, salts, strict=True)]


def erase(connection: apsw.Connection, memory_ids: Iterable[int]) -> None:
    """Erase who and why of all events about these memories; those of earlier purges stay."""
    if fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM cause)"):
        connection.execute(f"DELETE FROM cause WHERE seq IN ({_ABOUT})", (json.dumps(list(memory_ids)),))


def refuse_quoted(cause: Cause, texts: Iterable[str]) -> None:
    """`ValueError` if the cause of a purge, which stays, holds one of the texts that are to be erased."""
    told = [form for words in cause if words is not None for form in forms(words)]
    for text in texts:
        if any(form in words for form in forms(text) for words in told):
            raise ValueError(
                "the actor or the reason of a purge stays in the log, and this one holds a text that is to be erased: "
                "name the request instead"
            )
