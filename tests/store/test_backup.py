"""A copy of a store, the log behind an event, and a recall of what is near enough."""

import sqlite3
import stat
from pathlib import Path

import pytest

from lethe.store import Key, Memory, StaysForgotten, Store
from lethe.store.errors import LetheError
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))


def opened(path: Path) -> Store:
    return Store(path, embed=hash_embed, dim=DIM, key=KEY, clock=Clock())


def test_a_backup_is_the_store_as_it_was(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with opened(path) as store:
        store.inscribe_many(["Ines likes tea.", "SECRET of Tom."])
        store.purge(2)
        store.backup(copy)
        head, memories = store.head(), store.memories()
        store.inscribe("Ines likes coffee.")
        with pytest.raises(LetheError, match="exists; name another file"):
            store.backup(copy)
        with pytest.raises(ValueError, match="whole store"):
            store.within(owner="ines").backup(tmp_path / "other.db")
        with pytest.raises(LetheError, match="cannot be opened"):
            store.backup(tmp_path / "none" / "copy.db")
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.iterdir()) == ["copy.db", "memories.db"]
    assert b"SECRET" not in copy.read_bytes()
    with opened(copy) as again:
        assert again.memories() == memories and again.audit(head) == []
        assert again.inscribe("Ines likes water.") == 3


def test_what_was_changed_without_the_key_is_not_copied(path: Path, tmp_path: Path) -> None:
    with opened(path) as store:
        store.inscribe("Ines likes tea.")
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("UPDATE version SET text = 'Ines likes gin.'")
    connection.close()
    with opened(path) as store, pytest.raises(LetheError, match="was changed without its key"):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_a_store_in_memory_is_brought_to_a_file(store: Store, path: Path) -> None:
    store.inscribe("Ines likes tea.")
    store.backup(path)
    with Store(path, embed=hash_embed, dim=DIM) as again:
        assert again.memories() == store.memories() and again.audit() == []


def test_the_log_behind_an_event(store: Store) -> None:
    first = store.inscribe("Ines likes tea.")
    seen = store.last_seq()
    assert store.log(since=seen) == [] == store.log(first, since=seen)
    second = store.within(owner="tom").inscribe("Tom likes tea.")
    store.release(first)
    assert [(event.operation, event.memory_id) for event in store.log(since=seen)] == [
        ("inscribe", second),
        ("release", first),
    ]
    assert store.log() == store.log(since=0) == store.log()[:seen] + store.log(since=seen)
    assert [event.memory_id for event in store.within(owner="tom").log(since=seen)] == [second]
    with pytest.raises(LookupError, match="there is no memory 9"):
        store.log(9, since=seen)


def test_what_is_not_similar_enough_is_not_recalled(store: Store) -> None:
    store.inscribe_many(["ines likes tea", "ines likes green tea", "rain on sunday"])
    found = store.recall("ines likes tea", mode="vector")
    least = found[1].similarity
    assert store.recall("ines likes tea", mode="vector", min_similarity=least) == found[:2]
    assert store.recall("ines likes tea", 1, min_similarity=0.99)[0].text == "ines likes tea"
    assert store.recall("something else", min_similarity=0.99) == []
    with pytest.raises(ValueError, match="tells no similarity"):
        store.recall("tea", mode="lexical", min_similarity=0.5)


def test_memories_of_one_store_are_loaded_into_another(store: Store, path: Path) -> None:
    within = store.within(owner="ines", session="1", source="mail")
    within.inscribe_many(["Ines likes tea.", "Ines likes coffee.", "Ines rows."], ttl=60.0)
    store.inscribe("Rain on Sunday.")
    store.pin(1)
    store.release(2)
    store.decay(3, 0.5)
    memories = store.memories(include_submerged=True)
    with opened(path) as other:
        assert other.load(memories) == [1, 2, 3, 4]
        assert other.memories(include_submerged=True) == memories and other.audit() == []
        other.purge(1, stay_forgotten=True)
        with pytest.raises(StaysForgotten):
            other.load(memories)
        for wrong in (Memory(1, "tea", 2.0), Memory(1, "tea", float("nan")), Memory(1, "tea", 1.0, source="ed25519:0")):
            with pytest.raises(ValueError, match=r"a depth |its writer must sign"):
                other.load([Memory(1, "Rain on Monday.", 1.0), wrong])
        assert other.count(include_submerged=True) == 3 and other.load([]) == []


@pytest.mark.parametrize("name", ["", "a\0b", "\udcff"])
def test_what_names_no_file_is_no_copy(store: Store, name: str) -> None:
    with pytest.raises(LetheError, match="names no file"):
        store.backup(name)
