"""The pages: self-contained HTML, with no request to anywhere."""

import base64
import importlib.util
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from lethe.analysis.replication.compare import VERDICTS
from lethe.errors import LetheError
from lethe.tables.table import Table

DATA_FILES = ("page",)
_PAGE = Path(__file__).with_name(DATA_FILES[0])


def render_page(tables: Sequence[Table], figures: Sequence[Path], explorer: Mapping[str, Any], manifest: str) -> str:
    """The page of all tables, figures and trials.

    Args:
        figures: PNG files, put into the page.
        explorer: `lethe.report.explorer.explorer_data`.
        manifest: SHA-256 of the manifest of the results.
    """
    # "</script" would end the script element that the data stands in, and "<!--<script" its end.
    data = json.dumps(explorer, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return _template("index.html.j2").render(
        tables=tables,
        figures=[(path.stem, base64.b64encode(path.read_bytes()).decode()) for path in figures],
        data=data,
        manifest=manifest,
        library=base64.b64encode(_library("dt_bundle.js")).decode(),
        library_style=_library("dt_bundle.css").decode("utf-8"),
        style=(_PAGE / "style.css").read_text(encoding="utf-8"),
        script=(_PAGE / "explorer.js").read_text(encoding="utf-8"),
    )


def render_replication(tables: Mapping[str, Table], manifest: str) -> str:
    """The page that counts, compares case by case, and lists every published number beside the measured one.

    Args:
        tables: by name; those of `lethe.tables.replication`.
        manifest: SHA-256 of the manifest of the results.
    """
    replication = tables["replication"]
    return _template("replication.html.j2").render(
        summary=tables["replication_summary"],
        replicas=tables["replicas"],
        replication=replication,
        others=tables["replication_other_suites"],
        columns={name: place for place, name in enumerate(replication.header)},
        verdicts=VERDICTS,
        manifest=manifest,
    )


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def _library(name: str) -> bytes:
    """A file of DataTables, as the package itables carries it; the package itself, which wants IPython, is not run."""
    found = importlib.util.find_spec("itables")
    if found is None or found.origin is None:
        raise LetheError("itables is not installed; it comes with envs/pipeline.lock: run `make env`")
    return (Path(found.origin).parent / "html" / name).read_bytes()
