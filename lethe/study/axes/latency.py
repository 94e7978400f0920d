"""A few cases several times, for their times: one configuration after the other, in a job beside which nothing runs."""

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
        entry = study.configurations[name]
        yield run_of("time_configurations", entry, [work], "latency", f"latency/{name}", alone=True)


AXIS = Axis(runs=_runs)
