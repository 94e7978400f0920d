"""Cases among ever more unrelated memories."""

from collections.abc import Iterator
from dataclasses import replace

from lethe.jobs.work import Work
from lethe.study.axis import Axis, Study
from lethe.study.paths import HAYSTACK, STORE_SIZE_TRIALS


def _works(study: Study, name: str) -> Iterator[Work]:
    axis = study.setup.store_size
    for size in axis.sizes if axis.enabled and name in axis.configurations else ():
        trials = STORE_SIZE_TRIALS.format(size=size, system=name)
        number = axis.cases_per_category
        work = study.suite(name, axis.suite, trials=trials, cases_per_category=number, timed=True)
        yield replace(work, haystack=HAYSTACK, size=size)


AXIS = Axis(_works)
