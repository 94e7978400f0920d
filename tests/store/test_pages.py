"""What SQLite leaves on a page when it moves entries to another one: after a purge, none of it."""

import contextlib
import hashlib
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import apsw
import pytest

from lethe.store import Store
from lethe.store.connection import SCHEMA_VERSION

_CHANCE = Random(0)
NAMES = [hashlib.sha256(f"0 {number}".encode()).hexdigest() * _CHANCE.choice([1, 9]) for number in range(60)]
IN_TURN = _CHANCE.sample(range(60), 60)
REMAINS = b"what was left"


def filled(path: Path | str) -> Store:
    """Memories of owners with names that hardly fit on a page, so that each may have entries moved."""
    store = Store(path, embedder="words")
    for number, name in enumerate(NAMES):
        store.within(owner=name).inscribe(f"memory {number}")
    return store


def left_by_purges(store: Store, content: Callable[[], bytes]) -> list[int]:
    """The owners whose names stand in what is stored after the purge of all that they have."""
    left = []
    for number in IN_TURN:
        assert store.within(owner=NAMES[number]).purge_scope().complete
        if NAMES[number][:64].encode() in content():
            left.append(number)
    return left


def test_nothing_is_left_on_a_page_that_lost_entries(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    with filled(path) as store:
        store.backup(copy)
        assert left_by_purges(store, path.read_bytes) == []
    with Store(copy) as store:
        assert left_by_purges(store, copy.read_bytes) == []


def test_nothing_is_left_in_the_bytes_of_a_store_in_memory() -> None:
    with filled(":memory:") as store:
        assert left_by_purges(store, store.stored_bytes) == []


def test_a_file_of_an_older_format_is_written_anew(path: Path) -> None:
    with Store(path) as store:
        store.inscribe("Ines likes tea.")
    content = bytearray(path.read_bytes())
    start = 4096 * next(number for number in range(1, 9) if content[4096 * number] == 13)
    count, end = struct.unpack_from(">HH", content, start + 3)
    assert end - (8 + 2 * count) > len(REMAINS)
    content[start + 8 + 2 * count : start + 8 + 2 * count + len(REMAINS)] = REMAINS
    content[60:64] = struct.pack(">I", SCHEMA_VERSION - 1)
    path.write_bytes(content)
    with Store(path) as store:
        assert store.audit() == [] and [memory.text for memory in store.memories()] == ["Ines likes tea."]
    assert REMAINS not in path.read_bytes()


def test_a_file_with_pointer_maps_is_written_without(path: Path) -> None:
    with filled(path) as store:
        memories = store.memories()
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = FULL; VACUUM").fetchall()
    with Store(path) as store:
        assert store.memories() == memories and store.audit() == []
        assert store.purge(1).complete
        assert store._database.connection.execute("PRAGMA auto_vacuum; PRAGMA integrity_check").fetchall() == [
            (0,),
            ("ok",),
        ]


@pytest.mark.parametrize("opened_first", [True, False])
def test_the_last_to_close_leaves_one_file(path: Path, opened_first: bool) -> None:
    first = filled(path)
    second = Store(path)
    second.inscribe("told by the second")
    for store in (first, second) if opened_first else (second, first):
        store.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_the_log_of_large_transactions_is_emptied(path: Path) -> None:
    with Store(path, embedder="words") as store:
        with store.transaction():
            store.inscribe_many([f"memory {number} " + "of many words " * 90 for number in range(900)])
        assert path.with_name(f"{path.name}-wal").stat().st_size == 0


def test_a_file_is_found_by_a_symbolic_link(path: Path) -> None:
    filled(path).close()
    link = path.with_name("link.db")
    link.symlink_to(path.name)
    with Store(link) as store:  # which looks up the file's embedder
        assert store.purge(1).complete
    assert sorted(file.name for file in path.parent.iterdir()) == ["link.db", path.name]
