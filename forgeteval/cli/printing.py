"""Printing for people: a line is a line, and what it holds of other people's texts does nothing to the terminal."""

import os
import sys

from forgeteval.errors import printable


def show(line: object) -> None:
    """Print one line on standard output."""
    _print(line, 1)


def complain(line: object) -> None:
    """Print one line on standard error."""
    _print(line, 2)


def _print(line: object, descriptor: int) -> None:
    """Print one line; where its reader has gone, as `head` goes, the command goes on and ends with its own code."""
    stream = sys.stdout if descriptor == 1 else sys.stderr
    try:
        print(printable(str(line)), file=stream, flush=True)
    except BrokenPipeError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, descriptor)
        os.close(nothing)
