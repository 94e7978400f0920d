"""How the commands of `lethe store` hand over a receipt: to a file, or as it is printed."""

from pathlib import Path
from typing import Annotated

import typer

from lethe.cli.show import show
from lethe.store import PurgeReceipt
from lethe.store.errors import LetheError, describe_os_error

ReceiptFile = Annotated[Path | None, typer.Option("--receipt", help="file to write the receipt to; it must not exist")]


def check_new(path: Path | None) -> None:
    """`LetheError` for a receipt's file that exists."""
    if path is not None and path.exists():
        raise LetheError(f"{path}: exists; name another file for the receipt")


def tell(receipt: PurgeReceipt, path: Path | None, as_json: bool) -> None:
    """Write a receipt and say what it is about; `LetheError` at the end if it is not complete."""
    if path is not None:
        try:
            with path.open("x", encoding="utf-8") as stream:
                stream.write(receipt.to_json() + "\n")
        except OSError as error:
            print(receipt.to_json())
            raise describe_os_error(error, f"writing {path} (the receipt stands above)") from error
    if as_json:
        print(receipt.to_json())
    else:
        along = f", {len(receipt.went_with)} of them with the line of others" if receipt.went_with else ""
        show(f"{len(receipt.events)} memories and {receipt.versions_erased} texts erased{along}")
    if not receipt.complete:
        raise LetheError("the erased texts may still be in the write-ahead log; run lethe complete with the receipt")
