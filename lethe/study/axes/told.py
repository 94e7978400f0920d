"""The facts of the adversarial cases, told and asked for before any mutation."""

from collections.abc import Iterator

from lethe.jobs.work import Work
from lethe.study.axis import Axis, Study
from lethe.study.paths import TOLD_TRIALS


def _works(study: Study, name: str) -> Iterator[Work]:
    if name in study.setup.told:
        trials = TOLD_TRIALS.format(system=name)
        yield study.suite(name, study.setup.adversarial_suite, trials=trials, told=True)


AXIS = Axis(_works)
