"""The command line of the store, `lethe`: `lethe.store.cli.commands` says what it does."""

import sys

from lethe.store.cli.commands import store
from lethe.store.cli.printing import one_line_errors

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; a mistake of the user's, or Ctrl-C, is one line on standard error; exit code 1, or 130."""
    try:
        with one_line_errors():
            store()
    except (KeyboardInterrupt, SystemExit) as ended:
        # typer makes an exit of the first.
        if isinstance(ended, SystemExit) and ended.code != _INTERRUPTED:
            raise
        print("interrupted", file=sys.stderr, flush=True)
        raise SystemExit(_INTERRUPTED) from None


if __name__ == "__main__":
    main()
