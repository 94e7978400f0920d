"""The finding of the last release: its numbers and figure in docs/findings, its lines in README.md and docs/index.md.

`release.json` beside them says which run they are of (checksum of its manifest) and what each is (checksum).
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import from_json, read_object
from lethe.findings.lines import five_lines
from lethe.findings.numbers import Numbers, numbers_of
from lethe.fingerprints import sha256_of
from lethe.store import __version__
from lethe.study.inputs import Files
from lethe.study.setup import Setup

KEPT = Path("docs/findings")
RECORD = KEPT / "release.json"
FIGURE, NUMBERS = "heatmap.png", "numbers.json"
_FIGURE_SAYS = "The paper's thirteen configurations on its cases: pass rate by category"
PAGES = {Path("README.md"): "docs/findings", Path("docs/index.md"): "findings"}
"""Each page with the lines, and where the figure stands seen from there."""
BEGIN, END = "<!-- findings: written by `forgeteval findings` -->", "<!-- end of findings -->"
NONE_YET = "No run has been released yet; `forgeteval findings FOLDER` writes the finding of a finished one here."
_MANIFEST = Path("results/manifest.parquet")


def keep_release(folder: Path, setup: Setup, root: Path, *, partial: bool = False) -> None:
    """Take over the numbers, the figure and the checksum of a finished run, and write the pages of the project.

    Args:
        setup: what was run.
        folder: contains `results` and `figures` of the run.
        root: the project's folder.
        partial: see `five_lines`.

    Raises:
        UserError: where the run lacks what the finding needs, or a page its markers; nothing is written then.
    """
    figure, manifest = folder / "figures" / FIGURE, folder / _MANIFEST
    missing = [path for path in (manifest, figure) if not path.is_file()]
    if missing:
        raise UserError(f"{missing[0]}: missing; is the run of {folder} finished?")
    numbers = numbers_of(setup, Files(folder))
    kept = json.dumps(asdict(numbers), indent=1, ensure_ascii=False) + "\n"
    record = {
        "version": __version__,
        "manifest": sha256_of(manifest),
        "partial": partial,
        "files": {FIGURE: sha256_of(figure), NUMBERS: hashlib.sha256(kept.encode()).hexdigest()},
    }
    lines = five_lines(numbers, partial=partial)
    pages = {page: _filled(root / page, _block(lines, record, page)) for page in PAGES}
    (root / KEPT).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(figure, root / KEPT / FIGURE)
    write_text(root / KEPT / NUMBERS, kept)
    write_text(root / RECORD, json.dumps(record, indent=1) + "\n")
    for page, text in pages.items():
        write_text(root / page, text)


def pages_out_of_date(root: Path) -> list[Path]:
    """The pages that do not say what the kept numbers say.

    Raises:
        UserError: where a kept file is not that of the record, or the numbers lack what the finding needs.
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
    for name, checksum in record["files"].items():
        path = root / KEPT / name
        if not path.is_file() or sha256_of(path) != checksum:
            raise UserError(f"{KEPT / name}: not that of the release; run `forgeteval findings FOLDER` again")
    return five_lines(kept_numbers(root), partial=record["partial"]), record


def kept_numbers(root: Path) -> Numbers:
    """The numbers of the last release.

    Raises:
        UserError: where the file holds none.
    """
    try:
        return from_json(Numbers, read_object(root / KEPT / NUMBERS))
    except (KeyError, TypeError) as error:
        raise UserError(f"{KEPT / NUMBERS}: {error}") from error


def _block(lines: list[str], record: Mapping[str, object], page: Path) -> str:
    if not lines:
        return NONE_YET
    told = "\n".join(f"{place}. {line}" for place, line in enumerate(lines, 1))
    origin = f"Lethe {record['version']}; manifest of the run: SHA-256 `{record['manifest']}`"
    return f"{told}\n\n![{_FIGURE_SAYS}]({PAGES[page]}/{FIGURE})\n\n{origin}."


def _filled(path: Path, block: str) -> str:
    """The text of a page with the block between its markers."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{path}: no markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"
