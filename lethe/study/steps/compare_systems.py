"""Every two systems on one suite, case by case."""

from collections.abc import Mapping, Sequence

from lethe.schemas import PAIRED, VERDICTS
from lethe.study import paths
from lethe.study.paired import paired_rows
from lethe.study.setup import Setup
from lethe.study.step import Rows, Step, Work, each_suite


def _compute(verdicts: Rows, controls: Sequence[str], resamples: int, seed: int) -> Mapping[str, Rows]:
    return {"paired": paired_rows(verdicts, frozenset(controls), resamples, seed)}


def _work(setup: Setup, suite: str) -> Work:
    return Work({"verdicts": paths.verdicts(suite)}, {"controls": setup.controls(), **setup.bootstrap()})


STEP = Step({"verdicts": VERDICTS}, {"paired": PAIRED}, _compute, _work, each_suite)
