"""Runs here beside the published ones, case by case on the released cases."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.scoring.paired import mcnemar_table
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.study.agreement import cohen_kappa
from lethe.study.paired import compare_pairs
from lethe.study.released.runs import Run, replicated_run

Verdicts = Mapping[str, str]
"""Case to verdict."""


def measured_verdicts(verdicts: Iterable[Row]) -> dict[tuple[str, str, str], dict[str, str]]:
    """(configuration, system, scorer) to the verdict by case of its first repetition.

    Args:
        verdicts: rows of `lethe.schemas.VERDICTS` of one suite.
    """
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in verdicts:
        if row["repetition"] == 0:
            by_case = found.setdefault((configuration_name(row), row["system"], row["scorer"]), {})
            by_case[row["case_id"]] = row["verdict"]
    return found


def replica_rows(
    suite: str, released: str, runs: Mapping[Run, Verdicts], verdicts: Sequence[Row], trials: Iterable[Row]
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.REPLICAS`: each case of each configuration that replicates a published run.

    Cases agree where both pass or both do not: the release counts N/A as failures in some files and not in others.

    Args:
        suite, released: the suite's name here, and the release's.
        runs: see `runs_of`.
        verdicts, trials: rows of `lethe.schemas.VERDICTS` and `TRIALS` of the suite.
    """
    kept = {(configuration_name(trial), trial["case_id"]): trial for trial in trials if trial["repetition"] == 0}
    rows = []
    for (name, system, scorer), measured in measured_verdicts(verdicts).items():
        run = replicated_run(system, runs, released)
        if run is None or run.scored_by != scorer:
            continue
        for case_id, published in runs[run].items():
            agree = (published == "pass") == (measured[case_id] == "pass")
            trial = kept[name, case_id]
            rows.append(
                {
                    "suite": suite,
                    "configuration": name,
                    "run": run.name,
                    "case_id": case_id,
                    "scorer": scorer,
                    "published": published,
                    "measured": measured[case_id],
                    "agree": agree,
                    "missing": [] if agree else trial["missing"],
                    "leaked": [] if agree else trial["leaked"],
                    "recalled": [] if agree else trial["recalled"],
                }
            )
    return rows


def paired_rows(
    suite: str,
    runs: Mapping[Run, Verdicts],
    verdicts: Sequence[Row],
    controls: frozenset[str],
    resamples: int,
    seed: int,
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.PAIRED_RELEASED`: each configuration here with each published run, on the cases of both.

    Args:
        controls: names of the systems that are controls.
        resamples, seed: of the paired bootstrap, see `lethe.study.paired.compare_pairs`.
    """
    measured = {
        (name, scorer): by_case
        for (name, system, scorer), by_case in measured_verdicts(verdicts).items()
        if system not in controls and any(verdict != "na" for verdict in by_case.values())
    }
    rows = []
    for run, published in runs.items():
        names = [name for name, scorer in measured if scorer == run.scored_by]
        passes = {name: _passes(measured[name, run.scored_by], published) for name in names}
        shares = {run.name: _passes(published, published).astype(float)}
        shares |= {name: own.astype(float) for name, own in passes.items()}
        for pair in compare_pairs(shares, resamples, seed, [(name, run.name) for name in names]):
            table = mcnemar_table(passes[pair["first"]], shares[run.name] > 0)
            named = {"suite": suite, "configuration": pair.pop("first"), "run": pair.pop("second")}
            rows.append({**named, "scorer": run.scored_by, **pair, "kappa": cohen_kappa(table)})
    return rows


def _passes(verdicts: Verdicts, cases: Iterable[str]) -> NDArray[np.bool_]:
    return np.array([verdicts[case] == "pass" for case in cases])
