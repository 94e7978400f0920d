"""Making the bundle of one configuration from the results of a workflow, or of `forgeteval run`."""

import hashlib
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from forgeteval.cases.interchange import cases_sha256
from forgeteval.errors import UserError
from forgeteval.files import atomic_write, read_named
from forgeteval.json_records import from_json
from forgeteval.run.formats.parquet import write_trials
from forgeteval.run.results import Results
from lethe.config.configurations import Configuration, lock_file
from lethe.config.submission import (
    ADAPTER_FILE,
    FORMAT,
    LOCK_FILE,
    LONGEST_LABEL,
    LONGEST_NAME,
    SIGNATURE_FILE,
    SUBMISSION_FILE,
    TRIALS_FILE,
    HandedSuite,
    Submission,
    check_name,
    is_name,
)
from lethe.fingerprints import sha256_of
from lethe.parquet import metadata_of, read_arrow, read_rows, write_rows
from lethe.schemas import CASES, MANIFEST, TRIALS
from lethe.stored.cases import read_suite
from lethe.study.setup import Setup
from lethe.trust.bundle import unpack_bundle, write_bundle
from lethe.trust.folder import MANIFEST_FILE, VERSIONS_FILE
from lethe.trust.recipe import RECIPE_FILE, read_recipe
from lethe.trust.signature import sign
from lethe.trust.versions import PIPELINE, read_versions, said_without, without_credentials

_SETTINGS: Mapping[str, type] = {"policies": dict, "k": int}
_MADE_WITH: Mapping[str, type] = dict.fromkeys(("forgeteval", "python", "platform"), str)
"""What a bundle says of a run, by the part of its results that has it."""
_SAID = ("error", "decisions")
"""Parts of a trial in which a store's exception or a hook's reason stands as it was raised or given."""
_CALLED: Mapping[type, str] = {dict: "mapping", int: "whole number", str: "text"}


def submit(
    results: Path, name: str, by: str, out: Path, root: Path, adapter: Path | None = None, key: Path | None = None
) -> Submission:
    """Write the bundle of a configuration.

    Args:
        results: folder that holds `results`.
        name: SYSTEM or SYSTEM@MODEL.
        root: the project's folder, with the locks of the environments.
        adapter: file of the system's own adapter, for readers.
        key: with which `ssh-keygen` signs the record.

    Raises:
        UserError: where results lack the configuration, or a file cannot be read.
    """
    check_name(by)
    if not (results / RECIPE_FILE).is_file():
        remedy = "name the folder of a run by --results, or a file of `forgeteval run --out` in place of SYSTEM"
        raise UserError(f"{results / RECIPE_FILE}: no such file, so no results of a run there; {remedy}")
    setup = Setup.from_json(read_recipe(results / RECIPE_FILE).setup)
    if name not in setup.configurations:
        raise UserError(f"{results}: no configuration {name}; the results have {', '.join(setup.configurations)}")
    entry, versions = setup.configurations[name], read_versions(results / VERSIONS_FILE)
    suites = _suites(results, name, setup)
    files = {TRIALS_FILE.format(suite=suite): _bytes_of(_trials(results, suite, name)) for suite in suites}
    lock = lock_file(root, entry.environment or PIPELINE)
    if not lock.is_file():
        raise UserError(f"{lock}: no lock of the environment of {name} there; name the project's folder by --root")
    files[LOCK_FILE] = _without_credentials_in(lock)
    if adapter is not None:
        files[ADAPTER_FILE] = read_named(adapter)
    submission = Submission(
        FORMAT,
        by,
        from_json(Configuration, without_credentials(setup.to_json()["configurations"][name])),
        _k(versions.config),
        setup.repetitions_of(name),
        suites,
        versions.code,
        [package for package in versions.environments.get(entry.environment or PIPELINE, []) if "==" in package],
        versions.machine,
        {place: hashlib.sha256(content).hexdigest() for place, content in files.items()},
    )
    return _bundle(submission, files, out, key)


def submit_results(
    file: Path,
    by: str,
    out: Path,
    adapter: Path | None = None,
    key: Path | None = None,
    further: Sequence[Path] = (),
) -> Submission:
    """Write the bundle of a store that `forgeteval run` was given.

    Args:
        file: what `forgeteval run --out` wrote, of a whole suite.
        adapter: file of the store, for readers.
        key: with which `ssh-keygen` signs the record.
        further: files of the same store on other suites.

    Raises:
        UserError: where one is not such a file, is of a part of a suite, or is of another store or another run of it.
    """
    check_name(by)
    first, suites, bundled = _read_results(file), dict[str, HandedSuite](), dict[str, bytes]()
    told, made_with, hook = first.settings, first.made_with, first.settings.get("hook")
    store = re.split(r"[/\\]", first.store)[-1]
    name = system_name(f"{store}+{hook}" if hook else store)
    if not name:
        raise UserError(
            f"{file}: the store {first.store!r:.60} has no letter of A to Z and no digit to name it by; rename it"
        )
    for path in (file, *further):
        results = first if path == file else _read_results(path)
        if _run_as(results) != _run_as(first):
            raise UserError(f"{path}: of another store than {file}, or run otherwise; hand it in by itself")
        suite = results.suite
        if suite.name in suites:
            raise UserError(f"{path}: of {suite.name}, as another of the files; name one of them")
        suites[suite.name] = HandedSuite(suite.version, suite.sha256)
        # The hook's model stands in the label: to the study, a store handed in has none.
        trials = tuple(
            replace(trial, system=name, model="", **{part: said_without(getattr(trial, part)) for part in _SAID})
            for trial in results.trials
        )
        with tempfile.TemporaryDirectory() as folder:
            write_trials(replace(results, trials=trials), Path(folder, "trials.parquet"))
            bundled[TRIALS_FILE.format(suite=suite.name)] = read_named(Path(folder, "trials.parquet"))
    if adapter is not None:
        bundled[ADAPTER_FILE] = read_named(adapter)
    shown = f" + {hook}"[: LONGEST_LABEL // 2] if hook else ""
    submission = Submission(
        FORMAT,
        by,
        Configuration(name, store[: LONGEST_LABEL - len(shown)] + shown, policies=told["policies"], contract="uniform"),
        told["k"],
        1,
        suites,
        f"forgeteval {made_with['forgeteval']}",
        [],
        {"python": made_with["python"], "platform": made_with["platform"]},
        {place: hashlib.sha256(content).hexdigest() for place, content in bundled.items()},
    )
    return _bundle(submission, bundled, out, key)


def _read_results(file: Path) -> Results:
    """Results of a whole suite, with all that a bundle says of them."""
    found = Results.load(file)
    if found.suite.selected is not None:
        name = found.suite.name
        raise UserError(f"{file}: {found.suite.selected} cases of {name} alone; run the whole suite to hand it in")
    if not is_name(found.suite.name):
        remedy = (
            "letters, digits and ._+@- alone, as of a suite of whoever takes it in; name its file so and run it again"
        )
        raise UserError(f"{file}: no bundle can name the suite {found.suite.name!r:.60}: {remedy}")
    _check_told(file, "settings", found.settings, _SETTINGS)
    _check_told(file, "made_with", found.made_with, _MADE_WITH)
    return found


def _run_as(results: Results) -> tuple[Any, ...]:
    """What a bundle says once of all its suites."""
    return results.store, results.settings, results.made_with


def _check_told(file: Path, part: str, told: Mapping[str, Any], kinds: Mapping[str, type]) -> None:
    """Raise UserError where a part of the results lacks a key, or holds something else under it."""
    for name, kind in kinds.items():
        if not isinstance(told.get(name), kind) or isinstance(told[name], bool):
            fault = f"is no {_CALLED[kind]}" if name in told else "is missing"
            raise UserError(f"{file}: {part}: {name} {fault}; run again with `forgeteval run --out {file}`")


def system_name(store: str) -> str:
    """What a store is called in tables and paths: `my_store.MyStore` for `my_store:MyStore`."""
    return re.sub(r"[^A-Za-z0-9_.+@-]+", ".", store).strip("._+@-")[-LONGEST_NAME:].lstrip("._+@-")


def _bundle(submission: Submission, files: dict[str, bytes], out: Path, key: Path | None) -> Submission:
    _check_replaces(out, submission)
    record = submission.to_text().encode()
    files[SUBMISSION_FILE] = record
    if key is not None:
        files[SIGNATURE_FILE] = sign(record, key)
    # What whoever takes it in would refuse is refused here, before it takes the place of an earlier bundle.
    with tempfile.TemporaryDirectory() as folder:
        tried = Path(folder, "bundle")
        write_bundle(tried, files)
        unpacked = Path(folder, "unpacked")
        unpacked.mkdir()
        try:
            found = unpack_bundle(tried, unpacked)
        except UserError as error:
            raise UserError(str(error).replace(f"{tried}", f"{out}")) from error
        with atomic_write(out) as stream:
            stream.write(tried.read_bytes())
    return found


def _check_replaces(out: Path, made: Submission) -> None:
    """Raise UserError for a file that is there, unless it is a bundle of the same configuration by the same person."""
    if not out.is_file() or not out.stat().st_size:
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            there = unpack_bundle(out, Path(folder))
        except UserError as error:
            raise UserError(f"--out {out}: is there, and no bundle; name another file") from error
    if (there.by, there.configuration.name) != (made.by, made.configuration.name):
        whose = f"the bundle of {there.configuration.name} by {there.by}"
        raise UserError(f"--out {out}: is there, and {whose}; name another file")


def _without_credentials_in(lock: Path) -> bytes:
    """A lock, whose indexes may be named with an account."""
    text: str = without_credentials(read_named(lock).decode(errors="surrogateescape"))
    return text.encode(errors="surrogateescape")


def _bytes_of(trials: Path) -> bytes:
    """A file of trials; written again where what a system or a hook said in one names a credential."""
    rows = read_rows(trials, TRIALS)
    told = [{**row, **{part: said_without(row[part]) for part in (*_SAID, "traceback")}} for row in rows]
    if told == rows:
        return read_named(trials)
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "trials.parquet")
        write_rows(written, TRIALS, told, metadata_of(read_arrow(trials, TRIALS))["producer"])
        return read_named(written)


def _suites(results: Path, name: str, setup: Setup) -> dict[str, HandedSuite]:
    listed = {row["file"]: row["sha256"] for row in read_rows(results / MANIFEST_FILE, MANIFEST)}
    trials = {suite: TRIALS.path.format(suite=suite, system=name) for suite in setup.suites if setup.runs(name, suite)}
    # A file that the run listed and that is gone is named below.
    suites = [suite for suite, path in trials.items() if path in listed or (results / path).is_file()]
    if not suites:
        raise UserError(f"{results}: no trials of {name} in this run; run it first (README.md)")
    for suite in suites:
        _check_unchanged(results, listed, trials[suite])
        _check_unchanged(results, listed, CASES.path.format(suite=suite))
    return {
        suite: HandedSuite(
            setup.suites[suite].version, cases_sha256(read_suite(results / CASES.path.format(suite=suite)))
        )
        for suite in suites
    }


def _check_unchanged(results: Path, listed: Mapping[str, str], name: str) -> None:
    """Raise UserError for a file that is not what the run's manifest lists: a later run may have had other settings."""
    if not (results / name).is_file() or listed.get(name) != sha256_of(results / name):
        remedy = "run `snakemake paper_tables` to its end, so that all of it is of one configuration"
        raise UserError(f"{results / name}: is not the one that {MANIFEST_FILE} lists; {remedy}")


def _trials(results: Path, suite: str, name: str) -> Path:
    return results / TRIALS.path.format(suite=suite, system=name)


def _k(config: Mapping[str, Any]) -> int:
    try:
        return int(config["run"]["k"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{VERSIONS_FILE}: its configuration has no run.k") from error
