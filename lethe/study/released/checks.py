"""The released summaries against the verdicts, the spread of a repeated hooked run, and the judge's rejections."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, stdev
from typing import Any

from forgeteval.cases.case import ADVERSARIAL_CATEGORIES
from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.released.known import check_cases
from lethe.study.released.reading import VARIANCE_FILE, VERDICTS_FILE
from lethe.study.released.runs import Run, runs_of

VERDICTS, SUM = "verdicts", "sum of categories"
"""What a stated number is checked against: the verdicts of the same run, or the file's own categories."""
_NORMAL_95 = 1.959963984540054
_SNAPSHOT = "v0.5-365"
_REPEATS = "hook_run_variance"
"""What the name of the summary of the repeats holds."""


def summary_check_rows(
    summaries: Sequence[Row], verdicts: Sequence[Row], origins: Iterable[Row], cases: Mapping[str, Sequence[Row]]
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.SUMMARY_CHECKS`: each stated number that can be counted again.

    Args:
        summaries, verdicts, origins: rows of the tables `RELEASED_…` of `lethe.schemas`.
        cases: rows of `CASES` by the release's name of the suite.

    Raises:
        UserError: where a verdict is of another case.
    """
    for suite, own in cases.items():
        check_cases(VERDICTS_FILE, verdicts, own, suite)
    runs = {suite: runs_of(verdicts, suite) for suite in cases}
    sources = {_key(row): row["source"] for row in verdicts}
    parts = {row["case_id"]: [row["provenance"]] for row in origins}
    rows = []
    for stated in summaries:
        run = _run(stated, runs.get(stated["suite"], {}), sources)
        if run is None:
            continue
        category = {row["case_id"]: row["category"] for row in cases[stated["suite"]]}
        found = Counter(
            verdict
            for case, verdict in runs[stated["suite"]][run].items()
            if stated["category"] in (ALL, category[case], *parts.get(case, ()))
            or _is_numbered(case, stated["category"])
        )
        rows.append(_check(stated, VERDICTS, found["pass"], found.total(), found["na"]))
    return [*rows, *_sum_rows(summaries)]


def _sum_rows(summaries: Sequence[Row]) -> list[dict[str, Any]]:
    """The totals of the summaries that have every category but once, against the sum."""
    groups: dict[tuple[Any, ...], dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in summaries:
        groups[(row["file"], *_key(row))][row["category"]].append(row)
    rows = []
    for group in groups.values():
        parts = [group.get(category, []) for category in (ALL, *ADVERSARIAL_CATEGORIES)]
        if all(len(part) == 1 for part in parts):
            (total,), own = parts[0], [part[0] for part in parts[1:]]
            rows.append(_check(total, SUM, sum(row["passed"] for row in own), sum(row["n"] for row in own), 0))
    return rows


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("suite", "system", "model", "scorer", "release"))


def _run(stated: Row, runs: Iterable[Run], sources: Mapping[tuple[str, ...], str]) -> Run | None:
    """The one run with verdicts that a summary is of; where several may be, the one that was read from its file."""
    if not stated["per_case"]:
        return None
    found = [
        run
        for run in runs
        if (run.system, run.model) == (stated["system"], stated["model"])
        and stated["scorer"] in ("", run.scorer)
        and stated["release"] in ("", run.release)
    ]
    if len(found) > 1:
        keys = {run: (stated["suite"], run.system, run.model, run.scorer, run.release) for run in found}
        # The summaries of re-runs stand beside the files of their verdicts.
        files = (stated["file"], stated["file"].replace("_summary_", "_results_"))
        found = [run for run in found if any(file in sources[keys[run]] for file in files)]
    return found[0] if len(found) == 1 else None


def _is_numbered(case: str, part: str) -> bool:
    """Whether a case stands in a part such as "identifier_obfuscation 19-38": a category, and the numbers in it."""
    wanted, own = re.fullmatch(r"(\w+) (\d+)-(\d+)", part), re.fullmatch(r"adv_(\w+)_(\d+)", case)
    if wanted is None or own is None or wanted[1] != own[1]:
        return False
    return int(wanted[2]) <= int(own[2]) <= int(wanted[3])


def _check(stated: Row, against: str, passed: int, cases: int, na: int) -> dict[str, Any]:
    """A stated number beside the counted one; its cases may be with those that are N/A or without."""
    return {
        **{name: stated[name] for name in ("line", "file", "suite", "system", "model", "category", "note")},
        "against": against,
        "stated": stated["passed"],
        "stated_n": stated["n"],
        "counted": passed,
        "cases": cases,
        "na": na,
        "equal": stated["passed"] == passed and stated["n"] in (cases, cases - na),
    }


def hook_variance_rows(variance: Sequence[Row], summaries: Iterable[Row], cases: Sequence[Row]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.HOOK_VARIANCE`: how much the passes of one hooked run differ from repeat to repeat.

    The standard deviation of a run's passes is that of its unstable cases, each of which passes by chance as often as
    its repeats did, whatever the others do. Over all cases that of the repeats' totals stands beside it.

    Args:
        variance: rows of `lethe.schemas.RELEASED_VARIANCE`.
        summaries: of `RELEASED_SUMMARIES`, which state the total of each repeat.
        cases: of `CASES`, the 385.

    Raises:
        UserError: where a repeated case is none of them.
    """
    category = {row["case_id"]: row["category"] for row in cases}
    check_cases(VARIANCE_FILE, variance, cases)
    totals = [row["passed"] for row in summaries if _REPEATS in row["file"] and row["category"] == ALL]
    rows = []
    for part in (ALL, *ADVERSARIAL_CATEGORIES) if variance else ():
        size = sum(part in (ALL, own) for own in category.values())
        unstable = [row for row in variance if part in (ALL, category[row["case_id"]])]
        spread = math.sqrt(sum(_variance(row["passes"], row["runs"]) for row in unstable))
        repeats = totals if part == ALL and len(totals) > 1 else []
        rows.append(
            {
                "category": part,
                "cases": size,
                "runs": max(row["runs"] for row in variance),
                "unstable": len(unstable),
                "sd": spread,
                "margin": _NORMAL_95 * spread,
                "margin_points": 100 * _NORMAL_95 * spread / size if size else 0.0,
                "lowest": min(repeats, default=None),
                "highest": max(repeats, default=None),
                "mean": mean(repeats) if repeats else None,
                "sd_of_totals": stdev(repeats) if repeats else None,
            }
        )
    return rows


def _variance(passes: int, runs: int) -> float:
    """The unbiased estimate of the variance of one case's verdict."""
    share = passes / runs
    return share * (1 - share) * runs / (runs - 1) if runs > 1 else 0.0


def rejection_rows(
    rejections: Iterable[Row], origins: Iterable[Row], verdicts: Iterable[Row], cases: Iterable[Row]
) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.REJECTION_COUNTS`: hand-crafted cases that the admission judge rejected, by category.

    It judged those that the suite had before 20 were added, which are the cases of the runs of v0.5-365.

    Args:
        rejections, origins, verdicts: rows of the tables `RELEASED_…` of `lethe.schemas`.
        cases: of `CASES`, the 385.
    """
    crafted = {row["case_id"] for row in origins if row["provenance"] == "handcrafted"}
    judged = crafted & {row["case_id"] for row in verdicts if row["release"] == _SNAPSHOT}
    modes = {row["case_id"]: row["failure_mode"] for row in rejections}
    category = {row["case_id"]: row["category"] for row in cases}
    rows = []
    for part in (ALL, *ADVERSARIAL_CATEGORIES) if modes else ():
        members = [case for case, own in category.items() if case in judged and part in (ALL, own)]
        found = Counter(modes[case] for case in members if case in modes)
        counts = {
            f"mode_{letter.lower()}": sum(n for mode, n in found.items() if mode[0] == letter) for letter in "ABC"
        }
        rows.append({"category": part, "cases": len(members), "rejected": found.total(), **counts})
    return rows
