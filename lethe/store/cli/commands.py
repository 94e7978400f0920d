"""The commands of `lethe`: a store in a file, for people and scripts (docs/store.md)."""

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lethe.store import Memory, __version__, importing, read_key, sign
from lethe.store.arguments import check_text, finite
from lethe.store.cli import forgetting, proof
from lethe.store.cli.mcp import mcp
from lethe.store.cli.opening import (
    FOR_A_NEW_FILE,
    Actor,
    Json,
    KeyFile,
    Owner,
    Reason,
    Session,
    Source,
    StoreFile,
    in_utf8,
    opened,
)
from lethe.store.cli.printing import readable, show, show_json, show_memories, told_why
from lethe.store.cli.receipts import read_given
from lethe.store.cli.streams import as_text, read_input, written
from lethe.store.depth import checked
from lethe.store.embedders import DEFAULT
from lethe.store.errors import LetheError
from lethe.store.history import moment
from lethe.store.normalisation import is_blank, line_text
from lethe.store.recall import Mode
from lethe.store.scope import EVERYTHING
from lethe.store.verifier import unique_keys

_STORED = "the memories are stored"
store = typer.Typer(name="lethe", no_args_is_help=True)
for mutation in (forgetting.supersede, forgetting.release, forgetting.purge):
    # They say themselves what is wrong with an id that no option names.
    store.command(context_settings={"allow_extra_args": True})(mutation)
for command in (
    forgetting.scrub,
    forgetting.reembed,
    proof.key,
    proof.seal,
    proof.receipt,
    proof.complete,
    proof.log,
    proof.verify,
    proof.backup,
    mcp,
):
    store.command()(command)


def _tell_version(asked: bool) -> None:
    if asked:
        show("lethe-store", __version__)
        raise typer.Exit


@store.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """A memory store in a file (docs/store.md)."""


@store.command()
def inscribe(
    file: StoreFile,
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="the texts; without any, one a line of standard input", callback=in_utf8),
    ] = None,
    owner: Annotated[str | None, typer.Option(help="whose memories these are", callback=in_utf8)] = None,
    session: Annotated[str | None, typer.Option(help="in which session they are told", callback=in_utf8)] = None,
    source: Annotated[str | None, typer.Option(help="where they come from", callback=in_utf8)] = None,
    ttl: Annotated[float | None, typer.Option(help="seconds after which they have expired")] = None,
    derived_from: Annotated[
        list[int] | None, typer.Option(help="a memory that they were made of; may be given several times")
    ] = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
    embedder: Annotated[
        str | None,
        typer.Option(help=FOR_A_NEW_FILE),
    ] = None,
    skip_forgotten: Annotated[bool, typer.Option(help="leave out what is to stay forgotten, and say so")] = False,
    relearn: Annotated[bool, typer.Option(help="take again what was to stay forgotten")] = False,
    once: Annotated[
        bool, typer.Option("--once", help="leave out what a live memory says already, and print that")
    ] = False,
    min_similarity: Annotated[
        float | None, typer.Option(min=0, max=1, help="with --once: also what is so similar to a memory")
    ] = None,
    writer: Annotated[
        Path | None, typer.Option("--sign", help="file of the writer's key, which signs the texts and is their source")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add memories to FILE, which is made if it is missing."""
    given = list(texts) if texts else _told()
    if relearn and writer is not None:
        raise LetheError("--relearn takes no --sign: inscribe the text signed, and relearn nothing")
    if once and (relearn or derived_from or writer is not None):
        raise LetheError("--once takes no --relearn, --derived-from or --sign")
    if min_similarity is not None and not once:
        raise LetheError("--min-similarity goes with --once")
    signer = None if writer is None else read_key(writer)
    new = None if file.exists() else DEFAULT
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, embedder=embedder or new, actor=actor, reason=reason, **scope) as within:
        if relearn:
            with within.transaction():
                ids = [within.relearn(text, ttl=ttl, derived_from=derived_from or ()) for text in given]
        else:
            flags = within.forgotten(given) if skip_forgotten else [False] * len(given)
            if any(flags):
                print(f"left out: {sum(flags)} of {len(given)} texts were erased to stay forgotten", file=sys.stderr)
            given = [text for text, flag in zip(given, flags, strict=True) if not flag]
            if once:
                with within.transaction():
                    ids = [
                        within.inscribe_once(text, ttl=ttl, min_similarity=min_similarity).memory_id for text in given
                    ]
                with written(_STORED):
                    show_memories([within.memory(memory_id) for memory_id in ids], as_json)
                return
            signed = [] if signer is None else [sign(signer, text, owner=owner, session=session) for text in given]
            ids = within.inscribe_many(given, ttl=ttl, derived_from=derived_from or (), signatures=signed)
        with written(_STORED):
            show_memories([within.memory(memory_id) for memory_id in ids], as_json)


def _told() -> list[str]:
    return [text for line in read_input().split("\n") if not is_blank(text := line_text(line))]


@store.command()
def recall(
    file: StoreFile,
    query: Annotated[str, typer.Argument(help="what to look for", callback=in_utf8)],
    k: Annotated[int, typer.Option("-k", min=1, help="number of memories")] = 10,
    mode: Annotated[str, typer.Option(help="hybrid, vector or lexical")] = "hybrid",
    offset: Annotated[int, typer.Option(min=0, help="how many of the best to pass over, for a next page")] = 0,
    signed_by: Annotated[
        list[str] | None,
        typer.Option(help="a public key: only what its holder has signed; may be given several times"),
    ] = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Print the best memories of FILE for QUERY, best first."""
    modes: dict[str, Mode] = {"hybrid": "hybrid", "vector": "vector", "lexical": "lexical"}
    if mode not in modes:
        raise LetheError(f"--mode: {mode!r} is none; give {', '.join(modes)}")
    with opened(file, key=key, owner=owner, session=session, source=source) as within:
        for found in within.recall(query, k, mode=modes[mode], signed_by=signed_by or None, offset=offset):
            if as_json:
                show_json(asdict(found))
            else:
                show(found.memory_id, f"{found.score:.4f}", readable(found.text))


@store.command("import")
def import_(
    file: StoreFile,
    rows: Annotated[
        Path | None,
        typer.Argument(help="the file of JSON Lines, or what --from names; without one, standard input"),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option("--from", help="ROWS is the file or folder of another store: mem0, chroma, langgraph, mcp"),
    ] = None,
    collection: Annotated[
        str | None, typer.Option(help="with --from: the collection to take, where that store has several")
    ] = None,
    owner: Annotated[str | None, typer.Option(help="whose memories these are", callback=in_utf8)] = None,
    session: Annotated[
        str | None, typer.Option(help="in which session they were told; not with --from", callback=in_utf8)
    ] = None,
    source: Annotated[str | None, typer.Option(help="where they come from; not with --from", callback=in_utf8)] = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
    embedder: Annotated[str | None, typer.Option(help=FOR_A_NEW_FILE)] = None,
) -> None:
    """Add to FILE what `lethe export` printed, or (--from) what Mem0, Chroma, LangGraph or MCP's memory.jsonl hold.

    FILE is made if it is missing. All is added, or nothing.
    Each line needs a text, and may have an owner, a session, a source, an end (expires_at) and a depth. Ids are new.
    With --from, add what another store holds, under its keys: the same again adds nothing.
    """
    new = None if file.exists() else DEFAULT
    if kind is not None:
        if rows is None or session is not None or source is not None:
            raise LetheError("--from needs the file or folder of that store, and no --session or --source")
        foreign = importing.read(kind, rows, collection=collection)
        with opened(file, key=key, embedder=embedder or new, owner=owner, actor=actor, reason=reason) as within:
            imported = importing.take(within, foreign)
        with written(_STORED):
            show(f"{imported}")
        return
    if collection is not None:
        raise LetheError("--collection goes with --from; leave it out")
    if rows is not None and rows.is_dir():
        raise LetheError(f"{rows}: a folder; name the store that it is of: --from {' or '.join(importing.KINDS)}")
    given = read_input() if rows is None else as_text(read_given(rows), str(rows))
    lines = enumerate(map(line_text, given.split("\n")), start=1)
    memories = [_memory(number, line) for number, line in lines if line.strip()]
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, embedder=embedder or new, actor=actor, reason=reason, **scope) as within:
        loaded = within.load(memories)
    with written(_STORED):
        show(f"{len(loaded)} memories")


def _memory(number: int, line: str) -> Memory:
    try:
        row = json.loads(line, object_pairs_hook=unique_keys)
        if not isinstance(row, dict):
            raise TypeError("it is no object")
        depth = row.pop("depth", 1.0)
        row.pop("memory_id", None)
        if strange := [name for name in row if name not in Memory.__slots__]:
            raise TypeError(f"no memory has the key {strange[0]!r}")
        memory = Memory(0, row.pop("text"), math.inf if depth == "pinned" else checked(finite("a depth", depth)), **row)
        check_text(memory.text)
        EVERYTHING.narrowed(memory.owner, memory.session, memory.source)
        if memory.expires_at is not None:
            finite("an end", memory.expires_at)
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        raise LetheError(
            f"line {number}: no memory as lethe export prints one ({error!s:.80}); mend that line, or name the store "
            f"that it is of: --from {' or '.join(importing.KINDS)}"
        ) from error
    return memory


@store.command()
def move_end(
    file: StoreFile,
    memory_id: Annotated[int, typer.Argument(help="the memory")],
    ttl: Annotated[float | None, typer.Option(help="seconds from now after which it has expired")] = None,
    never: Annotated[bool, typer.Option("--never", help="it does not expire")] = False,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
) -> None:
    """Have a memory expire earlier or later than it would, or never."""
    if never == (ttl is not None):
        raise LetheError("give one of --ttl, --never")
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, actor=actor, reason=reason, **scope) as within:
        within.move_end(memory_id, ttl)


@store.command()
def blame(
    file: StoreFile,
    memory_id: Annotated[int, typer.Argument(help="the memory")],
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Print what led to a memory by supersession, oldest first."""
    with opened(file, key=key, owner=owner, session=session, source=source) as within:
        for entry in within.blame(memory_id):
            if as_json:
                show_json(asdict(entry))
            else:
                text = "(erased)" if entry.text is None else entry.text
                show(entry.memory_id, moment(entry.inscribed_at), text, *told_why(entry.actor, entry.reason))


@store.command()
def export(
    file: StoreFile,
    submerged: Annotated[bool, typer.Option(help="those out of recall too")] = True,
    after: Annotated[int, typer.Option(min=0, help="only those behind the memory of this id")] = 0,
    limit: Annotated[int | None, typer.Option(min=0, help="only the first of them, so many")] = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    key: KeyFile = None,
) -> None:
    """Print every memory of FILE as JSON Lines, with its depth, its scope and its end."""
    with opened(file, key=key, owner=owner, session=session, source=source) as within:
        show_memories(within.memories(include_submerged=submerged, after=after, limit=limit), as_json=True)
