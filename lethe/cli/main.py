"""The command line of the store, `lethe`: `lethe.cli.store` says what it does."""

from forgeteval.errors import one_line_errors, show_anything
from lethe.cli.store import store
from lethe.store.errors import LetheError


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    show_anything()
    with one_line_errors(LetheError):
        store()


if __name__ == "__main__":
    main()
