"""Scopes: a store for each owner, and owners kept beside a backend that has none."""

from collections.abc import Sequence

import pytest

from forgeteval.cases.case import Case, Mutation
from forgeteval.run.replay import ReplayOptions, replay
from forgeteval.stores.contract import Adapter, Hit
from forgeteval.stores.controls import Verbatim
from forgeteval.stores.owned import OwnedBackend
from forgeteval.stores.policies import ComposedAdapter
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import HashEmbedder

POLICIES = {"supersede": "best_match", "release": "best_match", "purge": "best_match"}


class Plain:
    """A backend without scopes that finds by words in common."""

    def __init__(self) -> None:
        self.rows: dict[int, str] = {}
        self.next = 0

    def reset(self) -> None:
        self.rows.clear()

    def add(self, texts: list[str]) -> None:
        for text in texts:
            self.rows[self.next] = text
            self.next += 1

    def search(self, query: str, k: int) -> list[Hit]:
        words = set(query.lower().split())
        scored = [Hit(id, text, len(words & set(text.lower().split()))) for id, text in self.rows.items()]
        return sorted(scored, key=lambda hit: -hit.score)[:k]

    def delete(self, id: str | int) -> None:
        del self.rows[int(id)]

    def close(self) -> None: ...


class Bulk(Plain):
    """The same with a delete of several in one call."""

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        for id in ids:
            super().delete(id)

    def delete(self, id: str | int) -> None:
        raise AssertionError("it deletes several in one call")


SHARED = "the alarm code is 4471"
CASE = Case(
    "c",
    "mine",
    "same_fact",
    setup_facts=(SHARED, SHARED, "wood is behind the sauna", "the cabin is let in July"),
    mutations=(Mutation("purge", "the alarm code"), Mutation("supersede", "the cabin is let", "the cabin is free")),
    final_query="alarm code, cabin, wood",
    must_contain=("4471",),
    must_not_contain=("July",),
    owners=(("Ana",), ("Bo",), ("Ana", "Bo"), ("Bo",)),
    asked_by=("Ana", "Bo"),
    asker="Bo",
)


def recalled(adapter: Adapter, asker: str) -> set[str]:
    from dataclasses import replace

    result = replay(adapter, replace(CASE, asker=asker).to_history(), ReplayOptions(10, strict=True))
    assert result.refused is None and result.error is None
    return set(result.answers[0].recalled or [])


@pytest.mark.parametrize("kind", ["composed", "bulk", "lethe"])
def test_each_finds_and_changes_his_own(kind: str) -> None:
    backend = {"composed": Plain, "bulk": Bulk}.get(kind)
    adapter: Adapter = (
        ComposedAdapter(backend(), POLICIES, composes_scopes=True) if backend else LetheAdapter(HashEmbedder())
    )
    assert recalled(adapter, "Bo") == {SHARED, "wood is behind the sauna", "the cabin is free"}
    assert SHARED not in recalled(adapter, "Ana")
    assert recalled(adapter, "Nobody else") == set()


def test_a_backend_without_scopes_is_not_applicable_under_the_paper_contract() -> None:
    result = replay(ComposedAdapter(Plain(), POLICIES), CASE.to_history(), ReplayOptions(10, strict=True))
    assert result.refused == "it has no scopes"


def test_controls_keep_a_list_for_each() -> None:
    assert recalled(Verbatim(), "Ana") == {SHARED, "wood is behind the sauna"}


def test_a_shared_text_is_stored_once_and_deleted_when_the_last_leaves() -> None:
    backend = Plain()
    owned = OwnedBackend(backend)
    owned.enter(["Ana", "Bo"])
    owned.add([SHARED])
    assert list(backend.rows.values()) == [SHARED]
    for name, left in (("Ana", 1), ("Bo", 0)):
        owned.enter([name])
        (hit,) = owned.search("alarm", 5)
        owned.delete(hit.id)
        assert len(backend.rows) == left
        assert owned.search("alarm", 5) == []


def test_reset_forgets_the_owners() -> None:
    owned = OwnedBackend(Plain())
    owned.enter(["Ana"])
    owned.add([SHARED])
    owned.reset()
    owned.add(["another"])
    assert [hit.text for hit in owned.search("alarm", 5)] == ["another"]


def test_a_case_without_owners_is_told_as_if_none_with_owners_had_come_before() -> None:
    question = "what is the alarm code"
    told_twice = Case("d", "mine", "same_fact", (SHARED, SHARED), (), question, (SHARED,), ())
    adapter = ComposedAdapter(Plain(), POLICIES, composes_scopes=True)
    fresh = replay(adapter, told_twice.to_history(), ReplayOptions(k=10))
    replay(adapter, CASE.to_history(), ReplayOptions(k=10))
    after = replay(adapter, told_twice.to_history(), ReplayOptions(k=10))
    assert [answer.recalled for answer in after.answers] == [answer.recalled for answer in fresh.answers]
    assert fresh.answers[0].recalled == [SHARED, SHARED]
