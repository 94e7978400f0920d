"""Every table built again from the analysis, and each of its forms compared with what was handed on."""

import hashlib
from collections.abc import Iterator, Mapping

from lethe.trust.differing_cells import compare_form
from lethe.trust.record import Audit
from lethe.parquet import Row
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.registry import TableSpec, build, table_specs
from lethe.tables.table import Table
from lethe.tables.writing import RENDERERS, TABLE_FORMS


def check_tables(setup: Setup, files: Files, entries: Mapping[str, Row], audit: Audit) -> dict[str, Table]:
    """Compare every form of each table of the registry; the tables that could be built, by name."""
    tables: dict[str, Table] = {}
    for spec in table_specs(setup):
        audit.collect(f"table {spec.name}", _check_table(spec, files, entries, tables))
    audit.checked["tables"] += len(tables)
    return tables


def _check_table(spec: TableSpec, files: Files, entries: Mapping[str, Row], tables: dict[str, Table]) -> Iterator[str]:
    table: Table = build(spec, files)
    for form, pattern in TABLE_FORMS.items():
        path, made = pattern.format(name=spec.name), RENDERERS[form](table)
        handed = files.root / path
        if files.listed is not None and path in files.listed:
            yield from compare_form(path, made, handed.read_text(encoding="utf-8", errors="replace"))
        elif hashlib.sha256(made.encode()).hexdigest() != entries.get(path, {}).get("sha256"):
            yield f"{path}: does not follow from the results"
    tables[spec.name] = table
