"""Memories that their writer has signed: who wrote one is shown by a key, not by a name that anybody can give.

The source of such a memory is `ed25519:` and the writer's public key; the store takes no unsigned text from it. The
signature covers the text and whose memory it is, and stands beside the text, so that a purge erases it too.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import apsw

from lethe.store.arguments import check_kind, string
from lethe.store.connection import fetch_all
from lethe.store.scope import EVERYTHING, Kept

if TYPE_CHECKING:
    from lethe.store.keys import Key

SCHEME = "ed25519:"
"""How the source of a signed memory begins."""
_KIND = "lethe memory 1"


@dataclass(frozen=True, slots=True)
class Signature:
    """Who wrote a text, as `sign` says it: the public key, and the Ed25519 signature under it, in hexadecimal."""

    public_key: str
    value: str

    @property
    def source(self) -> str:
        """The source of the memories of this writer."""
        return source_of(self.public_key)


def sign(key: "Key", text: str, *, owner: str | None = None, session: str | None = None) -> Signature:
    """The writer's signature of a text that is to be a memory of this owner and session, as it stands.

    Example:
        >>> key = Key(bytes(32))
        >>> store = Store().within(owner="ines")
        >>> store.inscribe("The gate code is 4417.", signature=sign(key, "The gate code is 4417.", owner="ines"))
        1
        >>> [found.text for found in store.recall("the gate code", signed_by=key.public.hex())]
        ['The gate code is 4417.']
    """
    checked_key(key)
    scope = EVERYTHING.narrowed(owner, session, None)
    return Signature(key.public.hex(), key.sign(_message(string("a text", text), scope.owner, scope.session)).hex())


def checked_key(given: "Key") -> "Key":
    """`given`, if it is a key; else `TypeError`."""
    from lethe.store.keys import Key

    if not isinstance(given, Key):
        raise TypeError(f"a key is what make_key or read_key gives, not {type(given).__name__}")
    return given


def given(signature: Signature | None) -> Signature | None:
    """`signature`, if it is one or none; else `TypeError`."""
    if signature is not None:
        check_kind("a signature", signature, Signature)
    return signature


def source_of(public_key: str) -> str:
    """The source of a writer's memories; `ValueError` for what is not a public key of 64 hexadecimal digits."""
    try:
        if len(public_key) == 64:
            return SCHEME + bytes.fromhex(public_key).hex()
    except (TypeError, ValueError):
        pass
    raise ValueError(f"a writer's public key has 64 hexadecimal digits (Key.public.hex()), not {public_key!r:.80}")


def kept_by(signature: Signature | None, kept: Kept) -> Kept:
    """What a memory is given if it is told with a signature: its source is its writer; `ValueError` for another one."""
    if signature is None:
        return kept
    if kept.source not in (None, signature.source):
        raise ValueError(
            f"the source of a signed memory is its writer: sign it for no other one, as {kept.source!r:.80}"
        )
    return kept._replace(source=signature.source)


def check(text: str, kept: Kept, signature: Signature | None) -> bytes | None:
    """The signature of a text as it is stored; `ValueError` if it is not that of the memory's source."""
    if signature is None:
        if kept.source is not None and kept.source.startswith(SCHEME):
            raise ValueError(
                f"the source {kept.source:.24}… is that of signed memories: its writer must sign this text"
            )
        return None
    try:
        value = bytes.fromhex(signature.value)
    except (TypeError, ValueError):
        value = b""
    if kept.source != signature.source or not _holds(value, text, kept):
        raise ValueError(
            f"the signature is not that of {signature.public_key:.16}… for this text, its owner and its session"
        )
    return value


def check_stored(connection: apsw.Connection, memory_ids: Sequence[int]) -> None:
    """`apsw.CorruptError` unless each of these memories, whose source is a writer, holds that writer's signature."""
    query = (
        f"SELECT text, signature, {', '.join(Kept._fields)} FROM memory JOIN version USING (version_id)"
        " WHERE memory.memory_id IN (SELECT value FROM json_each(?))"
    )
    for text, value, *kept in fetch_all(connection, query, (json.dumps(list(memory_ids)),)):
        if not isinstance(value, bytes) or not _holds(value, text, Kept(*kept)):
            raise apsw.CorruptError("a signature that is not its writer's")


def _holds(value: bytes, text: str, kept: Kept) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        public = bytes.fromhex(str(kept.source).removeprefix(SCHEME))
        Ed25519PublicKey.from_public_bytes(public).verify(value, _message(text, kept.owner, kept.session))
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(text: str, owner: str | None, session: str | None) -> bytes:
    content = {"kind": _KIND, "owner": owner, "session": session, "text": text}
    return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
