"""The cases of every suite."""

from collections.abc import Iterator

from lethe.jobs.work import Work
from lethe.study.axis import Axis, Study


def _works(study: Study, name: str) -> Iterator[Work]:
    return (study.suite(name, suite) for suite in study.setup.suites if study.setup.runs(name, suite))


AXIS = Axis(_works)
