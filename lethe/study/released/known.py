"""That the cases which a released file names are cases of its suite."""

from collections.abc import Iterable

from forgeteval.errors import UserError
from lethe.parquet import Row


def check_cases(file: str, rows: Iterable[Row], cases: Iterable[Row], suite: str | None = None) -> None:
    """Raise `UserError` where a released row names a case that is not there.

    Args:
        rows: all rows of the file, in its order.
        cases: rows of `lethe.schemas.CASES`.
        suite: the release's name of the suite whose rows are looked at; by default all are.
    """
    known = {case["case_id"] for case in cases}
    for number, row in enumerate(rows, start=2):
        if suite in (None, row.get("suite")) and row["case_id"] not in known:
            among = "the released cases" if suite is None else f"the cases of the suite {suite}"
            raise UserError(
                f"{file}: row {number}: case_id: {row['case_id']!r:.80} is none of {among}; check datasets/forgeteval"
            )
