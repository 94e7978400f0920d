"""How every configuration stands on a suite: passes, rates of what became of each fact, why a row is not another."""

from typing import Any

from forgeteval.run.facts import MEASURES
from lethe.config.configurations import configuration_name
from lethe.parquet import Row
from lethe.report.inputs import SuiteInputs
from lethe.schemas import ALL
from lethe.study.results import Score, SuiteResults

_DEVELOPED_ON = "developed on these very cases: no measure of what it does on others"


def suite_standings(inputs: SuiteInputs) -> dict[str, Any]:
    """The standings of a suite.

    Returns:
        `rows`: one record for each configuration that ran, which names it by its `system`; `notRun`: the reason of each
        other by its name. `total` and the values of `categories` are [passed, cases, N/A, errors]; `pass`, `leak`,
        `collateral` and `stale` are [rate, low, high, number that the rate is of]; `residue` is [trials that left a
        forbidden string in storage, trials examined], of cases with purges alone.
    """
    results = inputs.results
    rates = {
        (configuration_name(row), row["measure"]): _share(row)
        for row in inputs.states
        if (row["cut"], row["value"]) == ("overall", ALL)
    }
    residue = _residues(inputs)
    scored = [(name, score) for name in results.configurations if (score := results.score(name)) is not None]
    return {
        "name": results.suite,
        "label": results.label,
        "cases": len(inputs.cases),
        "categories": {each: results.cases(each, "category") for each in results.values("category")},
        "rows": [
            {
                "system": name,
                "total": _counts(score),
                "pass": _rounded(score["rate"], score["wilson_low"], score["wilson_high"], score["cases"]),
                **{measure: rates.get((name, measure)) for measure in MEASURES},
                "categories": _by_category(results, name),
                "residue": residue.get(name),
                "developedOn": _DEVELOPED_ON if results.is_seen_by(name) else "",
                "availableSince": _available_since(results, name),
            }
            for name, score in scored
        ],
        "notRun": dict(results.not_run),
    }


def _by_category(results: SuiteResults, name: str) -> dict[str, list[int]]:
    found = ((each, results.score(name, each, "category")) for each in results.values("category"))
    return {each: _counts(score) for each, score in found if score is not None}


def _available_since(results: SuiteResults, name: str) -> str:
    if not results.available_since or results.configurations[name].hook != "matcher":
        return ""
    return f"the cases have been available to its developers since commit {results.available_since}"


def _counts(score: Score) -> list[int]:
    return [score["passed"], score["cases"], score["na"], score["errors"]]


def _share(row: Row) -> list[float]:
    return _rounded(row["rate"], row["low"], row["high"], row["facts"])


def _rounded(rate: float, low: float, high: float, count: int) -> list[float]:
    return [*(round(share, 5) for share in (rate, low, high)), count]


def _residues(inputs: SuiteInputs) -> dict[str, list[int]]:
    purged = {case.case_id for case in inputs.cases if {mutation.op for mutation in case.mutations} == {"purge"}}
    found: dict[str, list[int]] = {}
    for trial in inputs.trials:
        if trial["case_id"] in purged and trial["residue"] is not None:
            counts = found.setdefault(configuration_name(trial), [0, 0])
            counts[0] += trial["residue"] > 0
            counts[1] += 1
    return found
