"""The adversarial suite with each further embedder."""

from collections.abc import Iterator
from dataclasses import replace

from lethe.study.axis import Axis, Run, Study, run_of
from lethe.study.paths import EMBEDDER_TRIALS

_VECTORS = "results/embedder_ablation/{embedder}/vectors/{suite}.parquet"


def _runs(study: Study) -> Iterator[Run]:
    axis, suite = study.setup.embedder_ablation, study.setup.adversarial_suite
    for embedder in axis.embedders_to_run():
        for name in axis.configurations:
            work = study.suite(name, suite, trials=EMBEDDER_TRIALS.format(embedder=embedder, system=name))
            work = replace(work, vectors=[_VECTORS.format(embedder=embedder, suite=suite)])
            place, kept = f"embedder_ablation/{embedder}/{name}", f"{embedder}/{name}"
            job = f"run_{name}_with_{embedder}"
            yield run_of(job, study.configurations[name], [work], place, kept, embedder=embedder)


AXIS = Axis(runs=_runs)
