"""Somebody who edits a store's file at rest: nothing of the schema stops them, and it is whole afterwards."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from lethe.store import causes
from lethe.store.causes import Cause
from lethe.store.connection import connect
from lethe.store.seals import Seals


@contextlib.contextmanager
def editing(path: Path) -> Iterator[apsw.Connection]:
    """A connection to the file without its triggers, which it has again afterwards."""
    with contextlib.closing(connect(str(path))) as attacker:
        Seals("", None).attach(attacker)
        causes.attach(attacker, Cause)
        triggers = attacker.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            attacker.execute(f"DROP TRIGGER {name}")
        attacker.execute("PRAGMA ignore_check_constraints = ON")
        yield attacker
        for _, sql in triggers:
            attacker.execute(str(sql))
