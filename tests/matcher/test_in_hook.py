"""The hook with a planner that chooses memories itself, edits in part and says why it is unsure."""

from collections.abc import Callable, Sequence

import pytest

from forgeteval.planners.protocol import Candidate, Meant, Shown
from forgeteval.stores.contract import Adapter
from forgeteval.stores.hook import HookedAdapter
from forgeteval.stores.policies import ComposedAdapter
from lethe.embedding.embedder import FastEmbedder
from lethe.matcher.planner import Matcher
from lethe.systems.lethe_store import LetheAdapter
from lethe.systems.naive_sql import NaiveSqlAdapter
from tests.support.bench import HashEmbedder
from tests.support.scripted_planner import ListBackend, ReadingPlanner

POLICIES = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
MEMORIES = ["Mia's locker is 12 and her desk is by the window", "Mia Brandt pays by card", "Bob's locker is 14"]
EVERYTHING = "Mia locker desk card Bob Brandt Ilse choir x gate"

ADAPTERS: dict[str, Callable[[], Adapter]] = {
    "lethe": lambda: LetheAdapter(HashEmbedder()),
    "naive_sql": NaiveSqlAdapter,
    "list": lambda: ComposedAdapter(ListBackend(), POLICIES),
}


@pytest.fixture(params=ADAPTERS)
def hooked(request: pytest.FixtureRequest, minilm: FastEmbedder) -> HookedAdapter:
    built = HookedAdapter(ADAPTERS[request.param](), Matcher(minilm))
    built.reset()
    built.inscribe(MEMORIES)
    return built


def stored(adapter: Adapter) -> set[str]:
    return set(adapter.recall_texts(EVERYTHING, 100))


def test_the_planner_chooses_the_memory_and_edits_it(hooked: HookedAdapter) -> None:
    hooked.supersede("Mia's locker", "Mia's locker is 20")
    assert stored(hooked) == {"Mia's locker is 20. Her desk is by the window.", *MEMORIES[1:]}
    assert hooked.fallbacks == 0
    assert [decision.partition(" (")[0].split()[1] for decision in hooked.decisions] == ["memory", "edit"]


@pytest.mark.parametrize("said", ["Mia's locker is 20", "mia's locker is now: 20!"])
def test_a_memory_that_says_the_new_fact_is_not_superseded(hooked: HookedAdapter, said: str) -> None:
    hooked.inscribe([said])
    hooked.supersede("Mia's locker", "Mia's locker is 20")
    assert stored(hooked) == {"Mia's locker is 20. Her desk is by the window.", *MEMORIES[1:]}


def test_a_repeated_fact_costs_no_other_memory(hooked: HookedAdapter) -> None:
    hooked.inscribe(["The gate is painted green"])
    hooked.supersede("the gate", "The gate is painted green")
    assert stored(hooked) == {"The gate is painted green", *MEMORIES}


class Parting(ReadingPlanner):
    """Means a part of the first memory."""

    def purge(self, query: str, candidates: Sequence[Candidate]) -> Meant:
        at = [memory.text for memory in candidates].index(MEMORIES[0])
        return Meant(parts=((at, "Mia's desk is by the window."),), reason="in part")


@pytest.mark.parametrize("build", ADAPTERS.values(), ids=ADAPTERS)
def test_a_purge_takes_a_part_out_of_a_memory(build: Callable[[], Adapter]) -> None:
    hooked = HookedAdapter(build(), Parting())
    hooked.reset()
    hooked.inscribe(MEMORIES)
    hooked.purge("Mia locker")
    assert stored(hooked) == {"Mia's desk is by the window.", *MEMORIES[1:]}
    assert hooked.decisions == ["purge: 0 of 3 memories, 1 in part (in part)"]


def test_a_release_of_an_entity(hooked: HookedAdapter) -> None:
    hooked.release("everything about Mia")
    assert stored(hooked) == {MEMORIES[2]}


def test_an_unsure_planner_leaves_it_to_the_store_and_says_why(hooked: HookedAdapter) -> None:
    hooked.purge("the zeppelin in Riga")
    assert hooked.fallbacks == 1
    assert hooked.decisions[0].startswith("purge: fallback (no memory is likely meant; the best, ")


QUERY = "who conducts the choir"


class Noting(ReadingPlanner):
    """Chooses the memory that begins alike, and keeps which query it was told to have written which memory."""

    is_shown = Shown()

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Meant:
        self.told = {memory.text: [past.query for past in memory.written] for memory in candidates}
        return Meant((next(at for at, memory in enumerate(candidates) if memory.text[:3] == new_fact[:3]),))


def test_a_question_asked_again_finds_the_memory_that_it_wrote(hooked: HookedAdapter) -> None:
    hooked.inscribe(["Ilse conducts the choir", "The choir sings on Mondays"])
    for text in ("The choir has been in the hands of Ravn since May", "Ilse is back"):
        hooked.supersede(QUERY, text)
    assert stored(hooked) == {*MEMORIES, "Ilse is back", "The choir sings on Mondays"}


@pytest.mark.parametrize("forget", [HookedAdapter.purge, HookedAdapter.release])
@pytest.mark.parametrize("build", ADAPTERS.values(), ids=ADAPTERS)
def test_the_query_that_wrote_a_memory_goes_with_the_memory(
    build: Callable[[], Adapter], forget: Callable[[HookedAdapter, str], None]
) -> None:
    both = "Bob's locker and the choir"
    planner = Noting()
    adapter = HookedAdapter(build(), planner)
    adapter.reset()
    adapter.inscribe(["Ilse conducts the choir", "Bob's locker is 14"])
    adapter.supersede(QUERY, "Ilse and Ravn conduct the choir")
    adapter.supersede(both, "Bob's locker is 15")
    assert planner.told == {"Ilse and Ravn conduct the choir": [QUERY], "Bob's locker is 14": []}
    forget(adapter, "Ilse and Ravn conduct the choir")
    adapter.inscribe(["Ilse and Ravn conduct the choir"])
    adapter.supersede(both, "Bob's locker is 16")
    assert planner.told == {"Ilse and Ravn conduct the choir": [], "Bob's locker is 15": [both]}
