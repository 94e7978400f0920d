"""The tables: each function turns scores into the cells of one table of the paper."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lethe.analysis.results import SuiteResults
from lethe.schemas import ALL, SCORERS, WITHOUT_COMPOUND
from lethe.tables.cells import PaperTable

Score = Mapping[str, Any]

EXTENDED_SUFFIX = "_extended"
"""What the name of a suite's table of extended systems ends with."""
_COUNTING = (
    "Cells: cases passed (percent of all cases; N/A and errors count against a system); [n]: n of them N/A. "
    "Wall time is inscribe, mutations and final recall, without embedding and reset."
)
_DIFFICULTY = (
    "Post-hoc difficulty: core cases are manual; of the others, easy are those that the reference system {reference} "
    "passes and hard those it fails, so its own column restates the labels."
)
_CONTROLS = (
    "null returns nothing, nuke empties itself at any mutation, verbatim never forgets, oracle recalls the gold rows."
)


def build_table(name: str, results: Sequence[SuiteResults], labels: Mapping[str, Any]) -> PaperTable:
    """The table `name` of `rules/paper.smk`, made of the suites listed there.

    Args:
        labels: see `SuiteResults.read`; `empty` names the suites without cases and says why.
    """
    empty = {labels["suites"][suite]: reason for suite, reason in labels["empty"].items()}
    suite = name.removeprefix("suite_")
    if not results:
        return empty_suite_table(name, labels["suites"][suite], labels["empty"][suite])
    builders: dict[str, Callable[[], PaperTable]] = {
        "template": lambda: template_table(results[0]),
        "naive_sql": lambda: naive_sql_table(results[0]),
        "provenance": lambda: provenance_table(results[0]),
        "difficulty": lambda: cut_table(
            results[0], "difficulty", name, _DIFFICULTY.format(reference=labels["reference"])
        ),
        "by_script": lambda: cut_table(results[0], "script", name, "Cross-lingual cases by script."),
        "controls": lambda: controls_table(results, empty),
    }
    by_category = extended_category_table if name.endswith(EXTENDED_SUFFIX) else category_table
    return builders.get(name, lambda: by_category(results[0], name))()


def template_table(results: SuiteResults) -> PaperTable:
    """The template suite by system (paper, Table "template")."""
    rows = [_template_row(results, name) for name in results.system_names(controls=False)]
    controls = [_template_row(results, name) for name in results.system_names(controls=True)]
    return PaperTable(
        "template",
        f"{results.label} suite ({results.cases()} cases), measured here, {results.scorer} scorer, with 95 % Wilson "
        "intervals. N/A and errors count against the pass rate.",
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
    """Any suite by category and system, the controls beside the systems (paper, Table "adv").

    A row that did not run has a note instead of a column.
    """
    systems = [*results.main_names(), *results.system_names(controls=True)]
    ran = results.ran(systems)
    return PaperTable(
        name,
        f"{results.label} suite by category ({results.cases()} cases), measured here, {results.scorer} scorer. "
        f"The last columns are controls: {_CONTROLS} {_COUNTING}",
        ("Category", *(results.label_of(system) for system in ran)),
        category_rows(results, ran),
        results.notes(systems),
        wide=True,
    )


def extended_category_table(results: SuiteResults, name: str) -> PaperTable:
    """Any suite by category, the extended systems alone."""
    main = set(results.main_names())
    systems = [system for system in results.system_names(controls=False) if system not in main]
    ran = results.ran(systems)
    return PaperTable(
        name,
        f"{results.label} suite by category ({results.cases()} cases), extended systems, measured here, "
        f"{results.scorer} scorer. {_COUNTING}",
        ("Category", *(results.label_of(system) for system in ran)),
        category_rows(results, ran),
        results.notes(systems),
        wide=True,
    )


def category_rows(results: SuiteResults, systems: Sequence[str]) -> list[list[list[str]]]:
    """Two sections: each category, then the totals with their interval and the wall time."""

    def total(label: str, cell: Callable[[Score], str], value: str = ALL) -> list[str]:
        return [label, *_cells(results, systems, cell, value)]

    totals = [total(f"Overall (n={results.cases()})", pass_cell)]
    without = results.cases(WITHOUT_COMPOUND)
    if 0 < without < results.cases():
        totals.insert(0, total(f"Overall excl. compound_fact (n={without})", pass_cell, WITHOUT_COMPOUND))
    totals.append(total("Wilson 95 % of overall, low", lambda score: _percent(score["wilson_low"], 1)))
    totals.append(total("Wilson 95 % of overall, high", lambda score: _percent(score["wilson_high"], 1)))
    totals.append(total("wall ms/case", _milliseconds))
    return [_rows_of_cut(results, "category", systems), totals]


def cut_table(results: SuiteResults, cut: str, name: str, caption: str) -> PaperTable:
    """A suite by one of its sub-labels and by system, without the controls; notes name the rows that did not run."""
    rows = results.main_names()
    systems = results.ran(rows)
    return PaperTable(
        name,
        f"{caption} {results.label} suite, measured here, {results.scorer} scorer. Cells: cases passed (percent).",
        (cut.replace("_", " ").capitalize(), *(results.label_of(system) for system in systems)),
        [_rows_of_cut(results, cut, systems)],
        results.notes(rows),
        wide=True,
    )


def provenance_table(results: SuiteResults) -> PaperTable:
    """Core against expansion cases, by system (paper, Table "handcrafted")."""
    systems = results.system_names(controls=False)

    def row(system: str) -> list[str]:
        scores = [results.score(system, value, "provenance") for value in ("core", "expansion")]
        if not any(scores):
            return [results.label_of(system), "not run", "not run", ""]
        core, expansion = scores
        compared = all(score is not None and score["na"] < score["cases"] for score in scores)
        gap = points(core["rate"] - expansion["rate"]) if compared and core and expansion else ""
        return [results.label_of(system), *("–" if score is None else pass_cell(score) for score in scores), gap]

    sizes = [results.cases(value, "provenance") for value in ("core", "expansion")]
    return PaperTable(
        "provenance",
        f"{results.label} suite by provenance, measured here, {results.scorer} scorer. Cells: cases passed (percent); "
        "Δ is core minus expansion in percentage points.",
        ("System", f"core (n={sizes[0]})", f"expansion (n={sizes[1]})", "Δ pt"),
        [[row(system) for system in systems]],
        results.notes(systems),
    )


def naive_sql_table(results: SuiteResults) -> PaperTable:
    """Naive SQL against Lethe (paper, Table "naive_sql")."""
    pair = ("naive_sql", "lethe")

    def row(label: str, value: str, cut: str) -> list[str]:
        naive, lethe = (results.score(system, value, cut) for system in pair)
        gap = "" if naive is None or lethe is None else points(naive["rate"] - lethe["rate"])
        return [label, *("not run" if score is None else pass_cell(score) for score in (naive, lethe)), gap]

    return PaperTable(
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


def controls_table(suites: Sequence[SuiteResults], empty: Mapping[str, str]) -> PaperTable:
    """What the controls pass on each suite under each scorer: what a pass is worth there.

    Args:
        empty: label of a suite without cases to the reason its row says.
    """
    names = suites[0].system_names(controls=True)

    def row(results: SuiteResults, scorer: str) -> list[str]:
        scores = (results.score(name, scorer=scorer) for name in names)
        cells = ("not run" if score is None else pass_cell(score) for score in scores)
        return [f"{results.label} (n={results.cases()})", scorer, *cells]

    return PaperTable(
        "controls",
        f"Controls by suite and scorer: cases passed (percent); {_CONTROLS} A suite measures forgetting as far as the "
        "first three pass none of it and oracle passes all; oracle is N/A where an imported suite gives no gold rows.",
        ("Suite", "Scorer", *(suites[0].label_of(name) for name in names)),
        [[row(results, scorer) for scorer in SCORERS] for results in suites],
        [
            *(f"{label}: {reason}." for label, reason in empty.items()),
            *(f"{results.label}: {note}" for results in suites for note in results.notes(names)),
        ],
    )


def empty_suite_table(name: str, label: str, reason: str) -> PaperTable:
    """The table of a suite without cases: it says so."""
    return PaperTable(name, f"{label} suite: {reason}.", ("Category", "Systems"), [[["no cases", "not run"]]])


def _rows_of_cut(results: SuiteResults, cut: str, systems: Iterable[str]) -> list[list[str]]:
    names = list(systems)
    return [
        [f"{value} (n={results.cases(value, cut)})", *_cells(results, names, pass_cell, value, cut)]
        for value in results.values(cut)
    ]


def _cells(
    results: SuiteResults, systems: Iterable[str], cell: Callable[[Score], str], value: str, cut: str = "overall"
) -> list[str]:
    scores = (results.score(system, value, cut) for system in systems)
    return ["not run" if score is None else cell(score) for score in scores]


def pass_cell(score: Score) -> str:
    """Cases passed, percent, and how many are N/A."""
    if score["na"] == score["cases"]:
        return "N/A"
    if score["errors"] == score["cases"]:
        return "error"
    partly = f" [{score['na']}]" if score["na"] else ""
    return f"{score['passed']} ({100 * score['rate']:.0f}){partly}"


def _percent(fraction: float, digits: int) -> str:
    return f"{100 * fraction:.{digits}f}"


def _milliseconds(score: Score) -> str:
    return "–" if score["wall_ms"] is None else f"{score['wall_ms']:.1f}"


def points(difference: float) -> str:
    """A difference of shares in whole percentage points, with its sign."""
    return f"{round(100 * difference):+d}".replace("-", "−")
