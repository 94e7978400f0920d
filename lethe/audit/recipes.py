"""How each table and figure was made: the script of the workflow, its inputs and its parameters, kept beside them.

A recipe is what a script was given by Snakemake. It lets the audit make a table anew from the results alone, without
the configuration that the workflow ran with.
"""

import json
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lethe.files import write_text
from lethe.fingerprints import PACKAGE

OUTPUT_FOLDERS = ("paper_tables", "figures")
RECIPES = Path("results/recipes")
PROJECT = PACKAGE.parent
_OF_PROJECT = "project:"


class Fields:
    """What Snakemake hands a script as input, output, params or wildcards: by name, and files by position."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._fields[name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, position: int | slice) -> Any:
        return list(self)[position]

    def __iter__(self) -> Iterator[Any]:
        for value in self._fields.values():
            yield from value if isinstance(value, list) else [value]

    def get(self, name: str, default: Any = None) -> Any:
        """The value of that name, or `default`."""
        return self._fields.get(name, default)


def record_recipe(snakemake: Any) -> None:
    """Keep how the running script made its outputs, where they are tables or figures."""
    first = Path(str(snakemake.output[0]))
    root = output_root(first)
    if root is None:
        return
    script = str(sys.modules["__main__"].__file__)
    recipe = {
        "script": Path(script).name,
        "input": _inside_root(snakemake.input, root),
        "output": _inside_root(snakemake.output, root),
        "params": dict(snakemake.params.items()),
        "wildcards": dict(snakemake.wildcards.items()),
    }
    write_text(root / RECIPES / f"{first.stem}.json", json.dumps(recipe, indent=1, default=str) + "\n")


def read_recipes(root: Path) -> dict[str, dict[str, Any]]:
    """The recipes of a results folder's tables and figures, by name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((root / RECIPES).glob("*.json"))}


def follow_recipe(recipe: Mapping[str, Any], root: Path, folder: Path) -> list[str]:
    """Make a recipe's outputs anew from the results below `root` and write them below `folder`.

    Returns:
        The outputs' paths, relative to both.

    Raises:
        LetheError, OSError, KeyError …: whatever the script raises on results that do not fit it.
    """
    outputs = {name: _paths(value, lambda path: str(folder / path)) for name, value in recipe["output"].items()}
    log = folder / "log"
    given = SimpleNamespace(
        input=Fields(
            {name: _paths(value, lambda path: _outside(path, root)) for name, value in recipe["input"].items()}
        ),
        output=Fields(outputs),
        params=Fields(recipe["params"]),
        wildcards=Fields(recipe["wildcards"]),
        log=[str(log)],
    )
    runpy.run_path(str(PROJECT / "workflow_scripts" / recipe["script"]), {"snakemake": given})
    return [path for value in recipe["output"].values() for path in (value if isinstance(value, list) else [value])]


def output_root(path: Path) -> Path | None:
    """The folder that holds `results`, `paper_tables` and `figures`, of a path in one of the last two; else None."""
    for position, part in enumerate(path.parts):
        if part in OUTPUT_FOLDERS:
            return Path(*path.parts[:position])
    return None


def _inside_root(files: Any, root: Path) -> dict[str, Any]:
    """Snakemake's files by name, or all of them as `files` where some have none."""
    named = dict(files.items())
    flat = [path for value in named.values() for path in ([value] if isinstance(value, str | Path) else value)]
    fields = named if len(flat) == len(files) else {"files": list(files)}
    return {name: _paths(value, lambda path: _inside(path, root)) for name, value in fields.items()}


def _paths(value: Any, change: Callable[[str], str]) -> Any:
    return change(str(value)) if isinstance(value, str | Path) else [change(str(path)) for path in value]


def _inside(path: str, root: Path) -> str:
    """A path as the recipe holds it: relative to the outputs' root or to the project, or as it is."""
    absolute, outputs = Path(path).absolute(), root.absolute()
    if any(absolute.is_relative_to(outputs / folder) for folder in ("results", *OUTPUT_FOLDERS)):
        return absolute.relative_to(outputs).as_posix()
    return _OF_PROJECT + absolute.relative_to(PROJECT).as_posix() if absolute.is_relative_to(PROJECT) else path


def _outside(path: str, root: Path) -> str:
    """The reverse of `_inside`."""
    if path.startswith(_OF_PROJECT):
        return str(PROJECT / path.removeprefix(_OF_PROJECT))
    return str(root / path)
