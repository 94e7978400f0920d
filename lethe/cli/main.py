"""The command line, `lethe`, for people who write, draft or annotate cases, check results or edit the schemas."""

import typer

from forgeteval.errors import one_line_errors
from lethe.cli.annotate import annotate
from lethe.cli.answers import answers
from lethe.cli.audit import audit
from lethe.cli.cases import check_cases, intake, list_near_duplicates
from lethe.cli.doctor import doctor
from lethe.cli.draft import draft
from lethe.cli.findings import findings
from lethe.cli.handing_in import admit, submit
from lethe.cli.pages import docs
from lethe.cli.store import store
from lethe.cli.why import why
from lethe.store.errors import LetheError

app = typer.Typer(name="lethe", no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
for command in (check_cases, intake, draft, docs, audit, doctor, why, findings, submit, admit):
    app.command()(command)
app.command("near-duplicates")(list_near_duplicates)
app.add_typer(annotate)
app.add_typer(answers)
app.add_typer(store)


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    with one_line_errors(LetheError):
        app()


if __name__ == "__main__":
    main()
