"""What the adapters share: texts with metadata under keys, filters, and that what is deleted is erased."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lethe.store import StaysForgotten, Store, verifier
from lethe.store.documents import Documents
from lethe.store.errors import LetheError
from lethe.store.tools import functions
from tests.support.agents import held
from tests.support.hash_embedder import hash_embed

VALUES: dict[str, dict[str, Any]] = {
    "a": {"text": "walnut bread", "tags": ["x", 1], "name": "mango", "n": 1},
    "b": {"text": "rye bread", "tags": [], "name": "man", "n": 2, "to": {"be": True}},
    "c": {"text": "tea", "n": 3},
}


@pytest.fixture
def documents(tmp_path: Path) -> Documents:
    made = Documents(tmp_path / "memory.db", "mine", embedder="words", key=tmp_path / "key")
    made.put(VALUES)
    return made


@pytest.mark.parametrize(
    ("given", "keys"),
    [
        ({"$or": [{"n": 1}, {"name": "man"}]}, "ab"),
        ({"$and": [{"n": {"$gt": 1}}, {"name": "man"}]}, "b"),
        ({"$not": {"name": "man"}}, "ac"),
        ({"$or": []}, ""),
        ({"$and": []}, "abc"),
        ({"n": {"$lt": 3}, "$not": {"n": 1}}, "b"),
        ({"to": {"$or": [{"be": True}, {"be": 1}]}}, "b"),
        ({"tags": {"$contains": "x"}}, "a"),
        ({"tags": {"$contains": 1}}, "a"),
        ({"tags": {"$contains": "1"}}, ""),
        ({"name": {"$contains": "ang"}}, "a"),
        ({"n": {"$contains": 1}}, ""),
    ],
    ids=str,
)
def test_filters_are_combined(documents: Documents, given: dict[str, Any], keys: str) -> None:
    assert "".join(sorted(item.key for item in documents.listed(given))) == keys


@pytest.mark.parametrize("given", [{"$or": {"n": 1}}, {"$not": [{"n": 1}]}, {"$and": ["n"]}], ids=str)
def test_a_combination_of_what_is_no_filter_is_told_in_a_line(documents: Documents, given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="filter"):
        documents.listed(given)


def test_integers_that_a_float_cannot_tell_apart_are_told_apart(documents: Documents) -> None:
    documents.put(
        {key: {"text": key, "id": (1 << 53) + n} for n, key in enumerate("abc")} | {"d": {"text": "d", "id": 1 << 53}}
    )
    for n, keys in enumerate(("ad", "b", "c")):
        for asked in ({"id": (1 << 53) + n}, {"id": {"$in": [(1 << 53) + n]}}):
            assert "".join(sorted(item.key for item in documents.listed(asked))) == keys
    documents.erase(given={"id": (1 << 53) + 1})
    assert sorted(item.key for item in documents.listed({})) == ["a", "c", "d"]
    with pytest.raises(ValueError, match="64 bits"):
        documents.erase(given={"id": 10**400})


MANY = 2000
FILTERS_OF_MANY: list[tuple[dict[str, Any], str]] = [
    ({"n": {"$in": [*range(2, MANY), None]}}, "bc"),
    ({"n": {"$nin": [*range(2, 10 * MANY)]}}, "a"),
    ({"name": {"$in": [str(n) for n in range(MANY)] + ["man"]}}, "b"),
    ({"name": {"$in": [None, *range(MANY)]}}, "c"),
    ({"to": {"$in": [{"be": n} for n in (*range(MANY), True)]}}, "b"),
    ({"$or": [{"n": n} for n in range(3, MANY)]}, "c"),
    ({"$and": [{"n": {"$ne": n}} for n in range(2, MANY)]}, "a"),
    ({f"no{n}": None for n in range(MANY)}, "abc"),
]


@pytest.mark.parametrize(("given", "keys"), FILTERS_OF_MANY, ids=[str(n) for n in range(len(FILTERS_OF_MANY))])
def test_a_filter_may_have_thousands_of_parts(documents: Documents, given: dict[str, Any], keys: str) -> None:
    assert "".join(sorted(item.key for item in documents.listed(given))) == keys


def test_a_filter_that_is_too_much_is_no_damage(documents: Documents) -> None:
    deep: dict[str, Any] = {"n": 1}
    for _ in range(5000):
        deep = {"$not": deep}
    with pytest.raises(ValueError, match="a filter is nested too deep"):
        documents.listed(deep)
    with pytest.raises(ValueError, match="too much at once"):
        documents.erase(given={"$or": [{"n": n} for n in range(20_000)]})
    assert len(documents.listed()) == 3


def test_without_a_key_nothing_is_erased_that_is_to_stay_forgotten(tmp_path: Path) -> None:
    documents = Documents(tmp_path / "memory.db", "mine", embedder="words")
    documents.put(VALUES)
    with pytest.raises(ValueError, match="opened with a key"):
        documents.erase(["a"], stay_forgotten=True)
    assert "".join(sorted(item.key for item in documents.listed({}))) == "abc"


def test_an_older_value_that_meets_a_filter_is_erased_without_what_stands_there_now(
    documents: Documents, tmp_path: Path
) -> None:
    for text, of in (("quince", "tom"), ("pistachio", "ines"), ("almond", "tom"), ("hazel", "tom")):
        documents.put({"a": {"text": text, "of": of}})
    receipt = documents.erase(given={"of": "ines"}, stay_forgotten=True)
    assert receipt is not None and receipt.complete and documents.store.verify(receipt)
    # With the older value goes what it superseded.
    assert held(tmp_path / "memory.db", "walnut", "quince", "pistachio", "almond", "hazel") == ["almond", "hazel"]
    (item,) = documents.get(["a"])
    assert [value["text"] for value, _ in documents.line(item)] == ["almond", "hazel"]
    assert [entry.text is None for entry in documents.store.blame(item.memory_id)] == [True, True, True, False, False]
    assert documents.erase(given={"of": "ines"}) is None and documents.store.audit() == []
    with pytest.raises(StaysForgotten):
        documents.put({"d": {"text": "pistachio"}})
    documents.erase(given={"of": "tom"}, only=lambda item: item.value["text"] == "almond")
    assert held(tmp_path / "memory.db", "almond", "hazel") == ["hazel"] and documents.store.audit() == []


def test_what_is_put_over_supersedes_and_what_is_erased_leaves_nothing(documents: Documents, tmp_path: Path) -> None:
    documents.put({"a": {"text": "pistachio bread", "tags": ["quince"]}})
    (item,) = documents.get(["a", "unknown"])
    assert [value["text"] for value, _ in documents.line(item)] == ["walnut bread", "pistachio bread"]
    assert [item.key for item, _ in documents.nearest("pistachio", 1)] == ["a"]
    receipt = documents.erase(["a"])
    assert receipt is not None and receipt.complete and documents.store.verify(receipt)
    assert documents.erase(["a"]) is None and documents.store.audit() == []
    assert held(tmp_path / "memory.db", "walnut", "pistachio", "quince", "mango", "rye") == ["rye"]


def test_a_collection_and_an_owner_see_their_own_alone(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    ines, tom = (Documents(file, "mine", embedder="words", owner=owner) for owner in ("ines", "tom"))
    other = Documents(file, "other", embedder="words", owner="ines")
    ines.put(VALUES)
    assert (tom.listed(), other.listed(), tom.erase(), other.erase()) == ([], [], None, None)
    assert ines.erase(given={"name": "man"}) is not None and len(ines.listed()) == 2


def test_what_is_forgotten_for_good_is_refused(documents: Documents) -> None:
    documents.erase(["c"], stay_forgotten=True)
    with pytest.raises(StaysForgotten):
        documents.put({"d": VALUES["c"]})


def test_a_text_is_refused_with_whatever_stands_beside_it_and_a_text_that_shows_nothing_is_not(
    documents: Documents,
) -> None:
    documents.put({"a": {"text": " ", "n": 1}})
    documents.erase(["a", "c"], stay_forgotten=True)
    with pytest.raises(StaysForgotten):
        documents.put({"d": VALUES["c"] | {"id": "another", "created_at": "later"}})
    documents.put({"d": {"text": " ", "n": 2}})
    assert sorted(item.key for item in documents.listed()) == ["b", "d"]


def test_what_has_expired_is_erased_with_what_meets_the_filter(documents: Documents, tmp_path: Path) -> None:
    documents.put({"old": {"text": "quince", "of": "ines"}}, expires_at=1.0)
    documents.put({"new": {"text": "pistachio", "of": "ines"}})
    assert [item.key for item in documents.listed({"of": "ines"})] == ["new"]
    receipt = documents.erase(given={"of": "ines"})
    assert receipt is not None and len(receipt.events) == 2 and documents.store.verify(receipt)
    assert held(tmp_path / "memory.db", "quince", "pistachio", "walnut") == ["walnut"]


def test_every_value_that_a_key_had_is_refused_with_any_vector_and_end(documents: Documents) -> None:
    documents.put({"a": VALUES["c"]})
    receipt = documents.erase(["a"], stay_forgotten=True)
    for value in (VALUES["a"], VALUES["c"]):
        for vectors, ttl in ((None, None), (None, 60.0), ([None], None)):
            with pytest.raises(StaysForgotten):
                documents.put({"a": value}, vectors, ttl)
    assert documents.get(["a"]) == [] and [item.value for item in documents.get(["c"])] == [VALUES["c"]]
    assert receipt is not None and documents.store.verify(receipt)


def test_a_function_of_any_length_embeds_and_another_one_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    made = Documents(file, "mine", embedder=lambda texts: (7 * hash_embed(texts)).tolist())
    made.put(VALUES)
    assert made.nearest("rye bread", 1)[0][1] == pytest.approx(1.0, abs=1e-6)
    other = Documents(file, "mine", embedder=lambda texts: hash_embed([f"{text} other" for text in texts]))
    with pytest.raises(LetheError, match="another embedder"):
        other.put({"d": {"text": "coffee"}})
    for query in ("rye bread", hash_embed(["rye bread"])[0]):
        with pytest.raises(LetheError, match="another embedder"):
            other.nearest(query, 1)


def test_a_text_without_a_vector_says_nothing_of_the_embedder(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    Documents(file, "mine", embedder=hash_embed).put({"a": {"text": ""}, "b": {"text": "rye bread"}})
    again = Documents(file, "mine", embedder=hash_embed)
    assert [item.key for item, _ in again.nearest("rye bread", 2)] == ["b"]
    other = Documents(file, "mine", embedder=lambda texts: hash_embed([f"{text} other" for text in texts]))
    with pytest.raises(LetheError, match="another embedder"):
        other.nearest("rye bread", 1)


def test_vectors_of_the_caller_are_kept_and_compared(tmp_path: Path) -> None:
    made = Documents(tmp_path / "memory.db", "mine", dim=2)
    made.put(VALUES, [[3, 0], [0, 5], None])
    found = made.nearest([1, 0], 3)
    assert [(item.key, round(score, 3)) for item, score in found] == [("a", 1.0), ("b", 0.0)]
    vector = made.vector(made.get(["a"])[0])
    assert vector is not None and vector.tolist() == [1.0, 0.0] and made.vector(made.get(["c"])[0]) is None
    with pytest.raises(ValueError, match="vectors of 2 numbers, not of 3"):
        made.nearest([1, 0, 0], 1)
    with pytest.raises(ValueError, match="finite length above 0"):
        made.nearest([0, np.nan], 1)
    for asking in (lambda: made.nearest("rye", 1), lambda: made.embed(["rye"])):
        with pytest.raises(LetheError, match="ask it with a vector, or name its embedder"):
            asking()


def test_tools_remember_supersede_and_forget_with_a_receipt(tmp_path: Path) -> None:
    store = Store(tmp_path / "memory.db", embedder="words", key=tmp_path / "key")
    remember, recall, supersede, forget = functions(store)
    assert remember("Ines likes tea.") == "memory 1" and supersede(1, "Ines likes coffee.") == "memory 2"
    assert recall("what does Ines like?") == "2: Ines likes coffee."
    assert supersede(9, "x") == "not done: there is no memory 9"
    public = store.head().public_key
    assert public is not None
    verifier.verify(forget(2), public, tmp_path / "memory.db")
    assert recall("what does Ines like?") == "nothing" and forget(7) == "not done: there is no memory 7"
    assert held(tmp_path / "memory.db", "tea", "coffee") == []


def test_a_lone_surrogate_is_told_in_a_line(documents: Documents) -> None:
    half = "a\ud800"
    calls: list[Callable[[], Any]] = [
        lambda: documents.put({half: {"text": "rye"}}),
        lambda: documents.put({"d": {"text": half}}),
        lambda: documents.put({"d": {"text": "rye", "name": half}}),
        lambda: documents.put({"d": {"text": "rye", half: 1}}),
        lambda: documents.listed({"name": half}),
        lambda: documents.listed({"name": {"$in": ["man", half]}}),
        lambda: documents.erase(given={"name": {"$contains": half}}),
        lambda: documents.embed([half]),
        lambda: Documents(":memory:", half, embedder="words"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="holds a lone surrogate at position") as caught:
            call()
        assert type(caught.value) is ValueError
    assert len(documents.listed()) == 3


def test_one_key_is_no_list_of_keys_and_a_text_no_number(documents: Documents) -> None:
    for told in (documents.get, documents.erase):
        with pytest.raises(TypeError, match="several keys must be a list, not 'ab'"):
            told("ab")
        with pytest.raises(TypeError, match="a key must be a string, not 1"):
            told([1])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="k must be an integer"):
        documents.nearest("tea", 1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="limit must be an integer"):
        documents.listed(limit="2")  # type: ignore[arg-type]
    assert documents.nearest("tea", 0) == [] and len(documents.listed()) == 3


@pytest.mark.parametrize("given", [None, 5, b"tea"])
def test_what_is_no_text_is_a_wrong_type(documents: Documents, given: Any) -> None:
    with pytest.raises(TypeError, match="a text must be a string, not "):
        documents.put({"d": {"text": given}})
    with pytest.raises(TypeError, match="a text must be a string, not "):
        documents.embed([given])
    with pytest.raises(TypeError, match="texts must be a list, not 'tea'"):
        documents.embed("tea")


def test_a_purge_by_the_store_itself_knows_the_text_of_an_item(documents: Documents) -> None:
    """What is erased is a record of JSON, and people quote and tell again the text that is in it."""
    store = documents.store
    with pytest.raises(ValueError, match="holds a text that is to be erased"):
        store.within(reason="please erase Walnut  bread").purge(1)
    with pytest.raises(ValueError, match="holds a text that is to be erased"):
        store.within(reason="please erase Walnut  bread").purge_matching("walnut bread", floor=None)
    assert store.within(reason="request 4711").purge(1, stay_forgotten=True).complete
    with pytest.raises(StaysForgotten):
        documents.put({"d": {"text": "walnut bread", "n": 4}})
    documents.put({"d": {"text": "walnut cake"}})
