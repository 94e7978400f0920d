"""`forgeteval compare`: whether one store is better than another."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.exits import Exit
from forgeteval.cli.printing import show
from forgeteval.foreign import apart
from forgeteval.run.compare import compare as compare_results
from forgeteval.run.results import Results

_LONGEST = 120
"""Letters of a store's name."""


def compare(
    first: Annotated[Path, typer.Argument(help="results of one store")],
    second: Annotated[Path, typer.Argument(help="results of another, or of an earlier version")],
    cases: Annotated[bool, typer.Option("--cases", help="name the cases that one of them alone passes")] = False,
) -> None:
    """Say whether the first store is better, case by case on the same cases; exit code 1 if it is worse."""
    found = compare_results(*(apart(Results.load, file) for file in (first, second)))
    found = replace(found, first=_short(found.first), second=_short(found.second))
    if found.first == found.second:
        found = replace(found, first=f"{found.first} ({first})", second=f"{found.second} ({second})")
    show(found)
    if cases:
        show(f"{found.first} alone: {', '.join(found.first_only) or 'none'}")
        show(f"{found.second} alone: {', '.join(found.second_only) or 'none'}")
    raise typer.Exit(Exit.worse if found.is_better is False else Exit.fine)


def _short(name: str) -> str:
    """A name that stands in a sentence four times; of a long one, such as a path, the beginning and the end."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST // 2]}…{name[-_LONGEST // 2 :]}"
