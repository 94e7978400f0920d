"""A few cases several times, for their times; nothing runs beside."""

from collections.abc import Iterator

from lethe.study.axis import Axis, Run, Study, run_of
from lethe.study.paths import LATENCY_TRIALS


def _runs(study: Study) -> Iterator[Run]:
    setup = study.setup
    options = {
        "repetitions": setup.latency.repetitions,
        "cases_per_category": setup.latency.cases_per_category,
        "timed": True,
    }
    for name in setup.timed():
        work = study.suite(name, setup.adversarial_suite, trials=LATENCY_TRIALS.format(system=name), **options)
        yield run_of(f"time_{name}", study.configurations[name], [work], f"latency/{name}", alone=True)


AXIS = Axis(runs=_runs)
