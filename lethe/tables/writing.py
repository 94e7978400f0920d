"""The files of the tables and figures."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lethe.analysis.inputs import Files
from lethe.analysis.setup import Setup
from lethe.errors import LetheError
from lethe.files import atomic_write, write_text
from lethe.progress import progress
from lethe.tables.registry import build, figure_specs, table_specs
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TABLE_FORMS = {
    "json": "results/tables/{name}.json",
    "latex": "paper_tables/{name}.tex",
    "csv": "paper_tables/{name}.csv",
}
"""Path of each form of a table below the output folder."""
FIGURE_FORMS = {"pdf": "figures/{name}.pdf", "png": "figures/{name}.png"}
RENDERERS: Mapping[str, Callable[[Table], str]] = {"json": Table.to_json, "latex": render_latex, "csv": render_csv}


def write_tables(setup: Setup, root: Path) -> None:
    """Build every table of the registry and write each of its forms; an error names its table."""
    specs, files = table_specs(setup), Files(root)
    with progress("tables", len(specs)) as advance:
        for spec in specs:
            with _named(f"table {spec.name}"):
                table = build(spec, files)
                for form, path in TABLE_FORMS.items():
                    write_text(root / path.format(name=spec.name), RENDERERS[form](table))
            advance(1)


def draw_figures(setup: Setup, root: Path) -> None:
    """Draw every figure of the registry and write each of its forms; an error names its figure."""
    specs, files = figure_specs(setup), Files(root)
    with progress("figures", len(specs)) as advance:
        for spec in specs:
            with _named(f"figure {spec.name}"):
                figure = build(spec, files)
                save_figure(figure, {form: root / path.format(name=spec.name) for form, path in FIGURE_FORMS.items()})
            advance(1)


def save_figure(figure: "Figure", paths: Mapping[str, Path]) -> None:
    """Write a figure in each format and close it; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt

    for form, path in paths.items():
        with atomic_write(path) as stream:
            metadata = {"CreationDate": None} if form == "pdf" else {}
            figure.savefig(stream, format=form, dpi=200, bbox_inches="tight", metadata=metadata)
    plt.close(figure)


@contextmanager
def _named(what: str) -> Iterator[None]:
    try:
        yield
    except LetheError as error:
        raise LetheError(f"{what}: {error}") from error
    except Exception as error:
        error.add_note(f"while making the {what}")
        raise
