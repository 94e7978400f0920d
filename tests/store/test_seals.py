"""What is changed in a file without its key: named by an audit, refused by reading; heads, and stores sealed later."""

import shutil
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

from lethe.store import Key, Store, verifier
from lethe.store.errors import LetheError
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, hash_embed
from tests.support.paths import ROOT
from tests.support.receipts import refused

KEY, OTHER = Key(bytes(range(32))), Key(bytes(32))


def opened(path: Path, key: Key | None = KEY) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, key=key)


def edit(path: Path, sql: str) -> None:
    with editing(path) as attacker:
        attacker.execute(sql).fetchall()


@pytest.fixture
def filled(path: Path) -> Path:
    with opened(path) as store:
        ann = store.within(owner="ann", session="monday", source="mail", actor="agent", reason="a mail came")
        ann.inscribe_many([f"alpha {number}" for number in range(4)], ttl=1e9)
        store.inscribe_many(["beta one", "beta two"])
        store.release(2)
        store.edit(3, "alpha edited")
        store.within(reason="request 4711").purge(4)
    return path


def test_no_key_is_made_beside_a_store_that_is_sealed_under_another(filled: Path, tmp_path: Path) -> None:
    before, files = filled.read_bytes(), sorted(tmp_path.iterdir())
    with pytest.raises(LetheError, match=r"typo\.key is not there, and store .* is sealed under a key; name the file"):
        Store(filled, embed=hash_embed, dim=DIM, key=tmp_path / "typo.key")
    assert filled.read_bytes() == before and sorted(tmp_path.iterdir()) == files
    with Store(tmp_path / "plain.db", embed=hash_embed, dim=DIM) as plain:
        plain.inscribe("alpha")
    Store(tmp_path / "plain.db", embed=hash_embed, dim=DIM, key=tmp_path / "new.key").close()
    assert (tmp_path / "new.key").exists(), "a store that has no key is given one"


EDITS = {
    "a depth": "UPDATE memory SET depth = 1.0 WHERE memory_id = 2",
    "a pin": "UPDATE memory SET depth = 9e999 WHERE memory_id = 1",
    "an owner": "UPDATE memory SET owner = 'bob' WHERE memory_id = 1",
    "a session": "UPDATE memory SET session = NULL WHERE memory_id = 1",
    "a source": "UPDATE memory SET source = 'user' WHERE memory_id = 1",
    "an end": "UPDATE memory SET expires_at = expires_at + 1 WHERE memory_id = 1",
    "an end for good": "UPDATE memory SET expires_at = NULL WHERE memory_id = 1",
    "a text": "UPDATE version SET text = 'alpha 9' WHERE memory_id = 1",
    "a vector": "UPDATE version SET vector = (SELECT vector FROM version WHERE memory_id = 5) WHERE memory_id = 1",
    "an older text": "UPDATE version SET text = 'alpha 9' WHERE version_id = 3",
    "an older text for the newer": "UPDATE memory SET version_id = 3 WHERE memory_id = 3",
    "a text with its checksum": "UPDATE version SET (text, vector, salt, checksum) ="
    " (SELECT text, vector, salt, checksum FROM version WHERE memory_id = 6) WHERE memory_id = 5",
    "a memory": "DELETE FROM version WHERE memory_id = 5; DELETE FROM memory WHERE memory_id = 5",
    "a void": "DELETE FROM version WHERE memory_id = 5; UPDATE memory SET depth = NULL, version_id = NULL"
    " WHERE memory_id = 5",
    "an event": "UPDATE event SET at = at + 1 WHERE seq = 1",
    "an event less": "DELETE FROM event WHERE seq = 7",
    "an actor": "UPDATE cause SET actor = 'user' WHERE seq = 1",
    "no actor": "UPDATE cause SET actor = NULL WHERE seq = 1",
    "a reason": "UPDATE cause SET reason = 'a letter came' WHERE seq = 3",
    "the reason of a purge": "UPDATE cause SET reason = 'request 4712' WHERE seq = 9",
    "no reason of a purge": "DELETE FROM cause WHERE seq = 9",
    "a reason that was erased": "INSERT INTO cause VALUES (4, 'agent', 'a mail came', x'00')",
    "a reason for no reason": "INSERT INTO cause VALUES (5, 'agent', 'a mail came', x'00')",
    "a reason for no event": "INSERT INTO cause VALUES (99, 'agent', 'a mail came', x'00')",
    "a cause in the log": "UPDATE event SET cause = zeroblob(32) WHERE seq = 1",
    "no cause in the log": "UPDATE event SET cause = NULL WHERE seq = 1; DELETE FROM cause WHERE seq = 1",
    "a reason that another event has": "UPDATE cause SET (actor, reason, salt) ="
    " (SELECT actor, reason, salt FROM cause WHERE seq = 2) WHERE seq = 1",
    "a salt": "UPDATE cause SET salt = zeroblob(16) WHERE seq = 1",
    "a node": "UPDATE node SET digest = zeroblob(32) WHERE level = 1 AND number = 0",
    "a node more": "INSERT INTO node VALUES (9, 0, zeroblob(32))",
}


@pytest.mark.parametrize("sql", EDITS.values(), ids=EDITS)
def test_an_edit_is_reported_without_the_key_and_refused_with_it(filled: Path, sql: str) -> None:
    with opened(filled, None) as store:
        assert store.audit() == []
    edit(filled, sql)
    with opened(filled, None) as store:
        assert store.audit() and not store.verify_log()
    with opened(filled) as store:
        assert store.audit()
        for read in (lambda: store.recall("alpha beta"), store.memories, store.count, lambda: store.memory(6)):
            with pytest.raises(LetheError, match=r"changed without its key|damaged"):
                read()


@pytest.mark.parametrize(
    "sql", ["DELETE FROM form", "INSERT INTO lexical (lexical) VALUES ('delete-all')"], ids=["texts", "words"]
)
def test_an_index_that_was_emptied_is_reported(filled: Path, sql: str) -> None:
    edit(filled, sql)
    with opened(filled) as store:
        assert store.audit() and store.audit()[-1].startswith("the index by")


@pytest.mark.parametrize("name", ["a depth", "an owner", "a text", "a vector", "a text with its checksum", "a memory"])
def test_a_store_that_is_open_does_not_serve_what_is_changed_meanwhile(filled: Path, name: str) -> None:
    with opened(filled) as store:
        assert len(store.recall("alpha beta", mode="vector")) == 4
        edit(filled, EDITS[name])
        with pytest.raises(LetheError, match="damaged"):
            store.memories() if name == "a depth" else store.recall("alpha beta", mode="vector")


def test_an_older_state_of_one_memory_is_refused(filled: Path) -> None:
    with opened(filled) as store:
        ((row, seal),) = store._database.connection.execute(
            "SELECT depth, digest FROM memory JOIN seal USING (memory_id) WHERE memory_id = 1"
        ).fetchall()
        store.release(1)
        assert store.count() == 3
        with editing(filled) as attacker:
            attacker.execute("UPDATE memory SET depth = ? WHERE memory_id = 1", (row,))
            attacker.execute("UPDATE seal SET digest = ? WHERE memory_id = 1", (seal,))
        with pytest.raises(LetheError, match="damaged"):
            store.memory(1)


def test_a_change_needs_the_key_and_reading_does_not(filled: Path) -> None:
    with opened(filled, None) as store:
        assert store.count() == 4 and store.audit() == []
        changes: list[Callable[[], object]] = [
            lambda: store.inscribe("new"),
            lambda: store.release(1),
            lambda: store.edit(1, "new"),
            lambda: store.purge(1),
        ]
        for change in changes:
            with pytest.raises(LetheError, match="sealed under a key; give it"):
                change()
        assert store.scrub()
    with opened(filled, OTHER) as store:
        for act in (store.memories, lambda: store.inscribe("new")):
            with pytest.raises(LetheError, match="sealed under another"):
                act()
    with opened(filled) as store:
        assert store.audit() == [] and store.inscribe("new") == 7


@pytest.mark.parametrize(
    "sql", ["UPDATE store SET head = NULL", "UPDATE store SET head = NULL; DELETE FROM seal"], ids=["head", "all"]
)
def test_a_store_whose_seals_were_taken_away_is_no_store_without_a_key(filled: Path, sql: str) -> None:
    edit(filled, sql)
    with opened(filled) as store:
        for act in (store.memories, lambda: store.inscribe("new"), store.head):
            with pytest.raises(LetheError, match="its seals were taken away"):
                act()


def test_a_store_is_sealed_later(path: Path) -> None:
    with opened(path, None) as store:
        store.within(owner="ann").inscribe_many(["alpha", "beta"])
        store.purge(2)
    with opened(path) as store, pytest.raises(LetheError, match="not sealed under the key"):
        store.memories()
    with opened(path, None) as store:
        store.seal(KEY)
        assert store.inscribe("gamma") == 3
    edit(path, "UPDATE memory SET owner = 'bob' WHERE memory_id = 1")
    with opened(path, None) as store, pytest.raises(LetheError, match="cannot be sealed"):
        store.seal(KEY)


def test_two_stores_share_a_sealed_file(filled: Path) -> None:
    with opened(filled) as one, opened(filled) as other:
        for number in range(3):
            assert one.recall("alpha") == other.recall("alpha")
            one.inscribe(f"gamma {number}")
            other.release(other.inscribe(f"delta {number}"))
        assert one.audit() == []
        one.reset()
        assert other.memories() == [] and other.inscribe("alpha") == 1
        assert [memory.text for memory in one.memories()] == ["alpha"]


def test_a_head_shows_what_was_logged_since_and_what_is_gone(filled: Path) -> None:
    older = filled.with_name("older.db")
    with opened(filled) as store:
        store.scrub()
        shutil.copy(filled, older)
        store.inscribe("gamma")
        head = store.head()
        assert store.audit(head) == []
        verifier.verify(head.to_json(), KEY.public.hex(), filled)
        store.inscribe("delta")
        assert store.audit(head) == ["since the head, events were logged: 1"]
        verifier.verify(head.to_json(), KEY.public.hex(), filled, store.extension(head).to_json())
    with opened(older) as store:
        assert store.memories() and store.audit() == []
        (problem,) = store.audit(head)
        assert "shorter" in problem
        assert "another store" in store.audit(replace(head, store="00" * 16))[0]
    assert "shorter" in refused_head(head.to_json(), older)
    edit(filled, EDITS["an owner"])
    assert "memory 1" in refused_head(head.to_json(), filled)


def refused_head(head: str, path: Path) -> str:
    with pytest.raises(verifier.Refused) as caught:
        verifier.verify(head, KEY.public.hex(), path)
    return str(caught.value)


def test_a_rollback_between_receipt_and_extension_is_refused(filled: Path) -> None:
    between = filled.with_name("between.db")
    with opened(filled) as store:
        receipt = store.purge(1)
        store.scrub()
        shutil.copy(filled, between)
        store.inscribe("gamma")
        extension = store.extension(receipt).to_json()
    verifier.verify(receipt.to_json(), KEY.public.hex(), filled, extension)
    verifier.verify(receipt.to_json(), KEY.public.hex(), between)
    assert "shorter" in refused(receipt, KEY.public.hex(), between, extension)


def test_a_purge_leaves_no_salt(filled: Path) -> None:
    with opened(filled) as store:
        ((salt,),) = store._database.connection.execute("SELECT salt FROM version WHERE memory_id = 1").fetchall()
        assert isinstance(salt, bytes) and salt in store.stored_bytes()
        store.purge(1)
        assert salt not in store.stored_bytes()


def test_what_is_no_text_or_number_is_reported(filled: Path) -> None:
    edit(filled, "UPDATE event SET commitment = 'x' WHERE seq = 1; UPDATE version SET salt = 7 WHERE memory_id = 5")
    with opened(filled, None) as store:
        assert store.audit()
    with opened(filled) as store, pytest.raises(LetheError, match="changed without its key"):
        store.memories()


@pytest.mark.parametrize("before", [None, OTHER])
def test_a_seal_that_cannot_be_stored_leaves_the_open_store_as_it_was(path: Path, before: Key | None) -> None:
    with opened(path, before) as store:
        store.inscribe_many([f"alpha {number}" for number in range(200)])
        pages = store._database.connection
        ((allowed,),) = pages.execute("PRAGMA page_count").fetchall()
        ((most,),) = pages.execute("PRAGMA max_page_count").fetchall()
        pages.execute(f"PRAGMA max_page_count = {allowed}")
        with pytest.raises(LetheError, match="has no room to grow"):
            store.inscribe("x" * 100_000)
        if before is None:
            with pytest.raises(LetheError, match="has no room to grow"):
                store.seal(KEY)
        else:
            fails_at_the_end(store)
        pages.execute(f"PRAGMA max_page_count = {most}")
        assert store.audit() == [] and len(store.memories()) == 200
        assert store.inscribe("beta") == 201 and store.purge(1).memory_ids == (1,)
        store.seal(KEY)
        assert store.inscribe("gamma") == 202
    with opened(path) as store:
        assert store.audit() == [] and store.count() == 201


def fails_at_the_end(store: Store) -> None:
    """Seal under the other key, in a transaction that fails when all is written."""
    seal = store._database.seals.seal

    def sealed(connection: apsw.Connection, key: Key) -> None:
        seal(connection, key)
        raise apsw.FullError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(LetheError, match="has no room to grow"):
        patch.setattr(store._database.seals, "seal", sealed)
        store.seal(KEY)


def test_a_sealed_store_is_sealed_under_another_key_with_its_own_alone(filled: Path) -> None:
    with opened(filled, None) as store:
        with pytest.raises(LetheError, match="or sealed under another; restore it from a backup, or give its key"):
            store.seal(OTHER)
        with pytest.raises(LetheError, match="sealed under a key; give it"):
            store.inscribe("new")
        store.seal(KEY)
        assert store.inscribe("new") == 7
        store.seal(OTHER)
        assert store.inscribe("newer") == 8
    with opened(filled) as store, pytest.raises(LetheError, match="sealed under another"):
        store.memories()
    with opened(filled, OTHER) as store:
        assert store.audit() == [] and store.count() == 6


NOT_COVERED = {
    "memory.last_used_at",
    "memory.use_count",
    "consolidation",
    "tombstone",
    "lifted",
    "store.tombstone_key",
    "receipt",
    "version.signature",
    "store.embedder",
    "store.embedded",
    "store.next_embedder",
    "store.next_dim",
    "reembedded",
}
"""What docs/store.md says that seals and checksums do not cover."""
_COLUMNS = (
    "SELECT own.name, columns.name FROM sqlite_schema AS own, pragma_table_info(own.name) AS columns"
    " WHERE own.type = 'table' AND own.name NOT LIKE 'lexical%' AND own.name NOT LIKE 'sqlite%'"
    " AND NOT (columns.pk AND columns.type = 'INTEGER')"
)


def test_the_columns_that_an_audit_does_not_see_are_those_that_the_page_names(filled: Path) -> None:
    with opened(filled) as store:
        store.purge(6, stay_forgotten=True)
        store.relearn("beta two")
        store.purge(5, stay_forgotten=True)
        store.consolidate()
        columns = store._database.connection.execute(_COLUMNS).fetchall()
        store.scrub()
    edit(filled, "INSERT INTO reembedded VALUES (1, x'00', x'00')")
    unseen = set()
    for table, column in columns:
        copy = filled.with_name("edited.db")
        shutil.copy(filled, copy)
        with editing(copy) as attacker:
            attacker.execute(f"UPDATE {table} SET {column} = 'planted'")
            assert attacker.changes()
        try:
            with opened(copy) as store:
                problems = store.audit()
        except LetheError as error:
            problems = [str(error)]
        if not problems:
            unseen |= {str(table), f"{table}.{column}"} & NOT_COVERED or {f"{table}.{column}"}
    assert unseen == NOT_COVERED
    page = (ROOT / "docs" / "store.md").read_text()
    assert all(f"`{name}`" in page for name in NOT_COVERED)


@pytest.mark.parametrize("given", ["lethe.key", b"x" * 32, 5, None])
def test_what_is_no_key_seals_nothing(path: Path, given: Any) -> None:
    with opened(path, None) as store:
        store.inscribe("alpha")
        with pytest.raises(TypeError, match="a key is what make_key or read_key gives, not "):
            store.seal(given)
        assert store.inscribe("beta") == 2 and store.audit() == []
        store.seal(KEY)
        assert store.inscribe("gamma") == 3


def test_a_store_is_not_opened_with_what_is_no_key(path: Path) -> None:
    with pytest.raises(TypeError, match="a key is what make_key or read_key gives, not bytes"):
        opened(path, bytes(32))  # type: ignore[arg-type]
    assert not path.exists()


def test_a_store_is_audited_while_others_write(filled: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        with opened(filled) as other:
            while not stop.wait(0.002):
                other.inscribe("meanwhile")

    writer = threading.Thread(target=write)
    with opened(filled) as store:
        store.inscribe_many([f"filler {number}" for number in range(300)])
        writer.start()
        try:
            assert [store.audit() for _ in range(20)] == [[]] * 20
        finally:
            stop.set()
            writer.join()


def test_no_receipt_is_signed_again_for_a_log_that_the_key_does_not_vouch_for(filled: Path) -> None:
    with opened(filled) as store:
        receipt = store.purge(1)
    with opened(filled, OTHER) as store, pytest.raises(LetheError, match=r"sealed under another.*give its key"):
        store.receipt_of()
    edit(filled, "UPDATE store SET head = zeroblob(32)")
    with opened(filled) as store, pytest.raises(LetheError, match="changed without its key"):
        store.receipt_of(receipt.memory_ids[0])
