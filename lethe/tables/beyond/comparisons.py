"""The tables that set systems side by side: paired tests, latency, and the post-hoc labels."""

from collections.abc import Sequence

from lethe import schemas
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.published import Published
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import main, published_numbers, record
from lethe.tables.table import Cell, Table

_ROOM = 45
"""Pairs that fit a page; where there are more, the table shows those with the reference system."""
_EXACT, _CORRECTED, _ALONE = "Exact test", "Corrected test", "Passed by one"
_PAIRED = {
    "System": "", "Against": "", "Only it": _ALONE, "Only other": _ALONE, "Exact test, p": _EXACT,
    "Exact test, Holm": _EXACT, "Corrected test, χ²": _CORRECTED, "Corrected test, p": _CORRECTED,
    "Corrected test, Holm": _CORRECTED, "Δ (pt) [95 %]": "",
}  # fmt: skip
_MEAN, _WALL = "Mean (ms/case)", "Wall (ms/case)"
_LATENCY = {
    "System": "", "Trials": "", "Inscribe": _MEAN, "Mutate": _MEAN, "Recall": _MEAN, "Processor": _MEAN,
    "Wall": _WALL, "95 %": _WALL, "Median": _WALL, "LLM calls (1/case)": "", "Published": "",
}  # fmt: skip


@table("paired_tests", inputs=(main(schemas.PAIRED), record, published_numbers))
def paired_tests_table(pairs: Sequence[Row], setup: Setup, published: Published) -> Table:
    """Pairs of systems case by case (paper, section "Adversarial layer"), and the pair that the paper tested.

    Args:
        pairs: rows of `lethe.schemas.PAIRED` of the adversarial suite.
    """
    label_of = {name: entry.label for name, entry in setup.configurations.items()}
    family = [pair for pair in pairs if pair["scorer"] == setup.scorer]
    shown, left_out = family, ""
    if len(family) > _ROOM:
        shown = [pair for pair in family if setup.reference in (pair["first"], pair["second"])]
        left_out = f" Shown are the {len(shown)} pairs of {setup.reference_label}; the Parquet file holds all."

    def row(pair: Row) -> list[Cell]:
        return [
            *cells.labels(label_of[pair["first"]], label_of[pair["second"]]),
            *(cells.count(pair[name]) for name in ("first_only", "second_only")),
            *(cells.p_value(pair[name]) for name in ("p_exact", "p_exact_holm")),
            cells.number(pair["chi_squared"], 3),
            *(cells.p_value(pair[name]) for name in ("p_corrected", "p_corrected_holm")),
            cells.points_with_interval(pair["difference"], pair["low"], pair["high"]),
        ]

    def printed(column: str) -> Cell:
        return cells.published_number(published.find("text_paired", "lethe_langgraph", column))

    return Table(
        "paired_tests",
        f"Systems compared case by case, {setup.suite_labels[setup.adversarial_suite].lower()} suite, measured here, "
        f"{setup.scorer} scorer: cases that one of the two passes, McNemar's test (exact; χ² with continuity "
        f"correction), each adjusted by Holm over the family of {len(family)} pairs, and the difference of pass rates "
        "with its paired-bootstrap interval. N/A and errors count as not passed; a configuration that is N/A on every "
        f"case is left out.{left_out} The last row is what the paper published, on cases of its own.",
        list(_PAIRED),
        [
            [row(pair) for pair in shown] or [cells.not_run_row("not run: fewer than two systems", len(_PAIRED))],
            [
                [
                    *cells.labels("published: Lethe", "LangGraph"),
                    *(printed(column) for column in ("first_only", "second_only")),
                    *(cells.BLANK, cells.BLANK),
                    *(printed(column) for column in ("chi_squared_corrected", "p_corrected")),
                    *(cells.BLANK, cells.BLANK),
                ]
            ],
        ],
        wide=True,
        groups=list(_PAIRED.values()),
    )


@table("latency", inputs=(main(schemas.LATENCY), record, published_numbers))
def latency_table(latencies: Sequence[Row], setup: Setup, published: Published) -> Table:
    """Mean milliseconds per case by configuration, and the paper's wall time (section "Latency").

    Args:
        latencies: rows of `lethe.schemas.LATENCY`.
    """
    by_name = {configuration_name(row): row for row in latencies}

    def row(name: str) -> list[Cell]:
        found, entry = by_name[name], setup.configurations[name]
        return [
            cells.label(entry.label),
            cells.count(found["trials"]),
            *(cells.number(found[f"{phase}_ms"], 1) for phase in ("inscribe", "mutate", "recall", "cpu", "wall")),
            cells.interval(found["wall_low"], found["wall_high"]),
            cells.number(found["wall_median_ms"], 1),
            cells.number(found["llm_calls"], 2),
            _printed_latency(published, entry.system),
        ]

    rows, chosen = [row(name) for name in setup.measured() if name in by_name], setup.latency
    return Table(
        "latency",
        "Time per case, measured here: mean milliseconds of inscribing, mutations and final recall over the evaluated "
        "trials, without reset and without embedding the suite's texts, which is done once; what a hook embeds besides "
        f"counts. Of a configuration that asks no chat model, {chosen.cases_per_category} of each category of the "
        f"{setup.suite_labels[setup.adversarial_suite].lower()} suite, {chosen.repetitions} times, with nothing else "
        "running; of the others, every case, and wall time is at least that in which the answers were made. 95 % t "
        "interval of the mean wall time; processor time of the process that the system runs in; chat calls per case. "
        "The last column is what the paper published for its own cases and machine; it says that Mem0's construction "
        "is included, and that Lethe+LLM is the mutations alone.",
        list(_LATENCY),
        [rows or [cells.not_run_row("not run", len(_LATENCY))]],
        wide=True,
        groups=list(_LATENCY.values()),
    )


def _printed_latency(published: Published, system: str) -> Cell:
    for column in ("wall_per_case", "mutations_per_case"):
        found = published.find("text_latency", system, column)
        if found is not None:
            return cells.published_with_unit(found)
    return cells.BLANK
