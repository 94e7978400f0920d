"""A table as CSV: the header, then every row."""

import csv
import io

from lethe.tables.table import Table


def render_csv(table: Table) -> str:
    """The printed cells, a header line first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows([cell.text for cell in row] for row in table.rows())
    return stream.getvalue()
