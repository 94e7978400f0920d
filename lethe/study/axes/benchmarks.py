"""The benchmarks of other authors."""

from collections.abc import Iterator

from lethe.crosseval.selection import BENCHMARKS, HYBRID, lengths_of
from lethe.jobs.work import BenchmarkWork, Work
from lethe.schemas import CROSSEVAL, CROSSEVAL_HISTORIES
from lethe.study.axis import Axis, Study
from lethe.study.paths import CROSSEVAL_DATA, vectors_of_material


def _works(study: Study, name: str) -> Iterator[Work]:
    for benchmark in BENCHMARKS:
        options = study.setup.benchmarks[benchmark]
        if options.runs and name not in options.not_run:
            yield BenchmarkWork(
                vectors=vectors_of_material(f"crosseval/{benchmark}"),
                benchmark=benchmark,
                operations=CROSSEVAL_DATA.format(benchmark=benchmark, file="operations"),
                questions=CROSSEVAL_DATA.format(benchmark=benchmark, file="questions"),
                answers=CROSSEVAL.path.format(benchmark=benchmark, system=name),
                histories=CROSSEVAL_HISTORIES.path.format(benchmark=benchmark, system=name),
                only=lengths_of(study.config, name) if benchmark == "factcons" else None,
                hybrid=benchmark in HYBRID,
            )


AXIS = Axis(_works)
