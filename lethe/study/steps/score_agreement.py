"""How annotators and judges agree."""

from collections.abc import Mapping

from lethe.schemas import AGREEMENT, ANNOTATION_SAMPLE, ANNOTATIONS, JUDGEMENTS, MAJORITY_CASES, RATER_PAIRS
from lethe.study import paths
from lethe.study.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.study.setup import Setup
from lethe.study.step import Rows, Step, Work


def _compute(sample: Rows, annotations: Rows, judgements: Rows, resamples: int, seed: int) -> Mapping[str, Rows]:
    return {
        "measures": agreement_rows(annotations, resamples, seed),
        "raters": rater_rows(annotations, judgements, sample),
        "cases": majority_case_rows(annotations, judgements, sample),
    }


def _work(setup: Setup) -> Work:
    inputs = {
        "sample": [ANNOTATION_SAMPLE.path],
        "annotations": [ANNOTATIONS.path],
        "judgements": paths.judgements(setup, setup.adversarial_suite),
    }
    return Work(inputs, setup.bootstrap())


STEP = Step(
    {"sample": ANNOTATION_SAMPLE, "annotations": ANNOTATIONS, "judgements": JUDGEMENTS},
    {"measures": AGREEMENT, "raters": RATER_PAIRS, "cases": MAJORITY_CASES},
    _compute,
    _work,
)
