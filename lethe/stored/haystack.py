"""Unrelated memories, among which the cases of a suite stand."""

from pathlib import Path

from forgeteval.cases.haystack import draw_haystack
from forgeteval.cases.sampling import first_of_each_category
from lethe.stored.cases import read_suite


def haystack_texts(cases: Path, rows: int, seed: int, cases_per_category: int) -> dict[str, list[str]]:
    """Texts that hold nothing that the first cases of each category require or forbid."""
    beside = first_of_each_category(read_suite(cases), cases_per_category)
    avoid = [text for case in beside for text in (*case.must_contain, *case.must_not_contain)]
    return {"haystack": draw_haystack(rows, seed, avoid)}
