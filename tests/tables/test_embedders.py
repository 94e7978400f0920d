"""The table of embedders: what each is, what passes with it, and the published numbers."""

from dataclasses import replace
from typing import Any

import pytest

from lethe.study.published import Published, read_published
from lethe.study.setup import EmbedderAblation, Suite
from lethe.tables.beyond.embedders import embedder_ablation_table
from tests.support.paths import PUBLISHED
from tests.support.tables import configurations, setup, texts

SYSTEMS = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic"},
        "mem0": {"label": "Mem0", "regime": "deterministic"},
    }
)
HUB = "paraphrase-multilingual-MiniLM-L12-v2"
LEFT_OUT = "not run: left out by embedder_ablation.embedders (it needs a model hub)"
SETUP = setup(SYSTEMS, embedder_ablation=EmbedderAblation({"small": "", HUB: LEFT_OUT}, ["lethe"]))


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


def counted(embedder: str, category: str, passed: int, **more: int) -> dict[str, Any]:
    counts = {"cases": 4, "na": 0, "errors": 0, "gained": 0, "lost": 0} | more
    return {"embedder": embedder, "configuration": "lethe", "category": category, "passed": passed, **counts}


def described(name: str, languages: str, dim: int) -> dict[str, Any]:
    return {"embedder": name, "source": f"{name} 1.0", "languages": languages, "dim": dim, "bytes": 90_400_000}


def test_each_embedder_is_a_column(paper: Published) -> None:
    rows = [
        counted("all-MiniLM-L6-v2", "cross_lingual_identifier", 1),
        counted("all-MiniLM-L6-v2", "all", 2),
        counted("small", "cross_lingual_identifier", 3),
        counted("small", "all", 3, gained=2, lost=1, na=1, errors=1),
    ]
    embedders = [described("all-MiniLM-L6-v2", "English", 384), described("small", "16", 512)]
    table = embedder_ablation_table(rows, embedders, SETUP, paper)
    assert table.header == ("System", "Category", "all-MiniLM-L6-v2", "small", HUB)
    properties, lethe, published = texts(table)
    again = embedder_ablation_table(rows, embedders, replace(SETUP, repetitions={"": 3}), paper)
    said = "Each case was run 3 times; what passed, is N/A or broke is counted by trial."
    assert [note for note in again.notes if note not in table.notes] == [said]
    assert properties == [
        ["", "Dimension", "384", "512", "not run"],
        ["", "Languages", "English", "16", "not run"],
        ["", "Graph (MB)", "90", "90", "not run"],
    ]
    assert lethe == [
        ["Lethe", "Cross-lingual identifier", "1 (25)", "3 (75)", "not run"],
        ["Lethe", "All", "2 (50)", "3 (75) [1]", "not run"],
        ["Lethe", "Gained/lost", "–", "2/1", "–"],
    ]
    assert published == [
        ["published: Lethe", "Cross-lingual identifier", "0 of 16", "", "0 of 16"],
        ["published: Mem0", "Cross-lingual identifier", "8 of 16", "", "7 of 16"],
    ]
    assert table.notes == [
        "all-MiniLM-L6-v2: all-MiniLM-L6-v2 1.0.",
        "small: small 1.0.",
        f"{HUB}: {LEFT_OUT}.",
        "1 trials broke (error) and count as not passed.",
    ]


def test_a_matcher_that_was_developed_on_the_cases_is_named(paper: Published) -> None:
    entries = configurations({"lethe+matcher": {"label": "Lethe+matcher", "regime": "matcher", "hook": "matcher"}})
    record = setup(
        entries,
        suites={"mine": Suite("Mine", {}, ["matcher"])},
        embedder_ablation=EmbedderAblation({}, ["lethe+matcher"]),
    )
    (note,) = embedder_ablation_table([], [], record, paper).notes
    assert note.startswith("Lethe+matcher: developed on these very cases")


def test_without_a_system_the_table_says_so(paper: Published) -> None:
    table = embedder_ablation_table([], [], setup(SYSTEMS), paper)
    assert table.header == ("System", "Category", "all-MiniLM-L6-v2", HUB)
    assert texts(table)[1][0][0] == "not run: none of embedder_ablation.systems runs"
