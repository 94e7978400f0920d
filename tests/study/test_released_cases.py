"""The released verdicts come back case by case, where the released cases are at hand."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forgeteval.cases.case import Case
from forgeteval.cases.suites import build_suite
from forgeteval.embed.embedder import CachedEmbedder
from lethe.config.configurations import PIPELINE, Configuration
from lethe.config.model import RELEASED_SUITES
from lethe.embedding.embedder import FastEmbedder
from lethe.embedding.prepare import embedder_options, prepare_embedder
from lethe.environments.build import interpreter
from lethe.jobs.kept import KeptTrials
from lethe.jobs.session import Code, RunSettings, Session
from lethe.jobs.trials import run_cases
from lethe.study.released.compare import replica_rows
from lethe.study.released.reading import VERDICTS_FILE, read_verdicts
from lethe.study.released.runs import Run, runs_of
from lethe.study.verdicts import verdict_rows
from tests.support.asking import environment_python
from tests.support.bench import make_case
from tests.support.config import load
from tests.support.paths import ENVIRONMENTS, ROOT

pytestmark = pytest.mark.slow

CONFIG, SYSTEMS = load("config.yaml"), load("systems.yaml")["systems"]
RELEASE = ROOT / "datasets/forgeteval"
PASSED = {
    ("lethe", "adversarial"): 244,
    ("langgraph", "adversarial"): 242,
    ("naive_sql", "adversarial"): 156,
    ("lethe", "repaired"): 245,
    ("langgraph", "repaired"): 242,
    ("lethe", "external"): 26,
    ("langgraph", "external"): 25,
}
"""Cases that the published runs pass, by system and the release's name of the suite."""


SPELLED = make_case(
    "spelled_twice",
    ["The vault opens with 7741.", "THE VAULT  opens with ７７41.", "The lobby plant needs water."],
    "How does the vault open?",
    ["lobby plant"],
    ["7741", "７７41"],
    [("purge", "vault opens")],
)
"""A case of our own beside the released ones, of which none holds a text in two spellings: a purge takes both."""


@pytest.fixture(scope="module")
def suites() -> dict[str, list[Case]]:
    """The released cases, by the release's name."""
    if not (RELEASE / VERDICTS_FILE).is_file():
        pytest.skip(f"needs data that are not part of the project: {RELEASE}")
    options = load("suites.yaml")["suites"]

    def located(name: str) -> dict[str, Any]:
        return {
            key: str(ROOT / value) if key in ("source", "labels") else value for key, value in options[name].items()
        }

    return {released: build_suite(name, located(name)) for released, name in RELEASED_SUITES.items()}


@pytest.fixture(scope="module")
def embedder(suites: dict[str, list[Case]], tmp_path_factory: pytest.TempPathFactory) -> CachedEmbedder:
    """The configured embedder, with the vector of every text of the cases."""
    folder = tmp_path_factory.mktemp("embedder") / "minilm"
    prepare_embedder(folder, **embedder_options(CONFIG["embedder"]))
    model = FastEmbedder(folder, threads=2)
    texts = sorted({text for cases in suites.values() for case in cases for text in case.texts()})
    return CachedEmbedder(dict(zip(texts, model.embed(texts), strict=True)), model)


@pytest.fixture(scope="module")
def released(suites: dict[str, list[Case]]) -> dict[str, dict[Run, dict[str, str]]]:
    """The published runs of each suite."""
    rows = read_verdicts(RELEASE)
    return {name: runs_of(rows, name) for name in suites}


@pytest.mark.parametrize(("system", "suite"), PASSED)
def test_every_case_gets_the_released_verdict(
    system: str,
    suite: str,
    suites: dict[str, list[Case]],
    embedder: CachedEmbedder,
    released: dict[str, dict[Run, dict[str, str]]],
    tmp_path: Path,
) -> None:
    entry = Configuration(system, **SYSTEMS[system])
    python = (
        interpreter(ENVIRONMENTS, PIPELINE) if entry.environment == PIPELINE else environment_python(entry.environment)
    )
    own = [replace(SPELLED, suite=suites[suite][0].suite)] if system == "lethe" else []
    with KeptTrials(tmp_path / "kept.trials") as kept:
        settings = RunSettings(k=CONFIG["run"]["k"])
        session = Session(entry, python, embedder, settings, kept, tmp_path / "log", Code("code"))
        trials = run_cases(session, [*suites[suite], *own])
    assert all(trials.pop()["verdict"] == "pass" for _ in own)
    rows = replica_rows(suite, suite, released[suite], verdict_rows(suites[suite], trials), trials)
    assert len(rows) == len(suites[suite])
    assert [(row["case_id"], row["published"], row["measured"]) for row in rows if not row["agree"]] == []
    assert sum(row["measured"] == "pass" for row in rows) == PASSED[system, suite]
