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
EVERYTHING = "Mia locker desk card Bob Brandt Ilse choir x gate glaze buckets"

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


def test_what_it_is_sure_of_goes_and_nothing_else(hooked: HookedAdapter) -> None:
    hooked.inscribe(["Glaze buckets are stirred by Otto"])
    hooked.supersede("who stirs the glaze buckets", "Glaze buckets are stirred by Mara")
    assert stored(hooked) == {*MEMORIES, "Glaze buckets are stirred by Mara"}
    assert hooked.fallbacks == 0


def test_a_request_for_what_is_not_stored_leaves_everything(hooked: HookedAdapter) -> None:
    hooked.purge("the zeppelin in Riga")
    hooked.release("Zbigniew's passport")
    assert stored(hooked) == set(MEMORIES)
    assert hooked.fallbacks == 0


@pytest.mark.parametrize("said", ["The gate is painted green", "the gate is now painted green!"])
def test_a_repeated_fact_costs_no_other_memory(hooked: HookedAdapter, said: str) -> None:
    hooked.inscribe(["The gate is painted green"])
    hooked.supersede("the gate", said)
    assert stored(hooked) == {said, *MEMORIES}


@pytest.mark.parametrize("build", ADAPTERS.values(), ids=ADAPTERS)
def test_a_caller_is_asked_where_it_does_not_know_and_nothing_happens(
    build: Callable[[], Adapter], minilm: FastEmbedder
) -> None:
    hooked = HookedAdapter(build(), Matcher(minilm), unsure="ask")
    hooked.reset()
    hooked.inscribe(MEMORIES)
    hooked.release("the thing by the window")
    assert stored(hooked) == set(MEMORIES)
    (asked,) = hooked.asked
    assert (asked.operation, asked.query) == ("release", "the thing by the window")
    assert MEMORIES[0] in asked.candidates


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


def test_an_unsure_planner_leaves_it_to_the_store_and_says_why(hooked: HookedAdapter) -> None:
    hooked.release("the thing by the window")
    assert hooked.fallbacks == 1
    assert hooked.decisions[0].startswith("release: fallback (")


QUERY = "who conducts the choir"


class Noting(ReadingPlanner):
    """Chooses the memory that begins alike, and keeps which query it was told to have written which memory."""

    is_shown = Shown()

    def supersede(self, query: str, new_fact: str, candidates: Sequence[Candidate]) -> Meant:
        self.told = {memory.text: [past.query for past in memory.written] for memory in candidates}
        return Meant((next(at for at, memory in enumerate(candidates) if memory.text[:3] == new_fact[:3]),))


def test_a_question_asked_again_finds_the_memory_that_it_wrote(hooked: HookedAdapter) -> None:
    hooked.inscribe(["Glaze buckets are stirred by Otto", "The buckets stand in the yard"])
    for text in ("Glaze buckets are stirred by Mara", "Ilse is back"):
        hooked.supersede("who stirs the glaze buckets", text)
    assert stored(hooked) == {*MEMORIES, "Ilse is back", "The buckets stand in the yard"}


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
