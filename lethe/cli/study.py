"""What the study adds to the command `forgeteval` (entry point `study` of the group `forgeteval.commands`)."""

import typer

from lethe.cli.annotate import annotate
from lethe.cli.answers import answers
from lethe.cli.atlas import atlas
from lethe.cli.audit import audit
from lethe.cli.cases import intake, list_near_duplicates
from lethe.cli.doctor import doctor
from lethe.cli.draft import draft
from lethe.cli.estimate import estimate
from lethe.cli.fetch import fetch
from lethe.cli.findings import findings
from lethe.cli.handing_in import admit, submit
from lethe.cli.pages import docs
from lethe.cli.why import why


def add_commands(app: typer.Typer) -> None:
    """Add the study's commands."""
    for command in (intake, draft, estimate, docs, fetch, audit, doctor, why, findings, submit, admit):
        app.command()(command)
    app.command("near-duplicates")(list_near_duplicates)
    app.add_typer(annotate)
    app.add_typer(answers)
    app.add_typer(atlas)
