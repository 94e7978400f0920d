"""The key of a store, in a file of its own: it signs receipts and hashes what was erased.

Whoever has the store and not the key can neither make a receipt nor tell a guessed text by its hash.
"""

import hmac
import re
import secrets
import stat
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from lethe.store.errors import LetheError, describe_os_error
from lethe.store.files import make
from lethe.store.normalisation import forms, spelling

_FORMAT = re.compile(rb"lethe-key-1 ([0-9a-f]{64})\s*")


class Key:
    """A secret of 32 bytes; from it come a signing key (Ed25519), a hashing and a sealing key (HMAC-SHA256).

    Attributes:
        public: the public key, 32 bytes, by which others check receipts.
    """

    def __init__(self, secret: bytes) -> None:
        if len(secret) != 32:
            raise ValueError(f"a key has 32 bytes, not {len(secret)}")
        self._signing = Ed25519PrivateKey.from_private_bytes(_derived(secret, b"lethe receipts"))
        self.public = self._signing.public_key().public_bytes_raw()
        self._hashing = _derived(secret, b"lethe keyed hashes")
        self._sealing = _derived(secret, b"lethe seals")

    def __repr__(self) -> str:
        return f"Key({self.public.hex()[:16]}…)"

    def sign(self, message: bytes) -> bytes:
        """The Ed25519 signature of a message, 64 bytes."""
        return self._signing.sign(message)

    def keyed_hash(self, text: str) -> bytes:
        """The HMAC of a text, 32 bytes; equal for two texts that are the same (`normalisation.forms`)."""
        return self._hash(forms(text)[0])

    def form_hashes(self, text: str) -> tuple[bytes, ...]:
        """The hash of each normal form of a text, of which `keyed_hash` is the first."""
        return tuple(map(self._hash, forms(text)))

    def keyed_hashes(self, text: str) -> tuple[bytes, ...]:
        """All hashes by which a text may stand in a store: of each of its normal forms, and of the one of format 3."""
        return tuple(dict.fromkeys((*self.form_hashes(text), self._hash(spelling(text)))))

    def mark(self, owner: str | None, keyed_hash: bytes) -> bytes:
        """What ties the hash of a text to an owner, another one for each text; empty where it is nobody's."""
        return b"" if owner is None else self.seal(b"owner\0" + keyed_hash + owner.encode())

    def lifted(self, keyed_hash: bytes, seq: int) -> bytes:
        """What shows that the tombstone with this hash was lifted by that event."""
        return self.seal(b"lifted\0" + keyed_hash + str(seq).encode())

    def seal(self, message: bytes) -> bytes:
        """The HMAC by which a store under this key knows its own state again, 32 bytes."""
        return hmac.digest(self._sealing, message, "sha256")

    def _hash(self, form: str) -> bytes:
        return hmac.digest(self._hashing, form.encode(), "sha256")


def _derived(secret: bytes, purpose: bytes) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=None, info=purpose).derive(secret)


def make_key(path: str | Path) -> Key:
    """Make a key in a new file, for its user alone to read; `LetheError` if there is one already.

    Where it cannot be written, no file is left.
    """
    secret = secrets.token_bytes(32)
    try:
        make(Path(path), b"lethe-key-1 " + secret.hex().encode() + b"\n")
    except FileExistsError as error:
        raise LetheError(
            f"key {path} exists already; name another file, receipts are checked with the old one"
        ) from error
    except FileNotFoundError as error:
        raise LetheError(f"writing the key {path}: its folder does not exist; make it, or name another file") from error
    except OSError as error:
        raise describe_os_error(error, f"writing the key {path}") from error
    return Key(secret)


def read_key(path: str | Path) -> Key:
    """The key in a file; `LetheError` if it cannot be read, holds no key, or may be read by others."""
    try:
        mode = Path(path).stat().st_mode
        if not stat.S_ISREG(mode):
            raise LetheError(f"key {path} is a pipe, device or folder; name a file")
        content = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise LetheError(f"the key {path} is not there; `lethe key {path}` makes one") from error
    except OSError as error:
        raise describe_os_error(error, f"reading the key {path}") from error
    if mode & 0o077:
        raise LetheError(f"key {path} may be read by others; run chmod 600 on it, and make a new key if somebody did")
    found = _FORMAT.fullmatch(content)
    if found is None:
        raise LetheError(f"key {path} is not a key of a Lethe store; name another file")
    return Key(bytes.fromhex(found[1].decode()))
