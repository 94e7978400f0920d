"""The verdicts of the erasure audit."""

from collections.abc import Mapping

from lethe.schemas import ERASURE_RECORDS, ERASURE_SCORES, ERASURE_TRACES, ERASURE_VERDICTS
from lethe.study.erasure import score_rows, trace_rows, verdict_rows
from lethe.study.step import Rows, Step


def _compute(records: Rows) -> Mapping[str, Rows]:
    verdicts = verdict_rows(records)
    return {"verdicts": verdicts, "scores": score_rows(verdicts), "traces": trace_rows(records)}


STEP = Step(
    {"records": ERASURE_RECORDS},
    {"verdicts": ERASURE_VERDICTS, "scores": ERASURE_SCORES, "traces": ERASURE_TRACES},
    _compute,
)
