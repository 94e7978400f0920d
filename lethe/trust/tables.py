"""Every table built again from the analysis, and each of its forms compared with what was handed on."""

import hashlib
from collections.abc import Collection, Iterator, Mapping

from lethe.parquet import Row
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.registry import TableSpec, build, figure_specs, table_specs
from lethe.tables.table import Table
from lethe.tables.writing import FIGURE_FORMS, RENDERERS, TABLE_FORMS
from lethe.trust.differing_cells import compare_form
from lethe.trust.record import Audit

_SHOWN = ("paper_tables/", "figures/", "results/tables/", "results/report/")


def check_tables(setup: Setup, files: Files, entries: Mapping[str, Row], audit: Audit) -> None:
    """Compare every form of each table of the registry."""
    for spec in audit.each("tables", table_specs(setup)):
        audit.collect(f"table {spec.name}", _check_table(spec, files, entries, audit))


def made_by_none(setup: Setup, listed: Collection[str]) -> list[str]:
    """Files of the manifest that stand where tables, figures and pages do and are none of this configuration's."""
    tables = {path.format(name=spec.name) for spec in table_specs(setup) for path in TABLE_FORMS.values()}
    figures = {path.format(name=spec.name) for spec in figure_specs(setup) for path in FIGURE_FORMS.values()}
    return sorted({name for name in listed if name.startswith(_SHOWN)} - tables - figures)


def _check_table(spec: TableSpec, files: Files, entries: Mapping[str, Row], audit: Audit) -> Iterator[str]:
    table: Table = build(spec, files)
    for form, pattern in TABLE_FORMS.items():
        path, made = pattern.format(name=spec.name), RENDERERS[form](table)
        handed = files.root / path
        if files.listed is not None and path in files.listed:
            yield from compare_form(path, made, handed.read_text(encoding="utf-8", errors="replace"))
        elif hashlib.sha256(made.encode()).hexdigest() != entries.get(path, {}).get("sha256"):
            yield f"{path}: does not follow from the results"
    audit.checked["tables"] += 1
