"""The files of a table and of a figure."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lethe.parquet import atomic_write, write_text
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS: Mapping[str, Callable[[Table], str]] = {
    "results/tables/{name}.json": Table.to_json,
    "paper_tables/{name}.tex": render_latex,
    "paper_tables/{name}.csv": render_csv,
}
"""Path of each form of a table below the output folder, and what renders it."""


def write_table(table: Table, root: Path) -> None:
    """Write every form of a table below the output folder."""
    for path, render in FORMS.items():
        write_text(root / path.format(name=table.name), render(table))


def save_figure(figure: "Figure", pdf: Path, png: Path) -> None:
    """Write both forms of a figure and close it; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt

    for path, kind in ((pdf, "pdf"), (png, "png")):
        with atomic_write(path) as stream:
            metadata = {"CreationDate": None} if kind == "pdf" else {}
            figure.savefig(stream, format=kind, dpi=200, bbox_inches="tight", metadata=metadata)
    plt.close(figure)
