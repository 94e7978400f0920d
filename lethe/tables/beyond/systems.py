"""The table of all systems under both contracts."""

from collections.abc import Sequence
from itertools import groupby

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.published import Published
from lethe.study.results import SuiteResults
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.best import competes, with_best
from lethe.tables.registry import table
from lethe.tables.sources import main, main_results, published_numbers, samples_of
from lethe.tables.table import Cell, Table


def _adversarial(setup: Setup) -> str:
    return setup.adversarial_suite


_ON_SAMPLE = "“Sample of n” stands for n of these cases alone, drawn by category. "


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
        samples: scores of suites that hold some of its cases, for configurations that ran on these alone.
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
