"""The erasure audit."""

from collections.abc import Iterator

from lethe.jobs.work import ErasureWork, Work
from lethe.schemas import ERASURE_CASES, ERASURE_RECORDS
from lethe.study.axis import Axis, Study

_VECTORS, _HAYSTACK = "results/erasure/vectors.parquet", "results/erasure/haystack.parquet"


def _works(study: Study, name: str) -> Iterator[Work]:
    for memories, number in study.setup.erasure.stores.get(name, ()):
        yield ErasureWork(
            vectors=[_VECTORS],
            cases=ERASURE_CASES.path,
            haystack=_HAYSTACK,
            records=ERASURE_RECORDS.path.format(rows=memories, system=name),
            number=number,
            memories=memories,
        )


AXIS = Axis(_works)
