"""The finding of the last release: its tables and figure in docs/findings, its lines in README.md and docs/index.md.

`release.json` beside the tables says which run they are of (checksum of its manifest) and what each is (checksum).
"""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import read_object
from lethe import __version__
from lethe.findings.lines import KEPT_TABLES, five_lines
from lethe.fingerprints import sha256_of
from lethe.tables.table import Table

KEPT = Path("docs/findings")
RECORD = KEPT / "release.json"
FIGURE = "heatmap.png"
PAGES = {Path("README.md"): "docs/findings", Path("docs/index.md"): "findings"}
"""Each page with the lines, and where the figure stands seen from there."""
BEGIN, END = "<!-- findings: written by `forgeteval findings` -->", "<!-- end of findings -->"
NONE_YET = "No run has been released yet; `forgeteval findings FOLDER` writes the finding of a finished one here."
_MANIFEST = Path("results/manifest.parquet")


def keep_release(folder: Path, root: Path, *, partial: bool = False) -> None:
    """Take over the tables, the figure and the checksum of a finished run, and write the pages of the project.

    Args:
        folder: contains `results` and `figures` of the run.
        root: the project's folder.
        partial: see `five_lines`.

    Raises:
        UserError: where the run lacks what the finding needs, or a page its markers; nothing is written then.
    """
    sources = {name: folder / "results/tables" / f"{name}.json" for name in KEPT_TABLES}
    figure, manifest = folder / "figures" / FIGURE, folder / _MANIFEST
    missing = [path for path in (manifest, figure, *sources.values()) if not path.is_file()]
    if missing:
        raise UserError(f"{missing[0]}: missing; is the run of {folder} finished?")
    record = {
        "version": __version__,
        "manifest": sha256_of(manifest),
        "partial": partial,
        "figure": sha256_of(figure),
        "tables": {name: sha256_of(path) for name, path in sources.items()},
    }
    lines = five_lines({name: _table(path) for name, path in sources.items()}, partial=partial)
    pages = {page: _filled(root / page, _block(lines, record, page)) for page in PAGES}
    (root / KEPT).mkdir(parents=True, exist_ok=True)
    for path in (*sources.values(), figure):
        shutil.copyfile(path, root / KEPT / path.name)
    write_text(root / RECORD, json.dumps(record, indent=1) + "\n")
    for page, text in pages.items():
        write_text(root / page, text)


def pages_out_of_date(root: Path) -> list[Path]:
    """The pages that do not say what the kept tables say.

    Raises:
        UserError: where a kept file is not that of the record, or the tables lack what the finding needs.
    """
    lines, record = _kept(root)
    return [
        page
        for page in PAGES
        if (root / page).read_text(encoding="utf-8") != _filled(root / page, _block(lines, record, page))
    ]


def _kept(root: Path) -> tuple[list[str], Mapping[str, object]]:
    if not (root / RECORD).exists():
        return [], {}
    record = read_object(root / RECORD)
    files = {name: root / KEPT / f"{name}.json" for name in record["tables"]}
    kept = {**{path: record["tables"][name] for name, path in files.items()}, root / KEPT / FIGURE: record["figure"]}
    for path, checksum in kept.items():
        if not path.is_file() or sha256_of(path) != checksum:
            raise UserError(f"{KEPT / path.name}: not that of the release; run `forgeteval findings FOLDER` again")
    return five_lines({name: _table(path) for name, path in files.items()}, partial=record["partial"]), record


def _table(path: Path) -> Table:
    try:
        return Table.from_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error


def _block(lines: list[str], record: Mapping[str, object], page: Path) -> str:
    if not lines:
        return NONE_YET
    told = "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1))
    origin = f"Lethe {record['version']}; manifest of the run: SHA-256 `{record['manifest']}`"
    return f"{told}\n\n![Pass rate by system and category]({PAGES[page]}/{FIGURE})\n\n{origin}."


def _filled(path: Path, block: str) -> str:
    """The text of a page with the block between its markers."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{path}: no markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"
