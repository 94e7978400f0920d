"""The near-duplicate report: how alike the two most alike cases of a suite are, by each measure."""

from collections.abc import Mapping

from lethe.cases.near_duplicates import MEASURES, Measure, NearDuplicates
from lethe.tables.cells import PaperTable


def near_duplicates_table(found: NearDuplicates, thresholds: Mapping[Measure, float], label: str) -> PaperTable:
    """One row a measure: its threshold, the pairs at or above it, and the most alike pair."""
    closest = {pair.measure: pair for pair in found.closest}
    rows = [
        [
            measure,
            f"{thresholds[measure]:.2f}",
            str(sum(pair.measure == measure for pair in found.pairs)),
            f"{closest[measure].first}, {closest[measure].second}" if measure in closest else "–",
            f"{closest[measure].similarity:.3f}" if measure in closest else "–",
        ]
        for measure in MEASURES
    ]
    return PaperTable(
        "near_duplicates",
        f"Near-duplicates in the {label.lower()} suite: meaning compares all rows of two cases by embedding, row their "
        "most alike rows, shape their texts with names and numbers masked.",
        ("Measure", "threshold", "pairs", "most alike", "similarity"),
        [rows],
        wide=True,
    )
