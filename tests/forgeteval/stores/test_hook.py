"""The hooked adapter over Lethe, naive SQL and a composed list, with planners that a test can read."""

from collections.abc import Callable

import pytest

from forgeteval.planners.protocol import Edit, Matches, PlannerUnavailable, Replace
from forgeteval.stores.contract import Adapter, Inspectable, Partial, Prefillable
from forgeteval.stores.controls import Verbatim
from forgeteval.stores.hook import HookedAdapter
from forgeteval.stores.policies import CANDIDATES, ComposedAdapter
from lethe.systems.lethe_store import LetheAdapter
from lethe.systems.naive_sql import NaiveSqlAdapter
from tests.support.bench import HashEmbedder
from tests.support.scripted_planner import FixedPlanner, ListBackend, ReadingPlanner, UncallablePlanner

POLICIES = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
PHONE = "phone +1 555 0142 is on the door"
MEMORIES = [
    "the code of the gate is 1234",
    "Ann leads the choir; she sings alto",
    "PHONE: +1-555-0142 (day)",
    PHONE,
]

ADAPTERS: dict[str, Callable[[], Adapter]] = {
    "lethe": lambda: LetheAdapter(HashEmbedder()),
    "naive_sql": NaiveSqlAdapter,
    "list": lambda: ComposedAdapter(ListBackend(), POLICIES),
}


@pytest.fixture(params=ADAPTERS)
def adapter(request: pytest.FixtureRequest) -> Adapter:
    return ADAPTERS[request.param]()


@pytest.fixture
def hooked(adapter: Adapter) -> HookedAdapter:
    built = HookedAdapter(adapter, ReadingPlanner())
    built.reset()
    built.inscribe(MEMORIES)
    return built


def memories(adapter: Adapter) -> list[str]:
    return sorted(adapter.recall_texts("the phone of the choir gate she is + code 1 x new", 100))


def changed(*gone: str, new: tuple[str, ...] = ()) -> list[str]:
    return sorted([*(set(MEMORIES) - set(gone)), *new])


def test_replace(hooked: HookedAdapter) -> None:
    hooked.supersede("the code of the gate", "the new gate code is 9876")
    assert memories(hooked) == changed(MEMORIES[0], new=("the new gate code is 9876",))
    assert (hooked.fallbacks, hooked.decisions) == (0, ["supersede: replace (one clause)"])


def test_edit(hooked: HookedAdapter) -> None:
    hooked.supersede("Ann leads the choir; she sings", "Bo leads the choir")
    assert memories(hooked) == changed(MEMORIES[1], new=("Bo leads the choir; she sings alto",))
    assert (hooked.fallbacks, hooked.decisions) == (0, ["supersede: edit (the second clause stays)"])


@pytest.mark.parametrize("operation", ["purge", "release"])
def test_several_memories_in_other_forms(hooked: HookedAdapter, operation: str) -> None:
    getattr(hooked, operation)("+15550142")
    assert memories(hooked) == changed(MEMORIES[2], MEMORIES[3])
    assert (hooked.fallbacks, hooked.decisions) == (0, [f"{operation}: 2 of 4 memories (holds 15550142)"])


def test_without_a_decision_the_adapters_own_mutation_runs_and_is_counted(adapter: Adapter) -> None:
    own, hooked = adapter, HookedAdapter(ADAPTERS[_name(adapter)](), FixedPlanner())
    for system in (own, hooked):
        system.reset()
        system.inscribe(MEMORIES)
        system.supersede("the code of the gate", "the new gate code is 9876")
        system.purge(PHONE)
        system.release("she sings alto")
    assert memories(hooked) == memories(own)
    assert hooked.fallbacks == 3
    assert hooked.decisions == [
        f"{operation}: fallback (no usable decision)" for operation in ("supersede", "purge", "release")
    ]
    hooked.reset()
    assert (hooked.fallbacks, hooked.decisions) == (0, [])


def test_fallbacks_are_counted_beside_decisions(hooked: HookedAdapter) -> None:
    hooked.supersede("undecided code of the gate", "the new gate code is 9876")
    hooked.purge("+15550142")
    hooked.purge("nothing like it")
    assert hooked.fallbacks == 2
    assert len(hooked.decisions) == 3


def test_an_empty_store_asks_nobody(adapter: Adapter) -> None:
    hooked = HookedAdapter(adapter, UncallablePlanner())
    hooked.reset()
    hooked.purge("x")
    hooked.release("x")
    hooked.supersede("x", "new x")
    assert memories(hooked) == ["new x"]
    assert (hooked.fallbacks, hooked.decisions) == (0, [])


def test_remembering_and_recall_ask_nobody(adapter: Adapter) -> None:
    hooked = HookedAdapter(adapter, UncallablePlanner())
    hooked.reset()
    hooked.inscribe(MEMORIES)
    assert memories(hooked) == sorted(MEMORIES)
    assert hooked.recall_texts(MEMORIES[0], 1) == adapter.recall_texts(MEMORIES[0], 1) == [MEMORIES[0]]
    hooked.reset()
    assert memories(hooked) == []
    hooked.inscribe(MEMORIES)
    with pytest.raises(AssertionError, match="was called"):
        hooked.purge("gate")
    hooked.close()


@pytest.mark.parametrize("mutation", [("supersede", "gate", "new"), ("purge", "gate"), ("release", "gate")])
def test_an_unavailable_planner_is_an_error_and_changes_nothing(adapter: Adapter, mutation: tuple[str, ...]) -> None:
    hooked = HookedAdapter(adapter, FixedPlanner(error=PlannerUnavailable("down")))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    operation, *arguments = mutation
    with pytest.raises(PlannerUnavailable, match="down"):
        getattr(hooked, operation)(*arguments)
    assert memories(hooked) == sorted(MEMORIES)
    assert (hooked.fallbacks, hooked.decisions) == (0, [])


@pytest.mark.parametrize("operation", ["purge", "release"])
def test_a_planner_that_is_sure_of_no_match_deletes_nothing(adapter: Adapter, operation: str) -> None:
    hooked = HookedAdapter(adapter, FixedPlanner(Matches(())))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    getattr(hooked, operation)(PHONE)
    assert memories(hooked) == sorted(MEMORIES)
    assert (hooked.fallbacks, hooked.decisions) == (0, [f"{operation}: 0 of 4 memories"])


def test_the_planner_sees_the_best_memory_or_twenty_candidates() -> None:
    planner = FixedPlanner(Matches((3,)))
    backend = ListBackend()
    hooked = HookedAdapter(ComposedAdapter(backend, POLICIES), planner)
    hooked.inscribe([f"filler {n}" for n in range(30)] + ["the gate code"])
    hooked.purge("gate")
    ((task, target, *shown),) = planner.asked
    assert (task, target, len(shown), shown[0]) == ("purge_match", "gate", CANDIDATES, "the gate code")
    assert shown[3] not in backend.memories.values()
    assert len(backend.memories) == 30
    planner.decision = Replace()
    hooked.supersede("gate", "new")
    assert planner.asked[1] == ("supersede", "the gate code", "gate", "new")


def test_supersede_targets_on_lethe_what_lethe_itself_would() -> None:
    adapter = LetheAdapter(HashEmbedder())
    adapter.inscribe([*MEMORIES, "gate gate", "code phone gate choir", "alto 1234"])
    for query in ("gate", "alto", "code 1234 gate", "phone day", "unheard", "she"):
        assert [hit.text for hit in adapter.search(query, 1)] == adapter.recall_texts(query, 1)


def test_release_on_lethe_submerges_and_purge_erases() -> None:
    for operation, held in (("release", True), ("purge", False)):
        hooked = HookedAdapter(LetheAdapter(HashEmbedder()), ReadingPlanner())
        hooked.inscribe(MEMORIES)
        getattr(hooked, operation)("+15550142")
        assert isinstance(hooked, Inspectable)
        assert (b"+1-555-0142" in hooked.stored_bytes()) is held


def test_an_edit_in_place_keeps_the_id() -> None:
    for adapter in (LetheAdapter(HashEmbedder()), NaiveSqlAdapter()):
        adapter.inscribe(MEMORIES)
        (before,) = adapter.search("choir", 1)
        HookedAdapter(adapter, FixedPlanner(Edit("merged choir"))).supersede("choir", "new")
        after = adapter.search("merged choir", 1)[0]
        assert (after.id, after.text) == (before.id, "merged choir")


def test_a_store_without_edit_gets_the_merged_text_as_a_new_memory() -> None:
    class Refusing(ListBackend):
        def edit(self, id: str | int, text: str) -> None:
            raise NotImplementedError("no edit")

    for backend in (ListBackend(), Refusing()):
        hooked = HookedAdapter(ComposedAdapter(backend, {}), FixedPlanner(Edit("merged")))
        hooked.inscribe(["gate", "other"])
        hooked.supersede("gate", "new")
        assert list(backend.memories.values()) == ["other", "merged"]
        assert backend.calls == ["add", "search", "delete", "add"]


def test_the_hook_offers_what_a_configuration_composes_no_policy_for() -> None:
    backend = ListBackend()
    hooked = HookedAdapter(ComposedAdapter(backend, {}), ReadingPlanner())
    assert isinstance(hooked, Partial)
    assert hooked.not_offered == frozenset()
    hooked.inscribe(MEMORIES)
    hooked.purge("+15550142")
    assert memories(hooked) == changed(MEMORIES[2], MEMORIES[3])
    hooked.purge("nothing like it")
    hooked.release("nothing like it")
    hooked.supersede("undecided", "new")
    assert memories(hooked) == changed(MEMORIES[2], MEMORIES[3], new=("new",))
    assert hooked.fallbacks == 3


def test_what_cannot_be_searched_and_deleted_from_cannot_be_hooked() -> None:
    with pytest.raises(NotImplementedError, match="Verbatim cannot be hooked: it has no add, search, delete"):
        HookedAdapter(Verbatim(), ReadingPlanner())


def test_inspection_and_prefilling_pass_through_where_they_exist() -> None:
    class Prefilled(ListBackend):
        def reset_to(self, texts: list[str]) -> None:
            self.memories = dict(enumerate(texts))

    plain = HookedAdapter(ComposedAdapter(ListBackend(), {}), FixedPlanner())
    assert not isinstance(plain, Inspectable | Prefillable)
    hooked = HookedAdapter(ComposedAdapter(Prefilled(), {}), FixedPlanner())
    assert isinstance(hooked, Prefillable)
    hooked.reset_to(["a"])
    hooked.purge("a")
    assert hooked.fallbacks == 1
    hooked.reset_to(["a", "b"])
    assert (hooked.fallbacks, hooked.decisions, memories(hooked)) == (0, [], ["a", "b"])
    assert isinstance(HookedAdapter(NaiveSqlAdapter(), FixedPlanner()), Inspectable)


def test_naive_sql_scores_by_bm25_and_shows_the_newest_at_zero() -> None:
    sql = NaiveSqlAdapter()
    sql.add(["cat cat", "a cat and a dog", "bird"])
    first, second = sql.search("cat", 10)
    assert first.score > second.score > 0
    assert [(hit.text, hit.score) for hit in sql.search("unheard", 2)] == [("bird", 0.0), ("a cat and a dog", 0.0)]
    sql.delete(first.id)
    sql.edit(second.id, "a fox")
    assert [hit.text for hit in sql.search("fox", 10)] == ["a fox"]


def _name(adapter: Adapter) -> str:
    return next(name for name, build in ADAPTERS.items() if type(build()) is type(adapter))


@pytest.mark.parametrize("keeps_na", [False, True])
def test_under_the_papers_contract_a_hook_offers_nothing_that_the_system_lacks(keeps_na: bool) -> None:
    adapter = ComposedAdapter(ListBackend(), {"supersede": "best_match", "purge": "equal_text"})
    hooked = HookedAdapter(adapter, ReadingPlanner(), keeps_na=keeps_na)
    assert hooked.not_offered == (frozenset({"release"}) if keeps_na else frozenset())
