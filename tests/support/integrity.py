"""Lethe as `agent-memory-integrity` (agmi) tests it: nine edits at rest, by three attackers, asked three ways."""

import contextlib
import functools
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import apsw
from agmi.adapters.base import MemoryAdapter, Record

from lethe.store import Head, Key, Store, causes, history, indexes, versions
from lethe.store.causes import Cause
from lethe.store.errors import LetheError
from lethe.store.history import Transition
from lethe.store.normalisation import form_hashes
from lethe.store.scope import Kept
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, hash_embed

Attacker = Literal["rows", "checksums", "log"]
"""Who edits: rows alone, with their checksums; also makes checksums and indexes anew; also the log and its tree."""
Asked = Literal["audit", "audit with the head", "read with the key"]
Label = Literal["source", "actor", "reason"]
"""Which label of a memory is edited."""
MINE, OTHER = "ctx-A", "ctx-B"
_KEY = Key(bytes(range(32)))
_COLUMNS = ("memory_id", "version_id", *Kept._fields, "text", "vector", "salt", "checksum")


def write_log_anew(attacker: apsw.Connection) -> None:
    """A log, with its tree, of a store in which each memory was inscribed as it now is; the seals stay as they were.

    Who inscribed it, and why, are what now stands there of its inscription.
    """
    ((head,),) = attacker.execute("SELECT head FROM store").fetchall()
    seals = attacker.execute("SELECT memory_id, digest FROM seal").fetchall()
    ((at,),) = attacker.execute("SELECT max(at) FROM event").fetchall()
    told_by = {
        memory_id: Cause(*cause)
        for memory_id, *cause in attacker.execute(
            "SELECT memory_id, actor, reason FROM event JOIN cause USING (seq) WHERE operation = 'inscribe'"
        ).fetchall()
    }
    for statement in (
        "DELETE FROM cause",
        "DELETE FROM event",
        "DELETE FROM node",
        "DELETE FROM sqlite_sequence WHERE name = 'event'",
        "UPDATE store SET head = NULL",
    ):
        attacker.execute(statement)
    rows = attacker.execute(
        "SELECT memory.memory_id, depth, version_id, lower(hex(checksum)) FROM memory JOIN version USING (version_id)"
        " ORDER BY memory.memory_id"
    ).fetchall()
    for memory_id, depth, version_id, checksum in rows:
        causes.attach(attacker, functools.partial(told_by.get, memory_id, Cause()))
        told: Any = [Transition("inscribe", memory_id, None, depth, version_id, None, checksum)]
        history.append(attacker, at, told)
    attacker.execute("UPDATE store SET head = ?", (head,))
    attacker.executemany("INSERT OR REPLACE INTO seal VALUES (?, ?)", seals)


@dataclass
class LetheAtRest(MemoryAdapter):
    """One attacker against one way of asking."""

    attacker: Attacker
    asked: Asked
    label: Label = "source"
    name: str = "lethe"
    supports_replay = supports_metadata = supports_snapshot = True

    def setup(self) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / "memories.db"
        self.head: Head | None = None
        self._open()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder)

    def _open(self) -> None:
        key = _KEY if self.asked == "read with the key" else None
        self.store = Store(self.path, embed=hash_embed, dim=DIM, key=key)

    def reload(self) -> None:
        self.store.close()
        self._open()

    def _tell(self, owner: str, texts: list[str]) -> None:
        """What the store's user does: tell it, and keep its head elsewhere."""
        self.store.within(owner=owner, source="mail", actor="agent", reason="a mail came").inscribe_many(texts)
        self.head = self.store.head()

    def seed(self, n: int) -> None:
        self._tell(MINE, [f"alpha {number}" for number in range(n)])

    def seed_other(self, n: int) -> None:
        self._tell(OTHER, [f"beta {number}" for number in range(n)])

    def append_genuine(self) -> None:
        self._tell(MINE, ["alpha late"])

    def verify(self) -> bool:
        try:
            if self.asked == "read with the key":
                self.store.recall("alpha", 10)
                problems = []
            else:
                problems = self.store.audit(self.head if self.asked == "audit with the head" else None)
        except LetheError as error:
            problems = [str(error)]
        self.verify_detail = problems[0] if problems else None
        return not problems

    def _raw(self, owner: str) -> list[Record]:
        columns = ", ".join(f"version.{name}" if name == "memory_id" else name for name in _COLUMNS)
        query = (
            f"SELECT {columns} FROM memory JOIN version USING (version_id) WHERE owner = ? ORDER BY memory.memory_id"
        )
        with contextlib.closing(apsw.Connection(str(self.path))) as reader:
            rows = reader.execute(query, (owner,)).fetchall()
        return [Record(int(row[0]), dict(zip(_COLUMNS, row, strict=True))) for row in rows]

    def read_all_raw(self) -> list[Record]:
        return self._raw(MINE)

    def read_other_raw(self) -> list[Record]:
        return self._raw(OTHER)

    def identity_of(self, record: Record) -> str:
        return str(record.seq)

    def payload_of(self, record: Record) -> str:
        return str(record.fields["text"])

    def owner_of(self, record: Record) -> str:
        return str(record.fields["owner"])

    def mutate_payload(self, record: Record) -> Record:
        record.fields["text"] += " tampered"
        record.fields["vector"] = hash_embed([record.fields["text"]]).tobytes()
        return record

    def write_raw(self, record: Record) -> None:
        self._put(record.seq, record.fields)

    def replay_onto(self, victim_seq: int, donor: Record) -> None:
        self._put(victim_seq, donor.fields)

    def _put(self, memory_id: int, told: dict[str, Any]) -> None:
        """Write a text with its vector, its salt and its checksum over the version of a memory, or as a new one."""
        content = [told[name] for name in ("text", "vector", "salt", "checksum")]
        with editing(self.path) as attacker:
            if not attacker.execute("SELECT 1 FROM memory WHERE memory_id = ?", (memory_id,)).fetchall():
                kept = [told[name] for name in Kept._fields]
                attacker.execute(
                    f"INSERT INTO memory (memory_id, version_id, depth, last_used_at, {', '.join(Kept._fields)})"
                    " VALUES (?1, ?1, 1.0, 0.0, ?2, ?3, ?4, ?5)",
                    (memory_id, *kept),
                )
                attacker.execute(
                    "INSERT INTO version (version_id, memory_id, text, vector, salt, checksum)"
                    " VALUES (?1, ?1, ?2, ?3, ?4, ?5)",
                    (memory_id, *content),
                )
                indexes.enter(attacker, [(memory_id, told["text"])])
            else:
                attacker.execute(
                    "UPDATE version SET text = ?, vector = ?, salt = ?, checksum = ? WHERE memory_id = ?",
                    (*content, memory_id),
                )
            self._cover(attacker, memory_id)

    def delete_raw(self, seq: int) -> None:
        with editing(self.path) as attacker:
            if self.attacker != "rows":
                attacker.execute("DELETE FROM form WHERE version_id = ?", (seq,))
            attacker.execute("DELETE FROM version WHERE memory_id = ?", (seq,))
            attacker.execute("DELETE FROM memory WHERE memory_id = ?", (seq,))
            self._cover(attacker, seq)

    def read_meta(self, seq: int) -> dict[str, Any]:
        with contextlib.closing(apsw.Connection(str(self.path))) as reader:
            names = (*Kept._fields, *Cause._fields)
            query = (
                f"SELECT {', '.join(names)} FROM memory JOIN event USING (memory_id) LEFT JOIN cause USING (seq)"
                " WHERE memory_id = ?"
            )
            return dict(zip(names, reader.execute(query, (seq,)).fetchall()[0], strict=True))

    def write_meta(self, seq: int, meta: dict[str, Any]) -> None:
        with editing(self.path) as attacker:
            if self.label == "source":
                attacker.execute("UPDATE memory SET source = 'user' WHERE memory_id = ?", (seq,))
            else:
                own = "seq IN (SELECT seq FROM event WHERE memory_id = ?)"
                attacker.execute(f"UPDATE cause SET {self.label} = 'user' WHERE {own}", (seq,))
            self._cover(attacker, seq)

    def _cover(self, attacker: apsw.Connection, memory_id: int) -> None:
        """What this attacker does besides, so that the edit does not show."""
        if self.attacker == "rows":
            return
        columns = ", ".join(("salt", "version_id", "memory.memory_id", *Kept._fields, "text", "vector"))
        query = f"SELECT {columns} FROM memory JOIN version USING (version_id) WHERE memory.memory_id = ?"
        for salt, version_id, *rest in attacker.execute(query, (memory_id,)).fetchall():
            checksum = versions.checksum(salt, version_id, *rest)
            attacker.execute("UPDATE version SET checksum = ? WHERE version_id = ?", (checksum, version_id))
            attacker.execute("DELETE FROM form WHERE version_id = ?", (version_id,))
            digests = form_hashes(str(rest[-2]))
            attacker.executemany("INSERT INTO form VALUES (?, ?)", ((digest, version_id) for digest in digests))
        attacker.execute("INSERT INTO lexical (lexical) VALUES ('rebuild')")
        if self.attacker == "log":
            write_log_anew(attacker)

    def snapshot_store(self) -> Path:
        self.store.close()
        copy = self.folder / "older.db"
        shutil.copy(self.path, copy)
        self._open()
        return copy

    def restore_store(self, token: Path) -> None:
        self.store.close()
        shutil.copy(token, self.path)
        self._open()
