"""The command line of the store, `lethe`: `lethe.store.cli.commands` says what it does."""

from lethe.store.cli.commands import store
from lethe.store.cli.printing import one_line_errors


def main() -> None:
    """Run the command line; a mistake of the user's is one line on standard error and exit code 1."""
    with one_line_errors():
        store()


if __name__ == "__main__":
    main()
