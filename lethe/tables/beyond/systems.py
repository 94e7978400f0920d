"""The tables of the extended systems: measured by category beside what the paper printed, and one of all systems.

Paper, appendices "A-MEM", "Graphiti", "Letta", "Mem0 infer=True" and "External-authored subset".
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path

from forgeteval.cases.case import CATEGORIES, in_known_order
from forgeteval.yaml_data import read_yaml_data
from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.published import Published
from lethe.study.results import Score, SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import competes, with_best
from lethe.tables.registry import table
from lethe.tables.sources import main, main_results, published_numbers, reason_no_suite, record, results_if, samples_of
from lethe.tables.table import Cell, Table


def _adversarial(setup: Setup) -> str:
    return setup.adversarial_suite


@dataclass(frozen=True, slots=True)
class ExtendedTable:
    """What stands in one table.

    Attributes:
        measured: systems of config/systems.yaml; each configuration of theirs that ran has a column.
        printed_in: the table of config/published.csv.
        printed: columns of that table, with their headings.
        external: about the cases by external authors, not the adversarial suite.
    """

    title: str
    measured: Sequence[str]
    printed_in: str
    printed: Mapping[str, str]
    external: bool = False


DATA_FILES = ("extended.yaml",)
EXTENDED = {
    name: ExtendedTable(**entry) for name, entry in read_yaml_data(Path(__file__).with_name(DATA_FILES[0])).items()
}
"""The tables by name."""

_PUBLISHED = "Published"
_ON_SAMPLE = "“Sample of n” stands for n of these cases alone, drawn by category. "
_COUNTING = "Cells: passed/evaluable (percent of evaluable) [cases N/A]."


def extended_table(
    name: str, results: SuiteResults | None, samples: Sequence[SuiteResults], setup: Setup, published: Published
) -> Table:
    """One of `EXTENDED`: categories by measured and printed columns, then the totals with N/A left out and counted.

    Where a configuration ran on a sample of the suite alone, every one that ran on the sample has a column of it.

    Args:
        results: scores of the suite; None where it has no case.
        samples: scores of suites that hold some of its cases.
    """
    shown = EXTENDED[name]
    names = [each for system in shown.measured for each in setup.of_system(system)] if results else []
    ran = [(results, each) for each in results.ran(names)] if results else []
    sampled = [(sample, each) for sample in only_sampled(results, samples, names) for each in sample.ran(names)]

    def row(title: Cell, cell: Callable[[Score | None], Cell], value: str, cut: str, place: str) -> list[Cell]:
        measured = [cell(scores.score(each, value, cut)) for scores, each in [*ran, *sampled]]
        printed = (cells.published_share(published, shown.printed_in, place, column) for column in shown.printed)
        return [title, *measured, *printed]

    own = results.values("category") if results else []
    categories = [
        row(cells.named(name), cells.passes_of_evaluable, name, "category", name)
        for name in in_known_order([*CATEGORIES, *own])
    ]
    where = (
        f"{results.label} suite ({results.cases()} cases), {results.scorer} scorer"
        if results
        else reason_no_suite(setup, _suite_of(shown)(setup))
    )
    return Table(
        name,
        f"{shown.title}, measured here: {where}. {_ON_SAMPLE if sampled else ''}Columns headed “published” show what "
        f"the paper printed for its own cases, which are {'these' if shown.external else 'others'}. {_COUNTING}",
        (
            "Category",
            *(setup.configurations[each].label for _, each in ran),
            *(sample_label(sample, each) for sample, each in sampled),
            *(f"{_PUBLISHED}, {heading}" for heading in shown.printed.values()),
        ),
        [
            [each for each in categories if any(cell.state not in ("label", "blank") for cell in each)],
            [
                row(cells.label("Overall, N/A left out"), cells.passes_of_evaluable, ALL, "overall", "evaluable"),
                row(cells.label("Overall, N/A as failures"), cells.passes_of_all, ALL, "overall", "all"),
            ],
        ],
        [*(results.notes(names) if results else []), *_sample_notes(sampled)],
        wide=True,
        groups=("", *["Measured here"] * len([*ran, *sampled]), *[_PUBLISHED] * len(shown.printed)),
    )


def _suite_of(table: ExtendedTable) -> Callable[[Setup], str]:
    return lambda setup: setup.release.suites["external"] if table.external else setup.adversarial_suite


for _name, _table in EXTENDED.items():
    _suite = _suite_of(_table)
    table(_name, inputs=(results_if(_suite), samples_of(_suite), record, published_numbers))(
        partial(extended_table, _name)
    )


def only_sampled(
    results: SuiteResults | None, samples: Sequence[SuiteResults], names: Sequence[str]
) -> list[SuiteResults]:
    """The samples of a suite on which one of `names` ran that did not run on the whole."""
    return [] if results is None else [sample for sample in samples if set(sample.ran(names)) - set(results.ran(names))]


def sample_label(sample: SuiteResults, name: str) -> str:
    """A configuration's name where its numbers are those of a sample."""
    return f"{sample.label_of(name)}, sample of {sample.cases()}"


def _sample_notes(sampled: Sequence[tuple[SuiteResults, str]]) -> list[str]:
    """What is to be said of trials on samples."""
    return list(dict.fromkeys(f"{sample.label}: {line}" for sample, name in sampled for line in sample.notes([name])))


@table("ecosystem", inputs=(main_results, samples_of(_adversarial), main(schemas.LATENCY), published_numbers))
def ecosystem_table(
    results: SuiteResults, samples: Sequence[SuiteResults], latencies: Sequence[Row], published: Published
) -> Table:
    """Every measured system with its regime and contract, N/A left out and counted, and time per case.

    Paper, Limitations "Memory-system coverage" and Figure "heatmap".

    Args:
        samples: scores of suites that hold some of its cases, for configurations that ran on none but these.
    """
    regimes = list(dict.fromkeys(entry.regime for entry in results.configurations.values()))
    names = sorted(results.names(controls=False), key=lambda name: regimes.index(results.configurations[name].regime))
    wall_ms = {configuration_name(row): row["wall_ms"] for row in latencies}
    whole = set(results.ran(names))
    sampled = {name: sample for sample in reversed(samples) for name in sample.ran(names) if name not in whole}

    def row(name: str) -> list[Cell]:
        entry, source = results.configurations[name], sampled.get(name, results)
        score = source.score(name)
        measured = [cells.NOT_RUN, *[cells.BLANK] * 3]
        if score is not None:
            passes, na = cells.passes_of_evaluable(score), cells.count(score["na"])
            measured = [passes, na, cells.passes_of_all(score), cells.number(wall_ms.get(name), 1)]
        comparable = entry.contract != "uniform"
        printed = published.find("text_heatmap", "evaluable", entry.system, "cases") if comparable else None
        named = sample_label(source, name) if name in sampled else entry.label
        head = [cells.label(named), cells.named(entry.regime), cells.named(entry.contract)]
        return [*head, *measured, cells.published_fraction(printed)]

    table = Table(
        "ecosystem",
        f"All systems on the {results.label.lower()} suite ({results.cases()} cases), measured here, {results.scorer} "
        "scorer, under two contracts: N/A as the paper scores it, or whatever the system's API composes. Time is "
        f"that of the table of times per case. {_ON_SAMPLE if sampled else ''}The last column is what was "
        "published, evaluable cases of the paper's own suite.",
        ("System", "Regime", "Contract", "Passed/evaluable (%)", "N/A", "Passed (%)", "ms/case", "Published"),
        [
            [row(name) for name in together]
            for _, together in groupby(names, key=lambda name: results.configurations[name].regime)
        ],
        [*results.notes(names), *_sample_notes([(sample, name) for name, sample in sampled.items()])],
        wide=True,
        section=1,
    )
    return with_best(table, [competes(results, name) and name not in sampled for name in names], highest=[5])
