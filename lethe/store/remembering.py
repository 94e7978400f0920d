"""The half of the store that forgets nothing: open, inscribe, recall, list, look back."""

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self, SupportsIndex, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from lethe.store import aging, history, memories, selection, signing, tombstones, versions
from lethe.store.arguments import check_kind, check_text, finite, integer, number_of_rows, several, string, strings
from lethe.store.arguments import memory_id as as_id
from lethe.store.arguments import memory_ids as as_ids
from lethe.store.causes import Cause
from lethe.store.connection import DAMAGED, is_made, is_sealed, made_with
from lethe.store.database import Database
from lethe.store.depth import PINNED, SUBMERGED, SURFACE, checked
from lethe.store.embedders import DEFAULT, Embed, Embedder, called, named, of_function
from lethe.store.errors import LetheError
from lethe.store.history import BlameEntry, Event, Operation
from lethe.store.memories import Inscribed, Memory
from lethe.store.recall import (
    MATCHES,
    MAXIMUM_K,
    MODES,
    WIDTH,
    Match,
    Mode,
    RaisedByCaller,
    Recalled,
    Rerank,
    accepted,
    reranked,
)
from lethe.store.scan import Index
from lethe.store.scope import EVER, EVERYTHING, Change, Kept, Scope, Sight, Span, View, scopes
from lethe.store.signing import Signature
from lethe.store.thresholds import MEASURED, Floor
from lethe.store.timetravel import Past
from lethe.store.words import KNOWN, Words

if TYPE_CHECKING:
    from lethe.store.keys import Key

_Choice = TypeVar("_Choice", bound=str)
_OFF_UNIT = 0.01
"""By how much a vector's length may differ from 1: more than numbers of 16 bits are wrong by."""
_SAME_MODEL = 0.98
"""The cosine of two vectors of one text from which on they are of one model, which may round differently."""


class Remembering:
    """The half of `Store` that adds and reads; `Store` says what holds for all methods."""

    def __init__(
        self,
        path: str | Path = ":memory:",
        *,
        embed: Embed | None = None,
        dim: int | None = None,
        clock: Callable[[], float] = time.time,
        key: "Key | str | Path | None" = None,
        embedder: str | Embed | None = None,
        words: Words | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
        index: Index | None = None,
    ) -> None:
        chosen = _chosen(path, embed, dim, embedder, query_prefix, document_prefix)
        self._embedder = chosen
        self._dim = chosen.dim
        self._clock = clock
        self._key = held(key, path)
        self._scope = EVERYTHING
        self._cause = Cause()
        self._database = Database(
            path,
            dim=chosen.dim,
            embedder=chosen.name,
            key=self._key,
            words=_checked("words", words, KNOWN),
            index=_checked("index", index, get_args(Index)),
        )
        self._past = Past(self._database, dim=chosen.dim)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; closing twice is harmless."""
        self._past.forget()
        self._database.close()

    def within(
        self,
        *,
        owner: str | None = None,
        session: str | None = None,
        source: str | None = None,
        actor: str | None = None,
        reason: str | None = None,
    ) -> Self:
        """The same store, seen within a scope: what is done there concerns the memories of that scope alone.

        Memories inscribed there are of this scope; ids of other memories are unknown there. Scopes keep callers from
        mistakes, not from each other: they share the file, the log's numbers and BM25's word counts.

        `actor` and `reason` limit nothing: they say who does what is done there, and why; `log` and `blame` show it.
        A purge erases them from every event about its memories. Those of the purge itself stay in the file: let them
        name the request, and not what is erased; `ValueError` for those that hold a text that is to be erased.

        Example:
            >>> store = Store()
            >>> agent = store.within(owner="ines", actor="agent-7")
            >>> first = agent.inscribe("Ines lives in Rome.")
            >>> second = agent.within(reason="Ines corrected it").supersede(first, "Ines lives in Oslo.")
            >>> [(event.operation, event.actor, event.reason) for event in store.log(first)]
            [('inscribe', 'agent-7', None), ('supersede', 'agent-7', 'Ines corrected it')]
        """
        view = copy.copy(self)
        view._scope = self._scope.narrowed(owner, session, source)
        view._cause = self._cause.narrowed(actor, reason)
        return view

    def reset(self) -> None:
        """Empty the store, including its log and ids, as if it had just been made."""
        self._check_whole("reset")
        self._past.forget()
        self._database.clear()

    def inscribe(
        self,
        text: str,
        *,
        ttl: float | None = None,
        derived_from: Iterable[SupportsIndex] = (),
        signature: Signature | None = None,
    ) -> int:
        """Add one memory at the surface; returns its id. The rest as in `inscribe_many`."""
        signatures = () if signature is None else (signature,)
        return self.inscribe_many([text], ttl=ttl, derived_from=derived_from, signatures=signatures)[0]

    def inscribe_many(
        self,
        texts: Sequence[str],
        *,
        ttl: float | None = None,
        derived_from: Iterable[SupportsIndex] = (),
        signatures: Sequence[Signature] = (),
    ) -> list[int]:
        """Add one memory per text, in one embedding call and one transaction; returns the ids.

        `ttl` is the time in seconds after which they have expired: out of recall, lists and mutations, and erased by
        `purge_expired`. `derived_from` names the memories that these texts were made of (a summary's, say): a purge of
        one of those with its line erases these too. Raises `StaysForgotten`, and adds none of them, if one has a
        tombstone (see `forgotten`).

        `signatures`: that of each text's writer (`lethe.store.sign`), for this store's owner and session. The source of
        the memory is then `ed25519:` and the writer's public key; without a signature that source is refused.
        `ValueError` for one that does not hold.
        """
        texts, ttl, derived_from = strings("several texts", "a text", texts), _checked_ttl(ttl), as_ids(derived_from)
        signed = [signing.given(each) for each in several("several signatures", signatures)]
        if not texts:
            return []
        if signed and len(signed) != len(texts):
            raise ValueError(f"of {len(texts)} texts each needs a signature, not {len(signed)} of them")
        vectors = self._vectors(texts)
        with self._changing() as change:
            self._refuse_forgotten(change, texts)
            sources = _sources(change, derived_from)
            kept = self._scope.kept(None if ttl is None else change.at + ttl)
            given = [signing.kept_by(each, kept) for each in signed] or [kept] * len(texts)
            ids = memories.insert(
                change.connection, texts, vectors, change.at, given, sources=sources, signatures=signed
            )
        if ids[0] == 1:
            self._database.same_embedder = True
        return ids

    def inscribe_once(self, text: str, *, ttl: float | None = None, min_similarity: float | None = None) -> Inscribed:
        """Add one memory, unless a live one says the same already; what is returned says which, and of which id.

        The same is an equal text (as `purge_matching` has it) with the same owner, session and source, of which none
        counts as one, that does not expire before the new one would. With `min_similarity`, 1 - d/2, it is also the
        most similar of those that reach it. Numbers and names hardly count there: "the code is 4417" is near to "the
        code is 4418". What was released or superseded is told anew.

        Example:
            >>> store = Store()
            >>> store.inscribe_once("Ines likes tea."), store.inscribe_once("INES likes tea")
            (Inscribed(memory_id=1, is_new=True), Inscribed(memory_id=1, is_new=False))
        """
        ttl, (vector,) = _checked_ttl(ttl), self._vectors([text])
        least = None if min_similarity is None else finite("min_similarity", min_similarity)
        with self._changing() as change:
            self._refuse_forgotten(change, [text])
            kept = self._scope.kept(None if ttl is None else change.at + ttl)
            known = selection.standing(change, text, vector, kept, least)
            if known is not None:
                return Inscribed(known, is_new=False)
            (id,) = memories.insert(change.connection, [text], [vector], change.at, [kept])
        if id == 1:
            self._database.same_embedder = True
        return Inscribed(id, is_new=True)

    def move_end(self, memory_id: SupportsIndex, ttl: float | None) -> None:
        """Have the memory expire `ttl` seconds from now, earlier or later than it would; None: never.

        The log has an event "commit" for each of its texts, whose checksums cover the end. What has expired is not
        there to be moved.
        """
        id, ttl = as_id(memory_id), _checked_ttl(ttl)
        self._past.forget()
        with self._changing() as change:
            memories.move_end(change, id, None if ttl is None else change.at + ttl, self._key)

    def load(self, given: Iterable[Memory]) -> list[int]:
        """Add memories as `memories` of another store gives them, all or none; returns their new ids.

        Taken are the text, the scope, the end and the depth. Older texts, times and what led to what are in that store
        alone; `backup` copies them too. Raises `StaysForgotten` as `inscribe_many` does, and `ValueError` for what a
        writer has signed, and for a scope that is not of this one.
        """
        memories_given = several("what is loaded", given)
        for memory in memories_given:
            check_kind("what is loaded", memory, Memory)
        texts = [memory.text for memory in memories_given]
        kept = [_kept_of(self._scope, memory) for memory in memories_given]
        depths = [checked(memory.depth) for memory in memories_given]
        if not texts:
            return []
        vectors = self._vectors(texts)
        with self._changing() as change:
            self._refuse_forgotten(change, texts)
            ids = memories.insert(change.connection, texts, vectors, change.at, kept)
            for id, depth in zip(ids, depths, strict=True):
                if depth != SURFACE:
                    moved = [(memories.current(change.connection, id), depth)]
                    memories.shift(change.connection, change.at, _reached_by(depth), moved)
        if ids[0] == 1:
            self._database.same_embedder = True
        return ids

    def forgotten(self, texts: Sequence[str]) -> list[bool]:
        """For each text, whether it was erased to stay forgotten, and `inscribe` would refuse it."""
        texts = strings("several texts", "a text", texts)
        with self._database.reading() as connection:
            found = tombstones.entombed(connection, self._database.name, self._key, texts, self._scope.owner)
        return [position in found for position in range(len(texts))]

    def relearn(self, text: str, *, ttl: float | None = None, derived_from: Iterable[SupportsIndex] = ()) -> int:
        """Inscribe a text that was to stay forgotten: its tombstone goes, and the log says so; returns its id.

        `LookupError` if it has none.
        """
        ttl, derived_from, vectors = _checked_ttl(ttl), as_ids(derived_from), self._vectors([text])
        with self._changing() as change:
            sources = _sources(change, derived_from)
            tombstones.lift(change.connection, self._database.name, self._key, text, self._scope.owner)
            kept = self._scope.kept(None if ttl is None else change.at + ttl)
            return memories.insert(change.connection, [text], vectors, change.at, [kept], "relearn", sources)[0]

    def recall(
        self,
        query: str,
        k: SupportsIndex = 10,
        *,
        mode: Mode = "hybrid",
        match: Match | None = None,
        at: SupportsIndex | None = None,
        touch: bool = False,
        signed_by: str | Iterable[str] | None = None,
        accept: Callable[[str], bool] | None = None,
        min_similarity: float | None = None,
        offset: SupportsIndex = 0,
        rerank: Rerank | None = None,
        told_since: float | None = None,
        told_until: float | None = None,
    ) -> list[Recalled]:
        """The k best live memories, best first.

        `vector`: score = similarity = 1 - d/2, where d is the L2 distance. `lexical`: score = -bm25 of the query's
        words (punctuation stripped, at most 256), of which a memory needs "any" (the default of `match`) or "all".
        `hybrid`: the 100 best of each half, by cosine + 0.1 bm25 / sqrt(number of words); here `match` is by default
        all words, or any where no memory has all. For a k beyond them the nearest others follow.
        A larger k only adds to the end. The score of a sinking memory is multiplied by its depth. Ties go to the higher
        similarity, then to the lower id.
        `at` recalls from the state between that event and the next, with what had sunk by itself up to the last
        consolidation between them, and without what has been purged or has expired since. Where something was purged,
        scores by words are those among what is left. Of a file that was brought from an older format, it is not known
        what had sunk by itself before.
        `touch` records a use of the memories returned, for `consolidate`.
        `signed_by` is a writer's public key, in hexadecimal, or several: only memories with the signature of one of
        these writers are recalled, and each signature is checked again. `accept` is asked about each text: what it
        refuses (as `unsuspicious` does) is passed over, and the next best come in its place; so is what is less similar
        to the query than `min_similarity`, in a recall that is not by words alone, and what was inscribed before the
        moment `told_since`, or at `told_until` or later (seconds since the epoch).
        `offset` passes over so many of the best, for a next page.
        `rerank` is given the query and the 100 best, whatever k is, and gives those to keep in a new order, with other
        scores if it likes (`dataclasses.replace`); the others follow. It is asked when the file is free again.
        `ValueError` if it adds one, or changes more than its score.
        """
        string("a query", query)
        number = min(integer("k", k), MAXIMUM_K)
        if number < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        if mode not in MODES or match not in MATCHES:
            raise ValueError(f"unknown mode {mode!r} or match {match!r}")
        least = None if min_similarity is None else finite("min_similarity", min_similarity)
        if least is not None and mode == "lexical":
            raise ValueError("a recall by words alone tells no similarity: leave min_similarity out")
        if touch and at is not None:
            raise ValueError("a memory cannot be used in the past: give either touch or at")
        passed = min(integer("offset", offset), MAXIMUM_K)
        if passed < 0:
            raise ValueError(f"offset must be at least 0, not {offset}")
        told, writers = _span(told_since, told_until), None
        if signed_by is not None:
            keys = [signed_by] if isinstance(signed_by, str) else several("several writers", signed_by)
            writers = tuple(dict.fromkeys(map(signing.source_of, keys)))
        vector = None if mode == "lexical" else self._query_vector(query)
        asked = min(passed + number, MAXIMUM_K)
        wide = asked if rerank is None else max(asked, WIDTH)
        found = self._accepted(at, writers, query, vector, wide, mode, match, accept, least, told)
        if rerank is not None:
            found = reranked(query, found, rerank)
        found = found[passed:asked]
        if touch:
            with self._changing() as change:
                aging.touch(change.connection, [memory.memory_id for memory in found])
        return found

    def _accepted(
        self,
        at: SupportsIndex | None,
        writers: tuple[str, ...] | None,
        query: str,
        vector: bytes | None,
        k: int,
        mode: Mode,
        match: Match | None,
        accept: Callable[[str], bool] | None,
        least: float | None,
        told: Span,
    ) -> list[Recalled]:
        """What of these writers is recalled and accepted; what `accept` raises comes as it is."""
        try:
            with self._seeing_at(at) as view:
                if writers is not None:
                    view = replace(view, sight=replace(view.sight, sources=writers))
                found = accepted(view, query, vector, k, mode, match, accept, least, told)
                if writers is not None:
                    signing.check_stored(view.connection, [memory.memory_id for memory in found])
                return found
        except RaisedByCaller as by_caller:
            raised = by_caller.error
        raise raised

    def memory(self, memory_id: SupportsIndex) -> Memory:
        """The memory with this id, submerged ones too; `LookupError` if there is none or it was purged."""
        id = as_id(memory_id)
        with self._seeing(self._database) as view:
            memories.current(view.connection, id, view.sight)
            return memories.described(view.connection, [id])[id]

    def memories(
        self,
        include_submerged: bool = False,
        *,
        at: SupportsIndex | None = None,
        after: SupportsIndex = 0,
        limit: SupportsIndex | None = None,
        told_since: float | None = None,
        told_until: float | None = None,
    ) -> list[Memory]:
        """The live memories in order of id; with `include_submerged`, all that are not void. `at`, `told_since` and
        `told_until` as in `recall`.

        A page are the first `limit` of those behind the id `after`: the last id of a page asks for the next, which
        passes over none and repeats none, whatever is told or erased meanwhile.
        """
        first, most, told = as_id(after), _page(limit), _span(told_since, told_until)
        with self._seeing_at(at) as view:
            return memories.listed(view.connection, view.sight, told, first, most, include_submerged=include_submerged)

    def count(self, include_submerged: bool = False) -> int:
        """The number of memories that `memories` would return."""
        with self._seeing(self._database) as view:
            return memories.counted(view.connection, view.sight, include_submerged=include_submerged)

    def scopes(self) -> list[Scope]:
        """The scopes that live memories have, in order: owner, session and source of each, None where it has none.

        Example:
            >>> store = Store()
            >>> store.within(owner="ines", source="mail").inscribe("Ines likes tea.")
            1
            >>> store.scopes()
            [Scope(owner='ines', session=None, source='mail')]
        """
        with self._seeing(self._database) as view:
            return scopes(view.connection, view.sight)

    def log(
        self, memory_id: SupportsIndex | None = None, *, since: SupportsIndex = 0, limit: SupportsIndex | None = None
    ) -> list[Event]:
        """The events in order: all of them, or those of one memory, even a purged one; only those behind event `since`.

        `limit`: only the first of them. Within a scope, those of its memories; a purged memory is of no scope any more.
        """
        id, last_known, most = None if memory_id is None else as_id(memory_id), as_id(since), _page(limit)
        with self._database.reading() as connection:
            found = history.events(connection, Sight(self._scope), id, last_known, most)
            if id is not None and not found and not history.events(connection, Sight(self._scope), id):
                raise LookupError(f"there is no memory {id}")
            return found

    def last_seq(self) -> int:
        """The number of the last event, 0 before the first; keep it for a later `at`."""
        with self._database.reading() as connection:
            return history.last_seq(connection)

    def blame(self, memory_id: SupportsIndex) -> list[BlameEntry]:
        """The memories that led to this one by supersession, oldest first, itself last.

        Within a scope, those of others are told without their text.
        """
        id = as_id(memory_id)
        with self._seeing(self._database) as view:
            if not memories.counts(view.connection, id, Sight(self._scope)):
                raise LookupError(f"there is no memory {id}")
            return history.blame(view.connection, view.sight, id)

    def backup(self, path: str | Path) -> None:
        """Copy the store as it is now to a new file, for its user alone to read, which appears whole or not at all.

        The copy is a store of its own, with the same log and under the same key. What is purged here later stays there:
        erase it there too, or delete the copy. A process that is killed meanwhile leaves a hidden folder with a part of
        it beside it. `LetheError` if there is a file of that name, or if this store was changed without its key.
        """
        self._check_whole("backup")
        with self._seeing(self._database):
            pass
        self._database.copy_to(path)

    def stored_bytes(self) -> bytes:
        """The whole database as the bytes of a database file, in which to look for residue."""
        return self._database.serialized()

    @contextmanager
    def _seeing(self, database: Database) -> Iterator[View]:
        """What this store's scope shows of a state."""
        if database is self._database:
            self._past.notice()
        with database.reading() as connection:
            database.seals.check(connection, whole=True)
            ageing = database.ageing()
            now = self._now() if ageing.some_expire else None
            yield View(connection, database.index, Sight(self._scope, now), ageing.some_sink)

    @contextmanager
    def _changing(self) -> Iterator[Change]:
        """A transaction, and the moment of what happens in it: no other store's events come between the two."""
        database = self._database
        self._past.notice()
        with database.writing() as connection:
            at = self._now()
            ageing = database.ageing()
            sight = Sight(self._scope, at if ageing.some_expire else None)
            database.cause = self._cause
            try:
                yield Change(connection, database.index, sight, ageing.some_sink, at)
            finally:
                database.cause = Cause()

    def _refuse_forgotten(
        self, change: Change, texts: Sequence[str], alike: tombstones.Alike = tombstones.alone
    ) -> None:
        tombstones.refuse_entombed(change.connection, self._database.name, self._key, texts, self._scope.owner, alike)

    def _check_whole(self, what: str) -> None:
        if self._scope != EVERYTHING:
            raise ValueError(f"{what} concerns the whole store; call it outside a scope")

    def _now(self) -> float:
        try:
            moment = self._clock()
        except Exception as error:
            raise ValueError(f"the clock has no moment: {error!r:.80}") from error
        return finite("the clock's moment", moment)

    def _seeing_at(self, at: SupportsIndex | None) -> AbstractContextManager[View]:
        """What this store's scope shows now, or after an event."""
        return self._seeing(self._database) if at is None else self._seeing_past(integer("the number of an event", at))

    @contextmanager
    def _seeing_past(self, seq: int) -> Iterator[View]:
        with self._past.state(seq) as state, self._seeing(state) as view:
            yield view

    def _vectors(self, texts: Sequence[str]) -> list[bytes]:
        for text in texts:
            check_text(text)
        return self._embedded(texts, self._embedder.documents)

    def _query_vector(self, query: str) -> bytes:
        return self._embedded([_embeddable(query)], self._embedder.queries)[0]

    def _least(self, floor: Floor) -> float | None:
        """A floor as a finite number, or None for none."""
        if floor == MEASURED:
            return self._embedder.floor
        return None if floor is None else finite("floor", floor)

    def _query_and_text(self, query: str, text: str) -> tuple[bytes, bytes]:
        check_text(text)
        queries, documents = self._embedder.queries, self._embedder.documents
        if queries == documents:
            query_vector, vector = self._embedded([_embeddable(query), text], documents)
        else:
            (query_vector,) = self._embedded([_embeddable(query)], queries)
            (vector,) = self._embedded([text], documents)
        return query_vector, vector

    def _embedded(self, texts: Sequence[str], embed: Embed) -> list[bytes]:
        if not self._database.same_embedder:
            self._check_embedder()
        return [vector.tobytes() for vector in unit_vectors(texts, embed, self._dim)]

    def _check_embedder(self) -> None:
        """`LetheError` if the embedder gives another vector for a stored text than the one that is stored."""
        with self._database.reading() as connection:
            self._database.seals.check(connection, whole=False)
            stored = versions.oldest(connection)
        if stored is None:
            return
        text, vector = stored
        if not isinstance(text, str) or not isinstance(vector, bytes) or len(vector) != 4 * self._dim:
            raise LetheError(f"store {self._database.name} {DAMAGED}")
        (again,) = unit_vectors([text], self._embedder.documents, self._dim)
        likeness = float(again @ np.frombuffer(vector, dtype="<f4"))
        if likeness < _SAME_MODEL:
            raise LetheError(
                f"store {self._database.name} was made with another embedder (its vector of a stored text has the"
                f" cosine {likeness:.2f} with this one's); use that, or another file"
            )
        self._database.same_embedder = True


def unit_vectors(texts: Sequence[str], embed: Embed, dim: int) -> npt.NDArray[np.float32]:
    """(n, dim) vectors as the embedder gives them; `ValueError` for what is not an array of unit vectors."""
    given = called(embed, texts)
    if given.shape != (len(texts), dim) or given.dtype.kind not in "fiu":
        raise ValueError(
            f"the embedder returned an array of shape {given.shape} and type {given.dtype}; "
            f"{(len(texts), dim)} real numbers were asked for"
        )
    vectors = np.ascontiguousarray(given, dtype="<f4")
    for square in np.einsum("ij,ij->i", vectors, vectors).tolist():
        if not abs(math.sqrt(square) - 1.0) <= _OFF_UNIT:
            raise ValueError(
                f"the embedder returned a vector of length {math.sqrt(square):.4g}; divide each by its length, to get 1"
            )
    return vectors


def _chosen(
    path: str | Path,
    embed: Embed | None,
    dim: int | None,
    embedder: str | Embed | None,
    query_prefix: str,
    document_prefix: str,
) -> Embedder:
    """The embedder that a store is opened with: the one that is given, else the file's, else the default."""
    name = embedder if isinstance(embedder, str) else None
    exists = is_made(path)
    if callable(embedder):
        if embed is not None:
            raise ValueError("embed and embedder are both functions; give one")
        embed, dim = embedder, made_with(path)[0] if dim is None and exists else dim
    elif embed is not None and dim is None:
        dim = made_with(path)[0]
    if embed is not None:
        return of_function(embed, dim, name, query_prefix, document_prefix)
    if query_prefix or document_prefix:
        raise ValueError("prefixes go with a function; an embedder that has a name knows its own")
    kept = made_with(path)[1] if exists and name is None else name or DEFAULT
    if kept is None:
        raise LetheError(f"store {path} was made with an embedder that has no name; give it as embed")
    chosen = named(kept, made_with(path)[0] if exists else dim)
    if dim not in (None, chosen.dim):
        raise ValueError(f"vectors of the embedder {kept} have {chosen.dim} numbers, not dim={dim}")
    return chosen


def held(key: "Key | str | Path | None", store: str | Path) -> "Key | None":
    """The key of a store: one that is given, or that of a file, which is made if it is missing.

    `LetheError`, and none is made, for a store that is sealed under another key already.
    """
    if key is None:
        return None
    if not isinstance(key, str | Path):
        return signing.checked_key(key)
    from lethe.store.keys import make_key, read_key

    if not Path(key).exists():
        if is_sealed(store) and not Path(key).exists():
            raise LetheError(
                f"key {key} is not there, and store {store} is sealed under a key; name the file of that one"
            )
        try:
            return make_key(key)
        except LetheError:
            if not Path(key).exists():
                raise  # otherwise another process has made it meanwhile
    return read_key(key)


def _checked(name: str, given: _Choice | None, known: Sequence[_Choice]) -> _Choice | None:
    if given not in (None, *known):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, not {given!r:.80}")
    return given


def _kept_of(scope: Scope, memory: Memory) -> Kept:
    """What a memory from elsewhere is given in this scope."""
    end = None if memory.expires_at is None else finite("expires_at", memory.expires_at)
    return scope.narrowed(memory.owner, memory.session, memory.source).kept(end)


def _reached_by(depth: float) -> Operation:
    """The operation by which a memory at the surface comes to a depth."""
    return "pin" if depth == PINNED else "release" if depth == SUBMERGED else "decay"


def _sources(change: Change, memory_ids: Sequence[int]) -> list[memories.Current]:
    """The memories that others are derived from; `LookupError` for one that is not there or was purged."""
    found = dict.fromkeys(memory_ids)
    return [memories.current(change.connection, memory_id, change.sight) for memory_id in found]


def _span(since: float | None, until: float | None) -> Span:
    first, last = EVER
    return (
        first if since is None else finite("told_since", since),
        last if until is None else finite("told_until", until),
    )


def _page(limit: SupportsIndex | None) -> int:
    """How many rows are asked for; -1, SQLite's word for all, without a limit."""
    if limit is None:
        return -1
    most = integer("limit", limit)
    if most < 0:
        raise ValueError(f"limit must be at least 0, not {most}")
    return number_of_rows(most)


def _checked_ttl(ttl: float | None) -> float | None:
    if ttl is None:
        return None
    seconds = finite("ttl", ttl)
    if seconds <= 0:
        raise ValueError(f"ttl must be positive, not {ttl}")
    return seconds


def _embeddable(query: str) -> str:
    # A lone surrogate cannot be encoded for any tokenizer: it becomes a question mark.
    return string("a query", query).encode(errors="replace").decode()
