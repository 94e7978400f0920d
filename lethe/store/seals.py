"""What vouches for the state of a store: checksums that its log commits to, and seals under its key.

The leaf of the event that told a text has the text's checksum, and the events tell the depth of each memory. So the
root of the log vouches for the whole state, for whoever has kept it. Where the store has a key, the root is sealed in
the file (HMAC-SHA256), and each memory with its last event: then an edit at rest is refused when it is read.
"""

import contextlib
import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Optional

import apsw

from lethe.store import history, merkle, verifier, versions
from lethe.store.connection import fetch_only, fetch_value, stored_state
from lethe.store.errors import LetheError

if TYPE_CHECKING:
    from lethe.store.keys import Key

Head = tuple[bytes, int, bytes | None]
"""The identity of a store, the size of its log, the seal of both with its root."""


def _head(connection: apsw.Connection) -> Head:
    query = "SELECT identity, (SELECT coalesce(max(seq), 0) FROM event), head FROM store"
    identity, size, seal = fetch_only(connection, query)
    return identity, size, seal


class Seals:
    """What one connection knows of the state of its store, and seals under its key, if it has one.

    Attributes:
        is_read: whether all of the file was compared with its log.
    """

    def __init__(self, name: str, key: Optional["Key"]) -> None:
        self._name = name
        self.key = key
        self._known: Head | None = None
        self._state: int | None = None
        self.is_read = False

    def attach(self, connection: apsw.Connection) -> None:
        """Give the connection the SQL functions of this class."""
        connection.create_scalar_function("intact", functools.partial(self._intact, connection))
        connection.create_scalar_function("keyed", lambda *_: self.key is not None, 0, deterministic=True)
        connection.create_scalar_function("sealed", lambda *state: self._sealed(connection, *state))
        connection.create_scalar_function("sealed_head", self._sealed_head)  # type: ignore[arg-type]
        connection.create_scalar_function("is_to_be_sealed", self._is_to_be_sealed)  # type: ignore[arg-type]

    def check(self, connection: apsw.Connection, *, whole: bool) -> None:
        """`LetheError` if somebody without the key has added to the log, or taken from it.

        With `whole`, the first time, also if anything in the file is not as the log has it.
        """
        if self.key is None:
            return
        state = stored_state(connection)
        if state is None or state != self._state:
            head = _head(connection)
            if head != self._known:
                self._check_head(connection, head)
                self.is_read = self.is_read and self._known is not None and head[0] == self._known[0]
                self._known = head
            self._state = state
        if whole and not self.is_read:
            for problem in self.problems(connection):
                raise LetheError(
                    f"store {self._name} was changed without its key ({problem}); restore it from a backup, or purge "
                    "what was changed"
                )
            self.is_read = True

    def _check_head(self, connection: apsw.Connection, head: Head) -> None:
        _, size, seal = head
        if seal is None and not size and not fetch_value(connection, "SELECT EXISTS (SELECT 1 FROM memory)"):
            return
        if seal is None:
            raise LetheError(
                f"store {self._name} is not sealed under the key, or its seals were taken away; if it may be trusted "
                "as it is, seal it (Store.seal, lethe seal)"
            )
        try:
            expected = self._of_log(head[0], size, merkle.root(history.nodes(connection), size))
        except (apsw.CorruptError, OverflowError) as error:
            raise self._changed() from error
        if seal != expected:
            raise self._changed()

    def _changed(self) -> LetheError:
        return LetheError(
            f"store {self._name} was changed without its key (the log is another one), or sealed under another; "
            "restore it from a backup, or give its key"
        )

    def problems(self, connection: apsw.Connection) -> Iterator[str]:
        """What is not as the log has it, and what is not sealed as it is, in one line each."""
        if self.key is None:
            yield from verifier.audit(connection.execute)
            return
        try:
            self._check_head(connection, _head(connection))
        except LetheError as error:
            yield str(error)
        yield from verifier.audit(connection.execute, lambda *state: self._sealed(connection, *state))

    @contextlib.contextmanager
    def sealing(self) -> Iterator[None]:
        """Around the transaction of `seal`: where that fails, the key is the one that there was before."""
        known = self.key, self._known, self._state, self.is_read
        try:
            yield
        except BaseException:
            self.key, self._known, self._state, self.is_read = known
            raise

    def seal(self, connection: apsw.Connection, key: "Key") -> None:
        """Seal the present state under a key, within `sealing`; `LetheError` without the one it is sealed under."""
        _, _, sealed = _head(connection)
        if self.key is None and sealed is not None:
            Seals(self._name, key).check(connection, whole=True)
        self.key = key
        connection.execute("DELETE FROM seal")
        connection.execute(f"{history.SEALING} true")
        size = history.last_seq(connection)
        root = merkle.root(history.nodes(connection), size)
        connection.execute("UPDATE store SET head = sealed_head(identity, ?, ?)", (size, root))

    def _identity(self, connection: apsw.Connection) -> bytes:
        return self._known[0] if self._known else bytes(fetch_value(connection, "SELECT identity FROM store"))

    def _is_to_be_sealed(self, head: bytes | None) -> bool:
        """The SQL function of that name: whether a log that had this head is sealed as it grows.

        One that was not sealed stays so, unless it was empty.
        """
        if self.key is None and head is not None:
            raise LetheError(f"store {self._name} is sealed under a key; give it, to change what the store holds")
        return self.key is not None and (head is not None or (self._known is not None and self._known[1:] == (0, None)))

    def _sealed_head(self, identity: bytes, size: int, root: bytes) -> bytes:
        """The SQL function `sealed_head`: the seal of a log as it has become."""
        head = self._of_log(identity, size, root)
        self._known = identity, size, head
        return head

    def _of_log(self, identity: bytes, size: int, root: bytes) -> bytes:
        assert self.key is not None
        return self.key.seal(b"head\0" + identity + root + str(size).encode())

    def _sealed(
        self, connection: apsw.Connection, memory_id: int, version_id: int, depth: float, seq: int, checksum: bytes
    ) -> bytes:
        """The SQL function `sealed`: the seal of a memory's state."""
        assert self.key is not None
        state = f"{memory_id} {version_id} {depth!r} {seq} ".encode()
        return self.key.seal(b"memory\0" + self._identity(connection) + checksum + state)

    def _intact(self, connection: apsw.Connection, salt: bytes | None, checksum: bytes, *state: Any) -> str | None:
        """The SQL function `intact`: the text of a version, None where a join found none."""
        if salt is None:
            return None
        *version, current_id, depth, seal, seq = state
        try:
            is_right = versions.checksum(salt, *version) == checksum
            if is_right and self.key is not None and current_id == version[0]:
                is_right = seal == self._sealed(connection, version[1], current_id, depth, seq, checksum)
        except (TypeError, ValueError):
            is_right = False
        if not is_right:
            raise apsw.CorruptError("a memory is not as it was stored")
        return str(version[-2])
