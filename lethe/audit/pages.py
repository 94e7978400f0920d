"""The pages of the report built again, and compared with what was handed on."""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lethe.audit.folder import PAGES, Folder
from lethe.audit.record import Audit
from lethe.audit.versions import Versions
from lethe.report.build import build_pages
from lethe.report.packing import unpack
from lethe.study.inputs import Files
from lethe.study.setup import Setup
from lethe.tables.registry import figure_specs
from lethe.tables.table import Table
from lethe.tables.writing import FIGURE_FORMS

_RENDERED_WITH = ("jinja2",)
_PACKED = re.compile(rb'(<script type="application/octet-stream" id="suite-\d+">)([A-Za-z0-9+/=]*)(?=</script>)')
_LARGEST_PACK = 256 << 20


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
    lacking = [Path(path) for path in figures if path not in folder.files]
    if lacking and PAGES[0] in handed:
        names = ", ".join(figure.name for figure in lacking)
        audit.taken.append(f"{PAGES[0]}: what it shows as {names}, which was not handed on")
    with tempfile.TemporaryDirectory() as empty:
        for figure in lacking:
            Path(empty, figure.name).touch()
        shown = [Path(empty, file.name) if file in lacking else folder.root / file for file in map(Path, figures)]
        pages = build_pages(setup, files, tables, shown, audit.manifest, versions.environments)
    made = dict(zip(PAGES, pages, strict=True))
    for path in handed:
        audit.checked["pages"] += 1
        page = _without_pictures((folder.root / path).read_bytes(), lacking)
        if page != made[path].encode() and not _say_the_same(page, made[path].encode()):
            others = versions.differing(_RENDERED_WITH)
            reason = f"; it was made with {others}, which may be the reason" if others else ""
            yield f"{path}: does not follow from the results and this manifest{reason}"


def _say_the_same(page: bytes, other: bytes) -> bool:
    """Whether two pages are equal but for how their data are compressed, which depends on the version of zlib."""
    try:
        return _unpacked(page) == _unpacked(other)
    except ValueError:
        return False


def _unpacked(page: bytes) -> bytes:
    return _PACKED.sub(lambda found: found[1] + unpack(found[2], _LARGEST_PACK), page)


def _without_pictures(page: bytes, figures: Sequence[Path]) -> bytes:
    """A page with nothing where it shows these figures."""
    for figure in figures:
        picture = (
            rb'(<img alt="%s" src="data:image/png;base64,)[A-Za-z0-9+/=]+' % figure.stem.replace("_", " ").encode()
        )
        page = re.sub(picture, rb"\1", page)
    return page
