"""Every two systems on one suite case by case; their latency; the label partition."""

from collections.abc import Mapping, Sequence

from lethe.analysis.label_partition import partition_rows
from lethe.analysis.latency import latency_rows
from lethe.analysis.paired import paired_rows
from lethe.analysis.step import Rows, Step
from lethe.cases.stored import suite_from_rows
from lethe.schemas import CASES, LABEL_PARTITION, LATENCY, PAIRED, TRIALS, VERDICTS


def _compute(
    cases: Rows,
    verdicts: Rows,
    trials: Rows,
    reference_system: str,
    controls: Sequence[str],
    hooked: Sequence[str],
    resamples: int,
    seed: int,
) -> Mapping[str, Rows]:
    known = frozenset(controls)
    return {
        "paired": paired_rows(verdicts, known, resamples, seed),
        "latency": latency_rows(trials),
        "partition": partition_rows(suite_from_rows(cases), verdicts, reference_system, hooked, known),
    }


STEP = Step(
    {"cases": CASES, "verdicts": VERDICTS, "trials": TRIALS},
    {"paired": PAIRED, "latency": LATENCY, "partition": LABEL_PARTITION},
    _compute,
)
