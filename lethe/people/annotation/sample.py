"""The stratified sample that annotators label (paper, section "Multi-annotator agreement")."""

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from forgeteval.cases.case import FIRST, Case, in_known_order

CASES_PER_CATEGORY = 10
"""In the sample."""
_ITEM_DIGITS = 10


def draw_sample(cases: Iterable[Case], per_category: int, seed: int) -> list[Case]:
    """Draw `per_category` cases of each category, half of them of the provenances `FIRST` if possible.

    They are in random order. A category with fewer cases gives all of them. The same cases and seed give the same
    sample.
    """
    groups: dict[tuple[str, bool], list[Case]] = defaultdict(list)
    for case in cases:
        groups[case.category, case.provenance in FIRST].append(case)
    generator = random.Random(seed)
    chosen: list[Case] = []
    for category in in_known_order(category for category, _ in groups):
        first, others = groups[category, True], groups[category, False]
        of_first = min(len(first), max(per_category // 2, per_category - len(others)))
        chosen += generator.sample(first, of_first)
        chosen += generator.sample(others, min(len(others), per_category - of_first))
    generator.shuffle(chosen)
    return chosen


def sample_rows(sample: Sequence[Case]) -> list[dict[str, Any]]:
    """Rows of `lethe.schemas.ANNOTATION_SAMPLE`, in the order of `sample`."""
    return [
        {
            "position": position,
            "item": item_name(case),
            **{name: getattr(case, name) for name in ("suite", "case_id", "category", "provenance")},
        }
        for position, case in enumerate(sample, start=1)
    ]


def item_name(case: Case) -> str:
    """A name that changes with the wording of the case and, unlike its id, hides the category.

    It begins with a letter, since a spreadsheet takes digits, also with an e among them, for a number.
    """
    text = json.dumps(case.to_json(), sort_keys=True, ensure_ascii=False)
    return f"c{hashlib.sha256(text.encode('utf-8')).hexdigest()[:_ITEM_DIGITS]}"
