"""Every table and figure of the workflow: its name, the files it is made of, and what builds it.

To change what a table says, edit its builder; to add one, write a builder and name it here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from lethe import schemas
from lethe.parquet import Row
from lethe.study import inputs
from lethe.study.inputs import PUBLISHED, Files, Input, given, joined, keyed, listed, paths_of, rows
from lethe.study.published import Published
from lethe.study.setup import ABLATED, Setup
from lethe.tables import (
    agreement,
    checks,
    comparisons,
    crosseval,
    embedders,
    erasure,
    handed_in,
    judge_labels,
    judges,
    long,
    matcher,
    model_size,
    models,
    replication,
    states,
    suites,
    systems,
    worth,
)  # fmt: skip
from lethe.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: `build` is called with what is read from the inputs, in their order."""

    name: str
    inputs: Sequence[Input]
    build: Callable[..., Table]


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure; see `TableSpec`."""

    name: str
    inputs: Sequence[Input]
    build: Callable[..., "Figure"]


def all_paths(specs: Iterable[TableSpec | FigureSpec]) -> list[str]:
    """Every file that some specification reads, sorted."""
    return sorted({path for spec in specs for path in paths_of(spec.inputs)})


def build(spec: TableSpec | FigureSpec, files: Files) -> Any:
    """The table or figure of a specification."""
    return spec.build(*(part.load(files) for part in spec.inputs))


def table_specs(setup: Setup) -> list[TableSpec]:
    """Every table, in the order in which the report shows them."""
    adversarial = setup.adversarial_suite
    label, scores = setup.suites[adversarial].label, inputs.results(setup, adversarial)
    record = given(setup)
    llm_runs = {suite: rows(schemas.LLM_RUNS, suite=suite) for suite in setup.suites}
    choices = [rows(schemas.HOOK_CHOICES, suite=suite) for suite in setup.suites]
    audit = rows(schemas.SCORER_AUDIT, suite=adversarial)
    judged, judged_labels = _judgements(adversarial, setup), _judgements(setup.labelled_suite, setup)
    annotated = rows(schemas.AGREEMENT)
    facts = rows(schemas.FACT_STATES, suite=adversarial)
    histories = _long(setup)
    held_out = inputs.results(setup, setup.held_out_suite) if setup.held_out_suite in setup.suites else given(None)
    ablation = rows(schemas.ABLATION) if setup.matcher_runs else given([])
    without_matcher = setup.suites[adversarial].not_run.get(ABLATED, matcher.LEFT_OUT)
    paired, partition, near = (
        rows(table, suite=adversarial) for table in (schemas.PAIRED, schemas.LABEL_PARTITION, schemas.NEAR_DUPLICATES)
    )
    replicas = _released(schemas.REPLICAS, setup)
    compared = keyed({suite: inputs.results(setup, suite) for suite in setup.compared_suites().values()})
    latency = rows(schemas.LATENCY)

    def labels(table: schemas.Table) -> Input:
        return rows(table) if setup.labelled_suite else given([])

    return [
        TableSpec("template", [inputs.results(setup, setup.template_suite)], suites.template_table),
        TableSpec("adversarial", [scores, latency], partial(suites.category_table, name="adversarial")),
        TableSpec("states", [scores, facts], partial(states.states_table, name="states")),
        *(
            TableSpec(
                "states_held_out",
                [held_out, rows(schemas.FACT_STATES, suite=setup.held_out_suite)],
                partial(states.states_table, name="states_held_out"),
            )
            for _ in [setup.held_out_suite]
            if setup.held_out_suite in setup.suites
        ),
        TableSpec(
            "twins", [joined(rows(schemas.TWINS, suite=suite) for suite in setup.twins()), record], states.twins_table
        ),
        TableSpec("states_by_operation", [scores, facts], states.operations_table),
        TableSpec("states_by_category", [scores, facts], states.categories_table),
        TableSpec("naive_sql", [scores], suites.naive_sql_table),
        TableSpec("provenance", [scores], suites.provenance_table),
        TableSpec("difficulty", [scores], partial(suites.difficulty_table, reference=setup.reference_label)),
        TableSpec("by_script", [scores], suites.script_table),
        TableSpec(
            "controls",
            [given(setup.empty_suites), *(inputs.results(setup, suite) for suite in setup.suites)],
            suites.controls_table,
        ),
        *_suite_tables(setup),
        TableSpec("cross_llm", [scores, llm_runs[adversarial], record], models.cross_llm_table),
        TableSpec("cross_architecture", [scores], models.cross_architecture_table),
        TableSpec(
            "model_size",
            [keyed(_by_suite(setup)), joined(llm_runs.values()), record, PUBLISHED],
            model_size.model_size_table,
        ),
        TableSpec("hook_choices", [joined(choices), record], model_size.hook_choices_table),
        TableSpec("llm_cost", [joined(llm_runs.values()), record], models.llm_cost_table),
        *(_extended(name, setup) for name in systems.EXTENDED),
        TableSpec("ecosystem", [scores, _samples(setup, adversarial), latency, PUBLISHED], systems.ecosystem_table),
        TableSpec("handed_in", [inputs.handed_in(setup), record], handed_in.handed_in_table),
        TableSpec("matcher_held_out", [scores, held_out, record], matcher.held_out_table),
        TableSpec(
            "matcher_ablation", [ablation], partial(matcher.ablation_table, suite=label, not_run=without_matcher)
        ),
        TableSpec("long", [histories, record], long.long_table),
        *(TableSpec(name, [histories, record], partial(long.part_table, name=name)) for name in long.PART_TABLES),
        TableSpec("erasure", [_erasure(schemas.ERASURE_SCORES, setup), record], erasure.erasure_table),
        TableSpec("erasure_traces", [_erasure(schemas.ERASURE_TRACES, setup), record], erasure.erasure_traces_table),
        *(_crosseval(name, setup) for name in crosseval.TABLES),
        TableSpec("paired_tests", [paired, record, PUBLISHED], comparisons.paired_tests_table),
        TableSpec("latency", [latency, record, PUBLISHED], comparisons.latency_table),
        TableSpec("label_partition", [partition, record, PUBLISHED], comparisons.label_partition_table),
        TableSpec(
            "embedder_ablation",
            [rows(schemas.EMBEDDER_ABLATION), rows(schemas.EMBEDDERS), record, PUBLISHED],
            embedders.embedder_ablation_table,
        ),
        TableSpec("replication_summary", [rows(schemas.REPLICATION)], replication.replication_summary_table),
        TableSpec("replicas", [replicas, compared, record], replication.replicas_table),
        TableSpec("replica_differences", [replicas, record], replication.replica_differences_table),
        TableSpec("claims", [_released(schemas.CLAIMS, setup), record], worth.claims_table),
        TableSpec("pass_worth", [_released(schemas.PASS_WORTH, setup), record], worth.pass_worth_table),
        TableSpec("na_readings", [_released(schemas.NA_READINGS, setup), record, PUBLISHED], worth.na_readings_table),
        TableSpec("paired_released", [_released(schemas.PAIRED_RELEASED, setup), record], worth.paired_released_table),
        TableSpec("replication", [rows(schemas.REPLICATION)], replication.replication_table),
        TableSpec("replication_other_suites", [rows(schemas.REPLICATION)], replication.other_suites_table),
        TableSpec("scorer_audit", [audit], partial(checks.scorer_audit_table, suite=label)),
        TableSpec("scorer_audit_cases", [audit], checks.scorer_audit_cases_table),
        TableSpec("near_duplicates", [near], partial(checks.near_duplicates_table, suite=label)),
        TableSpec("judge_audit", [judged, record], judges.judge_audit_table),
        TableSpec("judge_matrix", [judged, record], judges.judge_matrix_table),
        TableSpec(
            "judge_labels",
            [labels(schemas.RELEASED_JUDGES), judged_labels, record],
            judge_labels.judge_labels_table,
        ),
        TableSpec(
            "agreement", [annotated, labels(schemas.RELEASED_AGREEMENT), record, PUBLISHED], agreement.agreement_table
        ),
        TableSpec("judge_agreement", [rows(schemas.RATER_PAIRS), annotated, record], agreement.judge_agreement_table),
        TableSpec(
            "judge_agreement_published",
            [labels(schemas.RELEASED_RATERS), record, PUBLISHED],
            agreement.published_judges_table,
        ),
        TableSpec(
            "judge_disagreements",
            [rows(schemas.MAJORITY_CASES), labels(schemas.RELEASED_MAJORITY), record, PUBLISHED],
            agreement.disagreement_table,
        ),
    ]


def figure_specs(setup: Setup) -> list[FigureSpec]:
    """Every figure."""
    scores, record = inputs.results(setup, setup.adversarial_suite), given(setup)
    figures = [
        FigureSpec("heatmap", [scores], _heatmap),
        FigureSpec("model_size", [keyed(_by_suite(setup)), record, PUBLISHED], _model_size),
        FigureSpec("pass_worth", [_released(schemas.PASS_WORTH, setup), record], _pass_worth),
        FigureSpec("trade_off", [scores, _crosseval_scores("memora", setup), record], _trade_off),
    ]
    if setup.long.configurations:
        figures.append(FigureSpec("long", [rows(schemas.LONG_SCORES), record], _long_figure))
    if setup.erasure.stores:
        figures.append(FigureSpec("erasure", [rows(schemas.ERASURE_SCORES), record], _erasure_figure))
    if setup.store_size.enabled:
        figures.append(FigureSpec("store_size", [rows(schemas.STORE_SIZE), record], _store_size))
    return figures


def _by_suite(setup: Setup) -> dict[str, Input]:
    return {suite: inputs.results(setup, suite) for suite in setup.suites}


def _long(setup: Setup) -> Input:
    return rows(schemas.LONG_SCORES) if setup.long.configurations else given([])


def _erasure(table: schemas.Table, setup: Setup) -> Input:
    return rows(table) if setup.erasure.stores else given([])


def _judgements(suite: str | None, setup: Setup) -> Input:
    return (
        joined(rows(schemas.JUDGEMENTS, suite=suite, model=name) for name in setup.judging(suite))
        if suite
        else given([])
    )


def _released(table: schemas.Table, setup: Setup) -> Input:
    return joined(rows(table, suite=suite) for suite in setup.compared_suites().values())


def _suite_tables(setup: Setup) -> list[TableSpec]:
    """A table by category of every suite that is not of the paper, and of the extended systems on each suite."""
    others = [suite for suite in setup.suites if suite not in (setup.template_suite, setup.adversarial_suite)]
    extended = {"adversarial": setup.adversarial_suite, **{f"suite_{suite}": suite for suite in others}}

    def spec(name: str, suite: str, table: Callable[..., Table]) -> TableSpec:
        return TableSpec(name, [inputs.results(setup, suite)], partial(table, name=name))

    return [
        *(spec(f"suite_{suite}", suite, suites.category_table) for suite in others),
        *(
            TableSpec(f"suite_{name}", [given(f"suite_{name}"), given(suite)], suites.empty_suite_table)
            for name, suite in setup.empty_suites.items()
        ),
        *(spec(f"{name}_extended", suite, suites.extended_category_table) for name, suite in extended.items()),
    ]


def _extended(name: str, setup: Setup) -> TableSpec:
    suite = setup.release.suites["external"] if systems.EXTENDED[name].external else setup.adversarial_suite
    empty = setup.empty_suites.get(suite)
    absent = empty.reason if empty else "not run: left out by run.suites"
    scores = inputs.results(setup, suite) if suite in setup.suites else given(None)
    build = partial(systems.extended_table, name, absent=absent)
    return TableSpec(name, [scores, _samples(setup, suite), given(setup), PUBLISHED], build)


def _samples(setup: Setup, suite: str) -> Input:
    """The scores of the suites that hold some of the cases of another, as a list of `SuiteResults`."""
    return listed(inputs.results(setup, name) for name in setup.samples_of(suite))


def _crosseval(name: str, setup: Setup) -> TableSpec:
    benchmark, table = crosseval.TABLES[name]

    def build(scores: Sequence[Row], published: Published) -> Table:
        return table(crosseval.CrossevalResults(scores, setup.benchmarks[benchmark], setup, published))

    return TableSpec(name, [_crosseval_scores(benchmark, setup), PUBLISHED], build)


def _crosseval_scores(benchmark: str, setup: Setup) -> Input:
    return rows(schemas.CROSSEVAL_SCORES, benchmark=benchmark) if setup.benchmarks[benchmark].runs else given([])


# Matplotlib is slow to import, and the rules read this module.
def _heatmap(*arguments: Any) -> "Figure":
    from lethe.tables.figures.heatmap import draw_heatmap

    return draw_heatmap(*arguments)


def _model_size(*arguments: Any) -> "Figure":
    from lethe.tables.figures.model_size import draw_model_size

    return draw_model_size(*arguments)


def _pass_worth(*arguments: Any) -> "Figure":
    from lethe.tables.figures.pass_worth import draw_pass_worth

    return draw_pass_worth(*arguments)


def _trade_off(*arguments: Any) -> "Figure":
    from lethe.tables.figures.trade_off import draw_trade_off

    return draw_trade_off(*arguments)


def _long_figure(*arguments: Any) -> "Figure":
    from lethe.tables.figures.long import draw_long

    return draw_long(*arguments)


def _erasure_figure(*arguments: Any) -> "Figure":
    from lethe.tables.figures.erasure import draw_erasure

    return draw_erasure(*arguments)


def _store_size(*arguments: Any) -> "Figure":
    from lethe.tables.figures.store_size import draw_store_size

    return draw_store_size(*arguments)
