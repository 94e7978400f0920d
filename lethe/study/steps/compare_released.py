"""The runs of one suite beside the published runs on the same cases, and what a published pass was worth."""

from collections.abc import Iterable, Mapping, Sequence

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
from lethe.study import paths
from lethe.study.released.compare import paired_rows, replica_rows
from lethe.study.released.known import check_cases
from lethe.study.released.na import na_rows
from lethe.study.released.reading import VERDICTS_FILE
from lethe.study.released.runs import runs_of
from lethe.study.released.worth import ReleasedSuite, claim_rows, worth_rows
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


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
    check_cases(VERDICTS_FILE, released, cases, released_suite)
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


def _work(setup: Setup, suite: str) -> Work:
    released = {suite: name for name, suite in setup.compared_suites().items()}
    inputs = {
        "released": [RELEASED_VERDICTS.path],
        "cases": paths.cases(suite),
        "verdicts": paths.verdicts(suite),
        "trials": paths.trials(setup, suite),
    }
    options = {
        "suite": suite,
        "released_suite": released[suite],
        "controls": setup.controls(),
        "oracles": [name for name, entry in setup.configurations.items() if entry.backend == "oracle"],
    }
    return Work(inputs, {**options, **setup.bootstrap()})


def _over(setup: Setup) -> Iterable[Names]:
    return ({"suite": suite} for suite in setup.compared_suites().values())


STEP = Step(
    {"released": RELEASED_VERDICTS, "cases": CASES, "verdicts": VERDICTS, "trials": TRIALS},
    {"replicas": REPLICAS, "paired": PAIRED_RELEASED, "worth": PASS_WORTH, "na": NA_READINGS, "claims": CLAIMS},
    _compute,
    _work,
    _over,
)
