"""Histories from the Parquet that the workflow keeps them in."""

from collections.abc import Collection
from pathlib import Path

from lethe.crosseval.records import History, histories_from_rows
from lethe.parquet import read_rows
from lethe.schemas import CROSSEVAL_OPERATIONS, CROSSEVAL_QUESTIONS


def read_histories(operations: Path, questions: Path, only: Collection[str] | None = None) -> list[History]:
    """The histories, or those named in `only`, in the data set's order.

    Raises:
        LetheError: where a file is missing or of another kind.
    """
    found = histories_from_rows(read_rows(operations, CROSSEVAL_OPERATIONS), read_rows(questions, CROSSEVAL_QUESTIONS))
    return [history for history in found if only is None or history.name in only]
