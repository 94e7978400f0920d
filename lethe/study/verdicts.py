"""Each trial under each scorer. Scoring again needs no run: a trial keeps what was recalled."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from forgeteval.cases.case import Case
from forgeteval.scoring.scorers import identifier_contains, score
from lethe.parquet import Row
from lethe.schemas import SCORERS

_KEY = ("suite", "system", "model", "repetition", "case_id")


def verdict_rows(
    cases: Sequence[Case], trials: Iterable[Row], scorers: Sequence[str] = SCORERS
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.VERDICTS`: a trial that is `na` or `error` is so under every scorer."""
    by_id = {case.case_id: case for case in cases}
    return [
        {**{name: trial[name] for name in _KEY}, "scorer": scorer, "verdict": _verdict(by_id, trial, scorer)}
        for trial in trials
        for scorer in scorers
    ]


def _verdict(cases: Mapping[str, Case], trial: Row, scorer: str) -> str:
    if trial["verdict"] not in ("pass", "fail") or scorer == "substring":
        return str(trial["verdict"])
    if scorer == "probed":
        return str(trial["probed_verdict"])
    case = cases[trial["case_id"]]
    forbidden = (*case.must_not_contain, *case.forbidden_identifiers)
    scored = score(trial["recalled"], case.must_contain, forbidden, identifier_contains)
    return "pass" if scored.passed else "fail"
