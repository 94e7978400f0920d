"""Every table and figure of the workflow: its name, the files it is made of, and what builds it.

To change what a table says, edit its builder; to add one, write a builder and name it here.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lethe.analysis.inputs import PUBLISHED, Inputs
from lethe.analysis.results import SuiteResults
from lethe.analysis.setup import Setup
from lethe.parquet import Row
from lethe.schemas import (
    ABLATION,
    AGREEMENT,
    CROSSEVAL_SCORES,
    JUDGEMENTS,
    LABEL_PARTITION,
    LATENCY,
    LLM_RUNS,
    MAJORITY_CASES,
    NEAR_DUPLICATES,
    PAIRED,
    RATER_PAIRS,
    REPLICATION,
    SCORER_AUDIT,
    SCORES,
    STORE_SIZE,
)
from lethe.tables.agreement import (
    agreement_table,
    disagreement_table,
    judge_agreement_table,
    published_judges_table,
)
from lethe.tables.checks import near_duplicates_table, scorer_audit_cases_table, scorer_audit_table
from lethe.tables.comparisons import (
    embedder_ablation_table,
    label_partition_table,
    latency_table,
    paired_tests_table,
)
from lethe.tables.crosseval import CROSSEVAL, CrossevalResults
from lethe.tables.judges import judge_audit_table, judge_matrix_table
from lethe.tables.matcher import ablation_table, held_out_table
from lethe.tables.models import cross_architecture_table, cross_llm_table, llm_cost_table
from lethe.tables.replication import replication_summary_table, replication_table
from lethe.tables.suites import (
    DIFFICULTY,
    EXTENDED_SUFFIX,
    SCRIPTS,
    category_table,
    controls_table,
    cut_table,
    empty_suite_table,
    extended_category_table,
    naive_sql_table,
    provenance_table,
    template_table,
)
from lethe.tables.systems import EXTENDED, ecosystem_table, extended_table
from lethe.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class TableSpec:
    """One table: `inputs` are paths relative to the output folder, or `PUBLISHED`; `build` may read no others."""

    name: str
    inputs: Sequence[str]
    build: Callable[[Inputs], Table]


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """One figure; see `TableSpec`."""

    name: str
    inputs: Sequence[str]
    draw: Callable[[Inputs], "Figure"]


def table_specs(setup: Setup) -> list[TableSpec]:
    """Every table, in the order in which the report shows them."""
    return [
        *_paper_tables(setup),
        *_suite_tables(setup),
        *_model_tables(setup),
        *_system_tables(setup),
        *_crosseval_tables(setup),
        *_comparison_tables(setup),
        *_check_tables(setup),
        *_annotation_tables(setup),
    ]


def all_inputs(specs: Iterable[TableSpec | FigureSpec]) -> list[str]:
    """Every file that some specification reads, sorted."""
    return sorted({path for spec in specs for path in spec.inputs})


def build_table(spec: TableSpec, inputs: Inputs) -> Table:
    """The table of a specification, made of its inputs alone."""
    return spec.build(inputs.only(spec.inputs))


def figure_specs(setup: Setup) -> list[FigureSpec]:
    """Every figure."""
    adversarial, axis = setup.adversarial_suite, setup.store_size

    def heatmap(read: Inputs) -> "Figure":
        from lethe.tables.figures.heatmap import draw_heatmap

        return draw_heatmap(read.results(adversarial))

    def trade_off(read: Inputs) -> "Figure":
        from lethe.tables.figures.trade_off import draw_trade_off

        recall = read.rows(CROSSEVAL_SCORES, benchmark="memora") if memora else []
        return draw_trade_off(read.results(adversarial), recall, setup)

    def store_size(read: Inputs) -> "Figure":
        from lethe.tables.figures.store_size import draw_store_size

        return draw_store_size(read.rows(STORE_SIZE), setup)

    memora = [CROSSEVAL_SCORES.path.format(benchmark="memora")] if setup.benchmarks["memora"].runs else []
    figures = [
        FigureSpec("heatmap", [_scores(adversarial)], heatmap),
        FigureSpec("trade_off", [_scores(adversarial), *memora], trade_off),
    ]
    return [*figures, FigureSpec("store_size", [STORE_SIZE.path], store_size)] if axis.enabled else figures


def _scores(suite: str) -> str:
    return SCORES.path.format(suite=suite)


def _of_suite(name: str, suite: str, build: Callable[[SuiteResults], Table]) -> TableSpec:
    return TableSpec(name, [_scores(suite)], lambda read: build(read.results(suite)))


def _paper_tables(setup: Setup) -> list[TableSpec]:
    adversarial = setup.adversarial_suite
    difficulty = DIFFICULTY.format(reference=setup.reference_label)
    return [
        _of_suite("template", setup.template_suite, template_table),
        _of_suite("adversarial", adversarial, lambda results: category_table(results, "adversarial")),
        _of_suite("naive_sql", adversarial, naive_sql_table),
        _of_suite("provenance", adversarial, provenance_table),
        _of_suite("difficulty", adversarial, lambda found: cut_table(found, "difficulty", "difficulty", difficulty)),
        _of_suite("by_script", adversarial, lambda found: cut_table(found, "script", "by_script", SCRIPTS)),
        TableSpec(
            "controls",
            [_scores(suite) for suite in setup.suites],
            lambda read: controls_table([read.results(suite) for suite in setup.suites], setup.empty_suites),
        ),
    ]


def _suite_tables(setup: Setup) -> list[TableSpec]:
    """A table by category of every suite that is not of the paper, and of the extended systems on each suite."""

    def by_category(name: str, suite: str) -> TableSpec:
        build = extended_category_table if name.endswith(EXTENDED_SUFFIX) else category_table
        return _of_suite(name, suite, lambda results: build(results, name))

    others = [suite for suite in setup.suites if suite not in (setup.template_suite, setup.adversarial_suite)]
    return [
        *(by_category(f"suite_{suite}", suite) for suite in others),
        *(_empty_suite(f"suite_{suite}", suite, setup) for suite in setup.empty_suites),
        by_category(f"adversarial{EXTENDED_SUFFIX}", setup.adversarial_suite),
        *(by_category(f"suite_{suite}{EXTENDED_SUFFIX}", suite) for suite in others),
    ]


def _empty_suite(name: str, suite: str, setup: Setup) -> TableSpec:
    return TableSpec(name, [], lambda _: empty_suite_table(name, setup.empty_suites[suite]))


def _model_tables(setup: Setup) -> list[TableSpec]:
    adversarial = setup.adversarial_suite
    runs = {suite: LLM_RUNS.path.format(suite=suite) for suite in setup.suites}
    return [
        TableSpec(
            "cross_llm",
            [_scores(adversarial), runs[adversarial]],
            lambda read: cross_llm_table(read.results(adversarial), read.rows(LLM_RUNS, suite=adversarial), setup),
        ),
        _of_suite("cross_architecture", adversarial, cross_architecture_table),
        TableSpec(
            "llm_cost",
            list(runs.values()),
            lambda read: llm_cost_table([run for suite in runs for run in read.rows(LLM_RUNS, suite=suite)], setup),
        ),
    ]


def _system_tables(setup: Setup) -> list[TableSpec]:
    adversarial, held_out = setup.adversarial_suite, setup.held_out_suite
    held_out_runs = held_out in setup.suites

    def extended(name: str) -> TableSpec:
        suite = "external" if EXTENDED[name].external else adversarial
        runs = suite in setup.suites
        empty = setup.empty_suites.get(suite)
        absent = empty.reason if empty else "not run: left out by run.suites"
        return TableSpec(
            name,
            [*([_scores(suite)] if runs else []), PUBLISHED],
            lambda read: extended_table(name, read.results(suite) if runs else None, setup, read.published(), absent),
        )

    return [
        *map(extended, EXTENDED),
        TableSpec(
            "ecosystem",
            [_scores(adversarial), PUBLISHED],
            lambda read: ecosystem_table(read.results(adversarial), read.published()),
        ),
        TableSpec(
            "matcher_held_out",
            [_scores(suite) for suite in (adversarial, held_out) if suite in setup.suites],
            lambda read: held_out_table(
                read.results(adversarial), read.results(held_out) if held_out_runs else None, setup
            ),
        ),
        TableSpec(
            "matcher_ablation",
            [ABLATION.path] if setup.matcher_runs else [],
            lambda read: ablation_table(
                read.rows(ABLATION) if setup.matcher_runs else [], setup.suites[adversarial].label
            ),
        ),
    ]


def _crosseval_tables(setup: Setup) -> list[TableSpec]:
    def spec(name: str) -> TableSpec:
        benchmark, build = CROSSEVAL[name]
        options = setup.benchmarks[benchmark]

        def table(read: Inputs) -> Table:
            scores = read.rows(CROSSEVAL_SCORES, benchmark=benchmark) if options.runs else []
            return build(CrossevalResults(scores, options, setup, read.published()))

        return TableSpec(
            name, [*([CROSSEVAL_SCORES.path.format(benchmark=benchmark)] if options.runs else []), PUBLISHED], table
        )

    return [spec(name) for name in CROSSEVAL]


def _comparison_tables(setup: Setup) -> list[TableSpec]:
    suite = setup.adversarial_suite
    return [
        TableSpec(
            "paired_tests",
            [PAIRED.path.format(suite=suite), PUBLISHED],
            lambda read: paired_tests_table(read.rows(PAIRED, suite=suite), setup, read.published()),
        ),
        TableSpec(
            "latency",
            [*(LATENCY.path.format(suite=name) for name in setup.suites), PUBLISHED],
            lambda read: latency_table(
                [row for name in setup.suites for row in read.rows(LATENCY, suite=name)], setup, read.published()
            ),
        ),
        TableSpec(
            "label_partition",
            [LABEL_PARTITION.path.format(suite=suite), PUBLISHED],
            lambda read: label_partition_table(read.rows(LABEL_PARTITION, suite=suite), setup, read.published()),
        ),
        TableSpec(
            "embedder_ablation",
            [_scores(suite), PUBLISHED],
            lambda read: embedder_ablation_table(read.results(suite), setup, read.published()),
        ),
        TableSpec(
            "replication_summary", [REPLICATION.path], lambda read: replication_summary_table(read.rows(REPLICATION))
        ),
        TableSpec("replication", [REPLICATION.path], lambda read: replication_table(read.rows(REPLICATION))),
    ]


def _check_tables(setup: Setup) -> list[TableSpec]:
    suite = setup.adversarial_suite
    label, audit = setup.suites[suite].label, SCORER_AUDIT.path.format(suite=suite)
    return [
        TableSpec(
            "scorer_audit", [audit], lambda read: scorer_audit_table(read.rows(SCORER_AUDIT, suite=suite), label)
        ),
        TableSpec(
            "scorer_audit_cases", [audit], lambda read: scorer_audit_cases_table(read.rows(SCORER_AUDIT, suite=suite))
        ),
        TableSpec(
            "near_duplicates",
            [NEAR_DUPLICATES.path.format(suite=suite)],
            lambda read: near_duplicates_table(read.rows(NEAR_DUPLICATES, suite=suite), label),
        ),
    ]


def _annotation_tables(setup: Setup) -> list[TableSpec]:
    suite = setup.adversarial_suite
    judging = [JUDGEMENTS.path.format(suite=suite, model=name) for name in setup.judges]

    def judgements(read: Inputs) -> list[Row]:
        return [row for name in setup.judges for row in read.rows(JUDGEMENTS, suite=suite, model=name)]

    return [
        TableSpec("judge_audit", judging, lambda read: judge_audit_table(judgements(read), setup)),
        TableSpec("judge_matrix", judging, lambda read: judge_matrix_table(judgements(read), setup)),
        TableSpec(
            "agreement",
            [AGREEMENT.path, PUBLISHED],
            lambda read: agreement_table(read.rows(AGREEMENT), setup, read.published()),
        ),
        TableSpec(
            "judge_agreement",
            [RATER_PAIRS.path, AGREEMENT.path],
            lambda read: judge_agreement_table(read.rows(RATER_PAIRS), bool(read.rows(AGREEMENT)), setup),
        ),
        TableSpec("judge_agreement_published", [PUBLISHED], lambda read: published_judges_table(read.published())),
        TableSpec(
            "judge_disagreements",
            [MAJORITY_CASES.path, PUBLISHED],
            lambda read: disagreement_table(read.rows(MAJORITY_CASES), setup, read.published()),
        ),
    ]
