"""A table as CSV: the header, then every row.

Next to a column of words that stand for machine names is one of these names, for joining with other files.
"""

import csv
import io

from forgeteval.csv_cells import as_text
from lethe.tables.table import Cell, Table

_NAMES = "{head} (name)"


def render_csv(table: Table) -> str:
    """The printed cells, a header line first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    named = {place for row in table.rows() for place, cell in enumerate(row) if cell.name}
    rows = [[(_shown(cell), as_text(cell.name)) for cell in row] for row in table.rows()]
    for row in ([(as_text(head), as_text(_NAMES.format(head=head))) for head in table.header], *rows):
        writer.writerow([text for place, both in enumerate(row) for text in both[: 1 + (place in named)]])
    return stream.getvalue()


def _shown(cell: Cell) -> str:
    """What is printed of a cell; of a number also what begins as a formula does."""
    return as_text(cell.text) if cell.value is None and cell.low is None else cell.text
