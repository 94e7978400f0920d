"""The tables of what became of each fact: leak, collateral and stale rates as well as the pass rate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from forgeteval.cases.case import OPERATIONS
from forgeteval.run.facts import MEASURES
from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study import inputs
from lethe.study.inputs import Input, joined, listed
from lethe.study.results import SuiteResults, developed_on
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import bold_best, competes, with_best
from lethe.tables.beyond.suites import by_regime, notes_of_suites, remarks
from lethe.tables.registry import table
from lethe.tables.sources import main, main_results, reason_no_suite, record
from lethe.tables.table import Cell, Table
from lethe.tables.words import words

_MEANING = (
    "Leak: of the facts that were released or purged, those that are recalled, by the question or where the fact is "
    "asked for directly; collateral: of those that had to stay, those that are not; stale: of the replaced ones, those "
    "that are. In percent, with 95 % Wilson intervals over facts in clusters (those of a case)."
)
_FACTS = "Facts (%)"
Rates = Mapping[tuple[str, str, str, str], Row]


def _twins(setup: Setup) -> Input:
    return joined(inputs.rows(schemas.TWINS, suite=suite) for suite in setup.twins())


def _suites(setup: Setup) -> Input | str:
    """The adversarial and the held-out suite: of each, its scores and what became of its facts."""
    suites = [name for name in (setup.adversarial_suite, setup.held_out_suite) if name in setup.suites]
    parts = (listed([inputs.results(setup, name), inputs.rows(schemas.FACT_STATES, suite=name)]) for name in suites)
    return listed(parts) if suites else reason_no_suite(setup, setup.adversarial_suite)


@table("states", inputs=(_suites,))
def states_table(suites: Sequence[tuple[SuiteResults, Sequence[Row]]]) -> Table:
    """Pass, leak, collateral and stale rate of every configuration that ran, and below of the controls, by suite.

    Args:
        suites: of each suite, its scores and its rows of `lethe.schemas.FACT_STATES`.
    """
    parts = [_states(results, rows) for results, rows in suites]
    cases = ", ".join(f"{results.label} ({results.cases()} cases)" for results, _ in suites)
    return replace(
        parts[0],
        caption=f"What became of each fact, measured here: {cases}. {_MEANING}",
        sections=[section for part in parts for section in part.sections],
        notes=notes_of_suites((results.label, part.notes) for (results, _), part in zip(suites, parts, strict=True)),
    )


def _states(results: SuiteResults, rows: Sequence[Row]) -> Table:
    rates = _rates(rows)

    def line(configuration: str) -> list[Cell]:
        passed = cells.passes(results.score(configuration))
        measured = (_rate(rates, configuration, measure) for measure in MEASURES)
        label = cells.label(results.label_of(configuration), results.caveats.get(configuration, ""))
        return [label, cells.label(results.label), passed, *measured]

    shown = [results.ran(results.names(controls=controls)) for controls in (False, True)]
    states = Table(
        "states",
        "",
        ("System", "Suite", "Pass (%)", *(measure.capitalize() for measure in MEASURES)),
        [[line(each) for each in names] for names in shown],
        remarks(results),
        long=True,
        groups=("", "", "", *[_FACTS] * len(MEASURES)),
    )
    every = [each for names in shown for each in names]
    states = with_best(states, [competes(results, each) for each in every], highest=[2])
    competing = [competes(results, each, of_facts=True) for each in every]
    return with_best(states, competing, lowest=range(3, 3 + len(MEASURES)))


@table("twins", inputs=(_twins, record))
def twins_table(rows: Sequence[Row], setup: Setup) -> Table:
    """Pairs of a case and its twin that each configuration passes.

    Args:
        rows: rows of `lethe.schemas.TWINS` of the suites of twins.
    """
    found = {(configuration_name(row), row["operation"]): row for row in rows}

    def line(name: str) -> list[Cell]:
        every = found[name, ALL]
        pairs = every["pairs"]
        if every["na"] == pairs:
            return [cells.label(setup.configurations[name].label), *[cells.text("N/A")] * (6 + len(OPERATIONS))]
        passed = ("case_passed", "twin_passed", "twin_whole", "both_passed")
        shown = [cells.fraction(every[counted], pairs) for counted in passed]
        ends = cells.interval(100 * every["wilson_low"], 100 * every["wilson_high"])
        by_operation = (found.get((name, operation)) for operation in OPERATIONS)
        return [
            cells.label(setup.configurations[name].label),
            *shown,
            ends,
            cells.count(every["na"] + every["errors"]),
            *(cells.DASH if row is None else cells.fraction(row["both_passed"], row["pairs"]) for row in by_operation),
        ]

    names = [name for name in setup.configurations if (name, ALL) in found]
    controls = [name for name in names if setup.configurations[name].regime == "control"]
    seen = [name for name in names if setup.configurations[name].hook == "matcher"]
    header = (
        "System",
        "Case",
        "Twin",
        "Twin, whole",
        "Both",
        "95 % interval (%)",
        "N/A or error",
        *map(words, OPERATIONS),
    )
    return Table(
        "twins",
        "Pairs of a case and its twin, which has the same facts and asks to forget something that is not there, so "
        "that nothing may go and a new fact joins the others: cases, twins and pairs passed, and twins passed "
        "that lost no memory, not even one whose strings are not required, of all pairs, measured here; the last "
        "columns are pairs by the operation of the twin.",
        header,
        [[line(name) for name in names if name not in controls], [line(name) for name in controls]]
        if names
        else [[cells.not_run_row("not run: left out by run.suites", len(header))]],
        developed_on([setup.configurations[name].label for name in seen]),
        long=True,
        groups=("", *["Passed"] * 4, "Both", "", *["Both, by operation"] * len(OPERATIONS)),
    )


@table("states_by_operation", inputs=(main_results, main(schemas.FACT_STATES)), latex=False)
def operations_table(results: SuiteResults, rows: Sequence[Row]) -> Table:
    """Leak, collateral and stale rate by operation.

    Args:
        rows: rows of `lethe.schemas.FACT_STATES`.
    """
    rates = _rates(rows)
    wanted = [
        (operation, measure)
        for operation in OPERATIONS
        for measure in MEASURES
        if measure != ("leak" if operation == "supersede" else "stale")
    ]

    def line(configuration: str) -> list[Cell]:
        shown = (_rate(rates, configuration, measure, "operation", operation) for operation, measure in wanted)
        return [cells.label(results.label_of(configuration)), *shown]

    shown = [results.ran(results.names(controls=controls)) for controls in (False, True)]
    table = Table(
        "states_by_operation",
        f"{results.label} suite, what became of each fact by operation, measured here; what had to stay is counted in "
        f"the cases that have no other operation. {_MEANING}",
        ("System", *(f"{words(operation)} (%), {measure}" for operation, measure in wanted)),
        [[line(each) for each in names] for names in shown],
        remarks(results),
        wide=True,
        long=True,
        groups=("", *(f"{words(operation)} (%)" for operation, _ in wanted)),
    )
    competing = [competes(results, each, of_facts=True) for names in shown for each in names]
    return with_best(table, competing, lowest=range(1, len(table.header)))


@table("states_by_category", inputs=(main_results, main(schemas.FACT_STATES)), latex=False)
def categories_table(results: SuiteResults, rows: Sequence[Row]) -> Table:
    """Leak, collateral and stale rate by category, of the main configurations and the controls.

    Args:
        rows: rows of `lethe.schemas.FACT_STATES`.
    """
    rates = _rates(rows)
    names = by_regime(results, [*results.main_names(), *results.names(controls=True)])
    competing = [competes(results, each, of_facts=True) for each in names]
    categories = results.values("category")

    def section(measure: str) -> list[list[Cell]]:
        columns = (
            bold_best([_rate(rates, each, measure, "category", part) for each in names], competing, lowest=True)
            for part in categories
        )
        return [
            [cells.named(measure), cells.label(results.label_of(name)), *shown]
            for name, *shown in zip(names, *columns, strict=True)
        ]

    return Table(
        "states_by_category",
        f"{results.label} suite, what became of each fact by category, measured here. Bold: the lowest of a column. "
        f"{_MEANING}",
        ("Rate", "System", *map(words, categories)),
        [section(measure) for measure in MEASURES],
        remarks(results, names),
        wide=True,
        long=True,
        section=0,
    )


def _rates(rows: Sequence[Row]) -> Rates:
    return {(configuration_name(row), row["measure"], row["cut"], row["value"]): row for row in rows}


def _rate(rates: Rates, configuration: str, measure: str, cut: str = "overall", value: str = ALL) -> Cell:
    row = rates.get((configuration, measure, cut, value))
    return cells.DASH if row is None else cells.share(row["rate"], row["low"], row["high"], row["facts"])
