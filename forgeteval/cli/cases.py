"""`forgeteval check-cases` and `forgeteval fetch`: one's own cases, and those of other authors."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from forgeteval.admission.check import check_cases as checked_cases
from forgeteval.cases.others import fetch as fetch_suite
from forgeteval.cases.others import other_suites
from forgeteval.cli.exits import Exit
from forgeteval.cli.printing import show
from forgeteval.foreign import apart

PUBLISHED = "published"
"""Names all suites that the paper's authors released."""


class Format(StrEnum):
    """Format of the report of `check-cases`: one line per rejection, or a JSON object for each file."""

    text = "text"
    json = "json"


def check_cases(
    file: Annotated[Path, typer.Argument(help="file of cases (.jsonl, .json, .yaml), or folder of such files")],
    format: Annotated[
        Format, typer.Option(help="text for people; json for programs, an object for each file")
    ] = Format.text,
    strict: Annotated[bool, typer.Option("--strict", help="demand what this project demands of its own cases")] = False,
    twins_of: Annotated[Path | None, typer.Option(help="folder of the suite whose twins FILE has")] = None,
) -> None:
    """Check every case of FILE: its form, and whether it tells forgetting from what the controls do.

    Exit code 1 if a case is rejected.
    """
    checked = apart(checked_cases, file, strict=strict, twins_of=twins_of)
    for each in checked:
        if format is Format.json:
            print(json.dumps(each.to_json(), indent=1))
        else:
            for line in each.lines():
                show(line)
    raise typer.Exit(Exit.worse if any(each.rejected for each in checked) else Exit.fine)


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(help="a suite of other authors, `published` for all of the paper's, or nothing for all"),
    ] = None,
    into: Annotated[Path | None, typer.Option(help="folder; by default FORGETEVAL_DATA, or datasets")] = None,
) -> None:
    """Download other authors' cases and check them against their pinned checksums; a failure leaves nothing."""
    if name is None or name == PUBLISHED:
        names = [known for known in other_suites() if known.startswith(name or "")]
    else:
        names = [name]
    for each in names:
        show(fetch_suite(each, into))
