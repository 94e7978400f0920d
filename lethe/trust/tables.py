"""Every table built again from the analysis, and each of its forms compared with what was handed on."""

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence

from forgeteval.errors import UserError
from lethe.parquet import Row
from lethe.study.inputs import Files
from lethe.study.remarks import Remark, remarks_of
from lethe.study.setup import Setup
from lethe.tables.registry import TableSpec, all_paths, build_table
from lethe.tables.writing import FIGURE_FORMS, RENDERERS, documents, figures_of, forms, tables_of
from lethe.trust.differing_cells import compare_form
from lethe.trust.differing_rows import files_named
from lethe.trust.record import Audit

_SHOWN = ("paper_tables/", "figures/", "results/tables/", "results/report/")


def check_tables(setup: Setup, files: Files, entries: Mapping[str, Row], audit: Audit, room: str = "") -> None:
    """Compare every form of each table of a room, or of all rooms, and the documents that set them; where a room was
    asked for alone, what another room makes does not belong to it."""
    specs = tables_of(setup, room)
    try:
        remarks = remarks_of(setup, files, all_paths(specs))
    except UserError as error:
        audit.findings.append(f"tables: {error}")
        remarks = []
    for spec in audit.each("tables", specs):
        audit.collect(f"table {spec.name}", _check_table(spec, files, entries, remarks, audit))
    for path, text in documents(setup, room).items():
        audit.collect(path, _differing(path, text, files, entries, "the configuration"))
    others = (_made(setup, "") - _made(setup, room)).intersection(entries)
    why = f"is not of {room}, of which alone this run was; `snakemake paper_tables` makes it again"
    audit.findings += [f"{path}: {why}" for path in sorted(others)]


def made_by_none(setup: Setup, listed: Collection[str]) -> list[str]:
    """Files of the manifest that stand where tables, figures and pages do and are none of this configuration's."""
    return sorted({name for name in listed if name.startswith(_SHOWN)} - _made(setup, ""))


def _made(setup: Setup, room: str) -> set[str]:
    """The files of the tables, documents and figures of a room, or of all rooms."""
    tables = {path for spec in tables_of(setup, room) for path in forms(spec).values()}
    figures = {path.format(name=spec.name) for spec in figures_of(setup, room) for path in FIGURE_FORMS.values()}
    return tables | figures | documents(setup, room).keys()


def _check_table(
    spec: TableSpec, files: Files, entries: Mapping[str, Row], remarks: Sequence[Remark], audit: Audit
) -> Iterator[str]:
    table, source = build_table(spec, files, remarks), files_named(all_paths([spec]))
    for form, path in forms(spec).items():
        yield from _differing(path, RENDERERS[form](table), files, entries, source)
    audit.checked["tables"] += 1


def _differing(path: str, made: str, files: Files, entries: Mapping[str, Row], source: str) -> Iterator[str]:
    """Where a file is not what was made again."""
    handed = files.root / path
    if files.listed is not None and path in files.listed:
        yield from compare_form(path, made, handed.read_bytes().decode(errors="replace"), source)
    elif hashlib.sha256(made.encode()).hexdigest() != entries.get(path, {}).get("sha256"):
        yield f"{path}: does not follow from the results"
