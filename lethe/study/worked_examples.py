"""Which case of each category is shown as an example (paper, appendix "Worked case examples")."""

from collections.abc import Callable, Mapping, Sequence

from forgeteval.cases.case import in_known_order
from lethe.parquet import Row
from lethe.study.released.compare import Verdicts


def chosen_examples(
    cases: Sequence[Row], verdicts: Mapping[str, Verdicts], printable: Callable[[str], bool]
) -> list[Row]:
    """One case of each category: that of which the passes and the other verdicts are nearest to equal in number.

    Of several it is the first in the suite. A category with cases that can be printed is shown by one of these.

    Args:
        cases: rows of `lethe.schemas.CASES`.
        verdicts: by configuration.
        printable: whether a text can be set.
    """

    def apart(case: Row) -> int:
        passed = sum(own.get(case["case_id"]) == "pass" for own in verdicts.values())
        return abs(2 * passed - len(verdicts))

    chosen = []
    for category in in_known_order(case["category"] for case in cases):
        own = [case for case in cases if case["category"] == category]
        chosen.append(min([case for case in own if all(map(printable, _texts(case)))] or own, key=apart))
    return chosen


def _texts(case: Row) -> list[str]:
    told = [text for mutation in case["mutations"] for text in (mutation["query"], mutation["text"] or "")]
    return [*case["setup_facts"], *told, case["final_query"], *case["must_contain"], *case["must_not_contain"]]
