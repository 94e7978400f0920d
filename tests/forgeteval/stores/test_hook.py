"""The hooked adapter over Lethe, naive SQL and a composed list, with planners that a test can read."""

import re
from collections.abc import Callable, Sequence

import pytest

from forgeteval.planners.protocol import (
    CANDIDATES,
    Candidate,
    Decision,
    Meant,
    PlannerUnavailable,
    Shown,
    Supersession,
    Unsure,
)
from forgeteval.stores.contract import Adapter, offers
from forgeteval.stores.controls import Verbatim
from forgeteval.stores.hook import Asked, HookedAdapter
from forgeteval.stores.policies import ComposedAdapter
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


EVERYTHING = "the phone of the choir gate she is + code 1 x new"
"""Finds every memory, by words too."""


def memories(adapter: Adapter) -> list[str]:
    return sorted(adapter.recall_texts(EVERYTHING, 100))


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
    assert hooked.decisions == [f"{operation}: fallback (fixed)" for operation in ("supersede", "purge", "release")]
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
    with pytest.raises(PlannerUnavailable, match="was called"):
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
    hooked = HookedAdapter(adapter, FixedPlanner(Meant()))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    getattr(hooked, operation)(PHONE)
    assert memories(hooked) == sorted(MEMORIES)
    assert (hooked.fallbacks, hooked.decisions) == (0, [f"{operation}: 0 of 4 memories"])


def test_a_fact_that_supersedes_no_memory_is_stored_beside(adapter: Adapter) -> None:
    hooked = HookedAdapter(adapter, FixedPlanner(Meant(reason="another gate")))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    hooked.supersede(EVERYTHING, "the gate of the yard is green")
    assert memories(hooked) == changed(new=("the gate of the yard is green",))
    assert (hooked.fallbacks, hooked.decisions) == (0, ["supersede: 0 of 4 memories (another gate)"])


def test_the_planner_sees_twenty_candidates_or_as_many_as_it_wants_at_a_supersession() -> None:
    planner = FixedPlanner(Meant((3,)))
    backend = ListBackend()
    hooked = HookedAdapter(ComposedAdapter(backend, POLICIES), planner)
    hooked.inscribe([f"filler {n}" for n in range(30)] + ["the gate code"])
    hooked.purge("gate")
    assert planner.asked == [("purge", "gate")]
    assert (len(planner.shown), planner.shown[0]) == (CANDIDATES, Candidate("the gate code"))
    assert planner.shown[3].text not in backend.memories.values()
    assert len(backend.memories) == 30
    hooked.supersede("gate", "new")
    assert planner.asked[1] == ("supersede", "gate", "new")
    assert (len(planner.shown), planner.shown[0].text) == (CANDIDATES, "the gate code")
    one = FixedPlanner(Meant((0,)), is_shown=Shown(supersede=1))
    HookedAdapter(ComposedAdapter(backend, POLICIES), one).supersede("gate", "newer")
    assert one.shown == [Candidate("the gate code")]


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
        assert (b"+1-555-0142" in hooked.stored_bytes()) is held


def test_an_edit_in_place_keeps_the_id() -> None:
    for adapter in (LetheAdapter(HashEmbedder()), NaiveSqlAdapter()):
        adapter.inscribe(MEMORIES)
        (before,) = adapter.search("choir", 1)
        merged = Meant(parts=((0, "merged choir"),), restated=True)
        HookedAdapter(adapter, FixedPlanner(merged, is_shown=Shown(supersede=1))).supersede("choir", "new")
        after = adapter.search("merged choir", 1)[0]
        assert (after.id, after.text) == (before.id, "merged choir")


def test_a_store_without_edit_gets_the_merged_text_as_a_new_memory() -> None:
    class Refusing(ListBackend):
        def edit(self, id: str | int, text: str) -> None:
            raise NotImplementedError("no edit")

    for backend in (ListBackend(), Refusing()):
        merged = Meant(parts=((0, "merged"),), restated=True)
        hooked = HookedAdapter(ComposedAdapter(backend, {}), FixedPlanner(merged))
        hooked.inscribe(["gate", "other"])
        hooked.supersede("gate", "new")
        assert list(backend.memories.values()) == ["other", "merged"]
        assert backend.calls == ["add", "search", "delete", "add"]


def test_the_hook_offers_what_a_configuration_composes_no_policy_for() -> None:
    backend = ListBackend()
    hooked = HookedAdapter(ComposedAdapter(backend, {}), ReadingPlanner())
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
    assert not offers(plain, "stored_bytes") and not offers(plain, "reset_to")
    hooked = HookedAdapter(ComposedAdapter(Prefilled(), {}), FixedPlanner())
    assert offers(hooked, "reset_to")
    hooked.reset_to(["a"])
    hooked.purge("a")
    assert hooked.fallbacks == 1
    hooked.reset_to(["a", "b"])
    assert (hooked.fallbacks, hooked.decisions, memories(hooked)) == (0, [], ["a", "b"])
    assert offers(HookedAdapter(NaiveSqlAdapter(), FixedPlanner()), "stored_bytes")


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


class Logged(ListBackend):
    """Keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[str] = []

    def add(self, texts: Sequence[str]) -> None:
        self.log.append(f"add {', '.join(texts)}")
        super().add(texts)

    def delete(self, id: str | int) -> None:
        self.log.append(f"delete {self.memories[int(id)]}")
        super().delete(id)


ABC = ("gate a", "gate b", "gate c")


@pytest.mark.parametrize(
    ("decision", "log", "lines"),
    [
        (
            Meant((1,), reason="which", extent="how much"),
            ["delete gate b", "add new"],
            ["memory 2 of 3 (which)", "replace (how much)"],
        ),
        (
            Meant((2,), reason="which", duplicates=(0, 1)),
            ["delete gate a", "delete gate b", "delete gate c", "add new"],
            ["memory 3 of 3 (which)", "replace"],
        ),
        (
            Meant((1, 0), reason="both"),
            ["delete gate b", "delete gate a", "add new"],
            ["memories 1, 2 of 3 (both)", "replace"],
        ),
        (
            Meant(parts=((1, "new; b"),), extent="half", restated=True, duplicates=(0,)),
            ["delete gate a", "delete gate b", "add new; b"],
            ["memory 2 of 3", "edit (half)"],
        ),
        (
            Meant(whole=(0,), parts=((1, "b"),)),
            ["delete gate a", "delete gate b", "add b", "add new"],
            ["memories 1, 2 of 3", "edit and add"],
        ),
        (Meant(), ["add new"], ["0 of 3 memories"]),
    ],
    ids=["whole", "duplicates", "several", "restated", "part", "none"],
)
def test_what_a_supersession_writes_in_which_order(decision: Meant, log: list[str], lines: list[str]) -> None:
    backend = Logged()
    hooked = HookedAdapter(ComposedAdapter(backend, {}), FixedPlanner(decision))
    hooked.inscribe(ABC)
    hooked.supersede("gate", "new")
    assert backend.log[1:] == log
    assert hooked.decisions == [f"supersede: {line}" for line in lines]


def test_a_memory_is_shown_with_the_supersessions_that_led_to_it() -> None:
    planner = FixedPlanner(Meant((0,)))
    hooked = HookedAdapter(ComposedAdapter(ListBackend(), {}), planner)
    hooked.inscribe(["gate a", "door"])
    hooked.supersede("the gate", "gate b")
    hooked.supersede("this gate", "gate c")
    first, second = Supersession("the gate", "gate b"), Supersession("this gate", "gate c")
    hooked.supersede("gate", "gate d")
    assert planner.shown == [Candidate("gate c", (second, first)), Candidate("door")]
    planner.decision = Meant(parts=((0, "gate e; half"),), restated=True)
    hooked.supersede("gate", "gate e")
    planner.decision = Meant()
    hooked.release("gate")
    past = (Supersession("gate", "gate e"), Supersession("gate", "gate d"), second, first)
    assert planner.shown[0] == Candidate("gate e; half", past)


@pytest.mark.parametrize("operation", ["supersede", "release", "purge"])
def test_an_unsure_planner_can_lead_to_a_question(adapter: Adapter, operation: str) -> None:
    planner = FixedPlanner(Unsure("two fit", (3, 1)))
    hooked = HookedAdapter(adapter, planner, unsure="ask")
    hooked.reset()
    hooked.inscribe(MEMORIES)
    new = ("the new gate code is 9876",) if operation == "supersede" else ()
    getattr(hooked, operation)(EVERYTHING, *new)
    assert memories(hooked) == changed(new=new)
    assert (hooked.fallbacks, hooked.decisions) == (0, [f"{operation}: asked about memories 2, 4 of 4 (two fit)"])
    texts = (planner.shown[3].text, planner.shown[1].text)
    assert hooked.asked == [Asked(operation, EVERYTHING, "two fit", texts)]
    planner.decision = Unsure("none fits")
    hooked.purge(PHONE)
    shown = len(planner.shown)
    assert hooked.decisions[-1] == f"purge: asked about any of {shown} memories (none fits)"
    assert len(hooked.asked[-1].candidates) == shown
    hooked.reset()
    assert hooked.asked == []


@pytest.mark.parametrize("operation", ["supersede", "release", "purge"])
@pytest.mark.parametrize(
    ("decision", "wrong"),
    [
        (None, "None is not a decision: answer Meant or Unsure"),
        (Meant((0, 4)), "no candidate 4: there are 0 to 3"),
        (Meant(parts=((-1, "x"),)), "no candidate -1: there are 0 to 3"),
        (Unsure("unsure", (9,)), "no candidate 9: there are 0 to 3"),
    ],
    ids=["none", "beyond", "below", "unsure"],
)
def test_what_is_no_decision_is_refused_before_anything_changes(
    adapter: Adapter, operation: str, decision: Decision | None, wrong: str
) -> None:
    hooked = HookedAdapter(adapter, FixedPlanner(decision))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    with pytest.raises(PlannerUnavailable, match=re.escape(f"FixedPlanner.{operation}: {wrong}")):
        getattr(hooked, operation)(EVERYTHING, *(("new",) if operation == "supersede" else ()))
    assert memories(hooked) == sorted(MEMORIES)
    assert (hooked.fallbacks, hooked.decisions, hooked.asked) == (0, [], [])


def test_what_a_planner_raises_is_no_error_of_the_store(adapter: Adapter) -> None:
    class Broken(FixedPlanner):
        def purge(self, query: str, candidates: Sequence[Candidate]) -> Decision:
            raise KeyError("no such table")

    hooked = HookedAdapter(adapter, Broken(None))
    hooked.reset()
    hooked.inscribe(MEMORIES)
    with pytest.raises(PlannerUnavailable, match=r"^Broken\.purge raised KeyError: 'no such table'$"):
        hooked.purge(EVERYTHING)
    assert memories(hooked) == sorted(MEMORIES)


@pytest.mark.parametrize("decision", [Meant(parts=((0, "x"),), restated=True), Meant((0,), duplicates=(1,))])
def test_what_only_a_supersession_means_is_refused_elsewhere(decision: Meant) -> None:
    hooked = HookedAdapter(ComposedAdapter(ListBackend(), {}), FixedPlanner(decision))
    hooked.inscribe(ABC)
    with pytest.raises(
        PlannerUnavailable, match=r"FixedPlanner\.purge: restated and duplicates are for a supersession alone"
    ):
        hooked.purge("gate")
    assert memories(hooked) == list(ABC)
