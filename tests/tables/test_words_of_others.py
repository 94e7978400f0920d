"""Categories and provenances of anybody's suite stand in every table, after those of ours."""

from typing import Any

import pytest

from forgeteval.cases.case import Case
from lethe.schemas import ALL, SCORERS
from lethe.study.agreement import agreement_rows
from lethe.study.published import Published, read_published
from lethe.study.results import SuiteResults
from lethe.study.scores import score_suite
from lethe.study.setup import EmbedderAblation, Suite
from lethe.tables.beyond.embedders import embedder_ablation_table
from lethe.tables.beyond.judges import judge_audit_table
from lethe.tables.beyond.matcher import ablation_table, held_out_table
from lethe.tables.paper.agreement import agreement_table
from lethe.tables.paper.scorer_audit import scorer_audit_table
from lethe.tables.table import Table
from tests.support.paths import PUBLISHED
from tests.support.tables import configuration, judges, results, score, setup, texts

COME = ("court_order", "negation_trap", "will", "substring_trap")
SHOWN = ["Substring trap", "Negation trap", "Court order", "Will"]
ENTRIES = {
    "lethe": configuration("Lethe"),
    "lethe+matcher": configuration("Lethe+matcher", "matcher", hook="matcher"),
    "letta": configuration("Letta"),
}
SETUP = setup(
    ENTRIES,
    judges=judges(q="Qwen"),
    embedder_ablation=EmbedderAblation({}, ["letta"]),
    suites={"mine": Suite("Mine", {}), "held_out": Suite("Unseen", {})},
)


@pytest.fixture(scope="module")
def paper() -> Published:
    return read_published(PUBLISHED)


@pytest.fixture
def scored() -> SuiteResults:
    return results([score(name, part, 1, 2) for name in ENTRIES for part in (*COME, ALL)], ENTRIES)


def shown(table: Table, column: int = 0, section: int = 0) -> list[str]:
    """Which of the categories a table shows, in its order."""
    return [row[column] for row in texts(table)[section] if row[column] in SHOWN]


def test_scores_know_every_category(scored: SuiteResults) -> None:
    assert scored.values("category") == ["substring_trap", "negation_trap", "court_order", "will"]
    case = Case("c", "mine", "will", ("f",), (), "q", ("yes",), (), provenance="interviews")
    key = {"suite": "mine", "system": "letta", "model": "", "repetition": 0, "case_id": "c"}
    rows = score_suite(
        [case], [{**key, "leaked": [], "missing": []}], [{**key, "scorer": "substring", "verdict": "pass"}], "letta"
    )
    assert {(row["cut"], row["value"]) for row in rows} >= {("category", "will"), ("provenance", "interviews")}


def test_the_tables_of_the_matcher(scored: SuiteResults) -> None:
    assert shown(held_out_table(scored, scored, SETUP)) == SHOWN
    rows = [{"left_out": "none", "category": part, "cases": 1, "passed": 1} for part in (*COME, ALL)]
    assert shown(ablation_table(rows, SETUP)) == SHOWN


def test_the_audit_of_judges() -> None:
    judged = [
        {"judge": "q", "suite": "s", "case_id": name, "verdict": "admit", "category": name, "provenance": provenance}
        for name, provenance in zip(COME, ("interviews", "core", "interviews", "core"), strict=True)
    ]
    table = judge_audit_table(judged, SETUP)
    assert [row[1] for row in texts(table)[0]] == [*SHOWN, "All", "All core", "All interviews"]


def test_the_audit_of_scorers(paper: Published) -> None:
    key = {"system": "lethe", "model": "", "repetition": 0}
    rows = [{**key, "case_id": name, "category": name, **dict.fromkeys(SCORERS, "pass")} for name in COME]
    assert shown(scorer_audit_table(rows, [], SETUP, paper)) == SHOWN


def test_the_table_of_embedders(paper: Published) -> None:
    counts: dict[str, Any] = {"cases": 1, "passed": 1, "na": 0, "errors": 0, "gained": 0, "lost": 0}
    rows = [{"embedder": SETUP.embedder, "configuration": "letta", "category": part, **counts} for part in (*COME, ALL)]
    assert shown(embedder_ablation_table(rows, [], SETUP, paper), column=1, section=1) == SHOWN


def test_the_agreement_of_annotators(paper: Published) -> None:
    annotations = [
        {"case_id": name, "category": name, "annotator": annotator, "label": label}
        for name in COME
        for annotator, label in (("x", "wf"), ("y", "ill"))
    ]
    assert shown(agreement_table(agreement_rows(annotations, 10, 1), [], SETUP, paper)) == SHOWN
