"""The counterparts of the published numbers on annotators and judges (paper, Table "third_judge" and its section)."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lethe.parquet import Row
from lethe.schemas import ALL
from lethe.study.agreement import ILL_FORMED, MAJORITY, WELL_FORMED
from lethe.study.published import PublishedNumber
from lethe.study.replication.measured import Found, Measured, Missing, Quantity

_MEASURES = {"kappa": ("fleiss_kappa", 1.0), "observed_agreement": ("observed_agreement", 100.0)}
_NOTHING_LIKE_IT = Missing("not run: other judges; see judge_agreement")


@dataclass(frozen=True, slots=True)
class _Labelled:
    """One case of the sample: its category, and the label by each rater who gave one."""

    category: str
    labels: Mapping[str, str]


def judge_agreement(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    """A cell of the matrix of raters, or how many cases one of them found well-formed or ill-formed."""
    formed = {"well_formed": WELL_FORMED, "ill_formed": ILL_FORMED}.get(number.column)
    raters = {row["first"] for row in measured.raters}
    if not raters:
        yield Missing(measured.reason_unlabelled())
    elif number.row not in raters or (formed is None and number.column not in raters):
        yield _NOTHING_LIKE_IT
    else:
        pair = _pair(measured, number.row, number.row if formed else number.column)
        well, cases = pair["well_formed"], pair["cases"]
        found = {None: pair["equal"], WELL_FORMED: well, ILL_FORMED: cases - well}[formed]
        yield measured.counterpart("", "adversarial", Quantity(found, cases))


def text_agreement(number: PublishedNumber, measured: Measured) -> Iterator[Found]:
    """A number that the text gives on the sample, Fleiss' κ, or one or all of the judges."""
    if not measured.labels and not measured.agreement:
        yield Missing(measured.reason_unlabelled())
        return
    found = _of_sample(number.column, measured) if number.row == "sample" else None
    if number.row == "fleiss":
        found = _measure(number.column, measured)
    if number.row == "three_judges":
        found = _of_all_judges(number.column, _labelled(measured))
    if number.row.startswith("judge_"):
        found = _of_judge(number.column, number.row.removeprefix("judge_"), _labelled(measured))
    yield _NOTHING_LIKE_IT if found is None else measured.counterpart("", "adversarial", found)


def _pair(measured: Measured, first: str, second: str) -> Row:
    return next(row for row in measured.raters if (row["first"], row["second"]) == (first, second))


def _measure(column: str, measured: Measured) -> Quantity | None:
    name, scale = _MEASURES[column]
    row = next((row for row in measured.agreement if (row["part"], row["measure"]) == (ALL, name)), None)
    if row is None or row["value"] is None:
        return None
    low, high = (scale * row[end] for end in ("low", "high"))
    return Quantity(scale * row["value"], None, low, high)


def _of_sample(column: str, measured: Measured) -> Quantity | None:
    """Cases and annotators of the sample; `per_category` only where each category has as many cases."""
    cases = {row["case_id"]: row for row in measured.labels}.values()
    if not cases:
        return None
    by_category, by_provenance = (Counter(row[name] for row in cases) for name in ("category", "provenance"))
    counts = {
        "annotators": max(row["annotators"] for row in cases),
        "cases": len(cases),
        "labels": sum(row["annotators"] for row in cases),
        **by_provenance,
    }
    if len(set(by_category.values())) == 1:
        counts["per_category"] = next(iter(by_category.values()))
    return Quantity(counts[column]) if column in counts else None


def _labelled(measured: Measured) -> list[_Labelled]:
    cases: dict[str, _Labelled] = {}
    for row in measured.labels:
        case = cases.setdefault(row["case_id"], _Labelled(row["category"], {MAJORITY: row["majority"]}))
        cases[row["case_id"]] = _Labelled(case.category, {**case.labels, row["judge"]: row["verdict"]})
    return list(cases.values())


def _of_judge(column: str, judge: str, cases: list[_Labelled]) -> Quantity | None:
    """How many cases of which kind: the first of the two is counted among the second."""

    def differs(case: _Labelled) -> bool:
        return case.labels[judge] != case.labels[MAJORITY]

    def rejected(case: _Labelled) -> bool:
        return differs(case) and case.labels[judge] == ILL_FORMED

    def accepted(case: _Labelled) -> bool:
        return differs(case) and case.labels[judge] == WELL_FORMED

    def compound(case: _Labelled) -> bool:
        return case.category == "compound_fact"

    def any_case(case: _Labelled) -> bool:
        return True

    def equals(other: str) -> Callable[[_Labelled], bool]:
        return lambda case: case.labels[judge] == case.labels[other]

    qwen, claude = "qwen-2.5-72b", "claude-opus-4.7"
    kinds: Mapping[str, tuple[Callable[[_Labelled], bool], Callable[[_Labelled], bool]]] = {
        "agrees_with_majority": (equals(MAJORITY), any_case),
        "disagreements": (differs, any_case),
        "judge_ill_humans_wf": (rejected, any_case),
        "judge_wf_humans_ill": (accepted, any_case),
        "judge_wf_humans_ill_compound_fact": (compound, accepted),
        "disagreements_compound_fact": (compound, differs),
        "agrees_with_qwen": (equals(qwen), any_case),
        "disagrees_with_qwen": (lambda case: not equals(qwen)(case), any_case),
        "accepted_and_claude_rejected": (
            lambda case: accepted(case) and case.labels[claude] == ILL_FORMED,
            any_case,
        ),
    }
    if column not in kinds or any(not {judge, qwen, claude} <= case.labels.keys() for case in cases):
        return None
    counted, among = kinds[column]
    members = [case for case in cases if among(case)]
    return Quantity(sum(map(counted, members)), len(members))


def _of_all_judges(column: str, cases: list[_Labelled]) -> Quantity | None:
    given = [{label for rater, label in case.labels.items() if rater != MAJORITY} for case in cases]
    judges = {rater for case in cases for rater in case.labels} - {MAJORITY}
    if len(judges) != 3:
        return None
    counts = {
        "unanimous": sum(len(labels) == 1 for labels in given),
        "not_unanimous": sum(len(labels) > 1 for labels in given),
        "unanimous_ill": sum(labels == {ILL_FORMED} for labels in given),
    }
    return Quantity(counts[column], len(cases))
