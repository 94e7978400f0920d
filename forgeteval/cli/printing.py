"""Printing for people: a line is a line, and what it holds of other people's texts does nothing to the terminal."""

from forgeteval.errors import printable


def show(line: object) -> None:
    """Print one line on standard output."""
    print(printable(str(line)), flush=True)
