"""Every table built again from the analysis, and each of its forms compared with what was handed on."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence

from forgeteval.errors import UserError
from lethe.parquet import Row
from lethe.study.broken import Broken, broken_of
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.registry import TableSpec, all_paths, build_table, figure_specs, table_specs
from lethe.tables.writing import FIGURE_FORMS, RENDERERS, documents, forms
from lethe.trust.differing_cells import compare_form
from lethe.trust.record import Audit

_SHOWN = ("paper_tables/", "figures/", "results/tables/", "results/report/")


def check_tables(setup: Setup, files: Files, entries: Mapping[str, Row], audit: Audit) -> None:
    """Compare every form of each table of the registry, and the documents that set them."""
    specs = table_specs(setup)
    try:
        broken = broken_of(setup, files, all_paths(specs))
    except UserError as error:
        audit.findings.append(f"tables: {error}")
        broken = []
    for spec in audit.each("tables", specs):
        audit.collect(f"table {spec.name}", _check_table(spec, files, entries, broken, audit))
    for path, text in documents(setup).items():
        audit.collect(path, _differing(path, text, files, entries))


def made_by_none(setup: Setup, listed: Collection[str]) -> list[str]:
    """Files of the manifest that stand where tables, figures and pages do and are none of this configuration's."""
    tables = {path for spec in table_specs(setup) for path in forms(spec).values()} | documents(setup).keys()
    figures = {path.format(name=spec.name) for spec in figure_specs(setup) for path in FIGURE_FORMS.values()}
    return sorted({name for name in listed if name.startswith(_SHOWN)} - tables - figures)


def _check_table(
    spec: TableSpec, files: Files, entries: Mapping[str, Row], broken: Sequence[Broken], audit: Audit
) -> Iterator[str]:
    table = build_table(spec, files, broken)
    for form, path in forms(spec).items():
        yield from _differing(path, RENDERERS[form](table), files, entries)
    audit.checked["tables"] += 1


def _differing(path: str, made: str, files: Files, entries: Mapping[str, Row]) -> Iterator[str]:
    """Where a file is not what was made again."""
    handed = files.root / path
    if files.listed is not None and path in files.listed:
        yield from compare_form(path, made, handed.read_text(encoding="utf-8", errors="replace"))
    elif hashlib.sha256(made.encode()).hexdigest() != entries.get(path, {}).get("sha256"):
        yield f"{path}: does not follow from the results"
