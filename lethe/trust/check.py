"""The audit of a results folder: every file against the manifest, and everything that follows from the recalled texts
computed again, with the functions that the workflow calls."""

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import real
from forgeteval.foreign import Ended, apart
from forgeteval.limits import Limits
from lethe.config.model import MOST_RESAMPLES
from lethe.config.reading import typed
from lethe.fingerprints import sha256_of
from lethe.parquet import Row, check_foreign, read_rows
from lethe.schemas import MANIFEST
from lethe.study.inputs import PROJECT_PUBLISHED, PUBLISHED_FILE, Files
from lethe.study.replication.paper_alone import paper_alone
from lethe.study.setup import Setup
from lethe.tables.registry import all_paths
from lethe.tables.writing import PAPER, tables_of
from lethe.trust.benchmark_data import check_benchmark_data
from lethe.trust.crate import CRATE_FILE, check_crate
from lethe.trust.differing_rows import shortened
from lethe.trust.folder import MANIFEST_FILE, PAGES, VERSIONS_FILE, Folder
from lethe.trust.judged import check_judged
from lethe.trust.recipe import RECIPE_FILE, Recipe, read_recipe
from lethe.trust.record import Audit
from lethe.trust.repeated import check_repeated
from lethe.trust.stated import check_stated
from lethe.trust.suites import check_suites, note_released
from lethe.trust.tables import check_tables, made_by_none
from lethe.trust.unchanged import check_unchanged
from lethe.trust.versions import read_versions


def audit_apart(root: Path) -> Audit:
    """`audit` in a process with limits; a Parquet file that ends this process is a finding, and the rest is read again.

    Raises:
        UserError: as of `audit`, and where something else ends the process.
    """
    root, ending = real(root), dict[str, str]()
    deadline = time.monotonic() + Limits().seconds
    while True:
        try:
            return apart(audit, root, ending, limits=Limits(seconds=max(1, int(deadline - time.monotonic()))))
        except Ended as error:
            is_over = time.monotonic() > deadline
            if is_over or error.at in ending or error.at in ("", (root / MANIFEST_FILE).as_posix()):
                raise
            ending[error.at] = error.problem


def audit(root: Path, ending: Mapping[str, str] | None = None) -> Audit:
    """Check everything below `root`, which holds `results` and, if they were handed on, `paper_tables` and `figures`.

    Nothing of the folder is executed, and nothing is written to it.

    Args:
        ending: files that ended a process that read them, with how; they are not read.

    Raises:
        UserError: where there is no manifest to check against.
    """
    root = real(root)
    folder = Folder.of(root)
    manifest = root / MANIFEST_FILE
    if MANIFEST_FILE.as_posix() not in folder.files:
        remedy = "name the folder that holds results/, or run `snakemake paper_tables` or `paper`, which write it"
        raise UserError(f"{manifest}: no manifest here; {remedy}")
    entries = _read_manifest(manifest)
    found = Audit(sha256_of(manifest))
    readable = check_unchanged(folder, entries, found, ending)
    found.collect(VERSIONS_FILE.as_posix(), _note_versions(root, readable, found))
    found.collect(CRATE_FILE.as_posix(), _check_crate(root, readable, entries))
    found.collect("results/report", _check_pages(folder, found))
    found.collect(RECIPE_FILE.as_posix(), _check_results(folder, Files(root, readable), entries, found))
    return found


def _read_manifest(path: Path) -> dict[str, Row]:
    """What the manifest says of each file.

    Raises:
        UserError: where it cannot be read, or would fill the memory.
    """
    try:
        check_foreign(path)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return {row["file"]: row for row in read_rows(path, MANIFEST)}


def _note_versions(root: Path, readable: Collection[str], found: Audit) -> Iterator[str]:
    try:
        found.versions = read_versions(_listed(root, VERSIONS_FILE, readable))
    except UserError as error:
        yield str(error)


def _check_crate(root: Path, readable: Collection[str], entries: Mapping[str, Row]) -> Iterator[str]:
    try:
        yield from check_crate(_listed(root, CRATE_FILE, readable), entries)
    except UserError as error:
        yield str(error)


def _check_pages(folder: Folder, found: Audit) -> Iterator[str]:
    """Of a page, which the manifest cannot list since the page names it, that it names this one."""
    for page in sorted(folder.files.intersection(PAGES)):
        found.taken.append(f"{page}: what it shows; `snakemake paper_tables`, or `paper` if that ran, makes it again")
        if found.manifest.encode() not in (folder.root / page).read_bytes():
            yield f"{page}: is of another manifest"


def _check_results(folder: Folder, files: Files, entries: Mapping[str, Row], found: Audit) -> Iterator[str]:
    """Compute everything again that follows from the recalled texts."""
    try:
        recipe = read_recipe(_listed(folder.root, RECIPE_FILE, files.listed or ()))
        setup = Setup.from_json(recipe.setup)
        specs = tables_of(setup, recipe.room)
    except Exception as error:  # noqa: BLE001 - whatever a tampered record makes the registry raise
        yield f"{RECIPE_FILE}: nothing can be computed again: {type(error).__name__}: {error}"
        return
    if setup.resamples > MOST_RESAMPLES:
        yield f"{RECIPE_FILE}: {setup.resamples} resamples are not computed again; at most {MOST_RESAMPLES}"
        return
    yield from _check_recipe(recipe, all_paths(specs))
    k = None
    try:
        config = typed(found.versions.config if found.versions else {})
        config = paper_alone(config) if recipe.room == PAPER else config
    except UserError as error:
        yield f"{VERSIONS_FILE}: {error}"
    else:
        found.collect(f"{RECIPE_FILE} and {VERSIONS_FILE}", check_stated(setup, config, found))
        k = config.run.k
        check_suites(setup, config, files, found)
    note_released(setup, entries, found)
    check_benchmark_data(setup, files, entries, found)
    check_judged(setup, k, files, found)
    check_repeated(setup, files, entries, found)
    check_tables(setup, files, entries, found, recipe.room)
    found.taken += [f"{name}: no stage makes it; not looked at" for name in made_by_none(setup, entries)]


def _listed(root: Path, path: Path, readable: Collection[str]) -> Path:
    if path.as_posix() not in readable:
        raise UserError(f"{path}: not there, or not in the manifest")
    return root / path


def _check_recipe(recipe: Recipe, expected: Sequence[str]) -> Iterator[str]:
    own = sha256_of(PROJECT_PUBLISHED)
    if recipe.published_sha256 != own:
        built_from = f"the tables were built from a {PUBLISHED_FILE} of SHA-256 {recipe.published_sha256}"
        yield f"{RECIPE_FILE}: {built_from}; the project's is of {own}"
    named, read = {*recipe.inputs}, {*expected}
    lines = (
        f"{RECIPE_FILE}: {path} {'is not named, but is read' if path in read else 'is named, but no table reads it'}"
        for path in sorted(named ^ read)
    )
    yield from shortened(str(RECIPE_FILE), lines, "inputs named that no table reads, or read and not named")
