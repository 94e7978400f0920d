"""How alike the cases of one suite are."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from forgeteval.cases.near_duplicates import MEASURES, THRESHOLDS, Measure, NearDuplicates, near_duplicates
from lethe.schemas import CASES, NEAR_DUPLICATES, VECTORS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.setup import Setup
from lethe.study.step import Rows, Step, Work, each_suite


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


def _compute(cases: Rows, vectors: Rows, suite: str) -> Mapping[str, Rows]:
    by_text = {row["text"]: np.asarray(row["vector"], dtype=np.float32) for row in vectors}
    found = near_duplicates(suite_from_rows(cases), by_text)
    return {"measures": near_duplicate_rows(suite, found, THRESHOLDS)}


def _work(_: Setup, suite: str) -> Work:
    return Work({"cases": paths.cases(suite), "vectors": [VECTORS.path.format(suite=suite)]}, {"suite": suite})


STEP = Step({"cases": CASES, "vectors": VECTORS}, {"measures": NEAR_DUPLICATES}, _compute, _work, each_suite)
