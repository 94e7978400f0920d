"""A table as CSV: the header, then every row.

Beside a column of words that stand for machine names is one of these names, for joining with other files; where sections
have titles, the last column says which a row is in.
"""

import csv
import io
from collections.abc import Iterator

from lethe.tables.table import Table

_NAMES = "{head} (name)"
_SECTION = "Section"


def render_csv(table: Table) -> str:
    """The printed cells, a header line first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    named = {place for row in table.rows() for place, cell in enumerate(row) if cell.name}
    header = [
        text
        for place, head in enumerate(table.header)
        for text in ([head, _NAMES.format(head=head)] if place in named else [head])
    ]
    writer.writerow([*header, *([_SECTION] if table.titles else [])])
    writer.writerows(_rows(table, named))
    return stream.getvalue()


def _rows(table: Table, named: set[int]) -> Iterator[list[str]]:
    titles = table.titles or [None] * len(table.sections)
    for title, section in zip(titles, table.sections, strict=True):
        for row in section:
            shown = [
                text
                for place, cell in enumerate(row)
                for text in ([cell.text, cell.name] if place in named else [cell.text])
            ]
            yield shown if title is None else [*shown, title]
