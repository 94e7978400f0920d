"""What this project demands of the cases that it takes in, beyond what anybody's have to fulfil."""

from collections.abc import Iterator
from itertools import repeat

from forgeteval.admission.rejection import Rejection
from forgeteval.cases.case import ADVERSARIAL_CATEGORIES, CATEGORIES, CHECKED_FIELDS, FAMILIES, PROVENANCES, Case
from forgeteval.cases.interchange import CaseError, case_from_json
from forgeteval.cases.reading import Record

TOP_K = 10
SETUP_FACTS = range(4, 9)
"""Allowed numbers of setup facts in an adversarial case."""
_WORDS = {"category": CATEGORIES, "family": FAMILIES, "provenance": PROVENANCES}


def house_case(record: Record, suite: str) -> Case:
    """The case of a record that names everything, in words of this project.

    Raises:
        CaseError: naming the place, the field and what is expected.
    """
    category = record.path.stem if record.in_yaml else None
    case = case_from_json(record.given, suite, record.where, default_category=category)
    for name in CHECKED_FIELDS:
        if record.given.get(name) is None:
            raise CaseError(record.where, name, "missing")
    for name, known in _WORDS.items():
        word = getattr(case, name)
        if word is not None and word not in known:
            problem = f"unknown value {word!r}; known: {', '.join(known)}"
            raise CaseError(record.where, name, problem, f"unknown-{name}")
    return in_own_file(record, case)


def in_own_file(record: Record, case: Case) -> Case:
    """The case of a record, which a YAML file holds among those of its category alone.

    Raises:
        CaseError: where the file is named after another category.
    """
    if record.in_yaml and case.category != record.path.stem:
        raise CaseError(record.where, "category", f"is in the file of {record.path.stem}; move the case")
    return case


def house_rejections(case: Case) -> Iterator[Rejection]:
    """Yield every reason against the size of a case, and against a fact that it tells twice."""
    if case.category in ADVERSARIAL_CATEGORIES and len(case.setup_facts) not in SETUP_FACTS:
        wanted = f"{SETUP_FACTS.start} to {SETUP_FACTS.stop - 1}"
        yield Rejection(case.case_id, "setup-size", f"{len(case.setup_facts)} setup facts instead of {wanted}")
    told = list(zip(case.setup_facts, case.owners or repeat(()), strict=False))
    if len(set(told)) < len(told):
        yield Rejection(case.case_id, "repeated-fact", "a setup fact occurs twice")
    gold = case.gold_rows or ()
    if len(gold) > TOP_K:
        yield Rejection(case.case_id, "too-many-rows", f"{len(gold)} gold_rows do not fit in the top {TOP_K}")
