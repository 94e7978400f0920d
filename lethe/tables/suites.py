"""The tables of one suite: by category, by another cut, by system; and the controls of all suites."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from lethe.analysis.results import Score, SuiteResults
from lethe.analysis.setup import EmptySuite
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, SCORERS, WITHOUT_COMPOUND
from lethe.tables import cells
from lethe.tables.table import Cell, Rows, Table

_COUNTING = "Cells: cases passed (percent of all cases; N/A and errors count against a system); [n]: n of them N/A."
_CONTROLS = (
    "null returns nothing, nuke empties itself at any mutation, verbatim never forgets, frozen ignores every mutation, "
    "new facts included, oracle recalls the gold memories."
)


def template_table(results: SuiteResults) -> Table:
    """The template suite by system (paper, Table "template")."""

    def row(name: str) -> list[Cell]:
        score = results.score(name)
        if score is None:
            return [cells.label(results.label_of(name)), cells.NOT_RUN, *[cells.BLANK] * 3]
        return [
            cells.label(results.label_of(name)),
            cells.passes_of_all(score, 2),
            cells.interval(100 * score["wilson_low"], 100 * score["wilson_high"], 2),
            cells.count(score["na"]),
            cells.count(score["errors"]),
        ]

    return Table(
        "template",
        f"{results.label} suite ({results.cases()} cases), measured here, {results.scorer} scorer, with 95 % Wilson "
        "intervals. N/A and errors count against the pass rate.",
        ("System", "Pass (%)", "Wilson 95 %", "N/A", "Errors"),
        [[row(name) for name in results.names(controls=controls)] for controls in (False, True)],
        results.notes(),
    )


def category_table(results: SuiteResults, latencies: Sequence[Row] = (), *, name: str) -> Table:
    """A suite by category and configuration, the controls beside the systems (paper, Table "adv").

    A configuration that did not run has a note instead of a column.

    Args:
        latencies: rows of `lethe.schemas.LATENCY`, whose mean wall times are the last row; without any, there is none.
    """
    names = [*results.main_names(), *results.names(controls=True)]
    timed = " Wall time is that of the table latency." if latencies else ""
    caption = f"measured here, {results.scorer} scorer. The last columns are controls: {_CONTROLS} {_COUNTING}{timed}"
    table = _by_category(results, name, names, caption)
    wall_ms = {configuration_name(row): row["wall_ms"] for row in latencies}
    walls = [cells.label("wall ms/case"), *(cells.number(wall_ms.get(each), 1) for each in results.ran(names))]
    return replace(table, sections=[*table.sections[:-1], [*table.sections[-1], walls]]) if latencies else table


def extended_category_table(results: SuiteResults, name: str) -> Table:
    """A suite by category, the extended systems alone."""
    main = set(results.main_names())
    names = [each for each in results.names(controls=False) if each not in main]
    return _by_category(results, name, names, f"extended systems, measured here, {results.scorer} scorer. {_COUNTING}")


def _by_category(results: SuiteResults, name: str, names: Sequence[str], caption: str) -> Table:
    ran = results.ran(names)
    return Table(
        name,
        f"{results.label} suite by category ({results.cases()} cases), {caption}",
        ("Category", *map(results.label_of, ran)),
        category_sections(results, ran),
        results.notes(names),
        wide=True,
    )


def category_sections(results: SuiteResults, names: Sequence[str]) -> list[Rows]:
    """Two sections: each category, then the totals with their interval."""

    def total(title: str, cell: Callable[[Score], Cell], value: str = ALL) -> list[Cell]:
        scores = (results.score(name, value) for name in names)
        return [cells.label(title), *(cells.NOT_RUN if score is None else cell(score) for score in scores)]

    without = results.cases(WITHOUT_COMPOUND)
    partial = [("Overall excl. compound_fact", without)] if 0 < without < results.cases() else []
    totals = [
        *(total(f"{title} (n={cases})", cells.passes, WITHOUT_COMPOUND) for title, cases in partial),
        total(f"Overall (n={results.cases()})", cells.passes),
        total("Wilson 95 % of overall, low", lambda score: cells.percent(score["wilson_low"])),
        total("Wilson 95 % of overall, high", lambda score: cells.percent(score["wilson_high"])),
    ]
    return [_rows_of_cut(results, "category", names), totals]


def difficulty_table(results: SuiteResults, reference: str) -> Table:
    """The adversarial suite by post-hoc difficulty, which `reference` (a label) defines."""
    return cut_table(
        results,
        "difficulty",
        "difficulty",
        "Post-hoc difficulty: the cases written first are manual; of the others, easy are those that the reference "
        f"system {reference} passes and hard those that it fails, so its own column restates the labels.",
    )


def script_table(results: SuiteResults) -> Table:
    """The cross-lingual cases by script."""
    return cut_table(results, "script", "by_script", "Cross-lingual cases by script.")


def cut_table(results: SuiteResults, cut: str, name: str, caption: str) -> Table:
    """A suite by one of its sub-labels and by configuration, without controls; notes say which did not run."""
    names = results.main_names()
    ran = results.ran(names)
    return Table(
        name,
        f"{caption} {results.label} suite, measured here, {results.scorer} scorer. Cells: cases passed (percent).",
        (cut.replace("_", " ").capitalize(), *map(results.label_of, ran)),
        [_rows_of_cut(results, cut, ran)],
        results.notes(names),
        wide=True,
    )


def provenance_table(results: SuiteResults) -> Table:
    """The cases that were written first against the others, by system (paper, Table "handcrafted")."""
    names, parts = results.names(controls=False), ("written_first", "written_later")

    def row(name: str) -> list[Cell]:
        first, later = (results.score(name, value, "provenance") for value in parts)
        if first is None and later is None:
            return [cells.label(results.label_of(name)), cells.NOT_RUN, cells.NOT_RUN, cells.BLANK]
        gap = cells.BLANK
        if first and later and all(score["na"] < score["cases"] for score in (first, later)):
            gap = cells.points(first["rate"] - later["rate"])
        shown = (cells.DASH if score is None else cells.passes(score) for score in (first, later))
        return [cells.label(results.label_of(name)), *shown, gap]

    sizes = [results.cases(value, "provenance") for value in parts]
    return Table(
        "provenance",
        f"{results.label} suite by provenance, measured here, {results.scorer} scorer. Cells: cases passed (percent); "
        "Δ is the first less the later in percentage points. The paper's table of this name compares handcrafted with "
        "generated cases; here all are written by hand.",
        ("System", f"written first (n={sizes[0]})", f"written later (n={sizes[1]})", "Δ pt"),
        [[row(name) for name in names]],
        results.notes(names),
    )


def naive_sql_table(results: SuiteResults) -> Table:
    """Naive SQL against Lethe (paper, Table "naive_sql")."""
    pair = ("naive_sql", "lethe")

    def row(title: str, value: str, cut: str) -> list[Cell]:
        naive, lethe = (results.score(name, value, cut) for name in pair)
        gap = cells.BLANK if naive is None or lethe is None else cells.points(naive["rate"] - lethe["rate"])
        return [cells.label(title), cells.passes(naive), cells.passes(lethe), gap]

    return Table(
        "naive_sql",
        f"Naive SQL against Lethe on the {results.label.lower()} suite, measured here, {results.scorer} scorer. Cells: "
        "cases passed (percent); the last column is the difference in percentage points.",
        ("Category", "Naive SQL", "Lethe", "Δ pt"),
        [
            [row(f"{c} (n={results.cases(c, 'category')})", c, "category") for c in results.values("category")],
            [row(f"Overall (n={results.cases()})", ALL, "overall")],
        ],
        results.notes(pair),
    )


def controls_table(empty: Mapping[str, EmptySuite], *suites: SuiteResults) -> Table:
    """What the controls pass on each suite under each scorer: what a pass is worth there.

    Args:
        empty: suites without cases, which are noted.
    """
    names = suites[0].names(controls=True)

    def row(results: SuiteResults, scorer: str) -> list[Cell]:
        shown = (cells.passes(results.score(name, scorer=scorer)) for name in names)
        return [*cells.labels(f"{results.label} (n={results.cases()})", scorer), *shown]

    return Table(
        "controls",
        f"Controls by suite and scorer: cases passed (percent); {_CONTROLS} A suite measures forgetting as far as the "
        "first four pass none of it and oracle passes all; oracle is N/A where an imported suite gives no gold "
        "memories.",
        ("Suite", "Scorer", *map(suites[0].label_of, names)),
        [[row(results, scorer) for scorer in SCORERS] for results in suites],
        [
            *(f"{suite.label}: {suite.reason}." for suite in empty.values()),
            *(f"{results.label}: {note}" for results in suites for note in results.notes(names)),
        ],
    )


def empty_suite_table(name: str, suite: EmptySuite) -> Table:
    """The table of a suite without cases, which says so."""
    return Table(
        name,
        f"{suite.label} suite: {suite.reason}.",
        ("Category", "Systems"),
        [[[cells.label("no cases"), cells.NOT_RUN]]],
    )


def _rows_of_cut(results: SuiteResults, cut: str, names: Sequence[str]) -> list[list[Cell]]:
    return [
        [
            cells.label(f"{value} (n={results.cases(value, cut)})"),
            *(cells.passes(results.score(name, value, cut)) for name in names),
        ]
        for value in results.values(cut)
    ]
