"""What Python modules import and declare, read from their source without importing them, and kept for the next start.

Every start of the workflow, and every job of a cluster, asks some 400 modules.
"""

import ast
import atexit
import contextlib
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from forgeteval.errors import UserError
from forgeteval.files import write_text

KEPT = Path(__file__).parent / "__pycache__" / "module_imports.json"
"""Modules by the SHA-256 of their source and of this one's."""
_MOST = 4000
"""Modules that are kept; from there on, those that were not asked for are dropped."""


@dataclass(frozen=True, slots=True)
class Module:
    """A module's imports, as dotted names that may also name something within a module, and its declarations, which
    `lethe.fingerprints` explains."""

    imports: tuple[str, ...]
    data_files: tuple[str, ...]
    runs: tuple[str, ...]
    chosen: tuple[str, ...]
    found: tuple[str, ...] = ()


@functools.cache
def parsed(source: bytes) -> Module:
    """What a module says of itself; SyntaxError, or whatever else Python's parser raises, if it is none."""
    kept, asked = _kept()
    key = hashlib.sha256(_own_source() + source).hexdigest()
    asked[key] = found = kept.get(key) or _parse(source)
    return found


@functools.cache
def _own_source() -> bytes:
    return Path(__file__).read_bytes()


@functools.cache
def _kept() -> tuple[dict[str, Module], dict[str, Module]]:
    """The modules of the file, and those that this process asked for; new ones are added to the file as it ends."""
    kept = dict[str, Module]()
    # Without the file, modules are parsed again.
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        read = json.loads(KEPT.read_bytes())
        kept = {key: Module(**{name: tuple(value) for name, value in fields.items()}) for key, fields in read.items()}
    asked = dict[str, Module]()
    atexit.register(_keep, kept, asked)
    return kept, asked


def _keep(kept: dict[str, Module], asked: dict[str, Module]) -> None:
    if asked.keys() <= kept.keys():
        return
    every = asked if len(kept | asked) > _MOST else kept | asked
    with contextlib.suppress(UserError):
        write_text(KEPT, json.dumps({key: asdict(module) for key, module in every.items()}))


def _parse(source: bytes) -> Module:
    tree = ast.parse(source)
    declared = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }

    def literal(name: str) -> tuple[str, ...]:
        if name not in declared:
            return ()
        try:
            return tuple(ast.literal_eval(declared[name]))
        except (ValueError, TypeError) as error:
            place = (None, declared[name].lineno, None, None)
            raise SyntaxError(f"{name} is no literal tuple of texts", place) from error

    imports = dict.fromkeys(_imports(tree.body))
    declarations = ("DATA_FILES", "RUNS_MODULES", "CHOSEN_MODULES", "FOUND_MODULES")
    return Module(tuple(imports), *map(literal, declarations))


def _imports(statements: Iterable[ast.AST]) -> Iterator[str]:
    """Names imported by statements and those within them; what only a type checker imports is left out."""
    for statement in statements:
        match statement:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module), names=names):
                yield from (f"{module}.{alias.name}" for alias in names)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
                yield from _imports(orelse)
            case _:
                for part in ("body", "handlers", "orelse", "finalbody", "cases"):
                    yield from _imports(getattr(statement, part, ()))
