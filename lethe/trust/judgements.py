"""What judge models and annotators said of the cases of a suite: each on each case once, and what follows from it."""

from collections.abc import Iterator

from lethe.parquet import Row
from lethe.people.annotation.sample import CASES_PER_CATEGORY, draw_sample, sample_rows
from lethe.people.annotation.sheets import LABELS
from lethe.people.judging import judge_prompt, prompt_hash
from lethe.schemas import ANNOTATION_SAMPLE, ANNOTATIONS, CASES, JUDGEMENTS, RELEASED_LABELS
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


def check_sample(setup: Setup, files: Files) -> Iterator[str]:
    """One line for each case of the annotators' sample that is not drawn so, and for each that is missing."""
    suite = setup.adversarial_suite
    cases = suite_from_rows(files.rows(CASES, CASES.path.format(suite=suite)))
    made = sample_rows(draw_sample(cases, CASES_PER_CATEGORY, setup.seed))
    found = files.rows(ANNOTATION_SAMPLE, ANNOTATION_SAMPLE.path)
    source = f"the cases of {suite}, drawn with the seed"
    yield from compare_rows(ANNOTATION_SAMPLE.path, ANNOTATION_SAMPLE, made, found, source)


def check_annotations(files: Files) -> Iterator[str]:
    """One line for each case of the sample that an annotator has no label of, and for each that is none of it."""
    sample = files.rows(ANNOTATION_SAMPLE, ANNOTATION_SAMPLE.path)
    found = files.rows(ANNOTATIONS, ANNOTATIONS.path)
    given = {(row["annotator"], row["case_id"]): row for row in found if row["label"] in LABELS}
    made = [
        {
            **given.get((annotator, row["case_id"]), {}),
            "annotator": annotator,
            **{name: row[name] for name in ("case_id", "category", "provenance")},
        }
        for annotator in dict.fromkeys(row["annotator"] for row in found)
        for row in sample
    ]
    yield from compare_rows(ANNOTATIONS.path, ANNOTATIONS, made, found, "the annotators and the sample")


def _verdict(row: Row) -> str:
    """What the answer comes to; that a judge contradicted itself, the run alone knows."""
    conditions = [row[name] for name in _CONDITIONS]
    if row["error"] is not None:
        return "error"
    if None in conditions or (row["verdict"] == "unusable" and (row["reason"] or "").startswith(_WITHOUT_VERDICT)):
        return "unusable"
    return "admit" if all(conditions) else "reject"
