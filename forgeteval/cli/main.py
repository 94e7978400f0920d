"""The command line, `forgeteval`: run a store on a suite, show, compare, check cases.

What other installed packages add stands in the group `forgeteval.commands` of entry points: each a function that adds
its commands to the app.
"""

import sys
from importlib.metadata import entry_points
from typing import Annotated

import typer

from forgeteval import __version__
from forgeteval.cli.cases import check_cases, fetch
from forgeteval.cli.compare import compare
from forgeteval.cli.exits import Exit
from forgeteval.cli.init import init
from forgeteval.cli.listing import list_all
from forgeteval.cli.run import run
from forgeteval.cli.show import show
from forgeteval.errors import one_line_errors

COMMANDS = "forgeteval.commands"
"""Group of entry points: functions that add commands to the app."""


def build_app() -> typer.Typer:
    """The command with what this package has; see `COMMANDS` for what others add."""
    app = typer.Typer(
        name="forgeteval",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_callback)
    for command in (run, show, compare, check_cases, init, fetch):
        app.command()(command)
    app.command("list")(list_all)
    return app


def _version(asked: bool) -> None:
    if asked:
        print(f"forgeteval {__version__}")
        raise typer.Exit


def _callback(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="show the version")
    ] = False,
) -> None:
    """Can a memory store be told to forget?"""


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error."""
    app = build_app()
    for point in entry_points(group=COMMANDS):
        point.load()(app)
    try:
        with one_line_errors(exit_code=Exit.usage):
            app()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
