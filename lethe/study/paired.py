"""Systems compared case by case on one suite: McNemar's test, and the difference of their pass rates.

The paper compares Lethe and LangGraph so (section "Adversarial layer"); here it is every two systems, and a family of
tests is all of them on one suite under one scorer.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.errors import UserError
from forgeteval.scoring.paired import Pair, Shares, bootstrap_differences, holm, mcnemar_exact, mcnemar_table
from lethe.config.configurations import configuration_name
from lethe.parquet import Row


def paired_rows(verdicts: Iterable[Row], controls: frozenset[str], resamples: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.PAIRED`: each two configurations that are measured, under each scorer.

    N/A and errors count as not passed, as in the pass rates. A configuration that is N/A on every case is left out:
    there is nothing to test. With several repetitions, McNemar's test takes a case for passed where more than half of
    them pass, and the difference is that of the mean shares.

    Args:
        verdicts: rows of `lethe.schemas.VERDICTS` of one suite.
        controls: names of the systems that are controls.
        resamples: resamplings of the cases for the interval of a difference; all pairs share them.

    Raises:
        UserError: where two configurations were not run on the same cases.
    """
    by_scorer: dict[tuple[str, str], dict[str, dict[str, list[str]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in verdicts:
        if row["system"] not in controls:
            by_scorer[row["suite"], row["scorer"]][configuration_name(row)][row["case_id"]].append(row["verdict"])
    return [
        {"suite": suite, "scorer": scorer, **pair}
        for (suite, scorer), systems in by_scorer.items()
        for pair in compare_pairs(_shares(suite, systems), resamples, seed)
    ]


def _shares(suite: str, systems: Mapping[str, Mapping[str, list[str]]]) -> dict[str, NDArray[np.float64]]:
    shares = {}
    cases: list[str] = []
    for name, by_case in systems.items():
        if all(verdict == "na" for verdicts in by_case.values() for verdict in verdicts):
            continue
        cases = cases or sorted(by_case)
        if sorted(by_case) != cases:
            raise UserError(
                f"{name} on {suite}: ran on other cases than the others; remove results/runs/{suite}/{name}.parquet"
            )
        shares[name] = np.array([np.mean([verdict == "pass" for verdict in by_case[case]]) for case in cases])
    return shares


def compare_pairs(
    shares: Shares, resamples: int, seed: int, pairs: Iterable[Pair] | None = None
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.PAIRED` without suite and scorer, of each two configurations or those in `pairs`."""
    intervals = bootstrap_differences(shares, resamples, seed, pairs) if len(shares) > 1 else {}
    if not intervals:
        return []
    # Slow to import; only this stage needs it.
    from statsmodels.stats.contingency_tables import mcnemar

    rows = []
    for first, second in intervals:
        table = mcnemar_table(shares[first] > 0.5, shares[second] > 0.5)
        (both, first_only), (second_only, neither) = table.tolist()
        discordant = first_only + second_only
        # Without a discordant case there is no evidence of a difference; the corrected statistic would be 1/0.
        corrected = mcnemar(table, exact=False, correction=True) if discordant else None
        low, high = intervals[first, second]
        rows.append(
            {
                "first": first,
                "second": second,
                "cases": both + neither + discordant,
                "both": both,
                "first_only": first_only,
                "second_only": second_only,
                "neither": neither,
                "chi_squared": 0.0 if corrected is None else float(corrected.statistic),
                "p_exact": mcnemar_exact(first_only, second_only),
                "p_corrected": 1.0 if corrected is None else float(corrected.pvalue),
                "difference": float(shares[first].mean() - shares[second].mean()),
                "low": low,
                "high": high,
                "resamples": resamples,
            }
        )
    for kind in ("exact", "corrected"):
        for row, p in zip(rows, holm([row[f"p_{kind}"] for row in rows]), strict=True):
            row[f"p_{kind}_holm"] = p
    return rows
