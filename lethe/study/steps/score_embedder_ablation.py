"""Passes on one suite with each embedder."""

from collections.abc import Mapping

from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import CASES, EMBEDDER_ABLATION, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study.embedder_ablation import embedder_ablation_rows
from lethe.study.step import OTHERS, Rows, Step


def _compute(cases: Rows, used: str, **by_embedder: Rows) -> Mapping[str, Rows]:
    runs: dict[tuple[str, str], list[Row]] = {}
    for embedder, trials in by_embedder.items():
        for trial in trials:
            runs.setdefault((embedder, configuration_name(trial)), []).append(trial)
    return {"ablation": embedder_ablation_rows(suite_from_rows(cases), runs, used)}


STEP = Step({"cases": CASES, OTHERS: TRIALS}, {"ablation": EMBEDDER_ABLATION}, _compute)
