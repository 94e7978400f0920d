"""The command line, `forgeteval`: run a store on a suite, show, compare, check cases.

What other installed packages add stands in the group `forgeteval.commands` of entry points: each a function that adds
its commands to the app.
"""

import signal
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from forgeteval import __version__
from forgeteval.cli.cases import check_cases, fetch
from forgeteval.cli.compare import compare
from forgeteval.cli.exits import Exit
from forgeteval.cli.init import init
from forgeteval.cli.listing import list_all
from forgeteval.cli.run import run
from forgeteval.cli.show import show
from forgeteval.errors import Terminated, UserError, one_line, one_line_errors, one_line_interrupt, show_anything

COMMANDS = "forgeteval.commands"
"""Group of entry points: functions that add commands to the app."""
OF_THE_STUDY = frozenset(
    {
        "admit",
        "annotate",
        "answers",
        "atlas",
        "audit",
        "docs",
        "doctor",
        "draft",
        "estimate",
        "findings",
        "intake",
        "near-duplicates",
        "submit",
        "why",
    }
)
"""Commands that only the study of this repository adds; pages name them to people who may not have it."""


class _Commands(TyperGroup):
    """The commands; one of the study's that is not here says where it is."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] in OF_THE_STUDY - self.commands.keys():
            raise UserError(
                f"{args[0]} comes with the study: in a clone of its repository, make env, then .venv/bin/forgeteval "
                f"{args[0]}"
            )
        return super().resolve_command(ctx, args)


def build_app() -> typer.Typer:
    """The command with what this package has; see `COMMANDS` for what others add."""
    app = typer.Typer(
        name="forgeteval",
        cls=_Commands,
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
    """Run the command line; a mistake of the user's, or Ctrl-C, is one line on standard error."""
    show_anything()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        with one_line_interrupt(), one_line_errors(exit_code=Exit.usage):
            app = build_app()
            for point in entry_points(group=COMMANDS):
                _add_commands(app, point)
            app()
    except Terminated as ended:
        raise SystemExit(128 + ended.number) from None


def _add_commands(app: typer.Typer, point: EntryPoint) -> None:
    """Let another package add its commands; that it cannot leaves those that are here."""
    try:
        point.load()(app)
    except Exception as error:  # noqa: BLE001 - whatever another package raises
        reason = one_line(f"{type(error).__name__}: {error}")
        print(f"warning: {point.value} adds no commands: {reason}", file=sys.stderr)


def _end(number: int, frame: object) -> NoReturn:
    """End as an exception does, so that a store's process is ended too."""
    raise Terminated(number)


if __name__ == "__main__":
    main()
