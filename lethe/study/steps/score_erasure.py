"""The verdicts of the erasure audit."""

from collections.abc import Iterable, Mapping

from lethe.schemas import ERASURE_RECORDS, ERASURE_SCORES, ERASURE_TRACES, ERASURE_VERDICTS
from lethe.study.erasure import score_rows, trace_rows, verdict_rows
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def _compute(records: Rows) -> Mapping[str, Rows]:
    verdicts = verdict_rows(records)
    return {"verdicts": verdicts, "scores": score_rows(verdicts), "traces": trace_rows(records)}


def _work(setup: Setup) -> Work:
    stores = setup.erasure.stores.items()
    return Work(
        {"records": [ERASURE_RECORDS.path.format(rows=rows, system=name) for name, of in stores for rows, _ in of]}
    )


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.erasure.stores else []


STEP = Step(
    {"records": ERASURE_RECORDS},
    {"verdicts": ERASURE_VERDICTS, "scores": ERASURE_SCORES, "traces": ERASURE_TRACES},
    _compute,
    _work,
    _over,
)
