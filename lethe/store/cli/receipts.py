"""How the commands of `lethe` hand over a receipt, to a file or as it is printed, and read one."""

import contextlib
import os
import stat
from pathlib import Path
from typing import Annotated

import typer

from lethe.store import PurgeReceipt
from lethe.store.cli.printing import show
from lethe.store.cli.streams import say, written
from lethe.store.errors import LetheError, describe_os_error

ReceiptFile = Annotated[Path | None, typer.Option("--receipt", help="file to write the receipt to; it must not exist")]

_MOST_BYTES = 64 << 20


def check_new(path: Path | None, store: Path) -> None:
    """`LetheError` for a receipt's file that exists, whose folder does not, or that SQLite writes next to the store."""
    if path is None:
        return
    if os.path.realpath(path) in {os.path.realpath(store) + end for end in ("-wal", "-shm", "-journal")}:
        raise LetheError(f"{path}: SQLite's own file of the store; name another file for the receipt")
    if os.path.lexists(path):
        raise LetheError(f"{path}: exists; name another file for the receipt")
    if not path.parent.is_dir():
        raise LetheError(f"{path}: its folder does not exist; make it, or name another file for the receipt")


def tell(receipt: PurgeReceipt, path: Path | None, as_json: bool) -> None:
    """Write a receipt and say what it is about; `LetheError` at the end if it is not complete."""
    if path is not None:
        try:
            with path.open("x", encoding="utf-8") as stream:
                stream.write(receipt.to_json() + "\n")
        except OSError as error:
            if not isinstance(error, FileExistsError):
                with contextlib.suppress(OSError):
                    path.unlink()
            with written(
                f"the texts are erased; {path} could not be written either; lethe receipt gives the receipt again"
            ):
                say(receipt.to_json())
            told = error.strerror or str(error)
            raise LetheError(
                f"writing {path}: {told}; the texts are erased; the receipt stands above, and lethe receipt gives it"
            ) from error
    kept = "lethe receipt gives the receipt again" if path is None else f"the receipt stands in {path}"
    with written(f"the texts are erased, and {kept}"):
        if as_json:
            say(receipt.to_json())
        else:
            along = f", {len(receipt.went_with)} of them with the line of others" if receipt.went_with else ""
            show(f"{len(receipt.events)} memories and {receipt.versions_erased} texts erased{along}")
    if not receipt.complete:
        raise LetheError("the erased texts may still be in the write-ahead log; run lethe complete with the receipt")


def read_given(path: Path, most: int = _MOST_BYTES) -> bytes:
    """The content of a file from outside; `LetheError` if it is no regular file, or larger than a receipt can be."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LetheError(f"{path}: a pipe or device, not a file; name a file")
        if status.st_size > most:
            raise LetheError(f"{path}: larger than {most >> 20} MiB, which no receipt is; name another file")
        return path.read_bytes()
    except OSError as error:
        raise describe_os_error(error, f"reading {path}") from error
