"""CrewAI's unified memory over the store, without a model."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("crewai.memory.storage.backend", reason="needs crewai (docs/agents.md)")

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from lethe.store import StaysForgotten
from lethe.store.crewai import LetheStorage
from tests.support.agents import held
from tests.support.hash_embedder import DIM, hash_embed


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[LetheStorage]:
    made = LetheStorage(tmp_path / "memory.db", dim=DIM, key=tmp_path / "key")
    assert isinstance(made, StorageBackend)
    yield made
    made.documents.store.close()


class NoModel:
    """A model that nothing asks."""

    def call(self, *_: Any, **__: Any) -> str:
        raise RuntimeError("no model")

    def supports_function_calling(self) -> bool:
        return False


def memory_of(storage: LetheStorage) -> Memory:
    return Memory(storage=storage, llm=NoModel(), embedder=lambda texts: hash_embed(texts).tolist())


def test_a_memory_is_told_asked_changed_and_forgotten_over_two_openings(storage: LetheStorage, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    memory = memory_of(storage)
    told = memory.remember("Ines likes walnuts.", scope="/users/ines", categories=["food"], importance=0.5, metadata={})
    memory.remember("Tom likes beer.", scope="/users/tom", categories=["drinks"], importance=0.5, metadata={"a": 1})
    memory.close()
    storage.documents.store.close()

    again = LetheStorage(file, key=tmp_path / "key")
    memory = memory_of(again)
    found = memory.recall("Ines likes walnuts.", scope="/users", depth="shallow", limit=1)
    assert [match.record.content for match in found] == ["Ines likes walnuts."] and told is not None
    assert memory.list_scopes("/users") == ["/users/ines", "/users/tom"]
    assert memory.list_categories() == {"food": 1, "drinks": 1} and memory.info("/users").record_count == 2
    memory.update(told.id, importance=0.9)
    memory.update(told.id, content="Ines likes almonds.")
    assert memory.recall("Ines likes almonds.", depth="shallow", limit=1)[0].record.importance == 0.9
    receipt = again.forget("/users/ines")
    assert receipt.complete and again.documents.store.verify(receipt)
    assert held(file, "walnuts", "almonds", "beer") == ["beer"]
    assert memory.forget(scope="/users/tom") == 1 and held(file, "beer") == [] and again.count() == 0
    with pytest.raises(LookupError, match="no record"):
        again.forget("/users/ines")


def test_the_embedder_that_comes_with_the_store_is_asked_for_by_its_name(tmp_path: Path) -> None:
    storage = LetheStorage(tmp_path / "memory.db", embedder="lethe-static-1")
    memory = Memory(storage=storage, llm=NoModel(), embedder=storage.embed)
    for told in ("Ines likes tea.", "Tom rows on Sundays."):
        memory.remember(told, scope="/users", categories=["x"], importance=0.5, metadata={})
    found = memory.recall("tea", scope="/users", depth="shallow", limit=1)
    assert [match.record.content for match in found] == ["Ines likes tea."]
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.search([1.0])
    memory.close()
    storage.documents.store.close()


def test_records_are_found_and_deleted_by_all_that_is_given(storage: LetheStorage) -> None:
    old = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=9)
    (vector,) = hash_embed(["tea"]).tolist()
    records = [
        MemoryRecord(id="1", content="tea", scope="/a", categories=["x"], embedding=vector, created_at=old),
        MemoryRecord(id="2", content="tea", scope="/ab", categories=["y"], embedding=vector, metadata={"n": 1}),
        MemoryRecord(id="3", content="rye", scope="a/b", categories=["x", "y"]),
    ]
    storage.save(records)
    assert [record.id for record, score in storage.search(vector, min_score=0.9)] == ["1", "2"]
    assert [record.id for record, _ in storage.search(vector, scope_prefix="/a/")] == ["1"]
    assert [record.id for record, _ in storage.search(vector, categories=["y", "z"])] == ["2"]
    assert [record.id for record, _ in storage.search(vector, metadata_filter={"n": 1})] == ["2"]
    assert [record.id for record in storage.list_records("/a", limit=1)] == ["3"]
    kept = storage.get_record("1")
    assert kept is not None and kept.embedding == pytest.approx(vector) and storage.get_record("9") is None
    assert storage.delete(older_than=old + timedelta(days=1), categories=["y"]) == 0
    assert storage.delete(record_ids=["1", "2"], categories=["y"]) == 1
    assert storage.delete(older_than=old + timedelta(days=1)) == 1 and storage.count("/a") == 1
    storage.reset("/a")
    assert storage.count() == 0
    with pytest.raises(EmbeddingDimensionMismatchError):
        storage.search([1.0])


def test_times_with_and_without_a_zone_are_compared_in_utc(storage: LetheStorage) -> None:
    noon = datetime(2026, 6, 1, 12)
    times = {"naive": noon, "utc": noon.replace(tzinfo=UTC), "later": noon + timedelta(hours=1)}
    storage.save([MemoryRecord(id=id, content=id, scope="/", created_at=at) for id, at in times.items()])
    assert storage.list_records()[0].id == "later"
    assert storage.get_scope_info("/").newest_record == times["later"]
    # 16:00 at +05:00 is an hour before noon in UTC.
    assert storage.delete(older_than=datetime(2026, 6, 1, 16, tzinfo=timezone(timedelta(hours=5)))) == 0
    assert storage.delete(older_than=datetime(2026, 6, 1, 12, 30)) == 2 and storage.count() == 1


def test_a_record_that_is_to_stay_forgotten_is_refused_under_a_new_id(storage: LetheStorage) -> None:
    storage.save([MemoryRecord(content="Ines likes walnuts.", scope="/users/ines")])
    storage.forget("/users/ines", stay_forgotten=True)
    with pytest.raises(StaysForgotten):
        storage.save([MemoryRecord(content="Ines likes walnuts.", scope="/users/tom")])


def test_what_was_told_in_a_scope_is_erased_of_a_record_that_was_moved(storage: LetheStorage, tmp_path: Path) -> None:
    old, new = datetime(2026, 1, 1), datetime(2026, 6, 1)
    for id in ("1", "2", "3"):
        storage.save([MemoryRecord(id=id, content=f"walnut{id}", scope="/users/ines", created_at=old)])
        storage.update(MemoryRecord(id=id, content=f"almond{id}", scope="/users/tom", created_at=new))
    told = [f"{text}{id}" for id in ("1", "2", "3") for text in ("walnut", "almond")]
    assert storage.delete("/users", record_ids=["1"], older_than=datetime(2026, 3, 1)) == 0
    assert held(tmp_path / "memory.db", *told) == told[1:]
    assert storage.delete("/users/ines", record_ids=["2"]) == 0
    assert held(tmp_path / "memory.db", *told) == ["almond1", "almond2", *told[4:]]
    receipt = storage.forget("/users/ines")
    assert receipt.complete and storage.documents.store.verify(receipt)
    assert held(tmp_path / "memory.db", *told) == ["almond1", "almond2", "almond3"]
    assert {record.content for record in storage.list_records("/users/tom")} == {"almond1", "almond2", "almond3"}
    with pytest.raises(LookupError, match="no record"):
        storage.forget("/users/ines")
