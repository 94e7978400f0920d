"""Batches of cases written independently of the matcher; each was developed on once it had been scored."""

from pathlib import Path

import pytest

from lethe.admission.intake import check_file
from lethe.cases.case import ADVERSARIAL_CATEGORIES, Case
from lethe.embedding.embedder import CachedEmbedder, FastEmbedder
from lethe.planners.matcher.planner import Matcher
from lethe.systems.hooked import HookedAdapter
from lethe.systems.lethe_store import LetheAdapter
from tests.support.bench import run_trial

FRESH = Path(__file__).parent / "fresh"
CASES_PER_CATEGORY = {
    "first": 45,
    "second": 24,
    "third": 20,
    "fourth": 12,
    "fifth": 30,
    "sixth": 20,
    "seventh": 20,
    "tenth": 20,
    "thirteenth": 15,
}
SOME_CATEGORIES = {
    "fourteenth": {
        category: 50 if category == "paraphrase_supersession" else 10 for category in ADVERSARIAL_CATEGORIES
    },
    "eighth": {"paraphrase_supersession": 60},
    "ninth": {"paraphrase_supersession": 60},
    "eleventh": {"paraphrase_supersession": 110, "compound_fact": 90},
    "twelfth": {
        "shared_attribute": 26,
        "cross_lingual_identifier": 14,
        "identifier_obfuscation": 14,
        "substring_trap": 13,
        "temporal_qualifier": 7,
        "negation_trap": 6,
    },
}
FILES = {
    **{(batch, category): count for batch, count in CASES_PER_CATEGORY.items() for category in ADVERSARIAL_CATEGORIES},
    **{(batch, category): count for batch, counts in SOME_CATEGORIES.items() for category, count in counts.items()},
}
LEAST = dict.fromkeys([*CASES_PER_CATEGORY, *SOME_CATEGORIES], 0.89) | {"eleventh": 0.8, "fourteenth": 0.85}
"""The least share of each batch that must pass; the two lower ones hold many paraphrases."""


def cases(batch: str, category: str) -> list[Case]:
    intake = check_file(FRESH / batch / f"{category}.jsonl")
    assert intake.rejected == 0, [objection.reason for objection in intake.objections]
    return list(intake.admitted)


@pytest.mark.parametrize(("batch", "category"), FILES)
def test_each_file_holds_admitted_cases_of_its_category(batch: str, category: str) -> None:
    found = cases(batch, category)
    assert len(found) == FILES[batch, category]
    assert {case.category for case in found} == {category}


@pytest.mark.slow
@pytest.mark.parametrize("batch", [*CASES_PER_CATEGORY, *SOME_CATEGORIES])
def test_the_matcher_holds_on_what_it_was_developed_on(minilm: FastEmbedder, batch: str) -> None:
    every = [case for of, category in FILES if of == batch for case in cases(batch, category)]
    texts = list(dict.fromkeys(text for case in every for text in case.texts()))
    embedder = CachedEmbedder(dict(zip(texts, minilm.embed(texts), strict=True)), minilm)
    adapter = HookedAdapter(LetheAdapter(embedder), Matcher(embedder))
    trials = [run_trial(adapter, case) for case in every]
    failed = [trial.case_id for trial in trials if trial.verdict != "pass"]
    assert len(failed) <= (1 - LEAST[batch]) * len(every), failed
