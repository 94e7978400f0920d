"""Stores in files: round trips, sharing, and what the user is told when something is wrong."""

import contextlib
import errno
import os
import stat
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import cast

import apsw
import pytest

from lethe.store import PINNED, Key, Memory, Store, database, make_key, pages, read_key, verifier
from lethe.store.connection import LONGEST_LOG, fetch_value
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, Clock, hash_embed


def refusal(act: Callable[[], object]) -> str:
    with pytest.raises(LetheError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def open_store(path: Path | str, dim: int = DIM) -> Store:
    return Store(path, embed=hash_embed, dim=dim)


def test_a_store_is_the_same_after_reopening(path: Path, clock: Clock) -> None:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:
        store.inscribe_many(["alpha one", "alpha two", "alpha three", "alpha four"])
        store.pin(1)
        store.decay(2, 0.5)
        store.release(3)
        store.edit(1, "alpha new")
        store.touch([2])
        receipt = store.purge(4)
        memories, log = store.memories(include_submerged=True), store.log()
        recalled = store.recall("alpha two")
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as store:
        assert store.memories(include_submerged=True) == memories
        assert memories[0] == Memory(1, "alpha new", PINNED)
        assert store.log() == log
        assert store.recall("alpha two") == recalled
        assert store.verify(receipt)
        assert store.inscribe("alpha five") == 5
        assert store.consolidate() == 1
        assert store.memories()[1].depth == 0.75


def test_an_id_is_not_used_again_after_reopening(path: Path) -> None:
    with open_store(path) as store:
        store.inscribe_many(["alpha one", "alpha two"])
        store.purge_many([1, 2])
        store.scrub()
    with open_store(path) as store:
        assert store.inscribe("alpha three") == 3


def test_settings_of_a_file(file_store: Store) -> None:
    settings = file_store._database.connection.pragma
    assert settings("journal_mode") == "wal"
    assert settings("secure_delete") == 1
    assert settings("foreign_keys") == 1


def test_two_stores_share_a_file(path: Path, file_store: Store, clock: Clock) -> None:
    with Store(path, embed=hash_embed, dim=DIM, clock=clock) as other:
        for i in range(5):
            assert file_store.inscribe(f"alpha {i}") == 2 * i + 1
            assert other.inscribe(f"beta {i}") == 2 * i + 2
        assert other.memories() == file_store.memories()
        assert other.recall("alpha 3") == file_store.recall("alpha 3")
        other.release(1)
        assert file_store.count() == 9
    assert file_store.verify_log()


def test_the_log_does_not_stand_at_the_size_of_the_file(path: Path, file_store: Store) -> None:
    log = path.with_name(path.name + "-wal")
    texts = [f"alpha {number} {'x' * 20_000}" for number in range(400)]
    file_store.inscribe_many(texts)
    assert path.stat().st_size > LONGEST_LOG > log.stat().st_size
    with open_store(path) as other, other._database.reading() as reading:
        fetch_value(reading, "SELECT count(*) FROM memory")
        file_store.inscribe_many(texts)
        file_store.inscribe("gamma")
        assert log.stat().st_size > LONGEST_LOG, "a reader needs it"
    file_store.inscribe("delta")
    assert log.stat().st_size < LONGEST_LOG


def test_reset_of_a_file(path: Path, file_store: Store) -> None:
    file_store.inscribe_many([f"xylophone {i}" for i in range(200)])
    file_store.reset()
    for file in path.parent.glob("memories.db*"):
        assert b"xylophone" not in file.read_bytes()
    assert file_store.inscribe("beta") == 1
    file_store.close()
    with open_store(path) as store:
        assert store.memories() == [Memory(1, "beta", 1.0)]


def test_stored_bytes_are_a_database_with_the_texts(store: Store, file_store: Store) -> None:
    for each in (store, file_store):
        each.inscribe_many(["xylophone one", "beta two"])
        assert each.stored_bytes().startswith(b"SQLite format 3\0")
        assert b"xylophone" in each.stored_bytes()
        each.purge(1)
        assert b"xylophone" not in each.stored_bytes()
        assert b"beta two" in each.stored_bytes()


def test_another_dimension_is_refused(path: Path) -> None:
    open_store(path).close()
    message = refusal(lambda: open_store(path, dim=8))
    assert str(path) in message
    assert "16" in message
    assert "8" in message


def test_another_schema_version_is_refused(path: Path) -> None:
    open_store(path).close()
    raw = apsw.Connection(str(path))
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    assert "99" in refusal(lambda: open_store(path))


def test_other_files_are_refused_and_left_alone(path: Path) -> None:
    path.write_bytes(b"these are notes, not a database\n" * 500)
    assert "not a Lethe store" in refusal(lambda: open_store(path))
    assert path.read_bytes().startswith(b"these are notes")
    path.unlink()
    raw = apsw.Connection(str(path))
    raw.execute("CREATE TABLE recipe (title)")
    raw.close()
    content = path.read_bytes()
    assert "not a Lethe store" in refusal(lambda: open_store(path))
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER planted AFTER INSERT ON version BEGIN DELETE FROM tombstone; END",
        "CREATE VIEW planted AS SELECT * FROM version",
        "CREATE TABLE planted (text)",
        "CREATE INDEX planted ON version (text)",
    ],
)
def test_what_somebody_planted_in_the_file_is_refused(path: Path, statement: str) -> None:
    open_store(path).close()
    raw = apsw.Connection(str(path))
    raw.execute(statement)
    raw.close()
    assert "planted" in refusal(lambda: open_store(path))


def test_what_somebody_plants_while_the_store_is_open_is_refused_too(path: Path) -> None:
    with open_store(path) as store:
        store.inscribe("alpha")
        for trigger in ("TRIGGER planted", "TRIGGER memory_stays_void"):
            with contextlib.closing(apsw.Connection(str(path))) as raw:
                raw.execute(f"DROP TRIGGER IF EXISTS {trigger.split()[1]}")
                raw.execute(f"CREATE {trigger} AFTER INSERT ON memory BEGIN UPDATE memory SET depth = 0; END")
            for act in (lambda: store.inscribe("beta"), store.memories, lambda: store.recall("alpha")):
                assert trigger.lower() in refusal(act).lower()
            with contextlib.closing(apsw.Connection(str(path))) as raw:
                raw.execute(f"DROP TRIGGER {trigger.split()[1]}")
        assert [memory.text for memory in store.memories()] == ["alpha"]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "DROP TRIGGER memory_stays_void;"
            " CREATE TRIGGER memory_stays_void AFTER INSERT ON version BEGIN DELETE FROM tombstone; END",
            "trigger memory_stays_void",
        ),
        ("DROP VIEW live; CREATE VIEW live AS SELECT 1 AS memory_id, 'x' AS text", "view live"),
        ("DROP TRIGGER event_is_never_updated", "damaged"),
        ("DROP INDEX form_of_version", "damaged"),
    ],
)
def test_what_somebody_changed_or_took_out_of_the_schema_is_refused(path: Path, statement: str, said: str) -> None:
    open_store(path).close()
    raw = apsw.Connection(str(path))
    raw.execute(statement).fetchall()
    raw.close()
    assert said in refusal(lambda: open_store(path))


def statistics(path: Path) -> bool:
    with contextlib.closing(apsw.Connection(str(path))) as raw:
        return bool(raw.execute("SELECT 1 FROM sqlite_schema WHERE name LIKE 'sqlite_stat%'").fetchall())


def analyze(path: Path) -> None:
    with contextlib.closing(apsw.Connection(str(path))) as raw:
        raw.execute("ANALYZE")
    assert statistics(path)


def test_statistics_are_dropped_by_opening_purging_and_scrubbing(path: Path) -> None:
    with open_store(path) as store:
        store.within(owner="xylophone").inscribe_many(["alpha", "beta"])
        for clean in (lambda: store.purge(1), store.scrub):
            analyze(path)
            clean()
            assert not statistics(path)
    analyze(path)
    open_store(path).close()
    assert not statistics(path)


def test_a_file_with_two_names_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_PATIENCE", 2)
    open_store(path).close()
    other = path.with_name("other.db")
    other.hardlink_to(path)
    for name in (path, other):
        assert "hard links" in refusal(lambda name=name: open_store(name))  # type: ignore[misc]
    other.unlink()
    open_store(path).close()


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_was_removed_or_replaced_is_reported(path: Path, file_store: Store, replaced: bool) -> None:
    file_store.inscribe("alpha")
    other = path.with_name("other.db")
    open_store(other).close()
    path.unlink()
    if replaced:
        other.rename(path)
    assert "replaced" in refusal(lambda: file_store.inscribe("beta"))
    assert "replaced" in refusal(lambda: file_store.recall("alpha"))


def test_a_damaged_file_is_reported(path: Path) -> None:
    with open_store(path) as store:
        store.inscribe_many([f"alpha {i}" for i in range(2000)])
        store.scrub()
    content = bytearray(path.read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    path.write_bytes(content)
    assert "damaged" in refusal(lambda: open_store(path).recall("alpha"))


def test_a_missing_directory_is_reported(tmp_path: Path) -> None:
    message = refusal(lambda: open_store(tmp_path / "nowhere" / "memories.db"))
    assert "nowhere" in message
    assert "directory" in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_is_refused(path: Path) -> None:
    open_store(path).close()
    path.chmod(0o444)
    assert "read-only" in refusal(lambda: open_store(path))


def test_a_store_that_became_read_only_is_reported(file_store: Store) -> None:
    file_store.inscribe("alpha")
    file_store._database.connection.execute("PRAGMA query_only = ON")
    assert "read-only" in refusal(lambda: file_store.inscribe("beta"))
    assert "read-only" in refusal(lambda: file_store.purge(1))
    assert len(file_store.recall("alpha")) == 1


def test_a_full_disk_is_reported_and_changes_nothing(file_store: Store) -> None:
    file_store.inscribe("alpha one")
    sql = file_store._database.connection
    ((pages,),) = sql.execute("PRAGMA page_count").fetchall()
    sql.execute(f"PRAGMA max_page_count = {pages + 3}").fetchall()
    assert "disk space" in refusal(lambda: file_store.inscribe_many([f"alpha {i} " * 50 for i in range(200)]))
    assert file_store.memories() == [Memory(1, "alpha one", 1.0)]
    sql.execute("PRAGMA max_page_count = 1000000").fetchall()
    assert file_store.inscribe("alpha two") == 2
    assert [memory.memory_id for memory in file_store.recall("alpha one")] == [1, 2]


def test_a_locked_file_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 10)
    with open_store(path) as store:
        store.inscribe("alpha")
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        assert "locked" in refusal(lambda: store.inscribe("beta"))
        assert "locked" in refusal(store.scrub)
        assert len(store.recall("alpha")) == 1
        other.close()
        store.inscribe("beta")


def test_a_closed_store_is_reported(store: Store) -> None:
    store.close()
    store.close()
    assert "closed" in refusal(lambda: store.recall("alpha"))


def test_missing_fts5_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "compile_options", ())
    assert "FTS5" in refusal(lambda: open_store(":memory:"))


def test_what_follows_a_transaction_waits_for_no_other_thread(path: Path) -> None:
    """A call that has committed does not fail because another thread uses the connection by then."""
    with Store(path, embed=hash_embed, dim=DIM) as store:
        database, busy, done = store._database, threading.Event(), threading.Event()

        def wait() -> None:
            busy.set()
            done.wait(10)

        database.connection.create_scalar_function("wait", wait, 0)
        other = threading.Thread(target=lambda: database.connection.execute("SELECT wait()").fetchall())
        other.start()
        assert busy.wait(10)
        try:
            assert database._log_size() >= 0 and database._sync_log()
        finally:
            done.set()
            other.join()


def test_the_log_of_a_file_that_is_gone_is_not_put_into_a_new_one(path: Path, tmp_path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    with Store(path) as store:
        store.inscribe("SECRET")
        left = log.read_bytes()
    path.unlink()
    log.write_bytes(left)
    with pytest.raises(
        LetheError, match="-wal is the write-ahead log of a file that is gone; bring that back, or remove"
    ):
        Store(path)
    with Store() as store, pytest.raises(LetheError, match="of a file that is gone"):
        store.backup(path)
    assert [file.name for file in tmp_path.iterdir()] == [log.name] and log.read_bytes() == left
    log.unlink()
    with Store(path) as store:
        assert store.count() == 0


def test_a_log_that_cannot_be_emptied_at_the_end_costs_nothing(path: Path) -> None:
    class Full:
        def close(self) -> None:
            writer.close()
            raise apsw.FullError("database or disk is full")

    with Store(path) as store:
        store.inscribe("kept")
        writer = cast(apsw.Connection, store._database._writer)
        store._database._writer = cast(apsw.Connection, Full())
    with Store(path) as store:
        assert store.count() == 1


def test_a_store_whose_log_does_not_fit_on_the_disk_is_opened_and_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise apsw.FullError("database or disk is full")

    monkeypatch.setattr(pages._File, "xWrite", full)
    for _ in range(2):
        with Store(path) as store:
            store.inscribe("kept")
    with Store(path) as store:
        assert store.count() == 2


def test_a_file_that_was_cut_while_it_was_open_is_damaged(path: Path) -> None:
    with Store(path) as store:
        ids = store.inscribe_many([f"memory {number} of the river" for number in range(300)])
        store.purge(ids[0])
        store.inscribe("in the log")
        os.truncate(path, 4096)
        with pytest.raises(LetheError, match="is damaged; restore it from a backup"), store.transaction():
            store.purge(ids[100])
        assert not store._database.checkpoint()


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP])
def test_a_file_system_without_hard_links_holds_stores_copies_and_keys(
    path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    copy, key = path.with_name("copy.db"), path.with_name("k")
    with Store(path, key=key) as store:
        store.inscribe("alpha")
        store.backup(copy)
        with pytest.raises(LetheError, match="exists; name another file"):
            store.backup(copy)
    with pytest.raises(LetheError, match="exists already"):
        make_key(key)
    with Store(copy, key=key) as store:
        assert store.count() == 1 and store.audit() == []
    assert {each.name for each in path.parent.iterdir()} == {path.name, "copy.db", "k"}
    assert {stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {0o600}


def test_several_that_are_the_first_to_name_a_key_have_the_same(path: Path) -> None:
    together = threading.Barrier(8)

    def opened(_: int) -> bytes:
        together.wait()
        with Store(path, key=path.with_name("k")) as store:
            store.inscribe("alpha")
        return read_key(path.with_name("k")).public

    for _ in range(5):
        with ThreadPoolExecutor(8) as threads:
            assert len(set(threads.map(opened, range(8)))) == 1
        for each in path.parent.iterdir():
            each.unlink()


def test_a_key_may_end_as_a_line_of_windows_does(path: Path) -> None:
    key = make_key(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_key(path).public == key.public


@pytest.mark.parametrize("verifying", [False, True])
def test_who_opens_a_file_waits_for_whoever_closes_it_as_the_last_one(path: Path, verifying: bool) -> None:
    key = Key(bytes(32))
    with Store(path, key=key) as store:
        receipt = store.purge(store.inscribe("alpha"))
    locking = apsw.Connection(str(path))
    locking.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE").fetchall()
    release = threading.Timer(0.3, locking.close)
    release.start()
    try:
        if verifying:
            verifier.verify(receipt.to_json(), key.public.hex(), path)
        else:
            Store(path).close()
    finally:
        release.join()
