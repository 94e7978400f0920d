"""The findings of the last release: numbers and figures in docs/findings, text in README, docs/index.md, docs/systems.

`release.json` beside them says which run they are of (checksum of its manifest) and what each is (checksum).
"""

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text
from forgeteval.json_records import from_json, read_object
from lethe.findings.ending import digest_lines
from lethe.findings.lines import FIGURES, Finding, findings
from lethe.findings.numbers import Numbers, numbers_of
from lethe.findings.systems import Standing, filled, standings, system_pages, systems_on
from lethe.fingerprints import sha256_of
from lethe.parquet import read_rows
from lethe.schemas import MANIFEST
from lethe.store import __version__
from lethe.study.inputs import Files
from lethe.study.setup import Setup

KEPT = Path("docs/findings")
RECORD = KEPT / "release.json"
README, NUMBERS, SYSTEMS = Path("README.md"), "numbers.json", "systems.json"
PAGES = (README, Path("docs/index.md"))
BEGIN, END = "<!-- findings: written by `forgeteval findings` -->", "<!-- end of findings -->"
NONE_YET = "No run has been released yet; `forgeteval findings FOLDER` writes the finding of a finished one here."
_MANIFEST = Path("results/manifest.parquet")


def keep_release(folder: Path, setup: Setup, root: Path, *, partial: bool = False) -> list[Path]:
    """Take over the numbers, the figure and the checksum of a finished run, and write the pages of the project.

    Args:
        setup: what was run.
        folder: contains `results` and `figures` of the run.
        root: the project's folder.
        partial: see `findings`.

    Returns:
        The pages that were written, from the project's folder.

    Raises:
        UserError: where the run lacks what the finding needs, or a page its markers; nothing is written then.
    """
    manifest = folder / _MANIFEST
    _check_there(folder, manifest)
    _check_manifest(folder)
    files = Files(folder)
    numbers = numbers_of(setup, files)
    found = findings(numbers, partial=partial)
    figures = [folder / "figures" / f"{each.figure}.png" for each in found if each.figure]
    _check_there(folder, *figures)
    of_systems = system_pages(root)
    systems = [system for page in of_systems for system in systems_on(page)]
    standing = standings(setup, files, systems) if systems else {}
    kept = {
        NUMBERS: _as_text(asdict(numbers)),
        SYSTEMS: _as_text({name: asdict(each) for name, each in standing.items()}),
    }
    record = {
        "version": __version__,
        "manifest": sha256_of(manifest),
        "partial": partial,
        "verdicts": " ".join(digest_lines(folder, setup)),
        "files": {
            **{figure.name: sha256_of(figure) for figure in figures},
            **{name: hashlib.sha256(text.encode()).hexdigest() for name, text in kept.items()},
        },
    }
    pages = {
        **{root / page: _filled(root / page, _block(found, record, page)) for page in PAGES},
        **{page: filled(page, standing) for page in of_systems},
    }
    (root / KEPT).mkdir(parents=True, exist_ok=True)
    for figure in figures:
        shutil.copyfile(figure, root / KEPT / figure.name)
    for name, text in kept.items():
        write_text(root / KEPT / name, text)
    write_text(root / RECORD, _as_text(record))
    for page, text in pages.items():
        write_text(page, text)
    return [page.relative_to(root) for page in pages]


def _as_text(record: Mapping[str, object]) -> str:
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def _check_there(folder: Path, *files: Path) -> None:
    """Raise UserError where a file of the run is missing."""
    missing = [path for path in files if not path.is_file()]
    if missing:
        raise UserError(f"{missing[0]}: missing; is the run of {folder} finished?")


def _check_manifest(folder: Path) -> None:
    """Raise UserError where a file of the run is not as its manifest lists it, or trials are there that it does not."""
    listed = {row["file"]: row["sha256"] for row in read_rows(folder / _MANIFEST, MANIFEST)}
    for name, checksum in listed.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != checksum:
            raise UserError(f"{folder / name}: not as {_MANIFEST} lists it; run the workflow again")
    for path in sorted((folder / "results/runs").rglob("*.parquet")):
        if path.relative_to(folder).as_posix() not in listed:
            raise UserError(f"{path}: not in {_MANIFEST}; run the workflow again")


def pages_out_of_date(root: Path) -> list[Path]:
    """The pages that do not say what the kept numbers say.

    Raises:
        UserError: where a kept file is not that of the record, or the numbers lack what the finding needs.
    """
    found, record = _kept(root)
    pages = {root / page: _filled(root / page, _block(found, record, page)) for page in PAGES}
    if record:
        pages |= {page: filled(page, kept_standings(root)) for page in system_pages(root)}
    return [page.relative_to(root) for page, text in pages.items() if page.read_text(encoding="utf-8") != text]


def _kept(root: Path) -> tuple[list[Finding], Mapping[str, object]]:
    if not (root / RECORD).exists():
        return [], {}
    record = read_object(root / RECORD)
    for name, checksum in record["files"].items():
        path = root / KEPT / name
        if not path.is_file() or sha256_of(path) != checksum:
            raise UserError(f"{KEPT / name}: not that of the release; run `forgeteval findings FOLDER` again")
    return findings(kept_numbers(root), partial=record["partial"]), record


def kept_numbers(root: Path) -> Numbers:
    """The numbers of the last release.

    Raises:
        UserError: where the file holds none.
    """
    try:
        return from_json(Numbers, read_object(root / KEPT / NUMBERS))
    except (KeyError, TypeError) as error:
        raise UserError(f"{KEPT / NUMBERS}: {error}") from error


def kept_standings(root: Path) -> dict[str, Standing]:
    """What each configuration with a page did in the last release; errors as of `kept_numbers`."""
    try:
        return {name: from_json(Standing, each) for name, each in read_object(root / KEPT / SYSTEMS).items()}
    except (KeyError, TypeError) as error:
        raise UserError(f"{KEPT / SYSTEMS}: {error}") from error


def _block(found: Sequence[Finding], record: Mapping[str, object], page: Path) -> str:
    if not found:
        return NONE_YET
    told = _claims(found) if page == README else _details(found)
    origin = f"Lethe {record['version']}; manifest of the run: SHA-256 `{record['manifest']}`."
    return f"{told}\n\n{origin} {record['verdicts']}".rstrip()


def _claims(found: Sequence[Finding]) -> str:
    """What was measured, the claims, and the first figure, if there is one."""
    measured, *rest = found
    claims = "\n".join(f"{place}. {each.claim}" for place, each in enumerate(rest, 1))
    images = [_image(each, KEPT) for each in rest if each.figure]
    return "\n\n".join((measured.claim, claims, *images[:1]))


def _details(found: Sequence[Finding]) -> str:
    """Each claim with what it rests on."""
    parts = []
    for place, each in enumerate(found):
        number = f"{place}. " if place else ""
        details = "".join(f"\n- {detail}" for detail in each.details)
        image = f"\n\n{_image(each, Path(KEPT.name))}" if each.figure else ""
        parts.append(f"**{number}{each.claim}**\n{details}{image}")
    return "\n\n".join(parts)


def _image(finding: Finding, folder: Path) -> str:
    return f"![{FIGURES[finding.figure]}]({folder.as_posix()}/{finding.figure}.png)"


def _filled(path: Path, block: str) -> str:
    """The text of a page with the block between its markers."""
    text = path.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{path}: no markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{block}\n{END}{after}"
