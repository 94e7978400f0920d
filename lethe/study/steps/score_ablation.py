"""Passes of the matcher without each kind of evidence."""

from collections.abc import Mapping

from lethe.matcher import EVIDENCE_KINDS
from lethe.schemas import ABLATION, CASES, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study.ablation import ablation_rows
from lethe.study.step import Rows, Step

LEFT_OUT = ("none", *EVIDENCE_KINDS)


def _compute(cases: Rows, **runs: Rows) -> Mapping[str, Rows]:
    return {"ablation": ablation_rows(suite_from_rows(cases), runs)}


STEP = Step({"cases": CASES, **dict.fromkeys(LEFT_OUT, TRIALS)}, {"ablation": ABLATION}, _compute)
