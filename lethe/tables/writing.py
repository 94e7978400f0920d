"""The files of the tables and figures."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from forgeteval.errors import UserError
from forgeteval.files import atomic_write, write_text
from forgeteval.progress import progress
from lethe.study.inputs import Files
from lethe.study.remarks import remarks_of
from lethe.study.setup import Setup
from lethe.tables.documents import DOCUMENT, DOCUMENT_FIGURES, LAYOUT, STYLE, TITLES, render_document
from lethe.tables.registry import FigureSpec, TableSpec, all_paths, build, build_table, figure_specs, table_specs
from lethe.tables.render_csv import render_csv
from lethe.tables.render_latex import render_latex
from lethe.tables.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Spec = TypeVar("_Spec", TableSpec, FigureSpec)
TABLE_FORMS = {
    "json": "results/tables/{name}.json",
    "latex": "paper_tables/{name}.tex",
    "csv": "paper_tables/{name}.csv",
}
"""Path of each form of a table below the output folder; `forms` says which a table has."""
PAPER = "paper"
"""The one room that can be asked for alone."""
FIGURE_FORMS = {"pdf": "figures/{name}.pdf", "png": "figures/{name}.png"}
RENDERERS: Mapping[str, Callable[[Table], str]] = {"json": Table.to_json, "latex": render_latex, "csv": render_csv}


def forms(spec: TableSpec) -> dict[str, str]:
    """The path of each form that a table has."""
    return {form: path.format(name=spec.name) for form, path in TABLE_FORMS.items() if form != "latex" or spec.latex}


def tables_of(setup: Setup, room: str = "") -> list[TableSpec]:
    """The tables of a room, or of all rooms."""
    return [spec for spec in table_specs(setup) if room in ("", spec.room)]


def figures_of(setup: Setup, room: str = "") -> list[FigureSpec]:
    """The figures of a room's document, or all figures."""
    return [spec for spec in figure_specs(setup) if not room or spec.name in DOCUMENT_FIGURES.get(room, {})]


def documents(setup: Setup, room: str = "") -> dict[str, str]:
    """The documents of the printed tables of a room, or of all rooms, and what they load, by their paths."""
    tables, figures = table_specs(setup), figure_specs(setup)
    rooms = [each for each in TITLES if room in ("", each)]
    return {STYLE: LAYOUT} | {DOCUMENT.format(room=each): render_document(each, tables, figures) for each in rooms}


def write_tables(setup: Setup, root: Path, room: str = "") -> None:
    """Build the tables of a room, or all, write each of their forms, then the documents; an error names its table."""

    specs, files = tables_of(setup, room), Files(root)
    remarks = remarks_of(setup, files, all_paths(specs))

    def write(spec: TableSpec) -> None:
        table = build_table(spec, files, remarks)
        for form, path in forms(spec).items():
            write_text(root / path, RENDERERS[form](table))

    _write_each("table", specs, write)
    for path, text in documents(setup, room).items():
        write_text(root / path, text)


def draw_figures(setup: Setup, root: Path, room: str = "") -> None:
    """Draw the figures of a room, or all, and write each of their forms; an error names its figure."""

    files = Files(root)

    def save(spec: FigureSpec) -> None:
        paths = {form: root / path.format(name=spec.name) for form, path in FIGURE_FORMS.items()}
        save_figure(build(spec, files), paths)

    with plain_style():
        _write_each("figure", figures_of(setup, room), save)


def save_figure(figure: "Figure", paths: Mapping[str, Path]) -> None:
    """Write a figure in each format and close it; the same figure gives the same bytes."""
    from matplotlib import pyplot as plt

    for form, path in paths.items():
        with atomic_write(path) as stream:
            metadata = {"CreationDate": None} if form == "pdf" else {}
            figure.savefig(stream, format=form, dpi=110, bbox_inches="tight", metadata=metadata)
    plt.close(figure)


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw in Matplotlib's own style, whatever a file `matplotlibrc` here or at home says."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        yield


def _write_each(kind: str, specs: Sequence[_Spec], write: Callable[[_Spec], None]) -> None:
    with progress(f"{kind}s", len(specs)) as advance:
        for spec in specs:
            try:
                write(spec)
            except UserError as error:
                raise UserError(f"{kind} {spec.name}: {error}") from error
            except Exception as error:
                error.add_note(f"while making the {kind} {spec.name}")
                raise
            advance(1)
