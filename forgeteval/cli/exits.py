"""How `forgeteval` ends."""

from enum import IntEnum

from forgeteval.errors import INTERRUPTED


class Exit(IntEnum):
    """Exit codes of `forgeteval run` and `forgeteval compare`, and of others where they fit.

    Attributes:
        worse: the store did worse than `--min` or `--baseline` asks.
        usage: a mistake in what was asked for, which one line says.
        broke: the store broke, or its hook or the hook's model failed, in at least one case or for good; or the store
            could not be built.
        nothing_ran: no case came to a verdict of pass or fail, or no decision was the hook's own.
        interrupted: Ctrl-C was pressed.
    """

    fine = 0
    worse = 1
    usage = 2
    broke = 3
    nothing_ran = 4
    interrupted = INTERRUPTED
