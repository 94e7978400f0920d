"""Vectors that stay in the file: the same memories in the same order, and nothing left of what is erased."""

import asyncio
import contextlib
import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lethe.store import AsyncStore, Key, NothingMeets, Store, scan
from lethe.store.errors import LetheError
from lethe.store.surrender import SurrenderMode
from lethe.store.thresholds import Floor
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import TableEmbedder
from tests.support.editing import editing
from tests.support.hash_embedder import DIM, Clock, hash_embed

KEY = Key(bytes(range(32)))
SCOPES: tuple[dict[str, str], ...] = ({}, {"owner": "ann"}, {"owner": "ben"}, {"owner": "ann", "session": "may"})
needs_sqlite_vec = pytest.mark.skipif(not scan.is_installed(), reason="needs sqlite-vec (envs/extras/vectors.lock)")


@functools.cache
def vector_of(text: str) -> Any:
    return hash_embed([text])[0]


def embed(texts: Sequence[str]) -> Any:
    return np.stack([vector_of(text) for text in texts])


def opened(path: Path | str, clock: Callable[[], float] | None = None, **more: Any) -> Store:
    return Store(path, embed=embed, dim=DIM, index="sqlite-vec", clock=clock or Clock(), **more)


def told(store: Store, seed: int, clock: Clock) -> None:
    """Memories of several scopes, with ends, ties, and everything done to some of them."""
    chance = np.random.default_rng(seed)
    for _ in range(int(chance.integers(1, 8))):
        scope = SCOPES[chance.integers(len(SCOPES))]
        texts = [f"alpha {chance.integers(9)} beta {chance.integers(3)}" for _ in range(chance.integers(1, 30))]
        store.within(**scope).inscribe_many(texts, ttl=[None, None, 60.0][chance.integers(3)])
        live = [memory.memory_id for memory in store.memories()]
        acts: dict[str, Callable[[int], object]] = {
            "release": store.release,
            "supersede": lambda id: store.supersede(id, f"gamma {id}"),
            "edit": lambda id: store.edit(id, f"alpha {id} beta 1"),
            "decay": lambda id: store.decay(id, 0.7),
            "pin": store.pin,
            "purge": store.purge,
            "touch": lambda id: store.touch([id]),
        }
        for id in chance.permutation(live)[: len(live) // 2].tolist():
            acts[list(acts)[chance.integers(len(acts))]](id)
        clock.now += 25.0
        if chance.integers(4) == 0:
            store.consolidate(clock.now + 86_400.0 * 20)


def preview(store: Store, query: str, mode: SurrenderMode, floor: Floor) -> object:
    try:
        return store.selected(query, mode, floor=floor)
    except NothingMeets as error:
        return str(error)


@needs_sqlite_vec
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.sampled_from([1, 2, 5, 10, 200]), query=st.sampled_from(["alpha 3", "x"]))
def test_either_index_gives_the_same_memories_in_the_same_order(
    tmp_path_factory: pytest.TempPathFactory, seed: int, k: int, query: str
) -> None:
    path, clock = tmp_path_factory.mktemp("same") / "memories.db", Clock()
    with Store(path, embed=embed, dim=DIM, clock=clock, index="matrix") as resident:
        told(resident, seed, clock)
        with opened(path, clock) as scanned:
            for scope in SCOPES:
                one, other = resident.within(**scope), scanned.within(**scope)
                assert other.recall(query, k, mode="vector") == one.recall(query, k, mode="vector")
                assert other.recall(query, k) == one.recall(query, k)
                assert preview(one, query, "release", "measured") == preview(other, query, "release", "measured")
                assert preview(one, query, "supersede", 0.9) == preview(other, query, "supersede", 0.9)
            at = resident.last_seq() // 2
            assert scanned.recall(query, k, mode="vector", at=at) == resident.recall(query, k, mode="vector", at=at)
            scanned.release_matching(query, floor=None)
            assert scanned.recall(query, k) == resident.recall(query, k)


@needs_sqlite_vec
@pytest.mark.parametrize("k", [1, 3, 40, 700])
def test_ties_are_in_order_of_id_however_many(path: Path, k: int) -> None:
    with opened(path) as store:
        store.inscribe_many([f"alpha{' beta' * (number % 2)}" for number in range(600)])
        order = [*range(1, 600, 2), *range(2, 601, 2)]
        assert [found.memory_id for found in store.recall("alpha", k, mode="vector")] == order[:k]


@needs_sqlite_vec
def test_a_scope_is_applied_before_the_best_are_taken(path: Path) -> None:
    with opened(path) as store:
        store.within(owner="ann").inscribe_many([f"alpha {number}" for number in range(200)])
        store.within(owner="ben").inscribe_many(["beta", "gamma"])
        assert len(store.within(owner="ben").recall("alpha", 2, mode="vector")) == 2
        query = f"EXPLAIN QUERY PLAN SELECT 1 FROM {scan._LIVE} memory.owner = ?"
        plan = store._database.connection.execute(query, ("ben",)).fetchall()
        assert "memory_of_owner" in str(plan)


@needs_sqlite_vec
def test_after_a_purge_no_vector_stands_anywhere(path: Path) -> None:
    texts = [f"alpha {number}" for number in range(300)]
    vectors = [vector.tobytes() for vector in hash_embed(texts)]
    with opened(path) as store:
        store.inscribe_many(texts)
        store.recall("alpha", 300)
        assert store.purge_many(range(101, 201)).complete
        files = [file.read_bytes() for file in path.parent.iterdir()] + [store.stored_bytes()]
        left = [number for number, vector in enumerate(vectors, start=1) if any(vector in content for content in files)]
        assert left == [*range(1, 101), *range(201, 301)]
        assert store.audit() == []


@needs_sqlite_vec
def test_a_file_may_be_opened_with_either_index(path: Path) -> None:
    with opened(path, key=KEY) as store:
        store.inscribe_many(["alpha", "beta"])
        found = store.recall("alpha")
        receipt = store.purge(2)
    with Store(path, embed=hash_embed, dim=DIM, key=KEY, index="matrix") as store:
        assert store.recall("alpha") == found[:1] and store.verify(receipt) and store.audit() == []
        store.inscribe("gamma")
    with opened(path, key=KEY) as store:
        assert [memory.text for memory in store.recall("gamma", mode="vector")] == ["gamma", "alpha"]


@needs_sqlite_vec
def test_what_is_lost_or_changed_in_the_file_is_refused(path: Path) -> None:
    for edit in ("UPDATE version SET vector = x'00' WHERE memory_id = 2", "DELETE FROM version WHERE memory_id = 2"):
        with opened(path) as store:
            store.reset()
            store.inscribe_many(["alpha", "beta"])
            with editing(path) as attacker:
                attacker.execute(edit)
            with pytest.raises(LetheError, match="damaged"):
                store.recall("alpha", 1, mode="vector")


@needs_sqlite_vec
def test_extensions_are_off_again_once_it_is_loaded(path: Path) -> None:
    with opened(path) as store, pytest.raises(apsw.SQLError, match="not authorized"):
        store._database.connection.execute("SELECT load_extension('vec0')")


@pytest.mark.parametrize("file", ["memories.db", ":memory:"])
def test_without_the_package_an_error_says_what_to_install_and_no_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    monkeypatch.setitem(sys.modules, "sqlite_vec", None)
    with pytest.raises(LetheError, match=r'^index "sqlite-vec": run pip install "lethe-store\[sqlite-vec\]"$'):
        opened(file if file == ":memory:" else tmp_path / file)
    assert not list(tmp_path.iterdir())


@needs_sqlite_vec
def test_an_extension_that_cannot_be_loaded_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlite_vec.loadable_path", lambda: "nowhere/vec0")
    with pytest.raises(LetheError, match="nowhere/vec0 cannot be loaded"):
        opened(path)


def test_another_index_is_refused(path: Path) -> None:
    with pytest.raises(ValueError, match="index must be one of 'matrix', 'sqlite-vec', not 'hnsw'"):
        Store(path, embed=hash_embed, dim=DIM, index="hnsw")  # type: ignore[arg-type]
    assert not path.exists()


@pytest.mark.parametrize("installed", [pytest.param(True, marks=needs_sqlite_vec), False])
def test_without_a_choice_a_large_file_is_scanned_if_it_can_be(
    path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    def index() -> str:
        with Store(path, embed=hash_embed, dim=DIM) as store:
            return store._database.index.kind

    monkeypatch.setattr(scan, "LARGEST_MATRIX", 10 * 4 * DIM)
    if not installed:
        monkeypatch.setitem(sys.modules, "sqlite_vec", None)
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.inscribe_many([f"alpha {number}" for number in range(11)])
    assert index() == ("sqlite-vec" if installed else "matrix")
    with Store(path, embed=hash_embed, dim=DIM) as store:
        store.release(1)
    assert index() == "matrix"


@needs_sqlite_vec
def test_the_measured_system_takes_it(path: Path) -> None:
    table = {"alpha": (1.0, 0.0), "beta": (0.8, 0.6), "gamma": (0.0, 1.0)}
    recalled = []
    indexes: tuple[scan.Index, ...] = ("matrix", "sqlite-vec")
    for index in indexes:
        with contextlib.closing(LetheAdapter(TableEmbedder(table), index=index)) as adapter:
            adapter.inscribe(["alpha", "gamma"])
            adapter.supersede("beta", "beta")
            recalled.append((adapter.recall_texts("alpha", 5), adapter._store._database.index.kind))
    assert recalled == [(["beta", "gamma"], "matrix"), (["beta", "gamma"], "sqlite-vec")]


@needs_sqlite_vec
def test_items_are_found_as_by_the_matrix(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    langgraph = pytest.importorskip("lethe.store.langgraph", reason="needs langgraph")
    texts = [f"alpha {number}" for number in range(30)]
    index = {"dims": DIM, "embed": lambda texts: hash_embed(texts).tolist(), "fields": ["a", "b"]}

    def found() -> list[tuple[str, float]]:
        with langgraph.LetheStore.from_conn_string(path, index=index) as store:
            if not store.search(("m",)):
                for one, other in zip(texts, texts[::-1], strict=True):
                    store.put(("m", "x"), one, {"a": one, "b": other})
            return [(item.key, item.score) for item in store.search(("m",), query="alpha 7", limit=9)]

    resident = found()
    monkeypatch.setattr(scan, "LARGEST_MATRIX", 0)
    assert found() == resident


@needs_sqlite_vec
def test_every_store_of_an_async_store_takes_it(path: Path) -> None:
    async def act() -> None:
        async with AsyncStore(path, embed=hash_embed, dim=DIM, index="sqlite-vec") as store:
            await store.inscribe_many(["alpha", "beta"])
            assert [found.text for found in await store.recall("beta", 1)] == ["beta"]
            assert {each._database.index.kind for each in store._threads._readers} == {"sqlite-vec"}

    asyncio.run(act())
