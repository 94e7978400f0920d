"""Fingerprints: which code and which inputs made a file, so that content decides what runs again.

The code of a job is the import closure of its script within the two packages, the instrument and the study. What a
module's imports do not show, it declares in literals that are read here without importing it:

    DATA_FILES = ("schema.sql",)               files and folders beside the module that it reads
    RUNS_MODULES = ("lethe.jobs.worker",)       modules that it runs in processes of their own
    CHOSEN_MODULES = ("lethe.gateway",)        modules or packages that its functions import for some configurations
                                               only; the rule names those that its job's configuration chooses
    FOUND_MODULES = ("lethe.tables.beyond",)  packages of which it imports every module that is there
"""

import functools
import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from forgeteval.files import write_text
from lethe.module_imports import Module, parsed

PACKAGE = Path(__file__).parent
PROJECT = PACKAGE.parent
PACKAGES = ("forgeteval", PACKAGE.name)
SHIPPED = PACKAGE / "project" if (PACKAGE / "project").is_dir() else PROJECT
"""What holds config/ and suites/: the project's folder, or, in a wheel, their copies in the package."""
_OF_PACKAGING = ("pyproject", "README", "LICENSE")
"""Names, without their endings, of files that a clone alone has, or a wheel."""


@functools.cache
def script_fingerprint(script: str, *modules: str) -> str:
    """SHA-256 (16 hexadecimal digits) of the code that a job runs.

    Args:
        script: a file of workflow_scripts; empty for `modules` alone.
        modules: dotted names of what the job's configuration chooses, e.g. the module of its backend.
    """
    return _digest(code_files(script, *modules))


def package_fingerprint() -> str:
    """SHA-256 (16 hexadecimal digits) of every file of the packages; the same in a clone and in their wheels."""
    files = (file for name in PACKAGES for file in _files_below(PROJECT / name))
    copies = PACKAGE / "project"
    return _digest(file for file in files if file.stem not in _OF_PACKAGING and not file.is_relative_to(copies))


def code_files(script: str, *modules: str) -> set[Path]:
    """The script, the modules that it and `modules` import, and the data files of all of these.

    A module outside the packages, such as a backend of one's own, counts where it stands in the project's folder.

    Raises:
        UserError: naming the file and the line of what is not Python.
    """
    packages = frozenset({*PACKAGES, *(name.partition(".")[0] for name in modules)})
    scripts = {PROJECT / "workflow_scripts" / script} if script else set()
    waiting = {*scripts, *_module_files(modules, packages)}
    code, data = set[Path](), set[Path]()
    while waiting:
        file = waiting.pop()
        code.add(file)
        module = _parsed(file)
        data.update(found for name in module.data_files for found in _files_below(file.parent / name))
        imports = module.imports
        if module.chosen:
            imports = tuple(name for name in imports if not _within(name, module.chosen) or _within(name, modules))
        found = (part for name in module.found for part in found_modules(name))
        waiting |= _module_files((*imports, *module.runs, *found), packages) - code
    return code | data


def value_fingerprint(value: Any) -> str:
    """SHA-256 (16 hexadecimal digits) of a JSON-like value, independent of key order."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:16]


def file_fingerprint(path: Path) -> str:
    """SHA-256 (16 hexadecimal digits) of a file's content."""
    return sha256_of(path)[:16]


def files_fingerprint(paths: Iterable[Path]) -> str:
    """SHA-256 (16 hexadecimal digits) of the contents of files, whatever their times say."""
    return value_fingerprint([file_fingerprint(path) for path in paths])


def contents_of(given: Sequence[str], wildcards: Mapping[str, str]) -> str:
    """The fingerprint of those of some files, by patterns, that may be read."""
    files = (name.format(**dict(wildcards.items())) for name in given)
    return files_fingerprint(Path(file) for file in files if os.access(file, os.R_OK) and Path(file).is_file())


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's content, 64 hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@functools.cache
def _read(file: Path) -> bytes:
    return file.read_bytes()


def _parsed(file: Path) -> Module:
    try:
        return parsed(_read(file))
    except SyntaxError as error:
        line = "" if error.lineno is None else f", line {error.lineno}"
        raise UserError(f"{file}{line}: not Python ({error.msg}); correct it, then run again") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{file}: not Python ({error}); correct it, then run again") from error


def _within(name: str, modules: Iterable[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


@functools.cache
def _module_files(names: tuple[str, ...], packages: frozenset[str]) -> frozenset[Path]:
    """The files that importing dotted names runs: modules and the packages they are in; other names have none."""
    inside = (name for name in names if name.partition(".")[0] in packages)
    return frozenset(file for name in inside for file in _files_of(name))


@functools.cache
def _files_of(name: str) -> list[Path]:
    """Those of one dotted name."""
    parts = name.split(".")
    paths = [PROJECT.joinpath(*parts[:length]) for length in range(1, len(parts) + 1)]
    return [file for path in paths for file in (path / "__init__.py", path.with_suffix(".py")) if _is_file(file)]


@functools.cache
def found_modules(package: str) -> list[str]:
    """Dotted names of the modules of a package of the project, sorted; whoever imports them declares it."""
    files = PROJECT.joinpath(*package.split(".")).glob("*.py")
    return sorted(f"{package}.{path.stem}" for path in files if path.stem != "__init__")


@functools.cache
def _is_file(path: Path) -> bool:
    return path.is_file()


def _files_below(path: Path) -> list[Path]:
    """The file, or every file below a folder apart from compiled ones."""
    if not path.is_dir():
        return [path]
    return [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]


def keep_listings(folder: Path | None) -> None:
    """From now on, write what each fingerprint of code is made of to `folder`/FINGERPRINT.txt; nothing for None.

    A line is a file and the SHA-256 of its content, so that two listings say which files two fingerprints differ in.
    """
    global _listings
    _listings = folder
    script_fingerprint.cache_clear()


_listings: Path | None = None


def _digest(files: Iterable[Path]) -> str:
    listing = "".join(sorted(map(_line, files)))
    digest = hashlib.sha256(listing.encode()).hexdigest()[:16]
    if _listings is not None and not (path := _listings / f"{digest}.txt").exists():
        write_text(path, listing)
    return digest


@functools.cache
def _line(file: Path) -> str:
    return f"{file.relative_to(PROJECT).as_posix()} {hashlib.sha256(_read(file)).hexdigest()}\n"
