"""The runs of one suite beside the published runs on the same cases, and what a published pass was worth."""

from collections.abc import Mapping, Sequence

from lethe.schemas import (
    CASES,
    CLAIMS,
    NA_READINGS,
    PAIRED_RELEASED,
    PASS_WORTH,
    RELEASED_VERDICTS,
    REPLICAS,
    TRIALS,
    VERDICTS,
)
from lethe.study.released.compare import paired_rows, replica_rows
from lethe.study.released.na import na_rows
from lethe.study.released.runs import runs_of
from lethe.study.released.worth import ReleasedSuite, claim_rows, worth_rows
from lethe.study.step import Rows, Step


def _compute(
    released: Rows,
    cases: Rows,
    verdicts: Rows,
    trials: Rows,
    suite: str,
    released_suite: str,
    controls: Sequence[str],
    oracles: Sequence[str],
    resamples: int,
    seed: int,
) -> Mapping[str, Rows]:
    runs = runs_of(released, released_suite)
    known = frozenset(controls)
    compared = ReleasedSuite(suite, released_suite, runs, verdicts, known.difference(oracles))
    return {
        "replicas": replica_rows(suite, released_suite, runs, verdicts, trials),
        "paired": paired_rows(suite, runs, verdicts, known, resamples, seed),
        "worth": worth_rows(compared),
        "na": na_rows(compared, cases),
        "claims": claim_rows(compared, cases, resamples, seed),
    }


STEP = Step(
    {"released": RELEASED_VERDICTS, "cases": CASES, "verdicts": VERDICTS, "trials": TRIALS},
    {"replicas": REPLICAS, "paired": PAIRED_RELEASED, "worth": PASS_WORTH, "na": NA_READINGS, "claims": CLAIMS},
    _compute,
)
