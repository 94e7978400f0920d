"""Modules of one's own that a system of one's own imports: editing one runs the system's configurations again.

`lethe.fingerprints` follows imports within the packages and within the package that a system's module is in. What else
stands in the project's folder, from which such a module is imported, and what is imported by its place
(`from .core import Store`), is found here.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from pathlib import Path

from forgeteval.errors import UserError
from lethe import fingerprints
from lethe.module_imports import parsed

_MOST = 2000
"""Modules of one system."""
_OF_INSTALLED = ("site-packages", "dist-packages")


def own_modules(module: str) -> tuple[str, ...]:
    """Dotted names of the project's modules beside the packages that importing one of them runs, sorted.

    Raises:
        UserError: where there are too many of them.
    """
    return _own_modules(module, fingerprints.PROJECT)


@functools.cache
def _own_modules(module: str, project: Path) -> tuple[str, ...]:
    own, _, _ = module.partition(".")
    found, waiting = dict[str, Path](), [module]
    while waiting:
        for name, file in _files(waiting.pop(), project):
            first, _, _ = name.partition(".")
            # Where the packages are installed, what stands beside them is installed too.
            if name in found or first in fingerprints.PACKAGES or (project.name in _OF_INSTALLED and first != own):
                continue
            found[name] = file
            waiting += _named(file, name if file.name == "__init__.py" else name.rpartition(".")[0])
        if len(found) > _MOST:
            raise UserError(f"{module}: imports more than {_MOST:,} modules in {project}; install them as a package")
    return tuple(sorted(found))


def _files(name: str, project: Path) -> Iterator[tuple[str, Path]]:
    """The modules, with their files, that importing a dotted name runs; it may name something within the last."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        path = project.joinpath(*parts[:length])
        file = next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)
        if file is not None:
            yield ".".join(parts[:length]), file


def _named(file: Path, package: str) -> list[str]:
    """What a module in `package` imports, and what it declares that it runs or finds."""
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
