"""The pages: self-contained HTML, with no request to anywhere."""

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from lethe.findings.lines import Finding
from lethe.report.modules import joined_modules
from lethe.report.packing import pack, plain_json
from lethe.report.words import WORDS
from lethe.study.replication.compare import VERDICTS
from lethe.tables.table import Cell, Table

DATA_FILES = ("page",)
_PAGE = Path(__file__).with_name(DATA_FILES[0])


@dataclass(frozen=True, slots=True)
class Contents:
    """What the page shows beside tables and figures.

    Attributes:
        findings: `lethe.report.findings.findings`.
        overview: `main`, the suite that is shown first; `scorer`; `meaning` of each rate; `systems`, of
            `lethe.report.systems`; `suites`, of `lethe.report.standings`.
        trials: `lethe.report.trials.suite_trials` of each of these suites, in their order, with its `rates`, of
            `lethe.report.rates`.
    """

    findings: Sequence[Finding]
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
        words=WORDS,
        suites={each["label"]: WORDS["suites"].get(each["name"], "") for each in contents.overview["suites"]},
        overview=plain_json(contents.overview),
        trials=[pack(suite) for suite in contents.trials],
        tables=tables,
        figures={
            path.stem: (WORDS["figures"].get(path.stem, path.stem), base64.b64encode(path.read_bytes()).decode())
            for path in figures
        },
        manifest=manifest,
        style=_style("colours.css", "style.css"),
        script=joined_modules(_PAGE / "script", "main.js"),
    )


def render_replication(tables: Mapping[str, Table], manifest: str) -> str:
    """The page that counts, compares case by case, and lists every published number beside the measured one.

    Args:
        tables: by name; those of `lethe.tables.paper.replication`, and `replicas`.
        manifest: SHA-256 of the manifest of the results.
    """
    places = tables["replication_places"]
    return _template("replication.html.j2").render(
        summary=tables["replication_summary"],
        replicas=tables["replicas"],
        places=places,
        columns={name: place for place, name in enumerate(places.header)},
        verdicts=VERDICTS,
        manifest=manifest,
        style=_style("colours.css", "replication.css"),
        script=joined_modules(_PAGE / "script", "replication.js"),
    )


def head_groups(table: Table) -> list[tuple[str, int]]:
    """What stands over the heads of a table, each with how many columns it spans; empty text for nothing."""
    return [(group, len(list(columns))) for group, columns in groupby(table.groups)]


def value_in_bold(cell: Cell) -> Markup:
    """The text of the best cell of its column, its value in bold and no interval after it."""
    value, bracket, rest = cell.text.partition("[")
    return Markup("<b>{}</b>{}").format(value.rstrip(), f" {bracket}{rest}" if bracket else "")


def beginning(caption: str) -> str:
    """A caption up to where its first sentence ends, or is explained."""
    return re.split(r"[.:;](?: |$)", caption, maxsplit=1)[0]


def _style(*names: str) -> str:
    return "".join((_PAGE / name).read_text(encoding="utf-8") for name in names)


def _template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(beginning=beginning, head_groups=head_groups, value_in_bold=value_in_bold)
    return environment.get_template(name)
