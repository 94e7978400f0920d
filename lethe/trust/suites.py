"""The cases of each suite, the long histories and the cases of the erasure audit: those that this project holds or
generates are built again; and what was released."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from forgeteval.cases.errata import withdrawn
from forgeteval.cases.imported import ONE_SURFACE_FORM
from forgeteval.cases.interchange import cases_sha256
from forgeteval.cases.long.generate import generate_histories
from forgeteval.cases.long.material import read_material
from forgeteval.cases.suites import build_suite
from forgeteval.errors import UserError
from lethe.config.model import Config
from lethe.config.selection import erasure_stores
from lethe.fingerprints import SHIPPED
from lethe.schemas import CASES, ERASURE_CASES, LONG_EVENTS
from lethe.stored.cases import suite_from_rows, suite_rows
from lethe.stored.erasure import erasure_rows
from lethe.stored.histories import event_rows
from lethe.study.inputs import Files
from lethe.study.released.reading import READERS
from lethe.study.setup import Setup, Suite
from lethe.trust.differing_rows import compare_rows
from lethe.trust.folder import VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE
from lethe.trust.record import Audit

_SUITES = SHIPPED / "suites"
_SHIPPED_LONG, _SHIPPED_ERASURE = _SUITES / "long", _SUITES / "erasure"
_MOST_KS = 10
"""How many of the numbers of memories that questions ask for are named."""
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
    if setup.long.configurations:
        audit.collect(LONG_EVENTS.path, _check_long(setup, config, files))
    if setup.erasure.stores:
        audit.collect(ERASURE_CASES.path, _check_erasure(setup, config, files))


def long_events(seed: int, histories: int, ks: Sequence[int]) -> list[dict[str, Any]]:
    """The rows of long histories, generated from this project's material."""
    return event_rows(generate_histories(read_material(_SHIPPED_LONG), seed, histories, ks))


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


def _check_long(setup: Setup, config: Config, files: Files) -> Iterator[str]:
    histories, ks = config.long.histories, config.long.k
    if (setup.long.histories, [*setup.long.ks]) != (histories, [*ks]):
        yield f"{RECIPE_FILE}: long is not what the configuration in {VERSIONS_FILE} gives"
    found = files.rows(LONG_EVENTS, LONG_EVENTS.path)
    names, asked = {row["history"] for row in found}, {row["k"] for row in found if row["k"] is not None}
    if len(names) != histories or asked != {*ks}:
        says = f"{len(names)} histories, with questions for {sorted(asked)[:_MOST_KS]} memories"
        yield f"{LONG_EVENTS.path}: {says}; the configuration says {histories}, and {ks[:_MOST_KS]}"
        return
    made = long_events(config.seed, histories, ks)
    yield from compare_rows(LONG_EVENTS.path, LONG_EVENTS, made, found, "suites/long of this project, built again")


def _check_erasure(setup: Setup, config: Config, files: Files) -> Iterator[str]:
    for name, stores in setup.erasure.stores.items():
        if name in setup.configurations and [tuple(store) for store in stores] != erasure_stores(config, name):
            yield f"{RECIPE_FILE}: erasure: the stores of {name} are not what the configuration gives"
    found, cases = files.rows(ERASURE_CASES, ERASURE_CASES.path), setup.erasure.cases
    if len(found) != cases:
        yield f"{ERASURE_CASES.path}: {len(found)} cases; the configuration says {cases}"
        return
    _, made = erasure_rows(str(_SHIPPED_ERASURE), config.seed, cases)["cases"]
    source = "suites/erasure of this project, built again"
    yield from compare_rows(ERASURE_CASES.path, ERASURE_CASES, made, found, source)


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
