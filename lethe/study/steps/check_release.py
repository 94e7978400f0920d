"""What the release says twice, counted again: its summaries, the repeats of one hooked run, the judge's rejections."""

from collections.abc import Iterable, Mapping

from lethe.schemas import (
    CASES,
    HOOK_VARIANCE,
    REJECTION_COUNTS,
    RELEASED_ORIGINS,
    RELEASED_REJECTIONS,
    RELEASED_SUMMARIES,
    RELEASED_VARIANCE,
    RELEASED_VERDICTS,
    SUMMARY_CHECKS,
)
from lethe.study import paths
from lethe.study.released.checks import hook_variance_rows, rejection_rows, summary_check_rows
from lethe.study.setup import Setup
from lethe.study.step import OTHERS, Names, Rows, Step, Work


def _compute(
    verdicts: Rows, origins: Rows, rejections: Rows, summaries: Rows, variance: Rows, **cases: Rows
) -> Mapping[str, Rows]:
    adversarial = cases["adversarial"]
    return {
        "summaries": summary_check_rows(summaries, verdicts, origins, cases),
        "variance": hook_variance_rows(variance, summaries, adversarial),
        "rejections": rejection_rows(rejections, origins, verdicts, adversarial),
    }


def _work(setup: Setup) -> Work:
    released = {name: [table.path] for name, table in STEP.reads.items() if name != OTHERS}
    return Work(released | {name: paths.cases(suite) for name, suite in setup.compared_suites().items()})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.labelled_suite else []


STEP = Step(
    {
        "verdicts": RELEASED_VERDICTS,
        "origins": RELEASED_ORIGINS,
        "rejections": RELEASED_REJECTIONS,
        "summaries": RELEASED_SUMMARIES,
        "variance": RELEASED_VARIANCE,
        OTHERS: CASES,
    },
    {"summaries": SUMMARY_CHECKS, "variance": HOOK_VARIANCE, "rejections": REJECTION_COUNTS},
    _compute,
    _work,
    _over,
)
