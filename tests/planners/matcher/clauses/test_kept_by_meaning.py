"""What stays of a memory by what it means: the embedder tells circumstances of the old value from another topic."""

from collections.abc import Sequence

import pytest

from lethe.planners.matcher.clauses.kept_by_meaning import WEIGHTS, features, staying
from lethe.planners.matcher.clauses.part import Part
from lethe.planners.matcher.planner import Matcher
from lethe.planners.protocol import Edit, Replace
from tests.support.matcher_probes import solved_or_known

CIRCUMSTANCES = [
    (
        "Ottilie goes to the office by tram and walks the last half mile along the river.",
        "how Ottilie gets to the office",
        "Ottilie rides to work on an electric scooter and parks it in the yard.",
    ),
    (
        "Bram has cornflakes for breakfast and pours cold milk over them.",
        "Bram's breakfast",
        "Bram has stopped eating in the morning and only drinks black coffee until noon.",
    ),
    (
        "Soraya teaches geography at the lyceum and runs the map room there.",
        "Soraya's profession",
        "Soraya has become a park ranger and guides visitors through the marshes.",
    ),
    (
        "The parcels are fetched by Quickvan at four and weighed at their depot.",
        "who collects the parcels",
        "Our own driver takes the packages to the station now, and the old courier has been told.",
    ),
]
OTHER_TOPICS = [
    (
        "Ottilie goes to the office by tram and sings alto in the cathedral choir.",
        "how Ottilie gets to the office",
        "Ottilie rides to work on an electric scooter.",
        "sings alto",
    ),
    (
        "Bram has cornflakes for breakfast and collects old stamps.",
        "Bram's breakfast",
        "Bram has porridge for breakfast.",
        "old stamps",
    ),
    (
        "Soraya teaches geography at the lyceum, and her sister breeds whippets.",
        "Soraya's profession",
        "Soraya has become a park ranger.",
        "whippets",
    ),
    (
        "Dagfinn is fifty-one and takes two drops of Belladin for his eyes every night.",
        "the medicine that Dagfinn takes",
        "The doctor has put Dagfinn on Oculase tablets.",
        "fifty-one",
    ),
]


@pytest.mark.parametrize(
    ("memory", "query", "fact"),
    [pytest.param(*probe, marks=solved_or_known(f"{probe[0]} {probe[1]}")) for probe in CIRCUMSTANCES],
)
def test_circumstances_go_with_the_old_value(matcher_with_minilm: Matcher, memory: str, query: str, fact: str) -> None:
    assert isinstance(matcher_with_minilm.supersede(memory, query, fact), Replace)


@pytest.mark.parametrize(
    ("memory", "query", "fact", "stays"),
    [pytest.param(*probe, marks=solved_or_known(f"{probe[0]} {probe[1]}")) for probe in OTHER_TOPICS],
)
def test_another_topic_stays(matcher_with_minilm: Matcher, memory: str, query: str, fact: str, stays: str) -> None:
    decision = matcher_with_minilm.supersede(memory, query, fact)
    assert isinstance(decision, Edit)
    assert decision.text.startswith(fact)
    assert stays in decision.text


def test_names_are_left_out_of_what_is_compared() -> None:
    seen: list[list[str]] = []

    def similarity(text: str, others: Sequence[str]) -> list[float]:
        seen.append([text, *others])
        return [0.0] * len(others)

    parts = [Part("Wilma bakes rye bread", "main"), Part("and is a nurse", "joined", "Wilma")]
    (values,) = features(parts[1:], parts[0], "Wilma", "Wilma's job", "Wilma is a vet now.", similarity)
    assert len(values) == len(WEIGHTS)
    assert {text for texts in seen for text in texts} == {"job", "is a vet now.", "bakes rye bread", "is a nurse"}


def test_nothing_is_embedded_where_form_is_clear() -> None:
    asked: list[str] = []

    def similarity(text: str, others: Sequence[str]) -> list[float]:
        asked.append(text)
        return [0.0, *(1.0 for _ in others[1:])]

    target = Part("Wilma bakes rye bread", "main")
    clear, doubtful = Part("and her brother is a nurse", "joined"), Part("and sold by them", "joined", "Wilma")
    assert staying([clear], target, "Wilma", "Wilma's bread", "Wilma bakes spelt bread.", similarity) == [clear]
    assert asked == []
    assert staying([doubtful], target, "Wilma", "Wilma's bread", "Wilma bakes spelt bread.", similarity) == []
    assert asked != []
