"""Mutation policies on a backend whose hits and scores are given."""

from collections.abc import Sequence

import pytest

from forgeteval.stores.contract import Hit, offers
from forgeteval.stores.policies import (
    CANDIDATES,
    PURGE_POLICIES,
    ComposedAdapter,
    best_match,
    equal_text,
    largest_gap,
)


class Fixed:
    """Search returns the hits it was made with, less what was deleted; notes every call."""

    def __init__(self, *scored: tuple[str, float]) -> None:
        self.hits = [Hit(f"id{position}", text, score) for position, (text, score) in enumerate(scored)]
        self.calls: list[tuple[object, ...]] = []

    def reset(self) -> None:
        self.calls.append(("reset",))

    def add(self, texts: Sequence[str]) -> None:
        self.calls.append(("add", *texts))

    def search(self, query: str, k: int) -> list[Hit]:
        self.calls.append(("search", query, k))
        return self.hits[:k]

    def delete(self, id: str | int) -> None:
        self.calls.append(("delete", id))
        self.hits = [hit for hit in self.hits if hit.id != id]

    def close(self) -> None:
        self.calls.append(("close",))

    @property
    def deleted(self) -> list[object]:
        return [call[1] for call in self.calls if call[0] == "delete"]


def scores(*values: float) -> Fixed:
    return Fixed(*((f"memory {value}", value) for value in values))


class Bulk(Fixed):
    """Deletes several in one call."""

    def delete_ids(self, ids: Sequence[str | int]) -> None:
        self.calls.append(("delete_ids", *ids))


def test_a_store_that_deletes_several_in_one_call_is_asked_once_and_not_for_nothing() -> None:
    backend = Bulk(("a", 0.9), ("a", 0.9), ("b", 0.8))
    ComposedAdapter(backend, {"purge": "equal_text"}).purge("q")
    assert backend.calls[1:] == [("delete_ids", "id0", "id1")]
    backend.hits, backend.calls = [], []
    ComposedAdapter(backend, {"purge": "equal_text"}).purge("q")
    assert backend.calls == [("search", "q", CANDIDATES)]


def test_best_match_is_the_first_hit_alone() -> None:
    backend = Fixed(("a", 0.9), ("a", 0.9))
    assert [hit.id for hit in best_match(backend, "q")] == ["id0"]
    assert backend.calls == [("search", "q", 1)]


def test_best_match_of_nothing_is_nothing() -> None:
    assert best_match(Fixed(), "q") == []


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        ([], 0),
        ([0.8], 1),  # 0.76
        ([0.0], 1),  # 0.0
        ([-0.2], 0),  # 0.95 x -0.2 = -0.19 lies above it: the rule taken literally
        ([0.9, 0.5, 0.4], 1),  # gap 0.4, middle 0.7
        ([0.9, 0.88, 0.5], 2),  # gap 0.38, middle 0.69
        ([0.9, 0.6, 0.55, 0.1], 3),  # gap 0.45, middle 0.325
        ([0.75, 0.5, 0.25], 1),  # equal gaps: the highest
        ([0.9, 0.87, 0.86], 3),  # no gap: 0.855
        ([0.9, 0.86, 0.85], 2),  # no gap: 0.855
        ([0.5, 0.47, 0.44], 1),  # no gap: 0.475
        ([1.0, 0.951, 0.949], 2),  # 0.049 is no gap: 0.95
        ([0.3, -0.4], 1),  # middle -0.05
        ([-0.1, -0.5], 1),  # middle -0.3
        ([-0.2, -0.21], 0),  # no gap: -0.19
        ([0.6, 0.6, 0.6], 3),  # 0.57
    ],
)
def test_largest_gap(values: list[float], chosen: int) -> None:
    backend = scores(*values)
    assert [hit.score for hit in largest_gap(backend, "q")] == values[:chosen]
    assert backend.calls == [("search", "q", 20)]


def test_largest_gap_does_not_trust_the_backends_order() -> None:
    assert sorted(hit.score for hit in largest_gap(scores(0.4, 0.9, 0.88), "q")) == [0.88, 0.9]


def test_largest_gap_sees_only_the_first_twenty_hits() -> None:
    backend = scores(*([0.9] * CANDIDATES), 0.1)
    assert len(largest_gap(backend, "q")) == 20


def test_equal_text_is_exact() -> None:
    backend = Fixed(("Code 42", 0.9), ("code 42", 0.9), ("Code  42", 0.8), ("Code 42", 0.1), ("other", 0.1))
    assert [hit.id for hit in equal_text(backend, "q")] == ["id0", "id3"]
    assert backend.calls == [("search", "q", 20)]


def test_equal_text_of_nothing_is_nothing() -> None:
    assert equal_text(Fixed(), "q") == []


def test_supersede_deletes_the_best_match_and_adds() -> None:
    backend = Fixed(("old", 0.9), ("other", 0.8))
    ComposedAdapter(backend, {"supersede": "best_match"}).supersede("q", "new")
    assert backend.calls == [("search", "q", 1), ("delete", "id0"), ("add", "new")]


def test_supersede_on_an_empty_store_adds() -> None:
    backend = Fixed()
    ComposedAdapter(backend, {"supersede": "best_match"}).supersede("q", "new")
    assert backend.calls == [("search", "q", 1), ("add", "new")]


def test_release_and_purge_delete_what_their_policies_choose() -> None:
    backend = Fixed(("a", 0.9), ("b", 0.88), ("a", 0.3))
    adapter = ComposedAdapter(backend, {"release": "largest_gap", "purge": "equal_text"})
    adapter.purge("q")
    assert backend.deleted == ["id0", "id2"]
    adapter.release("q")
    assert backend.deleted == ["id0", "id2", "id1"]
    adapter.release("q")
    assert backend.deleted == ["id0", "id2", "id1"]


def test_a_backend_with_a_soft_release_of_its_own_deletes_nothing_on_release() -> None:
    class Soft(Fixed):
        def release_ids(self, ids: Sequence[str | int]) -> None:
            self.calls.append(("release", *ids))

    backend = Soft(("a", 0.9), ("b", 0.88), ("c", 0.3))
    adapter = ComposedAdapter(backend, {"release": "largest_gap", "purge": "equal_text"})
    adapter.release("q")
    assert backend.calls == [("search", "q", 20), ("release", "id0", "id1")]
    adapter.purge("q")
    assert backend.deleted == ["id0"]


def test_a_backend_with_a_supersession_of_its_own_deletes_nothing_on_supersede() -> None:
    class Keyed(Fixed):
        def supersede_id(self, id: str | int, text: str) -> None:
            self.calls.append(("supersede", id, text))

    backend = Keyed(("a", 0.9), ("b", 0.88))
    ComposedAdapter(backend, {"supersede": "best_match"}).supersede("q", "new")
    assert backend.calls == [("search", "q", 1), ("supersede", "id0", "new")]


@pytest.mark.parametrize(("policy", "hits"), [("best_match", []), ("add_only", [("a", 0.9)])])
def test_such_a_backend_adds_where_nothing_is_superseded(policy: str, hits: list[tuple[str, float]]) -> None:
    class Keyed(Fixed):
        def supersede_id(self, id: str | int, text: str) -> None:
            raise AssertionError("nothing is superseded")

    backend = Keyed(*hits)
    ComposedAdapter(backend, {"supersede": policy}).supersede("q", "new")
    assert backend.calls[-1] == ("add", "new")


@pytest.mark.parametrize(
    ("policy", "deleted"),
    [("best_match", ["id0"]), ("equal_text", ["id0", "id2"]), ("largest_gap", ["id0", "id1"])],
)
def test_purge_policies(policy: str, deleted: list[str]) -> None:
    assert policy in PURGE_POLICIES
    backend = Fixed(("a", 0.9), ("b", 0.88), ("a", 0.3))
    ComposedAdapter(backend, {"purge": policy}).purge("q")
    assert backend.deleted == deleted


@pytest.mark.parametrize("op", ["supersede", "release", "purge"])
def test_an_operation_without_a_policy_is_not_offered_and_touches_nothing(op: str) -> None:
    policies = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
    del policies[op]
    backend = Fixed(("a", 0.9))
    adapter = ComposedAdapter(backend, policies)
    assert adapter.not_offered == {op}
    with pytest.raises(NotImplementedError, match=op):
        getattr(adapter, op)(*["q", "new"][: 2 if op == "supersede" else 1])
    assert backend.calls == []


def test_reset_inscribe_recall_and_close_reach_the_backend() -> None:
    backend = Fixed(("a", 0.9), ("b", 0.5))
    adapter = ComposedAdapter(backend, {})
    adapter.reset()
    adapter.inscribe(["x", "y"])
    assert adapter.recall_texts("q", 1) == ["a"]
    adapter.close()
    assert backend.calls == [("reset",), ("add", "x", "y"), ("search", "q", 1), ("close",)]


def test_only_a_backend_that_can_be_inspected_makes_an_inspectable_adapter() -> None:
    class Open(Fixed):
        def stored_bytes(self) -> bytes:
            return b"all of it"

    assert not offers(ComposedAdapter(Fixed(), {}), "stored_bytes")
    adapter = ComposedAdapter(Open(), {})
    assert offers(adapter, "stored_bytes")
    assert adapter.stored_bytes() == b"all of it"
