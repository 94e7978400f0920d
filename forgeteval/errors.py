"""The exception that users are meant to read, and its printing by entry points."""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERRUPTED = 130
"""Exit code of what Ctrl-C ended, as a shell gives it."""
_LONGEST = 4000
"""Letters of a message."""
_BLANK_LETTERS = "\u115f\u1160\u3164\uffa0"
"""Fillers of Hangul, which are letters without a mark."""


def extra(name: str) -> str:
    """How an extra of this package is brought, for a message."""
    return f'`pip install "forgeteval[{name}]"`, or ".[{name}]" in a clone, brings it'


class UserError(Exception):
    """A mistake or a shortage that the user can remedy; its text is one line that names the place and the remedy."""


class ModelFailed(UserError):
    """The chat model of a hook refused, was not there or said nothing, so that the run could not go on."""


def check_name(what: str, given: object) -> None:
    """Raise UserError for a name that is no text, or that no file of results can hold."""
    if not isinstance(given, str):
        raise UserError(f"{what}: {given!r:.80} is no text")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise UserError(f"{what}: {given!a:.80} is not UTF-8, and no file of results can hold it; rename it") from None


RAISED_BY_OTHERS = (Exception, SystemExit)
"""What the code of stores, embedders and planners raises: `sys.exit` in it ends no run."""


class Terminated(BaseException):
    """This program was told to end, by a signal of this number; no error of a store, an embedder or a planner."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


ENDS_A_RUN = (KeyboardInterrupt, Terminated)
"""What is raised to end a run; whatever else others raise does not. A panic of a library in Rust is no Exception."""


def describe_os_error(error: OSError, doing: str) -> UserError:
    """Turn a failed file operation into one line; `doing` names it, for example "writing results/x.parquet"."""
    if _lacks_its_folder(error):
        return UserError(f"{doing}: the current folder is gone; change to one that is there, then run again")
    reason = error.strerror or str(error) or type(error).__name__
    if error.errno == errno.EFBIG:
        return UserError(f"{doing}: {reason}; no larger file is read or written here")
    return UserError(f"{doing}: {reason}; free space or fix the permissions of that path, then run again")


def _lacks_its_folder(error: OSError) -> bool:
    """Whether an error is that of a path, or of none, which begins in a current folder that somebody removed."""
    if not isinstance(error, FileNotFoundError) or Path(str(error.filename or "")).is_absolute():
        return False
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


@contextmanager
def one_line_errors(*kinds: type[Exception], exit_code: int = 1) -> Iterator[None]:
    """Print a `UserError`, one of the `kinds` or a failed file operation as one line and exit, without a traceback."""
    caught: tuple[type[Exception], ...] = (UserError, *kinds)
    try:
        yield
    except caught as error:
        message = str(error)
    except OSError as error:
        message = str(describe_os_error(error, str(error.filename or "writing to the output or a file")))
    else:
        return
    print(f"error: {one_line(message)}", file=sys.stderr, flush=True)
    raise SystemExit(exit_code)


@contextmanager
def one_line_interrupt() -> Iterator[None]:
    """Print that Ctrl-C was pressed as one line and exit with 130; typer may have made an exit of it by then."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as ended:
        if isinstance(ended, SystemExit) and ended.code != INTERRUPTED:
            raise
    else:
        return
    print("interrupted", file=sys.stderr, flush=True)
    raise SystemExit(INTERRUPTED)


def show_anything() -> None:
    """Have standard output and standard error write characters that their terminal lacks as escapes.

    Where one of them, or standard input, was closed before this process began, it is opened to nothing, so that no file
    that is opened later takes its place.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            while (opened := os.open(os.devnull, os.O_RDWR)) < descriptor:
                continue
            if opened != descriptor:
                os.dup2(opened, descriptor)
                os.close(opened)
            setattr(sys, name, os.fdopen(descriptor, "r" if descriptor == 0 else "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def printable(text: str) -> str:
    """The text with every character that would act on a terminal instead of being seen written as its escape."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def one_line(text: str) -> str:
    """The text as one printable line; of a longer one than anybody reads, the beginning and the end."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    return printable(" ".join(text.split()))


def shows_something(text: str) -> bool:
    """Whether a name can be seen: one printable line with a letter or digit that leaves a mark.

    >>> shows_something("Mem0 (raw)"), shows_something("\u3164"), shows_something(" ")
    (True, False, False)
    """
    return text.isprintable() and any(each.isalnum() and each not in _BLANK_LETTERS for each in text)
