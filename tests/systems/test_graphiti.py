"""Graphiti's two contracts beyond what every system is held to, on a scripted model; both databases."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.errors import UserError
from lethe.config.chat_models import ModelConfig
from lethe.environments.build import interpreter
from lethe.gateway.server import Gateway
from lethe.jobs.services import RunServices, asking_system
from tests.support.bench import Bench, TopicEmbedder, make_case
from tests.support.contract import ALLERGY, BYSTANDERS, CRIMSON, EMERALD, EVERYTHING, opened_gateway
from tests.support.paths import ENVIRONMENTS
from tests.support.scripted_graphiti import answer, wordy_answer

ENTRY = {"backend": "graphiti", "gateway": "chat"}
SUPERSEDED = make_case(
    "superseded", [CRIMSON, *BYSTANDERS], EVERYTHING, [EMERALD, *BYSTANDERS], ["crimson"],
    [("supersede", "bicycle", EMERALD)],
)  # fmt: skip
RELEASED = make_case("released", [CRIMSON, *BYSTANDERS], EVERYTHING, BYSTANDERS, ["crimson"], [("release", "bicycle")])
PURGED = make_case("purged", [CRIMSON, *BYSTANDERS], EVERYTHING, BYSTANDERS, ["crimson"], [("purge", "bicycle")])
UNIFORM = {"supersede": "add_only", "release": "best_match", "purge": "equal_text"}
DATABASES = {"kuzu": "graphiti", "falkordb": "graphiti_falkordb"}


def python_of(database: str) -> Path:
    return interpreter(ENVIRONMENTS, DATABASES[database])


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow) for name in DATABASES])
def database(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if not python_of(name).exists():
        pytest.skip(f"the environment {DATABASES[name]} is not built; run the workflow or test_contract.py first")
    return name


def run(
    folder: Path, kind: str, cases: Sequence[Case], services: RunServices | None = None, **options: Any
) -> Mapping[str, Mapping[str, Any]]:
    """The trial rows of `cases` by case; `options` are those of the row, `services` are a scripted model by default."""
    if services is None:
        folder.mkdir(exist_ok=True)
        with opened_gateway(ENTRY, folder) as opened:
            return run(folder, kind, cases, opened, **options)
    rows = Bench(folder).run(
        cases,
        "graphiti",
        policies=UNIFORM,
        options={"database": kind, **options},
        services=services,
        python=python_of(kind),
        embedder=TopicEmbedder(),
        limit_s=120.0,
        start_timeout_s=120.0,
    )
    return {row["case_id"]: row for row in rows}


def test_an_ended_fact_comes_back_unless_current_ones_are_asked_for(database: str, tmp_path: Path) -> None:
    every = run(tmp_path / "every", database, [SUPERSEDED])["superseded"]
    current = run(tmp_path / "current", database, [SUPERSEDED], current_only=True)["superseded"]
    assert (every["verdict"], every["leaked"], every["missing"]) == ("fail", ["crimson"], [])
    assert sorted(current["recalled"]) == sorted([EMERALD, *BYSTANDERS])


def test_a_fact_is_current_until_it_ends(database: str, tmp_path: Path) -> None:
    ended, lasting = "bicycle insured until 2024-05-01", "bicycle leased until 2031-05-01"
    case = make_case("dated", [ALLERGY, ended, lasting], "bicycle", [lasting], [ended])
    assert run(tmp_path, database, [case], current_only=True)["dated"]["verdict"] == "pass"
    assert run(tmp_path / "every", database, [case])["dated"]["leaked"] == [ended]


def test_a_release_hides_and_a_purge_erases(database: str, tmp_path: Path) -> None:
    hidden = run(tmp_path / "current", database, [RELEASED, PURGED], current_only=True)
    every = run(tmp_path / "every", database, [RELEASED, PURGED])
    assert {case: row["verdict"] for case, row in hidden.items()} == {"released": "pass", "purged": "pass"}
    assert {case: row["leaked"] for case, row in every.items()} == {"released": ["crimson"], "purged": []}


def test_kuzus_files_keep_what_was_purged(database: str, tmp_path: Path) -> None:
    residue = {"kuzu": 1, "falkordb": 0}[database]
    assert run(tmp_path, database, [PURGED], current_only=True)["purged"]["residue"] == residue


@pytest.mark.parametrize("wordy", [False, True], ids=["one fact a text", "many"])
def test_a_case_can_be_replayed(database: str, tmp_path: Path, wordy: bool) -> None:
    """No prompt contains the time of day or an identifier, so that every answer is found again without an endpoint."""
    cases = [SUPERSEDED, RELEASED, PURGED]
    with opened_gateway(ENTRY, tmp_path, wordy_answer if wordy else None) as access:
        live = run(tmp_path / "live", database, cases, access, current_only=True)
    with replaying(tmp_path) as access:
        again = run(tmp_path / "again", database, cases, access, current_only=True)
    kept = ("verdict", "recalled", "llm_calls", "tokens_in")
    assert [[row[name] for name in kept] for row in again.values()] == [
        [row[name] for name in kept] for row in live.values()
    ]


def test_a_schema_admits_one_episode(database: str, tmp_path: Path) -> None:
    """An endpoint that makes a grammar of it lets a model list episodes for as long as it may."""
    asked: list[Mapping[str, Any]] = []

    def noting(request: Mapping[str, Any]) -> str:
        asked.append(request["response_format"]["json_schema"])
        return answer(request)

    with opened_gateway(ENTRY, tmp_path, noting) as services:
        run(tmp_path / "run", database, [PURGED], services)
    for name, item in (("ExtractedEntities", "ExtractedEntity"), ("ExtractedEdges", "Edge")):
        found = [sent["schema"]["$defs"][item]["properties"] for sent in asked if sent["name"] == name]
        assert {properties["episode_indices"]["maxItems"] for properties in found} == {1}


@contextmanager
def replaying(folder: Path) -> Iterator[RunServices]:
    """The gateway of `opened_gateway` a second time, with nothing behind it but the answers it kept in `folder`."""
    model = ModelConfig.from_config(
        "scripted", {"family": "scripted", "base_url": "http://127.0.0.1:9/v1", "model": "scripted"}
    )
    with Gateway({"scripted": model}, folder / "cache.sqlite", "replay", TopicEmbedder()) as gateway:
        yield asking_system(gateway, model, hooked=False)


def test_another_database_is_refused(database: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="graphiti has no database 'neo4j'; use kuzu or falkordb"):
        run(tmp_path, database, [PURGED], database="neo4j")
