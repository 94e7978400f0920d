"""The cases of each suite: those that this project holds or generates are built again; and what was released."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from forgeteval.cases.errata import withdrawn
from forgeteval.cases.imported import ONE_SURFACE_FORM
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.fingerprints import SHIPPED
from lethe.schemas import CASES
from lethe.stored.cases import suite_from_rows, suite_rows
from lethe.study.inputs import Files
from lethe.study.released.reading import READERS
from lethe.study.setup import Setup, Suite
from lethe.trust.differing_rows import compare_rows
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.record import Audit

_SUITES = SHIPPED / "suites"
_MAKING = ("cases_per_family", "folder", "seed", "cases_per_category", "suite_version")
"""The options that make a suite of this project; any other would have a file read that the bundle chooses."""


def check_suites(setup: Setup, config: Config, files: Files, audit: Audit) -> None:
    """Build the cases again that need nothing but this project, and say of which suites that is not so.

    Args:
        config: the configuration of the run.
    """
    for name in audit.each("suites", setup.suites):
        path = CASES.path.format(suite=name)
        audit.collect(path, _check_suite(name, path, setup.suites[name], config, files, audit))


def note_released(setup: Setup, listed: Collection[str], audit: Audit) -> None:
    """Say of what was read from the release that it is taken as it is, and from which file it was read.

    Args:
        listed: the files of the manifest.
    """
    for file, table, _ in READERS.values():
        if table.path in listed:
            sha256 = setup.release.sha256.get(file, "not recorded")
            audit.taken.append(f"{table.path}: read from the released {file}, SHA-256 {sha256}")


def _check_suite(name: str, path: str, suite: Suite, config: Config, files: Files, audit: Audit) -> Iterator[str]:
    options, found = config.suites[name].options(), files.rows(CASES, path)
    sha256 = cases_sha256(suite_from_rows(found))
    own = _own(options, len(found))
    if own is not None:
        audit.checked["suites built again"] += 1
        if "folder" in own:
            yield from _check_version(name, suite, own)
            own = {"suite_version": suite.version, **own}
        made = suite_rows(build_suite(name, own))
        yield from compare_rows(path, CASES, made, found, f"the suite {name} of this project, built again")
    elif "sha256" in options and options.get("form") != ONE_SURFACE_FORM and options["sha256"] != sha256:
        yield f"{path}: cases of SHA-256 {sha256}; the configuration says {options['sha256']}"
    else:
        audit.taken.append(f"{path}: {len(found)} cases from elsewhere, SHA-256 {sha256}")


def _check_version(name: str, suite: Suite, own: Mapping[str, Any]) -> Iterator[str]:
    """What the record says of a suite's version, beside the configuration and this project's errata."""
    asked = own.get("suite_version", suite.version)
    gone = len(withdrawn({**own, "suite_version": suite.version}))
    if (suite.version, suite.withdrawn) != (asked, gone):
        says = f"version {suite.version} of {name}, {suite.withdrawn} cases withdrawn"
        yield f"{RECIPE_FILE}: says {says}; the errata give {gone} for version {asked}"


def _own(options: Mapping[str, Any], cases: int) -> dict[str, Any] | None:
    """The options of a suite that is generated, or that is a folder of this project; None for any other.

    Raises:
        UserError: where they make more of it than was handed on.
    """
    if options.get("cases_per_family", 0) > max(cases, 100):
        raise UserError("the configuration asks for more cases than there are")
    making = {name: options[name] for name in _MAKING if name in options}
    if "folder" not in options:
        return making if "cases_per_family" in options else None
    folders = {name: _own_folder(str(options[name])) for name in ("folder", "twins_of") if name in options}
    return None if None in folders.values() else {**making, **folders}


def _own_folder(named: str) -> str | None:
    """A folder of this project's suites; None for any other."""
    folder = _SUITES / named.removeprefix(f"{_SUITES.name}/")
    return str(folder) if folder.parent == _SUITES and folder.name != ".." and folder.is_dir() else None
