"""The commands of `lethe` that forget; each tells beforehand, with --dry-run, what it would forget."""

from typing import Annotated

import typer

from lethe.store import Memory, Store
from lethe.store.cli.opening import (
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
from lethe.store.cli.printing import show_memories
from lethe.store.cli.receipts import ReceiptFile, check_new, tell
from lethe.store.cli.streams import written
from lethe.store.errors import LetheError
from lethe.store.surrender import SurrenderMode
from lethe.store.thresholds import MEASURED, Floor

_Ids = Annotated[list[int] | None, typer.Option("--id", help="a memory; may be given several times")]
_Query = Annotated[str | None, typer.Option(help="the memories that this query means", callback=in_utf8)]
_Closest = Annotated[
    bool, typer.Option("--closest", help="take the memory closest to the query (a purge: by its words), however far")
]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="only say which memories it would be")]


def supersede(
    context: typer.Context,
    file: StoreFile,
    text: Annotated[str, typer.Argument(help="what holds now", callback=in_utf8)],
    id: Annotated[int | None, typer.Option("--id", help="the memory that it replaces")] = None,
    query: Annotated[
        str | None, typer.Option(help="replace the memory closest to this query", callback=in_utf8)
    ] = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
    closest: _Closest = False,
    dry_run: _DryRun = False,
    as_json: Json = False,
) -> None:
    """Replace a memory: it leaves recall, and TEXT is its successor."""
    _name_by_option(context, "lethe supersede FILE --id ID TEXT")
    _exactly_one({"--id": id is not None, "--query": query is not None})
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, actor=actor, reason=reason, **scope) as within:
        if dry_run:
            show_memories(_meant(within, "supersede", [] if id is None else [id], query, closest, text), as_json)
            return
        if query is not None:
            successor = within.supersede_matching(query, text, floor=_floor(closest))
        elif id is not None:
            successor = within.supersede(id, text)
        with written("the memory is replaced"):
            show_memories([within.memory(successor)], as_json)


def release(
    context: typer.Context,
    file: StoreFile,
    id: _Ids = None,
    query: _Query = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
    closest: _Closest = False,
    dry_run: _DryRun = False,
    as_json: Json = False,
) -> None:
    """Let memories out of recall; they stay in the file."""
    _name_by_option(context, "lethe release FILE --id ID")
    _exactly_one({"--id": bool(id), "--query": query is not None})
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, actor=actor, reason=reason, **scope) as within:
        if dry_run:
            show_memories(_meant(within, "release", id, query, closest), as_json)
            return
        ids = list(id or [])
        for memory in [within.memory(each) for each in ids]:
            within.release(memory.memory_id)
        if query is not None:
            ids = within.release_matching(query, floor=_floor(closest))
        with written("the memories are released"):
            show_memories([within.memory(each) for each in ids], as_json)


def purge(
    context: typer.Context,
    file: StoreFile,
    id: _Ids = None,
    query: _Query = None,
    everything: Annotated[bool, typer.Option("--all", help="all of the owner, session or source")] = False,
    expired: Annotated[bool, typer.Option("--expired", help="all that have expired")] = False,
    with_line: Annotated[
        bool, typer.Option("--with-line", help="also what these superseded, and what was derived from either")
    ] = False,
    stay_forgotten: Annotated[bool, typer.Option(help="refuse these texts if told again; needs --key")] = False,
    receipt: ReceiptFile = None,
    owner: Owner = None,
    session: Session = None,
    source: Source = None,
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
    closest: _Closest = False,
    dry_run: _DryRun = False,
    as_json: Json = False,
) -> None:
    """Erase memories from FILE, for good, and give a receipt.

    A request that a fact be erased needs --with-line: without it, what it replaced and what was derived stay.
    To correct a text that is wrong, leave it out.
    """
    _name_by_option(context, "lethe purge FILE --id ID")
    _exactly_one({"--id": bool(id), "--query": query is not None, "--all": everything, "--expired": expired})
    if everything and owner is session is source is None:
        raise LetheError("--all needs a scope: give --owner, --session or --source")
    if with_line and everything:
        raise LetheError("--with-line goes with --id, --query or --expired")
    check_new(receipt, file)
    scope = {"owner": owner, "session": session, "source": source}
    with opened(file, key=key, actor=actor, reason=reason, **scope) as within:
        if dry_run:
            if everything or expired:
                doomed = within.doomed(expired_only=expired, with_line=with_line)
            elif query is not None:
                doomed = within.selected(query, "purge", with_line=with_line, floor=_floor(closest))
            else:
                doomed = within.line(id or []) if with_line else [within.memory(each) for each in id or []]
            show_memories(doomed, as_json)
            return
        if query is not None:
            done = within.purge_matching(
                query, stay_forgotten=stay_forgotten, with_line=with_line, floor=_floor(closest)
            )
        elif everything:
            done = within.purge_scope(stay_forgotten=stay_forgotten)
        elif expired:
            done = within.purge_expired(stay_forgotten=stay_forgotten, with_line=with_line)
        else:
            done = within.purge_many(id or [], stay_forgotten=stay_forgotten, with_line=with_line)
    if not done.events and not expired:
        why = "what was named is erased already, or there is nothing" if query is None else "no memory has a word of it"
        raise LetheError(f"store {file}: nothing was erased: {why}")
    tell(done, receipt, as_json)


def scrub(file: StoreFile) -> None:
    """Rewrite FILE from what is left in it."""
    with opened(file) as store:
        if not store.scrub():
            raise LetheError(f"store {file}: another process reads it, or the disk is full; run scrub again")


def reembed(
    file: StoreFile,
    embedder: Annotated[str, typer.Option(help="the new one: lethe-static-1, words, fastembed:MODEL, openai:MODEL")],
    actor: Actor = None,
    reason: Reason = None,
    key: KeyFile = None,
) -> None:
    """Give FILE another embedder, in steps; where it was interrupted, the same command goes on.

    Programs that have the file open keep the old vectors until it is done, and must open it again then.
    """
    with opened(file, key=key, actor=actor, reason=reason) as store:
        complete = store.reembed(embedder)
    if not complete:
        raise LetheError(f"store {file}: re-embedded, but another process reads the older state; run lethe scrub")


def _name_by_option(context: typer.Context, form: str) -> None:
    """`LetheError` for what stands where no option names it, such as the id of a memory."""
    if context.args:
        raise LetheError(f"{' '.join(context.args)!r:.80}: a memory is named by --id, or by --query: {form}")


def _exactly_one(given: dict[str, bool]) -> None:
    if sum(given.values()) != 1:
        raise LetheError(f"give one of {', '.join(given)}, to say which memories are meant")


def _meant(
    within: Store, mode: SurrenderMode, ids: list[int] | None, query: str | None, closest: bool, text: str | None = None
) -> list[Memory]:
    if query is None:
        return [within.memory(each) for each in ids or []]
    return within.selected(query, mode, text=text, floor=_floor(closest))


def _floor(closest: bool) -> Floor:
    return None if closest else MEASURED
