"""The long histories."""

from collections.abc import Iterator

from lethe.jobs.work import LongWork, Work
from lethe.schemas import LONG_ANSWERS, LONG_EVENTS, LONG_REPLAYS
from lethe.study.axis import Axis, Study
from lethe.study.paths import vectors_of_material


def _works(study: Study, name: str) -> Iterator[Work]:
    if name in study.setup.long.configurations:
        yield LongWork(
            vectors=vectors_of_material("long"),
            events=LONG_EVENTS.path,
            answers=LONG_ANSWERS.path.format(system=name),
            replays=LONG_REPLAYS.path.format(system=name),
        )


AXIS = Axis(_works)
