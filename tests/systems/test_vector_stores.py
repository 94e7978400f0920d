"""The vector stores with composed mutations give the same results, and differ only in their storage."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.bench import Bench, HashEmbedder, TopicEmbedder, make_case
from tests.support.contract import SYSTEMS, python_in
from tests.support.pilot_cases import CASES, EVERYTHING, FACTS, TOWNS

pytestmark = pytest.mark.slow

PAPER = {"supersede": "best_match", "purge": "all_hits"}
UNIFORM = {"supersede": "best_match", "release": "largest_gap", "purge": "equal_text"}
ON_DISK = ["chroma", "langgraph_sqlite", "autogen"]
IN_REDIS = ["langgraph_redis", "redis_history", "autogen_redis"]


def run(
    backend: str,
    folder: Path,
    policies: Mapping[str, str],
    cases: list[Any] = CASES,
    embedder: type[HashEmbedder] = HashEmbedder,
    limit_s: float = 20.0,
) -> dict[str, dict[str, Any]]:
    """The trials of a backend by case; its environment is built if missing."""
    environments = {entry["backend"]: entry["environment"] for entry in SYSTEMS.values()}
    rows = Bench(folder).run(
        cases,
        backend,
        policies=policies,
        python=python_in(environments[backend]),
        embedder=embedder(),
        start_timeout_s=120.0,
        limit_s=limit_s,
    )
    return {row["case_id"]: row for row in rows}


@pytest.fixture(scope="module")
def uniform(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, dict[str, Any]]]:
    return cache(lambda backend: run(backend, tmp_path_factory.mktemp(backend), UNIFORM))


@pytest.mark.parametrize("backend", ["qdrant", *ON_DISK, "langgraph_redis", "redis_history"])
def test_a_store_of_vectors_answers_as_langgraph_does(
    backend: str, uniform: Callable[[str], dict[str, dict[str, Any]]]
) -> None:
    """Same vectors, same policies: the same memories in the same order, whatever the store."""
    expected = uniform("langgraph")
    assert {row["verdict"] for row in expected.values()} == {"pass"}
    for case_id, row in uniform(backend).items():
        assert (row["verdict"], row["recalled"]) == ("pass", expected[case_id]["recalled"]), case_id


def test_a_memory_without_scores_answers_so_too_where_it_releases_nothing(
    uniform: Callable[[str], dict[str, dict[str, Any]]],
) -> None:
    expected = uniform("langgraph")
    for case_id, row in uniform("autogen_redis").items():
        if not case_id.startswith(("release", "both")):
            assert (row["verdict"], row["recalled"]) == ("pass", expected[case_id]["recalled"]), case_id


@pytest.mark.parametrize("backend", ["qdrant", "chroma", "langgraph_sqlite", "langgraph_redis", "redis_history"])
def test_the_papers_reading_purges_the_bystanders_too_and_has_no_release(backend: str, tmp_path: Path) -> None:
    rows = run(backend, tmp_path, PAPER, CASES[:5])
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "supersede_0": "pass", "chain_0": "pass", "release_0": "na", "purge_0": "pass", "both_0": "na",
    }  # fmt: skip
    assert rows["purge_0"]["recalled"] == []
    assert len(rows["supersede_0"]["recalled"]) == len(FACTS)


@pytest.mark.parametrize("backend", ["autogen", "autogen_redis"])
def test_autogen_as_it_comes_has_no_mutation(backend: str, tmp_path: Path) -> None:
    rows = run(backend, tmp_path, {}, [*CASES[:5], make_case("recall", FACTS, FACTS[0], [FACTS[0]])])
    assert [row["verdict"] for row in rows.values()] == ["na"] * 5 + ["pass"]


@pytest.mark.parametrize("backend", ON_DISK)
def test_text_out_of_recall_is_still_in_the_file(
    backend: str, uniform: Callable[[str], dict[str, dict[str, Any]]]
) -> None:
    """Neither Chroma nor SqliteStore overwrites what it deletes."""
    rows = uniform(backend)
    assert [rows[f"purge_{number}"]["residue"] for number in range(len(FACTS))] == [1] * len(FACTS)


@pytest.mark.parametrize("backend", IN_REDIS)
def test_redis_saves_nothing_of_what_was_deleted(
    backend: str, uniform: Callable[[str], dict[str, dict[str, Any]]]
) -> None:
    rows = uniform(backend)
    assert [rows[f"purge_{number}"]["residue"] for number in range(len(FACTS))] == [0] * len(FACTS)


@pytest.mark.parametrize("backend", ["qdrant", "langgraph"])
def test_a_store_in_memory_has_no_file_to_look_into(
    backend: str, uniform: Callable[[str], dict[str, dict[str, Any]]]
) -> None:
    assert {row["residue"] for row in uniform(backend).values()} == {None}


@pytest.mark.parametrize("backend", [*ON_DISK, *IN_REDIS])
def test_one_case_leaves_nothing_in_the_file_of_the_next(backend: str, tmp_path: Path) -> None:
    cases = [CASES[3], make_case("next", FACTS[1:], EVERYTHING, must_not=[FACTS[0], "Aluko"])]
    assert run(backend, tmp_path, UNIFORM, cases)["next"]["residue"] == 0


@pytest.mark.parametrize("backend", ["chroma", "langgraph_sqlite", *IN_REDIS])
def test_more_memories_are_kept_than_one_batch_holds(backend: str, tmp_path: Path) -> None:
    many = [f"shelf{number} holds box{number}" for number in range(6000)]
    asked = [f"bicycle{number}" for number in (0, 499, 500, len(many) - 1)]
    for text in asked:
        many[int(text.removeprefix("bicycle"))] = text
    rows = run(backend, tmp_path, UNIFORM, [make_case("c", many, "bicycle", asked)], TopicEmbedder, limit_s=120.0)
    assert {*rows["c"]["recalled"][: len(asked)]} == {*asked}


@pytest.mark.parametrize(
    "backend", ["langgraph", "langgraph_sqlite", "qdrant", "chroma", "llama_index", "mem0", "mempalace", *IN_REDIS]
)
def test_a_mutation_without_a_query_breaks_no_store(backend: str, tmp_path: Path) -> None:
    """Memora has such mutations."""
    moved = FACTS[0].replace(TOWNS[0], "Hobart")
    case = make_case("unnamed", FACTS, EVERYTHING, [moved], mutations=[("purge", ""), ("supersede", "", moved)])
    assert run(backend, tmp_path, UNIFORM, [case])["unnamed"]["verdict"] == "pass"
