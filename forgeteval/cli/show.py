"""`forgeteval show`: results that were written before."""

from pathlib import Path
from typing import Annotated

import typer

from forgeteval.cli.printing import show as show_line
from forgeteval.errors import UserError
from forgeteval.foreign import apart
from forgeteval.run.results import Results
from forgeteval.run.shown import case_lines, first_error, table_lines


def show(
    results: Annotated[Path, typer.Argument(help="what `forgeteval run --out` wrote")],
    case: Annotated[str | None, typer.Argument(help="one case: what was told, asked, recalled")] = None,
    failures: Annotated[bool, typer.Option("--failures", help="every failed case, in full")] = False,
) -> None:
    """Show results: the table and the ids of failed cases, or one case in full."""
    if case is not None and failures:
        raise UserError(f"--failures: shows every failed case; leave it out, or {case}")
    found = apart(Results.load, results)
    if case is not None:
        lines = [*case_lines(*found.trial(case))]
    elif failures:
        lines = [line for pair in (*found.failures(), *found.errors()) for line in (*case_lines(*pair), "")]
    else:
        failed = [trial.case_id for _, trial in found.failures()]
        lines = [*table_lines(found), *first_error(found), f"failed: {', '.join(failed) or 'none'}"]
    for line in lines:
        show_line(line)
