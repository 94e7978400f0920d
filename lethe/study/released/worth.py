"""What a published pass was worth: the published runs on all cases, and on those that no control passes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from forgeteval.errors import UserError
from forgeteval.scoring.intervals import wilson
from forgeteval.yaml_data import read_yaml_data
from lethe.parquet import Row
from lethe.study.paired import compare_pairs
from lethe.study.released.compare import Verdicts, measured_verdicts
from lethe.study.released.reading import VERDICTS_FILE
from lethe.study.released.runs import Run

DATA_FILES = ("claims.yaml",)
EVERY, HARD = "all", "no control passes"
"""The subsets of a suite."""
STANDS, FALLS, REVERSED, UNTESTED = "stands", "falls", "reversed", "no case left"
_ALPHA = 0.05
_REMEDY = "check datasets/forgeteval"
_COMPARED = ("first_only", "second_only", "p_exact", "difference", "low", "high")


@dataclass(frozen=True, slots=True)
class Claim:
    """One conclusion of the paper: the first published run passes more than the second, or as many (`equal`).

    Attributes:
        adversarial, repaired: the two runs on the cases of that name; empty where none were released.
        categories: those that it is about; empty for all.
    """

    claim: str
    section: str
    adversarial: Sequence[str] = ()
    repaired: Sequence[str] = ()
    categories: Sequence[str] = field(default_factory=list)
    equal: bool = False

    def runs(self, released: str) -> Sequence[str]:
        """The two runs on a suite by the release's name; empty where it is about another."""
        found: Sequence[str] = getattr(self, released, ())
        return found


CLAIMS = [Claim(**entry) for entry in read_yaml_data(Path(__file__).with_name(DATA_FILES[0]))]
"""The paper's conclusions that rest on the 385 cases."""


@dataclass(frozen=True, slots=True)
class ReleasedSuite:
    """A suite of the released cases: the published runs on it, and the runs here.

    Attributes:
        name, released: the suite's name here, and the release's.
        runs: see `lethe.study.released.runs.runs_of`.
        verdicts: rows of `lethe.schemas.VERDICTS`.
        controls: names of the systems that are controls, without the oracle.
    """

    name: str
    released: str
    runs: Mapping[Run, Verdicts]
    verdicts: Sequence[Row]
    controls: frozenset[str]

    def subsets(self, cases: Iterable[str], scorer: str) -> dict[str, list[str]]:
        """All of these cases, and those that no control passes under a scorer."""
        easy = {
            row["case_id"]
            for row in self.verdicts
            if row["system"] in self.controls and row["scorer"] == scorer and row["verdict"] == "pass"
        }
        every = list(cases)
        return {EVERY: every, HARD: [case for case in every if case not in easy]}


def worth_rows(suite: ReleasedSuite) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.PASS_WORTH`: each published run of the whole suite and each configuration.

    A configuration is scored as most published runs of its suite are: by `substring` as shipped, else by `probed`.

    Raises:
        UserError: where the release has no run of the suite.
    """
    if not suite.runs:
        raise UserError(f"{VERDICTS_FILE}: suite: no row is of {suite.released}; {_REMEDY}")
    whole = max(len(published) for published in suite.runs.values())
    scorer = "substring" if suite.released == "adversarial" else "probed"
    rated = [
        ("published", run.name, run.scored_by, published)
        for run, published in suite.runs.items()
        if len(published) == whole
    ]
    measured = measured_verdicts(suite.verdicts)
    rated += [("measured", name, scorer, dict(own)) for (name, _, used), own in measured.items() if used == scorer]
    return [
        {"suite": suite.name, "origin": origin, "name": name, "scorer": used, "subset": subset, **_rate(own, cases)}
        for origin, name, used, own in rated
        for subset, cases in suite.subsets(own, used).items()
        if cases
    ]


def claim_rows(suite: ReleasedSuite, cases: Iterable[Row], resamples: int, seed: int) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.CLAIMS`: each claim about a suite, on both of its subsets.

    A claim that one passes more stands where it does and the exact McNemar test rejects equality at 5 %; it is reversed
    where the other passes more in the same sense; else it falls. A claim of equality stands where equality is not
    rejected.

    Args:
        cases: rows of `lethe.schemas.CASES`.
        resamples, seed: of the paired bootstrap.

    Raises:
        UserError: where the release lacks a run that a claim is about, or a case of one.
    """
    by_name = {run.name: run for run in suite.runs}
    category = {case["case_id"]: case["category"] for case in cases}
    rows = []
    for place, claim in enumerate(CLAIMS):
        if not claim.runs(suite.released):
            continue
        first, second = _compared_runs(claim, suite, by_name)
        about = [case for case in suite.runs[second] if not claim.categories or category[case] in claim.categories]
        for subset, kept in suite.subsets(about, second.scored_by).items():
            compared = _compared(suite, first, second, kept, resamples, seed)
            row = {
                "suite": suite.name,
                "place": place,
                "claim": claim.claim,
                "section": claim.section,
                "first": first.name,
                "second": second.name,
                "subset": subset,
                "cases": len(kept),
            }
            rows.append({**row, **compared, "verdict": _judged(claim, compared)})
    return rows


def _compared_runs(claim: Claim, suite: ReleasedSuite, by_name: Mapping[str, Run]) -> tuple[Run, Run]:
    """The two runs, of which the first has every case of the second."""
    about = f"{VERDICTS_FILE}: suite {suite.released}"
    for name in claim.runs(suite.released):
        if name not in by_name:
            raise UserError(f"{about}: no row is of the run {name}, of which the paper says something; {_REMEDY}")
    first, second = (by_name[name] for name in claim.runs(suite.released))
    lacking = [case for case in suite.runs[second] if case not in suite.runs[first]]
    if lacking:
        raise UserError(f"{about}: {first.name} has no verdict of {lacking[0]!r:.80}, and {second.name} has; {_REMEDY}")
    return first, second


def _compared(
    suite: ReleasedSuite, first: Run, second: Run, cases: Sequence[str], resamples: int, seed: int
) -> dict[str, Any]:
    if not cases:
        return dict.fromkeys(_COMPARED)
    shares = {run.name: np.array([float(suite.runs[run][case] == "pass") for case in cases]) for run in (first, second)}
    (found,) = compare_pairs(shares, resamples, seed)
    return {name: found[name] for name in _COMPARED}


def _judged(claim: Claim, compared: Mapping[str, Any]) -> str:
    if compared["p_exact"] is None:
        return UNTESTED
    differs = compared["p_exact"] < _ALPHA
    if claim.equal or not differs:
        return STANDS if claim.equal and not differs else FALLS
    return STANDS if compared["difference"] > 0 else REVERSED


def _rate(verdicts: Verdicts, cases: Sequence[str]) -> dict[str, Any]:
    passed = sum(verdicts[case] == "pass" for case in cases)
    low, high = wilson(passed, len(cases))
    share = passed / len(cases)
    return {"passed": passed, "cases": len(cases), "rate": share, "wilson_low": low, "wilson_high": high}
