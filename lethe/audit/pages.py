"""The pages of the report built again, and compared with what was handed on."""

from collections.abc import Iterator, Mapping

from lethe.analysis.inputs import Files
from lethe.analysis.setup import Setup
from lethe.audit.folder import PAGES, Folder
from lethe.audit.record import Audit
from lethe.audit.versions import Versions
from lethe.report.build import build_pages
from lethe.tables.registry import figure_specs
from lethe.tables.table import Table
from lethe.tables.writing import FIGURE_FORMS

_RENDERED_WITH = ("itables", "jinja2")


def check_pages(
    setup: Setup, files: Files, folder: Folder, tables: Mapping[str, Table], versions: Versions, audit: Audit
) -> None:
    """Compare each page that was handed on."""
    audit.collect("results/report", _check_pages(setup, files, folder, tables, versions, audit))


def _check_pages(
    setup: Setup, files: Files, folder: Folder, tables: Mapping[str, Table], versions: Versions, audit: Audit
) -> Iterator[str]:
    handed = [path for path in PAGES if path in folder.files]
    if not handed:
        return
    figures = [FIGURE_FORMS["png"].format(name=spec.name) for spec in figure_specs(setup)]
    if not folder.files.issuperset(figures):
        audit.taken += [f"{path}: shows figures that were not handed on" for path in handed]
        return
    shown = [folder.root / path for path in figures]
    made = dict(zip(PAGES, build_pages(setup, files, tables, shown, audit.manifest), strict=True))
    for path in handed:
        audit.checked["pages"] += 1
        if (folder.root / path).read_bytes() != made[path].encode():
            others = versions.differing(_RENDERED_WITH)
            reason = f"; it was made with {others}, which may be the reason" if others else ""
            yield f"{path}: does not follow from the results and this manifest{reason}"
