"""How alike the cases of one suite are."""

from collections.abc import Mapping

import numpy as np

from forgeteval.cases.near_duplicates import THRESHOLDS, near_duplicates
from lethe.schemas import CASES, NEAR_DUPLICATES, VECTORS
from lethe.stored.cases import suite_from_rows
from lethe.study.near_duplicates import near_duplicate_rows
from lethe.study.step import Rows, Step


def _compute(cases: Rows, vectors: Rows, suite: str) -> Mapping[str, Rows]:
    by_text = {row["text"]: np.asarray(row["vector"], dtype=np.float32) for row in vectors}
    found = near_duplicates(suite_from_rows(cases), by_text)
    return {"measures": near_duplicate_rows(suite, found, THRESHOLDS)}


STEP = Step({"cases": CASES, "vectors": VECTORS}, {"measures": NEAR_DUPLICATES}, _compute)
