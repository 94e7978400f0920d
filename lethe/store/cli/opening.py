"""What the commands `lethe` share: their options, and opening the store of a file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from lethe.store import Key, Store, read_key
from lethe.store.connection import made_with
from lethe.store.embedders import Embedder, named
from lethe.store.errors import LetheError


def in_utf8(parameter: typer.CallbackParam, given: Any) -> Any:
    """What was given for a parameter, or several texts; `LetheError` for what is not UTF-8."""
    try:
        for text in [given] if isinstance(given, str) else given or ():
            text.encode()
    except UnicodeEncodeError as error:
        name = parameter.opts[0]
        raise LetheError(
            f"{name if name.startswith('-') else name.upper()}: {error.object!r:.80} is not UTF-8; give it as UTF-8"
        ) from error
    return given


StoreFile = Annotated[Path, typer.Argument(help="the file of the store")]
Owner = Annotated[str | None, typer.Option(help="only what belongs to this owner", callback=in_utf8)]
Session = Annotated[str | None, typer.Option(help="only what was told in this session", callback=in_utf8)]
Source = Annotated[str | None, typer.Option(help="only what came from this source", callback=in_utf8)]
Actor = Annotated[str | None, typer.Option(help="who does it, for the log", callback=in_utf8)]
Reason = Annotated[
    str | None,
    typer.Option(help="why, for the log; erased with the memory, but that of a purge stays", callback=in_utf8),
]
KeyFile = Annotated[Path | None, typer.Option("--key", help="file of the store's key (`lethe key` makes one)")]
FOR_A_NEW_FILE = "for a new file: words, fastembed:MODEL or openai:MODEL; by default one that comes with the store"
Json = Annotated[bool, typer.Option("--json", help="print JSON, one object a line")]


@contextmanager
def opened(
    path: Path,
    *,
    key: Path | None = None,
    embedder: str | None = None,
    owner: str | None = None,
    session: str | None = None,
    source: str | None = None,
    actor: str | None = None,
    reason: str | None = None,
) -> Iterator[Store]:
    """The store of a file, within a scope, for who acts and why; a wrong argument is a `LetheError`.

    Args:
        embedder: makes the file if it is missing; without it, a missing file is an error.
    """
    if str(path) == ":memory:":
        raise LetheError("a store in :memory: ends with the command, and nothing of it is kept; name a file")
    if embedder is None and not path.exists():
        raise LetheError(f"store {path} does not exist yet; lethe inscribe makes it")
    held = None if key is None else read_key(key)
    with _as_lethe_error(path), _of_known_embedder(path, embedder, held) as store:
        yield store.within(owner=owner, session=session, source=source, actor=actor, reason=reason)


def _of_known_embedder(path: Path, embedder: str | None, key: Key | None) -> Store:
    """The store of a file; one of an embedder that the command line has not is told so where a text is embedded."""
    if embedder is not None:
        return Store(path, embedder=embedder, key=key)
    dim, _ = made_with(path)
    try:
        known = known_embedder(path)
    except LetheError as error:
        raising = error

        def refuse(texts: Sequence[str]) -> NoReturn:
            raise raising

        return Store(path, embed=refuse, dim=dim, key=key)
    return Store(path, embedder=known.name, key=key)


def known_embedder(path: Path) -> Embedder:
    """The embedder of the store in a file; `LetheError` if the command line has not got it."""
    dim, name = made_with(path)
    if name is None:
        raise LetheError(
            f"store {path} was made with an embedder without a name, given by the program that made it (an adapter's,"
            " say), which the command line has not; use the library"
        )
    try:
        return named(name, dim)
    except LetheError as error:
        raise LetheError(
            f"store {path} was made with the embedder {name!r}, which the command line has not; use the library"
            f" ({error})"
        ) from error


@contextmanager
def _as_lethe_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, LookupError) as error:
        raise LetheError(f"store {path}: {error.args[0] if error.args else error}") from error
