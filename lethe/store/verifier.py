"""Checks a purge receipt or a head without the store's code: the public key and the statement are enough, the store's
file may be added.

This file stands alone: it needs Python and `cryptography`, shares no code with what writes receipts, and can be given
to whoever is to check one (`python verifier.py STATEMENT PUBLIC_KEY [STORE]`, exit code 0 if it holds, and if a receipt
erases something and is complete). The log is a Merkle tree as in RFC 9162, section 2.1. Checking a receipt takes no
more steps than its logarithm and the receipt's length; a head with the store's file has all of the file compared with
the log (`audit`).
"""

import contextlib
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

RECEIPT, EXTENSION, HEAD = "lethe receipt 1", "lethe extension 1", "lethe head 1"
_FIELDS: dict[str, dict[str, type]] = {
    RECEIPT: {
        "store": str, "events": list, "versions": list, "keyed_hashes": list, "stays_forgotten": bool, "before": int,
        "path": list, "root": str, "complete": bool, "public_key": str, "signature": str,
    },
    EXTENSION: {
        "store": str, "older_size": int, "older_root": str, "size": int, "root": str, "path": list, "public_key": str,
        "signature": str,
    },
    HEAD: {"store": str, "size": int, "root": str, "public_key": str, "signature": str},
}  # fmt: skip
_LONGEST_KEY = 1000
_NO_TABLES = (
    "SELECT type, name FROM pragma_table_list WHERE schema = 'main' AND type NOT IN ('table', 'shadow')"
    " AND name NOT IN ('lexical', 'live')"
)
"""What in a file is no table that holds its rows, apart from what every store has and nothing here reads."""
_CHANGE = 8
"""How much of an event there is besides what it commits to: the text it told, and who did it and why."""
_ITEMS: dict[str, type] = {"events": str, "versions": int, "keyed_hashes": list, "path": str}
Query = Callable[[str, tuple[Any, ...]], Sequence[tuple[Any, ...]]]
"""Gives the rows of an SQL query to a store."""
Rows = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]
"""The same, one by one."""
Seal = Callable[[int, int, float, int, bytes], bytes]
"""The seal of a memory's state under the store's key: its id, its version, its depth, its last event, its checksum."""
Statement = dict[str, Any]


class Key(Protocol):
    """What the key of a store knows of its tombstones."""

    def keyed_hashes(self, text: str) -> Iterable[bytes]:
        """The hashes by which a text may stand in the store."""

    def lifted(self, keyed_hash: bytes, seq: int) -> bytes:
        """What shows that the tombstone with this hash was lifted by that event."""


class Refused(ValueError):
    """The reason for which a statement is not believed, in one line."""


class RefusedExtension(Refused):
    """The reason for which the extension of a statement is not believed."""


class ProvesNoErasure(Refused):
    """The receipt is genuine, and whoever asked for an erasure does not have it by that."""


class ErasesNothing(ProvesNoErasure):
    """The receipt holds, and names no memory: by its purge nothing was erased."""


class Incomplete(ProvesNoErasure):
    """The receipt is genuine, and says that what its purge erased may still be in the store's write-ahead log."""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, for `json.loads`; `ValueError` for a key that is given twice: readers differ there."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a key is given twice")
    return fields


def read_statement(text: str | bytes, kind: str) -> Statement:
    """The fields of a receipt or an extension; `Refused` if they are not those of one."""
    try:
        statement = json.loads(text, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        raise Refused("it is not JSON, or gives a key twice") from error
    if not isinstance(statement, dict) or statement.get("kind") != kind:
        raise Refused(f"it is no {kind}")
    wanted = {"kind": str, **_FIELDS[kind]}
    if statement.keys() != wanted.keys():
        raise Refused("it has other fields than it should have")
    for name, type_ in wanted.items():
        value = statement[name]
        if not _is_a(value, type_) or (type_ is list and not all(_is_a(item, _ITEMS[name]) for item in value)):
            raise Refused(f"its field {name} is not what it should be")
    if not all(_is_a(text, str) for texts in statement.get("keyed_hashes", ()) for text in texts):
        raise Refused("its field keyed_hashes is not what it should be")
    return statement


def _is_a(value: Any, type_: type) -> bool:
    if isinstance(value, str) and not value.isascii():
        return False
    return type(value) is type_ and (type_ is not int or value in range(2**63))


def check_signature(statement: Statement, public_key: str) -> None:
    """`Refused` unless the holder of this key (Ed25519, 64 hexadecimal digits) has signed the statement as it is."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if not statement["signature"]:
        raise Refused("it is not signed")
    content = {name: value for name, value in statement.items() if name != "signature"}
    message = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    try:
        if _bytes(statement["public_key"]) != bytes.fromhex(public_key):
            raise Refused("it names another key")
        signer = Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))
        signer.verify(_bytes(statement["signature"]), message)
    except (InvalidSignature, ValueError) as error:
        raise Refused(str(error) if isinstance(error, Refused) else "its signature is not that of the key") from error


def check_receipt(receipt: Statement) -> None:
    """`Refused` unless the receipt's events are purges and lead to its root by its path."""
    size, edge = receipt["before"], [_digest(step) for step in receipt["path"]]
    events, hashes = [_event(event) for event in receipt["events"]], receipt["keyed_hashes"]
    if len(edge) != size.bit_count():
        raise Refused("its path has not the length of one")
    if len(events) != len(receipt["versions"]) or 0 in receipt["versions"]:
        raise Refused("it does not count the texts of each memory")
    for number, event in enumerate(events, start=size + 1):
        if event[0] != number or event[2] != "purge" or event[5] is not None:
            raise Refused(f"its event {number} is not that of a purge")
    if hashes and [len(texts) for texts in hashes] != receipt["versions"]:
        raise Refused("it does not name each text that it counts")
    edge = edge[::-1]
    for entry in receipt["events"]:
        digest, rest = _sha256(b"\0" + entry.encode()), size
        while rest & 1:
            digest, rest = _parent(edge.pop(), digest), rest >> 1
        edge.append(digest)
        size += 1
    if _folded(edge) != _digest(receipt["root"]):
        raise Refused("its events do not lead to its root")


def size_of(statement: Statement) -> int:
    """The number of events that the root of a receipt, an extension or a head vouches for."""
    return int(statement["before"] + len(statement["events"]) if "before" in statement else statement["size"])


def check_extension(older: Statement, extension: Statement) -> None:
    """`Refused` unless the extension proves that its log begins with the one up to `older`, a receipt or a head."""
    size = size_of(older)
    if (extension["store"], extension["older_size"], extension["older_root"]) != (older["store"], size, older["root"]):
        raise Refused("it does not start from the log that it is to extend")
    path = [_digest(step) for step in extension["path"]]
    _check_consistency(size, _digest(older["root"]), extension["size"], _digest(extension["root"]), path)


def check_root(query: Query, statement: Statement) -> None:
    """`Refused` unless this store's log begins with the one that a receipt, an extension or a head vouches for."""
    identity, size = query("SELECT hex(identity), (SELECT coalesce(max(seq), 0) FROM event) FROM store", ())[0]
    vouched = size_of(statement)
    if identity.lower() != statement["store"]:
        raise Refused("it is about another store, or the store was emptied since")
    if vouched > size:
        raise Refused(f"the store's log is shorter: {size} events, where it vouches for {vouched}")
    _check_consistency(vouched, _digest(statement["root"]), size, *_proof(query, vouched, size))


def check_store(receipt: Statement, query: Query, key: Key | None = None) -> None:
    """`Refused` unless this store's log still begins with the receipt's, and its memories hold no text.

    A tombstone that is gone is excused where the store notes that its own text was learned again since. Only with the
    store's key can that note be told from a forged one.
    """
    before, last = receipt["before"], size_of(receipt)
    check_root(query, receipt)
    if _edge(query, before) != receipt["path"]:
        raise Refused("the store's log before the purge is another one")
    rows = query(
        "SELECT seq, at, operation, memory_id, depth_before, depth_after, version_id, successor_id,"
        f" {'cause' if _has_causes(query) else 'NULL'}, digest FROM event WHERE seq > ? AND seq <= ? ORDER BY seq",
        (before, last),
    )
    if [_entry(row[:-2], None, row[-2]) for row in rows] != receipt["events"]:
        raise Refused("the store's log does not hold the purge")
    if [bytes(row[-1]) for row in rows] != [_sha256(b"\0" + entry.encode()) for entry in receipt["events"]]:
        raise Refused("the digests of the purge in the store's log are others")
    for entry, count in zip(receipt["events"], receipt["versions"], strict=True):
        _check_void(query, json.loads(entry)[3], count)
    if receipt["stays_forgotten"]:
        _check_tombstones(query, {text for texts in receipt["keyed_hashes"] for text in texts}, last, key)


def audit(query: Rows, seal: Seal | None = None) -> Iterator[str]:
    """What in a store is not as its log has it, a line each; reads all of the store.

    Compared are the log with its tree; the depth and the version of each memory with its last event; each text with its
    vector, its ids, its scope and its end, and who changed a memory and why, with what the log commits to; with `seal`,
    the seals.
    """
    try:
        has_causes = _has_causes(query)
        yield from _audit_log(query, "cause" if has_causes else "NULL")
        yield from _audit_memories(query)
        yield from _audit_versions(query, seal)
        if has_causes:
            yield from _audit_causes(query)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        yield f"the file holds what cannot be read: {error}"


def _has_causes(query: Rows) -> bool:
    """Whether the log commits to who changed a memory, and why, as it does from format 7 on."""
    return list(query("SELECT count(*) FROM pragma_table_info('event') WHERE name = 'cause'", ())) == [(1,)]


def _entry(event: Iterable[Any], commitment: bytes | None, cause: bytes | None) -> str:
    """An event as the log vouches for it."""
    told = [*event, commitment and commitment.hex(), cause and cause.hex()]
    while len(told) > _CHANGE and told[-1] is None:
        told.pop()
    return json.dumps(told)


def _audit_log(query: Rows, cause_column: str) -> Iterator[str]:
    size, edge = 0, [b""]
    nodes: list[Iterator[tuple[Any, ...]]] = [iter(())]
    for *event, commitment, cause, digest in query(
        "SELECT seq, at, operation, memory_id, depth_before, depth_after, version_id, successor_id, commitment,"
        f" {cause_column}, digest FROM event ORDER BY seq",
        (),
    ):
        if event[0] != size + 1:
            yield f"event {size + 1} is missing from the log"
            return
        node, level, number = _sha256(b"\0" + _entry(event, commitment, cause).encode()), 0, size
        size += 1
        if digest != node:
            yield f"event {size} of the log is not the one that was written"
        while number & 1:
            node, level, number = _parent(edge[level], node), level + 1, number >> 1
            if level == len(edge):
                edge.append(b"")
                nodes.append(iter(query("SELECT number, digest FROM node WHERE level = ? ORDER BY number", (level,))))
            if next(nodes[level], None) != (number, node):
                yield f"node {number} of level {level} of the log's tree is not the one that was written"
        edge[level] = node
    if list(query("SELECT count(*) - ? FROM node", (sum(size >> level for level in range(1, 63)),))) != [(0,)]:
        yield "the log's tree has not as many nodes as it should have"


def _audit_memories(query: Rows) -> Iterator[str]:
    for (memory_id,) in query(
        "SELECT memory.memory_id FROM memory LEFT JOIN event"
        " ON event.seq = (SELECT max(seq) FROM event AS own WHERE own.memory_id = memory.memory_id)"
        " WHERE event.seq IS NULL OR memory.depth IS NOT event.depth_after"
        " OR memory.version_id IS NOT iif(event.depth_after IS NULL, NULL, event.version_id)"
        " OR (memory.depth IS NULL AND coalesce(owner, session, source, expires_at) IS NOT NULL)",
        (),
    ):
        yield f"memory {memory_id} is not in the state that the log tells"
    for (memory_id,) in query("SELECT memory_id FROM event EXCEPT SELECT memory_id FROM memory", ()):
        yield f"memory {memory_id} is missing"


def _audit_versions(query: Rows, seal: Seal | None) -> Iterator[str]:
    for *version, vector, salt, checksum, commitment, current_id, depth, last, sealed in query(
        "SELECT version.version_id, version.memory_id, owner, session, source, expires_at, text, vector, salt,"
        " checksum, event.commitment, memory.version_id, depth,"
        " (SELECT max(seq) FROM event WHERE memory_id = version.memory_id), seal.digest"
        " FROM version LEFT JOIN memory USING (memory_id) LEFT JOIN seal USING (memory_id)"
        " LEFT JOIN event ON event.seq = (SELECT max(seq) FROM event AS own WHERE own.memory_id = version.memory_id"
        " AND own.version_id = version.version_id AND own.commitment IS NOT NULL)",
        (),
    ):
        version_id, memory_id = version[:2]
        found = _sha256(salt + json.dumps(version).encode() + b"\0" + vector)
        if depth is None:
            yield f"memory {memory_id} was purged, and has a text"
        elif found != commitment or found != checksum:
            yield f"a text of memory {memory_id}, its vector, its scope or its end is not what was told"
        elif seal and current_id == version_id and sealed != seal(memory_id, version_id, depth, last, checksum):
            yield f"memory {memory_id} is not sealed as it is"
    for (memory_id,) in query(
        "SELECT DISTINCT event.memory_id FROM event JOIN memory USING (memory_id) WHERE commitment IS NOT NULL"
        " AND depth IS NOT NULL AND NOT EXISTS (SELECT 1 FROM version WHERE version.version_id = event.version_id)",
        (),
    ):
        yield f"a text of memory {memory_id} is missing"


def _audit_causes(query: Rows) -> Iterator[str]:
    """A purge erases who and why of all events about its memory but its own, and nothing else does."""
    for seq, cause, salt, actor, reason, was_erased in query(
        "SELECT event.seq, event.cause, salt, actor, reason, event.operation <> 'purge' AND EXISTS ("
        " SELECT 1 FROM memory WHERE depth IS NULL AND memory.memory_id IN (event.memory_id, event.successor_id)"
        " UNION ALL SELECT 1 FROM event AS led JOIN memory USING (memory_id) WHERE depth IS NULL"
        " AND led.successor_id = event.memory_id AND led.operation IN ('supersede', 'derive')"
        " AND event.operation IN ('inscribe', 'relearn'))"
        " FROM event LEFT JOIN cause USING (seq) WHERE event.cause IS NOT NULL OR salt IS NOT NULL",
        (),
    ):
        if was_erased and salt is not None:
            yield f"the actor and the reason of event {seq} were erased, and are there"
        elif not was_erased and salt is None:
            yield f"the actor and the reason of event {seq} are missing"
        elif salt is not None and cause != _sha256(salt + json.dumps([seq, actor, reason]).encode()):
            yield f"the actor or the reason of event {seq} is not what was said"
    for (seq,) in query("SELECT seq FROM cause WHERE seq NOT IN (SELECT seq FROM event)", ()):
        yield f"an actor and a reason are of event {seq}, which is none"


def _check_void(query: Query, memory_id: int, count: int) -> None:
    if query("SELECT depth, version_id FROM memory WHERE memory_id = ?", (memory_id,)) != [(None, None)]:
        raise Refused(f"memory {memory_id} is not void")
    if query("SELECT 1 FROM version WHERE memory_id = ?", (memory_id,)):
        raise Refused(f"memory {memory_id} still has a text")
    kept = "SELECT 1 FROM event JOIN cause USING (seq) WHERE memory_id = ? AND operation <> 'purge'"
    if _has_causes(query) and query(kept, (memory_id,)):
        raise Refused(f"memory {memory_id} still has an actor or a reason")
    told = "SELECT count(*) FROM event WHERE memory_id = ? AND operation IN ('inscribe', 'relearn', 'edit')"
    if query(told, (memory_id,)) != [(count,)]:
        raise Refused(f"memory {memory_id} had another number of texts")


def _check_tombstones(query: Query, hashes: Collection[str], last: int, key: Key | None) -> None:
    missing = {text for text in hashes if not query("SELECT 1 FROM tombstone WHERE keyed_hash = ?", (_digest(text),))}
    if not missing:
        return
    rows = query(
        "SELECT event.seq, event.commitment, version.text FROM event"
        " LEFT JOIN version ON version.version_id = event.version_id"
        " WHERE event.seq > ? AND event.operation = 'relearn'",
        (last,),
    )
    relearned = {seq: (commitment, text) for seq, commitment, text in rows}
    lifted = [
        (keyed_hash.lower(), seq)
        for keyed_hash, seq, seal in query("SELECT hex(keyed_hash), seq, seal FROM lifted WHERE seq > ?", (last,))
        if seq in relearned and (key is None or seal == key.lifted(bytes.fromhex(keyed_hash), seq))
    ]
    missing -= {keyed_hash for keyed_hash, _ in lifted}
    # Older formats noted no lifting, and format 3 had no commitments.
    if key is None:
        unknown = relearned.keys() - {seq for _, seq in lifted}
    else:
        texts = [text for _, text in relearned.values() if isinstance(text, str)]
        missing -= {digest.hex() for text in texts for digest in key.keyed_hashes(text)}
        unknown = {seq for seq, (commitment, text) in relearned.items() if commitment is None and text is None}
    if len(missing) > len(unknown):
        raise Refused("a tombstone is gone, and the log does not say that its text was learned again")


def _check_consistency(older: int, older_root: bytes, size: int, root: bytes, path: Sequence[bytes]) -> None:
    """RFC 9162, section 2.1.4.2."""
    problem = Refused("the log was not only added to since: its roots do not agree")
    if older == size or older == 0:
        if path or (older == size and older_root != root):
            raise problem
        return
    steps = [older_root, *path] if older & (older - 1) == 0 else list(path)
    if older > size or not steps:
        raise problem
    first, second = older - 1, size - 1
    while first & 1:
        first, second = first >> 1, second >> 1
    of_older = of_newer = steps[0]
    for step in steps[1:]:
        if second == 0:
            raise problem
        if first & 1 or first == second:
            of_older, of_newer = _parent(step, of_older), _parent(step, of_newer)
            while first and not first & 1:
                first, second = first >> 1, second >> 1
        else:
            of_newer = _parent(of_newer, step)
        first, second = first >> 1, second >> 1
    if (of_older, of_newer, second) != (older_root, root, 0):
        raise problem


def _proof(query: Query, older: int, size: int) -> tuple[bytes, list[bytes]]:
    """The store's root over `size` events, and its proof that it extends `older` ones, both from its nodes."""

    def subtree(start: int, end: int) -> bytes:
        length = end - start
        if length & (length - 1) == 0:
            return _node(query, length.bit_length() - 1, start // length)
        middle = start + (1 << (length - 1).bit_length() - 1)
        return _parent(subtree(start, middle), subtree(middle, end))

    def proof(known: int, start: int, end: int, inside: bool) -> list[bytes]:
        if known == end - start:
            return [subtree(start, end)] if inside else []
        half = 1 << (end - start - 1).bit_length() - 1
        if known <= half:
            return [*proof(known, start, start + half, inside), subtree(start + half, end)]
        return [*proof(known - half, start + half, end, True), subtree(start, start + half)]

    root = subtree(0, size) if size else _sha256(b"")
    return root, [] if older in (0, size) else proof(older, 0, size, False)


def _edge(query: Query, size: int) -> list[str]:
    levels = (level for level in range(size.bit_length()) if size >> level & 1)
    return [_node(query, level, (size >> level) - 1).hex() for level in levels]


def _node(query: Query, level: int, number: int) -> bytes:
    if level:
        rows = query("SELECT digest FROM node WHERE level = ? AND number = ?", (level, number))
    else:
        rows = query("SELECT digest FROM event WHERE seq = ?", (number + 1,))
    if len(rows) != 1 or not isinstance(rows[0][0], bytes):
        raise Refused("the store's log has gaps")
    return rows[0][0]


def _event(entry: str) -> list[Any]:
    try:
        event = json.loads(entry)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, list) or not _is_a(event[3] if len(event) > 3 else None, int):
        raise Refused("it holds an event that is none")
    more = event[_CHANGE:]
    if len(event) < _CHANGE or (more and (len(more) != 2 or more[0] is not None or not _is_a(more[1], str))):
        raise Refused("it holds an event that is none")
    return event


def _folded(edge: Sequence[bytes]) -> bytes:
    return functools.reduce(lambda digest, left: _parent(left, digest), edge[::-1]) if edge else _sha256(b"")


def _digest(text: str) -> bytes:
    try:
        digest = _bytes(text)
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise Refused("it holds a digest that is none")
    return digest


def _bytes(text: str) -> bytes:
    """Bytes in hexadecimal as statements are written; `ValueError` for capitals and blanks, so each has one form."""
    content = bytes.fromhex(text)
    if content.hex() != text:
        raise ValueError("not in lower case")
    return content


def _parent(left: bytes, right: bytes) -> bytes:
    return _sha256(b"\1" + left + right)


def _sha256(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def _library() -> tuple[Callable[[str], Any], type[Exception]]:
    """How a file is opened for reading, and the error of whatever opens it.

    A store is opened by APSW, so this is too, where there is APSW. With two SQLite libraries in one process, the one
    that closes a file takes away the locks that the other holds on it, and another process may delete its log.
    """
    try:
        import apsw
    except ImportError:
        import sqlite3

        return lambda uri: sqlite3.connect(uri, uri=True), sqlite3.Error
    return lambda uri: apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI), apsw.Error


def verify(
    statement: str | bytes, public_key: str, store: str | Path | None = None, extension: str | bytes | None = None
) -> Statement:
    """The receipt or the head, if it was signed with this key and holds; else `Refused`.

    A receipt that holds and names no memory is `ErasesNothing`: whoever asked for an erasure has none. One that holds
    and says that its purge was not complete is `Incomplete`, whatever the file says: `Store.complete` gives another.

    Args:
        statement: its JSON.
        public_key: 64 hexadecimal digits.
        store: the file of the store, which is only read; its log must still hold what the statement says, and the
            extension's too. With a head, all of the file must be as its log has it.
        extension: the JSON of a later statement, which must prove that the log was only added to since.
    """
    kind = HEAD if _is_head(statement) else RECEIPT
    found = read_statement(statement, kind)
    check_signature(found, public_key)
    if kind == RECEIPT:
        check_receipt(found)
    later = None
    if extension is not None:
        try:
            later = read_statement(extension, EXTENSION)
            check_signature(later, public_key)
            check_extension(found, later)
        except Refused as error:
            raise RefusedExtension(f"the extension: {error}") from error
    if store is not None:
        _check_file(store, [found, *([later] if later else [])])
    if kind == RECEIPT and not found["events"]:
        raise ErasesNothing("holds, and erases nothing")
    if kind == RECEIPT and not found["complete"]:
        raise Incomplete(
            "genuine but incomplete: the texts may still be in the store's write-ahead log; whoever has the store runs"
            " `lethe complete STORE RECEIPT --key KEY --receipt NEW`, which gives the receipt that can be verified"
        )
    return found


def _is_head(statement: str | bytes) -> bool:
    try:
        read_statement(statement, HEAD)
    except Refused:
        return False
    return True


def _check_file(store: str | Path, statements: Sequence[Statement]) -> None:
    connect, error_of_library = _library()
    file = Path(store).resolve()
    # To read a file, SQLite makes an index of its log beside it, which a read-only disk does not take.
    can_be_shared = os.access(file.parent, os.W_OK) or file.with_name(f"{file.name}-wal").exists()
    how = "mode=ro" if can_be_shared else "mode=ro&immutable=1"
    try:
        with contextlib.closing(connect(f"{file.as_uri()}?{how}")) as connection:
            connection.execute("PRAGMA busy_timeout = 30000")  # whoever closes a file as the last one locks it
            connection.execute("BEGIN")
            # A view may give rows without end, or others than the file holds.
            for kind, name in connection.execute(_NO_TABLES).fetchall():
                raise Refused(f"the store {store} holds what no store has: {kind} {name!r:.80}")
            for statement in statements:
                check_root(lambda query, bindings: connection.execute(query, bindings).fetchall(), statement)
                if statement["kind"] == RECEIPT:
                    check_store(statement, lambda query, bindings: connection.execute(query, bindings).fetchall())
                if statement["kind"] == HEAD:
                    for problem in audit(connection.execute):
                        raise Refused(problem)
    except (error_of_library, IndexError, TypeError, AttributeError, UnicodeDecodeError) as error:
        raise Refused(f"the store {store} cannot be read: {error}") from error


def public_key_in(given: str) -> str:
    """The public key that is given, or stands in the file of that name; `ValueError` if it is none."""
    is_file = Path(given).is_file()
    if is_file:
        with Path(given).open("rb") as stream:
            key = stream.read(_LONGEST_KEY).decode(errors="replace").strip()
    else:
        key = given
    if key.startswith("lethe-key-"):
        raise ValueError(f"{given}: a private key, to be shown to nobody; `lethe key {given}` prints the public one")
    if not re.fullmatch("[0-9A-Fa-f]{64}", key):
        told = "holds no public key of 64 hexadecimal digits" if is_file else "neither a public key of 64 hexadecimal"
        raise ValueError(f"{given}: {told}" + ("" if is_file else " digits nor a file"))
    return key


def main(arguments: Sequence[str]) -> int:
    """Print what a receipt or a head says, or why it is refused; returns the exit code."""
    if len(arguments) not in (2, 3):
        sys.exit("usage: verifier.py STATEMENT PUBLIC_KEY [STORE]")
    try:
        key = public_key_in(arguments[1])
        for name in (arguments[0], *arguments[2:]):
            if not Path(name).is_file():
                raise ValueError(f"{name}: there is no such file")
        found = verify(Path(arguments[0]).read_bytes(), key, *arguments[2:])
    except ImportError as error:
        wrong = f"{error}; pip install cryptography"
    except Refused as error:
        wrong = str(error) if isinstance(error, ProvesNoErasure) else f"refused: {error}"
    except (OSError, ValueError) as error:
        wrong = str(error)
    else:
        print(f"holds: {told(found)}")
        return 0
    print(wrong, file=sys.stderr)
    return 1


def told(statement: Statement) -> str:
    """What a receipt or a head says, in a few words."""
    if statement["kind"] == HEAD:
        return f"a log of {statement['size']} events"
    return f"{len(statement['events'])} memories and {sum(statement['versions'])} texts erased"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
