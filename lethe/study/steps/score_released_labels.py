"""How the paper's annotators and judges agree, from the released labels, and judges that were asked here with them."""

from collections.abc import Iterable, Mapping

from lethe.schemas import (
    CASES,
    JUDGEMENTS,
    RELEASED_AGREEMENT,
    RELEASED_JUDGES,
    RELEASED_LABELS,
    RELEASED_MAJORITY,
)
from lethe.study import paths
from lethe.study.agreement import agreement_rows, majority_case_rows, rater_rows
from lethe.study.released.labels import as_annotations, as_judgements, as_sample, measured
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def _compute(labels: Rows, cases: Rows, judgements: Rows, resamples: int, seed: int) -> Mapping[str, Rows]:
    sample = as_sample(labels, cases)
    annotations, released = as_annotations(labels, sample), as_judgements(labels)
    return {
        "measures": agreement_rows(annotations, resamples, seed),
        "majority": majority_case_rows(annotations, released, sample),
        "judges": rater_rows(annotations, [*released, *measured(judgements)], sample),
    }


def _work(setup: Setup) -> Work:
    suite = setup.release.suites["adversarial"]
    inputs = {
        "labels": [RELEASED_LABELS.path],
        "cases": paths.cases(suite),
        "judgements": paths.judgements(setup, suite),
    }
    return Work(inputs, setup.bootstrap())


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.labelled_suite else []


STEP = Step(
    {"labels": RELEASED_LABELS, "cases": CASES, "judgements": JUDGEMENTS},
    {
        "measures": RELEASED_AGREEMENT,
        "majority": RELEASED_MAJORITY,
        "judges": RELEASED_JUDGES,
    },
    _compute,
    _work,
    _over,
)
