"""What was there when the long histories asked."""

from collections.abc import Iterable, Mapping

from lethe.schemas import LONG_ANSWERS, LONG_EVENTS, LONG_SCORES
from lethe.study.long import long_rows
from lethe.study.setup import Setup
from lethe.study.step import Names, Rows, Step, Work


def _compute(events: Rows, answers: Rows) -> Mapping[str, Rows]:
    return {"scores": long_rows(events, answers)}


def _work(setup: Setup) -> Work:
    runs = [LONG_ANSWERS.path.format(system=name) for name in setup.long.configurations]
    return Work({"events": [LONG_EVENTS.path], "answers": runs})


def _over(setup: Setup) -> Iterable[Names]:
    return [{}] if setup.long.configurations else []


STEP = Step({"events": LONG_EVENTS, "answers": LONG_ANSWERS}, {"scores": LONG_SCORES}, _compute, _work, _over)
