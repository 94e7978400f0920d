"""HippoRAG beyond the contract of every system: what no answer comes to, and NumPy in the place of torch."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.support import scripted_hipporag
from tests.support.asking import AskingBench, answers, asking_bench, environment_python
from tests.support.bench import make_case
from tests.support.paths import ROOT
from tests.support.scripted_endpoint import answer, refuse

pytestmark = pytest.mark.slow

FACTS = ["bicycle painted crimson", "passport expires november", "allergy to peanuts"]
STORED = make_case("stored", FACTS, "bicycle", FACTS)
POLICIES = {"supersede": "best_match", "purge": "equal_text"}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[AskingBench]:
    with asking_bench(tmp_path) as opened:
        opened.endpoint.otherwise = answers(scripted_hipporag.answer)
        yield opened


def test_a_passage_takes_two_calls_and_a_search_one(bench: AskingBench) -> None:
    """The trial asks for what it recalls, and nothing is forbidden in it: one search."""
    (row,) = bench.run([STORED], "hipporag", "hipporag")
    assert (row["verdict"], row["llm_calls"]) == ("pass", 2 * len(FACTS) + 1)


def test_answers_can_be_replayed(bench: AskingBench) -> None:
    first = bench.run([STORED], "hipporag", "hipporag")
    bench.endpoint.otherwise = refuse(500)
    again = bench.run([STORED], "hipporag", "hipporag")
    assert [row["recalled"] for row in again] == [row["recalled"] for row in first] != [[]]


@pytest.mark.parametrize("answered", [0, 6])
def test_without_an_answer_a_case_is_an_error(bench: AskingBench, answered: int) -> None:
    """HippoRAG itself goes on without facts, while indexing (no answer) as while searching (six answers)."""
    bench.endpoint.script = [answers(scripted_hipporag.answer)] * answered
    bench.endpoint.otherwise = refuse(500)
    (row,) = bench.run([STORED], "hipporag", "hipporag")
    assert row["verdict"] == "error" and "a request failed (InternalServerError" in row["error"]


@pytest.mark.parametrize("content", ["I see no entities here.", '{"named_entities": [oops], "triples": [oops]}', "[]"])
def test_passages_are_found_without_a_usable_fact(bench: AskingBench, content: str) -> None:
    """What an answer cannot be read as is left to HippoRAG, which ranks by cosine then."""
    bench.endpoint.otherwise = answer(content)
    purged = make_case("purged", FACTS, "bicycle", FACTS[1:], ["crimson"], [("purge", "bicycle")])
    rows = bench.run([STORED, purged], "hipporag", "hipporag", policies=POLICIES)
    assert [row["verdict"] for row in rows] == ["pass", "pass"]


def test_equal_facts_are_one_passage(bench: AskingBench) -> None:
    twice = make_case("twice", [*FACTS, FACTS[0]], "bicycle", FACTS)
    (row,) = bench.run([twice], "hipporag", "hipporag")
    assert sorted(row["recalled"]) == sorted(FACTS)


def test_a_fact_that_returns_after_its_purge_is_found(bench: AskingBench) -> None:
    mutations = [("purge", "bicycle"), ("supersede", "passport", FACTS[0]), ("supersede", "allergy", "bicycle is gone")]
    case = make_case("returned", FACTS, "bicycle", [FACTS[0], "bicycle is gone"], FACTS[1:], mutations)
    (row,) = bench.run([case], "hipporag", "hipporag", policies=POLICIES)
    assert (row["verdict"], row["error"]) == ("pass", None)


def test_its_synonyms_come_out_of_numpy_as_by_cosine(tmp_path: Path) -> None:
    python, generator = environment_python("hipporag"), np.random.default_rng(7)
    vectors = generator.normal(size=(60, 16))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    (tmp_path / "vectors.json").write_text(json.dumps((3 * vectors).tolist()))
    script = (
        "import json, sys; from lethe.systems import numpy_torch; numpy_torch.install();"
        "from importlib.util import find_spec, module_from_spec, spec_from_file_location as spec;"
        "place = find_spec('hipporag').submodule_search_locations[0] + '/utils/embed_utils.py';"
        "module = spec('embed_utils', place); loaded = module_from_spec(module); module.loader.exec_module(loaded);"
        "vectors = json.load(open('vectors.json')); names = [str(number) for number in range(len(vectors))];"
        "found = loaded.retrieve_knn(names, names, vectors, vectors, 5, query_batch_size=16, key_batch_size=13);"
        "json.dump(found, sys.stdout)"
    )
    ran = subprocess.run(
        [python, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "TQDM_DISABLE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    cosines = vectors @ vectors.T
    for name, (nearest, scores) in json.loads(ran.stdout).items():
        expected = np.argsort(-cosines[int(name)])[:5]
        assert [int(other) for other in nearest] == expected.tolist()
        np.testing.assert_allclose(scores, cosines[int(name)][expected], atol=1e-5)
