"""The command line, `lethe`, for people who write, draft or annotate cases, check results or edit the schemas."""

from pathlib import Path
from typing import Annotated

import typer

from lethe.cli.annotate import annotate
from lethe.cli.answers import answers
from lethe.cli.cases import check_cases, intake, list_near_duplicates
from lethe.cli.draft import draft
from lethe.cli.pages import docs
from lethe.cli.show import show
from lethe.errors import one_line_errors

app = typer.Typer(name="lethe", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
for command in (check_cases, intake, draft, docs):
    app.command()(command)
app.command("near-duplicates")(list_near_duplicates)
app.add_typer(annotate)
app.add_typer(answers)


@app.command()
def audit(
    folder: Annotated[
        Path, typer.Argument(help="folder that contains results/, and paper_tables/ and figures/ if given")
    ] = Path(),
) -> None:
    """Check results against their manifest and tables against the results; print the versions of what ran."""
    from lethe.audit.check import audit as check
    from lethe.audit.manifest import versions_text

    found = check(folder)
    for line in versions_text(found.versions).split("\n"):
        show(line)
    for finding in found.findings:
        show(finding)
    show(f"{found.files} files and {found.tables} tables checked, {len(found.findings)} findings")
    if found.findings:
        raise typer.Exit(1)


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    with one_line_errors():
        app()


if __name__ == "__main__":
    main()
