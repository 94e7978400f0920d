"""`forgeteval fetch` in a clone: whatever the configuration names of other authors' data."""

import os
from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cases.fetch import fetch_suite
from forgeteval.cases.others import FOLDER_VARIABLE
from forgeteval.cli.cases import PUBLISHED
from forgeteval.cli.cases import fetch as fetch_without_clone
from forgeteval.cli.printing import show
from forgeteval.errors import UserError
from lethe.cli.standing import is_clone
from lethe.config.reading import read_config
from lethe.crosseval.fetch import fetch_dataset
from lethe.crosseval.released import RELEASED
from lethe.crosseval.selection import BENCHMARKS, data_path


def fetch(
    name: Annotated[
        str | None,
        typer.Argument(help="a suite or benchmark, `published` for all of the paper's suites, or nothing for all"),
    ] = None,
    into: Annotated[Path | None, typer.Option(help="folder; by default FORGETEVAL_DATA, or the configured one")] = None,
) -> None:
    """Download other authors' data and check them against their pinned checksums; a failure leaves nothing.

    In a clone these are the suites and benchmarks of its configuration; elsewhere the suites.
    """
    if not is_clone(Path()):
        fetch_without_clone(name, into)
        return
    named = os.environ.get(FOLDER_VARIABLE)
    config = read_config(Path(), datasets=into or (Path(named) if named else None))
    suites = {suite: options.options() for suite, options in config.suites.items() if options.url}
    known = [*suites, *BENCHMARKS]
    if name is None:
        chosen = known
    else:
        chosen = [each for each in suites if each.startswith(PUBLISHED)] if name == PUBLISHED else [name]
    for each in chosen:
        if each in suites:
            show(fetch_suite(each, suites[each]))
        elif each in BENCHMARKS:
            show(fetch_dataset(each, RELEASED[each], data_path(config, each)))
        else:
            raise UserError(f"{each}: cannot be fetched; known: {', '.join(dict.fromkeys((PUBLISHED, *known)))}")
