"""What judge models said of the cases of a suite: each case once, and a verdict that follows from the conditions."""

from collections.abc import Iterator

from lethe.parquet import Row
from lethe.people.judging import judge_prompt, prompt_hash
from lethe.schemas import CASES, JUDGEMENTS, RELEASED_LABELS
from lethe.stored.cases import suite_from_rows
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.trust.differing_rows import compare_rows
from lethe.trust.trials import check_rows

_CONDITIONS = ("must_contain_survive", "forbidden_absent", "answerable")
_WITHOUT_VERDICT = ("unusable answer", "contradictory answer: ")
"""How the reason begins where two answers gave no verdict."""


def check_judgements(path: str, suite: str, judge: str, setup: Setup, files: Files) -> Iterator[str]:
    """One line for each judgement that is none of this judge on the cases of a suite, and for each that is missing."""
    cases = suite_from_rows(files.rows(CASES, CASES.path.format(suite=suite)))
    if suite == setup.labelled_suite != setup.adversarial_suite:
        labelled = {row["case_id"] for row in files.rows(RELEASED_LABELS, RELEASED_LABELS.path)}
        cases = [case for case in cases if case.case_id in labelled]
    found = files.rows(JUDGEMENTS, path)
    given = {row["case_id"]: row for row in found}
    made = [
        {
            **given.get(case.case_id, {}),
            "suite": suite,
            "case_id": case.case_id,
            "category": case.category,
            "provenance": case.provenance,
            "judge": judge,
            "family": setup.judges[judge].family,
            "verdict": _verdict(given[case.case_id]) if case.case_id in given else None,
            "prompt_hash": prompt_hash(judge_prompt(case)),
        }
        for case in cases
    ]
    yield from compare_rows(path, JUDGEMENTS, made, found, f"its conditions and the cases of {suite}")
    yield from check_rows(path, found, JUDGEMENTS)


def _verdict(row: Row) -> str:
    """What the answer comes to; that a judge contradicted itself, the run alone knows."""
    conditions = [row[name] for name in _CONDITIONS]
    if row["error"] is not None:
        return "error"
    if None in conditions or (row["verdict"] == "unusable" and (row["reason"] or "").startswith(_WITHOUT_VERDICT)):
        return "unusable"
    return "admit" if all(conditions) else "reject"
