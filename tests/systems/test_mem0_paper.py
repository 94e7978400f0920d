"""Mem0 as the paper ran it: its threshold, its BM25 of lemmas, and a collection that outlives the case."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.bench import Bench, TableEmbedder, make_case
from tests.support.contract import SYSTEMS, python_of

pytestmark = pytest.mark.slow

QUERY = "quartz harbour"
LANTERN, ANCHOR, STRANGER = "a quartz lantern", "a velvet harbour", "nothing in common"
QUARTZ = [f"quartz number {number}" for number in range(8)]


def at(cosine: float) -> tuple[float, float]:
    return cosine, math.sqrt(1 - cosine**2)


VECTORS = {QUERY: at(1.0), LANTERN: at(0.90), ANCHOR: at(0.89), STRANGER: at(0.05), **dict.fromkeys(QUARTZ, at(0.5))}
CASE = make_case("asked", [LANTERN, ANCHOR, STRANGER], QUERY)


def recalled(folder: Path, cases: list[Any], more: Sequence[str] = (), **options: Any) -> list[str]:
    """What the last case recalls; the texts of `more` lie at the query."""
    rows = Bench(folder).run(
        cases,
        "mem0",
        policies=SYSTEMS["mem0_paper"]["policies"],
        options=SYSTEMS["mem0_paper"]["options"] | options,
        python=python_of("mem0_paper"),
        embedder=TableEmbedder(VECTORS | dict.fromkeys(more, at(1.0))),
        start_timeout_s=120.0,
    )
    return list(rows[-1]["recalled"])


def test_a_memory_below_the_threshold_is_not_found(tmp_path: Path) -> None:
    assert recalled(tmp_path / "paper", [CASE]) == [LANTERN, ANCHOR]
    assert recalled(tmp_path / "all", [CASE], threshold=0.0) == [LANTERN, ANCHOR, STRANGER]


def test_the_words_of_a_query_count_by_their_lemmas(tmp_path: Path) -> None:
    cases = [make_case("asked", [LANTERN, ANCHOR], "harbours")]
    assert recalled(tmp_path / "paper", cases, ["harbours"])[0] == ANCHOR
    assert recalled(tmp_path / "vectors", cases, ["harbours"], signals=False)[0] == LANTERN


def test_the_words_of_deleted_memories_still_count(tmp_path: Path) -> None:
    """Eight memories of an earlier case make "quartz" so common that it says nothing in the next one."""
    cases = [make_case("before", QUARTZ, QUERY), CASE]
    assert recalled(tmp_path / "paper", cases)[0] == ANCHOR
    assert recalled(tmp_path / "fresh", cases, one_collection=False)[0] == LANTERN


def test_a_collection_of_more_than_a_hundred_memories_is_emptied(tmp_path: Path) -> None:
    many = [f"quartz of {number}" for number in range(130)]
    assert set(recalled(tmp_path, [make_case("before", many, QUERY), CASE], many)) == {LANTERN, ANCHOR}
