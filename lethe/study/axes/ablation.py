"""The adversarial suite without each kind of evidence of the matcher's."""

from collections.abc import Iterator
from dataclasses import replace

from lethe.study.axis import Axis, Run, Study, run_of
from lethe.study.paths import ABLATION_TRIALS
from lethe.study.setup import ABLATED
from lethe.study.steps.score_ablation import LEFT_OUT


def _runs(study: Study) -> Iterator[Run]:
    for evidence in LEFT_OUT if study.setup.matcher_runs else ():
        trials = ABLATION_TRIALS.format(evidence=evidence)
        work = study.suite(ABLATED, study.setup.adversarial_suite, trials=trials)
        entry = replace(study.configurations[ABLATED], evidence_off=[] if evidence == "none" else [evidence])
        yield run_of("run_without_evidence", entry, [work], "ablation", f"ablation/{evidence}")


AXIS = Axis(runs=_runs)
