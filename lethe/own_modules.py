"""What a system of one's own is made of: an edit of its modules, or of what they import, runs its configurations again.

`lethe.fingerprints` follows imports within the packages and within the package that a system's module is in. What else
stands in the project's folder, from which such a module is imported, and what is imported by its place
(`from .core import Store`), is found here, and so are installed packages, and files that options name.
"""

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from forgeteval.errors import UserError
from lethe import fingerprints
from lethe.module_imports import parsed

_MOST = 2000
"""Modules of one system."""
_OF_INSTALLED = ("site-packages", "dist-packages")
_OF_PROJECT = ("forgeteval", "lethe-store", "lethe-study")
"""What is installed of this project, whose modules count by themselves."""


def own_modules(module: str) -> tuple[str, ...]:
    """Dotted names of the project's modules beside the packages that importing one of them runs, sorted.

    Raises:
        UserError: where there are too many of them.
    """
    return tuple(sorted(_own_modules(module, fingerprints.PROJECT)))


@functools.cache
def _own_modules(module: str, project: Path) -> Mapping[str, Path]:
    own, _, _ = module.partition(".")
    found, waiting = dict[str, Path](), [module]
    while waiting:
        for name, file in _files(waiting.pop(), project):
            first = _first(name)
            # Where the packages are installed, what stands beside them is installed too.
            if name in found or first in fingerprints.PACKAGES or (project.name in _OF_INSTALLED and first != own):
                continue
            found[name] = file
            waiting += _named(name, file)
        if len(found) > _MOST:
            raise UserError(f"{module}: imports more than {_MOST:,} modules in {project}; install them as a package")
    return found


def files_of_options(options: Any) -> list[Path]:
    """The text files of the project's folder that the options of a system name.

    A database is no text, and what stands elsewhere may be the system's own to write: a run of it would never be done.
    """
    if isinstance(options, Mapping | list):
        inner = options.values() if isinstance(options, Mapping) else options
        return [file for value in inner for file in files_of_options(value)]
    try:
        file = fingerprints.PROJECT / str(options)
        inside = isinstance(options, str) and file.resolve().is_relative_to(fingerprints.PROJECT.resolve())
        return [file] if inside and file.is_file() and _is_text(file) else []
    except (OSError, ValueError, RuntimeError):
        # Too long for a name, with a NUL, a link to itself, or not for this reader.
        return []


def _is_text(file: Path) -> bool:
    """By the rule of Git: no NUL among its first bytes."""
    with file.open("rb") as stream:
        return b"\0" not in stream.read(8000)


@functools.cache
def installed_fingerprint(module: str) -> str:
    """SHA-256 (16 hexadecimal digits) of the installed packages that a system of one's own imports, and of those that
    they require; empty where it imports none."""
    own = _own_modules(module, fingerprints.PROJECT)
    named = [module, *(imported for name, file in own.items() for imported in _named(name, file))]
    known = {*fingerprints.PACKAGES, *sys.stdlib_module_names, *map(_first, own)}
    packages = sorted({*map(_first, named)} - known)
    if not packages:
        return ""
    sources = [fingerprints.files_fingerprint(_sources(package)) for package in packages]
    return fingerprints.value_fingerprint([sources, _distributions(packages)])


def _first(name: str) -> str:
    return name.partition(".")[0]


def _sources(package: str) -> list[Path]:
    """The modules of a package that is installed as a link to where it is worked on."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return []
    places = [*((spec.submodule_search_locations or [spec.origin or ""]) if spec else [])]
    linked = [Path(place) for place in places if not {*Path(place).parts} & {*_OF_INSTALLED}]
    return sorted(file for place in linked for file in (place, *place.rglob("*.py")) if file.is_file())


def _distributions(packages: Iterable[str]) -> list[Any]:
    """The distributions of packages and what these require, with the checksums of their files."""
    by_package = metadata.packages_distributions()
    found, waiting = dict[str, Any](), [name for package in packages for name in by_package.get(package, ())]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found or name in _OF_PROJECT:
            continue
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        files = {str(file): file.hash.value for file in distribution.files or () if file.hash and _is_content(file)}
        found[name] = [distribution.version, files]
        waiting += [re.split(r"[^\w.-]", required, maxsplit=1)[0] for required in distribution.requires or ()]
    return sorted(found.items())


def _is_content(file: metadata.PackagePath) -> bool:
    """Whether a file is of a package itself, the same wherever that is installed."""
    return not (file.parts[0] == ".." or file.parts[0].endswith((".dist-info", ".pth")) or "__editable__" in file.name)


def _files(name: str, project: Path) -> Iterator[tuple[str, Path]]:
    """The modules, with their files, that importing a dotted name runs; it may name something within the last."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        path = project.joinpath(*parts[:length])
        file = next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)
        if file is not None:
            yield ".".join(parts[:length]), file


def _named(module: str, file: Path) -> list[str]:
    """What a module imports, and what it declares that it runs or finds."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    source = file.read_bytes()
    try:
        declared, statements = parsed(source), ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # Whoever takes its fingerprint is told the file and the line.
        return []
    # What it chooses is named by the job's configuration.
    imports = [name for name in _imports(statements, package) if not _within(name, declared.chosen)]
    found = [part for name in declared.found for part in fingerprints.found_modules(name)]
    return [*imports, *declared.runs, *found]


def _within(name: str, modules: Iterable[str]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def _imports(statements: Iterable[ast.AST], package: str) -> Iterator[str]:
    """As of `lethe.module_imports`, with what is imported by its place."""
    for statement in statements:
        match statement:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                above = package.split(".") if package else []
                # Nothing stands above a package at the top; Python refuses to import from there.
                if level <= len(above):
                    place = above[: len(above) - level + 1] if level else []
                    origin = [*place, *([module] if module else [])]
                    yield from (".".join([*origin, alias.name]) for alias in names)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
                yield from _imports(orelse, package)
            case _:
                for part in ("body", "handlers", "orelse", "finalbody", "cases"):
                    yield from _imports(getattr(statement, part, ()), package)
