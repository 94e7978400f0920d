"""The command `forgeteval` with what the study adds, as an app and as a call."""

from pathlib import Path

from forgeteval.cli.exits import Exit
from forgeteval.cli.main import build_app
from forgeteval.errors import one_line_errors
from lethe.cli.study import add_commands

app = build_app()
add_commands(app)


def main() -> None:
    """Run the command line as the installed command does."""
    with one_line_errors(exit_code=Exit.usage):
        app()


def mark_clone(folder: Path) -> Path:
    """Make a folder what a command takes for the top of a clone; returns it."""
    (folder / "config").mkdir(exist_ok=True)
    for name in ("Snakefile", "config/systems.yaml"):
        (folder / name).touch()
    return folder
