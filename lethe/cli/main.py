"""The command line of the store, `lethe`: `lethe.cli.store` says what it does."""

from forgeteval.errors import one_line_errors, one_line_interrupt, show_anything
from lethe.cli.store import store
from lethe.store.errors import LetheError


def main() -> None:
    """Run the command line; a mistake of the user's, or Ctrl-C, is one line on standard error; exit code 1, or 130."""
    show_anything()
    with one_line_interrupt(), one_line_errors(LetheError):
        store()


if __name__ == "__main__":
    main()
