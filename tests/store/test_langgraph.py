"""LangGraph's store over the memory store: values under keys, what is searched, what is erased."""

import asyncio
import hashlib
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethe.store import StaysForgotten, Store, make_key
from lethe.store.errors import LetheError
from tests.support.agents import held, package
from tests.support.tracing import statements

package("langgraph")

from langgraph.store.base import (  # noqa: E402
    GetOp,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)

from lethe.store.langgraph import AsyncLetheStore, LetheStore  # noqa: E402

DIM = 32
USERS = ("users", "ines")


class Embedder:
    """Words as directions, so that texts that share words are near; counts its calls."""

    def __init__(self, salt: str = "") -> None:
        self.calls: list[int] = []
        self._salt = salt

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls.append(len(texts))
        return [self._vector(text).tolist() for text in texts]

    def _vector(self, text: str) -> Any:
        seeds = [hashlib.sha256((self._salt + word).encode()).digest()[:4] for word in text.lower().split()]
        return sum((np.random.default_rng(list(seed)).standard_normal(DIM) for seed in seeds), np.zeros(DIM))


def _index(embed: Any, *fields: str) -> dict[str, Any]:
    return {"dims": DIM, "embed": embed, "fields": list(fields or ["text"])}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def store(file: Path) -> Iterator[LetheStore]:
    with LetheStore.from_conn_string(str(file), index=_index(Embedder())) as opened:
        yield opened


def test_a_value_is_put_found_and_superseded_and_the_older_one_stays_in_its_line(store: LetheStore) -> None:
    store.put(USERS, "drink", {"text": "likes tea", "n": 1})
    first = store.get(USERS, "drink")
    store.put(USERS, "drink", {"text": "likes coffee", "n": 2})
    second = store.get(USERS, "drink")
    assert first is not None and second is not None
    assert (first.value, second.value) == ({"text": "likes tea", "n": 1}, {"text": "likes coffee", "n": 2})
    assert first.created_at == second.created_at < second.updated_at
    assert [item.value["n"] for item in store.search(("users",))] == [2]
    (memory,) = store.items.memories()
    line = [entry.text for entry in store.items.blame(memory.memory_id)]
    assert len(line) == 2 and line[0] is not None and "likes tea" in line[0]
    assert store.items.audit() == []


def test_a_delete_erases_key_namespace_and_every_value_from_the_files(file: Path) -> None:
    key = make_key(file.with_name("key"))
    with LetheStore(file, index=_index(Embedder(), "text", "note"), key=key) as store:
        for value in ("walnutine", "pistachion"):
            store.put(("tenants", "quixotica"), "favouritenut", {"text": value, "note": f"{value}es are asked for"})
        store.put(("tenants", "other"), "kept", {"text": "stays here"})
        store.delete(("tenants", "quixotica"), "favouritenut")
        receipt = store.items.receipt_of()
        assert receipt.complete and store.items.verify(receipt) and store.items.audit() == []
        assert store.get(("tenants", "quixotica"), "favouritenut") is None
        assert store.list_namespaces() == [("tenants", "other")]
    gone = ("walnutine", "pistachion", "favouritenut", "quixotica", "asked")
    assert held(file, *gone, "stays here") == ["stays here"]


def test_what_is_forgotten_under_a_namespace_has_one_receipt_and_may_stay_forgotten(file: Path) -> None:
    with LetheStore(file, index=_index(Embedder()), key=make_key(file.with_name("key"))) as store:
        store.put(("a", "b"), "1", {"text": "one"})
        store.put(("a", "b", "c"), "2", {"text": "two"})
        store.put(("ab",), "3", {"text": "three"})
        receipt = store.forget(("a", "b"), stay_forgotten=True)
        assert len(receipt.memory_ids) == 2 and receipt.complete
        assert [item.key for item in store.search(())] == ["3"]
        with pytest.raises(StaysForgotten):
            store.put(("a", "b"), "1", {"text": "one"})
        with pytest.raises(LookupError, match="nothing is stored under"):
            store.forget(("a", "b"), "1")


def test_every_value_that_a_key_had_stays_forgotten_however_it_is_put(file: Path) -> None:
    tea, coffee = ({"text": drink, "note": "hot"} for drink in ("tea", "coffee"))
    index, key = _index(Embedder(), "text", "note"), make_key(file.with_name("key"))
    with LetheStore(file, index=index, ttl={"default_ttl": 5}, key=key) as store:
        store.put(USERS, "drink", coffee)
        store.put(USERS, "drink", tea)
        receipt = store.forget(USERS, "drink", stay_forgotten=True)
        size = store.items.last_seq()
        ways: list[dict[str, Any]] = [{}, {"ttl": 7}, {"ttl": None}, {"index": False}, {"index": ["note"]}]
        for value in (tea, coffee):
            for namespace, name in ((USERS, "drink"), (USERS, "other"), (("elsewhere",), "drink")):
                for how in ways:
                    with pytest.raises(StaysForgotten):
                        store.put(namespace, name, value, **how)
        assert store.items.last_seq() == size
        store.put(USERS, "drink", {"text": "water", "note": "cold"})
        assert [len(hashes) for hashes in receipt.keyed_hashes] == [1] * len(receipt.memory_ids)
        assert store.items.verify(receipt) and store.items.audit() == []


def test_a_value_that_is_learned_again_is_taken_and_the_receipt_holds(file: Path) -> None:
    with LetheStore(file, key=make_key(file.with_name("key"))) as store:
        for text in ("coffee", "tea"):
            store.put(USERS, "drink", {"text": text})
        receipt = store.forget(USERS, "drink", stay_forgotten=True)
        store.items.relearn('{"value":{"text":"tea"}}')
        store.put(USERS, "drink", {"text": "tea"})
        with pytest.raises(StaysForgotten):
            store.put(USERS, "drink", {"text": "coffee"})
        assert store.items.verify(receipt) and store.items.audit() == []


def test_a_tombstone_of_a_whole_text_as_it_was_left_before_is_heeded(file: Path) -> None:
    with LetheStore(file, index=_index(Embedder()), key=make_key(file.with_name("key"))) as store:
        store.put(USERS, "drink", {"text": "tea"}, ttl=7)
        (memory,) = store.items.memories()
        store.items.purge(memory.memory_id, stay_forgotten=True)
        with pytest.raises(StaysForgotten):
            store.put(USERS, "drink", {"text": "tea"}, ttl=7)


def test_a_read_prolongs_an_item_with_the_value_of_one_that_is_to_stay_forgotten(file: Path) -> None:
    ttl = {"default_ttl": 1, "refresh_on_read": True}
    with LetheStore(file, ttl=ttl, key=make_key(file.with_name("key"))) as store:
        now = [1000.0]
        store.items._clock = lambda: now[0]
        for key in ("first", "second"):
            store.put(USERS, key, {"text": "tea"})
        store.forget(USERS, "first", stay_forgotten=True)
        for _ in range(3):
            now[0] += 40
            found = store.get(USERS, "second")
            assert found is not None and found.value == {"text": "tea"}
        with pytest.raises(StaysForgotten):
            store.put(USERS, "second", {"text": "tea"})


def test_what_of_a_file_is_no_item_that_could_be_put_is_erased_to_stay_forgotten(file: Path) -> None:
    """Texts of a value that are embedded may look like items."""
    texts = [
        "tea",
        '{"value":{"a":"\\ud800"}}',
        '{"value":{"a":NaN}}',
        '{"value":' + 100_000 * "[",
        '{"value":{"a":1}}',
    ]
    with LetheStore(file, index=_index(Embedder(), "*"), key=make_key(file.with_name("key"))) as store:
        store.put(USERS, "drink", {str(number): text for number, text in enumerate(texts)}, index=list("01234"))
        assert store.items.count() == len(texts)
        receipt = store.forget(USERS, "drink", stay_forgotten=True)
        assert len(receipt.memory_ids) == len(texts) and store.items.verify(receipt)
        assert all(store.items.forgotten(texts[1:]))


def test_every_field_is_searched_and_the_best_counts(store: LetheStore) -> None:
    store.put(("t",), "first", {"title": "red apple", "text": "green pear"}, index=["title", "text"])
    store.put(("t",), "second", {"title": "blue car", "text": "red bus"}, index=["title", "text"])
    store.put(("t",), "third", {"title": "green pear"}, index=False)
    found = store.search(("t",), query="green pear")
    assert (found[0].key, found[0].score) == ("first", pytest.approx(1.0, abs=1e-3))
    assert [item.key for item in found][-1] == "third" and found[-1].score is None
    assert [item.key for item in store.search(("t",), query="blue car", limit=1)] == ["second"]
    assert [item.key for item in store.search(("t",), query="blue car", limit=2, offset=1)] == ["first", "third"]
    store.put(("t",), "first", {"title": "white horse"}, index=["title"])
    assert store.search(("t",), query="green pear", limit=1)[0].score != pytest.approx(1.0, abs=0.1)
    assert store.items.audit() == []


FILTERS: list[tuple[dict[str, Any], str]] = [
    ({"n": 2}, "b"),
    ({"n": {"$gt": 1}}, "bc"),
    ({"n": {"$gte": 1, "$lt": 3}}, "ab"),
    ({"n": {"$ne": 2}}, "acd"),
    ({"n": {"$in": [1, 3]}}, "a"),
    ({"n": {"$nin": [1, 3]}}, "bcd"),
    ({"n": {"$in": []}}, ""),
    ({"is": True}, "a"),
    ({"is": False}, "b"),
    ({"is": 1}, "c"),
    ({"is": None}, "d"),
    ({"is": {"$ne": None}}, "abc"),
    ({"name": "O'Neil"}, "a"),
    ({"name": {"$lte": "b"}}, "ab"),
    ({"in.deep": "x"}, "a"),
    ({"in": {"deep": "x"}}, "a"),
    ({"in": {"deep": {"$in": ["x", "y"]}}}, "ab"),
    ({"tags": ["p", "q"]}, "a"),
    ({"n": float("nan")}, ""),
    ({"n": "2"}, ""),
    ({"1-é": "yes"}, "c"),
]


@pytest.mark.parametrize(("given", "keys"), FILTERS, ids=lambda given: str(given))
def test_a_filter_compares_by_kind_and_by_path(store: LetheStore, given: dict[str, Any], keys: str) -> None:
    values: dict[str, dict[str, Any]] = {
        "a": {"n": 1, "is": True, "name": "O'Neil", "in": {"deep": "x"}, "tags": ["p", "q"], "text": "t"},
        "b": {"n": 2, "is": False, "name": "a", "in": {"deep": "y"}, "tags": ["q", "p"], "text": "t"},
        "c": {"n": 3.5, "is": 1, "name": "c", "1-é": "yes", "text": "t"},
        "d": {"n": "4", "text": "t"},
    }
    store.batch([PutOp(("f",), key, value) for key, value in values.items()])
    assert "".join(sorted(item.key for item in store.search(("f",), filter=given))) == keys
    assert "".join(sorted(item.key for item in store.search(("f",), query="t", filter=given))) == keys


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"a') = 1 --": 1}, "Invalid filter key"),
        ({"n": {"$like": 1}}, "Unsupported operator"),
        ({"n": {"$in": "12"}}, "needs a list"),
        ({"n": {"$gt": None}}, "compares numbers"),
    ],
)
def test_what_is_no_filter_is_told_in_a_line(store: LetheStore, given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told) as caught:
        store.search(("f",), filter=given)
    assert "\n" not in str(caught.value)


def test_a_batch_is_one_transaction_with_one_call_of_the_embedder(file: Path) -> None:
    embedder = Embedder()
    with LetheStore(file, index=_index(embedder)) as store:
        store.batch([PutOp(USERS, str(n), {"text": f"fact {n}"}) for n in range(20)])
        assert embedder.calls == [20]
        last = store.items.last_seq()
        with pytest.raises(ValueError, match="made of what JSON has"):
            store.batch([PutOp(USERS, "new", {"text": "one"}), PutOp(USERS, "bad", {"text": "two", "n": object()})])
        assert store.items.last_seq() == last and store.get(USERS, "new") is None
        results = store.batch(
            [
                PutOp(USERS, "1", {"text": "changed"}),
                GetOp(USERS, "1"),
                SearchOp(USERS, limit=3),
                ListNamespacesOp((MatchCondition("suffix", ("ines",)),)),
                PutOp(USERS, "2", None),
            ]
        )
        assert results[1].value == {"text": "fact 1"} and len(results[2]) == 3 and results[3] == [USERS]
        assert store.get(USERS, "1").value == {"text": "changed"} and store.get(USERS, "2") is None


def test_what_a_batch_asks_the_file_does_not_grow_with_it(file: Path) -> None:
    with LetheStore(file, index=_index(Embedder())) as store:

        def asked(batch: list[PutOp]) -> list[str]:
            with statements(store.items._database.connection) as told:
                store.batch(batch)
            return [sql for sql in told if sql.startswith("SELECT") and not sql.startswith("SELECT digest")]

        store.put(("a",), "first", {"n": 0}, index=False)
        few, many = (
            asked([PutOp(("a", str(size)), str(n), {"n": n}, index=False) for n in range(size)]) for size in (2, 40)
        )
        assert len(many) == len(few)
        (reading,) = [sql for sql in few if "intact(" in sql]
        assert "json_each" in reading
        over = asked([PutOp(("a", "2"), str(n), {"n": -n}, index=False) for n in range(2)])
        assert len([sql for sql in over if "intact(" in sql and "session" in sql]) == 1


@pytest.mark.parametrize("query", [None, "even"])
def test_a_filter_finds_what_stands_far_behind_what_was_told_last(store: LetheStore, query: str | None) -> None:
    store.batch([PutOp(("f",), f"{n:03}", {"n": n, "kind": int(n % 90 == 0)}, index=False) for n in range(300)])
    told = [f"{n:03}" for n in range(299, -1, -1)]
    kind = [key for key in told if int(key) % 90 == 0]
    for limit, offset in [(1, 0), (2, 1), (10, 0), (10, 3), (3, 9)]:
        page = slice(offset, offset + limit)
        found = store.search(("f",), query=query, filter={"kind": 1}, limit=limit, offset=offset)
        assert [item.key for item in found] == kind[page], (limit, offset)
        found = store.search(("f",), query=query, limit=limit, offset=offset)
        assert [item.key for item in found] == told[page], (limit, offset)


def test_a_text_with_the_vector_that_stands_for_none_is_found_by_it(file: Path) -> None:
    vectors = {"first": [1.0, 0.0], "second": [0.0, 1.0]}
    index = {"dims": 2, "embed": lambda texts: [vectors[text] for text in texts], "fields": ["text"]}
    with LetheStore(file, index=index) as store:
        store.put(("t",), "a", {"text": "second"})
        store.put(("t",), "b", {"text": "first"})
        store.put(("t",), "c", {"text": "first"}, index=False)
        found = store.search(("t",), query="first")
        assert [(item.key, item.score) for item in found] == [("b", 1.0), ("a", pytest.approx(0.0)), ("c", None)]


def test_namespaces_are_those_of_live_items_in_order(store: LetheStore) -> None:
    names = [("b",), ("a", "x"), ("a-b",), ("a",), ("c", "d", "e")]
    store.batch([PutOp(name, str(n), {"n": n}) for name in names for n in range(3)])
    store.items.release(store.items.within(session="c.d.e").memories()[0].memory_id)
    assert store.list_namespaces() == sorted(names)
    store.batch([PutOp(("b",), str(n), None) for n in range(3)])
    for memory in store.items.within(session="a-b").memories():
        store.items.release(memory.memory_id)
    assert store.list_namespaces() == [("a",), ("a", "x"), ("c", "d", "e")]


@pytest.mark.parametrize("namespace", [(), ("a.b",), ("a", "")])
def test_a_label_that_could_be_taken_for_two_is_refused(store: LetheStore, namespace: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="namespace"):
        store.batch([PutOp(namespace, "key", {"text": "one"})])


@pytest.mark.parametrize("namespace", [("users", "tom.notes"), "users", ("users", ""), ("users", 5), None, "", ()])
def test_no_namespace_is_forgotten_for_another(store: LetheStore, namespace: Any) -> None:
    names = [tuple("users"), ("users", "tom", "notes")]
    store.batch([PutOp(name, "key", {"text": "one"}) for name in names])
    calls = [
        lambda: store.forget(namespace),
        lambda: store.forget(namespace, "key"),
        lambda: store.batch([PutOp(namespace, "key", None)]),
        lambda: store.batch([GetOp(namespace, "key")]),
        lambda: store.batch([SearchOp(namespace)]),
    ]
    for call in calls[: 2 if namespace == () else None]:
        with pytest.raises((TypeError, ValueError), match=r"a (label of a )?namespace") as caught:
            call()
        assert "\n" not in str(caught.value)
    assert store.list_namespaces() == sorted(names)


def test_what_has_expired_is_not_seen_and_is_swept_and_a_read_moves_the_end(file: Path) -> None:
    ttl = {"default_ttl": 1, "refresh_on_read": True}
    with LetheStore(file, index=_index(Embedder(), "text", "note"), ttl=ttl) as store:
        now = [1000.0]
        store.items._clock = lambda: now[0]
        store.put(USERS, "read", {"text": "walnutine", "note": "twice"})
        store.put(USERS, "left", {"text": "pistachion"})
        store.put(USERS, "kept", {"text": "stays"}, ttl=None)
        now[0] += 40
        assert store.get(USERS, "left", refresh_ttl=False) is not None
        assert [item.key for item in store.search(USERS, query="walnutine twice", limit=1)] == ["read"]
        now[0] += 40
        assert sorted(item.key for item in store.search(USERS, refresh_ttl=False)) == ["kept", "read"]
        assert store.sweep_ttl() == 1
        found = store.search(USERS, query="twice", limit=1, refresh_ttl=False)
        assert found[0].score == pytest.approx(1.0, abs=1e-3)
        now[0] += 60
        assert store.sweep_ttl() == 1 and store.items.audit() == []
        assert [item.key for item in store.search(())] == ["kept"]
    assert held(file, "walnutine", "pistachion") == []


def test_the_items_of_another_owner_are_neither_seen_nor_erased(file: Path) -> None:
    with LetheStore(file, owner="ines") as ines, LetheStore(file, owner="tomas") as tomas:
        ines.put(("a",), "key", {"of": "ines"})
        tomas.put(("a",), "key", {"of": "tomas"})
        tomas.delete(("a",), "key")
        assert tomas.search(()) == [] and tomas.list_namespaces() == []
        assert [item.value for item in ines.search(())] == [{"of": "ines"}]


def test_another_embedder_and_another_index_are_refused(file: Path) -> None:
    with LetheStore(file, index=_index(Embedder())) as store:
        store.put(USERS, "drink", {"text": "likes tea"})
    with LetheStore(file, index=_index(Embedder())) as store:
        assert store.search(USERS, query="tea")[0].key == "drink"
    with LetheStore(file, index=_index(Embedder("another"))) as store, pytest.raises(LetheError, match="embedder"):
        store.search(USERS, query="tea")
    with pytest.raises(LetheError, match="was made for vectors of 32 numbers"):
        LetheStore(file)
    with pytest.raises(ValueError, match="scores are cosines"):
        LetheStore(":memory:", index={**_index(Embedder()), "distance_type": "l2"})


def test_the_embedder_that_comes_with_the_store_is_asked_for_by_its_name(file: Path) -> None:
    by_name = {"embed": "lethe-static-1", "fields": ["text"]}
    with LetheStore(file, index=by_name) as store:
        store.put(USERS, "drink", {"text": "likes tea"})
        store.put(USERS, "sport", {"text": "rows on Sundays"})
    with LetheStore(file, index={**by_name, "dims": 256}) as store:
        (best, _) = store.search(USERS, query="tea")
        assert best.key == "drink" and best.score == pytest.approx(0.8, abs=0.2)
    with Store(file) as plain:
        assert [plain.memory(found.memory_id).source for found in plain.recall("tea", 1)] == ["drink"]
    with pytest.raises(ValueError, match="dims 384: vectors of lethe-static-1 have 256 numbers; leave it out"):
        LetheStore(":memory:", index={**by_name, "dims": 384})
    with pytest.raises(LetheError, match=r"gives 384; use the embedder it was made with \(lethe-static-1\)"):
        LetheStore(file, index={**by_name, "embed": "words"})
    with pytest.raises(LetheError, match=r"of 256 numbers, but .* gives 32; use the embedder .* \(lethe-static-1\)"):
        LetheStore(file, index=_index(Embedder()))
    with pytest.raises(LetheError, match="has vectors of the embedder lethe-static-1: give an index that embeds by it"):
        LetheStore(file)


def test_another_embedder_is_refused_behind_items_without_a_vector(file: Path) -> None:
    with LetheStore(file, index=_index(Embedder())) as store:
        store.put(USERS, "sport", {"text": "rows"}, index=False)
        store.put(USERS, "drink", {"text": "likes tea"})
    with LetheStore(file, index=_index(Embedder("another"))) as store, pytest.raises(LetheError, match="embedder"):
        store.search(USERS, query="tea")


@pytest.mark.parametrize(
    "edit",
    [
        "UPDATE version SET text = replace(text, 'tea', 'gin')",
        "UPDATE memory SET source = 'food'",
        "UPDATE memory SET session = 'users.tomas'",
        "UPDATE version SET vector = zeroblob(128)",
    ],
)
def test_an_edit_at_rest_is_reported_and_refused_when_it_is_read(file: Path, edit: str) -> None:
    key = make_key(file.with_name("key"))
    with LetheStore(file, index=_index(Embedder()), key=key) as store:
        store.put(USERS, "drink", {"text": "likes tea"})
    with sqlite3.connect(file) as connection:
        connection.create_function("indexed", 2, lambda text, words: text)
        connection.execute(edit)
    connection.close()
    with Store(file, embed=lambda texts: np.zeros((len(texts), DIM), dtype=np.float32)) as plain:
        assert plain.audit()
    with (
        LetheStore(file, index=_index(Embedder()), key=key) as store,
        pytest.raises(LetheError, match="changed without"),
    ):
        store.search(())


def test_tasks_share_a_store_without_blocking_and_synchronous_calls_are_refused_in_the_loop(file: Path) -> None:
    async def write(store: AsyncLetheStore, n: int) -> None:
        await store.aput(("tasks", str(n % 4)), str(n), {"text": f"fact {n}"})
        item = await store.aget(("tasks", str(n % 4)), str(n))
        assert item is not None and item.value == {"text": f"fact {n}"}
        if n % 2:
            await store.adelete(("tasks", str(n % 4)), str(n))

    async def embed(texts: Sequence[str]) -> list[list[float]]:
        return Embedder()(texts)

    async def run() -> None:
        async with AsyncLetheStore.from_conn_string(str(file), index=_index(embed)) as store:
            await store.setup()
            await asyncio.gather(*(write(store, n) for n in range(64)))
            assert len(await store.asearch(("tasks",), query="fact", limit=100)) == 32
            assert await store.alist_namespaces() == [("tasks", "0"), ("tasks", "2")]
            with pytest.raises(asyncio.InvalidStateError):
                store.get(("tasks", "0"), "0")
            assert await asyncio.to_thread(store.get, ("tasks", "0"), "0") is not None
            receipt = await store.aforget(("tasks",))
            assert receipt.complete and store.items.audit() == []
        async with AsyncLetheStore.from_conn_string(str(file), index=_index(embed)) as store:
            await store.aput(("tasks", "0"), "1", {"text": "again"})

    asyncio.run(run())


def test_a_put_behind_a_delete_leaves_nothing_of_what_was_there(file: Path) -> None:
    async def run() -> None:
        async with AsyncLetheStore.from_conn_string(str(file), index=_index(Embedder())) as store:
            await store.aput(USERS, "a", {"text": "walnut"})
            await asyncio.gather(store.adelete(USERS, "a"), store.aput(USERS, "a", {"text": "almond"}))
            assert held(file, "walnut", "almond") == ["almond"]
            told = ({"text": "hazel"}, None, {"text": "quince"}, {"text": "pistachio"})
            await asyncio.gather(
                *(store.adelete(USERS, "a") if each is None else store.aput(USERS, "a", each) for each in told)
            )
            item = await store.aget(USERS, "a")
            assert item is not None and item.value == {"text": "pistachio"}
            assert held(file, "almond", "hazel", "quince", "pistachio") == ["pistachio"]
            await asyncio.gather(
                store.aput(USERS, "a", {"text": "raisin"}, index=False, ttl=1), store.adelete(USERS, "a")
            )
            assert await store.aget(USERS, "a") is None and store.items.audit() == []
            await store.abatch([PutOp(USERS, "b", {"text": "cashew"})])
            await store.abatch([PutOp(USERS, "b", None), PutOp(USERS, "b", {"text": "chestnut"})])
            assert held(file, "pistachio", "raisin", "cashew", "chestnut") == ["chestnut"]

    asyncio.run(run())


def test_a_sweeper_erases_what_has_expired_by_itself(file: Path) -> None:
    ttl = {"default_ttl": 0.02 / 60, "sweep_interval_minutes": 0.05 / 60}

    async def run() -> None:
        async with AsyncLetheStore.from_conn_string(str(file), ttl=ttl) as store:
            await store.start_ttl_sweeper()
            await store.aput(("a",), "key", {"text": "pistachion"})
            await _until(lambda: store.items.last_seq() > 1)

    asyncio.run(run())
    assert held(file, "pistachion") == []
    with LetheStore(file, ttl=ttl) as store:
        store.start_ttl_sweeper()
        store.put(("a",), "key", {"text": "walnutine"})
        asyncio.run(_until(lambda: store.items.last_seq() > 3))
    assert held(file, "walnutine") == []


async def _until(is_so: Any) -> None:
    for _ in range(500):
        if is_so():
            return
        await asyncio.sleep(0.02)
    pytest.fail("the sweeper did nothing in ten seconds")


@pytest.mark.parametrize(("limit", "offset", "found"), [(2**63, 0, 1), (10**30, 0, 1), (5, 10**30, 0)])
@pytest.mark.parametrize("query", [None, "tea"])
def test_more_than_a_file_can_number_is_asked_for(
    store: LetheStore, query: str | None, limit: int, offset: int, found: int
) -> None:
    store.put(USERS, "drink", {"text": "likes tea"})
    assert len(store.search(USERS, query=query, limit=limit, offset=offset)) == found


@pytest.mark.parametrize("query", [None, "tea"])
@pytest.mark.parametrize("given", [{"limit": "2"}, {"limit": None}, {"limit": 1.5}, {"offset": "2"}])
def test_what_is_no_number_of_rows_is_the_callers_mistake(
    store: LetheStore, query: str | None, given: dict[str, Any]
) -> None:
    store.put(USERS, "drink", {"text": "likes tea"})
    with pytest.raises(TypeError, match=f"{next(iter(given))} must be an integer"):
        store.search(USERS, query=query, **given)
    with pytest.raises(TypeError, match="max_depth must be an integer"):
        store.list_namespaces(max_depth="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a filter must be a Mapping"):
        store.search(USERS, query=query, filter=["text"])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a query must be a str"):
        store.search(USERS, query=5)  # type: ignore[arg-type]
    assert len(store.search(USERS, query=query, limit=-1)) == 1


def test_vectors_of_another_length_are_refused_before_they_are_stored(file: Path) -> None:
    index = {"dims": 4, "embed": lambda texts: [[1.0, 0.0, 0.0] for _ in texts]}
    with LetheStore(file, index=index) as store:
        for told in (lambda: store.put(USERS, "drink", {"text": "tea"}), lambda: store.search(USERS, query="tea")):
            with pytest.raises(ValueError, match="has vectors of 4 numbers, the index's embed gives 3"):
                told()
        assert store.search(USERS) == []


@pytest.mark.parametrize("number", [1e300, float("inf"), float("nan")])
def test_vectors_that_are_not_finite_are_refused(file: Path, number: float) -> None:
    with LetheStore(file, index={"dims": 4, "embed": lambda texts: [[number] * 4 for _ in texts]}) as store:
        with pytest.raises(ValueError, match="without a finite length"):
            store.put(USERS, "drink", {"text": "tea"})
        assert store.search(USERS) == []


def test_a_value_that_is_too_deep_for_json_is_refused(store: LetheStore) -> None:
    wide = {"text": '\\"' + "[{" * 2000, "many": [{"n": [number]} for number in range(2000)]}
    store.put(USERS, "wide", wide)
    limit = sys.getrecursionlimit()
    for levels, most in ((100_000, limit), (1000, 20_000)):
        value: dict[str, Any] = {}
        for _ in range(levels):
            value = {"a": value}
        try:
            sys.setrecursionlimit(most)
            with pytest.raises(ValueError, match="a value must be made of what JSON has"):
                store.put(USERS, "drink", value)
        finally:
            sys.setrecursionlimit(limit)
    assert [found.value for found in store.search(USERS, filter={"text": wide["text"]})] == [wide]


@pytest.mark.parametrize("with_index", [False, True])
def test_a_value_and_a_time_to_live_that_are_none_are_no_damage(tmp_path: Path, with_index: bool) -> None:
    index = _index(Embedder()) if with_index else None
    with LetheStore(tmp_path / "memory.db", index=index, ttl={"default_ttl": 5}) as store:
        for value in (5, 0, False, [1], "ab"):
            with pytest.raises(TypeError, match="a value must be a dict, not"):
                store.put(USERS, "drink", value)
        for ttl in ("5", float("nan"), True):
            with pytest.raises(ValueError, match="ttl must be a finite number, not"):
                store.put(USERS, "drink", {"text": "tea"}, ttl=ttl)
        assert store.search(()) == [] and store.items.audit() == []
    with pytest.raises(ValueError, match="default_ttl must be a finite number, not '5'"):
        LetheStore(tmp_path / "other.db", ttl={"default_ttl": "5"})
    assert not (tmp_path / "other.db").exists()


async def _put_nothing_right(file: Path) -> None:
    async with AsyncLetheStore(file) as store:
        with pytest.raises(TypeError, match="a value must be a dict, not 5"):
            await store.aput(USERS, "drink", 5)


def test_a_value_that_is_none_is_no_damage_for_the_async_store_either(file: Path) -> None:
    asyncio.run(_put_nothing_right(file))
