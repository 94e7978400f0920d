"""Files of every format from 3 on are taken, and hold what they held: `golden/`, each written in its time."""

import contextlib
from pathlib import Path

import apsw
import pytest

from lethe.store import Key, PurgeReceipt, Store
from lethe.store.connection import SCHEMA_VERSION, connect
from lethe.store.errors import LetheError
from lethe.store.tombstones import StaysForgotten
from tests.support.hash_embedder import DIM, Clock, hash_embed
from tests.support.store_formats import GOLDEN, receipt_of, unpack

FORMATS = sorted(file.name.removesuffix(".db.gz") for file in GOLDEN.glob("*.db.gz"))
KEY = Key(bytes(range(32)))


def test_there_is_a_file_of_each_format() -> None:
    assert [f"format-{number}" for number in range(3, SCHEMA_VERSION + 1)] == FORMATS


def layout(path: Path) -> dict[str, set[str]]:
    """What stands in a store's file, and the columns of its tables."""
    with contextlib.closing(connect(str(path))) as connection:
        names = connection.execute("SELECT name FROM sqlite_schema").fetchall()
        return {
            str(name): {
                str(column[0]) for column in connection.execute("SELECT name FROM pragma_table_info(?)", (name,))
            }
            for (name,) in names
        }


def test_a_file_of_format_3_is_brought_up_to_date(path: Path) -> None:
    Store(path, embed=hash_embed, dim=DIM).close()
    made = layout(path)
    unpack("format-3", path)
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("UPDATE memory SET owner = ? WHERE memory_id = 4", ("Jose\u0301",))
    with Store(path, embed=hash_embed, dim=DIM) as store:
        assert layout(path) == made
        assert store.within(owner="José").count() == 1
        assert store.audit() == []
        assert {event.operation for event in store.log()[-5:]} == {"commit"}
        assert store.memories(at=3)


@pytest.mark.parametrize(("name", "half_life"), [("format-3", None), ("format-4", 15.0)])
def test_what_has_sunk_in_an_older_format_sinks_on_from_there(
    path: Path, clock: Clock, name: str, half_life: float | None
) -> None:
    """In format 3 a consolidation wrote each depth; in format 4 it wrote its moment and its half-life."""
    unpack(name, path)
    clock.pass_days(15)
    half_life_set = "" if half_life is None else f", half_life_days = {half_life}"
    with contextlib.closing(connect(str(path))) as connection:
        connection.execute(f"UPDATE store SET consolidated_at = {clock.now}{half_life_set}")
    expected = 0.5 if half_life is None else 0.25
    key = KEY if half_life else None
    for _ in range(2):
        with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
            assert store.memory(5).depth == expected
            assert store.memories(at=store.last_seq()) == store.memories()
            assert store.audit() == []
    with Store(path, embed=hash_embed, dim=DIM, clock=clock, key=key) as store:
        clock.pass_days(15)
        store.consolidate(half_life_days=15)
        assert store.memory(5).depth == expected / 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_of_a_format_is_taken(name: str, path: Path) -> None:
    unpack(name, path)
    receipt = PurgeReceipt.from_json(receipt_of(name))
    if name == "format-3":
        with pytest.raises(LetheError, match="not sealed"), Store(path, embed=hash_embed, dim=DIM, key=KEY) as store:
            store.memories()
        with Store(path, embed=hash_embed, dim=DIM) as store:
            assert store.audit() == []
            store.seal(KEY)
    for _ in range(2):
        with Store(path, embed=hash_embed, dim=DIM, key=KEY, embedder="hashes") as store:
            texts = {memory.memory_id: memory.text for memory in store.memories(include_submerged=True)}
            assert texts == {
                1: "The spare key is at the bakery.",
                2: "Paul has two cats.",
                3: "Paul likes tea.",
                4: "Ann has a dog.",
                5: "The spare key is at the library.",
            }
            assert store.memory(4).depth == store.memory(5).depth == 0.5
            assert [found.memory_id for found in store.recall("library", mode="lexical")] == [5]
            assert [entry.memory_id for entry in store.blame(5)] == [1, 5]
            assert [memory.memory_id for memory in store.within(owner="ann").memories()] == [4]
            assert store.verify(receipt) and store.verify_log()
            with pytest.raises(StaysForgotten):
                store.inscribe("SECRET one")
    with Store(path, embed=hash_embed, dim=DIM, key=KEY) as store:
        assert store.purge_matching("paul has two cats.").memory_ids == (2,)
        assert store.inscribe("new") == 8
