"""The memory that a new fact supersedes. Without an embedder words alone decide."""

import math
import random
from collections.abc import Sequence
from typing import Any

import pytest

from lethe.planners.matcher.choice.scoring import WEIGHTS, features, score
from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Choice
from tests.planners.matcher.probes.choice_probes import CHOICES, WRITTEN
from tests.support.matcher_probes import probes, solved_or_known

MATCHER = Matcher()


@pytest.mark.parametrize(
    ("query", "new_fact", "memories", "meant"),
    [pytest.param(*probe, marks=solved_or_known(probe[0])) for probe in CHOICES],
)
def test_the_memory_that_is_meant_is_chosen(query: str, new_fact: str, memories: list[str], meant: int) -> None:
    choice = MATCHER.choose(query, new_fact, memories)
    assert isinstance(choice, Choice)
    assert memories[choice.index] == memories[meant]


@pytest.mark.parametrize(("query", "new_fact", "memories", "meant"), WRITTEN)
def test_a_memory_is_also_about_what_it_was_written_for(
    query: str, new_fact: str, memories: list[tuple[str, str]], meant: int
) -> None:
    choice = MATCHER.choose(query, new_fact, [memory for memory, _ in memories], [asked for _, asked in memories])
    assert isinstance(choice, Choice)
    assert choice.index == meant


def word_cosine(text: str, others: Sequence[str]) -> list[float]:
    own = set(text.lower().strip(".").split())
    sets = [set(other.lower().strip(".").split()) for other in others]
    return [len(own & other) / math.sqrt(len(own) * len(other)) for other in sets]


def test_of_memories_in_doubt_the_nearest_statement_counts() -> None:
    memories = [
        "Runa keeps very quiet nearly all day long.",
        "Runa keeps bees and Runa bakes bread on Sundays.",
        "Ulf is dry.",
    ]
    query = "Runa keeps"
    whole = word_cosine(query, memories)
    assert whole[0] == pytest.approx(whole[1])
    compared: set[str] = set()

    def noted(text: str, others: Sequence[str]) -> list[float]:
        compared.update(others)
        return word_cosine(text, others)

    single, compound, other = features(query, "Runa keeps goats.", memories, noted)
    column = list(WEIGHTS).index("query similarity")
    assert compound[column] > single[column] > other[column]
    assert {"keeps bees.", "bakes bread on Sundays."} <= compared


@pytest.mark.parametrize("probe", probes("identified_memories.jsonl"), ids=lambda probe: str(probe["query"]))
def test_the_memory_with_the_identifier_or_whole_word_is_chosen(probe: dict[str, Any]) -> None:
    choice = MATCHER.choose(probe["query"], probe["new_fact"], [*probe["others"], probe["right"]])
    assert isinstance(choice, Choice)
    assert choice.index == len(probe["others"])


def test_a_name_in_common_does_not_make_a_memory_the_one_that_is_meant(matcher_with_minilm: Matcher) -> None:
    memories = [
        "Teodor and his niece Wilma share a caravan in July.",
        "Wilma gets a rash from strawberries, carries ointment and has to avoid jam.",
        "The caravan leaks at the back.",
    ]
    choice = matcher_with_minilm.choose(
        "Wilma's allergy and what to do about it",
        "Wilma was tested again and has grown out of it, she may eat any fruit.",
        memories,
    )
    assert isinstance(choice, Choice)
    assert choice.index == 1


def test_the_weights_need_no_precise_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """With each weight changed by a random factor, nearly all probes are decided as before."""
    values = [features(query, new_fact, memories, None) for query, new_fact, memories, _ in CHOICES]

    def chosen() -> list[int]:
        return [max(range(len(of_probe)), key=[score(one) for one in of_probe].__getitem__) for of_probe in values]

    source = random.Random(0)
    as_they_are, weights = chosen(), dict(WEIGHTS)
    for _ in range(20):
        for name, weight in weights.items():
            monkeypatch.setitem(WEIGHTS, name, weight * source.lognormvariate(0, 0.3))
        changed = chosen()
        assert sum(one != other for one, other in zip(as_they_are, changed, strict=True)) <= len(CHOICES) // 5
