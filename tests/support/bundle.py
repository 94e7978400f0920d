"""A small bundle of results, made as the workflow makes it, and what one does who forges it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from forgeteval.cases.case import Case
from forgeteval.cases.history import History, Operation, Question
from forgeteval.cases.sampling import first_of_each_category
from forgeteval.cases.suites import build_suite
from forgeteval.files import write_text
from forgeteval.run.trials import Trial, judge
from lethe.crosseval.records import operation_rows, question_rows, size_rows
from lethe.fingerprints import sha256_of
from lethe.jobs.benchmark_trials import judged_again as answer_judged
from lethe.parquet import read_rows, write_rows
from lethe.people.annotation.sample import CASES_PER_CATEGORY, draw_sample, sample_rows
from lethe.report.build import build_pages
from lethe.schemas import (
    ANNOTATION_SAMPLE,
    ANNOTATIONS,
    CASES,
    CROSSEVAL,
    CROSSEVAL_HISTORIES,
    CROSSEVAL_OPERATIONS,
    CROSSEVAL_QUESTIONS,
    CROSSEVAL_SIZES,
    EMBEDDERS,
    REPLICATION,
    TRIALS,
    VECTORS,
    Table,
)
from lethe.stored.cases import write_suite
from lethe.study.configured import setup_of
from lethe.study.inputs import Files
from lethe.study.paths import EMBEDDER_TRIALS, LATENCY_TRIALS
from lethe.study.plan import every_step
from lethe.study.replication.compare import compare_published
from lethe.study.replication.paper_alone import paper_alone
from lethe.study.setup import Setup
from lethe.tables.registry import build, figure_specs, table_specs
from lethe.tables.writing import FIGURE_FORMS, PAPER, draw_figures, write_tables
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE
from lethe.trust.manifest import write_manifest
from lethe.trust.recipe import write_recipe
from lethe.trust.versions import read_versions
from tests.support.config import of, shipped
from tests.support.paths import ROOT

SUITE, OTHER = "mine", "small"
SYSTEMS = ("lethe", "naive_sql", "oracle")
RUN = TRIALS.path.format(suite=SUITE, system="lethe")
ANSWERS = CROSSEVAL.path.format(benchmark="factcons", system="lethe")
EMBEDDER = "multilingual-e5-small"
PRODUCER = "code"
handed_in = Path("nothing")
"""Folder of what others handed in."""


@cache
def config() -> dict[str, Any]:
    """The shipped configuration with three systems, two suites and one benchmark."""
    found = shipped()
    found["suites"] = {
        name: {"label": name.capitalize(), "seed": seed, "cases_per_family": 2}
        for seed, name in enumerate((OTHER, SUITE))
    }
    found["systems"] = {name: found["systems"][name] for name in SYSTEMS}
    found["paper"] |= {"template_suite": OTHER, "adversarial_suite": SUITE}
    found["resamples"] = 100
    found["models"] = {}
    found["run"] |= {
        "workloads": ["embedders", "factcons"],
        "embedders": [EMBEDDER],
        "only": {"embedders": ["lethe"], "factcons": ["lethe", "naive_sql"]},
    }
    found["paper"]["held_out_suite"] = OTHER
    found["erasure"]["most_rows"] = {}
    found["datasets"] = str(ROOT / "tests/crosseval/data")
    found["crosseval"]["factcons_lengths"] = {"6k": "all"}
    return found


def setup(room: str = "") -> Setup:
    """The record of that configuration, of all tables or of those of a room."""
    checked = of(config())
    return setup_of(paper_alone(checked) if room == PAPER else checked, handed_in, Path("no-atlas"))


def write_bundle(root: Path) -> None:
    """Write the results, tables and manifest of a small workflow below `root`; figures and pages are left out."""
    for suite, options in config()["suites"].items():
        _write_suite(root, suite, build_suite(suite, options))
    _write_benchmark(root)
    _write_embedders(root)
    drawn = draw_sample(build_suite(SUITE, config()["suites"][SUITE]), CASES_PER_CATEGORY, setup().seed)
    write_rows(root / ANNOTATION_SAMPLE.path, ANNOTATION_SAMPLE, sample_rows(drawn), PRODUCER)
    write_rows(root / ANNOTATIONS.path, ANNOTATIONS, [], PRODUCER)
    analyse(root)
    tabulate(root)
    sign_off(root)


def analyse(root: Path, room: str = "") -> None:
    """Write everything that follows from the trials and answers below `root`, except tables."""
    for planned in every_step(setup(room)):
        made = planned.repeat(Files(root))
        for path, table in planned.outputs.items():
            write_rows(root / path, table, made[path], PRODUCER)
    write_rows(root / REPLICATION.path, REPLICATION, compare_published(setup(room), Files(root)), PRODUCER)


def tabulate(root: Path, room: str = "") -> None:
    """Write the tables of a room, or of all rooms, and their recipe."""
    write_tables(setup(room), root, room)
    write_recipe(root, setup(room), room)


def draw(root: Path) -> None:
    """Draw the figures."""
    draw_figures(setup(), root)


def sign_off(root: Path) -> None:
    """Write the manifest of what stands below `root`."""
    (root / MANIFEST_FILE).unlink(missing_ok=True)
    write_manifest(root, config(), [], PRODUCER)


def write_pages(root: Path) -> None:
    """Write the report."""
    files = Files(root)
    tables = {spec.name: build(spec, files) for spec in table_specs(setup())}
    figures = [root / FIGURE_FORMS["png"].format(name=spec.name) for spec in figure_specs(setup())]
    packages = read_versions(root / VERSIONS_FILE).environments
    pages = build_pages(setup(), files, tables, figures, sha256_of(root / MANIFEST_FILE), packages)
    for path, page in zip(PAGES, pages, strict=True):
        write_text(root / path, page)


def edit(root: Path, path: str, table: Table, change: Callable[[dict[str, Any]], Mapping[str, Any] | None]) -> None:
    """Replace each row of a file by what `change` makes of it; a row of which it makes nothing is left out."""
    changed = [change(row) for row in read_rows(root / path, table)]
    write_rows(root / path, table, [row for row in changed if row is not None], PRODUCER)


def change_cell(path: Path, column: str, row: int, value: Any) -> None:
    """Change one cell the way a hand would: read, set, write."""
    data = pq.read_table(path)
    values = data[column].to_pylist()
    values[row] = value
    place = data.column_names.index(column)
    field = data.schema.field(column)
    pq.write_table(data.set_column(place, field, pa.array(values, type=field.type)), path)


def _write_suite(root: Path, suite: str, cases: Sequence[Case]) -> None:
    write_suite(root / CASES.path.format(suite=suite), cases, PRODUCER)
    texts = list(dict.fromkeys(text for case in cases for text in case.texts()))
    vectors = np.random.default_rng(0).normal(size=(len(texts), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [{"text": text, "vector": vector.tolist()} for text, vector in zip(texts, vectors, strict=True)]
    write_rows(root / VECTORS.path.format(suite=suite), VECTORS, rows, PRODUCER)
    for name in SYSTEMS:
        trials = [_trial(name, place, case) for place, case in enumerate(cases)]
        write_rows(root / TRIALS.path.format(suite=suite, system=name), TRIALS, trials, PRODUCER)
    chosen = setup().latency
    first = first_of_each_category(cases, chosen.cases_per_category)
    for name in setup().timed() if suite == setup().adversarial_suite else ():
        timed = [{**_trial(name, 1, case), "repetition": n} for n in range(chosen.repetitions) for case in first]
        write_rows(root / LATENCY_TRIALS.format(system=name), TRIALS, timed, PRODUCER)


def _trial(name: str, place: int, case: Case) -> dict[str, Any]:
    """A trial that recalls the perfect memory's texts, or, of two systems and some cases, all that was inscribed."""
    inscribed = [*case.setup_facts, *(mutation.text for mutation in case.mutations if mutation.text is not None)]
    perfect = name == "oracle" or place % (2 if name == "lethe" else 3)
    recalled = list(case.gold_rows or ()) if perfect else inscribed
    found = judge(recalled, case)
    times = {"inscribe_ms": 1.0 + place, "mutate_ms": 2.0, "recall_ms": 0.5}
    trial = Trial(case.suite, name, "", 0, case.case_id, found.verdict, found.missing, found.leaked, recalled, **times)
    trial.probed_verdict = found.verdict
    return trial.to_row()


def _write_embedders(root: Path) -> None:
    cases = build_suite(SUITE, config()["suites"][SUITE])
    trials = [_trial("lethe", place + 1, case) for place, case in enumerate(cases)]
    write_rows(root / EMBEDDER_TRIALS.format(embedder=EMBEDDER, system="lethe"), TRIALS, trials, PRODUCER)
    said = {"source": "package", "languages": "", "dim": 8, "max_tokens": 128, "bytes": 1, "sha256": "0" * 64}
    rows = [{"embedder": name, **said} for name in (setup().embedder, EMBEDDER)]
    write_rows(root / EMBEDDERS.path, EMBEDDERS, rows, PRODUCER)


def _write_benchmark(root: Path) -> None:
    questions = [
        Question(f"q{number}", "sh_6k", f"Where is {number}?", criterion="any", required=(f"place {number}",))
        for number in range(6)
    ]
    facts = [Operation("inscribe", None, f"Thing {number} is at place {number}.") for number in range(6)]
    history = History("6k", (*facts, *questions))
    names = {"benchmark": "factcons"}
    operations = operation_rows("factcons", [history])
    write_rows(root / CROSSEVAL_OPERATIONS.path.format(**names), CROSSEVAL_OPERATIONS, operations, PRODUCER)
    asked = question_rows("factcons", [history])
    write_rows(root / CROSSEVAL_QUESTIONS.path.format(**names), CROSSEVAL_QUESTIONS, asked, PRODUCER)
    sizes = size_rows("factcons", [history], {history.name: len(facts)}, released=True)
    write_rows(root / CROSSEVAL_SIZES.path.format(**names), CROSSEVAL_SIZES, sizes, PRODUCER)
    for name in ("lethe", "naive_sql"):
        key = {"benchmark": "factcons", "system": name, "model": "", "history": "6k"}
        answers = [
            answer_judged(
                {
                    **key,
                    "question_id": question.question_id,
                    "recalled": [f"Thing {number} is at place {number if number % 2 else 9}."],
                    "recall_ms": 1.0,
                    "error": None,
                },
                question,
            )
            for number, question in enumerate(questions)
        ]
        write_rows(root / CROSSEVAL.path.format(**names, system=name), CROSSEVAL, answers, PRODUCER)
        counts = ("inscribed", "mutated", "not_expressed", "fallbacks", "llm_calls", "tokens_in", "tokens_out")
        times = ("inscribe_ms", "mutate_ms", "cost_usd", "answer_ms")
        replay = {
            **key,
            **dict.fromkeys(counts, 0),
            **dict.fromkeys(times, 0.0),
            "inscribed": len(facts),
            "error": None,
        }
        write_rows(
            root / CROSSEVAL_HISTORIES.path.format(**names, system=name), CROSSEVAL_HISTORIES, [replay], PRODUCER
        )
