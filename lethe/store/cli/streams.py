"""Standard input and output of `lethe`: what is read is UTF-8, and a stream that is closed or full is one line."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from lethe.store.errors import LetheError

INPUT, _OUTPUT = "standard input", "standard output"


def open_closed() -> None:
    """Have a stream that was closed before this process began fail where it is used, as a full disk does.

    Without that, Python prints nothing and says nothing, and a file opened later takes its place. What would be said on
    a closed standard error goes nowhere.
    """
    # Each is opened for what it is not used for.
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_WRONLY), "r", encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def read_input() -> str:
    """All of standard input, with "\\n" at the end of each line; `LetheError` unless it is UTF-8."""
    try:
        content = sys.stdin.buffer.read()
    except OSError as error:
        raise LetheError(f"reading {INPUT}: {_reason(error)}; name a file, or send it through a pipe") from error
    return as_text(content, INPUT)


def check_open() -> None:
    """`LetheError` if standard input or standard output is closed; nothing is read or written."""
    for name, stream, use in (
        (INPUT, sys.stdin, lambda descriptor: os.read(descriptor, 0)),
        (_OUTPUT, sys.stdout, lambda descriptor: os.write(descriptor, b"")),
    ):
        try:
            use(stream.fileno())
        except OSError as error:
            raise LetheError(f"{name}: {_reason(error)}; have a client start the server, or give --http") from error


def as_text(content: bytes, where: str) -> str:
    """Bytes from outside as text, with "\\n" at the end of each line; `LetheError` names a line that is not UTF-8."""
    content = content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise LetheError(f"{where}, line {line}: not UTF-8; save it as UTF-8") from error


class _NotWrittenError(LetheError):
    """What was printed could not be written."""

    def __init__(self, error: OSError, remedy: str = "; free space there, or print to another place") -> None:
        super().__init__(f"writing {_OUTPUT}: {_reason(error)}{remedy}")
        self.error = error


def say(line: str) -> None:
    """Print one line as it is; `LetheError` if it cannot be written."""
    try:
        print(line)
    except BrokenPipeError:
        raise
    except OSError as error:
        _write_no_more()
        raise _NotWrittenError(error) from error


@contextmanager
def written(done: str | None = None) -> Iterator[None]:
    """What is said within has been written at the end, or a `LetheError` says so, and what is `done` all the same.

    Where nobody reads it any longer, the command ends without a word.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        _write_no_more()
        raise SystemExit(1) from error
    except OSError as error:
        _write_no_more()
        raise _NotWrittenError(error, *_but(done)) from error
    except _NotWrittenError as raised:
        raise _NotWrittenError(raised.error, *_but(done)) from raised


def _but(done: str | None) -> list[str]:
    return [] if done is None else [f", but {done}"]


def _reason(error: OSError) -> str:
    if error.errno == errno.EBADF:
        return "it is closed"
    return error.strerror or str(error)


def _write_no_more() -> None:
    """What is left in the buffer goes nowhere, so that the end of Python does not try once more to write it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    sys.stdout.flush()
