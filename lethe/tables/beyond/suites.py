"""The tables of one suite: by category, by another cut, by system; and the controls of all suites."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, in_known_order
from lethe.schemas import ALL, SCORERS, WITHOUT_COMPOUND
from lethe.study import inputs
from lethe.study.inputs import Input, listed
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import NOTE, competes, with_best
from lethe.tables.registry import table
from lethe.tables.sources import every_results, main_results, record, results_of
from lethe.tables.table import Cell, Table, numbers
from lethe.tables.words import distinct_words, words_within

_COUNTING = "Cells: cases passed (percent of all cases; N/A and errors count against a system); [n]: n of them N/A."
ABSENT = "What did not run, and why, stands in the table “not run”."
_OVERALL = "Overall"
_TOTALS = ("without compound fact", "all", "95 % interval (%)")
_CONTROLS = (
    "null returns nothing, nuke empties itself at any mutation, verbatim never forgets, frozen ignores every mutation, "
    "new facts included, oracle recalls the gold memories."
)


@table("own_template", inputs=(results_of(lambda setup: setup.template_suite),))
def template_table(results: SuiteResults) -> Table:
    """The template suite by system; a configuration that did not run has a note instead of a row."""

    def row(name: str) -> list[Cell]:
        score = results.scores[name, results.scorer, "overall", ALL]
        return [
            cells.label(results.label_of(name)),
            cells.passes_of_all(score, 2),
            cells.ends_of(score, 2),
            cells.count(score["na"]),
            cells.count(score["errors"]),
        ]

    shown = [results.ran(results.names(controls=controls)) for controls in (False, True)]
    table = Table(
        "own_template",
        f"{results.label} suite ({results.cases()} cases), measured here, {results.scorer} scorer, with 95 % Wilson "
        "intervals. N/A and errors count against the pass rate.",
        ("System", "Pass (%)", "Wilson 95 % interval (%)", "N/A", "Errors"),
        [[row(name) for name in names] for names in shown],
        remarks(results),
    )
    return with_best(table, [competes(results, name) for names in shown for name in names], highest=[1])


@table("own_adversarial", inputs=(main_results,))
def adversarial_table(results: SuiteResults) -> Table:
    """The adversarial suite by category and configuration, the controls below the systems.

    A configuration that did not run has a note instead of a row.
    """
    return system_rows(
        results,
        _all_names(results),
        "own_adversarial",
        "category",
        f"{results.label} suite by category ({results.cases()} cases), measured here, {results.scorer} scorer. The "
        f"last rows are controls: {_CONTROLS} {_COUNTING}",
    )


def _others(setup: Setup) -> Input:
    """The scores of the suites that have no table of their own."""
    own = (setup.template_suite, setup.adversarial_suite)
    return listed(inputs.results(setup, suite) for suite in setup.suites if suite not in own)


@table("suites_by_category", inputs=(_others, record))
def suites_table(suites: Sequence[SuiteResults], setup: Setup) -> Table:
    """Every further suite of the ten categories by category, a section for each suite."""
    shown = _over_suites("suites_by_category", "Further suites by category", list(filter(_of_ours, suites)))
    empty = [
        [[cells.label(suite.label), *cells.not_run_row(suite.reason, len(shown.header) - 1)]]
        for suite in setup.empty_suites.values()
    ]
    return replace(shown, sections=[*shown.sections, *empty] or [[cells.not_run_row("not run", len(shown.header))]])


@table("suites_by_own_category", inputs=(_others,), latex=False)
def own_categories_table(suites: Sequence[SuiteResults]) -> Table:
    """Every suite that has categories of its own, in the same way."""
    others = [results for results in suites if not _of_ours(results)]
    shown = _over_suites("suites_by_own_category", "Suites with categories of their own", others)
    return shown if shown.sections else replace(shown, sections=[[cells.not_run_row("not run", len(shown.header))]])


def _of_ours(results: SuiteResults) -> bool:
    return set(results.values("category")) <= set(ADVERSARIAL_CATEGORIES)


def _over_suites(name: str, title: str, suites: Sequence[SuiteResults]) -> Table:
    """The tables by category of several suites as one: a section for each suite, which begins with its cases."""
    by_suite = [(results, system_rows(results, _all_names(results), name, "category", "")) for results in suites]
    parts = in_known_order(part for results in suites for part in results.values("category"))
    totals = [f"{_OVERALL}, {title}" for title in _TOTALS]
    heads = [*distinct_words(parts), *totals]

    def aligned(results: SuiteResults, cells_of: Sequence[Cell]) -> list[Cell]:
        """The cells of a row of one suite below the heads of all."""
        own = results.values("category")
        by_part = dict(zip(own, cells_of[: len(own)], strict=True))
        by_total = dict(zip(_total_heads(results), cells_of[len(own) :], strict=True))
        return [
            *(by_part.get(part, cells.BLANK) for part in parts),
            *(by_total.get(head, cells.BLANK) for head in totals),
        ]

    def section(results: SuiteResults, shown: Table) -> list[list[Cell]]:
        sizes = [results.cases(part, "category") for part in results.values("category")]
        sizes += [results.cases(WITHOUT_COMPOUND)] * (len(_total_heads(results)) == len(_TOTALS)) + [results.cases()]
        first = [cells.label("cases"), *aligned(results, [*map(cells.count, sizes), cells.BLANK])]
        rows = [first, *([row[0], *aligned(results, row[2:])] for row in shown.rows())]
        return [[cells.label(results.label), *row] for row in rows]

    return Table(
        name,
        f"{title}, measured here, {suites[0].scorer if suites else 'no'} scorer. The last rows of a suite are "
        f"controls: {_CONTROLS} {_COUNTING}",
        ("Suite", "System", *heads),
        [section(results, shown) for results, shown in by_suite],
        notes_of_suites((results.label, shown.notes) for results, shown in by_suite),
        wide=True,
        long=True,
        kinds=("label", "label", *numbers(len(heads))),
        groups=("", "", *["Cases passed, by category"] * len(parts), *[_OVERALL] * len(_TOTALS)),
        section=0,
    )


def remarks(results: SuiteResults, names: Sequence[str] | None = None) -> list[str]:
    """The notes of a table on a suite; the reasons of what did not run stand in a table of their own."""
    absent = results.not_run if names is None else results.not_run.keys() & set(names)
    return [*([ABSENT] if absent else []), *results.remarks(names)]


def notes_of_suites(notes: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """The notes of several suites, by the suites' labels, each with its suite; what is said of all, once."""
    return list(
        dict.fromkeys(note if note in (NOTE, ABSENT) else f"{label}: {note}" for label, own in notes for note in own)
    )


def _all_names(results: SuiteResults) -> list[str]:
    return [*results.names(controls=False), *results.names(controls=True)]


def _total_heads(results: SuiteResults) -> list[str]:
    """The heads of the totals of one suite; without the compound facts, only where it has such and others."""
    within = 0 < results.cases(WITHOUT_COMPOUND) < results.cases()
    return [f"{_OVERALL}, {title}" for title in (_TOTALS if within else _TOTALS[1:])]


def by_regime(results: SuiteResults, names: Sequence[str]) -> list[str]:
    """Those of `names` that ran, the configurations of a regime together."""
    regimes = list(dict.fromkeys(results.configurations[name].regime for name in names))
    return sorted(results.ran(names), key=lambda name: regimes.index(results.configurations[name].regime))


def system_rows(results: SuiteResults, names: Sequence[str], name: str, cut: str, caption: str) -> Table:
    """A suite by a cut: a row for each configuration that ran, a section for each regime, a column for each part.

    By category, the totals and their interval are shown too.
    """
    parts, cases = results.values(cut), results.cases()
    heads = [f"{head} (n={results.cases(part, cut)})" for part, head in zip(parts, distinct_words(parts), strict=True)]
    totals: list[tuple[str, Callable[[Score], Cell], str]] = []
    if cut == "category":
        without = results.cases(WITHOUT_COMPOUND)
        if 0 < without < cases:
            totals.append((f"without compound fact (n={without})", cells.passes, WITHOUT_COMPOUND))
        totals += [(f"all (n={cases})", cells.passes, ALL), ("95 % interval (%)", cells.ends_of, ALL)]

    def row(each: str) -> list[Cell]:
        scores = (results.score(each, value) for _, _, value in totals)
        return [
            cells.label(results.label_of(each)),
            cells.named(results.configurations[each].regime),
            *(cells.passes(results.score(each, part, cut)) for part in parts),
            *(
                cells.NOT_RUN if score is None else cell(score)
                for score, (_, cell, _) in zip(scores, totals, strict=True)
            ),
        ]

    ran = by_regime(results, names)
    sections = [
        [row(each) for each in together]
        for _, together in groupby(ran, key=lambda one: results.configurations[one].regime)
    ]
    shown = Table(
        name,
        caption,
        ("System", "Regime", *heads, *(f"{_OVERALL}, {title}" for title, _, _ in totals)),
        sections or [[cells.not_run_row("not run", 2 + len(parts) + len(totals))]],
        remarks(results, names),
        wide=True,
        groups=("", "", *[f"Cases passed, by {words_within(cut)}"] * len(parts), *[_OVERALL] * len(totals)),
        section=1,
    )
    compared = range(2, len(shown.header) - (cut == "category"))
    return with_best(shown, [competes(results, each) for each in ran], highest=compared) if ran else shown


@table("difficulty", inputs=(main_results, record), latex=False)
def difficulty_table(results: SuiteResults, setup: Setup) -> Table:
    """The adversarial suite by post-hoc difficulty, which the reference system defines."""
    return cut_table(
        results,
        "difficulty",
        "difficulty",
        "Post-hoc difficulty: the cases written first are manual; of the others, easy are those that the reference "
        f"system {setup.reference_label} passes and hard those that it fails, so its own column restates the labels.",
    )


@table("by_script", inputs=(main_results,))
def script_table(results: SuiteResults) -> Table:
    """The cross-lingual cases by script."""
    return cut_table(results, "script", "by_script", "Cross-lingual cases by script.")


def cut_table(results: SuiteResults, cut: str, name: str, caption: str) -> Table:
    """A suite by one of its sub-labels and by configuration, without controls; notes say which did not run."""
    said = f"{caption} {results.label} suite, measured here, {results.scorer} scorer. Cells: cases passed (percent)."
    return system_rows(results, results.main_names(), name, cut, said)


@table("not_run", inputs=(every_results,), latex=False)
def not_run_table(by_suite: Mapping[str, SuiteResults]) -> Table:
    """Every configuration that did not run on a suite, with the reason."""

    def rows(results: SuiteResults) -> list[list[Cell]]:
        return [
            [*cells.labels(results.label, results.label_of(name)), cells.not_run(reason)]
            for name, reason in results.not_run.items()
        ]

    return Table(
        "not_run",
        "Configurations that did not run on a suite, and why.",
        ("Suite", "System", "Reason"),
        [rows(results) for results in by_suite.values() if results.not_run]
        or [[cells.not_run_row("everything ran", 3)]],
        kinds=("label", "label", "text"),
    )


@table("controls", inputs=(every_results, record))
def controls_table(by_suite: Mapping[str, SuiteResults], setup: Setup) -> Table:
    """What the controls pass on each suite under each scorer: what a pass is worth there."""
    suites, names = list(by_suite.values()), setup.controls()

    def row(results: SuiteResults, scorer: str) -> list[Cell]:
        shown = (cells.passes(results.score(name, scorer=scorer)) for name in names)
        return [*cells.labels(f"{results.label} (n={results.cases()})", scorer), *shown]

    return Table(
        "controls",
        f"Controls by suite and scorer: cases passed (percent); {_CONTROLS} A suite measures forgetting as far as the "
        "first four pass none of it and oracle passes all; oracle is N/A where an imported suite gives no gold "
        "memories.",
        ("Suite", "Scorer", *(setup.configurations[name].label for name in names)),
        [[row(results, scorer) for scorer in SCORERS] for results in suites],
        [
            *(f"{suite.label}: {suite.reason}." for suite in setup.empty_suites.values()),
            *(f"{results.label}: {note}" for results in suites for note in results.notes(names)),
        ],
        groups=("", "", *["Cases passed (%)"] * len(names)),
        section=0,
    )
