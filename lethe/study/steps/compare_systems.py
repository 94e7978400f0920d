"""Every two systems on one suite case by case; the label partition."""

from collections.abc import Mapping, Sequence

from lethe.schemas import CASES, LABEL_PARTITION, PAIRED, VERDICTS
from lethe.stored.cases import suite_from_rows
from lethe.study.label_partition import partition_rows
from lethe.study.paired import paired_rows
from lethe.study.step import Rows, Step


def _compute(
    cases: Rows,
    verdicts: Rows,
    reference_system: str,
    controls: Sequence[str],
    hooked: Sequence[str],
    resamples: int,
    seed: int,
) -> Mapping[str, Rows]:
    known = frozenset(controls)
    return {
        "paired": paired_rows(verdicts, known, resamples, seed),
        "partition": partition_rows(suite_from_rows(cases), verdicts, reference_system, hooked, known),
    }


STEP = Step(
    {"cases": CASES, "verdicts": VERDICTS},
    {"paired": PAIRED, "partition": LABEL_PARTITION},
    _compute,
)
