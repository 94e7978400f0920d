"""Systems compared case by case on one suite: McNemar's test, and the difference of their pass rates.

The paper compares Lethe and LangGraph so (section "Adversarial layer"); here it is every two systems, and a family of
tests is all of them on one suite under one scorer.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forgeteval.errors import UserError
from lethe.config.configurations import configuration_name
from lethe.parquet import Row

_CONFIDENCE = 0.95
_CHUNK = 500
"""Resamples drawn at once, which bounds memory at a few megabytes for a suite of a thousand cases."""

Pair = tuple[str, str]
Shares = Mapping[str, NDArray[np.float64]]
"""Configuration to the share of its repetitions that passed, one float for each case, in one order of the cases."""


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


def mcnemar_table(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The 2 × 2 counts of two systems' passes on the same cases: [[both, first only], [second only, neither]]."""
    return np.array(
        [[(first & second).sum(), (first & ~second).sum()], [(~first & second).sum(), (~first & ~second).sum()]],
        dtype=np.int64,
    )


def bootstrap_differences(
    shares: Shares, resamples: int, seed: int, pairs: Iterable[Pair] | None = None
) -> dict[Pair, tuple[float, float]]:
    """Percentile 95 % intervals of the difference of mean shares, cases resampled together.

    Args:
        pairs: those that are compared; each two where None.
    """
    matrix = np.array(list(shares.values()))
    cases = matrix.shape[1]
    generator = np.random.default_rng(seed)
    means = np.concatenate(
        [
            generator.multinomial(cases, np.full(cases, 1 / cases), size=min(_CHUNK, resamples - start))
            @ matrix.T
            / cases
            for start in range(0, resamples, _CHUNK)
        ]
    )
    tail = 100 * (1 - _CONFIDENCE) / 2
    column = {name: means[:, place] for place, name in enumerate(shares)}
    intervals = {}
    for first, second in combinations(shares, 2) if pairs is None else pairs:
        low, high = np.percentile(column[first] - column[second], [tail, 100 - tail])
        intervals[first, second] = float(low), float(high)
    return intervals


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
    from statsmodels.stats.multitest import multipletests

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
                "p_exact": float(mcnemar(table, exact=True).pvalue) if discordant else 1.0,
                "p_corrected": 1.0 if corrected is None else float(corrected.pvalue),
                "difference": float(shares[first].mean() - shares[second].mean()),
                "low": low,
                "high": high,
                "resamples": resamples,
            }
        )
    for kind in ("exact", "corrected"):
        adjusted = multipletests([row[f"p_{kind}"] for row in rows], method="holm")[1]
        for row, p in zip(rows, adjusted, strict=True):
            row[f"p_{kind}_holm"] = float(p)
    return rows
