"""A report of one small suite: a system, one developed on its cases, one that asks a model, a control."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forgeteval.cases.case import Case, Mutation
from forgeteval.run.trials import Trial
from lethe.parquet import Row
from lethe.report.build import contents_of
from lethe.report.inputs import SuiteInputs
from lethe.report.page import Contents, render_page, render_replication
from lethe.study.paired import paired_rows
from lethe.study.results import SuiteResults
from lethe.study.scores import score_suite
from lethe.study.setup import Setup, Suite
from lethe.study.verdicts import verdict_rows
from lethe.tables.cells import DASH, NOT_RUN, label, points
from lethe.tables.paper.replicas import replicas_table
from lethe.tables.paper.replication import replication_places_table, replication_summary_table
from lethe.tables.table import Table
from tests.support.findings import numbers
from tests.support.tables import configurations, setup

MANIFEST = "f" * 64
HOSTILE = "Lethe+LLM <img src=x onerror=alert(1)>"
LEFT_OUT = "not run: left out by run.systems"
SYSTEMS = configurations(
    {
        "lethe": {"label": "Lethe", "regime": "deterministic", "backend": "lethe", "environment": "pipeline"},
        "lethe+matcher": {"label": "Lethe+matcher", "regime": "matcher", "backend": "lethe", "hook": "matcher"},
        "lethe+llm@one": {"label": f"{HOSTILE} (One, recorded)", "regime": "mutation hook", "hook": "llm"},
        "absent": {"label": "Absent", "regime": "vec-only", "policies": {"purge": "all_hits"}},
        "null": {"label": "null", "regime": "control", "backend": "null"},
        "oracle": {"label": "oracle", "regime": "control", "backend": "oracle"},
        "closed": {"label": "Closed", "regime": "vec-only", "not_run": "it has no API"},
        "endless": {"label": "Endless", "regime": "no deletion", "backend": "mempalace", "contract": "paper"},
    }
)
SETUP: Setup = setup(
    SYSTEMS,
    suites={
        "mine": Suite("Mine", dict.fromkeys(("absent", "oracle", "closed", "endless"), LEFT_OUT), seen_by=["matcher"])
    },
    models={"one": "One"},
    recorded=["one"],
    hook_pairs=[["lethe", "lethe+matcher"]],
)
FACTS = ("Ana's </script> key is at home.", "Ben swims & runs.")
NEW = "The key is in the office."
CASES = [
    Case(
        case_id=f"case-{number}",
        suite="mine",
        category="prefix_collision" if number % 2 else "substring_trap",
        setup_facts=FACTS,
        mutations=(Mutation("purge", "the key") if number == 2 else Mutation("supersede", "where is the key", NEW),),
        final_query="where is the key?",
        must_contain=("office",),
        must_not_contain=("at home",),
        gold_rows=(NEW, FACTS[1]),
    )
    for number in range(4)
]


def trial(case: int, name: str, verdict: str, **changed: Any) -> Row:
    """A trial that passes, or one that recalls the old fact or nothing."""
    system, _, model = name.partition("@")
    passed = {"recalled": [NEW]} if verdict == "pass" else {}
    failed = {"recalled": [FACTS[0], "not of the case"], "leaked": ["at home"], "missing": ["office"]}
    told = {**passed, **(failed if verdict == "fail" else {}), **changed}
    return Trial("mine", system, model, 0, f"case-{case}", verdict=verdict, **told).to_row()  # type: ignore[arg-type]


TRIALS = [
    *(trial(number, "lethe", "fail", residue=1) for number in range(4)),
    *(trial(number, "lethe+matcher", "pass", decisions=["supersede: replace <b>"], residue=0) for number in range(3)),
    trial(3, "lethe+matcher", "fail"),
    trial(0, "lethe+llm@one", "na", error="not offered: supersede"),
    *(trial(number, "lethe+llm@one", "error", error="timed out") for number in (1, 2)),
    trial(3, "lethe+llm@one", "pass"),
    *(trial(number, "null", "fail", recalled=[], leaked=[]) for number in range(4)),
]
PACKAGES = {"pipeline": ["lethe==9.9", "apsw==3.1", "numpy==2.0"]}
STATES = [
    {
        "suite": "mine",
        "system": system,
        "model": "",
        "cut": cut,
        "value": value,
        "measure": measure,
        "trials": 4,
        "facts": 4,
        "counted": 1,
        "rate": rate,
        "low": 0.1,
        "high": 0.9,
    }
    for system, rate in (("lethe", 0.5), ("lethe+matcher", 0.25))
    for measure in ("leak", "collateral", "stale")
    for cut, value in (("overall", "all"), ("category", "substring_trap"))
]
TABLE = Table(
    "mine",
    "Caption with 50 % & _things_.",
    ("System", "Δ pt"),
    [[[label("A_b"), points(-0.03)]], [[label("<C>"), NOT_RUN], [label("D"), DASH]]],
    ["Not run: x."],
)


def suite_inputs(cases: Sequence[Case] = CASES, trials: Sequence[Row] = TRIALS, given: Setup = SETUP) -> SuiteInputs:
    """What the analysis makes of these trials."""
    verdicts = verdict_rows(cases, trials)
    scores = score_suite(cases, trials, verdicts, given.reference)
    pairs = paired_rows(verdicts, frozenset(given.controls()), given.resamples, given.seed)
    states = STATES if trials is TRIALS else []
    return SuiteInputs(SuiteResults.of(scores, "mine", given), list(cases), states, verdicts, pairs, list(trials))


def contents(inputs: SuiteInputs, given: Setup = SETUP, tables: Sequence[Table] = ()) -> Contents:
    """What the page shows of one suite, with the findings of an invented run."""
    return contents_of(given, [inputs], numbers(), {table.name: table for table in tables}, PACKAGES)


def write_page(folder: Path, inputs: SuiteInputs | None = None, given: Setup = SETUP) -> Path:
    """The page of the small suite, or of others' inputs, with one table and one figure."""
    figure = folder / "figure.png"
    figure.write_bytes(b"\x89PNG")
    path = folder / "index.html"
    shown = contents(inputs or suite_inputs(), given)
    path.write_text(render_page(shown, [TABLE], [figure], MANIFEST), encoding="utf-8")
    return path


def replication_page(rows: Sequence[Row]) -> str:
    """The page of the replication, of rows of `lethe.schemas.REPLICATION`."""
    tables = {
        "replication_summary": replication_summary_table(rows),
        "replication_places": replication_places_table(rows),
        "replicas": replicas_table([], {}, setup()),
    }
    return render_replication(tables, MANIFEST)
