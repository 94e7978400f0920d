"""The commands of `lethe` by which a purge is proved: the key, the log, and checking a receipt."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from lethe.store import Extension, Head, PurgeReceipt, Store, make_key, read_key, verifier
from lethe.store.cli.opening import Json, KeyFile, Owner, Session, Source, StoreFile, opened
from lethe.store.cli.printing import printable, show, show_json, told_why
from lethe.store.cli.receipts import ReceiptFile, check_new, read_given, tell
from lethe.store.cli.streams import say, written
from lethe.store.errors import LetheError
from lethe.store.history import moment
from lethe.store.receipts import statement
from lethe.store.store import SINCE_HEAD

T = TypeVar("T")


def key(file: Annotated[Path, typer.Argument(help="the key's file, kept apart from the store")]) -> None:
    """Make a key in FILE, if there is none yet, and print the public part, by which others check receipts."""
    held = read_key(file) if file.exists() else make_key(file)
    with written("the key stands in its file"):
        show(held.public.hex())


def receipt(
    file: StoreFile,
    id: Annotated[
        int | None, typer.Option("--id", help="a memory that was purged; by default, the latest purge")
    ] = None,
    receipt: ReceiptFile = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Give the receipt of a purge of FILE again, where it was lost: --json prints it, --receipt writes it to a file.

    It names the texts by their keyed hashes only as long as there was no later purge.
    """
    check_new(receipt, file)
    with opened(file, key=key) as store:
        found = store.receipt_of(id)
    tell(found, receipt, as_json)


def complete(
    file: StoreFile,
    incomplete: Annotated[Path, typer.Argument(help="the receipt of a purge that was not complete")],
    receipt: ReceiptFile = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Finish an erasure of FILE that another process kept from being complete, and give its receipt anew."""
    check_new(receipt, file)
    given = _read(incomplete, PurgeReceipt.from_json, "receipt of a purge")
    with opened(file, key=key) as store:
        done = store.complete(given)
    tell(done, receipt, as_json)


def log(
    file: StoreFile,
    id: Annotated[int | None, typer.Option("--id", help="only the events of this memory")] = None,
    extends: Annotated[
        Path | None, typer.Option(help="print the proof that the log was only added to since this receipt or head")
    ] = None,
    head: Annotated[bool, typer.Option("--head", help="print the log's size and root, to be kept elsewhere")] = False,
    after: Annotated[int, typer.Option(min=0, help="only the events behind the one of this number")] = 0,
    limit: Annotated[int | None, typer.Option(min=0, help="only the first of them, so many")] = None,
    whole: Annotated[
        bool, typer.Option("--check", help="only check that the file is as its log has it, all of it")
    ] = False,
    since: Annotated[
        Path | None, typer.Option(help="with --check: the last head; the store must be as it vouches for")
    ] = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Print the events of FILE in order."""
    if since is not None and not whole:
        raise LetheError(f"--since {since}: goes with --check, which compares the store with that head")
    wholes = {"--check": whole, "--head": head, "--extends": extends is not None}
    parts = {"--id": id is not None, "--after": after > 0, "--limit": limit is not None}
    parts |= {"--owner": owner is not None, "--session": session is not None, "--source": source is not None}
    asked = [option for option, given in (wholes | parts).items() if given]
    if any(wholes.values()) and len(asked) > 1:
        raise LetheError(f"{asked[0]} takes no {', '.join(asked[1:])}; ask for each in a command of its own")
    with opened(file, key=key, owner=owner, session=session, source=source) as within:
        if extends is not None:
            _say_signed(within.extension(_read(extends, statement, "receipt and no head")))
            return
        if head:
            _say_signed(within.head())
            return
        if whole:
            _check(within, file, None if since is None else _read(since, Head.from_json, "head of a log"))
            return
        for event in within.log(id, since=after, limit=limit):
            if as_json:
                show_json(asdict(event))
            else:
                successor = () if event.successor_id is None else (event.successor_id,)
                why = told_why(event.actor, event.reason, event.cause)
                show(event.seq, moment(event.at), event.operation, event.memory_id, *successor, *why)


def _read(path: Path, parse: Callable[[bytes], T], what: str) -> T:
    """What a file holds that was written by this command; `LetheError` where it holds something else."""
    try:
        return parse(read_given(path))
    except (ValueError, TypeError) as error:
        raise LetheError(f"{path}: no {what}; name the file that one was written to") from error


def _say_signed(made: Extension | Head) -> None:
    with written():
        say(made.to_json())
    if not made.signature:
        print("not signed, so that others cannot check it: give --key", file=sys.stderr)


def _check(within: Store, file: Path, head: Head | None) -> None:
    problems = within.audit(head)
    for problem in problems:
        print(printable(problem), file=sys.stderr)
    if problems:
        remedy = "restore it from a backup"
        if all(problem.startswith(SINCE_HEAD) for problem in problems):
            remedy = "if you know of them all, take a new head (--head)"
        raise LetheError(f"store {file}: {len(problems)} findings, see above; {remedy}")
    show(f"{within.last_seq()} events, unchanged")


def backup(
    file: StoreFile,
    copy: Annotated[Path, typer.Argument(help="the new file; a later purge of FILE does not reach it")],
    key: KeyFile = None,
) -> None:
    """Copy FILE, as it is now, to a new file, with its log."""
    with opened(file, key=key) as store:
        store.backup(copy)


def seal(
    file: StoreFile,
    key: Annotated[Path, typer.Option(help="file of the key (`lethe key` makes one)")],
) -> None:
    """Take FILE as it is for true, under a key that every change needs from now on."""
    with opened(file) as store:
        store.seal(read_key(key))
        with written("the store is sealed"):
            show(f"sealed: {store.last_seq()} events")


def verify(
    receipt: Annotated[Path, typer.Argument(help="the receipt of a purge, or a head (`lethe log --head`)")],
    public_key: Annotated[str, typer.Option(help="the public key, or a file that holds it")],
    file: Annotated[Path | None, typer.Option("--store", help="the store's file, whose log must still hold it")] = None,
    extension: Annotated[
        Path | None, typer.Option(help="a later proof (`lethe log --extends`) that must follow from it")
    ] = None,
) -> None:
    """Check a receipt or a head: its signature, its place in the log, and what else is given.

    A receipt that is not complete (`lethe complete`) or names no memory proves no erasure, and ends with code 1.
    """
    try:
        named = verifier.public_key_in(public_key)
    except ValueError as error:
        raise LetheError(f"--public-key: {error}") from error
    if file is not None and not file.is_file():
        raise LetheError(f"store {file} does not exist; name the file that the receipt is of")
    try:
        later = None if extension is None else read_given(extension)
        found = verifier.verify(read_given(receipt), named, file, later)
    except verifier.RefusedExtension as error:
        raise LetheError(f"{extension}: refused: {error}") from error
    except verifier.ProvesNoErasure as error:
        raise LetheError(f"{receipt}: {error}") from error
    except verifier.Refused as error:
        raise LetheError(f"{receipt}: refused: {error}") from error
    show(f"{receipt}: holds: {verifier.told(found)}")
