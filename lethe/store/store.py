"""`Store`: the public face of the memory store."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, SupportsIndex

import apsw

from lethe.store import (
    aging,
    erasure,
    history,
    indexes,
    lineage,
    memories,
    receipts,
    reembedding,
    selection,
    signing,
    tombstones,
    verifier,
)
from lethe.store.arguments import check_kind, finite, string
from lethe.store.arguments import memory_id as as_id
from lethe.store.arguments import memory_ids as as_ids
from lethe.store.connection import DAMAGED, fetch_all
from lethe.store.depth import PINNED, SUBMERGED, SURFACE, sunk
from lethe.store.embedders import Embed, named, of_function
from lethe.store.errors import LetheError
from lethe.store.memories import Memory
from lethe.store.receipts import Extension, Head, PurgeReceipt
from lethe.store.remembering import Remembering, unit_vectors
from lethe.store.scope import EVERYTHING, Change, Sight, expired, in_scope
from lethe.store.signing import Signature
from lethe.store.surrender import Surrendered, SurrenderMode, check_mode, surrender
from lethe.store.thresholds import MEASURED, Floor

if TYPE_CHECKING:
    from lethe.store.keys import Key

SINCE_HEAD = "since the head"
"""How a finding begins that is no damage: the store was used."""


class Store(Remembering):
    """Memories in SQLite, in one file or in memory, that can be told to forget.

    `path`: a file, made (for its user alone to read) if it is missing, or ":memory:". `embedder`: the name of one
    (`lethe.store.embedders.named`), or a function that turns n texts into an (n, dim) float32 array of unit vectors; by
    default that of the file, and for a new file one that comes with the store. `embed` and `dim`: such a function and
    its number of numbers, at most 8192; `embedder` is then a name that the file keeps, so that another one is refused.
    Without a name, the first call after a file was opened compares the vector of a stored text with the one that the
    function gives. `query_prefix`, `document_prefix`: what a function's model wants before what is asked for, and
    before what is stored. `clock`: seconds since the epoch. `key`: signs receipts and makes tombstones; one of
    `lethe.store.make_key`, or a file, which is made if it is missing. It is never written to the store.
    `index`: where vectors are searched, with the same results: "matrix", a copy in memory, or "sqlite-vec", which reads
    them from the file each time (`lethe-store[sqlite-vec]`). By default the matrix, but for a file that has more than
    1 GiB of them when it is opened, if sqlite-vec is installed. The file is the same, and may be opened with either.
    `words`: how a new file takes texts apart into the words of BM25: "every language" (the default), or "unicode61",
    which knows only words between spaces; the file keeps it.

    Every method raises `LetheError` where the user must act (a file that is locked, read-only, full, damaged
    or made with another `dim`), `LookupError` for an id that was never given out or was purged, `TypeError` for one
    that is not an integer (of whatever type; a bool is not one) and for a text or query that is not a string, and
    `ValueError` for another wrong argument or a clock that gives no finite number. A method that raises has changed
    nothing. A text may contain NUL; it may not be blank or contain lone surrogates. A query may be any string.

    What is addressed by a query raises `NothingMeets`, which names the closest memories, if the one that it would take
    is less similar to the query than `floor`, by default what was measured for the embedder; None takes it however far
    it is.

    A pin protects a memory from every operation addressed by a query, except a purge. Addressed by its id, a pinned
    memory can be released, superseded, edited and purged. Decay and consolidation never move it.

    `within` gives the same store within a scope: an owner, a session, a source.

    Threads may share a store: each call waits for the one under way. Several stores, also of several processes, may
    share a file. A forked child opens the file again: it is refused by a store that was opened before the fork.
    """

    def surrender(
        self, target: SupportsIndex | str, mode: SurrenderMode, *, text: str | None = None, factor: float | None = None
    ) -> Surrendered:
        """Forget by id or by query: the method named like `mode`, or its `_matching` form.

        `text` is for supersede and edit, `factor` (default 0.5) for decay.
        """
        return surrender(self, target, mode, text, factor)

    def decay(self, memory_id: SupportsIndex, factor: float) -> float:
        """Multiply the depth by `factor` in (0, 1); below 0.05 the memory is submerged. Returns the new depth."""
        factor = _checked_factor(factor)
        id = as_id(memory_id)
        with self._changing() as change:
            memories.move(change, [id], "decay", lambda depth: sunk(depth, factor))
            return memories.current(change.connection, id).depth

    def decay_matching(self, query: str, factor: float, *, floor: Floor = MEASURED) -> list[int]:
        """Decay the memories that `release_matching` would release; returns their ids."""
        factor, least = _checked_factor(factor), self._least(floor)
        vector = self._query_vector(query)
        with self._changing() as change:
            memory_ids = selection.above_largest_gap(change, query, vector, least)
            return memories.move(change, memory_ids, "decay", lambda depth: sunk(depth, factor))

    def release(self, memory_id: SupportsIndex) -> None:
        """Submerge the memory: out of recall, still in the file and in the log."""
        id = as_id(memory_id)
        with self._changing() as change:
            memories.move(change, [id], "release", lambda depth: SUBMERGED)

    def release_matching(self, query: str, *, floor: Floor = MEASURED) -> list[int]:
        """Release those of 20 hybrid candidates whose similarity reaches `largest_gap_threshold`.

        Pinned candidates count towards the threshold but stay. Returns the ids released.
        """
        least, vector = self._least(floor), self._query_vector(query)
        with self._changing() as change:
            memory_ids = selection.above_largest_gap(change, query, vector, least)
            return memories.move(change, memory_ids, "release", lambda depth: SUBMERGED)

    def supersede(self, memory_id: SupportsIndex, text: str, *, signature: Signature | None = None) -> int:
        """Submerge the memory and inscribe `text` as its successor; returns the new id.

        What its writer has signed, only that writer's `signature` of the text supersedes; `ValueError` for others.
        """
        id, signature, (vector,) = as_id(memory_id), signing.given(signature), self._vectors([text])
        with self._changing() as change:
            self._refuse_forgotten(change, [text])
            return memories.supersede(change, id, text, vector, signature)

    def supersede_matching(self, query: str, text: str, *, floor: Floor = MEASURED) -> int:
        """Supersede the live memory whose vector is closest to the query's; returns the new id.

        A memory that says `text` already is passed over, unless there is no floor. If there is none, or it is pinned,
        the text is inscribed and nothing is superseded.
        """
        least = self._least(floor)
        query_vector, vector = self._query_and_text(query, text)
        with self._changing() as change:
            self._refuse_forgotten(change, [text])
            said = None if least is None else text
            memory_id = selection.best_match(change, query, query_vector, least, besides=said)
            if memory_id is None:
                return memories.insert(change.connection, [text], [vector], change.at, [self._scope.kept(None)])[0]
            return memories.supersede(change, memory_id, text, vector)

    def edit(self, memory_id: SupportsIndex, text: str, *, signature: Signature | None = None) -> None:
        """Replace the text in place: same id and depth, new version; older versions stay until a purge.

        `signature` as in `supersede`; what was inscribed without one takes none.
        """
        id, signature, (vector,) = as_id(memory_id), signing.given(signature), self._vectors([text])
        with self._changing() as change:
            self._refuse_forgotten(change, [text])
            memories.edit(change, id, text, vector, signature)

    def edit_matching(self, query: str, text: str, *, floor: Floor = MEASURED) -> int:
        """Edit the live memory whose vector is closest to the query's; returns its id.

        `LookupError` if there is none or it is pinned.
        """
        least = self._least(floor)
        query_vector, vector = self._query_and_text(query, text)
        with self._changing() as change:
            self._refuse_forgotten(change, [text])
            memory_id = selection.best_match(change, query, query_vector, least)
            if memory_id is None:
                raise LookupError("no memory to edit: the store has no live memory, or the best match is pinned")
            memories.edit(change, memory_id, text, vector)
            return memory_id

    def selected(
        self,
        query: str,
        mode: SurrenderMode,
        *,
        text: str | None = None,
        with_line: bool = False,
        floor: Floor = MEASURED,
    ) -> list[Memory]:
        """The memories that the method named like `mode` in its `_matching` form would take now; changes nothing.

        `with_line` is for a purge, and shows what it erases of their line too. `text` is for a supersede: the new text,
        since a memory that says it already is passed over.
        """
        check_mode(mode)
        if text is not None and mode != "supersede":
            raise ValueError(f"only supersede passes over a text, not {mode}")
        if with_line and mode != "purge":
            raise ValueError(f"only a purge takes a line with it, not {mode}")
        least, vector = self._least(floor), self._query_vector(query)
        with self._seeing(self._database) as view:
            if mode == "purge":
                ids = selection.equal_texts(replace(view, sight=Sight(self._scope)), query, vector, least)
            elif mode in ("release", "decay"):
                ids = selection.above_largest_gap(view, query, vector, least)
            else:
                best = selection.best_match(view, query, vector, least, besides=None if least is None else text)
                ids = [] if best is None else [best]
            if mode == "purge":
                return self._doomed(view.connection, ids, with_line=with_line)
            found = memories.described(view.connection, ids)
        return [found[memory_id] for memory_id in ids]

    def purge(self, memory_id: SupportsIndex, *, stay_forgotten: bool = False, with_line: bool = False) -> PurgeReceipt:
        """Erase the memory: all versions of its text, its vectors, its index entries. Cannot be undone.

        With `stay_forgotten`, each text leaves a tombstone, a hash under the store's key: it is refused when it is told
        again, also with other case, white space or Unicode form, until `relearn` takes it. `ValueError` without a key.

        With `with_line`, all that the memory superseded is erased too (`blame` tells it), and what was derived from any
        of these (`inscribe`), with its successors. The receipt names each, and `line` tells them beforehand. What is
        out of this store's scope is out of its reach.

        `LookupError` where nothing is left to erase: the memory was erased already, and what is asked for of its line.
        `receipt_of` gives the receipt of that.

        Who erases it and why (`within`) stays in the log: name the request, and nothing that is erased.
        """
        id = as_id(memory_id)
        return self._purge(lambda change: [id], stay_forgotten, with_line, alone=id)

    def purge_many(
        self, memory_ids: Iterable[SupportsIndex], *, stay_forgotten: bool = False, with_line: bool = False
    ) -> PurgeReceipt:
        """Erase several memories in one transaction; ids that are already void are skipped, and their line is not.

        Where all are, the receipt names none, as that of a scope without memories: for `verify` it is no receipt.
        """
        ids = as_ids(memory_ids)
        return self._purge(lambda change: ids, stay_forgotten, with_line)

    def purge_matching(
        self, query: str, *, stay_forgotten: bool = False, with_line: bool = False, floor: Floor = MEASURED
    ) -> PurgeReceipt:
        """Erase every memory whose text is the query; if there is none, the best live one by BM25 and its equals.

        Two texts are the same if they differ only in Unicode form, case, white space, what cannot be seen, and the last
        full stop. Memories are found by their current text, of any depth and however many, pinned ones too.
        """
        least, vector = self._least(floor), self._query_vector(query)
        return self._purge(lambda view: selection.equal_texts(view, query, vector, least), stay_forgotten, with_line)

    def purge_scope(self, *, stay_forgotten: bool = False) -> PurgeReceipt:
        """Erase every memory of this scope (`within`), submerged and pinned ones too; `ValueError` outside of one.

        What was derived from them out of this scope stays: purge the ids of `doomed` with their line, outside of it.
        """
        if self._scope == EVERYTHING:
            raise ValueError("purge_scope needs a scope: name an owner, a session or a source; reset empties the store")
        return self._purge(lambda view: in_scope(view.connection, view.sight), stay_forgotten)

    def purge_expired(self, *, stay_forgotten: bool = False, with_line: bool = False) -> PurgeReceipt:
        """Erase every memory of this scope that has expired (`ttl`)."""
        return self._purge(lambda change: expired(change.connection, self._scope, change.at), stay_forgotten, with_line)

    def line(self, memory_ids: Iterable[SupportsIndex]) -> list[Memory]:
        """What `purge_many` would erase of these ids with their line: themselves first, then what goes with them."""
        ids = as_ids(memory_ids)
        with self._database.reading() as connection:
            return self._doomed(connection, ids, with_line=True)

    def doomed(self, *, expired_only: bool = False, with_line: bool = False) -> list[Memory]:
        """What `purge_scope` would erase now, or only what `purge_expired` would; changes nothing."""
        with self._database.reading() as connection:
            if expired_only:
                ids = expired(connection, self._scope, self._now())
            else:
                ids = in_scope(connection, Sight(self._scope))
            return self._doomed(connection, ids, with_line=with_line)

    def _doomed(self, connection: apsw.Connection, memory_ids: Iterable[int], *, with_line: bool) -> list[Memory]:
        ids = lineage.meant(connection, memory_ids, Sight(self._scope), with_line=with_line)
        found = memories.described(connection, list(ids))
        return [found[memory_id] for memory_id in ids]

    def receipt_of(self, memory_id: SupportsIndex | None = None) -> PurgeReceipt:
        """The receipt of the purge that erased this memory, by default of the latest purge, where that was lost.

        It names the erased texts by their keyed hashes only as long as there was no later purge. `LookupError` for a
        memory that was not purged.
        """
        self._check_whole("receipt_of")
        id = None if memory_id is None else as_id(memory_id)
        with self._database.reading() as connection:
            self._database.seals.check(connection, whole=False)
            receipt = receipts.again(connection, id)
        (finished,) = self._finished([receipt])
        if not self._bears_out(finished):
            raise LetheError(f"store {self._database.name} {DAMAGED}")
        return finished

    def complete(self, receipt: PurgeReceipt) -> PurgeReceipt:
        """The receipt with `complete` set, if what it names has left the write-ahead log now; else it is as before.

        `ValueError` if the receipt is not of this store and key, or was changed, or was signed and this store has no
        key to sign it again.
        """
        check_kind("a receipt", receipt, PurgeReceipt)
        if not receipt.complete and receipt.public_key and self._key is None:
            raise ValueError("the receipt is signed: open the store with its key to complete it")
        if not self._bears_out(receipt):
            raise ValueError("the receipt does not hold: it is not of this store and key, or one of them was changed")
        return receipt if receipt.complete else self._finished([receipt])[0]

    def scrub(self) -> bool:
        """Rewrite indexes, statistics and file from what is left, so that nothing purged remains in them.

        Returns False while another connection still reads an older state or the disk is full; then call it again.
        Takes about 2 s per 100,000 memories.
        """
        return erasure.scrub(self._database)

    def reembed(
        self,
        embedder: str,
        *,
        embed: Embed | None = None,
        dim: int | None = None,
        query_prefix: str = "",
        document_prefix: str = "",
    ) -> bool:
        """Give the file another embedder: one that has a name, or the function `embed` under the name given to it.

        Each text is embedded again, older ones too, in steps of 256. The file stays as it is for every reader and
        writer until all are, and then has the new vectors at once. Where it was interrupted, the next call with the
        same embedder goes on. Afterwards every store that has the file open, this one too, refuses to go on: open it
        again. Nothing of the old vectors is left in the file then, unless it returns False: another connection still
        reads an older state or the disk is full; `scrub` finishes the work.

        `LetheError` for a file of items (of LangGraph, say), `ValueError` for a store in memory.
        """
        self._check_whole("reembed")
        if self._database.in_memory:
            raise ValueError("a store in memory keeps its embedder: inscribe its texts in another one")
        if embed is None:
            new = named(embedder, dim)
        else:
            new = of_function(embed, dim, string("embedder", embedder), query_prefix, document_prefix)
        database, key = self._database, self._key
        with self._changing() as change:
            database.check_apart()
            database.seals.check(change.connection, whole=True)
            reembedding.begin(change.connection, database.name, embedder, new.dim)
        while True:
            with self._changing() as change:
                reembedding.check_begun(change.connection, database.name, embedder, new.dim)
                told = reembedding.waiting(change.connection)
                if not told:
                    reembedding.take_over(change.connection, database.name, key, change.at)
                    break
            vectors = [vector.tobytes() for vector in unit_vectors([text for _, text in told], new.documents, new.dim)]
            with self._changing() as change:
                reembedding.check_begun(change.connection, database.name, embedder, new.dim)
                reembedding.lay_aside(change.connection, key, told, vectors)
        self.let_go(None)
        return database.checkpoint()

    def verify(self, receipt: PurgeReceipt) -> bool:
        """Whether the log still holds the receipt's purge in its place and the memories it names hold no text.

        False for one that names no memory, which erases nothing, and for one that is not complete: the texts may still
        be in the write-ahead log, and `complete` gives the receipt that holds. Takes as long as the logarithm of the
        log, and reads no other events: `verify_log` does. Where the store has a key, the receipt must be signed with
        it. Others check a receipt with `lethe.store.verifier`.
        """
        check_kind("a receipt", receipt, PurgeReceipt)
        return bool(receipt.events) and receipt.complete and self._bears_out(receipt)

    def _bears_out(self, receipt: PurgeReceipt) -> bool:
        key = self._key
        try:
            statement = verifier.read_statement(receipt.to_json(), verifier.RECEIPT)
            if key is not None:
                verifier.check_signature(statement, key.public.hex())
            verifier.check_receipt(statement)
            with self._database.reading() as connection:
                verifier.check_store(statement, lambda query, bindings: fetch_all(connection, query, bindings), key)
        except verifier.Refused:
            return False
        return True

    def verify_log(self) -> bool:
        """Whether `audit` finds nothing."""
        return not self.audit()

    def audit(self, head: Head | None = None) -> list[str]:
        """What in the store is not as its log has it, a line each; reads all of it.

        Compared are every event with the tree over them; the depth of each memory; each text with its vector, its ids,
        its scope and its end; the indexes by words and by texts; with the key, the seals. `head`: the last one that was
        taken from the store and kept elsewhere. Without it and without the key, a log that was written anew as a whole
        cannot be told from a true one; with it, whatever was logged since is named too.
        """
        if head is not None:
            check_kind("a head", head, Head)
        with self._database.reading() as connection:
            found = list(self._database.seals.problems(connection))
            differing = [] if head is None else _differences(connection, head)
        if not found:
            # FTS5 checks its index by a statement that writes; a reader could not begin one once somebody else wrote.
            with self._database.writing() as connection:
                found += indexes.problems(connection)
        return found + differing

    def head(self) -> Head:
        """The size and the root of the log, signed if there is a key: they vouch for all that the store holds now."""
        with self._database.reading() as connection:
            self._database.check_apart()
            self._database.seals.check(connection, whole=False)
            return receipts.head(connection).signed(self._key)

    def seal(self, key: "Key") -> None:
        """Take the store as it is for true, under a key that every change needs from now on.

        A store that is made with a key is sealed from the start; what is changed in its file without the key is refused
        when it is read. `LetheError` if the audit finds something, the store has tombstones of another key, or it is
        sealed under another key than `key` and was opened without that.
        """
        self._check_whole("seal")
        signing.checked_key(key)
        problems = self.audit()
        if problems:
            raise LetheError(f"store {self._database.name} cannot be sealed: {problems[0]}; restore it from a backup")
        self._past.forget()
        seals = self._database.seals
        with seals.sealing(), self._database.writing() as connection:
            self._database.check_apart()
            tombstones.check_key(connection, self._database.name, key)
            seals.seal(connection, key)
        self._key = key

    def extension(self, older: PurgeReceipt | Head) -> Extension:
        """The signed proof that the log was only added to since a receipt or a head, for those without the file.

        `ValueError` where the log does not begin with theirs.
        """
        check_kind("what is extended", older, PurgeReceipt, Head)
        with self._database.reading() as connection:
            self._database.check_apart()
            self._database.seals.check(connection, whole=False)
            return receipts.extension(connection, older).signed(self._key)

    def pin(self, memory_id: SupportsIndex) -> None:
        """Hold the memory at the top; a submerged memory comes back into recall."""
        id = as_id(memory_id)
        with self._changing() as change:
            memories.move(change, [id], "pin", lambda depth: PINNED)

    def unpin(self, memory_id: SupportsIndex) -> None:
        """Return a pinned memory to the surface, 1.0; no effect on a memory that is not pinned."""
        id = as_id(memory_id)
        with self._changing() as change:
            memories.move(change, [id], "unpin", lambda depth: min(depth, SURFACE))

    def touch(self, memory_ids: Iterable[SupportsIndex]) -> None:
        """Record one use of each memory, for `consolidate`; submerged memories are skipped."""
        ids = as_ids(memory_ids)
        with self._changing() as change:
            for id in ids:
                memories.current(change.connection, id, change.sight)
            aging.touch(change.connection, ids)

    def consolidate(self, now: float | None = None, *, half_life_days: float = 30.0) -> int:
        """Move live, unpinned memories according to their use since the last consolidation; returns how many moved.

        Each use halves a memory's distance to 1.0. The depth of an unused memory is halved for every half-life since
        its last use that was counted, or its inscription; below 0.05 it is submerged. The log tells of those that were
        used or submerged: how far the others have sunk follows from the moment. `now` defaults to the clock.
        """
        half_life_days = finite("half_life_days", half_life_days)
        if half_life_days <= 0:
            raise ValueError(f"half_life_days must be positive, not {half_life_days}")
        self._check_whole("consolidate")
        given = None if now is None else finite("now", now)
        self._past.forget()
        with self._changing() as change:
            return aging.consolidate(change.connection, change.at if given is None else given, half_life_days)

    def _purge(
        self,
        select: Callable[[Change], Iterable[int]],
        stay_forgotten: bool,
        with_line: bool = False,
        alone: int | None = None,
    ) -> PurgeReceipt:
        """Erase what is selected; `alone`: the id of the memory that was to be erased, if it was one."""
        from lethe.store.documents import alike  # of what an adapter has stored, its text stays forgotten too

        with self._erasing() as (change, done):
            every = replace(change, sight=Sight(self._scope))
            receipt = erasure.erase(
                every,
                self._database.name,
                select(every),
                self._key,
                with_line=with_line,
                stay_forgotten=stay_forgotten,
                alike=alike,
            )
            if alone is not None and not receipt.events:
                raise LookupError(
                    f"memory {alone} was purged already, and nothing is left to erase: receipt_of({alone}) gives the"
                    " receipt"
                    if self._scope == EVERYTHING
                    else f"there is no memory {alone}"
                )
            done.append(receipt)
        return done[0]

    @contextmanager
    def _erasing(self) -> Iterator[tuple[Change, list[PurgeReceipt]]]:
        """A transaction, and a list for what it erases: the receipts when it is over.

        In a transaction over several calls they are drafts, and that one finishes the receipts.
        """
        self._past.forget()
        done: list[PurgeReceipt] = []
        with self._changing() as change:
            yield change, done
            outer = self._database.erased
            if outer is not None:
                outer += done
        done[:] = self._settled(done) if outer is None else [receipt.draft() for receipt in done]

    @contextmanager
    def transaction(self) -> Iterator[list[PurgeReceipt]]:
        """Several calls of this thread as one: all that they change is stored at the end, or on an exception nothing.

        Until then other threads and stores see nothing of it, and wait with changes of their own. A call that raises
        has changed nothing; if the exception is caught, the others stand. One transaction within another is undone by
        itself too, and stored with the outer one.

        What may still be undone is not vouched for. A purge gives a draft, which says what it erases and which nobody
        takes for a receipt; the receipts are in the list that the outermost transaction gives, once it is over, in the
        order of the purges. Until then, what would vouch for the state, copy it or rewrite the file raises
        `ValueError`: `head`, `extension`, `receipt_of`, `complete`, `seal`, `backup`, `stored_bytes`, `scrub`,
        `reembed`, `reset` and `close`.

        Example:
            >>> store = Store(key=Key(bytes(32)))
            >>> memory = store.inscribe("Ines lives in Rome, in the Via Appia.")
            >>> with store.transaction() as receipts:
            ...     _ = store.inscribe("Ines lives in Rome.")
            ...     draft = store.purge(memory)
            >>> [receipt.memory_ids for receipt in receipts], store.verify(receipts[0]), store.verify(draft)
            ([(1,)], True, False)
        """
        receipts: list[PurgeReceipt] = []
        with self._past.held():
            try:
                with self._database.together() as erased:
                    yield receipts
            except BaseException:
                self._past.forget()
                raise
            if self._database.erased is None:
                receipts += self._settled(erased)

    def let_go(self, erased: PurgeReceipt | None) -> None:
        """Overwrite what this store keeps in memory of what another one has erased; of everything without a receipt.

        It does so by itself when it is next used.
        """
        self._past.forget()
        self._database.let_go(None if erased is None else erased.memory_ids)

    def _settled(self, erased: Sequence[PurgeReceipt]) -> list[PurgeReceipt]:
        """The receipts of what was erased, once nothing of it is kept in memory."""
        for receipt in erased:
            self._database.let_go(receipt.memory_ids)
        return self._finished(erased) if erased else []

    def _finished(self, receipts: Sequence[PurgeReceipt]) -> list[PurgeReceipt]:
        """The receipts after an attempt to empty the write-ahead log, signed."""
        complete = self._database.checkpoint()
        return [replace(receipt, complete=complete).signed(self._key) for receipt in receipts]


def _differences(connection: apsw.Connection, head: Head) -> list[str]:
    try:
        statement = verifier.read_statement(head.to_json(), verifier.HEAD)
        verifier.check_root(lambda query, bindings: fetch_all(connection, query, bindings), statement)
    except verifier.Refused as error:
        return [f"the head does not fit: {error}"]
    since = history.last_seq(connection) - head.size
    return [f"{SINCE_HEAD}, events were logged: {since}"] if since else []


def _checked_factor(given: float) -> float:
    factor = finite("factor", given)
    if not 0 < factor < 1:
        raise ValueError(f"factor must lie between 0 and 1, not {factor}")
    return factor
