"""The tables that check the instruments: where the scorers disagree, and how alike the cases of a suite are."""

from collections.abc import Sequence

from lethe import schemas
from lethe.parquet import Row
from lethe.schemas import SCORERS
from lethe.study.scorer_audit import scorer_counts
from lethe.study.setup import Setup
from lethe.tables import cells
from lethe.tables.registry import table
from lethe.tables.sources import main, record
from lethe.tables.table import Cell, Table, numbers


def _suite(setup: Setup) -> str:
    return setup.suites[setup.adversarial_suite].label.lower()


@table("scorer_audit", inputs=(main(schemas.SCORER_AUDIT), record))
def scorer_audit_table(trials: Sequence[Row], setup: Setup) -> Table:
    """Passes under each scorer and disagreements with the substring scorer (paper, appendix "Scorer audit").

    Args:
        trials: rows of `lethe.schemas.SCORER_AUDIT`.
    """
    *categories, total = (
        [cells.named(counts.category), *map(cells.count, (counts.trials, *counts.passed, *counts.differs))]
        for counts in scorer_counts(trials)
    )
    return Table(
        "scorer_audit",
        f"Scorers on the {_suite(setup)} suite, measured here: evaluated trials of all systems that passed under each "
        "scorer, and trials on which probed (each forbidden string is also asked for) or identifier (strings match "
        "whole identifiers only) differs from substring (the paper's). Another table lists the trials.",
        ("Category", "Trials", *SCORERS, "probed differs", "identifier differs"),
        [categories, [total]],
        wide=True,
        groups=("", "", *["Trials passed"] * len(SCORERS), *["Differs from substring"] * 2),
    )


@table("scorer_audit_cases", inputs=(main(schemas.SCORER_AUDIT),), latex=False)
def scorer_audit_cases_table(trials: Sequence[Row]) -> Table:
    """Each trial on which the scorers do not agree."""
    names = {"category": "Category", "case_id": "Case", "system": "System"}
    differing = sorted([trial[name] for name in (*names, *SCORERS)] for trial in trials if not trial["agree"])
    return Table(
        "scorer_audit_cases",
        "Trials on which the scorers disagree.",
        (*names.values(), *SCORERS),
        [
            [
                [cells.named(category), cells.label(case), cells.named(system), *map(cells.text, verdicts)]
                for category, case, system, *verdicts in differing
            ]
        ],
        long=True,
        kinds=("label", "id", "label", *numbers(len(SCORERS))),
        groups=("", "", "", *["Verdict"] * len(SCORERS)),
    )


@table("near_duplicates", inputs=(main(schemas.NEAR_DUPLICATES), record))
def near_duplicates_table(measures: Sequence[Row], setup: Setup) -> Table:
    """Each measure with its threshold, the pairs at or above it, and the most alike pair.

    Args:
        measures: rows of `lethe.schemas.NEAR_DUPLICATES`.
    """

    def shown(row: Row) -> list[Cell]:
        pair = cells.DASH if row["first"] is None else cells.text(f"{row['first']}, {row['second']}")
        return [
            cells.label(row["measure"]),
            cells.number(row["threshold"], 2),
            cells.count(row["pairs"]),
            pair,
            cells.number(row["similarity"], 3),
        ]

    return Table(
        "near_duplicates",
        f"Near-duplicates in the {_suite(setup)} suite: meaning compares all memories of two cases by embedding, row "
        "their most alike memories, shape their texts with names and numbers masked.",
        ("Measure", "Threshold", "Pairs", "Most alike", "Similarity"),
        [[shown(row) for row in measures]],
        wide=True,
        kinds=("label", "number", "number", "id", "number"),
    )
