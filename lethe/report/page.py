"""The pages: self-contained HTML, with no request to anywhere."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from lethe.analysis.replication.compare import VERDICTS
from lethe.report.modules import joined_modules
from lethe.report.packing import pack, plain_json
from lethe.tables.table import Table

DATA_FILES = ("page",)
_PAGE = Path(__file__).with_name(DATA_FILES[0])


@dataclass(frozen=True, slots=True)
class Contents:
    """What the page shows beside tables and figures.

    Attributes:
        findings: `lethe.report.findings.findings`.
        overview: `main`, the suite that is shown first; `scorer`; `systems`, of `lethe.report.systems`; `suites`, of
            `lethe.report.standings`.
        trials: `lethe.report.trials.suite_trials` of each of these suites, in their order.
    """

    findings: Sequence[Mapping[str, str]]
    overview: Mapping[str, Any]
    trials: Sequence[Mapping[str, Any]]


def render_page(contents: Contents, tables: Sequence[Table], figures: Sequence[Path], manifest: str) -> str:
    """The page of findings, systems, trials, tables and figures.

    Args:
        figures: PNG files, put into the page.
        manifest: SHA-256 of the manifest of the results.
    """
    return _template("index.html.j2").render(
        findings=contents.findings,
        overview=plain_json(contents.overview),
        trials=[pack(suite) for suite in contents.trials],
        tables=tables,
        figures=[(path.stem, base64.b64encode(path.read_bytes()).decode()) for path in figures],
        manifest=manifest,
        style=(_PAGE / "style.css").read_text(encoding="utf-8"),
        script=joined_modules(_PAGE / "script", "main.js"),
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
