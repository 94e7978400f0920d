"""The paper's thirteen configurations on its cases: measured here, counted from released verdicts, or as printed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.published import Published
from lethe.study.released.recount import printed_runs
from lethe.study.released.runs import runs_of
from lethe.study.replication.printed_systems import THIRTEEN, PrintedSystem
from lethe.study.results import SuiteResults

MEASURED, COUNTED, PRINTED = "measured here", "counted from released verdicts", "as printed"
"""Where numbers come from, the best first."""
SUITE = "adversarial"
"""The release's name of the paper's cases."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What is known of one of the thirteen.

    Attributes:
        source: one of `MEASURED`, `COUNTED` and `PRINTED`.
        rates: category, or `lethe.schemas.ALL`, to the share passed of the evaluable cases; None where all are N/A, no
            entry where nothing says it.
    """

    system: PrintedSystem
    source: str
    rates: Mapping[str, float | None]


def thirteen_shown(
    results: SuiteResults | None, verdicts: Iterable[Row], cases: Iterable[Row], published: Published
) -> list[Shown]:
    """Each of the thirteen by the best source that has it.

    Args:
        results: of the paper's cases; None where they are not run.
        verdicts: rows of `lethe.schemas.RELEASED_VERDICTS`; none without the release.
        cases: rows of `lethe.schemas.CASES` of the paper's cases, likewise.
    """
    runs, printed = runs_of(verdicts, SUITE), printed_runs(SUITE)
    category = {case["case_id"]: case["category"] for case in cases}
    shown = []
    for system in THIRTEEN:
        by_case = runs.get(printed[system.name], {}) if system.name in printed else {}
        if results is not None and not system.model and results.score(system.system) is not None:
            shown.append(Shown(system, MEASURED, _measured(results, system.system)))
        elif by_case:
            shown.append(Shown(system, COUNTED, _counted(by_case, category)))
        else:
            shown.append(Shown(system, PRINTED, _printed(published, system)))
    return shown


def passed_of(by_case: Mapping[str, str]) -> tuple[int, int]:
    """Cases passed, and all, of a released run."""
    return sum(verdict == "pass" for verdict in by_case.values()), len(by_case)


def _measured(results: SuiteResults, name: str) -> dict[str, float | None]:
    parts = [(value, "category") for value in results.values("category")] + [(ALL, "overall")]
    scores = {value: results.score(name, value, cut) for value, cut in parts}
    return {
        value: score["evaluable_rate"]
        for value, score in scores.items()
        if score is not None and (score["evaluable_rate"] is not None or score["na"])
    }


def _counted(by_case: Mapping[str, str], category: Mapping[str, str]) -> dict[str, float | None]:
    parts: dict[str, list[str]] = {}
    for case, verdict in by_case.items():
        for part in (category[case], ALL):
            parts.setdefault(part, []).append(verdict)
    evaluable = {part: [one for one in given if one != "na"] for part, given in parts.items()}
    return {part: given.count("pass") / len(given) if given else None for part, given in evaluable.items()}


def _printed(published: Published, system: PrintedSystem) -> dict[str, float | None]:
    rates: dict[str, float | None] = {}
    for row in (ALL, "evaluable", *ADVERSARIAL_CATEGORIES):
        part = ALL if row == "evaluable" else row
        cases, percent = (published.find(system.printed_in, row, system.name, unit) for unit in ("cases", "percent"))
        if cases is not None and cases.value is not None and cases.n:
            rates[part] = float(cases.value) / cases.n
        elif percent is not None and percent.value is not None:
            rates[part] = float(percent.value) / 100
        elif published.find(system.printed_in, row, system.name, "na") is not None:
            rates[part] = None
    return rates
