"""The page: self-contained HTML, with no request to anywhere."""

import base64
import csv
import importlib.util
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from lethe.errors import LetheError
from lethe.tables.cells import caption_and_notes

DATA_FILES = ("page",)
_PAGE = Path(__file__).with_name(DATA_FILES[0])


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of the paper as the page shows it."""

    name: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]


def read_table(csv_file: Path) -> ShownTable:
    """A written table: the cells of its CSV, with the caption and notes of the LaTeX beside it, where there is one."""
    rows = list(csv.reader(io.StringIO(csv_file.read_text(encoding="utf-8"))))
    latex = csv_file.with_suffix(".tex")
    caption, notes = caption_and_notes(latex.read_text(encoding="utf-8")) if latex.is_file() else ("", [])
    return ShownTable(csv_file.stem, caption, rows[0], rows[1:], notes)


def render_page(tables: Sequence[ShownTable], figures: Sequence[Path], explorer: Mapping[str, Any]) -> str:
    """The whole page.

    Args:
        figures: PNG files, put into the page.
        explorer: `lethe.report.explorer.explorer_data`.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE), autoescape=True, undefined=jinja2.StrictUndefined
    )
    # "</" would end the script element that the data stands in.
    data = json.dumps(explorer, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return environment.get_template("index.html.j2").render(
        tables=tables,
        figures=[(path.stem, base64.b64encode(path.read_bytes()).decode()) for path in figures],
        data=data,
        library=base64.b64encode(_library("dt_bundle.js")).decode(),
        library_style=_library("dt_bundle.css").decode("utf-8"),
        style=(_PAGE / "style.css").read_text(encoding="utf-8"),
        script=(_PAGE / "explorer.js").read_text(encoding="utf-8"),
    )


def _library(name: str) -> bytes:
    """A file of DataTables, as the package itables carries it; the package itself, which wants IPython, is not run."""
    found = importlib.util.find_spec("itables")
    if found is None or found.origin is None:
        raise LetheError("itables is not installed; it comes with envs/pipeline.lock: run `make env`")
    return (Path(found.origin).parent / "html" / name).read_bytes()
