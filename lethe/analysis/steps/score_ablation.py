"""Passes of the matcher without each kind of evidence."""

from collections.abc import Mapping

from lethe.analysis.ablation import ablation_rows
from lethe.analysis.step import Rows, Step
from lethe.matcher import EVIDENCE_KINDS
from lethe.schemas import ABLATION, CASES, TRIALS
from lethe.stored.cases import suite_from_rows

LEFT_OUT = ("none", *EVIDENCE_KINDS)


def _compute(cases: Rows, **runs: Rows) -> Mapping[str, Rows]:
    return {"ablation": ablation_rows(suite_from_rows(cases), runs)}


STEP = Step({"cases": CASES, **dict.fromkeys(LEFT_OUT, TRIALS)}, {"ablation": ABLATION}, _compute)
