"""The tables: each function turns scores into the cells of one table of the paper."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lethe.paper.cells import PaperTable
from lethe.paper.results import SuiteResults
from lethe.schemas import OVERALL, WITHOUT_COMPOUND

_COUNTING = (
    "Cells: cases passed (percent of all cases; N/A and errors count against a system); [n]: n of them N/A. "
    "Wall time is inscribe, mutations and final recall, without embedding and reset."
)


def template_table(results: SuiteResults) -> PaperTable:
    """The template suite by system (paper, Table "template")."""
    rows = [_template_row(results, name) for name in results.system_names(controls=False)]
    controls = [_template_row(results, name) for name in results.system_names(controls=True)]
    return PaperTable(
        "template",
        f"{results.label} suite ({results.cases()} cases), measured here, with 95 % Wilson intervals. "
        "N/A and errors count against the pass rate.",
        ("System", "Pass (%)", "Wilson 95 %", "N/A", "Errors", "ms/case"),
        [rows, controls],
        results.notes(),
    )


def _template_row(results: SuiteResults, system: str) -> list[str]:
    score = results.score(system)
    label = results.label_of(system)
    if score is None:
        return [label, "not run", "", "", "", ""]
    return [
        label,
        f"{score['passed']}/{score['cases']} ({100 * score['rate']:.2f})",
        f"[{_percent(score['wilson_low'], 2)}, {_percent(score['wilson_high'], 2)}]",
        str(score["na"]),
        str(score["errors"]),
        _milliseconds(score),
    ]


def category_table(results: SuiteResults, name: str) -> PaperTable:
    """Any suite by category and system, the controls beside the systems (paper, Table "adv")."""
    systems = [*results.system_names(controls=False), *results.system_names(controls=True)]

    def row(label: str, cell: Callable[[Mapping[str, Any]], str], category: str = OVERALL) -> list[str]:
        scores = (results.score(system, category) for system in systems)
        return [label, *("not run" if score is None else cell(score) for score in scores)]

    categories = [row(f"{c} (n={results.cases(c)})", _cell, c) for c in results.categories()]
    totals = [row(f"Overall (n={results.cases()})", _cell)]
    without = results.cases(WITHOUT_COMPOUND)
    if 0 < without < results.cases():
        totals.insert(0, row(f"Overall excl. compound_fact (n={without})", _cell, WITHOUT_COMPOUND))
    totals.append(row("Wilson 95 % of overall, low", lambda score: _percent(score["wilson_low"], 1)))
    totals.append(row("Wilson 95 % of overall, high", lambda score: _percent(score["wilson_high"], 1)))
    totals.append(row("wall ms/case", _milliseconds))
    return PaperTable(
        name,
        f"{results.label} suite by category ({results.cases()} cases), measured here. The last columns are controls: "
        "null returns nothing, nuke empties itself at any mutation, verbatim never forgets, oracle recalls the gold "
        f"rows. {_COUNTING}",
        ("Category", *(results.label_of(system) for system in systems)),
        [categories, totals],
        results.notes(),
        wide=True,
    )


def naive_sql_table(results: SuiteResults) -> PaperTable:
    """Naive SQL against Lethe (paper, Table "naive_sql")."""
    pair = ("naive_sql", "lethe")

    def row(label: str, category: str) -> list[str]:
        scores = [results.score(system, category) for system in pair]
        cells = ["not run" if score is None else _cell(score) for score in scores]
        naive, lethe = scores
        gap = "" if naive is None or lethe is None else _points(naive["rate"] - lethe["rate"])
        return [label, *cells, gap]

    return PaperTable(
        "naive_sql",
        f"Naive SQL against Lethe on the {results.label.lower()} suite, measured here. Cells: cases passed (percent); "
        "the last column is the difference in percentage points.",
        ("Category", "Naive SQL", "Lethe", "Δ pt"),
        [
            [row(f"{c} (n={results.cases(c)})", c) for c in results.categories()],
            [row(f"Overall (n={results.cases()})", OVERALL)],
        ],
        results.notes(pair),
    )


def controls_table(suites: Sequence[SuiteResults]) -> PaperTable:
    """What the controls pass on each suite: what a pass is worth there."""
    names = suites[0].system_names(controls=True)

    def row(results: SuiteResults) -> list[str]:
        scores = (results.score(name) for name in names)
        return [
            f"{results.label} (n={results.cases()})",
            *("not run" if s is None else _cell(s) for s in scores),
        ]

    return PaperTable(
        "controls",
        "Controls by suite: cases passed (percent). A suite measures forgetting as far as null (returns nothing), nuke "
        "(empties itself at any mutation) and verbatim (never forgets) pass none of it and oracle (recalls the gold "
        "rows) passes all; oracle is N/A where an imported suite gives no gold rows.",
        ("Suite", *(suites[0].label_of(name) for name in names)),
        [[row(results) for results in suites]],
        [f"{results.label}: {note}" for results in suites for note in results.notes(names)],
    )


def _cell(score: Mapping[str, Any]) -> str:
    if score["na"] == score["cases"]:
        return "N/A"
    if score["errors"] == score["cases"]:
        return "error"
    partly = f" [{score['na']}]" if score["na"] else ""
    return f"{score['passed']} ({100 * score['rate']:.0f}){partly}"


def _percent(fraction: float, digits: int) -> str:
    return f"{100 * fraction:.{digits}f}"


def _milliseconds(score: Mapping[str, Any]) -> str:
    return "–" if score["wall_ms"] is None else f"{score['wall_ms']:.1f}"


def _points(difference: float) -> str:
    return f"{round(100 * difference):+d}".replace("-", "−")
