"""Passes on one suite with each embedder."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.schemas import ALL, CASES, EMBEDDER_ABLATION, TRIALS
from lethe.stored.cases import suite_from_rows
from lethe.study import paths
from lethe.study.setup import Setup
from lethe.study.step import OTHERS, Rows, Step, Work


def embedder_ablation_rows(
    cases: Sequence[Case], runs: Mapping[tuple[str, str], Iterable[Row]], used: str
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.EMBEDDER_ABLATION`: counts of each run by category and over all cases.

    Args:
        runs: rows of `lethe.schemas.TRIALS` by embedder and configuration.
        used: the embedder with which the others are compared; each configuration has a run with it.
    """
    category = {case.case_id: case.category for case in cases}
    verdicts = {key: [(_key(trial), trial["verdict"]) for trial in trials] for key, trials in runs.items()}
    rows = []
    for (embedder, configuration), found in verdicts.items():
        before = dict(verdicts[used, configuration])
        for part in (*dict.fromkeys(category.values()), ALL):
            inside = [(key, verdict) for key, verdict in found if part in (ALL, category[key[0]])]
            passes = [(verdict == "pass", before[key] == "pass") for key, verdict in inside]
            rows.append(
                {
                    "embedder": embedder,
                    "configuration": configuration,
                    "category": part,
                    "cases": len(inside),
                    "passed": sum(now for now, _ in passes),
                    "na": sum(verdict == "na" for _, verdict in inside),
                    "errors": sum(verdict == "error" for _, verdict in inside),
                    "gained": sum(now and not then for now, then in passes),
                    "lost": sum(then and not now for now, then in passes),
                }
            )
    return rows


def _key(trial: Row) -> tuple[str, int]:
    return trial["case_id"], trial["repetition"]


def _compute(cases: Rows, used: str, **by_embedder: Rows) -> Mapping[str, Rows]:
    runs: dict[tuple[str, str], list[Row]] = {}
    for embedder, trials in by_embedder.items():
        for trial in trials:
            runs.setdefault((embedder, configuration_name(trial)), []).append(trial)
    return {"ablation": embedder_ablation_rows(suite_from_rows(cases), runs, used)}


def _work(setup: Setup) -> Work:
    suite, axis = setup.adversarial_suite, setup.embedder_ablation
    used = [TRIALS.path.format(suite=suite, system=name) for name in axis.configurations]
    runs = {
        embedder: [paths.EMBEDDER_TRIALS.format(embedder=embedder, system=name) for name in axis.configurations]
        for embedder in axis.embedders_to_run()
    }
    return Work({"cases": paths.cases(suite), setup.embedder: used, **runs}, {"used": setup.embedder})


STEP = Step({"cases": CASES, OTHERS: TRIALS}, {"ablation": EMBEDDER_ABLATION}, _compute, _work)
