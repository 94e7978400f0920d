"""The cells in which a written form of a table differs from the form that follows from the results."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from lethe.tables.table import AROUND, Table
from lethe.trust.differing_rows import differing


def compare_form(path: str, made: str, handed: str, source: str) -> Iterator[str]:
    """One line for each difference; of JSON and CSV, each names its cell.

    Args:
        path: the form's file, for the lines.
        made: the form that follows from the results.
        handed: the form that was written.
        source: the files that it follows from, for the lines.
    """
    if made == handed:
        return
    if path.endswith(".json"):
        yield from _compare_json(path, Table.from_json(made), handed, source)
    elif path.endswith(".csv"):
        try:
            wanted, found = (list(csv.reader(io.StringIO(text))) for text in (made, handed))
        except csv.Error as error:
            yield f"{path}: cannot be read ({error})"
            return
        yield from _compare_rows(path, wanted[0], wanted, found, source)
        if wanted == found:
            yield f"{path}: written differently; its cells are the same"
    else:
        yield f"{path}: does not follow from the results"


def _compare_json(path: str, made: Table, text: str, source: str) -> Iterator[str]:
    try:
        handed = Table.from_json(text)
    except ValueError as error:
        yield f"{path}: cannot be read ({error})"
        return
    for name in AROUND:
        wanted, found = getattr(made, name), getattr(handed, name)
        if wanted != found:
            yield f"{path}: {name}: {differing(found, wanted, source)}"
    sections = zip(made.sections, handed.sections, strict=False)
    for wanted, found in sections:
        yield from _compare_rows(path, made.header, wanted, found, source)
    if len(made.sections) != len(handed.sections):
        yield f"{path}: has other sections than follow from the results"
    elif made == handed:
        yield f"{path}: written differently; its cells are the same"


def _compare_rows(
    path: str, header: Sequence[str], wanted: Sequence[Sequence[Any]], found: Sequence[Sequence[Any]], source: str
) -> Iterator[str]:
    if [len(row) for row in wanted] != [len(row) for row in found]:
        yield f"{path}: has other rows or columns than follow from the results"
        return
    for made, handed in zip(wanted, found, strict=True):
        for column, cell, shown in zip(header, made, handed, strict=True):
            if cell != shown:
                says, gives = _differing(shown, cell)
                row = handed[0] if isinstance(handed[0], str) else handed[0].text
                yield f"{path}: {row}, {column}: {differing(says, gives, source)}"


def _differing(shown: Any, cell: Any) -> tuple[Any, Any]:
    """The texts of CSV; of typed cells, the fields that differ."""
    if isinstance(shown, str):
        return shown, cell
    says, gives = asdict(shown), asdict(cell)
    names = [name for name in says if says[name] != gives[name]]
    return {name: says[name] for name in names}, {name: gives[name] for name in names}
