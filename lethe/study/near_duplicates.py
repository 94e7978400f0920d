"""How many cases of a suite are too alike by each measure, and which two are the most alike."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from forgeteval.cases.near_duplicates import MEASURES, Measure, NearDuplicates


def near_duplicate_rows(suite: str, found: NearDuplicates, thresholds: Mapping[Measure, float]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.NEAR_DUPLICATES`: one for each measure."""
    pairs = Counter(pair.measure for pair in found.pairs)
    closest = {pair.measure: pair for pair in found.closest}
    return [
        {
            "suite": suite,
            "measure": measure,
            "threshold": thresholds[measure],
            "pairs": pairs[measure],
            "first": closest[measure].first if measure in closest else None,
            "second": closest[measure].second if measure in closest else None,
            "similarity": closest[measure].similarity if measure in closest else None,
        }
        for measure in MEASURES
    ]
